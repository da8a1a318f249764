"""Cycle by cycle what the processors of a group start: docs/machine.md, sections 4 and 6."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from oracle_accesses import Point, RefusedError, defaults, inputs, minus, outputs, plus
from oracle_steps import Run, Stepped

from arrayol.ir.spec import Tiler
from hwmodel.accesses import Accesses
from hwmodel.cost_model.group.group import Group
from hwmodel.cost_model.memories.local_ports import LocalPorts
from hwmodel.datapath.figures import Datapath
from hwmodel.design import Blocks


def schedules_of(of: Stepped, steps: Iterable[int]) -> Schedules:
    """The schedules of all steps. Raises RefusedError for more units than can work, and FIFOs in another order."""
    found = Schedules(of)
    for pipeline in found.pipelines():
        for step in steps:
            for task in pipeline:
                longest = max((len(line) for line in found.lines(task, step)), default=0)
                found.most[task] = max(found.most.get(task, 0), longest)
            found.run(pipeline, step)
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
    fills: dict[str, int] = field(default_factory=dict)

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
        """The place of r in the order of a level."""
        cut = {processor.task: processor.cut for processor in self.of.design.processors}[task]
        blocks = self.of.design.blocks if task == self.of.last else cut
        scan = list(range(len(r))) if blocks is None else list(blocks.scan.innermost.dimensions)
        place = dict(zip(scan, r if blocks is None else self.of.block_place(task, self.points(blocks), r), strict=True))
        if len(self.of.delays(task)) == 1 and len(self.delayed(task)) == 1:
            ((dimension, step),) = self.delayed(task)
            place[dimension] = r[dimension] if step > 0 else -r[dimension]
            scan = [dimension, *(one for one in scan if one != dimension)]
        along = self.along(task)
        scan = [one for one in scan if one != along] + [one for one in scan if one == along]
        return tuple(place[one] for one in scan)

    def points(self, blocks: Blocks) -> Blocks:
        return Blocks((1,) * len(blocks.shape), blocks.scan.innermost)

    def delayed(self, task: str) -> list[tuple[int, int]]:
        return [(k, step) for delay in self.of.delays(task) for k, step in enumerate(delay.vector) if step]

    def rides(self, task: str) -> dict[int, int]:
        """By dimension of the last task the one of this task that rides on it."""
        if task == self.of.last:
            return {k: k for k in range(len(self.of.space(task)))}
        found = {there: own for there, own, _ in self.of.goes_with(task)} if task in self.of.lasts else {}
        for array, writing, _ in outputs(self.of.network.processes[task]):
            for reader in self.of.readers(array):
                process = self.of.network.processes[reader]
                for name, reading, _ in (*inputs(process), *defaults(process)):
                    for block, along in self.rides(reader).items() if name == array else ():
                        for axis in range(len(self.of.shape(array))):
                            for own in range(len(self.of.space(task))):
                                there = self.moves(reader, array, reading, axis, along)
                                if block not in found and there and self.moves(task, array, writing, axis, own):
                                    found[block] = own
        return found

    def moves(self, task: str, array: str, tiler: Tiler, axis: int, dimension: int) -> bool:
        """Whether another index of a dimension touches other elements along an axis."""
        factor, declared = tiler.paving[axis][dimension], self.of.network.arrays[array].shape[axis]
        around = tiler.wrap and declared is not None and factor % declared == 0
        return self.of.space(task)[dimension] > 1 and factor != 0 and not around

    def along(self, task: str) -> int | None:
        """The unit dimension."""
        delayed = [k for k, _ in self.delayed(task)]
        if len(delayed) > 1:
            return None
        rides = self.rides(task)
        inwards = [rides[k] for k in self.of.design.blocks.scan.dimensions[::-1] if k in rides]
        for k in (*inwards, *range(len(self.of.space(task)))[::-1]):
            if self.of.space(task)[k] > 1 and k not in delayed:
                return k
        return None

    def levels(self, task: str, step: int) -> list[list[Run]]:
        """The runs of a step by how many of the step a chain of delays has before each."""
        members = {run.r: run for run in self.runs(task, step)}

        def before(r: Point) -> int:
            earlier = (minus(r, delay.vector) for delay in self.of.delays(task))
            return max((1 + before(one) for one in earlier if one in members), default=0)

        found: dict[int, list[Run]] = defaultdict(list)
        for r, run in members.items():
            found[before(r)].append(run)
        return [sorted(found[level], key=lambda run: self.rank(task, run.r)) for level in sorted(found)]

    def lines(self, task: str, step: int) -> list[list[Run]]:
        """The lines of a step in the order of issue."""
        found = []
        for level in self.levels(task, step):
            for before, run in zip([None, *level], level, strict=False):
                if before is None or not self.neighbours(task, before, run):
                    found.append([])
                found[-1].append(run)
        return found

    def neighbours(self, task: str, before: Run, run: Run) -> bool:
        """Whether a run goes on the line of the one before."""
        distance = [abs(now - then) for now, then in zip(run.r, before.r, strict=True)]
        return sum(distance) == 1 and distance.index(1) == self.along(task)

    def fill(self, task: str) -> int:
        """The rounds before each line; what windows are taken is tested with local_ports."""
        if task not in self.fills:
            ports = LocalPorts.of(Group(Accesses(self.of.network), self.of.tasks), self.of.platform, self.of.design)
            units = next(one.units for one in self.of.design.processors if one.task == task)
            self.fills[task] = ports.fill(task, units, self.occupancy(task))
        return self.fills[task]

    def rounds(self, task: str, step: int) -> list[list[Run]]:
        units = next(one.units for one in self.of.design.processors if one.task == task)
        return [line[first : first + units] for line in self.lines(task, step) for first in range(0, len(line), units)]

    def near(self, task: str, step: int) -> bool:
        """Whether the first level is one round."""
        levels = self.levels(task, step)
        first = {run.r for run in levels[0]} if levels else set()
        return sum(bool({run.r for run in each} & first) for each in self.rounds(task, step)) == 1

    def run(self, pipeline: set[str], step: int) -> None:
        """Schedule a step."""
        occupied = {task: self.occupancy(task) for task in pipeline}
        there = self.arrivals(pipeline, step, occupied)
        begun: dict[tuple[str, Point], int] = {}
        for task in [task for task in self.of.tasks if task in pipeline]:
            if len(self.delayed(task)) > 1 and len(pipeline) == 1:
                self.run_greedily(task, step, begun, there)
                continue
            time, near = 0, self.near(task, step)
            left = self.runs(task, step)
            begins = {line[0] for line in self.lines(task, step)}
            for together in self.rounds(task, step):
                time += self.fill(task) * occupied[task] if together[0] in begins else 0
                while not all(self.ready(task, run, left, begun, there, (time, near)) for run in together):
                    time += occupied[task]
                for run in together:
                    left.remove(run)
                    begun[task, run.r] = self.start[task, step, run] = time
                time += occupied[task]

    def run_greedily(
        self,
        task: str,
        step: int,
        begun: dict[tuple[str, Point], int],
        there: dict[tuple[str, Run], list[tuple[str, Point, int]]],
    ) -> None:
        left, time, near = self.runs(task, step), 0, self.near(task, step)
        remaining = self.remaining(task, left)
        while left:
            ready = [run for run in left if self.ready(task, run, left, begun, there, (time, near))]
            for run in sorted(ready, key=lambda run: (-remaining[run.r], self.rank(task, run.r)))[:1]:
                left.remove(run)
                begun[task, run.r] = self.start[task, step, run] = time
            time += self.occupancy(task)

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
        found, local = interval or min(offered), self.of.platform.local
        sides = [
            (array, place, writes)
            for run in self.of.runs[task]
            for writes in (False, True)
            for array, place in self.of.places(task, run.r, writes=writes)
            if any(layout.array == array for layout in self.of.design.layouts)
        ]
        rounds = max(1, found // local.access_cycles)
        while not all(self.is_served(*side, rounds) for side in sides):
            rounds += 1
        return max(found, rounds * local.access_cycles) if sides else found

    def is_served(self, array: str, places: list[Point], writes: bool, rounds: int) -> bool:
        """Whether no bank of a layout has more places of one chunk than ports."""
        layout = next(one for one in self.of.design.layouts if one.array == array)
        ports = 2 if self.of.platform.local.ports == "1w2r" and not writes else 1
        chunks: dict[tuple[int, int], set[Point]] = defaultdict(set)
        for e, place in enumerate(places):
            chunk = math.ceil((e + 1) * rounds / len(places)) - 1 if writes else e // math.ceil(len(places) / rounds)
            value = sum(a * x for a, x in zip(layout.vector, place, strict=True))
            chunks[chunk, math.floor(value / layout.block) % layout.banks].add(place)
        return max(map(len, chunks.values())) <= ports
