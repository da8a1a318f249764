"""Polynomials with rational factors in names and floors, and their sums over a range of one name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import comb, gcd, prod

from arrayol.tiling.quasi_affine import Atom, Modulo, QuasiAffine, names_of, renamed, signed_sum, value_of

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
        return polynomial(
            [
                (tuple(sorted((*left, *right), key=str)), one * two)
                for left, one in self.terms
                for right, two in other.terms
            ]
        )

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
        found: dict[int, list[tuple[Monomial, Fraction]]] = {}
        for atoms, factor in self.terms:
            rest = tuple(atom for atom in atoms if atom != name)
            found.setdefault(len(atoms) - len(rest), []).append((rest, factor))
        return {power: polynomial(terms) for power, terms in found.items()}

    def replaced(self, name: str, value: Polynomial) -> Polynomial:
        """With a polynomial in place of a name."""
        result = ZERO
        for power, factor in self.powers(name).items():
            result = result.plus(factor.times(_power(value, power)))
        return result

    def renamed(self, rename: Callable[[str], Atom]) -> Polynomial:
        """With other atoms in place of names, inside floors too."""
        return polynomial(
            [
                (tuple(sorted((renamed(atom, rename) for atom in atoms), key=str)), factor)
                for atoms, factor in self.terms
            ]
        )

    def __str__(self) -> str:
        """Over a common denominator, highest degrees first."""
        if not self.terms:
            return "0"
        denominator = 1
        for _, factor in self.terms:
            denominator *= factor.denominator // gcd(denominator, factor.denominator)
        ordered = sorted(self.terms, key=lambda term: (-len(term[0]), [str(atom) for atom in term[0]]))
        shown = _sum_text([(int(factor * denominator), _product_text(atoms)) for atoms, factor in ordered])
        return shown if denominator == 1 else f"({shown}) / {denominator}"


def polynomial(terms: list[tuple[Monomial, Fraction]]) -> Polynomial:
    """A polynomial from terms in which products may repeat or vanish."""
    sums: dict[Monomial, Fraction] = {}
    for atoms, factor in terms:
        sums[atoms] = sums.get(atoms, Fraction(0)) + factor
    return Polynomial(tuple(sorted(((a, f) for a, f in sums.items() if f), key=lambda term: str(term[0]))))


ZERO, ONE = Polynomial(()), Polynomial((((), Fraction(1)),))


def of_form(found: QuasiAffine) -> Polynomial:
    """An affine form as a polynomial."""
    terms: list[tuple[Monomial, Fraction]] = [((atom,), Fraction(factor)) for atom, factor in found.terms]
    return polynomial([*terms, ((), Fraction(found.constant))])


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
    for factor, product in terms:
        if not product:
            parts.append((factor, str(abs(factor))))
        else:
            parts.append((factor, product if abs(factor) == 1 else f"{abs(factor)} {product}"))
    return signed_sum(parts)
