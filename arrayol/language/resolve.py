"""From definitions to the resolved components of a specification."""

from __future__ import annotations

from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter

from arrayol.ir import syntax
from arrayol.ir.model import Component, Elementary
from arrayol.language.bodies import resolve_body
from arrayol.language.compounds import resolve_compound
from arrayol.language.definitions import Definitions
from arrayol.language.mistake import Mistake, Mistakes
from arrayol.language.repetitions import resolve_repetition
from arrayol.language.signatures import Signature, resolve_signature


def resolve_components(definitions: Definitions, mistakes: Mistakes) -> dict[str, Component]:
    """Every elementary and task that has no mistake; the mistakes of the others are noted."""
    items = [item for item in definitions.by_name.values() if isinstance(item, (syntax.Elementary, syntax.Task))]
    signatures: dict[str, Signature] = {}
    for item in items:
        signature = mistakes.attempt(lambda item=item: resolve_signature(item, definitions, mistakes))  # type: ignore[misc]
        if signature is not None:
            signatures[item.name.text] = signature
    circular = _check_circles(items, mistakes)
    components: dict[str, Component] = {}
    for item in items:
        component = mistakes.attempt(lambda item=item: _component(item, signatures, definitions, mistakes))  # type: ignore[misc]
        if component is not None and component.name not in circular:
            components[component.name] = component
    return components


def _component(
    item: syntax.Elementary | syntax.Task,
    signatures: Mapping[str, Signature],
    definitions: Definitions,
    mistakes: Mistakes,
) -> Component:
    if isinstance(item, syntax.Elementary):
        return _elementary(item, signatures.get(item.name.text), definitions, mistakes)
    if isinstance(item.content, syntax.Repeat):
        return resolve_repetition(item, item.content, signatures, definitions, mistakes)
    return resolve_compound(item, item.content, signatures, definitions, mistakes)


def _elementary(
    item: syntax.Elementary, signature: Signature | None, definitions: Definitions, mistakes: Mistakes
) -> Elementary:
    if signature is None:
        raise Mistake
    body = None if item.body is None else resolve_body(item.body, signature, definitions, mistakes)
    return Elementary(item.name.text, signature.inputs, signature.outputs, body, item.extern, item.name.span)


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
