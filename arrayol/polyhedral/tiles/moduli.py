"""The modular allocation of an array as formulas in symbols: successive moduli without overlap."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import islpy as isl

from arrayol.polyhedral.effort import TooHardError, bounded_effort
from arrayol.polyhedral.tiles.forms import Condition, Form
from arrayol.polyhedral.tiles.live import live
from arrayol.polyhedral.tiles.nest import Traffic
from arrayol.polyhedral.tiles.reading import conditions_of, form_of

EFFORT = 2_000_000  # isl's operations for all moduli of an array


@dataclass(frozen=True, slots=True)
class Modulus:
    """A modulus case by case: `value` where one of some conjunctions on the symbols holds."""

    cases: tuple[tuple[tuple[tuple[Condition, ...], ...], Form], ...]

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

    b_k is one more than the largest |d_k| of two elements alive in one tile whose subscripts before k are equal: a
    difference d = 0 mod b must be 0 in the first dimension, then in the next, and so on (Darte, Schreiber, Villard).
    Where a tile size is symbolic all windows of that size count, also those between the tiles: the modulus is right,
    and sometimes larger than it need be. None where no formula was found within bounds.
    """
    nest = traffic.nest
    try:
        with bounded_effort(EFFORT):
            alive = live(traffic, array)
            apart = alive.reverse().apply_range(alive).deltas().coalesce()
            found = []
            for axis in range(apart.dim(isl.dim_type.set)):
                found.append(_modulus(apart.dim_max(axis), nest.context))
                apart = apart.fix_val(isl.dim_type.set, axis, isl.Val(0))
            return tuple(found)
    except TooHardError:
        return None


def _modulus(largest: isl.PwAff, context: isl.Set) -> Modulus:
    cases = []
    for where, value in largest.coalesce().gist_params(context).get_pieces():
        form, denominator = form_of(value, [])
        assert denominator == 1  # a maximum of integers
        parts = tuple(tuple(conditions_of(part, [])) for part in where.params().compute_divs().get_basic_sets())
        cases.append((parts, form.plus(Form((), 1))))
    return Modulus(tuple(cases))


def _case_text(where: tuple[tuple[Condition, ...], ...], value: Form) -> str:
    parts = [", ".join(str(condition) for condition in part) for part in where]
    return f"{value} where {'; or '.join(parts)}" if all(parts) else str(value)
