"""From a simulated design to plain data: the steps that its timeline shows, and all of them for a trace."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate, count

from arrayol.pictures.shown import Bar, GroupShown, StepShown
from arrayol.pictures.trace import GroupTrace
from hwmodel.simulator.events import SimulatedStep
from hwmodel.simulator.port import Burst
from hwmodel.simulator.simulate import AnyRun, Simulation

SHOWN = 6  # steps at either end of a group that a timeline shows


def timeline_of(simulation: Simulation) -> tuple[GroupShown, ...]:
    """The first and last steps of each group."""
    return tuple(
        GroupShown(_title(number, run), run.tasks, tuple(_at_ends(run)), len(run.lengths), run.cycles)
        for number, run in enumerate(simulation.groups, 1)
    )


def trace_of(simulation: Simulation) -> tuple[GroupTrace, ...]:
    """All steps of each group."""
    begin = accumulate((run.cycles for run in simulation.groups), initial=0)
    return tuple(
        GroupTrace(_title(number, run), run.tasks, start, map(_step, count(), run.events))
        for number, (start, run) in enumerate(zip(begin, simulation.groups, strict=False), 1)
    )


def _title(number: int, run: AnyRun) -> str:
    return f"{number}: {', '.join(run.tasks)}"


def _at_ends(run: AnyRun) -> Iterator[tuple[StepShown, ...]]:
    """The first and the last steps; together where none lies between."""
    steps = len(run.events)
    ends = (range(SHOWN), range(steps - SHOWN, steps)) if steps > 2 * SHOWN else (range(steps),)
    for numbers in ends:
        yield tuple(_step(number, run.events[number]) for number in numbers)


def _step(number: int, step: SimulatedStep) -> StepShown:
    loads, stores = (
        tuple(_bar(step, burst) for burst in step.bursts if burst.write is write) for write in (False, True)
    )
    return StepShown(number, step.start, step.length, loads, stores, step.computing)


def _bar(step: SimulatedStep, burst: Burst) -> Bar:
    return burst.array, step.start + burst.start, step.start + burst.end
