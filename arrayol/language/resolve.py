"""From definitions to the resolved components of a specification."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

from arrayol.ir import syntax
from arrayol.ir.spec import Component, Elementary
from arrayol.language.bodies import resolve_body
from arrayol.language.diagnose import Mistake, Mistakes, mistake
from arrayol.language.fragment import BODY, Fragment
from arrayol.language.namespace import Definitions
from arrayol.language.repetitions import resolve_repetition
from arrayol.language.signatures import Signature, resolve_signature
from arrayol.language.tasks import resolve_compound

_EXTERN = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")


@dataclass(frozen=True, slots=True)
class Resolved:
    """Every component as far as it could be resolved, and the signatures of all whose ports are sound."""

    fragments: tuple[Fragment, ...]
    signatures: Mapping[str, Signature]

    @property
    def components(self) -> dict[str, Component]:
        """The components without mistakes, by name, in textual order."""
        return {found.component.name: found.component for found in self.fragments if found.whole}


def resolve_components(definitions: Definitions, mistakes: Mistakes) -> Resolved:
    """Resolve every elementary and task; mistakes are noted, and what is sound beside them is kept."""
    items = [item for item in definitions.by_name.values() if isinstance(item, (syntax.Elementary, syntax.Task))]
    signatures: dict[str, Signature] = {}
    for item in items:
        signature = mistakes.attempt(lambda item=item: resolve_signature(item, definitions, mistakes))  # type: ignore[misc]
        if signature is not None:
            signatures[item.name.text] = signature
    circular = _check_circles(items, mistakes)
    fragments = mistakes.sound_of(items, lambda item: _fragment(item, signatures, definitions, mistakes))
    return Resolved(tuple(found for found in fragments if found.component.name not in circular), signatures)


def _fragment(
    item: syntax.Elementary | syntax.Task,
    signatures: Mapping[str, Signature],
    definitions: Definitions,
    mistakes: Mistakes,
) -> Fragment:
    if isinstance(item, syntax.Elementary):
        return _elementary(item, signatures.get(item.name.text), definitions, mistakes)
    if isinstance(item.content, syntax.Repeat):
        return resolve_repetition(item, item.content, signatures, definitions, mistakes)
    return Fragment(resolve_compound(item, item.content, signatures, definitions, mistakes))


def _elementary(
    item: syntax.Elementary, signature: Signature | None, definitions: Definitions, mistakes: Mistakes
) -> Fragment:
    if signature is None:
        raise Mistake
    if item.extern is not None and not _EXTERN.fullmatch(item.extern):
        message = f"'{item.extern}' does not name a Python callable"
        raise mistake("bad-extern", message, item.span, 'write it as extern "package.module:function"')
    body, whole = (None, True) if item.body is None else resolve_body(item.body, signature, definitions, mistakes)
    component = Elementary(item.name.text, signature.inputs, signature.outputs, body, item.extern, item.name.span)
    return Fragment(component, frozenset() if whole else frozenset({BODY}))


def _check_circles(items: list[syntax.Elementary | syntax.Task], mistakes: Mistakes) -> set[str]:
    """Names of the tasks that call each other in a circle, each circle told once."""
    tasks = {item.name.text: item for item in items if isinstance(item, syntax.Task)}
    calls = {name: sorted(_callees(item) & tasks.keys()) for name, item in tasks.items()}
    circular: set[str] = set()
    while True:
        try:
            TopologicalSorter(calls).prepare()
        except CycleError as failure:
            circle: list[str] = failure.args[1][::-1]
            first = tasks[circle[0]]
            message = f"tasks call each other in a circle: {' -> '.join(circle)}"
            hint = "a task is made of simpler ones; a value of an earlier instance comes through a delay"
            mistakes.report("task-cycle", message, first.name.span, hint)
            circular.update(circle)
            calls = {name: [used for used in uses if used not in circular] for name, uses in calls.items()}
            calls = {name: uses for name, uses in calls.items() if name not in circular}
        else:
            return circular


def _callees(item: syntax.Task) -> set[str]:
    if isinstance(item.content, syntax.Repeat):
        return {item.content.callee.text}
    return {call.callee.text for call in item.content}
