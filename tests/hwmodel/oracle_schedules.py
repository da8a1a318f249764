"""Cycle by cycle what the processors of a group start: docs/machine.md, sections 4 and 6."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from oracle_accesses import Point, RefusedError, minus, outputs, plus
from oracle_steps import Run, Stepped

from hwmodel.datapath.figures import Datapath
from hwmodel.design import Blocks


def schedules_of(of: Stepped, steps: Iterable[int]) -> Schedules:
    """The schedules of all steps. Raises RefusedError for more units than can work, and FIFOs in another order."""
    found = Schedules(of)
    for pipeline in found.pipelines():
        for step in steps:
            most = found.run(pipeline, step, unlimited=True)
            for task, count in most.items():
                found.most[task] = max(found.most.get(task, 0), count)
            found.run(pipeline, step, unlimited=False)
    for processor in of.design.processors:
        if processor.units > found.most[processor.task] > 0:
            raise RefusedError("too-many-units")
    for array in of.design.fifos:
        ends = of.made()[array], of.readers(array)[0]
        sides = [found.in_order(of.fifo_side(array, task, writes=task == ends[0]), task) for task in ends]
        if sides[0] != sides[1]:
            raise RefusedError("fifo-refused")
    return found


@dataclass
class Schedules:
    """Cycle by cycle, what each processor starts in each step."""

    of: Stepped
    start: dict[tuple[str, int, Run], int] = field(default_factory=dict)
    most: dict[str, int] = field(default_factory=dict)
    occupied: dict[str, int] = field(default_factory=dict)

    def pipelines(self) -> list[set[str]]:
        found = [{task} for task in self.of.tasks]
        for array in self.of.design.fifos:
            ends = {self.of.made()[array], *self.of.readers(array)}
            touched = [one for one in found if one & ends]
            found = [one for one in found if not one & ends] + [set().union(*touched)]
        return found

    def runs(self, task: str, step: int) -> list[Run]:
        return [run for run in self.of.runs[task] if self.of.place(run.tick) + self.of.stage[task] == step]

    def length(self, task: str, step: int) -> int:
        starts = [self.start[task, step, run] for run in self.runs(task, step)]
        return max(starts) + self.occupancy(task) + self.path(task).latency if starts else 0

    def path(self, task: str) -> Datapath:
        return self.of.platform.datapath(self.of.network.processes[task], self.occupancy(task))

    def rank(self, task: str, r: Point) -> Point:
        cut = {processor.task: processor.cut for processor in self.of.design.processors}[task]
        blocks = self.of.design.blocks if task == self.of.last else cut
        return self.of.block_place(task, Blocks((1,) * len(r), blocks.scan), r) if blocks else r

    def run(self, pipeline: set[str], step: int, *, unlimited: bool) -> dict[str, int]:
        """Schedule a step; the most repetitions of each task that run at once."""
        of = self.of
        waiting = {task: self.runs(task, step) for task in of.tasks if task in pipeline}
        occupied = {task: self.occupancy(task) for task in waiting}
        units = {one.task: one.units for one in of.design.processors}
        remaining = {task: self.remaining(task, runs) for task, runs in waiting.items()}
        there = self.arrivals(pipeline, step, occupied)
        begun: dict[tuple[str, Point], int] = {}
        busy: dict[str, list[int]] = {task: [] for task in waiting}
        most = dict.fromkeys(waiting, 0)
        time = 0
        while any(waiting.values()):
            for task, runs in waiting.items():
                busy[task] = [end for end in busy[task] if end > time]
                if time % occupied[task]:
                    continue
                near = unlimited or self.chains(task, self.runs(task, step)) <= units[task]
                ready = [run for run in runs if self.ready(task, run, runs, begun, there, (time, near))]
                ready.sort(key=lambda run, task=task: (-remaining[task][run.r], self.rank(task, run.r)))
                for run in ready[: None if unlimited else units[task] - len(busy[task])]:
                    runs.remove(run)
                    begun[task, run.r] = time
                    busy[task].append(time + occupied[task])
                    self.start[task, step, run] = time
                most[task] = max(most[task], len(busy[task]))
            time += 1
        return most

    def remaining(self, task: str, runs: list[Run]) -> dict[Point, int]:
        members = {run.r for run in runs}

        def chain(r: Point) -> int:
            after = (plus(r, delay.vector) for delay in self.of.delays(task))
            return 1 + max((chain(one) for one in after if one in members), default=0)

        return {r: chain(r) for r in members}

    def ready(
        self,
        task: str,
        run: Run,
        left: list[Run],
        begun: dict[tuple[str, Point], int],
        there: dict[tuple[str, Run], list[tuple[str, Point, int]]],
        now: tuple[int, bool],
    ) -> bool:
        time, near = now
        path, delays = self.path(task), self.of.delays(task)
        for delay in delays:
            before = minus(run.r, delay.vector)
            pair = delay.output, delay.port
            wait = path.recurrence.get(pair, 0)
            if not (near and len(delays) == 1):
                wait += path.through_memory.get(pair, 0)
            if any(other.r == before for other in left):
                return False
            if (task, before) in begun and begun[task, before] + wait > time:
                return False
        for maker, r, lag in there.get((task, run), []):
            if (maker, r) not in begun or begun[maker, r] + lag > time:
                return False
        return True

    def arrivals(
        self, pipeline: set[str], step: int, occupied: dict[str, int]
    ) -> dict[tuple[str, Run], list[tuple[str, Point, int]]]:
        """What the runs of a step wait for: a maker's repetition of the step, and cycles after its start."""
        found: dict[tuple[str, Run], list[tuple[str, Point, int]]] = defaultdict(list)
        for array in self.of.design.fifos:
            maker, reader = self.of.made()[array], self.of.readers(array)[0]
            if maker not in pipeline:
                continue
            makers = {
                datum: (run, self.lag(array, maker, place, occupied[maker]))
                for run, place, datum in self.of.fifo_side(array, maker, writes=True)
            }
            now = self.runs(maker, step)
            for run, _, datum in self.of.fifo_side(array, reader, writes=False):
                if run in self.runs(reader, step) and makers[datum][0] in now:
                    found[reader, run].append((maker, makers[datum][0].r, makers[datum][1]))
        return found

    def lag(self, array: str, maker: str, place: int, occupied: int) -> int:
        process = self.of.network.processes[maker]
        size = next(math.prod(pattern) for name, _, pattern in outputs(process) if name == array)
        return math.ceil((place + 1) * occupied / size) + self.path(maker).latency

    def in_order(self, side: list[tuple[Run, int, tuple[Point, int]]], task: str) -> list[tuple[Point, int]]:
        return [datum for *_, datum in sorted(((*self.moment(task, run), place, datum) for run, place, datum in side))]

    def moment(self, task: str, run: Run) -> tuple[int, int, Point]:
        step = self.of.place(run.tick) + self.of.stage[task]
        return step, self.start[task, step, run], self.rank(task, run.r)

    def depth(self, array: str, began: dict[int, int]) -> int:
        maker, reader = self.of.made()[array], self.of.readers(array)[0]
        first, end = {}, {}
        for run, place, datum in self.of.fifo_side(array, maker, writes=True):
            step, cycle, _ = self.moment(maker, run)
            first[datum] = began[step] + cycle + self.lag(array, maker, place, self.occupancy(maker)) - 1
        for run, _, datum in self.of.fifo_side(array, reader, writes=False):
            step, cycle, _ = self.moment(reader, run)
            end[datum] = began[step] + cycle
        return max(sum(first[datum] <= cycle <= end[datum] for datum in first) for cycle in first.values())

    def chains(self, task: str, runs: list[Run]) -> int:
        """How many chains of the delays of a task work, each of which has one first repetition among the runs."""
        members = {run.r for run in runs}
        befores = ([minus(r, delay.vector) for delay in self.of.delays(task)] for r in members)
        return sum(not any(before in members for before in own) for own in befores)

    def occupancy(self, task: str) -> int:
        if task not in self.occupied:
            self.occupied[task] = self.find_occupancy(task)
        return self.occupied[task]

    def find_occupancy(self, task: str) -> int:
        process = self.of.network.processes[task]
        interval = next(one.interval for one in self.of.design.processors if one.task == task)
        offered = self.of.platform.intervals(process)
        if interval is not None and interval not in offered:
            raise RefusedError("no-such-interval")
        found = interval or min(offered)
        for layout in self.of.design.layouts:
            for run in self.of.runs[task]:
                touched = self.of.reads(task, run.r) | self.of.writes(task, run.r)
                banks: dict[int, int] = defaultdict(int)
                for array, element in touched:
                    if array == layout.array:
                        value = sum(a * x for a, x in zip(layout.vector, element, strict=True))
                        banks[math.floor(value / layout.block) % layout.banks] += 1
                found = max(found, self.of.platform.local.access_cycles * max(banks.values(), default=0))
        return found
