"""When the values of a datapath are taken: by its operators as operations start, and by its outputs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hwmodel.datapath.derive import Derived
from hwmodel.datapath.graph.graph import CONSTANT, FREE, INPUT, Graph
from hwmodel.datapath.operators.bins import BIN_READ, BINS_FULL
from hwmodel.emit.verilog.datapaths.chunks import chunk_size, elements_of, leaving
from hwmodel.emit.verilog.datapaths.states import Early, Kept, State, states_of
from hwmodel.emit.verilog.datapaths.units import Unit, operands_of, units_of


@dataclass(frozen=True, slots=True)
class ValueUse:
    """A node whose value is taken in a cycle of the schedule."""

    cycle: int
    node: int


@dataclass(frozen=True, slots=True)
class Uses:
    """`inputs` are by operator and input, `lanes` by output and place on its bus.

    `starts` are the cycles of the operations, by node. `last` is by node the last cycle in which an operation's result
    or an element of an input is taken: what is taken behind wires is what the wires start at. `states` has what is kept
    from one repetition to the next, `early` by output what stands on its second bus.
    """

    units: Sequence[Unit]
    inputs: Sequence[Sequence[Sequence[ValueUse]]]
    lanes: dict[str, list[list[ValueUse]]]
    starts: dict[int, int]
    last: dict[int, int]
    states: Mapping[int, State]
    early: Mapping[str, Sequence[ValueUse]]


def uses_in(derived: Derived, kept: Kept = frozenset(), early: Early = frozenset()) -> Uses:
    """All of a datapath's."""
    dataflow, room = derived.priced.dataflow, derived.priced.room
    graph, units, operands = dataflow.graph, units_of(derived), operands_of(derived)
    cycles = [start // room for start in derived.folded.placed.starts]
    inputs = []
    for unit in units:
        rows = _rows(
            graph, [dataflow.nodes[one] for one in unit.operations], [operands[one] for one in unit.operations]
        )
        own = [cycles[one] for one in unit.operations]
        inputs.append([[ValueUse(*each) for each in zip(own, row, strict=True)] for row in rows])
    lanes = {port: _lanes(derived, graph, port) for port in graph.outputs}
    every = [use for rows in inputs for row in rows for use in row]
    every += [use for rows in lanes.values() for row in rows for use in row]
    states = states_of(derived, kept)
    every += [ValueUse(state.cycle, state.node) for state in states.values()]
    second = {port: _second_bus(graph, port, own) for port, own in sorted(early)}
    every += [use for row in second.values() for use in row]
    starts = dict(zip(dataflow.nodes, cycles, strict=True))
    return Uses(units, inputs, lanes, starts, _last(graph, every), states, second)


def origin(graph: Graph, node: int) -> int:
    """The node whose value a node has: its own, or of a wire that of what the wire starts at."""
    while graph.operators[node] in FREE and graph.operators[node] not in (CONSTANT, INPUT):
        (node,) = graph.operands[node]
    return node


def _rows(graph: Graph, nodes: Sequence[int], operands: Sequence[tuple[int, ...]]) -> Iterable[tuple[int, ...]]:
    """For each input of an operator what its operations take there; whether something is in a memory is no value."""
    if graph.operators[nodes[0]] in (BINS_FULL, BIN_READ):
        return ()
    if graph.operators[nodes[0]] == "select" and len(nodes) > 1:
        first, last = indices(graph, nodes)
        places = range(first, last + 1)
        operands = [_selected(graph, *each, places) for each in zip(nodes, operands, strict=True)]
    return zip(*operands, strict=True)


def indices(graph: Graph, nodes: Sequence[int]) -> tuple[int, int]:
    """The least and the greatest index of selections."""
    firsts: list[Any] = [graph.details[node] for node in nodes]
    return min(firsts), max(first + len(graph.operands[node]) - 2 for first, node in zip(firsts, nodes, strict=True))


def _selected(graph: Graph, node: int, operands: Sequence[int], places: range) -> tuple[int, ...]:
    """A selection from the indices `places`, of which its own are some: the index, and the value at each."""
    first: Any = graph.details[node]
    values = operands[1:]
    return operands[0], *(values[min(max(place - first, 0), len(values) - 1)] for place in places)


def _lanes(derived: Derived, graph: Graph, port: str) -> list[list[ValueUse]]:
    """The values on the bus of an output, by lane; complex elements have two, one for each part."""
    elements, parts, nodes = elements_of(graph, port), graph.parts(port), graph.outputs[port]
    lanes: list[list[ValueUse]] = [[] for _ in range(chunk_size(elements, derived.interval) * parts)]
    for cycle, group in enumerate(leaving(elements, derived.interval), derived.latency):
        for lane, place in enumerate(range(group.start * parts, group.stop * parts)):
            lanes[lane].append(ValueUse(cycle, nodes[place]))
    return lanes


def _second_bus(graph: Graph, port: str, elements: Sequence[tuple[int, int]]) -> list[ValueUse]:
    """The values on the second bus of an output, of elements (place, cycle); complex ones have two, a part each."""
    parts, nodes = graph.parts(port), graph.outputs[port]
    return [ValueUse(cycle, node) for place, cycle in elements for node in nodes[place * parts : (place + 1) * parts]]


def _last(graph: Graph, uses: Iterable[ValueUse]) -> dict[int, int]:
    last: dict[int, int] = {}
    for use in uses:
        node = origin(graph, use.node)
        last[node] = max(last.get(node, -1), use.cycle)
    return last
