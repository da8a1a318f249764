"""Points and boxes of integers, from isl and to it."""

from __future__ import annotations

from collections.abc import Sequence

import islpy as isl

from arrayol.ir.spec import Shape

Point = tuple[int, ...]


def coordinates(point: isl.Point) -> Point:
    """A point of isl as plain integers."""
    rank = point.get_space().dim(isl.dim_type.set)
    return tuple(int(point.get_coordinate_val(isl.dim_type.set, axis).to_python()) for axis in range(rank))


def box(shape: Shape) -> isl.Set:
    """All indices of an array; an infinite dimension has no end."""
    names = [f"e{axis}" for axis in range(len(shape))]
    return isl.Set(f"{{ [{', '.join(names)}] : {' and '.join(box_conditions(names, shape)) or 'true'} }}")


def box_conditions(names: Sequence[str], shape: Shape) -> list[str]:
    """The bounds of each index, as isl's text."""
    return [
        f"0 <= {name}" if extent is None else f"0 <= {name} < {extent}"
        for name, extent in zip(names, shape, strict=True)
    ]
