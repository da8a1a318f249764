"""What multiplexers choose among by the model is what is printed: wires, and registers in which data wait."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from many_cases import case_count
from strategies_bodies import elementaries, elementary_of

from arrayol.errors import ArrayolError
from hwmodel.datapath.derive import Derived, derivation_of
from hwmodel.datapath.folding.waiting import input_muxes, operand_registers, output_muxes
from hwmodel.datapath.graph.graph import CONSTANT
from hwmodel.datapath.operators.nets import Nets
from hwmodel.datapath.technology.technology import load_technology
from hwmodel.emit.verilog.access import access_ports
from hwmodel.emit.verilog.datapaths.datapath import refusals
from hwmodel.emit.verilog.datapaths.printer import _Printer
from hwmodel.emit.verilog.datapaths.uses import ValueUse, origin, uses_in

ECP5 = load_technology("ecp5-6")
SUMS = """\
elementary e(a: u8[6], b: u8[6]) -> (s: u16[6]) {
  s[i] = a[i] * b[5 - i] + a[5 - i] for i in 0..6
}
"""
Counts = Counter[tuple[int, int]]  # by class, -1 for outputs, and number of sources


def printed(derived: Derived) -> Counts:
    """How many multiplexers the printed datapath has before inputs of shared operators and lanes of outputs."""
    graph, uses, found = derived.priced.dataflow.graph, uses_in(derived), Counts()
    printer = _Printer(derived, graph, uses, access_ports(derived), Nets())
    for label, nodes in printer.wires():
        printer.name_registers(label, nodes)
    printer.print_operators()

    def count(place: int, row: Iterable[ValueUse], constant: int | None = None) -> None:
        origins = [(origin(graph, use.node), use.cycle) for use in row]
        sources = {
            (constant if constant is not None else node)
            if graph.operators[node] == CONSTANT
            else printer._holding(node, cycle).name  # noqa: SLF001
            for node, cycle in origins
        }
        if len(sources) > 1:
            found[place, len(sources)] += 1

    for unit, rows in zip(uses.units, uses.inputs, strict=True):
        for row in rows if len(unit.operations) > 1 else ():
            count(derived.priced.by_operation[unit.operations[0]], row)
    for lanes in uses.lanes.values():
        for row in lanes:
            count(-1, row, constant=-1)
    return found


def modelled(derived: Derived) -> Counts:
    """The same by the model."""
    taken, found = operand_registers(derived.priced, derived.folded), Counts()
    outputs = {-1: output_muxes(derived.folded, taken)}
    for place, muxes in (input_muxes(derived.priced, derived.folded, taken) | outputs).items():
        for (_, sources), many in muxes.items():
            found[place, sources] += many
    return found


@given(elementaries(), st.integers(2, 9))
@settings(max_examples=case_count(80))
def test_sources_are_those_that_are_printed(text: str, interval: int) -> None:
    try:
        derivation = derivation_of(elementary_of(text), ECP5, 25)
        derived = derivation.at(max(interval, derivation.intervals[0]))
    except ArrayolError:
        return
    if refusals(derived):
        return
    assert modelled(derived) == printed(derived)


def test_what_waits_has_more_sources() -> None:
    """At an interval of 6 a pair comes in each cycle; the products need elements that come at different ones."""
    derived = derivation_of(elementary_of(SUMS), ECP5, 100).at(6)
    assert derived.waiting_lut["waiting"] > 0
    assert derivation_of(elementary_of(SUMS), ECP5, 100).at(1).waiting_lut == {"waiting": 0, "chosen": 0}


def test_a_technology_may_price_it(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text('like = "ecp5-6"\n\n[overhead.lut]\nwaiting = 0.5\nchosen = 2\n', encoding="utf-8")
    own, base = (derivation_of(elementary_of(SUMS), one, 100).at(6) for one in (load_technology(path), ECP5))
    more = base.waiting_lut
    assert own.cost["lut"] == base.cost["lut"] + round(0.5 * more["waiting"] + 2 * more["chosen"])
    assert own.cost["ff"] == base.cost["ff"]
