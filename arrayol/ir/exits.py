"""Exits: which instances write. Those r for which r + d lies outside the repetition space, as a few disjoint boxes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from arrayol.ir.spec import Link, Shape, Tiler


@dataclass(frozen=True, slots=True)
class ExitBox:
    """A box of the repetition space: the instances low + x for x in `extents`; `tiler` is that of the x."""

    low: tuple[int, ...]
    extents: Shape
    tiler: Tiler

    def instance(self, x: Sequence[int]) -> tuple[int, ...]:
        """The index in the whole space of an index in the box."""
        return tuple(start + place for start, place in zip(self.low, x, strict=True))


def writing_parts(link: Link, space: Shape) -> tuple[ExitBox, ...]:
    """The boxes whose instances write through an output link, each instance in one: all, or those of its exit."""
    if link.exit is None:
        return (ExitBox((0,) * len(space), space, link.tiler),)
    return tuple(ExitBox(low, extents, from_place(link.tiler, low)) for low, extents in exit_boxes(link.exit, space))


def exit_boxes(vector: Sequence[int], space: Shape) -> Iterator[tuple[tuple[int, ...], Shape]]:
    """Where r + vector leaves the space: along one dimension, and inside it along those before.

    The vector is 0 along an infinite dimension.
    """
    low, extents = [0] * len(space), list(space)
    for axis, step in enumerate(vector):
        extent = space[axis]
        if not step or extent is None:
            continue
        length = min(abs(step), extent)
        start = extent - length if step > 0 else 0
        yield (*low[:axis], start, *low[axis + 1 :]), (*extents[:axis], length, *extents[axis + 1 :])
        if length == extent:
            return
        low[axis], extents[axis] = (0 if step > 0 else length), extent - length


def always_writes(vector: Sequence[int], space: Shape) -> bool:
    """Whether every instance leaves the space."""
    pairs = zip(vector, space, strict=True)
    return any(extent is not None and abs(step) >= extent for step, extent in pairs)


def writing_share(vector: Sequence[int] | None, space: Shape) -> Fraction:
    """The part of the instances that write; with no exit all of them."""
    stay = Fraction(1)
    for extent, step in zip(space, vector or (), strict=False):
        if extent is not None:
            stay *= Fraction(max(0, extent - abs(step)), extent)
    return Fraction(1) if vector is None else 1 - stay


def from_place(tiler: Tiler, low: Sequence[int]) -> Tiler:
    """The tiler of the repetitions from `low` on, counted from there."""
    origin = tuple(
        start + sum(factor * place for factor, place in zip(row, low, strict=True))
        for start, row in zip(tiler.origin, tiler.paving, strict=True)
    )
    return replace(tiler, origin=origin)
