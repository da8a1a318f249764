"""Which task a command works on, and settings that do not matter to it."""

from __future__ import annotations

from collections.abc import Iterator

from arrayol.errors import Diagnostic, Severity, error
from arrayol.ir import syntax
from arrayol.ir.spec import Spec
from arrayol.language.namespace import reached
from arrayol.language.parameters.copies import component_name, nearest, refuse_without_values


def idle_settings(spec: Spec, top: str | None = None) -> Iterator[Diagnostic]:
    """A warning for each const that was set without an effect: nothing that `top` is made of uses it.

    Without `top` nothing in the whole specification does.
    """
    used = reached(spec.items, map(spec.definition_of, spec.components if top is None else [top]))
    for name in spec.settings:
        if name not in used:
            what = "nothing" if top is None else f"nothing that '{top}' is made of"
            message = f"--set {name} changes nothing: {what} uses this const"
            yield Diagnostic("unused-setting", message, None, "leave it out", Severity.WARNING, spec.name)


def choose_top(spec: Spec, name: str | None) -> str:
    """The task to work on: the named one, or the one task that nothing calls; a copy also as `conv[3, 16]`.

    Where the specification holds one elementary and no task, it is that, called once. Raises ArrayolError where the
    name is unknown, or where none is given and there is not exactly one top task.
    """
    if name is not None:
        meant = component_name(spec, name)
        if meant is None:
            refuse_without_values(spec, name)
            raise error("unknown-task", f"there is no task '{name}'", hint=nearest(spec, name), file=spec.name)
        return meant
    if len(spec.tops) == 1:
        return spec.tops[0]
    if not spec.tops:
        unfilled = [item.name.text for item in spec.items if isinstance(item, syntax.Task) and item.parameters]
        if unfilled:
            refuse_without_values(spec, unfilled[0])
        if len(spec.elementaries) == 1:
            return next(iter(spec.elementaries))
        raise error(
            "no-top-task",
            "the specification holds no task",
            hint="add one, or name one of its elementaries with --top" if spec.elementaries else "add one",
            file=spec.name,
        )
    names = ", ".join(spec.tops)
    raise error("several-top-tasks", f"nothing calls {names}", hint="name the one you mean with --top", file=spec.name)
