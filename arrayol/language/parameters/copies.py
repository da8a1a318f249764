"""Names of copies with parameters: as people see them in messages, and as they type them, as `mac[3, 16]`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from arrayol.errors import Diagnostic, error
from arrayol.ir import syntax
from arrayol.ir.spec import Copy, Spec
from arrayol.language.constants import Constants
from arrayol.language.parameters.values import value_of
from arrayol.language.syntax.diagnose import Mistake, did_you_mean
from arrayol.language.syntax.parser import expressions_of
from arrayol.language.syntax.printer import expression
from arrayol.text import listed

# Messages: copies under the name of their definition with values; a mistake of several copies is told once.


def in_copies(found: Mapping[str, Sequence[Diagnostic]], copies: Mapping[str, Copy]) -> Iterator[Diagnostic]:
    """The mistakes of all components, by the name of each: those in copies say in which.

    Mistakes of the first copy of a definition only, where several have them at the same place.
    """
    firsts: dict[tuple[object, ...], tuple[str, Diagnostic]] = {}
    others: dict[tuple[object, ...], set[str]] = {}
    for name, diagnostics in found.items():
        for diagnostic in diagnostics:
            if name not in copies:
                yield _with_shown_names(diagnostic, copies)
                continue
            place = diagnostic.span.place if diagnostic.span else None
            same = (copies[name].definition, diagnostic.code, place)
            firsts.setdefault(same, (name, diagnostic))
            others.setdefault(same, set()).add(name)
    for key, (name, diagnostic) in firsts.items():
        yield _in_copy(diagnostic, str(copies[name]), len(others[key]) - 1, copies)


def _in_copy(diagnostic: Diagnostic, shown: str, more: int, copies: Mapping[str, Copy]) -> Diagnostic:
    told = _with_shown_names(diagnostic, copies)
    message, also = told.message, f"{more} more {'copy' if more == 1 else 'copies'}"
    if f"'{shown}'" in message:
        return replace(told, message=f"{message}; so in {also}") if more else told
    return replace(told, message=f"{message}, in {shown}" + (f" and {also}" if more else ""))


def _with_shown_names(diagnostic: Diagnostic, copies: Mapping[str, Copy]) -> Diagnostic:
    """A diagnostic with `'mac[3, 16]'` in the place of `'mac_3_16'`."""
    if not copies:
        return diagnostic

    def shown(text: str) -> str:
        return re.sub(r"'(\w+)'", lambda word: f"'{copies[word[1]]}'" if word[1] in copies else word[0], text)

    hint = None if diagnostic.hint is None else shown(diagnostic.hint)
    return replace(diagnostic, message=shown(diagnostic.message), hint=hint)


_WITH_VALUES = re.compile(r"\s*([A-Za-z_]\w*)\s*\[(.*)\]\s*", re.ASCII | re.DOTALL)
_SHOWN = 3  # copies that a hint names


def component_name(spec: Spec, typed: str) -> str | None:
    """The component that a typed name means, None where there is none."""
    if typed in spec.components:
        return typed
    match = _WITH_VALUES.fullmatch(typed)
    items = expressions_of(match[2]) if match else None
    if not match or items is None:
        return None
    values = [_readings(spec, item) for item in items]
    return next((name for name, copy in spec.copies.items() if _is_of(copy, match[1], values)), None)


def _is_of(copy: Copy, definition: str, values: list[set[str]]) -> bool:
    if copy.definition != definition or len(copy.values) != len(values):
        return False
    return all(value in readings for value, readings in zip(copy.values, values, strict=True))


def _readings(spec: Spec, item: syntax.Expr) -> set[str]:
    """What a value can mean: a type by its name, and a number by any expression of consts."""
    readings = {expression(item)}
    with suppress(Mistake):
        readings.add(value_of(Constants(spec.constants, frozenset(), {}).evaluate(item), None).text)
    return readings


def copies_of(spec: Spec, definition: str) -> tuple[str, ...]:
    """The copies of a definition with parameters that the specification has."""
    return tuple(
        name for name, copy in spec.copies.items() if copy.definition == definition and name in spec.components
    )


def has_parameters(spec: Spec, name: str) -> bool:
    """Whether it is the name of a definition with parameters."""
    items = (item for item in spec.items if isinstance(item, (syntax.Elementary, syntax.Task)) and item.parameters)
    return any(item.name.text == name for item in items) or bool(copies_of(spec, name))


def refuse_without_values(spec: Spec, typed: str) -> None:
    """Raises ArrayolError (`parametric-top`) for the name of a definition with parameters."""
    if has_parameters(spec, typed):
        message = f"'{typed}' has parameters: without values it is no task to name"
        raise error("parametric-top", message, hint=nearest(spec, typed), file=spec.name)


def nearest(spec: Spec, typed: str) -> str:
    """A hint for a name that means no component."""
    match = _WITH_VALUES.fullmatch(typed)
    definition = match[1] if match else typed
    shown = [str(spec.copies[name]) for name in copies_of(spec, definition)]
    if shown:
        copies = "its copies are" if len(shown) > 1 else "its only copy is"
        return f"{copies} {listed(shown) if len(shown) <= _SHOWN else ', '.join([*shown[:_SHOWN], '...'])}"
    if has_parameters(spec, definition):
        return "use it in a task without parameters: that gives it values"
    return did_you_mean(typed, spec.components) or f"its tasks are {', '.join(spec.tasks)}"
