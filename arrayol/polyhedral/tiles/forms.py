"""Affine forms of named integers, with floors and remainders, shown as people write them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import gcd
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Floor:
    """floor(form / divisor)."""

    form: Form
    divisor: int

    def at(self, values: Mapping[str, int]) -> int:
        """The value for values of the names."""
        return self.form.at(values) // self.divisor

    def __str__(self) -> str:
        top = str(self.form)
        return (
            f"floor({top} / {self.divisor})"
            if len(self.form.terms) == 1 and not self.form.constant
            else (f"floor(({top}) / {self.divisor})")
        )


@dataclass(frozen=True, slots=True)
class Modulo:
    """form mod divisor, from 0 to divisor - 1."""

    form: Form
    divisor: int

    def at(self, values: Mapping[str, int]) -> int:
        """The value for values of the names."""
        return self.form.at(values) % self.divisor

    def __str__(self) -> str:
        top = str(self.form)
        return f"{top} mod {self.divisor}" if top.isidentifier() else f"({top}) mod {self.divisor}"


Atom: TypeAlias = str | Floor | Modulo


@dataclass(frozen=True, slots=True)
class Form:
    """A sum of integer multiples of atoms and a constant; no factor is 0."""

    terms: tuple[tuple[Atom, int], ...]
    constant: int

    def at(self, values: Mapping[str, int]) -> int:
        """The value for values of the names."""
        return self.constant + sum(factor * _value(atom, values) for atom, factor in self.terms)

    def scaled(self, factor: int) -> Form:
        """A multiple."""
        return form([(atom, factor * own) for atom, own in self.terms], factor * self.constant)

    def plus(self, other: Form) -> Form:
        """The sum."""
        return form([*self.terms, *other.terms], self.constant + other.constant)

    def factor(self, atom: Atom) -> int:
        """The multiple of an atom, 0 where it does not occur."""
        return dict(self.terms).get(atom, 0)

    def without(self, atom: Atom) -> Form:
        """All but an atom's term."""
        return Form(tuple(term for term in self.terms if term[0] != atom), self.constant)

    def renamed(self, rename: Callable[[str], Atom]) -> Form:
        """With other atoms in place of names, inside floors too."""
        return Form(tuple((renamed(atom, rename), factor) for atom, factor in self.terms), self.constant)

    def names(self) -> frozenset[str]:
        """Every name that occurs, inside floors too."""
        return frozenset(name for atom, _ in self.terms for name in _names(atom))

    def __str__(self) -> str:
        parts = [(factor, f"{abs(factor)} {atom}" if abs(factor) != 1 else str(atom)) for atom, factor in self.terms]
        if self.constant or not parts:
            parts.append((self.constant, str(abs(self.constant))))
        return signed_sum(parts)


def signed_sum(parts: Sequence[tuple[int, str]]) -> str:
    """Texts with the signs of their numbers; one with a plus begins, if there is any."""
    begin = next((place for place, (sign, _) in enumerate(parts) if sign > 0), 0)
    ordered = [parts[begin], *parts[:begin], *parts[begin + 1 :]]
    (sign, first), *rest = ordered
    return (f"-{first}" if sign < 0 else first) + "".join(f" {'-' if own < 0 else '+'} {text}" for own, text in rest)


def form(terms: Sequence[tuple[Atom, int]], constant: int) -> Form:
    """A form from terms in which atoms may repeat or vanish."""
    sums: dict[Atom, int] = {}
    for atom, factor in terms:
        sums[atom] = sums.get(atom, 0) + factor
    return Form(tuple((atom, factor) for atom, factor in sums.items() if factor), constant)


def name_form(name: str) -> Form:
    """A name alone."""
    return Form(((name, 1),), 0)


def floor_of(found: Form, divisor: int) -> Form:
    """floor(form / divisor) in one way of many: what is divided exactly stands outside, factors are small inside."""
    common = gcd(divisor, *(factor for _, factor in found.terms))
    if common > 1:  # floor((g x + c) / (g d)) = floor((x + floor(c / g)) / d)
        found = Form(tuple((atom, factor // common) for atom, factor in found.terms), found.constant // common)
        divisor //= common
    nearest = [(atom, (2 * factor + divisor - 1) // (2 * divisor)) for atom, factor in found.terms]
    whole = form(nearest, found.constant // divisor)
    rest = found.plus(whole.scaled(-divisor))
    if not rest.terms:
        return whole
    if rest.terms[0][1] < 0:  # floor(x / d) = -floor((d - 1 - x) / d)
        return whole.plus(floor_of(rest.scaled(-1).plus(Form((), divisor - 1)), divisor).scaled(-1))
    return whole.plus(Form(((Floor(rest, divisor), 1),), 0))


def renamed(atom: Atom, rename: Callable[[str], Atom]) -> Atom:
    """An atom with other atoms in place of names."""
    return rename(atom) if isinstance(atom, str) else type(atom)(atom.form.renamed(rename), atom.divisor)


def _value(atom: Atom, values: Mapping[str, int]) -> int:
    return values[atom] if isinstance(atom, str) else atom.at(values)


def _names(atom: Atom) -> frozenset[str]:
    return frozenset([atom]) if isinstance(atom, str) else atom.form.names()


@dataclass(frozen=True, slots=True)
class Condition:
    """`form` >= 0, or = 0 for an equality."""

    form: Form
    is_equality: bool

    def holds(self, values: Mapping[str, int]) -> bool:
        """Whether it is true for values of the names."""
        value = self.form.at(values)
        return value == 0 if self.is_equality else value >= 0

    def __str__(self) -> str:
        """Terms with a minus stand on the right, a lone constant too."""
        sign = "=" if self.is_equality else ">="
        terms, constant = self.form.terms, self.form.constant
        if terms and all(factor < 0 for _, factor in terms):
            terms, constant, sign = tuple((a, -f) for a, f in terms), -constant, "=" if self.is_equality else "<="
            return f"{Form(terms, 0)} {sign} {-constant}"
        left = Form(tuple(term for term in terms if term[1] > 0), 0)
        right = Form(tuple((atom, -factor) for atom, factor in terms if factor < 0), -constant)
        if right.constant < 0 and right.terms:
            left, right = Form(left.terms, -right.constant), Form(right.terms, 0)
        return f"{left} {sign} {right}"
