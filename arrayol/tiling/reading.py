"""From isl's constraints and expressions to forms and conditions with people's names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import islpy as isl

from arrayol.tiling.nest import PREFIX
from arrayol.tiling.quasi_affine import Atom, Condition, Floor, Modulo, QuasiAffine, floor_of


def conditions_of(part: isl.BasicSet, names: Sequence[str]) -> Iterator[Condition]:
    """The constraints of a set whose dimensions are called `names`; parameters lose isl's prefix.

    Equalities come first. A remainder is shown as such.
    """
    return (condition for _, condition in constraints_of(part, names))


def constraints_of(part: isl.BasicSet, names: Sequence[str]) -> Iterator[tuple[isl.Constraint, Condition]]:
    """The constraints as isl has them, beside ours."""
    for constraint in sorted(part.get_constraints(), key=lambda found: not found.is_equality()):
        found = _with_modulo(_read(constraint, isl.dim_type.set, names))
        if not _is_trivial(found):
            yield constraint, _remainder(found) if constraint.is_equality() else Condition(found, False)


def equalities_of(part: isl.BasicSet) -> Iterator[QuasiAffine]:
    """The forms that are 0 for all parameters of a set without dimensions, floors as floors."""
    constraints = (constraint for constraint in part.get_constraints() if constraint.is_equality())
    return (_read(constraint, isl.dim_type.set, []) for constraint in constraints)


def form_of(aff: isl.Aff, names: Sequence[str]) -> tuple[QuasiAffine, int]:
    """A quasi-affine expression as (form, denominator): its value is form / denominator."""
    denominator = _integer(aff.get_denominator_val())
    scaled = aff.scale_val(isl.Val(denominator)) if denominator != 1 else aff
    return _read(scaled, isl.dim_type.in_, names), denominator


def _read(found: isl.Aff | isl.Constraint, kind: isl.dim_type, names: Sequence[str]) -> QuasiAffine:
    """The sum that an expression or a constraint is; inner variables become the floors that define them."""
    parameters = [shown(found.get_dim_name(isl.dim_type.param, k)) for k in range(found.dim(isl.dim_type.param))]
    terms: list[tuple[Atom, int]] = [
        (name, _integer(found.get_coefficient_val(held, place)))
        for held, atoms in ((isl.dim_type.param, parameters), (kind, names))
        for place, name in enumerate(atoms)
    ]
    result = QuasiAffine.of(terms, _integer(found.get_constant_val()))
    for place in range(found.dim(isl.dim_type.div)):
        factor = _integer(found.get_coefficient_val(isl.dim_type.div, place))
        if factor:
            result += floor_of(*form_of(found.get_div(place), names)).scaled(factor)
    return result


def shown(parameter: str | None) -> str:
    """The user's name of a parameter."""
    return (parameter or "").removeprefix(PREFIX)


def _integer(value: isl.Val) -> int:
    return int(value.to_python())


def _is_trivial(found: QuasiAffine) -> bool:
    """Whether `found` >= 0 says of a remainder only that it is one."""
    if len(found.terms) != 1 or not isinstance(atom := found.terms[0][0], Modulo):
        return False
    factor = found.terms[0][1]
    return min(0, factor * (atom.divisor - 1)) + found.constant >= 0


def _remainder(found: QuasiAffine) -> Condition:
    """The equality found = 0; (m + 1) mod 2 = 0 as m mod 2 = 1."""
    if len(found.terms) == 1 and not found.constant and isinstance(atom := found.terms[0][0], Modulo):
        left = QuasiAffine(atom.form.terms)
        if left.terms[0][1] < 0:
            left = left.scaled(-1)
        offset = atom.form.constant if left.terms == atom.form.terms else -atom.form.constant
        return Condition(QuasiAffine(((Modulo(left, atom.divisor), 1),), -(-offset % atom.divisor)), True)
    return Condition(found, True)


def _with_modulo(found: QuasiAffine) -> QuasiAffine:
    """Shows x - d floor(x / d) as x mod d, where that leaves fewer terms."""
    for atom, factor in found.terms:
        if isinstance(atom, Floor) and factor % atom.divisor == 0:
            times = -factor // atom.divisor
            rest = found.without(atom) - atom.form.scaled(times)
            if len(rest.terms) < len(found.terms) - 1:
                return rest + QuasiAffine(((Modulo(atom.form, atom.divisor), times),))
    return found
