"""Steps one after another; what each one gives is checked before the next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from arrayol.checks.bodies import check_body
from arrayol.checks.check import check_tilers
from arrayol.checks.delays import check_delays
from arrayol.errors import Diagnostic, Severity
from arrayol.ir.spec import Elementary, RepetitiveTask, Spec
from arrayol.language.signatures import Signature
from arrayol.transforms.collapse import Collapse
from arrayol.transforms.fuse import Fuse
from arrayol.transforms.pave import Pave
from arrayol.transforms.tile import Tile
from arrayol.transforms.trace import Transformed, identity

Step = Fuse | Pave | Tile | Collapse


class BrokenStepError(Exception):
    """A step gave a specification with mistakes: one of arrayol itself."""


def run_steps(spec: Spec, steps: Sequence[Step]) -> Transformed:
    """All steps in turn, their traces composed and their remarks in order.

    Raises ArrayolError where a step is refused, BrokenStepError where a result does not check.
    """
    done = Transformed(spec, identity(spec))
    for step in steps:
        following = step.apply(done.spec)
        _require_sound(step, done.spec, following.spec)
        remarks = (*done.remarks, *following.remarks)
        done = Transformed(following.spec, done.trace.then(following.trace), remarks, following.task)
    return done


def _require_sound(step: Step, before: Spec, after: Spec) -> None:
    mistakes = [found for found in _mistakes(before, after) if found.severity is Severity.ERROR]
    if mistakes:
        told = "; ".join(f"[{found.code}] {found.message}" for found in mistakes)
        raise BrokenStepError(f"'{step}' gave a wrong specification: {told}")


def _mistakes(before: Spec, after: Spec) -> Iterator[Diagnostic]:
    """The mistakes of all definitions that were not there before."""
    for name, component in after.components.items():
        if before.components.get(name) is component:
            continue
        if isinstance(component, Elementary):
            yield from check_body(component)
        elif isinstance(component, RepetitiveTask):
            callee = after.components[component.callee]
            yield from check_tilers(component, Signature(callee.inputs, callee.outputs))
            yield from check_delays(component)
