"""Parts of arrays: parts of parts, and the tilers that say of whole arrays what others say of parts."""

from __future__ import annotations

from dataclasses import dataclass, replace

from arrayol.errors import error
from arrayol.ir.intervals import reached
from arrayol.ir.spec import Part, Shape, Tiler


@dataclass(frozen=True, slots=True)
class View:
    """All of an array, or a part of it, as a port of a component sees it."""

    array: str
    shape: Shape  # of the array
    part: Part | None = None

    def sub_view(self, part: Part | None) -> View:
        """What a part of this view is of the array."""
        if part is None or self.part is None:
            return replace(self, part=part or self.part)
        inner = iter(zip(part.origin, part.step, part.extents, part.kept, strict=True))
        whole = zip(self.part.origin, self.part.step, self.part.kept, strict=True)
        taken = [_moved(origin, step, *next(inner)) if kept else (origin, 1, 1, False) for origin, step, kept in whole]
        first, step, extents, kept = zip(*taken, strict=True)
        return replace(self, part=Part(first, step, extents, kept, part.span))

    def tiler(self, tiler: Tiler, repetition: Shape, pattern: Shape) -> Tiler:
        """The tiler of the array that touches what `tiler` touches of the part.

        Raises ArrayolError (`wraps-in-part`, `border-in-part`) where it wraps, or has a border, at ends of the part
        that are none of the array.
        """
        part = self.part
        if part is None:
            return tiler
        if tiler.wrap or tiler.border:
            _require_own_ends(self, tiler, (*repetition, *pattern))
        rows = iter(zip(tiler.origin, tiler.paving, tiler.fitting, strict=True))
        nothing = (0, (0,) * len(repetition), (0,) * len(pattern))
        moved = [
            _scaled(origin, step, *(next(rows) if kept else nothing))
            for origin, step, kept in zip(part.origin, part.step, part.kept, strict=True)
        ]
        origin, paving, fitting = zip(*moved, strict=True)
        return Tiler(origin, paving, fitting, tiler.wrap, tiler.span, tiler.border)


def _moved(
    origin: int, step: int, first: int, inner: int, extent: int | None, kept: bool
) -> tuple[int, int, int | None, bool]:
    return origin + step * first, step * inner, extent, kept


def _scaled(
    first: int, step: int, origin: int, paving: tuple[int, ...], fitting: tuple[int, ...]
) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
    paving, fitting = (tuple(step * factor for factor in row) for row in (paving, fitting))
    return first + step * origin, paving, fitting


def _require_own_ends(view: View, tiler: Tiler, extents: Shape) -> None:
    part = view.part
    assert part is not None, "only parts have ends of their own"
    kept = [axis for axis, stays in enumerate(part.kept) if stays]
    for axis, origin, paving, fitting in zip(kept, tiler.origin, tiler.paving, tiler.fitting, strict=True):
        extent = part.extents[axis]
        if extent is None or extent == view.shape[axis]:
            continue
        moves = zip((*paving, *fitting), extents, strict=True)
        low, high = reached(origin, (factor * ((length or 1) - 1) for factor, length in moves))
        if (
            low < 0
            or high >= extent
            or any(length is None and factor for factor, length in zip((*paving, *fitting), extents, strict=True))
        ):
            where = f"at the ends of a part of '{view.array}', which only `run` and C can follow"
            hint = "let a task copy the part into a separate array, and read that"
            if tiler.border:
                raise error("border-in-part", f"the border of this link acts {where}", tiler.span, hint=hint)
            raise error("wraps-in-part", f"this tiler wraps {where}", tiler.span, hint=hint)
