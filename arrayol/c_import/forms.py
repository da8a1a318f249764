"""Affine forms and conditions as text, and the extremes of forms where loops run through their bounds."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from arrayol.c_import.model import (
    Bordered,
    COperation,
    Dynamic,
    ElementAccess,
    ElementGuard,
    ForLoop,
    Form,
    Rounded,
    Term,
)
from arrayol.ir.affine import Affine

TermText = Callable[[Term], str]


def term_text(term: Term) -> str:
    """A term in the language: a name, `(2 * i + 1) // 3`."""
    if isinstance(term, str):
        return term
    if isinstance(term, Dynamic):
        raise TypeError("a subscript that depends on data is no form")
    if isinstance(term, Bordered):
        return _bordered_text(term, form_text)
    return f"(({form_text(term.form)}) {term.operator} {term.divisor})"


def isl_term(term: Term) -> str:
    """A term as isl writes it."""
    if isinstance(term, str):
        return term
    if isinstance(term, Dynamic):
        raise TypeError("a subscript that depends on data is no form")
    if isinstance(term, Bordered):
        return _bordered_text(term, isl_text)
    inner = isl_text(term.form)
    return f"floor(({inner})/{term.divisor})" if term.operator == "//" else f"(({inner}) mod {term.divisor})"


def _bordered_text(term: Bordered, text: Callable[[Form], str]) -> str:
    """A subscript with a border by `min` and `max`: one mirrored at both ends, which reaches no further."""
    if term.mode == "nearest":
        return f"max(0, min({text(term.form)}, {text(term.extent - 1)}))"
    below = int(term.mode == "reflect")
    upwards = f"max({text(term.form)}, {text(term.form.scaled(-1) - below)})"
    return f"min({upwards}, {text(term.extent.scaled(2) - 2 + below)} - {upwards})"


def isl_text(form: Form) -> str:
    """A form as isl writes it."""
    return form_text(form, isl_term)


def form_text(form: Form, text_of: TermText = term_text) -> str:
    """`2 * i - j + 3`, positive terms first."""
    terms = [(text_of(term), factor) for term, factor in form.terms]
    parts = [(name if abs(factor) == 1 else f"{abs(factor)} * {name}", factor) for name, factor in terms]
    parts.sort(key=lambda part: part[1] < 0)
    if form.constant:
        place = 0 if form.constant > 0 and parts and parts[0][1] < 0 else len(parts)
        parts.insert(place, (str(abs(form.constant)), form.constant))
    text = "".join(f" {'+' if factor > 0 else '-'} {part}" for part, factor in parts)
    if not text:
        return "0"
    return text[3:] if text.startswith(" + ") else f"-{text[3:]}"


def renamed(form: Form, values: Mapping[Any, Form]) -> Form:
    """The form with forms in place of some names, quotients and rests."""
    result: Form = Affine(constant=form.constant)
    for term, factor in form.terms:
        if isinstance(term, Rounded) and term in values:
            result += values[term].scaled(factor)
        elif isinstance(term, Rounded):
            result += rounded(term.operator, renamed(term.form, values), term.divisor).scaled(factor)
        elif isinstance(term, Bordered):
            inner = Bordered(term.mode, renamed(term.form, values), renamed(term.extent, values))
            result += Affine(((inner, factor),))
        elif isinstance(term, str) and term in values:
            result += values[term].scaled(factor)
        else:
            result += Affine(((term, factor),))
    return result


def rounded(operator: str, form: Form, divisor: int) -> Form:
    """The form of a quotient or rest, with what the divisor divides taken out, and rests of rests as one."""
    if operator == "%":
        form = _without_rests(form, divisor)
    whole: Form = Affine(tuple(item for item in form.terms if item[1] % divisor == 0))
    part: Form = Affine(tuple(item for item in form.terms if item[1] % divisor), form.constant)
    if part.number is not None:
        return form.divided(divisor) if operator == "//" else Affine(constant=part.constant % divisor)
    rest: Form = Affine(((Rounded(operator, part, divisor), 1),))
    return whole.divided(divisor) + rest if operator == "//" else rest


def _without_rests(form: Form, divisor: int) -> Form:
    """A form that has the same rest: with `n` in place of `n % m` where the divisor divides m."""
    result: Form = Affine(constant=form.constant)
    for term, factor in form.terms:
        is_rest = isinstance(term, Rounded) and term.operator == "%" and term.divisor % divisor == 0
        own: Form = term.form if is_rest and isinstance(term, Rounded) else Affine(((term, 1),))
        result += own.scaled(factor)
    return result


def as_data(form: Form) -> Form:
    """A subscript whose rounded and bordered parts are computed as data: reads have no loops of their own."""
    result: Form = Affine(constant=form.constant)
    for term, factor in form.terms:
        is_plain = not isinstance(term, Rounded | Bordered)
        own = term if is_plain else Dynamic(COperation("form", "i32", form=Affine(((term, 1),))))
        result += Affine(((own, factor),))
    return result


def hangs_on_data(access: ElementAccess) -> bool:
    """Whether data decide which element this is."""
    return any(without_data(form) is None for form in access.subscripts)


def without_data(form: Form) -> Form | None:
    """A subscript in which what is rounded or bordered was taken for data, as a form; None where it depends on data."""
    exact = as_forms(form)
    return None if any(isinstance(term, Dynamic) for term, _ in exact.terms) else exact


def as_forms(form: Form) -> Form:
    """A subscript with forms in place of what was taken for data but depends on none."""
    result: Form = Affine(constant=form.constant)
    for term, factor in form.terms:
        inner = term.value.form if isinstance(term, Dynamic) else None
        result += Affine(((term, factor),)) if inner is None else inner.scaled(factor)
    return result


def names_of(form: Form) -> set[str]:
    """The loops and consts in a form, also in what is rounded or bordered."""
    names: set[str] = set()
    for term, _ in form.terms:
        if isinstance(term, str):
            names.add(term)
        elif isinstance(term, Rounded):
            names |= names_of(term.form)
        elif isinstance(term, Bordered):
            names |= names_of(term.form) | names_of(term.extent)
    return names


def number_at(form: Form, values: Mapping[str, int | float]) -> int | None:
    """The number that a form is at these values of consts; None where it has other terms, or a const that is no int."""
    number = form.constant
    for term, factor in form.terms:
        value = values.get(term) if isinstance(term, str) else None
        if not isinstance(value, int):
            return None
        number += factor * value
    return number


def renamed_condition(condition: ElementGuard, values: Mapping[Any, Form]) -> ElementGuard:
    """The condition with forms in place of some names."""
    form = None if condition.form is None else renamed(condition.form, values)
    return ElementGuard(condition.kind, form, tuple(renamed_condition(one, values) for one in condition.parts))


def isl_condition(condition: ElementGuard) -> str:
    """A condition as isl writes it."""
    if condition.form is None:
        return "(" + f" {condition.kind} ".join(map(isl_condition, condition.parts)) + ")"
    return f"{isl_text(condition.form)} {'=' if condition.kind == '==' else condition.kind} 0"


def condition_texts(conditions: Iterable[ElementGuard], names: Mapping[str, str], consts: Collection[str]) -> list[str]:
    """Conditions in the language, each once: `i >= 1`, `j <= N - 2`. What varies stands left."""
    values: dict[str, Form] = {name: Affine(((new, 1),)) for name, new in names.items()}
    return list(dict.fromkeys(_condition_text(renamed_condition(one, values), consts) for one in conditions))


def _condition_text(condition: ElementGuard, consts: Collection[str]) -> str:
    if condition.form is None:
        return "(" + f" {condition.kind} ".join(_condition_text(one, consts) for one in condition.parts) + ")"
    form = condition.form
    varying = [term for term in form.terms if not (isinstance(term[0], str) and term[0] in consts)]
    left: Form = Affine(tuple(term for term in varying if term[1] > 0))
    if left.terms or not varying:
        return f"{form_text(left)} {condition.kind} {form_text(left - form)}"
    left = Affine(tuple((name, -factor) for name, factor in varying))
    turned = {">=": "<="}.get(condition.kind, condition.kind)
    return f"{form_text(left)} {turned} {form_text(form + left)}"


def extreme(form: Form, loops: Sequence[ForLoop], *, greatest: bool) -> Form:
    """A bound of a form over loops, outer ones first, in terms of what is not a loop."""
    result: Form = Affine(constant=form.constant)
    for term, factor in form.terms:
        if isinstance(term, Rounded):
            result += _rounded_extreme(term, loops, greatest=greatest == (factor > 0)).scaled(factor)
        elif isinstance(term, Bordered):
            result += (term.extent - 1).scaled(factor) if greatest == (factor > 0) else Affine()
        else:
            result += Affine(((term, factor),))
    for loop in reversed(loops):
        factor = result.factor(loop.name)
        if factor:
            end = loop.high - 1 if (factor > 0) == greatest else loop.low
            result = result.without(loop.name) + end.scaled(factor)
    return result


def _rounded_extreme(term: Rounded, loops: Sequence[ForLoop], *, greatest: bool) -> Form:
    if term.operator == "//":
        return rounded("//", extreme(term.form, loops, greatest=greatest), term.divisor)
    return Affine(constant=term.divisor - 1 if greatest else 0)


def is_certain(condition: ElementGuard, loops: Sequence[ForLoop]) -> bool:
    """Whether a condition surely holds where loops run through their bounds."""
    if condition.form is None:
        held = [is_certain(one, loops) for one in condition.parts]
        return all(held) if condition.kind == "and" else any(held)
    least = extreme(condition.form, loops, greatest=False).number
    greatest = extreme(condition.form, loops, greatest=True).number
    if condition.kind == ">=":
        return least is not None and least >= 0
    if condition.kind == "==":
        return least == greatest == 0
    return (least is not None and least > 0) or (greatest is not None and greatest < 0)
