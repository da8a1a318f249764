"""The modular allocation of an array as formulas in symbols, without overlap."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import islpy as isl

from arrayol.polyhedral.isl import TooHardError, bounded_effort
from arrayol.tiling.liveness import live
from arrayol.tiling.nest import Traffic
from arrayol.tiling.quasi_affine import Condition, QuasiAffine
from arrayol.tiling.reading import conditions_of, form_of

EFFORT = 200_000  # isl's operations for all moduli of an array: about a second


@dataclass(frozen=True, slots=True)
class Modulus:
    """A modulus case by case: `value` where one of some conjunctions on the symbols holds."""

    cases: tuple[tuple[tuple[tuple[Condition, ...], ...], QuasiAffine], ...]

    def at(self, values: Mapping[str, int]) -> int:
        """The modulus for values of the symbols; 1 where nothing is alive."""
        for where, value in self.cases:
            if any(all(condition.holds(values) for condition in part) for part in where):
                return value.at(values)
        return 1

    def __str__(self) -> str:
        return "\n".join(_case_text(where, value) for where, value in self.cases) or "1"


def moduli_formula(traffic: Traffic, array: str) -> tuple[Modulus, ...] | None:
    """One modulus per dimension of an array: x takes the slot x mod b, dimension by dimension.

    b_k is the largest extent along k of the elements alive in one tile: two of them differ by less than b_k in each
    dimension, and by a multiple of it only where they are equal. Where a tile size is symbolic all windows of that size
    count, also those between the tiles: the modulus is right, and sometimes larger than it need be. None where no
    formula was found within bounds.
    """
    try:
        with bounded_effort(EFFORT):
            alive = live(traffic, array)
            return tuple(_modulus(reach, traffic.nest.context) for reach in _reaches(alive))
    except TooHardError:
        return None


def _reaches(alive: isl.Map) -> Iterator[isl.PwAff]:
    """The largest difference of two elements alive in one tile, along each dimension, by the symbols."""
    if alive.dim(isl.dim_type.out) == 1:
        yield alive.reverse().apply_range(alive).deltas().coalesce().dim_max(0)
        return
    for axis in range(alive.dim(isl.dim_type.out)):  # by the tiles' extents: isl takes long over differences of points
        extent = alive.dim_max(axis).sub(alive.dim_min(axis))
        yield isl.Map.from_pw_aff(extent).range().coalesce().dim_max(0)


def _modulus(reach: isl.PwAff, context: isl.Set) -> Modulus:
    cases = []
    for where, value in reach.coalesce().gist_params(context).get_pieces():
        found, denominator = form_of(value, [])
        assert denominator == 1  # a maximum of integers
        parts = tuple(tuple(conditions_of(part, [])) for part in where.params().compute_divs().get_basic_sets())
        cases.append((parts, found + 1))
    return Modulus(tuple(cases))


def _case_text(where: tuple[tuple[Condition, ...], ...], value: QuasiAffine) -> str:
    parts = [", ".join(str(condition) for condition in part) for part in where]
    return f"{value} where {'; or '.join(parts)}" if all(parts) else str(value)
