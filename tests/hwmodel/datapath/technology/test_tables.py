"""Shipped tables: every shipped body has a price on each, and rows are ordered as clocks find them."""

from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

from arrayol import api
from hwmodel.datapath.graph.build import MAXIMUM_NODES, build_graph, count_nodes
from hwmodel.datapath.graph.graph import Operation
from hwmodel.datapath.operators.registry import NODES
from hwmodel.datapath.technology.rows import OPERATORS
from hwmodel.datapath.technology.technology import load_technology, shipped_technologies

SPECS = sorted((Path(__file__).resolve().parents[4] / "specs").glob("*.aol"))
OF_FLOATS = {node.name for node in NODES.values() if node.floats and not node.integers} | {"fscale", "fpos0"}
OF_BOTH = {node.name for node in NODES.values() if node.floats and node.integers and not node.float_row}


@cache
def shipped_operations() -> dict[str, frozenset[Operation]]:
    """Of each shipped specification what its bodies need; matmul's is too large to be unrolled."""
    needed = defaultdict(set)
    for path in SPECS:
        spec = api.load(path)
        for elementary in spec.elementaries.values():
            if elementary.body is not None and count_nodes(elementary) <= MAXIMUM_NODES:
                operations = build_graph(elementary, spec.tables).operations
                needed[path.stem].update(operation for operation in operations if operation is not None)
    return {name: frozenset(operations) for name, operations in needed.items()}


@pytest.mark.parametrize("name", shipped_technologies())
def test_every_operator_of_every_shipped_body_has_a_price(name):
    technology = load_technology(name)
    lacking = set()
    for spec, operations in shipped_operations().items():
        for operation in operations:
            row = technology.row(operation.operator, 40)
            if row is None:
                lacking.add((spec, operation.operator))
            else:
                price = technology.price(operation, row)
                assert price.ns or price.cycles or operation.operator == "not", (spec, operation)
    assert not lacking


@pytest.mark.parametrize("name", shipped_technologies())
def test_every_operator_of_the_language_has_a_row(name):
    """So that no body is refused for an operator, whatever it computes."""
    technology = load_technology(name)
    wanted = {key for key in OPERATORS - OF_FLOATS if key != "cvt"}
    wanted |= {f"{key}.{kind}" for key in OF_FLOATS | OF_BOTH for kind in ("f32", "f64")}
    wanted |= {"cvt.i.f32", "cvt.f32.i", "cvt.i.f64", "cvt.f64.i", "cvt.f32.f64", "cvt.f64.f32"}
    assert {key for key in wanted if not technology.rows(key)} == set()


@pytest.mark.parametrize("name", shipped_technologies())
def test_rows_are_faster_and_deeper_one_after_the_other(name):
    """The first row that reaches a clock is the one of the fewest cycles."""
    for operator, rows in load_technology(name).table.operators.rows.items():
        clocks = [row.max_mhz for row in rows if row.max_mhz is not None]
        assert clocks == sorted(set(clocks)), operator
        cycles = [row.cycles or 0 for row in rows]
        assert cycles == sorted(cycles), operator
        assert all(row.cycles is not None or row.ns is not None for row in rows), operator


@pytest.mark.parametrize("name", shipped_technologies())
def test_rows_that_are_estimates_say_where_they_are_from(name):
    technology = load_technology(name)
    for operator, rows in technology.table.operators.rows.items():
        for row in rows:
            assert not row.estimate or row.source or "lut" in technology.table.estimates, operator
