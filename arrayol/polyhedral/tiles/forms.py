"""Affine forms of named integers, with floors, read from isl's constraints and shown as people write them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import islpy as isl

from arrayol.polyhedral.tiles.nest import PREFIX


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


def conditions_of(part: isl.BasicSet, names: Sequence[str]) -> Iterator[Condition]:
    """The constraints of a set whose dimensions are called `names`; parameters lose isl's prefix.

    Equalities come first. A remainder is shown as such.
    """
    return (condition for _, condition in constraints_of(part, names))


def constraints_of(part: isl.BasicSet, names: Sequence[str]) -> Iterator[tuple[isl.Constraint, Condition]]:
    """The constraints as isl has them, beside ours."""
    reader = _Reader(part, names)
    for constraint in sorted(part.get_constraints(), key=lambda found: not found.is_equality()):
        found = _with_modulo(reader.constraint(constraint))
        if not _is_trivial(found):
            yield constraint, _remainder(found) if constraint.is_equality() else Condition(found, False)


def equalities_of(part: isl.BasicSet) -> Iterator[Form]:
    """The forms that are 0 for all parameters of a set without dimensions, floors as floors."""
    reader = _Reader(part, [])
    return (reader.constraint(constraint) for constraint in part.get_constraints() if constraint.is_equality())


def form_of(aff: isl.Aff, names: Sequence[str]) -> tuple[Form, int]:
    """A quasi-affine expression as (form, denominator): its value is form / denominator."""
    return _Affine(aff, names).form()


class _Reader:
    """Reads constraints of one basic set; existential variables become the floors that define them."""

    def __init__(self, part: isl.BasicSet, names: Sequence[str]) -> None:
        self.names = list(names)
        self.part = part
        self.space = part.get_local_space()
        self.parameters = [part.get_dim_name(isl.dim_type.param, k) for k in range(part.dim(isl.dim_type.param))]

    def constraint(self, constraint: isl.Constraint) -> Form:
        terms: list[tuple[Atom, int]] = []
        kinds = ((isl.dim_type.param, [shown(name) for name in self.parameters]), (isl.dim_type.set, self.names))
        for kind, atoms in kinds:
            for place, atom in enumerate(atoms):
                terms.append((atom, _integer(constraint.get_coefficient_val(kind, place))))
        for place in range(constraint.dim(isl.dim_type.div)):
            factor = _integer(constraint.get_coefficient_val(isl.dim_type.div, place))
            if factor:
                terms.append((_floor(constraint.get_div(place), self.names), factor))
        return form(terms, _integer(constraint.get_constant_val()))


class _Affine:
    """Reads one isl expression."""

    def __init__(self, aff: isl.Aff, names: Sequence[str]) -> None:
        self.aff, self.names = aff, list(names)

    def form(self) -> tuple[Form, int]:
        aff = self.aff
        denominator = _integer(aff.get_denominator_val())
        scaled = aff.scale_val(isl.Val(denominator)) if denominator != 1 else aff
        terms: list[tuple[Atom, int]] = []
        for place in range(scaled.dim(isl.dim_type.param)):
            name = shown(scaled.get_dim_name(isl.dim_type.param, place))
            terms.append((name, _integer(scaled.get_coefficient_val(isl.dim_type.param, place))))
        for place, name in enumerate(self.names):
            terms.append((name, _integer(scaled.get_coefficient_val(isl.dim_type.in_, place))))
        for place in range(scaled.dim(isl.dim_type.div)):
            factor = _integer(scaled.get_coefficient_val(isl.dim_type.div, place))
            if factor:
                terms.append((_floor(scaled.get_div(place), self.names), factor))
        return form(terms, _integer(scaled.get_constant_val())), denominator


def _floor(div: isl.Aff, names: Sequence[str]) -> Floor:
    top, divisor = form_of(div, names)
    return Floor(top, divisor)


def shown(parameter: str | None) -> str:
    """The user's name of a parameter."""
    return (parameter or "").removeprefix(PREFIX)


def _integer(value: isl.Val) -> int:
    return int(value.to_python())


def _is_trivial(found: Form) -> bool:
    """Whether `found` >= 0 says of a remainder only that it is one."""
    if len(found.terms) != 1 or not isinstance(atom := found.terms[0][0], Modulo):
        return False
    factor = found.terms[0][1]
    return min(0, factor * (atom.divisor - 1)) + found.constant >= 0


def _remainder(found: Form) -> Condition:
    """The equality found = 0; (m + 1) mod 2 = 0 as m mod 2 = 1."""
    if len(found.terms) == 1 and not found.constant and isinstance(atom := found.terms[0][0], Modulo):
        left = Form(atom.form.terms, 0)
        if left.terms[0][1] < 0:
            left = left.scaled(-1)
        offset = atom.form.constant if left.terms == atom.form.terms else -atom.form.constant
        return Condition(Form(((Modulo(left, atom.divisor), 1),), -(-offset % atom.divisor)), True)
    return Condition(found, True)


def _with_modulo(found: Form) -> Form:
    """Shows x - d floor(x / d) as x mod d, where that leaves fewer terms."""
    for atom, factor in found.terms:
        if isinstance(atom, Floor) and factor % atom.divisor == 0:
            times = -factor // atom.divisor
            rest = found.without(atom).plus(atom.form.scaled(-times))
            if len(rest.terms) < len(found.terms) - 1:
                return rest.plus(Form(((Modulo(atom.form, atom.divisor), times),), 0))
    return found
