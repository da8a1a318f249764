"""Exits of a task cut in blocks: which places of which blocks write.

With r = b R + g the repetition r + d leaves the space where block R + m leaves the space of the blocks and, for a
distance shorter than a block, place g + d leaves the block. Scaling d otherwise would let other repetitions write.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from arrayol.ir.exits import always_writes, exit_boxes, from_place
from arrayol.ir.spec import Link, Shape
from arrayol.transforms.blocks.block import Blocks, Split, Vector, added, diagonal, split_tiler
from arrayol.transforms.rewrite import refused, shown


@dataclass(frozen=True, slots=True)
class CutExit:
    """An output's share of a block: the exit among the blocks, the one among the places of each, and the tilers."""

    outer: Vector | None
    inner: Vector | None
    split: Split


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
    if blocks.paving != diagonal(sizes) or any(step != 1 for step in blocks.stride) or any(blocks.origin):
        message = f"the exit {list(vector)} of '{link.port}' is not kept by blocks that do not stand side by side"
        raise refused(message, link.span, "tile the task first, with the exit's dimension whole")
    moving = [axis for axis, step in enumerate(vector) if step]
    if all(vector[axis] % sizes[axis] == 0 for axis in moving):
        return tuple(abs(step) // size * _sign(step) for step, size in zip(vector, sizes, strict=True)), None
    if len(moving) == 1 and abs(vector[moving[0]]) <= sizes[moving[0]]:
        return tuple(map(_sign, vector)), vector
    reason = (
        "it goes along several dimensions" if len(moving) > 1 else "it is longer than a block and no multiple of it"
    )
    message = (
        f"the exit {list(vector)} of '{link.port}' is not kept by blocks of {shown(sizes)}: {reason}, so other "
        "repetitions would write"
    )
    divisors = [abs(step) if step else size for step, size in zip(vector, sizes, strict=True)]
    raise refused(message, link.span, f"take blocks that divide the exit, as {shown(divisors)}")


def _sign(step: int) -> int:
    return (step > 0) - (step < 0)
