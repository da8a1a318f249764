"""Copies of elementaries and tasks with parameters as people see them: in messages, and by the names that they type."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from arrayol.errors import Diagnostic
from arrayol.ir.spec import Copy

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
