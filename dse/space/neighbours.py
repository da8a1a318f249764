"""Block shapes that differ from another one in one side, by one step."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence

from dse.space.mappings import MappingSpace, Shape


def neighbouring_shapes(
    space: MappingSpace, task: str, shape: Shape, sides: Callable[[int], Sequence[int]]
) -> Iterator[Shape]:
    """The shapes before and after one in the list of a study, or with the next smaller or larger side in one dimension.

    `sides` gives those along an extent, ascending; the shape's sides need not be among them.
    """
    blocks = space.study.blocks
    if isinstance(blocks, Mapping) and task in blocks:
        yield from _before_and_after(space.shapes(task), shape)
        return
    for axis, extent in enumerate(space.accesses.extents(task)):
        for (side,) in _before_and_after([(side,) for side in sides(extent)], shape[axis : axis + 1]):
            yield (*shape[:axis], side, *shape[axis + 1 :])


def _before_and_after(items: Sequence[Shape], item: Shape) -> Sequence[Shape]:
    """The items before and after one in an ascending list, which may hold it."""
    before, after = bisect_left(items, item), bisect_right(items, item)
    return (*items[max(0, before - 1) : before], *items[after : after + 1])
