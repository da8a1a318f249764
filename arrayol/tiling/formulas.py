"""Counts as formulas: polynomials with floors, case by case, and how sums over parts become such cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import islpy as isl

from arrayol.polyhedral.isl import TooHardError
from arrayol.tiling.polynomials import ZERO, Polynomial, of_form
from arrayol.tiling.quasi_affine import Condition, QuasiAffine
from arrayol.tiling.reading import equalities_of

MOST_CASES = 16


@dataclass(frozen=True, slots=True)
class FormulaCase:
    """A polynomial, and where it is the count: in any of some conjunctions, which tile and symbols decide."""

    where: tuple[tuple[Condition, ...], ...]
    value: Polynomial

    def holds(self, values: Mapping[str, int]) -> bool:
        """Whether the case applies to values of the names."""
        return any(all(condition.holds(values) for condition in part) for part in self.where)

    def __str__(self) -> str:
        parts = [", ".join(str(condition) for condition in part) for part in self.where]
        return f"{self.value} where {'; or '.join(parts)}" if all(parts) else str(self.value)


@dataclass(frozen=True, slots=True)
class Formula:
    """A count case by case; the cases exclude each other, and where none applies the count is 0."""

    cases: tuple[FormulaCase, ...]

    def at(self, values: Mapping[str, int]) -> int:
        """The count for values of all names."""
        found = next((case.value.at(values) for case in self.cases if case.holds(values)), 0)
        assert found == int(found)
        return int(found)

    def __str__(self) -> str:
        return "\n".join(str(case) for case in self.cases) if self.cases else "0"


def added(
    found: list[tuple[isl.Set, Polynomial]], where: isl.Set, value: Polynomial
) -> list[tuple[isl.Set, Polynomial]]:
    """Disjoint cases with one more sum in them."""
    result, left = [], where
    for own, polynomial in found:
        both = own.intersect(where)
        if both.is_empty():
            result.append((own, polynomial))
            continue
        result.append((both.coalesce(), polynomial.plus(value)))
        outside = own.subtract(where)
        if not outside.is_empty():
            result.append((outside.coalesce(), polynomial))
        left = left.subtract(own)
    if not left.is_empty():
        result.append((left.coalesce(), value))
    if len(result) > MOST_CASES:
        result = merged(result)
        if len(result) > MOST_CASES:
            raise TooHardError
    return result


def merged(found: list[tuple[isl.Set, Polynomial]]) -> list[tuple[isl.Set, Polynomial]]:
    """One case for each polynomial; a polynomial 0 needs none."""
    cases: dict[Polynomial, isl.Set] = {}
    for where, value in found:
        if value != ZERO:
            cases[value] = cases[value].union(where).coalesce() if value in cases else where
    return [(where, value) for value, where in cases.items()]


def joined(found: list[tuple[isl.Set, Polynomial]]) -> list[tuple[isl.Set, Polynomial]]:
    """Cases whose polynomials agree by what is equal in one of them, as N + 1 and 10 floor((N + 1) / 10), as one."""
    cases: list[tuple[isl.Set, Polynomial]] = []
    for where, value in sorted(found, key=lambda case: len(_equalities(case[0]))):
        equal = _equalities(where)
        match = next((k for k, (_, other) in enumerate(cases) if _agree(value, other, equal)), None)
        if match is None:
            cases.append((where, value))
        else:
            cases[match] = (cases[match][0].union(where).coalesce(), cases[match][1])
    return cases


def _agree(one: Polynomial, other: Polynomial, equalities: Sequence[QuasiAffine]) -> bool:
    difference = one.plus(other.scaled(-1))
    for equality in equalities:
        name = next((atom for atom, factor in equality.terms if isinstance(atom, str) and abs(factor) == 1), None)
        if name is not None:
            value = equality.without(name).scaled(-equality.factor(name))
            difference = difference.replaced(name, of_form(value))
    return difference == ZERO


def _equalities(where: isl.Set) -> list[QuasiAffine]:
    """Forms that are 0 throughout a set of parameters."""
    hull = where.coalesce().affine_hull().compute_divs()
    return [found for part in hull.get_basic_sets() for found in equalities_of(part)]
