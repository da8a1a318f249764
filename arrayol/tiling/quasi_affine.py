"""Affine forms of named integers, their floors and their remainders, and conditions on them, as people write them.

isl's constraints and expressions are read into these forms. A floor is brought to one way of writing it, so that equal
floors are most often equal texts, and x - d floor(x / d) is shown as x mod d where that is shorter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import gcd
from typing import TypeAlias

import islpy as isl

from arrayol.ir.affine import Affine
from arrayol.tiling.nest import PREFIX


@dataclass(frozen=True, slots=True)
class Floor:
    """floor(form / divisor)."""

    form: QuasiAffine
    divisor: int

    def at(self, values: Mapping[str, int]) -> int:
        """The value for values of the names."""
        return self.form.at(values) // self.divisor

    def __str__(self) -> str:
        top = str(self.form)
        is_term = len(self.form.terms) == 1 and not self.form.constant
        return f"floor({top if is_term else f'({top})'} / {self.divisor})"


@dataclass(frozen=True, slots=True)
class Modulo:
    """form mod divisor, from 0 to divisor - 1."""

    form: QuasiAffine
    divisor: int

    def at(self, values: Mapping[str, int]) -> int:
        """The value for values of the names."""
        return self.form.at(values) % self.divisor

    def __str__(self) -> str:
        top = str(self.form)
        return f"{top} mod {self.divisor}" if top.isidentifier() else f"({top}) mod {self.divisor}"


Atom: TypeAlias = str | Floor | Modulo


@dataclass(frozen=True, slots=True)
class QuasiAffine(Affine[Atom]):
    """An affine form of names, floors and remainders."""

    def at(self, values: Mapping[str, int]) -> int:
        """The value for values of the names."""
        return self.constant + sum(factor * value_of(atom, values) for atom, factor in self.terms)

    def renamed(self, rename: Callable[[str], Atom]) -> QuasiAffine:
        """With other atoms in place of names, inside floors too."""
        return QuasiAffine(tuple((renamed(atom, rename), factor) for atom, factor in self.terms), self.constant)

    def names(self) -> frozenset[str]:
        """Every name that occurs, inside floors too."""
        return frozenset(name for atom, _ in self.terms for name in names_of(atom))

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


def name_form(name: str) -> QuasiAffine:
    """A name alone."""
    return QuasiAffine(((name, 1),))


def floor_of(form: QuasiAffine, divisor: int) -> QuasiAffine:
    """floor(form / divisor) in one way of many: what is divided exactly stands outside, factors are small inside."""
    common = gcd(divisor, form.step)
    if common > 1:  # floor((g x + c) / (g d)) = floor((x + floor(c / g)) / d)
        form = form.divided(common)
        divisor //= common
    nearest = [(atom, (2 * factor + divisor - 1) // (2 * divisor)) for atom, factor in form.terms]
    whole = QuasiAffine.of(nearest, form.constant // divisor)
    rest = form + whole.scaled(-divisor)
    if not rest.terms:
        return whole
    if rest.terms[0][1] < 0:  # floor(x / d) = -floor((d - 1 - x) / d)
        return whole - floor_of(rest.scaled(-1) + (divisor - 1), divisor)
    return whole + QuasiAffine(((Floor(rest, divisor), 1),))


def renamed(atom: Atom, rename: Callable[[str], Atom]) -> Atom:
    """An atom with other atoms in place of names."""
    return rename(atom) if isinstance(atom, str) else type(atom)(atom.form.renamed(rename), atom.divisor)


def value_of(atom: Atom, values: Mapping[str, int]) -> int:
    """The value of an atom for values of the names."""
    return values[atom] if isinstance(atom, str) else atom.at(values)


def names_of(atom: Atom) -> frozenset[str]:
    """Every name that occurs in an atom."""
    return frozenset([atom]) if isinstance(atom, str) else atom.form.names()


@dataclass(frozen=True, slots=True)
class Condition:
    """`form` >= 0, or = 0 for an equality."""

    form: QuasiAffine
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
            return f"{QuasiAffine(terms)} {sign} {-constant}"
        left = QuasiAffine(tuple(term for term in terms if term[1] > 0))
        right = QuasiAffine(tuple((atom, -factor) for atom, factor in terms if factor < 0), -constant)
        if right.constant < 0 and right.terms:
            left, right = QuasiAffine(left.terms, -right.constant), QuasiAffine(right.terms)
        return f"{left} {sign} {right}"


Conjunctions = tuple[tuple[Condition, ...], ...]  # hold where all conditions of one of them do


def hold(where: Conjunctions, values: Mapping[str, int]) -> bool:
    """Whether one of some conjunctions is true for values of the names."""
    return any(all(condition.holds(values) for condition in part) for part in where)


def case_text(value: object, where: Conjunctions) -> str:
    """A value and where it is the one, if that is not everywhere."""
    parts = [", ".join(map(str, part)) for part in where]
    return f"{value} where {'; or '.join(parts)}" if all(parts) else str(value)


# From isl's constraints and expressions to forms and conditions with people's names.


def conditions_of(part: isl.BasicSet, names: Sequence[str]) -> Iterator[Condition]:
    """The constraints of a set whose dimensions are called `names`; parameters lose isl's prefix.

    Equalities come first. A remainder is shown as such.
    """
    return (condition for _, condition in constraints_of(part, names))


def constraints_of(part: isl.BasicSet, names: Sequence[str]) -> Iterator[tuple[isl.Constraint, Condition]]:
    """The constraints as isl has them, beside ours."""
    for constraint in sorted(part.get_constraints(), key=lambda form: not form.is_equality()):
        form = _with_modulo(_read(constraint, isl.dim_type.set, names))
        if not _is_trivial(form):
            yield constraint, _remainder(form) if constraint.is_equality() else Condition(form, False)


def equalities_of(part: isl.BasicSet) -> Iterator[QuasiAffine]:
    """The forms that are 0 for all parameters of a set without dimensions, floors as floors."""
    constraints = (constraint for constraint in part.get_constraints() if constraint.is_equality())
    return (_read(constraint, isl.dim_type.set, []) for constraint in constraints)


def form_of(aff: isl.Aff, names: Sequence[str]) -> tuple[QuasiAffine, int]:
    """A quasi-affine expression as (form, denominator): its value is form / denominator."""
    denominator = _integer(aff.get_denominator_val())
    scaled = aff.scale_val(isl.Val(denominator)) if denominator != 1 else aff
    return _read(scaled, isl.dim_type.in_, names), denominator


def _read(source: isl.Aff | isl.Constraint, kind: isl.dim_type, names: Sequence[str]) -> QuasiAffine:
    """The sum that an expression or a constraint is; inner variables become the floors that define them."""
    parameters = [shown(source.get_dim_name(isl.dim_type.param, k)) for k in range(source.dim(isl.dim_type.param))]
    terms: list[tuple[Atom, int]] = [
        (name, _integer(source.get_coefficient_val(held, place)))
        for held, atoms in ((isl.dim_type.param, parameters), (kind, names))
        for place, name in enumerate(atoms)
    ]
    result = QuasiAffine.of(terms, _integer(source.get_constant_val()))
    for place in range(source.dim(isl.dim_type.div)):
        factor = _integer(source.get_coefficient_val(isl.dim_type.div, place))
        if factor:
            result += floor_of(*form_of(source.get_div(place), names)).scaled(factor)
    return result


def shown(parameter: str | None) -> str:
    """The user's name of a parameter."""
    return (parameter or "").removeprefix(PREFIX)


