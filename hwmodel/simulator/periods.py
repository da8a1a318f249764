"""Groups that run at the same time, each on another frame, with one port between them.

All groups start in the first cycle of a period. A step of a group computes from its first cycle on. If it loads or
stores, it asks for the port in that cycle, and the port serves it whole: of the groups that wait when the port is free,
the next one after the group that it served last. Nothing here knows how long a period should be.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

from hwmodel.accesses import Accesses
from hwmodel.simulator.events import Events
from hwmodel.simulator.schedule.plan import fault


@dataclass(frozen=True, slots=True)
class StepUse:
    """The cycles that a step of a group computes, and those in which the port serves it."""

    computing: int
    port: int


def uses_of(events: Events) -> tuple[StepUse, ...]:
    """What each step of a group by itself takes."""
    return tuple(
        StepUse(max(step.computing.values(), default=0), max((burst.end for burst in step.bursts), default=0))
        for step in events
    )


@dataclass(frozen=True)
class PeriodRun:
    """A period of so many cycles: the cycle in which each group ended in it, and for how many the port served it.

    `copies` are those of arrays outside.
    """

    cycles: int
    ends: tuple[int, ...]
    at_port: tuple[int, ...]
    copies: Mapping[str, int] = field(default_factory=dict)


def run_period(groups: Sequence[Sequence[StepUse]], cycles: int) -> PeriodRun:
    """Run all groups for a period. Raises SimulatorError (`period-too-short`) if one does not end in it."""
    ends = _Port(groups).run()
    for number, end in enumerate(ends, 1):
        if end > cycles:
            raise fault("period-too-short", f"group {number} ends after {end:,} cycles, in a period of {cycles:,}")
    return PeriodRun(cycles, ends, tuple(sum(use.port for use in steps) for steps in groups))


class _Port:
    """The groups of a period with the port between them; times are cycles of the period."""

    def __init__(self, groups: Sequence[Sequence[StepUse]]) -> None:
        self.groups = groups
        self.steps = [0] * len(groups)  # the number of the step that runs
        self.ends: list[int | None] = [None] * len(groups)  # of this step; None while it waits for the port
        self.computed = [0] * len(groups)  # until when it computes
        self.free = 0  # from when on the port is
        self.last = len(groups) - 1  # the group that it served last

    def run(self) -> tuple[int, ...]:
        """The cycle in which each group ends."""
        ended, now = [0] * len(self.groups), 0
        running = {number for number, steps in enumerate(self.groups) if steps}
        for number in running:
            self._begin(number, now)
        while running:
            for number in sorted(running):
                while number in running and self.ends[number] == now:
                    self.steps[number] += 1
                    if self.steps[number] == len(self.groups[number]):
                        running.remove(number)
                        ended[number] = now
                    else:
                        self._begin(number, now)
            self._grant(running, now)
            coming = [end for number in running if (end := self.ends[number]) is not None]
            if any(self.ends[number] is None for number in running):
                coming.append(self.free)
            now = min(coming, default=now)
        return tuple(ended)

    def _begin(self, number: int, now: int) -> None:
        use = self.groups[number][self.steps[number]]
        self.computed[number] = now + use.computing
        self.ends[number] = None if use.port else self.computed[number]

    def _grant(self, running: set[int], now: int) -> None:
        """Let the port serve the next group that waits, if it is free."""
        waiting = [number for number in running if self.ends[number] is None]
        if waiting and self.free <= now:
            first = self.last = min(waiting, key=lambda number: (number - self.last - 1) % len(self.groups))
            self.free = now + self.groups[first][self.steps[first]].port
            self.ends[first] = max(self.computed[first], self.free)


def require_copies(accesses: Accesses, groups: Sequence[Sequence[str]], copies: Mapping[str, int]) -> None:
    """Run as many periods as it takes to use all copies of arrays again; frame n lies in copy n mod their number.

    Group g works on frame p - g in period p. An input comes in the period before the first group, outputs are taken in
    the period after the last one. What a group takes of its earlier frames has to stay while it makes another one.
    Raises SimulatorError (`copy-in-use`) if a frame is read that is not there.
    """
    for name, array in accesses.network.arrays.items():
        if accesses.is_resident(name) or array.earlier is not None:
            continue
        number, group_of = copies.get(name, 1), {task: place for place, tasks in enumerate(groups) for task in tasks}
        makers = sorted({group_of[task] for task in array.producers}) or [-1]
        users = {group_of[task] for task in array.readers} | ({len(groups)} if array.is_output else set())
        held: dict[tuple[int, int], int] = {}  # the frame in each copy, of what each group makes
        for turn in range(-1, len(groups) + 2 * number + 1):
            held |= {(maker, (turn - maker) % number): turn - maker for maker in makers}
            for maker, frames in product(makers, accesses.network.taken_later(name)):
                before = turn - maker - frames  # is read until the end of the period
                if before >= 0 and held[maker, before % number] != before:
                    raise fault("copy-in-use", f"'{name}' is made for another frame while one is in use")
            for user in (user for user in users if user not in makers and turn >= user):
                for maker in makers:
                    if held[maker, (turn - user) % number] != turn - user:
                        raise fault("copy-in-use", f"'{name}' is made for another frame while one is in use")
