"""The dataflow of a graph: operations, the values between them, and the ports, without wires and constants.

Values are numbered: first the elements of the input ports that something reads, then the results of the operations, in
the order of the graph's nodes, so that operands come before their users. A constant is no value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from hwmodel.datapath.graph.graph import CONSTANT, FREE, INPUT, RESIZE, SHIFT, Graph, Operation
from hwmodel.datapath.graph.packing import PACKED
from hwmodel.datapath.graph.sorts import Ints, NodeClasses
from hwmodel.datapath.operators.bins import BIN_ADD, BINS_FULL

_CONSTANTS = frozenset({CONSTANT})
_WIRES = FREE - {CONSTANT, INPUT}
NO_VALUE = -1  # a constant, or an element of an input port that nothing reads


@dataclass(frozen=True, eq=False)
class Dataflow:
    """The operations of one repetition.

    `kinds` has each distinct operation once, and `kind` the number of each operation's kind. `values_taken` has the
    operands of the operations one after the other, `arities` the number of each one's operands: a value, or -1 - c for
    constant c. `widths` are the bits of the values. `elements` has (port, element) of each value that is an input;
    `inputs` and `outputs` have the values of each port's places, and `parts` the number of places of an element.
    `nodes` are the operations' nodes in the graph.
    """

    graph: Graph
    kinds: tuple[Operation, ...]
    kind: list[int]
    values_taken: Ints
    arities: Ints
    widths: Ints
    elements: list[tuple[str, int]]
    inputs: Mapping[str, tuple[int, ...]]
    outputs: Mapping[str, tuple[int, ...]]
    parts: Mapping[str, int]
    nodes: list[int]

    @property
    def first(self) -> int:
        """The number of the first operation's result among the values."""
        return len(self.elements)

    @cached_property
    def edges(self) -> tuple[Ints, Ints]:
        """The values that operations take, and their users: an entry for each operand, without constants."""
        values, users = self.operand_values
        return values[values >= 0], users[values >= 0]

    @cached_property
    def operand_values(self) -> tuple[Ints, Ints]:
        """The values that operations take, and their users: an entry for each operand, constants included."""
        return self.values_taken, np.repeat(np.arange(len(self.arities)), self.arities)

    @cached_property
    def operands(self) -> list[tuple[int, ...]]:
        """The operands of each operation, in order."""
        taken = iter(self.values_taken.tolist())
        return [tuple(islice(taken, size)) for size in self.arities.tolist()]

    @cached_property
    def pairs(self) -> tuple[Ints, Ints, dict[int, tuple[int, ...]]]:
        """The first and the second operand of each operation, -1 for none, and further operands by operation.

        Constants are left out.
        """
        values, sizes = self.values_taken, self.arities
        begins = np.cumsum(sizes) - sizes
        known = np.append(np.maximum(values, NO_VALUE), [NO_VALUE, NO_VALUE])
        first, second = (np.where(sizes > place, known[begins + place], NO_VALUE) for place in (0, 1))
        more = {
            operation: tuple([value for value in values[begin + 2 : begin + size].tolist() if value >= 0])
            for operation in np.flatnonzero(sizes > 2).tolist()
            for begin, size in [(int(begins[operation]), int(sizes[operation]))]
        }
        return first, second, more

    @cached_property
    def ports(self) -> Ints:
        """The number of the port of each value that is an input."""
        numbers = {port: number for number, port in enumerate(self.inputs)}
        return np.array([numbers[port] for port, _ in self.elements], np.int64)

    @cached_property
    def places(self) -> Ints:
        """The element of each value that is an input."""
        return np.array([element for _, element in self.elements], np.int64)

    @cached_property
    def settable(self) -> Ints:
        """The multiplexers of a constant and a value that is no logic, with LUTs: a register may replace them."""
        kinds = {kind for kind, each in enumerate(self.kinds) if each.operator == "mux" and each.luts}
        operations = (operation for operation, kind in enumerate(self.kind) if kind in kinds) if kinds else ()
        return np.array([one for one in operations if _takes_constant(self.graph, self.nodes[one])], np.int64)

    @cached_property
    def bits(self) -> list[int]:
        """The bits of the values."""
        bits: list[int] = self.widths.tolist()
        return bits

    @cached_property
    def written(self) -> dict[str, Ints]:
        """The values of each output port's places, as arrays."""
        return {port: np.array(values, np.int64) for port, values in self.outputs.items()}

    def sizes(self, ports: Mapping[str, tuple[int, ...]]) -> dict[str, int]:
        """The number of elements of each of the ports."""
        return {port: len(places) // self.parts[port] for port, places in ports.items()}


def _takes_constant(graph: Graph, node: int) -> bool:
    others = [operand for operand in graph.operands[node][1:] if graph.operators[operand] != CONSTANT]
    if len(others) != 1:
        return False
    (other,) = others
    while graph.operators[other] in (SHIFT, RESIZE):
        (other,) = graph.operands[other]
    return graph.operators[other] not in PACKED


def distinct_of(numbers: Ints) -> Ints:
    """The distinct numbers, ascending; for many numbers faster than NumPy's function."""
    ordered = np.sort(numbers)
    different = np.ones(len(ordered), bool)
    different[1:] = ordered[1:] != ordered[:-1]
    return ordered[different]


def dataflow_of(graph: Graph) -> Dataflow:
    """The operations of a graph, and their values."""
    sorts, (different, places) = graph.sorts, graph.different_operations
    parts = {port: graph.parts(port) for port in (*graph.inputs, *graph.outputs)}
    read = [
        (node, (port, place // parts[port]))
        for port, listed in graph.inputs.items()
        for place, node in enumerate(listed)
        if node >= 0
    ]
    inputs = np.array([node for node, _ in read], np.int64)
    nodes = np.flatnonzero(places >= 0)
    values = np.full(len(graph), NO_VALUE, np.int64)
    values[inputs] = np.arange(len(inputs))
    values[nodes] = np.arange(len(inputs), len(inputs) + len(nodes))
    constants = sorts.nodes_of(_CONSTANTS)
    values[constants] = -1 - constants
    values = values[_behind_wires(sorts)]
    by_operand, sizes = values[sorts.operands], sorts.sizes[nodes]
    begins = np.cumsum(sizes) - sizes
    taken = by_operand[np.repeat(sorts.starts[nodes] - begins, sizes) + np.arange(int(sizes.sum()))]
    listed_values = values.tolist()
    return Dataflow(
        graph,
        different,
        places[nodes].tolist(),
        taken,
        sizes,
        np.concatenate([sorts.bits[inputs], np.where(_are_tokens(graph, nodes), 0, graph.needed_bits[nodes])]),
        [element for _, element in read],
        {
            port: tuple([listed_values[node] if node >= 0 else NO_VALUE for node in listed])
            for port, listed in graph.inputs.items()
        },
        {
            port: tuple([max(NO_VALUE, listed_values[node]) for node in listed])
            for port, listed in graph.outputs.items()
        },
        parts,
        nodes.tolist(),
    )


def _are_tokens(graph: Graph, nodes: Ints) -> NDArray[np.bool_]:
    """Which nodes only say that something is in a memory."""
    return np.array([graph.operators[node] in (BIN_ADD, BINS_FULL) for node in nodes.tolist()], np.bool_)


def _behind_wires(sorts: NodeClasses) -> Ints:
    """For each node the node whose value it has: itself or, for a wire, the start of the wire."""
    sources = np.arange(len(sorts.of))
    wires = sorts.nodes_of(_WIRES)
    sources[wires] = sorts.operands[sorts.starts[wires]]
    while len(wires):
        further = sources[sources]
        if np.array_equal(further, sources):
            break
        sources = further
    return sources
