"""What a tiler touches, and whether anything of it lies outside its array: decided exactly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import islpy as isl

from arrayol.ir.borders import FAR
from arrayol.ir.spec import IntMatrix, Shape, Tiler
from arrayol.polyhedral.isl import Point, box_conditions, coordinates


@dataclass(frozen=True, slots=True)
class Access:
    """The elements of an array that the instances of a repetition touch through a tiler: (r, f) -> e(r, f)."""

    tiler: Tiler
    repetition: Shape
    pattern: Shape
    array: Shape

    def element(self, repetition: Sequence[int], index: Sequence[int]) -> Point:
        """e(r, f), wrapped where the tiler says so, or what its border has in its place.

        Beyond a border of a constant there is no element: the point then lies outside the array.
        """
        straight = self.coordinates(repetition, index)
        return tuple(_element(self.tiler, value, extent) for value, extent in zip(straight, self.array, strict=True))

    def coordinates(self, repetition: Sequence[int], index: Sequence[int]) -> Point:
        """e(r, f) before any wrap or border."""
        rows = zip(self.tiler.origin, self.tiler.paving, self.tiler.fitting, strict=True)
        return tuple(offset + dot(paving, repetition) + dot(fitting, index) for offset, paving, fitting in rows)


@dataclass(frozen=True, slots=True)
class Instance:
    """One access: which of several tilers, its repetition r and its pattern index f."""

    access: int
    repetition: Point
    pattern: Point


@dataclass(frozen=True, slots=True)
class Outside:
    """An instance whose element lies outside its array along `axis`."""

    element: Point
    axis: int
    instance: Instance


def find_outside(access: Access, delay: Sequence[int] | None = None) -> Outside | None:
    """An instance that leaves its array, or None; with `wrap` only infinite axes can be left.

    With a border an instance leaves where it reads farther out than the border goes.

    With a delay only the repetitions r count whose r - delay lies outside the repetition space.
    """
    if delay is None:
        return _outside_of_box(access)
    for axis in range(len(access.array)):
        for condition in _conditions_outside(access, axis):
            outside = _domain(access).intersect(_first_instances(access, delay)).intersect(_set(access, [condition]))
            if not outside.is_empty():
                point = coordinates(outside.sample_point())
                return _outside(access, axis, point)
    return None


def _outside_of_box(access: Access) -> Outside | None:
    """By the least and greatest value of each coordinate, which the corners of the space take."""
    axes = (_outside_along(access, axis) for axis in range(len(access.array)))
    return next((outside for outside in axes if outside is not None), None)


def _outside_along(access: Access, axis: int) -> Outside | None:
    least, most = _limits(access, axis)
    for upwards in (False, True):
        corner = _corner(access, axis, upwards)
        value = access.tiler.origin[axis] + dot(coefficients(access, axis), corner)
        if (least is not None and value < least) or (most is not None and value > most):
            return _outside(access, axis, corner)
    return None


def acting_axes(access: Access) -> tuple[int, ...]:
    """The axes beyond whose ends a tiler with a border reads; none without a border."""
    if access.tiler.border is None:
        return ()
    inside = replace(access, tiler=replace(access.tiler, border=None))
    axes = (axis for axis, extent in enumerate(access.array) if extent is not None)
    return tuple(axis for axis in axes if _outside_along(inside, axis) is not None)


def _corner(access: Access, axis: int, upwards: bool) -> list[int]:
    """The instance with the least or greatest coordinate; along an infinite dimension the first that leaves, if any."""
    extents = (*access.repetition, *access.pattern)
    factors = coefficients(access, axis)
    grows = [factor > 0 if upwards else factor < 0 for factor in factors]
    corner = [extent - 1 if grow and extent else 0 for grow, extent in zip(grows, extents, strict=True)]
    value, (least, most) = access.tiler.origin[axis] + dot(factors, corner), _limits(access, axis)
    endless = [place for place, grow in enumerate(grows) if grow and extents[place] is None]
    if endless and most == FAR:
        corner[endless[0]] = _FRAMES
    elif endless and not upwards and least is not None and value >= least:
        corner[endless[0]] = (value - least) // -factors[endless[0]] + 1
    elif endless and upwards and most is not None and value <= most:
        corner[endless[0]] = -((value - most - 1) // factors[endless[0]])
    return corner


_FRAMES = 1 << 31  # along an axis that a border continues without end


def coefficients(access: Access, axis: int) -> tuple[int, ...]:
    """The factors of repetition and pattern indices along an axis of the array."""
    return (*access.tiler.paving[axis], *access.tiler.fitting[axis])


def _limits(access: Access, axis: int) -> tuple[int | None, int | None]:
    """The least and greatest coordinate that may be touched along an axis; None where nothing limits it."""
    extent, border = access.array[axis], access.tiler.border
    if extent is None:
        return 0, None
    if access.tiler.wrap:
        return None, None
    return (0, extent - 1) if border is None else border.limits(extent)


def _outside(access: Access, axis: int, corner: Sequence[int]) -> Outside:
    rank = len(access.repetition)
    instance = Instance(0, tuple(corner[:rank]), tuple(corner[rank:]))
    if access.tiler.wrap:
        return Outside(access.element(instance.repetition, instance.pattern), axis, instance)
    return Outside(access.coordinates(instance.repetition, instance.pattern), axis, instance)


def relation(access: Access) -> isl.Map:
    """The access as a relation from [r, f] to elements."""
    names = _names(access)
    elements = [f"e{axis}" for axis in range(len(access.array))]
    equations = [_equation(access, axis, name) for axis, name in enumerate(elements)]
    conditions = " and ".join([*box_conditions(names, (*access.repetition, *access.pattern)), *equations])
    return isl.Map(f"{{ [{', '.join(names)}] -> [{', '.join(elements)}] : {conditions or 'true'} }}")


def _equation(access: Access, axis: int, name: str) -> str:
    border, extent = access.tiler.border, access.array[axis]
    if border is None or extent is None:
        return f"{name} = {_coordinate(access, axis)}"
    return border.cases(name, f"({_coordinate(access, axis)})", str(extent))


def _coordinate(access: Access, axis: int) -> str:
    tiler = access.tiler
    terms = zip(coefficients(access, axis), _names(access), strict=True)
    expression = " + ".join([str(tiler.origin[axis]), *(f"{factor} * {name}" for factor, name in terms if factor)])
    extent = access.array[axis]
    return f"({expression}) mod {extent}" if tiler.wrap and extent is not None else expression


def _names(access: Access) -> list[str]:
    return [f"i{place}" for place in range(len(access.repetition) + len(access.pattern))]


def _domain(access: Access) -> isl.Set:
    return _set(access, box_conditions(_names(access), (*access.repetition, *access.pattern)))


def _first_instances(access: Access, delay: Sequence[int]) -> isl.Set:
    """Repetitions r for which r - delay lies outside the repetition space."""
    conditions = []
    for name, step, extent in zip(_names(access), delay, access.repetition, strict=False):
        conditions.append(f"{name} - {step} < 0")
        if extent is not None:
            conditions.append(f"{name} - {step} >= {extent}")
    return _set(access, [f"({' or '.join(conditions)})"])


def _conditions_outside(access: Access, axis: int) -> list[str]:
    coordinate, (least, most) = _coordinate(access, axis), _limits(access, axis)
    below = [] if least is None else [f"{coordinate} < {least}"]
    return below + ([] if most is None else [f"{coordinate} > {most}"])


def _set(access: Access, conditions: list[str]) -> isl.Set:
    return isl.Set(f"{{ [{', '.join(_names(access))}] : {' and '.join(conditions) or 'true'} }}")


def _element(tiler: Tiler, value: int, extent: int | None) -> int:
    if extent is None:
        return value
    if tiler.border is not None:
        return tiler.border.element(value, extent)
    return value % extent if tiler.wrap else value


def dot(left: Sequence[int], right: Sequence[int]) -> int:
    """The inner product of two vectors."""
    return sum(factor * value for factor, value in zip(left, right, strict=True))


# Small exact questions about integer vectors: which combination of columns is a vector, and where a block begins.

Vector = tuple[int, ...]


def least_combination(
    matrix: IntMatrix, target: Sequence[int], *, fixed: Sequence[int] = (), periods: Shape = ()
) -> Vector | None:
    """The integers x with matrix x = target of least sum |x|, or None. Columns in `fixed` get 0.

    With `periods` row k needs to hold only modulo periods[k], where that is not None.
    """
    count = len(matrix[0]) if matrix else 0
    names, sizes = [f"x{place}" for place in range(count)], [f"a{place}" for place in range(count)]
    quotients = [f"q{row}" for row in range(len(periods))]
    conditions = [f"total = {' + '.join(sizes) or '0'}"]
    conditions += [f"-{size} <= {name} <= {size}" for name, size in zip(names, sizes, strict=True)]
    conditions += [f"{names[place]} = 0" for place in fixed]
    for row, (factors, wanted) in enumerate(zip(matrix, target, strict=True)):
        period = periods[row] if periods else None
        turn = "0" if period is None else f"{period} * q{row}"
        conditions.append(f"{combination(factors, names)} = {wanted} + {turn}")
    around = f"exists {', '.join(quotients)} : " if quotients else ""
    least = isl.Set(f"{{ [{', '.join(['total', *sizes, *names])}] : {around}{' and '.join(conditions)} }}").lexmin()
    return None if least.is_empty() else coordinates(least.sample_point())[1 + count :]


def combination(factors: Sequence[int], names: Sequence[str]) -> str:
    """A sum of products as isl's text."""
    return " + ".join(f"{factor} * {name}" for factor, name in zip(factors, names, strict=True) if factor) or "0"
