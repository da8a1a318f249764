"""What a tiler touches, and whether anything of it lies outside its array: decided exactly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import islpy as isl

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
        """e(r, f), wrapped where the tiler says so."""
        return tuple(
            _wrapped(offset + _dot(paving, repetition) + _dot(fitting, index), extent if self.tiler.wrap else None)
            for offset, paving, fitting, extent in zip(
                self.tiler.origin, self.tiler.paving, self.tiler.fitting, self.array, strict=True
            )
        )


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

    With a delay only the repetitions r count whose r - delay lies outside the repetition space.
    """
    if delay is None:
        return _outside_of_box(access)
    for axis in _bounded_axes(access):
        for condition in _conditions_outside(access, axis):
            outside = _domain(access).intersect(_first_instances(access, delay)).intersect(_set(access, [condition]))
            if not outside.is_empty():
                point = coordinates(outside.sample_point())
                return _outside(access, axis, point)
    return None


def _outside_of_box(access: Access) -> Outside | None:
    """By the least and greatest value of each coordinate, which the corners of the space take."""
    for axis in _bounded_axes(access):
        for upwards in (False, True):
            corner = _corner(access, axis, upwards)
            value = access.tiler.origin[axis] + _dot(coefficients(access, axis), corner)
            extent = access.array[axis]
            if value < 0 or (extent is not None and value >= extent):
                return _outside(access, axis, corner)
    return None


def _corner(access: Access, axis: int, upwards: bool) -> list[int]:
    """The instance with the least or greatest coordinate; along an infinite dimension the first that leaves, if any."""
    extents = (*access.repetition, *access.pattern)
    factors = coefficients(access, axis)
    grows = [factor > 0 if upwards else factor < 0 for factor in factors]
    corner = [extent - 1 if grow and extent else 0 for grow, extent in zip(grows, extents, strict=True)]
    value, limit = access.tiler.origin[axis] + _dot(factors, corner), access.array[axis]
    endless = [place for place, grow in enumerate(grows) if grow and extents[place] is None]
    if endless and not upwards and value >= 0:
        corner[endless[0]] = value // -factors[endless[0]] + 1
    elif endless and upwards and limit is not None and value < limit:
        corner[endless[0]] = -((value - limit) // factors[endless[0]])
    return corner


def coefficients(access: Access, axis: int) -> tuple[int, ...]:
    """The factors of repetition and pattern indices along an axis of the array."""
    return (*access.tiler.paving[axis], *access.tiler.fitting[axis])


def _bounded_axes(access: Access) -> list[int]:
    return [axis for axis, extent in enumerate(access.array) if extent is None or not access.tiler.wrap]


def _outside(access: Access, axis: int, corner: Sequence[int]) -> Outside:
    rank = len(access.repetition)
    instance = Instance(0, tuple(corner[:rank]), tuple(corner[rank:]))
    return Outside(access.element(instance.repetition, instance.pattern), axis, instance)


def relation(access: Access) -> isl.Map:
    """The access as a relation from [r, f] to elements."""
    names = _names(access)
    elements = [f"e{axis}" for axis in range(len(access.array))]
    equations = [f"{name} = {_coordinate(access, axis)}" for axis, name in enumerate(elements)]
    conditions = " and ".join([*box_conditions(names, (*access.repetition, *access.pattern)), *equations])
    return isl.Map(f"{{ [{', '.join(names)}] -> [{', '.join(elements)}] : {conditions or 'true'} }}")


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
    coordinate, extent = _coordinate(access, axis), access.array[axis]
    return [f"{coordinate} < 0"] + ([f"{coordinate} >= {extent}"] if extent is not None else [])


def _set(access: Access, conditions: list[str]) -> isl.Set:
    return isl.Set(f"{{ [{', '.join(_names(access))}] : {' and '.join(conditions) or 'true'} }}")


def _wrapped(value: int, extent: int | None) -> int:
    return value if extent is None else value % extent


def _dot(left: Sequence[int], right: Sequence[int]) -> int:
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
