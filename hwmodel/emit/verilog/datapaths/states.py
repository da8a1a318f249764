"""State that a datapath keeps from one repetition to the next: an output that comes back as an input."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hwmodel.datapath.derive import Derived

Kept = frozenset[tuple[str, str]]  # (output, input) of delays, as recurrences of a datapath are called
Early = frozenset[tuple[str, tuple[tuple[int, int], ...]]]  # outputs with elements (by place) and cycles of each


@dataclass(frozen=True, slots=True)
class State:
    """An element that is kept: the output's node, and the cycle in which it is on the wire that a register takes.

    It holds the element from the next cycle on, until the next repetition puts its own there.
    """

    node: int
    cycle: int


def states_of(derived: Derived, kept: Kept) -> Mapping[int, State]:
    """By the node of the input's element, of all that is read of it.

    Raises ValueError for a pair that is none of the datapath's recurrences, or two of one input.
    """
    graph, states = derived.priced.dataflow.graph, {}
    if not kept <= derived.recurrence.keys() or len({port for _, port in kept}) < len(kept):
        raise ValueError(kept)
    for output, port in kept:
        ends = derived.folded.ends.finished[output].tolist()
        for node, source, end in zip(graph.inputs[port], graph.outputs[output], ends, strict=True):
            if node >= 0:
                states[node] = State(source, end - 1)
    return states
