"""The operators of a datapath are those that were priced, and so are the sources of their inputs."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from many_cases import case_count
from strategies_bodies import elementaries, elementary_of

from arrayol.errors import ArrayolError
from hwmodel.datapath.derive import Derived, derivation_of
from hwmodel.datapath.graph.graph import CONSTANT, INPUT
from hwmodel.datapath.numbers import Number
from hwmodel.datapath.technology.technology import load_technology
from hwmodel.emit.verilog.datapaths.units import common, units_of
from hwmodel.emit.verilog.datapaths.uses import origin, uses_in

ECP5 = load_technology("ecp5-6")


def sources(derived: Derived) -> Counter[tuple[int, int]]:
    """By class and number of sources: how many inputs of operators that do several operations."""
    graph, priced, uses = derived.priced.dataflow.graph, derived.priced, uses_in(derived)
    makers = {}
    for number, unit in enumerate(uses.units):
        for operation in unit.operations:
            makers[priced.dataflow.nodes[operation]] = number
    found: Counter[tuple[int, int]] = Counter()
    for unit, rows in zip(uses.units, uses.inputs, strict=True):
        if len(unit.operations) > 1:
            for row in rows:
                origins = {origin(graph, use.node) for use in row}
                feeding = {
                    graph.details[node][0]  # type: ignore[index]
                    if graph.operators[node] == INPUT
                    else node
                    if graph.operators[node] == CONSTANT
                    else ("unit", makers[node])
                    for node in origins
                }
                found[priced.by_operation[unit.operations[0]], len(feeding)] += 1
    return found


@given(elementaries(), st.integers(2, 9))
@settings(max_examples=case_count(80))
def test_operators_and_their_sources_are_those_that_are_priced(text: str, interval: int) -> None:
    try:
        derivation = derivation_of(elementary_of(text), ECP5, 25)
        derived = derivation.at(max(interval, derivation.intervals[0]))
    except ArrayolError:
        return
    wanted = Counter({place: use.units for place, use in enumerate(derived.operators)})
    assert len(units_of(derived)) == sum(wanted.values())
    several = Counter()
    for place, fed in derived.folded.bound.fed.items():
        for (_, count), many in fed.items():
            several[place, count] += many
    assert {key: many for key, many in sources(derived).items() if key[1] > 1} == {
        key: many for key, many in several.items() if key[1] > 1
    }


@pytest.mark.parametrize(
    ("numbers", "wanted"),
    [
        ([("unsigned", 8), ("unsigned", 5)], ("unsigned", 8)),
        ([("unsigned", 8), ("signed", 5)], ("signed", 9)),
        ([("signed", 8), ("unsigned", 5)], ("signed", 8)),
        ([("float", 32), ("unsigned", 5)], ("unsigned", 32)),
    ],
)
def test_a_number_that_holds_all(numbers: list[tuple[str, int]], wanted: tuple[str, int]) -> None:
    assert common(Number(*each) for each in numbers) == Number(*wanted)  # type: ignore[arg-type]
