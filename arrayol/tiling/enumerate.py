"""The points of finite sets as NumPy arrays, and so the tiles and instances of a nest in the order in which they run.

A set is scanned dimension by dimension, all points at once: prefixes of points grow by every value within the bounds of
the set's projection. Projections forget quotients (they hold more), so that no point is missed; in the end each row is
tested against the set itself, so that none is too many.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import islpy as isl
import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray, distinct_rows
from arrayol.errors import error
from arrayol.tiling.nest import TiledNest
from arrayol.tiling.relations import tile_of_time, union
from arrayol.tiling.tile import answered_in_time

MOST_NUMBERS = 40_000_000  # in one array: 320 MB
_LEAST, _MOST = np.iinfo(np.int64).min, np.iinfo(np.int64).max


class Rows(NamedTuple):
    """The pairs of a relation: row k of `domain` with row k of `image`."""

    domain: IntArray
    image: IntArray


def points(whole: isl.Set) -> IntArray:
    """All points of a finite set without parameters: shape (points, dimensions), lexicographic, none twice.

    Raises ArrayolError (`nest-too-large`) where they would not fit in memory.
    """
    return Scanned.of(whole).points(np.empty((1, 0), np.int64))


def rows(relation: isl.Map) -> Rows:
    """All pairs of a finite relation without parameters, lexicographic by domain, then by image; none twice.

    Raises ArrayolError (`nest-too-large`) as `points` does.
    """
    rank = relation.dim(isl.dim_type.in_)
    pairs = points(relation.wrap().flatten())
    return Rows(pairs[:, :rank], pairs[:, rank:])


@dataclass(frozen=True, slots=True)
class Constraints:
    """Rows of factors of (1, x, quotients): the sums are 0 where `equal`, else 0 or more.

    Quotient k is floor(quotients[k] . (1, x, earlier quotients) / divisors[k]).
    """

    equal: NDArray[np.bool_]
    factors: IntArray
    quotients: IntArray
    divisors: IntArray


@dataclass(frozen=True, slots=True)
class Scanned:
    """A finite set without parameters, ready to be scanned.

    For each of its conjunctions `parts` has the bounds of each dimension by those before it, and all constraints.
    """

    rank: int
    parts: tuple[tuple[tuple[Constraints, ...], Constraints], ...]

    @staticmethod
    def of(whole: isl.Set) -> Scanned:
        parts = [(_shadows(part), constraints(part)) for part in whole.compute_divs().get_basic_sets()]
        return Scanned(whole.dim(isl.dim_type.set), tuple(parts))

    def points(self, prefixes: IntArray) -> IntArray:
        """The points that begin with one of some prefixes, (n, prefix) and distinct; lexicographic, none twice."""
        found = [self._grown(prefixes, shadows, whole) for shadows, whole in self.parts]
        rows = np.concatenate(found) if found else np.empty((0, self.rank), np.int64)
        return distinct_rows(rows) if len(found) > 1 or not self.rank else rows

    def _grown(self, prefixes: IntArray, shadows: tuple[Constraints, ...], whole: Constraints) -> IntArray:
        """Grow prefixes by the bounds of their projections, then test what is left."""
        given = prefixes.shape[1]
        if given:
            prefixes = prefixes[_holds(prefixes, shadows[given - 1])]
        for shadow in shadows[given:]:
            if not len(prefixes):
                return np.empty((0, self.rank), np.int64)
            prefixes = _extended(prefixes, shadow)
        grown: IntArray = prefixes[_holds(prefixes, whole)]
        return grown


def _shadows(part: isl.BasicSet) -> tuple[Constraints, ...]:
    """The projections on the first dimensions, one for each number of them."""
    rank, outer = part.dim(isl.dim_type.set), part.remove_divs()
    shadows = (outer.project_out(isl.dim_type.set, axis + 1, rank - axis - 1) for axis in range(rank))
    return tuple(constraints(shadow.remove_divs()) for shadow in shadows)


def _extended(prefixes: IntArray, bounds: Constraints) -> IntArray:
    """Each prefix with every value that the next coordinate may take."""
    offsets = bounds.factors[:, :-1] @ np.column_stack([np.ones(len(prefixes), np.int64), prefixes]).T
    least = np.full(len(prefixes), _LEAST)
    most = np.full(len(prefixes), _MOST)
    for factor, offset, equal in zip(bounds.factors[:, -1], offsets, bounds.equal, strict=True):
        if factor > 0 or (equal and factor < 0):
            up, shift = (factor, offset) if factor > 0 else (-factor, -offset)
            least = np.maximum(least, -(shift // up))
        if factor < 0 or (equal and factor > 0):
            down, shift = (-factor, offset) if factor < 0 else (factor, -offset)
            most = np.minimum(most, shift // down)
    if len(prefixes) and (least.min() == _LEAST or most.max() == _MOST):
        raise ValueError("the set has no end")
    counts = np.maximum(most - least + 1, 0)
    if int(counts.sum()) * (prefixes.shape[1] + 1) > MOST_NUMBERS:
        hint = "set smaller sizes with --set, or keep them symbolic with --symbolic"
        raise error("nest-too-large", "the nest is too large to be walked element by element", hint=hint)
    first = np.repeat(np.cumsum(counts) - counts, counts)
    values = np.repeat(least, counts) + np.arange(int(counts.sum())) - first
    return np.column_stack([np.repeat(prefixes, counts, axis=0), values])


def _holds(points: IntArray, bounds: Constraints) -> NDArray[np.bool_]:
    columns = [np.ones(len(points), np.int64), *points.T]
    for factors, divisor in zip(bounds.quotients, bounds.divisors, strict=True):
        columns.append(factors[: len(columns)] @ np.array(columns) // divisor)
    values = bounds.factors @ np.array(columns)
    good: NDArray[np.bool_] = np.all(np.where(bounds.equal[:, None], values == 0, values >= 0), axis=0)
    return good


def constraints(part: isl.BasicSet) -> Constraints:
    """The constraints of a conjunction without parameters whose quotients are known."""
    inner = range(part.dim(isl.dim_type.div))
    held = part.get_constraints()
    divisors = [_integer(part.get_div(place).get_denominator_val()) for place in inner]
    quotients = [part.get_div(place).scale_val(isl.Val(divisors[place])) for place in inner]
    width = 1 + part.dim(isl.dim_type.set) + len(inner)
    return Constraints(
        np.array([constraint.is_equality() for constraint in held], bool),
        np.array([_factors(own, isl.dim_type.set) for own in held], np.int64).reshape(-1, width),
        np.array([_factors(own, isl.dim_type.in_) for own in quotients], np.int64).reshape(-1, width),
        np.array(divisors, np.int64),
    )


def _factors(form: isl.Constraint | isl.Aff, kind: isl.dim_type) -> list[int]:
    """The factors of (1, x, quotients), where `kind` is that of the dimensions x."""
    places = [(each, place) for each in (kind, isl.dim_type.div) for place in range(form.dim(each))]
    factors = (form.get_coefficient_val(each, place) for each, place in places)
    return [_integer(value) for value in (form.get_constant_val(), *factors)]


def _integer(value: isl.Val) -> int:
    return int(value.to_python())


# Tiles and instances of a nest without symbols.


@dataclass(frozen=True, slots=True)
class Iterations:
    """Every instance of a nest, row by row in the order of execution.

    `tile` and `time` have a column for each schedule dimension, `statement` gives places in `nest.statements`,
    `instance` the values of the range variables, padded with zeros up to those of the deepest statement.
    """

    tile: IntArray
    time: IntArray
    statement: IntArray
    instance: IntArray


def tile_set(nest: TiledNest) -> isl.Set:
    """The tiles in which an instance runs. Raises ArrayolError (`nest-too-hard`)."""
    with answered_in_time(nest.name):
        times = [statement.domain.apply(statement.schedule) for statement in nest.statements]
        return union(times).apply(tile_of_time(nest)).coalesce()


def tiles(nest: TiledNest) -> IntArray:
    """The tiles in which an instance runs, in the order of execution: shape (tiles, schedule dimensions)."""
    return points(tile_set(nest))


def strips(nest: TiledNest) -> list[IntArray]:
    """The tiles of each strip, strips and tiles in the order of execution."""
    ordered = tiles(nest)
    outer = ordered[:, : nest.depth - nest.strip_dims]
    starts = np.flatnonzero(np.any(outer[1:] != outer[:-1], axis=1)) + 1
    return [strip for strip in np.split(ordered, starts) if len(strip)]


def iterations(nest: TiledNest) -> Iterations:
    """Every instance, in the order of execution: by tile, time, and place in the text."""
    sizes = np.array([size for size in nest.sizes if isinstance(size, int)], np.int64)
    width = max(len(each.indices) for each in nest.statements)
    pairs = [rows(each.schedule.intersect_domain(each.domain)) for each in nest.statements]
    time = np.concatenate([each.image for each in pairs])
    statement = np.concatenate([np.full(len(each.image), place) for place, each in enumerate(pairs)])
    instance = np.concatenate([np.pad(each.domain, [(0, 0), (0, width - each.domain.shape[1])]) for each in pairs])
    tile = time // sizes
    order = np.lexsort([statement, *time.T[::-1], *tile.T[::-1]])
    return Iterations(tile[order], time[order], statement[order], instance[order])
