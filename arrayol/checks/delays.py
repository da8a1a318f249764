"""Delays must leave an order of the instances (docs/language.md, "Delays")."""

from __future__ import annotations

from collections.abc import Iterator

from arrayol.checks.check import shown_point
from arrayol.errors import Diagnostic
from arrayol.ir.spec import RepetitiveTask
from arrayol.polyhedral.delays import find_circle


def check_delays(task: RepetitiveTask) -> Iterator[Diagnostic]:
    """The mistake of delays that make an instance wait for itself, with the combination that does."""
    acting = [delay for delay in task.delays if delay.acts]
    circle = find_circle([delay.vector for delay in acting], task.repetition)
    if circle is None:
        return
    used = [(times, delay) for times, delay in zip(circle, acting, strict=True) if times]
    total = tuple(sum(times * delay.vector[axis] for times, delay in used) for axis in range(len(task.repetition)))
    combination = " + ".join(
        shown_point(delay.vector) if times == 1 else f"{times} x {shown_point(delay.vector)}" for times, delay in used
    )
    reason = (
        "an instance would wait for itself" if not any(total) else "an instance would wait for later ones without end"
    )
    yield Diagnostic(
        "no-order",
        f"the delays of '{task.name}' leave no order: {combination} = {shown_point(total)}; {reason}",
        used[0][1].span,
        "an instance may only use earlier ones: turn one of these delays round",
    )
