"""Exits of a task cut in blocks: which places of which blocks write.

With r = b R + g the repetition r + d leaves the space where block R + m leaves the space of the blocks and, for a
distance shorter than a block, place g + d leaves the block. Scaling d otherwise would let other repetitions write.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from arrayol.ir.exits import always_writes, exit_boxes, from_place
from arrayol.ir.spec import Delay, Link, Shape
from arrayol.transforms.blocks.block import Blocks, TilerSplit, Vector, added, split_tiler
from arrayol.transforms.rewrite import nearest_sizes, refused, shown


@dataclass(frozen=True, slots=True)
class CutExit:
    """An output's share of a block: the exit among the blocks, the one among the places of each, and the tilers."""

    outer: Vector | None
    inner: Vector | None
    split: TilerSplit


def cut_exit(link: Link, pattern: Shape, blocks: Blocks) -> CutExit:
    """Raises ArrayolError (`step-refused`) where no exits of blocks and of places are that of the whole."""
    if link.exit is None:
        return CutExit(None, None, split_tiler(link.tiler, pattern, blocks))
    outer, inner = _distances(link, link.exit, blocks)
    among_blocks = None if always_writes(outer, blocks.outer) else outer
    if inner is None or always_writes(inner, blocks.extents):
        return CutExit(among_blocks, None, split_tiler(link.tiler, pattern, blocks))
    ((low, extents),) = exit_boxes(inner, blocks.extents)
    leaving = replace(blocks, origin=added(blocks.origin, low), extents=tuple(extent or 0 for extent in extents))
    # Where one place of several leaves, its tiler still tells how blocks and places go on: collapse joins them by it.
    moving = any(row[axis] for row in link.tiler.paving for axis, size in enumerate(blocks.extents) if size > 1)
    split = split_tiler(link.tiler, pattern, leaving, moving=moving)
    back = from_place(split.inner, tuple(-place for place in low))
    return CutExit(among_blocks, inner, replace(split, inner=back))


def _distances(link: Link, vector: Vector, blocks: Blocks) -> tuple[Vector, Vector | None]:
    """The exit among the blocks and that among the places, None where every place writes."""
    sizes = blocks.extents
    if not blocks.side_by_side:
        message = f"the exit {list(vector)} of '{link.port}' is not kept by blocks that do not stand side by side"
        raise refused(message, link.span, "tile the task first, with the exit's dimension whole")
    if _by_whole_blocks(vector, sizes):
        return tuple(abs(step) // size * _sign(step) for step, size in zip(vector, sizes, strict=True)), None
    if _by_places(vector, sizes):
        return tuple(map(_sign, vector)), vector
    several = sum(map(bool, vector)) > 1
    reason = "it goes along several dimensions" if several else "it is longer than a block and no multiple of it"
    message = (
        f"the exit {list(vector)} of '{link.port}' is not kept by blocks of {shown(sizes)}: {reason}, so other "
        "repetitions would write"
    )
    options = nearest_sizes(
        sizes, blocks.space, lambda other: _by_whole_blocks(vector, other) or _by_places(vector, other)
    )
    raise refused(message, link.span, f"the nearest sizes that keep it: {' or '.join(map(shown, options))}")


def keeps_exit(blocks: Blocks, vector: Vector) -> bool:
    """Whether some exits of blocks and of places let the same repetitions write as this one of the whole."""
    sizes = blocks.extents
    return blocks.side_by_side and (_by_whole_blocks(vector, sizes) or _by_places(vector, sizes))


def _by_whole_blocks(vector: Vector, sizes: Vector) -> bool:
    return all(step % size == 0 for step, size in zip(vector, sizes, strict=True))


def _by_places(vector: Vector, sizes: Vector) -> bool:
    moving = [axis for axis, step in enumerate(vector) if step]
    return len(moving) == 1 and abs(vector[moving[0]]) <= sizes[moving[0]]


def _sign(step: int) -> int:
    return (step > 0) - (step < 0)


# The state of a block, of which only the places that leave it are handed on.


def leaving_places(vector: Vector | None, extents: Vector) -> tuple[Vector, Vector]:
    """The places of a block that leave it by an exit along one dimension: the first, and how many; else all."""
    low, high = [0] * len(extents), list(extents)
    for axis, step in enumerate(vector or ()):
        if step:
            low[axis], high[axis] = (extents[axis] - step if step > 0 else 0), abs(step)
    return tuple(low), tuple(high)


def exits_of_states(delays: Sequence[Delay], blocks: Blocks) -> dict[str, Vector | None]:
    """By output the exit by which a block's state leaves it; None where all places hand on theirs.

    Only the last places of the chains have what the next block needs, where blocks stand side by side and one delay
    crosses them along one dimension, from each block to the next. Only then has the space of the blocks the dimensions
    of the repetitions; that of a fusion has those of the consumer.
    """
    exits: dict[str, Vector | None] = {}
    if not blocks.side_by_side:
        return exits
    for delay in delays:
        sides = zip(delay.vector, blocks.outer, strict=True)
        if not delay.acts or all(not step or extent == 1 for step, extent in sides):
            continue
        moving = [axis for axis, step in enumerate(delay.vector) if step]
        near = len(moving) == 1 and abs(delay.vector[moving[0]]) < blocks.extents[moving[0]]
        vector = delay.vector if near else None
        exits[delay.output] = vector if exits.get(delay.output, vector) == vector else None
    return exits
