"""What of a graph takes time: operations, the values between them, and the ports, without wires and constants.

Values are numbered: first the elements of the input ports that something reads, then the results of the operations, in
the order of the graph's nodes, so that operands come before their users. A constant is no value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, TypeAlias

import numpy as np

from hwmodel.datapath.graph.graph import CONSTANT, FREE, INPUT, Graph, Operation

Ints: TypeAlias = np.ndarray[Any, np.dtype[np.int64]]

NO_VALUE = -1  # a constant, or an element of an input port that nothing reads
ACCESS = "access"  # a read of the local memory at a place that data decide


@dataclass(frozen=True, eq=False)
class Dataflow:
    """The operations of one repetition.

    `kinds` has each different operation once, `kind` for each operation its place there. `operands` has for each
    operation its operands, in their order: a value, or -1 - c for constant c. `bits` are those of the values.
    `elements` has for each value that is an input (port, element); `inputs` and `outputs` for each port the values of
    its places, `parts` how many places an element has. `nodes` are the operations' nodes in the graph.
    """

    graph: Graph
    kinds: tuple[Operation, ...]
    kind: list[int]
    operands: list[tuple[int, ...]]
    bits: list[int]
    elements: list[tuple[str, int]]
    inputs: Mapping[str, tuple[int, ...]]
    outputs: Mapping[str, tuple[int, ...]]
    parts: Mapping[str, int]
    nodes: list[int]

    @property
    def first(self) -> int:
        """The value that the first operation makes."""
        return len(self.elements)

    @cached_property
    def edges(self) -> tuple[Ints, Ints]:
        """The values that operations take, and the operations that take them: an entry for each operand."""
        values, users = self.taken
        return values[values >= 0], users[values >= 0]

    @cached_property
    def taken(self) -> tuple[Ints, Ints]:
        """The same with constants."""
        sizes = np.fromiter(map(len, self.operands), np.int64, len(self.operands))
        values = np.fromiter(chain.from_iterable(self.operands), np.int64, int(sizes.sum()))
        return values, np.repeat(np.arange(len(sizes)), sizes)

    @cached_property
    def pairs(self) -> tuple[Ints, Ints, dict[int, tuple[int, ...]]]:
        """The first and the second operand of each operation, -1 where there is none, and what others there are.

        A constant is no operand here.
        """
        values, users = self.taken
        sizes = np.bincount(users, minlength=len(self.operands))
        begins = np.cumsum(sizes) - sizes
        known = np.append(np.maximum(values, NO_VALUE), [NO_VALUE, NO_VALUE])
        first, second = (np.where(sizes > place, known[begins + place], NO_VALUE) for place in (0, 1))
        more = {
            operation: tuple([value for value in self.operands[operation][2:] if value >= 0])
            for operation in np.flatnonzero(sizes > 2).tolist()
        }
        return first, second, more

    @cached_property
    def widths(self) -> Ints:
        """The bits of the values."""
        return np.array(self.bits, np.int64)

    @cached_property
    def written(self) -> dict[str, Ints]:
        """For each output port the values of its places, as arrays."""
        return {port: np.array(values, np.int64) for port, values in self.outputs.items()}

    def sizes(self, ports: Mapping[str, tuple[int, ...]]) -> dict[str, int]:
        """How many elements each of the ports has."""
        return {port: len(places) // self.parts[port] for port, places in ports.items()}


def distinct_of(numbers: Ints) -> Ints:
    """Different numbers, ascending; on many of them faster than NumPy's own function."""
    ordered = np.sort(numbers)
    different = np.ones(len(ordered), bool)
    different[1:] = ordered[1:] != ordered[:-1]
    return ordered[different]


def dataflow_of(graph: Graph) -> Dataflow:
    """The operations of a graph, and what they work on."""
    values = [NO_VALUE] * len(graph)
    bits: list[int] = []
    elements: list[tuple[str, int]] = []
    parts = {port: graph.parts(port) for port in (*graph.inputs, *graph.outputs)}
    for port, places in graph.inputs.items():
        for place, node in enumerate(places):
            if node >= 0:
                values[node] = len(elements)
                elements.append((port, place // parts[port]))
                bits.append(graph.numbers[node].bits)
    value_of = values.__getitem__
    kinds: dict[int, int] = {}
    listed: list[Operation] = []
    kind, operands, nodes = [], [], []
    rows = zip(graph.operators, graph.operands, graph.operations, strict=True)
    for node, (operator, sources, operation) in enumerate(rows):
        if operation is None:
            if operator in FREE and operator not in (INPUT, CONSTANT):
                values[node] = values[sources[0]]
            elif operator == CONSTANT:
                values[node] = -1 - node
            continue
        known = kinds.get(id(operation))
        if known is None:
            known = kinds[id(operation)] = len(listed)
            listed.append(operation)
        kind.append(known)
        operands.append(tuple(map(value_of, sources)))
        values[node] = len(bits)
        bits.append(graph.needed_bits[node])
        nodes.append(node)
    return Dataflow(
        graph,
        tuple(listed),
        kind,
        operands,
        bits,
        elements,
        {
            port: tuple([values[node] if node >= 0 else NO_VALUE for node in places])
            for port, places in graph.inputs.items()
        },
        {port: tuple([max(NO_VALUE, values[node]) for node in places]) for port, places in graph.outputs.items()},
        parts,
        nodes,
    )
