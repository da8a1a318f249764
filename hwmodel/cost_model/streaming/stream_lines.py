"""The lines that the nodes of a streaming group pass, over pulses, for pictures of a design."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product, takewhile

from hwmodel.stream.model import last_firing
from hwmodel.streamed import Firing, StreamedGroup

AFTER = 3  # lines that are shown after the last start,
LINES = 24  # and all lines at most: of more each node has one bar


@dataclass(frozen=True, slots=True)
class LinesOfNode:
    """How many lines a node passes in a frame, and the pulses of those shown: the first, and behind the last one.

    `whole` where what is shown is not the first lines but the frame from end to end.
    """

    node: str
    lines: int
    shown: tuple[tuple[int, int], ...]
    whole: bool


def lines_of_nodes(streamed: StreamedGroup) -> tuple[LinesOfNode, ...]:
    """The first lines of each node: up to a few after the last start; of late starts the whole frame."""
    until = max(own.firing.start for own in streamed.nodes.values()) + AFTER * streamed.line
    whole = until > LINES * streamed.line
    found = []
    for node in streamed.nodes.values():
        begins, length = _begins(node.firing, streamed.line), _length(node.firing, streamed.line)
        shown = [(begin, begin + length) for begin in takewhile(until.__gt__, begins)] if not whole else []
        bars = shown or [(node.firing.start, last_firing(node.firing) + node.firing.interval)]
        found.append(LinesOfNode(node.name, _lines(node.firing, streamed.line), tuple(bars), whole))
    return tuple(found)


def _outer(firing: Firing, line: int) -> list[tuple[int, int]]:
    """Strides and extents of the dimensions that go from line to line, the outermost first.

    Units that fire together share one within a line, also where a line takes a pulse, as long as its stride.
    """
    dimensions = enumerate(zip(firing.strides, firing.extents, strict=True))
    outer = [(own, extent) for at, (own, extent) in dimensions if own >= line and at != firing.shared]
    return sorted(outer, reverse=True)


def _lines(firing: Firing, line: int) -> int:
    count = 1
    for _, extent in _outer(firing, line):
        count *= extent
    return count


def _begins(firing: Firing, line: int) -> Iterator[int]:
    """The pulses in which lines begin, ascending."""
    outer = _outer(firing, line)
    for indices in product(*(range(extent) for _, extent in outer)):
        yield firing.start + sum(index * stride for index, (stride, _) in zip(indices, outer, strict=True))


def _length(firing: Firing, line: int) -> int:
    """The pulses of a line, from its first firing until the unit that fires last takes the next one."""
    length = firing.interval
    for at, (stride, extent) in enumerate(zip(firing.strides, firing.extents, strict=True)):
        if stride < line:
            length += ((extent - 1) // firing.units if at == firing.shared else extent - 1) * stride
    return length
