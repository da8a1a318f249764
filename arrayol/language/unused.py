"""Definitions that nothing uses: often the trace of a mistake, so a warning."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from arrayol.errors import Diagnostic, Severity
from arrayol.ir import syntax
from arrayol.language.namespace import KINDS
from arrayol.language.walk import nodes_in


def unused(items: Sequence[syntax.Item], file: str, mistakes: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """Warnings for the consts, tilers and elementaries of the file itself that nothing refers to.

    An imported file may offer more than is used, a task may be the top one, and a file without tasks may be there to
    be imported. Nothing is said beside an error: a misspelt use would be told twice.
    """
    errors = any(found.severity is Severity.ERROR for found in mistakes)
    if errors or not any(isinstance(item, syntax.Task) for item in items):
        return
    used = {name for item in items for name in _names_used(item)}
    for item in items:
        if isinstance(item, (syntax.Import, syntax.Task)) or item.span.file.name != file:
            continue
        if item.name.text not in used:
            message = f"'{item.name.text}' is {KINDS[type(item)]} that nothing uses"
            yield Diagnostic("unused", message, item.name.span, "remove it, or use it", Severity.WARNING)


def _names_used(item: syntax.Item) -> Iterator[str]:
    """Every name in a definition but its own."""
    if isinstance(item, syntax.Import):
        return
    own = item.name
    for node in nodes_in(item):
        if isinstance(node, syntax.Name) and node is not own:
            yield node.text
