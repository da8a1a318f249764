"""Remarks for users on streaming groups that are legal, but make much of an array wait."""

from __future__ import annotations

from collections.abc import Iterator

from hwmodel.accesses import Accesses, Touch
from hwmodel.stream.nodes import StreamGroup
from hwmodel.streamed import StreamedGroup


def remarks_of(group: StreamGroup, streamed: StreamedGroup) -> Iterator[str]:
    """A sentence for each task that wraps, and for which more than half of an array has to wait."""
    for node in group.nodes.values():
        for touch in node.writes:
            chains = (
                one for one in streamed.chains if (one.node, one.port, one.kept) == (node.name, touch.port, False)
            )
            words = sum(chain.words for chain in chains)
            if 2 * words > group.accesses.size(touch.array):
                for reader, read in _wrapping(group, touch.array):
                    axis = _wrapped(group.accesses, read, group.nodes[reader].extents)
                    if axis is not None:
                        what = "row" if axis == 0 else "column" if axis == 1 else f"index of axis {axis}"
                        yield f"'{reader}' wraps: it waits for the last {what} before its first ({words:,} words)"


def _wrapping(group: StreamGroup, array: str) -> Iterator[tuple[str, Touch]]:
    for node in group.nodes.values():
        for touch in node.reads:
            if touch.array == array and touch.tiler.wrap:
                yield node.name, touch


def _wrapped(accesses: Accesses, touch: Touch, extents: tuple[int, ...]) -> int | None:
    """The axis along which a tiler reads before the first index."""
    for axis in range(len(accesses.shape(touch.array))):
        steps = zip((*touch.tiler.paving[axis], *touch.tiler.fitting[axis]), (*extents, *touch.pattern), strict=True)
        if touch.tiler.origin[axis] + sum(min(0, step * (extent - 1)) for step, extent in steps) < 0:
            return axis
    return None
