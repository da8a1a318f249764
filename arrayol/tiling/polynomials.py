"""Counts as formulas: polynomials in names and floors, case by case, and their sums over a range of one name.

The sum of n^p for n = 1 .. N is a polynomial in N with rational factors (Faulhaber), and as a polynomial it holds for
N = 0 and below too: sum(low .. high) = S(high) - S(low - 1) whenever high >= low - 1, with an empty sum 0. So sums of
polynomials stay polynomials, and factors stay exact fractions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from math import comb, lcm, prod

import islpy as isl

from arrayol.polyhedral.isl import TooHardError
from arrayol.tiling.quasi_affine import (
    Atom,
    Conjunctions,
    Modulo,
    QuasiAffine,
    case_text,
    equalities_of,
    hold,
    names_of,
    renamed,
    signed_sum,
    value_of,
)

Monomial = tuple[Atom, ...]  # a product, sorted; () is 1


@dataclass(frozen=True, slots=True)
class Polynomial:
    """A sum of multiples of products; no factor is 0."""

    terms: tuple[tuple[Monomial, Fraction], ...]

    def plus(self, other: Polynomial) -> Polynomial:
        """The sum."""
        return polynomial([*self.terms, *other.terms])

    def times(self, other: Polynomial) -> Polynomial:
        """The product."""
        pairs = product(self.terms, other.terms)
        return polynomial([(_monomial((*left, *right)), own * factor) for (left, own), (right, factor) in pairs])

    def scaled(self, factor: Fraction | int) -> Polynomial:
        """A multiple."""
        return polynomial([(atoms, factor * own) for atoms, own in self.terms])

    def at(self, values: Mapping[str, int]) -> Fraction:
        """The value for values of the names."""
        parts = (factor * prod(value_of(atom, values) for atom in atoms) for atoms, factor in self.terms)
        return sum(parts, Fraction(0))

    def names(self) -> frozenset[str]:
        """Every name that occurs, inside floors too."""
        return frozenset(name for atoms, _ in self.terms for atom in atoms for name in names_of(atom))

    def powers(self, name: str) -> dict[int, Polynomial]:
        """The factor of each power of a name."""
        terms_of: dict[int, list[tuple[Monomial, Fraction]]] = {}
        for atoms, factor in self.terms:
            rest = tuple(atom for atom in atoms if atom != name)
            terms_of.setdefault(len(atoms) - len(rest), []).append((rest, factor))
        return {power: polynomial(terms) for power, terms in terms_of.items()}

    def replaced(self, name: str, value: Polynomial) -> Polynomial:
        """With a polynomial in place of a name."""
        result = ZERO
        for power, factor in self.powers(name).items():
            result = result.plus(factor.times(_power(value, power)))
        return result

    def renamed(self, rename: Callable[[str], Atom]) -> Polynomial:
        """With other atoms in place of names, inside floors too."""
        terms = [(_monomial(renamed(atom, rename) for atom in atoms), factor) for atoms, factor in self.terms]
        return polynomial(terms)

    def __str__(self) -> str:
        """Over a common denominator, highest degrees first."""
        if not self.terms:
            return "0"
        denominator = lcm(*(factor.denominator for _, factor in self.terms))
        ordered = sorted(self.terms, key=lambda term: (-len(term[0]), [str(atom) for atom in term[0]]))
        shown = _sum_text([(int(factor * denominator), _product_text(atoms)) for atoms, factor in ordered])
        return shown if denominator == 1 else f"({shown}) / {denominator}"


def _monomial(atoms: Iterable[Atom]) -> Monomial:
    return tuple(sorted(atoms, key=str))


def polynomial(terms: list[tuple[Monomial, Fraction]]) -> Polynomial:
    """A polynomial from terms in which products may repeat or vanish."""
    sums: dict[Monomial, Fraction] = {}
    for atoms, factor in terms:
        sums[atoms] = sums.get(atoms, Fraction(0)) + factor
    return Polynomial(tuple(sorted(((a, f) for a, f in sums.items() if f), key=lambda term: str(term[0]))))


ZERO, ONE = Polynomial(()), Polynomial((((), Fraction(1)),))


def of_form(form: QuasiAffine) -> Polynomial:
    """An affine form as a polynomial."""
    terms: list[tuple[Monomial, Fraction]] = [((atom,), Fraction(factor)) for atom, factor in form.terms]
    return polynomial([*terms, ((), Fraction(form.constant))])


def sum_over(summand: Polynomial, name: str, low: Polynomial, high: Polynomial) -> Polynomial:
    """The sum for low <= name <= high, where high >= low - 1."""
    below = low.plus(ONE.scaled(-1))
    result = ZERO
    for power, factor in summand.powers(name).items():
        sums = _power_sums(power)
        upper = _composed(sums, high)
        result = result.plus(factor.times(upper.plus(_composed(sums, below).scaled(-1))))
    return result


@cache
def _power_sums(power: int) -> tuple[Fraction, ...]:
    """The factors of n^0, n^1, ... in 1^power + ... + n^power, a polynomial valid for every integer n (Faulhaber)."""
    # (n + 1)^(p + 1) - 1 = sum over k <= p of C(p + 1, k) S_k(n), for S_0 = n.
    total = [Fraction(comb(power + 1, k)) for k in range(power + 2)]
    total[0] -= 1
    for lower in range(power):
        for place, factor in enumerate(_power_sums(lower)):
            total[place] -= comb(power + 1, lower) * factor
    return tuple(factor / (power + 1) for factor in total) if power else (Fraction(0), Fraction(1))


def _composed(factors: tuple[Fraction, ...], value: Polynomial) -> Polynomial:
    result = ZERO
    for factor in reversed(factors):
        result = result.times(value).plus(ONE.scaled(factor))
    return result


def _power(value: Polynomial, power: int) -> Polynomial:
    result = ONE
    for _ in range(power):
        result = result.times(value)
    return result


def _product_text(atoms: Monomial) -> str:
    return " ".join(_factors(atoms))


def _factors(atoms: Monomial) -> Iterator[str]:
    for atom in dict.fromkeys(atoms):
        power = atoms.count(atom)
        text = f"({atom})" if isinstance(atom, Modulo) else str(atom)
        yield text if power == 1 else f"{text}^{power}"


def _sum_text(terms: list[tuple[int, str]]) -> str:
    parts = []
    for factor, text in terms:
        if not text:
            parts.append((factor, str(abs(factor))))
        else:
            parts.append((factor, text if abs(factor) == 1 else f"{abs(factor)} {text}"))
    return signed_sum(parts)


# Cases, and how sums over parts become such.

MOST_CASES = 16


@dataclass(frozen=True, slots=True)
class FormulaCase:
    """A polynomial, and where it is the count: in any of some conjunctions, which tile and symbols decide."""

    where: Conjunctions
    value: Polynomial

    def holds(self, values: Mapping[str, int]) -> bool:
        """Whether the case applies to values of the names."""
        return hold(self.where, values)

    def __str__(self) -> str:
        return case_text(self.value, self.where)


@dataclass(frozen=True, slots=True)
class Formula:
    """A count case by case; the cases exclude each other, and where none applies the count is 0."""

    cases: tuple[FormulaCase, ...]

    def at(self, values: Mapping[str, int]) -> int:
        """The count for values of all names."""
        count = next((case.value.at(values) for case in self.cases if case.holds(values)), 0)
        assert count == int(count)
        return int(count)

    def __str__(self) -> str:
        return "\n".join(str(case) for case in self.cases) if self.cases else "0"


def added(
    disjoint: list[tuple[isl.Set, Polynomial]], where: isl.Set, value: Polynomial
) -> list[tuple[isl.Set, Polynomial]]:
    """Disjoint cases with one more sum in them."""
    result, left = [], where
    for own, polynomial in disjoint:
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


def merged(parts: list[tuple[isl.Set, Polynomial]]) -> list[tuple[isl.Set, Polynomial]]:
    """One case for each polynomial; a polynomial 0 needs none."""
    cases: dict[Polynomial, isl.Set] = {}
    for where, value in parts:
        if value != ZERO:
            cases[value] = cases[value].union(where).coalesce() if value in cases else where
    return [(where, value) for value, where in cases.items()]


def joined(parts: list[tuple[isl.Set, Polynomial]]) -> list[tuple[isl.Set, Polynomial]]:
    """Cases whose polynomials agree by what is equal in one of them, as N + 1 and 10 floor((N + 1) / 10), as one."""
    cases: list[tuple[isl.Set, Polynomial]] = []
    for where, value in sorted(parts, key=lambda case: len(_equalities(case[0]))):
        equal = _equalities(where)
        match = next((k for k, (_, other) in enumerate(cases) if _agree(value, other, equal)), None)
        if match is None:
            cases.append((where, value))
        else:
            cases[match] = (cases[match][0].union(where).coalesce(), cases[match][1])
    return cases


def _agree(left: Polynomial, right: Polynomial, equalities: Sequence[QuasiAffine]) -> bool:
    difference = left.plus(right.scaled(-1))
    for equality in equalities:
        name = next((atom for atom, factor in equality.terms if isinstance(atom, str) and abs(factor) == 1), None)
        if name is not None:
            value = equality.without(name).scaled(-equality.factor(name))
            difference = difference.replaced(name, of_form(value))
    return difference == ZERO


def _equalities(where: isl.Set) -> list[QuasiAffine]:
    """Forms that are 0 throughout a set of parameters."""
    hull = where.coalesce().affine_hull().compute_divs()
    return [form for part in hull.get_basic_sets() for form in equalities_of(part)]
