"""Paper A's canonical form (section 2): compositions of repetitions of elementary tasks, reached by collapse."""

from __future__ import annotations

from dataclasses import dataclass

from arrayol.errors import ArrayolError, error
from arrayol.ir.network import Network, flatten
from arrayol.ir.spec import CompoundTask, Elementary, RepetitiveTask, Spec, callees
from arrayol.transforms.calls import CallName
from arrayol.transforms.collapse import Collapse
from arrayol.transforms.pipeline import run_steps


@dataclass(frozen=True, slots=True)
class Canonical:
    """A task in canonical form: `spec` is what the steps `first` make of `original`, `network` that form flattened."""

    original: Spec
    first: tuple[Collapse, ...]
    spec: Spec
    network: Network


def canonical_form(spec: Spec, top: str) -> Canonical:
    """What exploration, simulation and reports start from. Raises ArrayolError (`not-canonical`)."""
    first = canonical_steps(spec, top)
    canonical = run_steps(spec, first).spec
    return Canonical(spec, first, canonical, flatten(canonical, top))


def canonical_steps(spec: Spec, top: str) -> tuple[Collapse, ...]:
    """The steps that bring what `top` calls into the canonical form; none where it has it.

    Raises ArrayolError (`not-canonical`) with the task that stops it and the reason.
    """
    steps: list[Collapse] = []
    while (nested := _nested(spec, top)) is not None:
        step = Collapse(CallName(nested.name))
        try:
            spec = step.apply(spec).spec
        except ArrayolError as refusal:
            raise _stopped(nested, refusal) from None
        steps.append(step)
    return tuple(steps)


def _nested(spec: Spec, name: str) -> RepetitiveTask | None:
    """A task below `name`, or itself, that repeats something else than an elementary."""
    component = spec.components[name]
    if isinstance(component, RepetitiveTask):
        return None if isinstance(spec.components[component.callee], Elementary) else component
    if isinstance(component, CompoundTask):
        found = (_nested(spec, callee) for callee in callees(component))
        return next((task for task in found if task is not None), None)
    return None


def _stopped(task: RepetitiveTask, refusal: ArrayolError) -> ArrayolError:
    (found,) = refusal.diagnostics
    return error(
        "not-canonical",
        f"task '{task.name}' repeats '{task.callee}', which is not an elementary task; {found.message}",
        task.span,
        hint="exploration starts from tasks that repeat elementary tasks; put the repetition inside those",
    )
