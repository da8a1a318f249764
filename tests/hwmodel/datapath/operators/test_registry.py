"""Records of operators on the hardware's side cover the language; what has no circuit is refused by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import pytest
from strategies_bodies import elementary_of

from arrayol.errors import ArrayolError
from arrayol.operators.record import Notation
from arrayol.operators.registry import FUNCTIONS, OPERATORS
from hwmodel.datapath.derive import derivation_of
from hwmodel.datapath.graph import graph, operations
from hwmodel.datapath.graph.build import build_graph
from hwmodel.datapath.operators.record import NodeOperator
from hwmodel.datapath.operators.registry import DATAPATHS, NODES
from hwmodel.datapath.technology import technology
from hwmodel.datapath.technology.technology import load_technology
from hwmodel.emit.verilog.datapaths import operators
from hwmodel.emit.verilog.datapaths.datapath import datapath_module

SMALLEST = "elementary e(x: i16[2]) -> (y: i16) { y = min(x[0], x[1]) + 3 }"
NEED_FORMATS = {"round", "sat"}  # built from the formats of their operands and results (graph/operations.py)


def test_every_operator_of_the_language_has_a_record_and_no_other() -> None:
    listed = {(each.name, 0 if each.notation is Notation.CALL else each.arguments[0]) for each in OPERATORS}
    assert {name for name in FUNCTIONS if FUNCTIONS[name].numpy is None} == NEED_FORMATS
    assert DATAPATHS.keys() == {key for key in listed if key[0] not in NEED_FORMATS}
    assert all(each.integers or each.floats or each.complex for each in DATAPATHS.values())


def test_rows_that_price_a_node_are_those_of_nodes() -> None:
    assert {row for node in NODES.values() for row in (node.like, node.float_row) if row} <= NODES.keys()


def test_a_table_without_rows_of_an_operator_prices_it_as_one_like_it(monkeypatch: pytest.MonkeyPatch) -> None:
    table = load_technology("ecp5-6")
    assert not table.rows("novel")
    novel = NodeOperator(name="novel", like="mul")
    monkeypatch.setattr(technology, "NODES", MappingProxyType({**NODES, "novel": novel}))
    assert table.rows("novel") == table.rows("mul")
    assert table.rows("novel.f64") == table.rows("mul.f64") != table.rows("mul")


def test_an_operator_like_one_with_a_carry_chain_has_one(monkeypatch: pytest.MonkeyPatch) -> None:
    elementary = elementary_of("elementary e(x: u8[2]) -> (y: u8) { y = x[0] // x[1] if x[1] != 0 else 0 }")

    def divided() -> list[tuple[int, int]]:
        priced = filter(None, build_graph(elementary).operations)
        return [(each.luts, each.chain) for each in priced if each.operator == "div"]

    assert divided() == [(0, 0)]
    monkeypatch.setattr(graph, "NODES", MappingProxyType({**NODES, "div": replace(NODES["div"], like="max")}))
    assert divided() == [(8, 8)]


def without_circuit(name: str) -> Mapping[str, NodeOperator]:
    return MappingProxyType({**NODES, name: replace(NODES[name], circuit=None)})


def test_an_operator_without_a_circuit_is_refused_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    derived = derivation_of(elementary_of(SMALLEST), load_technology("ecp5-6"), 50).at(1)
    assert "endmodule" in datapath_module(derived)
    monkeypatch.setattr(operators, "NODES", without_circuit("min"))
    with pytest.raises(ArrayolError) as refused:
        datapath_module(derived)
    (told,) = refused.value.diagnostics
    assert (told.code, told.message) == ("not-in-hardware", "'e' cannot be printed: 'min' has no circuit")
    assert told.span is not None
    assert told.span.file.text[told.span.start : told.span.end] == "min(x[0], x[1])"


def test_an_operator_without_a_datapath_is_refused_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    others = {key: each for key, each in DATAPATHS.items() if key != ("min", 0)}
    monkeypatch.setattr(operations, "DATAPATHS", MappingProxyType(others))
    with pytest.raises(ArrayolError) as refused:
        build_graph(elementary_of(SMALLEST))
    assert refused.value.diagnostics[0].message == "no datapath of 'min' of i16 is known"


@pytest.mark.parametrize("name", ["sqrt", "exp", "log", "sin", "cos", "tan"])
def test_functions_of_complex_numbers_have_no_datapath(name: str) -> None:
    """Once they were priced as a magnitude."""
    elementary = elementary_of(f"elementary e(x: c64) -> (y: c64) {{ y = {name}(x) }}")
    with pytest.raises(ArrayolError) as refused:
        build_graph(elementary)
    (told,) = refused.value.diagnostics
    assert (told.code, told.message) == ("missing-operator", f"no datapath of '{name}' of c64 is known")
    assert told.hint == "give the task an entry in the platform"
