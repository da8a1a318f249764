"""From a simulated design to the plain data that its timeline is drawn from."""

from __future__ import annotations

from collections.abc import Iterator

from arrayol.pictures.timeline import Bar, GroupShown, StepShown
from hwmodel.simulator.group import GroupRun, Step
from hwmodel.simulator.port import Burst
from hwmodel.simulator.simulate import Simulation


def timeline_of(found: Simulation) -> tuple[GroupShown, ...]:
    """The first and last steps of each group."""
    return tuple(_group(number, run) for number, run in enumerate(found.groups, 1))


def _group(number: int, run: GroupRun) -> GroupShown:
    tasks = tuple(reversed(tuple(run.moves.plan.works)))
    steps = [_step(place, step) for place, step in sorted(run.shown.items())]
    return GroupShown(f"{number}: {', '.join(tasks)}", tasks, tuple(_runs(steps)), len(run.lengths), run.cycles)


def _runs(steps: list[StepShown]) -> Iterator[tuple[StepShown, ...]]:
    """Steps that follow each other, together."""
    first = 0
    for place in range(1, len(steps) + 1):
        if place == len(steps) or steps[place].number > steps[place - 1].number + 1:
            yield tuple(steps[first:place])
            first = place


def _step(number: int, step: Step) -> StepShown:
    loads, stores = (tuple(_bar(step, one) for one in step.bursts if one.write is write) for write in (False, True))
    return StepShown(number, step.start, step.length, loads, stores, step.computing)


def _bar(step: Step, burst: Burst) -> Bar:
    return burst.array, step.start + burst.start, step.start + burst.end
