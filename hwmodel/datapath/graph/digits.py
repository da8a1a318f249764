"""Products with constants as shifts and adders, by the canonical signed digits (CSD) of the constant.

x c is the sum of a term for each nonzero digit. Terms are added two at a time, level by level, a positive one with a
negative one if there are both. For two terms f x 2^s and g x 2^t with s < t, the low t - s bits of the first are those
of the sum: the adder has only the bits above them, and no more than the sum needs or the result keeps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hwmodel.datapath.numbers import Number, least_number, recoded


@dataclass(frozen=True, slots=True)
class Term:
    """The product x `factor` 2**shift, added or, if negative, subtracted. `place` counts terms from 0, digits first."""

    place: int
    factor: int
    shift: int
    negative: bool


@dataclass(frozen=True, slots=True)
class Adder:
    """The sum of `left` and `right`, or their difference, in a level that counts from 0.

    It has only the bits above the `passed` low ones of the left term.
    """

    level: int
    left: Term
    right: Term
    total: Term

    @property
    def sign(self) -> str:
        return "+" if self.left.negative == self.right.negative else "-"

    @property
    def passed(self) -> int:
        """The number of low bits of the left term that are those of the sum."""
        return max(0, self.right.shift - self.left.shift)

    def is_wires(self, x: Number, bits: int) -> bool:
        """Whether the left term ends where the right one begins, so that the sum is only wires."""
        left = term_number(self.left, x, bits)
        return self.sign == "+" and not x.is_signed and self.left.factor > 0 and left.bits <= self.passed

    def number(self, x: Number, bits: int) -> Number:
        """The number of the sum, in a product of which so many low bits are kept."""
        return term_number(self.total, x, bits)


@dataclass(frozen=True, slots=True)
class AdderPlan:
    """The terms of the digits, and the adders, operands first; the last adder gives the product."""

    digits: tuple[Term, ...]
    adders: tuple[Adder, ...]

    @property
    def levels(self) -> int:
        return self.adders[-1].level + 1 if self.adders else 0

    @property
    def product(self) -> Term:
        return self.adders[-1].total if self.adders else self.digits[0]

    def adder_bits(self, x: Number, bits: int) -> list[int]:
        """The bits of each adder, without those that are only wires."""
        return [
            max(1, adder.number(x, bits).bits - adder.passed) for adder in self.adders if not adder.is_wires(x, bits)
        ]


def term_number(term: Term, x: Number, bits: int) -> Number:
    """The number that holds a term without its trailing zeros, as far as a product of so many bits needs it."""
    low, high = (-(1 << (x.bits - 1)), (1 << (x.bits - 1)) - 1) if x.is_signed else (0, (1 << x.bits) - 1)
    whole = least_number(*sorted((low * term.factor, high * term.factor)))
    kept = max(1, bits - term.shift)
    return whole if whole.bits <= kept else Number("unsigned", kept)


def plan_of(constant: int) -> AdderPlan:
    """The adders of a product with a constant that has a positive digit."""
    digits = [
        Term(number, 1, place, digit < 0)
        for number, (place, digit) in enumerate(
            (place, digit) for place, digit in enumerate(recoded(constant)) if digit
        )
    ]
    adders: list[Adder] = []
    terms: Sequence[Term] = digits
    level, count = 0, len(digits)
    while len(terms) > 1:
        terms = sorted(terms, key=lambda term: term.negative)
        later = []
        for place in range((len(terms) + 1) // 2):
            left, right = terms[place], terms[-1 - place]
            if left is right:
                later.append(left)
                continue
            adder = _joined(left, right, count, level)
            count += 1
            adders.append(adder)
            later.append(adder.total)
        terms, level = later, level + 1
    return AdderPlan(tuple(digits), tuple(adders))


def _joined(left: Term, right: Term, place: int, level: int) -> Adder:
    """The adder of two terms: of two with one sign the less shifted one is left, else the positive one."""
    if left.negative == right.negative and right.shift < left.shift:
        left, right = right, left
    shift = min(left.shift, right.shift)
    sign = 1 if left.negative == right.negative else -1
    factor = (left.factor << (left.shift - shift)) + sign * (right.factor << (right.shift - shift))
    return Adder(level, left, right, Term(place, factor, shift, left.negative))