def _integer(value: isl.Val) -> int:
    return int(value.to_python())


def _is_trivial(form: QuasiAffine) -> bool:
    """Whether `found` >= 0 says of a remainder only that it is one."""
    if len(form.terms) != 1 or not isinstance(atom := form.terms[0][0], Modulo):
        return False
    factor = form.terms[0][1]
    return min(0, factor * (atom.divisor - 1)) + form.constant >= 0


def _remainder(form: QuasiAffine) -> Condition:
    """The equality found = 0; (m + 1) mod 2 = 0 as m mod 2 = 1."""
    if len(form.terms) == 1 and not form.constant and isinstance(atom := form.terms[0][0], Modulo):
        left = QuasiAffine(atom.form.terms)
        if left.terms[0][1] < 0:
            left = left.scaled(-1)
        offset = atom.form.constant if left.terms == atom.form.terms else -atom.form.constant
        return Condition(QuasiAffine(((Modulo(left, atom.divisor), 1),), -(-offset % atom.divisor)), True)
    return Condition(form, True)


def _with_modulo(form: QuasiAffine) -> QuasiAffine:
    """Shows x - d floor(x / d) as x mod d, where that leaves fewer terms."""
    for atom, factor in form.terms:
        if isinstance(atom, Floor) and factor % atom.divisor == 0:
            times = -factor // atom.divisor
            rest = form.without(atom) - atom.form.scaled(times)
            if len(rest.terms) < len(form.terms) - 1:
                return rest + QuasiAffine(((Modulo(atom.form, atom.divisor), times),))
    return form
