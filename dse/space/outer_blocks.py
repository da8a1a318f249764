"""Blocks that come of others: those with a neighbouring side, and blocks of blocks.

In blocks of blocks, what a block holds is walked in smaller blocks, with one loop more. Along a dimension with which
one array from outside moves and another does not, the smaller blocks need less of the first at a time, while the second
stays. So less memory is enough for the same traffic; what is kept of an array that moves for each block is kept for
each smaller one.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from dse.space.mappings import MappingSpace, Shape
from dse.space.rates import ladder
from hwmodel.design import Blocks, GroupDesign, Scan, with_keeps

RATIO = 4.0  # between the sides that are tried; those between are found from these


def may_gain(space: MappingSpace) -> bool:
    """Whether smaller blocks inside others may gain, in some group; not where the study says what to try."""
    arrays = space.accesses.network.arrays
    return space.study.outer_blocks is None and any(_gaining(space, task, arrays) for task in space.graph.names)


def in_smaller_blocks(space: MappingSpace, structure: GroupDesign) -> Iterator[GroupDesign]:
    """A structure with one dimension of its blocks walked in smaller blocks, as the innermost loop."""
    blocks, last = structure.blocks, structure.tasks[-1]
    if blocks.outer or space.study.outer_blocks is not None:
        return
    loaded, loops = space.loaded(structure.tasks), len(blocks.scan.dimensions)
    extents = space.accesses.extents(last)
    moving = moving_of(space, last, loaded)
    for dimension in _gaining(space, last, loaded):
        whole = blocks.shape[dimension]
        if dimension == blocks.scan.dimensions[-1] or whole < RATIO or extents[dimension] % whole:
            continue  # outer blocks that divide an extent are soon priced
        descending = blocks.scan.descending[blocks.scan.dimensions.index(dimension)]
        scan = Scan((*blocks.scan.dimensions, dimension), (*blocks.scan.descending, descending))
        keeps = {}
        for array in loaded:
            keep = structure.keep_of(array)
            stays = array in moving and dimension not in moving[array]
            keeps[array] = replace(keep, level=loops + 1) if keep.level == loops and not stays else keep
        for side in ladder(whole, RATIO)[:-1]:
            shape = (*blocks.shape[:dimension], side, *blocks.shape[dimension + 1 :])
            smaller = Blocks(shape, scan, blocks.shape)
            if space.model.is_legal(last, smaller):
                yield with_keeps(replace(structure, policy="reuse", schedule=smaller), keeps)


def _gaining(space: MappingSpace, task: str, arrays: Collection[str]) -> list[int]:
    """The dimensions that move one of the arrays that a task reads and leave another where it is, which others move."""
    moving = [own for own in moving_of(space, task, arrays).values() if own]
    dimensions = range(len(space.accesses.extents(task)))
    return [at for at in dimensions if 0 < sum(at in own for own in moving) < len(moving)]


def moving_of(space: MappingSpace, task: str, arrays: Collection[str]) -> dict[str, frozenset[int]]:
    """For each array that a task reads, but for resident ones, the dimensions that move what it reads."""
    found = dict[str, frozenset[int]]()
    dimensions = range(len(space.accesses.extents(task)))
    for touch in space.accesses.reads[task]:
        if touch.array in arrays and not space.accesses.is_resident(touch.array):
            own = frozenset(at for at in dimensions if any(row[at] for row in touch.tiler.paving))
            found[touch.array] = found.get(touch.array, frozenset()) | own
    return found


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
