"""Affine forms as text, and their extremes where loops run through their bounds."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from arrayol.c_import.model import Form, Loop
from arrayol.ir.affine import Affine


def form_text(form: Form) -> str:
    """`2 * i - j + 3`, positive terms first."""
    parts = [(name if abs(factor) == 1 else f"{abs(factor)} * {name}", factor) for name, factor in form.terms]
    parts.sort(key=lambda part: part[1] < 0)
    if form.constant:
        place = 0 if form.constant > 0 and parts and parts[0][1] < 0 else len(parts)
        parts.insert(place, (str(abs(form.constant)), form.constant))
    text = "".join(f" {'+' if factor > 0 else '-'} {part}" for part, factor in parts)
    if not text:
        return "0"
    return text[3:] if text.startswith(" + ") else f"-{text[3:]}"


def renamed(form: Form, values: Mapping[str, Form]) -> Form:
    """The form with forms in place of some names."""
    found: Form = Affine(constant=form.constant)
    for name, factor in form.terms:
        found += values[name].scaled(factor) if name in values else Affine(((name, factor),))
    return found


def condition_texts(conditions: Iterable[Form], names: Mapping[str, str], consts: Collection[str]) -> list[str]:
    """That forms are not negative, as comparisons: `i >= 1`, `j <= N - 2`; each once. What varies stands left."""
    values: dict[str, Form] = {name: Affine(((new, 1),)) for name, new in names.items()}
    texts = []
    for condition in conditions:
        form = renamed(condition, values)
        varying = [term for term in form.terms if term[0] not in consts]
        left: Form = Affine(tuple(term for term in varying if term[1] > 0))
        if left.terms or not varying:
            texts.append(f"{form_text(left)} >= {form_text(left - form)}")
        else:
            left = Affine(tuple((name, -factor) for name, factor in varying))
            texts.append(f"{form_text(left)} <= {form_text(form + left)}")
    return list(dict.fromkeys(texts))


def extreme(form: Form, loops: Sequence[Loop], *, greatest: bool) -> Form:
    """A bound of a form over loops, outer ones first, in terms of what is not a loop."""
    for loop in reversed(loops):
        factor = form.factor(loop.name)
        if factor:
            end = loop.high - 1 if (factor > 0) == greatest else loop.low
            form = form.without(loop.name) + end.scaled(factor)
    return form


def is_certain(condition: Form, loops: Sequence[Loop]) -> bool:
    """Whether a form is surely not negative where loops run through their bounds."""
    least = extreme(condition, loops, greatest=False).number
    return least is not None and least >= 0
