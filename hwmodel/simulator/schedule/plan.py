"""The plan of a group (docs/machine.md, sections 2 and 3): which repetitions run at which tick, and what they need.

It is derived from the design and the access relations only, by the contract's definitions taken literally. As
everything here, it shares no line with the model that it judges: an error that both made in one place would never be
seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from arrayol.errors import ArrayolError, Diagnostic
from arrayol.ir.spec import Delay, Shape
from hwmodel.accesses import Accesses, Extents, Touch, flat, points
from hwmodel.design import Blocks, GroupDesign, Scan
from hwmodel.frame_steps import of_every_frame
from hwmodel.last_tasks import following, last_tasks
from hwmodel.simulator.schedule.patterns import Patterns, touched_patterns

# Delays as pairs of repetitions, and the chains they form.

Who = Callable[[int], str]  # the repetition of an instance of a task, in words


def delay_pairs(delay: Delay, extents: Extents) -> tuple[IntArray, IntArray]:
    """The repetitions r with r - d in the space, and the repetitions r - d, by row-major number."""
    now = points(extents)
    before = now - np.array(delay.vector, np.int64)
    inside = ((before >= 0) & (before < np.array(extents, np.int64))).all(axis=1)
    return flat(now[inside], extents), flat(before[inside], extents)


def chain_positions(delay: Delay, extents: Extents) -> IntArray:
    """For every repetition, the number of repetitions before it in its chain r, r - d, r - 2 d, ..."""
    index = points(extents)
    position = np.full(len(index), np.iinfo(np.int64).max)
    for axis, step in enumerate(delay.vector):
        if step:
            room = index[:, axis] if step > 0 else extents[axis] - 1 - index[:, axis]
            position = np.minimum(position, room // abs(step))
    return position


def levels(keys: IntArray, *, descending: bool = False) -> Iterator[NDArray[np.intp]]:
    """The rows of each distinct key, in the order of the keys."""
    if not len(keys):
        return
    order = np.argsort(keys, kind="stable")
    cuts = np.flatnonzero(np.diff(keys[order])) + 1
    parts = np.split(order, cuts)
    yield from reversed(parts) if descending else parts


def same_frame(delay: Delay, repetition: Shape) -> Delay:
    """The delay without its steps along infinite dimensions, as a relation within one frame."""
    steps = zip(delay.vector, repetition, strict=True)
    return replace(delay, vector=tuple(0 if extent is None else step for step, extent in steps))


# What the simulator stops with.


class SimulatorError(ArrayolError):
    """The simulated machine cannot run the design: `fault` names the rule it breaks."""

    def __init__(self, rule: str, message: str) -> None:
        self.rule = rule
        super().__init__(
            [Diagnostic(f"simulation-{rule}", message, hint="the design does not fit its memories or plan")]
        )


def fault(rule: str, message: str) -> SimulatorError:
    """A SimulatorError for a rule, such as read-before-write, overflow, deadlock or request-too-short."""
    return SimulatorError(rule, message)


@dataclass(frozen=True)
class TaskWork:
    """The instances of a task, each a repetition (by row-major number) at a tick, sorted by tick and then by scan.

    `recomputed` is set if a repetition may have several instances. Each is then for the reads of one tick, `serves`:
    its own tick or, with a cut, the one before which its block is done.
    """

    task: str
    repetition: IntArray
    tick: IntArray
    serves: IntArray
    recomputed: bool


@dataclass(frozen=True)
class GroupTicks:
    """The group's logical time: the block of each tick, and the last (own) tick of each block."""

    block: IntArray
    own: IntArray
    loops: IntArray  # of each block its place in each loop of the scan, (blocks, loops)

    def __len__(self) -> int:
        return len(self.block)

    def prefixes(self, level: int) -> IntArray:
        """The number of each tick's prefix at a level: a new one wherever one of the `level` outer loops goes on.

        At the level of all loops each tick is a prefix.
        """
        if level and level == self.loops.shape[1]:
            return np.arange(len(self.block))
        outer = self.loops[self.block][:, :level]
        return np.concatenate([[0], np.cumsum((outer[1:] != outer[:-1]).any(axis=1))]).astype(np.int64)


@dataclass(frozen=True)
class Plan:
    """All work of a group over its ticks."""

    design: GroupDesign
    last: str
    ticks: GroupTicks
    works: Mapping[str, TaskWork]

    @property
    def scan(self) -> Scan:
        """The scan of the group's blocks."""
        return self.design.blocks.scan

    def blocks_of(self, task: str) -> Blocks | None:
        """The blocks that order a task's repetitions: the group's, those of its cut, or None."""
        cuts = {processor.task: processor.cut for processor in self.design.processors}
        return self.design.blocks if task == self.last else cuts[task]


def plan_of(accesses: Accesses, design: GroupDesign) -> Plan:
    """The plan of a group. Raises SimulatorError (`plan`) if a scan breaks a delay."""
    return _Planner(accesses, design).plan()


def block_loops(blocks: Blocks, extents: Extents) -> IntArray:
    """The place of every repetition's block in each loop of the scan, (loops, repetitions), row-major."""
    indices = np.indices(extents, np.int64).reshape(len(extents), -1) if extents else np.zeros((0, 1), np.int64)
    places, seen = np.zeros((len(blocks.scan.dimensions), indices.shape[1]), np.int64), set[int]()
    for loop, (dimension, descending) in enumerate(zip(blocks.scan.dimensions, blocks.scan.descending, strict=True)):
        place, twice = indices[dimension], dimension in blocks.scan.twice
        if twice and dimension not in seen:
            seen.add(dimension)
            place = place // blocks.outer[dimension]
        elif twice:
            place = place % blocks.outer[dimension] // blocks.shape[dimension]
        else:
            place = place // blocks.shape[dimension]
        places[loop] = place.max() - place if descending else place
    return places


def block_ranks(blocks: Blocks, extents: Extents) -> IntArray:
    """The position of every repetition's block in the scan, row-major; empty blocks are not counted."""
    loops = block_loops(blocks, extents)
    rank = np.zeros(loops.shape[1], np.int64)
    for place in loops:
        rank = rank * (int(place.max()) + 1) + place
    return np.unique(rank, return_inverse=True)[1].ravel() if blocks.outer else rank


def scan_places(blocks: Blocks | None, extents: Extents) -> IntArray:
    """The position of every repetition in the scan over the whole box, row-major; without blocks, the row-major number.

    With blocks of blocks, the repetitions of one block are in the order of the innermost loops.
    """
    if blocks is None:
        return np.arange(int(np.prod(extents, dtype=np.int64)), dtype=np.int64)
    return block_ranks(Blocks((1,) * len(extents), blocks.scan.innermost), extents)


class _Planner:
    def __init__(self, accesses: Accesses, design: GroupDesign) -> None:
        self.accesses = accesses
        self.design = design
        self.inside = set(design.tasks)
        self.followed = following(accesses, design.tasks)
        *_, self.last = last_tasks(accesses.network, design.tasks)  # the leading one
        self.blocks = {processor.task: processor.cut for processor in design.processors}
        self.blocks[self.last] = design.blocks
        self.works: dict[str, TaskWork] = {}
        ranks = block_ranks(design.blocks, accesses.extents(self.last))
        count = int(ranks.max()) + 1
        first = np.unique(ranks, return_index=True)[1]
        loops = block_loops(design.blocks, accesses.extents(self.last))[:, first].T
        self.ticks = GroupTicks(np.arange(count), np.arange(count), loops)

    def plan(self) -> Plan:
        for task, blocks in self.blocks.items():
            if blocks is not None:
                self._require_legal(task, blocks)
        for task in reversed([name for name in self.accesses.network.processes if name in self.inside]):
            self._schedule(task)
        return Plan(self.design, self.last, self.ticks, self.works)

    def _require_legal(self, task: str, blocks: Blocks) -> None:
        """Raises SimulatorError (`plan`) if an acting delay reads from a later block."""
        extents = self.accesses.extents(task)
        ranks = block_ranks(blocks, extents)
        for delay in self.accesses.delays(task):
            now, before = delay_pairs(delay, extents)
            wrong = np.flatnonzero(ranks[before] > ranks[now])
            if len(wrong):
                point = tuple(int(i) for i in np.unravel_index(now[wrong[0]], extents))
                raise fault("plan", f"the scan of '{task}' runs repetition {point} before what its delay needs")

    def _schedule(self, task: str) -> None:
        if task == self.last:
            ranks = block_ranks(self.design.blocks, self.accesses.extents(task))
            self._add(task, np.arange(len(ranks)), ranks, recomputed=False)
        elif task in self.followed:
            need = self._needed_by_later_frames(task, self._closed(task, self._leading_ticks(task)))
            self._add(task, np.arange(len(need)), need, recomputed=False)
        elif self.design.recompute and not (self.accesses.delays(task) or self._across(task)):
            self._add(task, *self._every_need(task), recomputed=True)
        else:
            need = self._first_need(task)
            runs = np.flatnonzero(need < len(self.ticks))
            self._add(task, runs, need[runs], recomputed=False)
        cut = self.blocks[task]
        if task != self.last and cut is not None:
            self._cut(task, cut)

    def _leading_ticks(self, task: str) -> IntArray:
        """The first tick at which a repetition runs of the leading task that each of a last task goes with."""
        leading, space = self.works[self.last], self.accesses.extents(self.last)
        points, own = (self.accesses.repetitions(name) for name in (self.last, task))
        place, beside = np.zeros(len(points), np.int64), np.zeros(len(own), np.int64)
        for loop in self.followed[task]:
            end, pace = space[loop.leading], loop.pace
            goes_with = np.minimum(own[:, loop.own] * pace.numerator // pace.denominator, end - 1)
            place, beside = place * end + points[:, loop.leading], beside * end + goes_with
        first = np.full(int(place.max()) + 1, len(self.ticks))
        np.minimum.at(first, place[leading.repetition], leading.tick)
        return first[beside]

    def _add(self, task: str, repetition: IntArray, tick: IntArray, *, recomputed: bool) -> None:
        self.works[task] = self._sorted(TaskWork(task, repetition, tick, tick, recomputed))

    def _sorted(self, work: TaskWork) -> TaskWork:
        places = scan_places(self.blocks[work.task], self.accesses.extents(work.task))
        order = np.lexsort((places[work.repetition], work.tick))
        return replace(work, repetition=work.repetition[order], tick=work.tick[order], serves=work.serves[order])

    def _first_need(self, task: str) -> IntArray:
        """The first tick that needs each repetition; the number of ticks if none does."""
        never = len(self.ticks)
        repetitions = self.accesses.repetitions(task)
        need = np.full(len(repetitions), never)
        for touch in self.accesses.writes[task]:
            rows, elements = self.accesses.touched(touch, repetitions)
            first = self._first_reads(touch.array)[elements].min(axis=1, initial=never)
            need[rows] = np.minimum(need[rows], first)
        need = self._closed(task, need)
        outside = self._needed_outside(task, repetitions) & (need == never)
        need[outside] = never - 1
        return self._needed_by_later_frames(task, self._closed(task, need))

    def _needed_by_later_frames(self, task: str, need: IntArray) -> IntArray:
        """Let repetitions that only delays of the next frame read run at the last tick."""
        never, extents = len(self.ticks), self.accesses.extents(task)
        across = [same_frame(delay, self.accesses.network.processes[task].repetition) for delay in self._across(task)]
        while True:
            later = need.copy()
            for delay in across:
                now, before = delay_pairs(delay, extents)
                late = (later[now] < never) & (later[before] == never)
                later[before[late]] = never - 1
            later = self._closed(task, later)
            if np.array_equal(later, need):
                return later
            need = later

    def _across(self, task: str) -> list[Delay]:
        """The acting delays that reach back to earlier frames."""
        process = self.accesses.network.processes[task]
        return [
            delay
            for delay in process.delays
            if delay.acts
            and any(step and extent is None for step, extent in zip(delay.vector, process.repetition, strict=True))
        ]

    def _every_need(self, task: str) -> tuple[IntArray, IntArray]:
        """All pairs of a repetition and a tick that needs it.

        Repetitions that only the outside needs run at the last tick.
        """
        repetitions = self.accesses.repetitions(task)
        pairs = []
        for touch in self.accesses.writes[task]:
            rows, elements = self.accesses.touched(touch, repetitions)
            writer = np.full(self.accesses.size(touch.array), -1)
            writer[elements] = rows[:, None]
            read, tick = self._reads_of(touch.array)
            pairs.append(np.stack([writer[read], tick], axis=1)[writer[read] >= 0])
        needs = np.unique(np.concatenate(pairs), axis=0) if pairs else np.zeros((0, 2), np.int64)
        only_outside = self._needed_outside(task, repetitions)
        only_outside[needs[:, 0]] = False
        last_tick_runs = np.flatnonzero(only_outside)
        needs = np.concatenate(
            [needs, np.stack([last_tick_runs, np.full(len(last_tick_runs), len(self.ticks) - 1)], axis=1)]
        )
        return needs[:, 0], needs[:, 1]

    def _reads_of(self, array: str) -> tuple[IntArray, IntArray]:
        """All reads of an array inside the group: elements and ticks, flat."""
        elements, ticks = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for work, rows, patterns in self._readers_of(array):
            reads, tick = patterns.split_by(work.tick[rows])
            elements.append(reads.distinct.reshape(-1))
            ticks.append(np.repeat(tick, reads.size))
        return np.concatenate(elements), np.concatenate(ticks)

    def _first_reads(self, array: str) -> IntArray:
        """The first tick at which each element of an array is read; the number of ticks if never."""
        first = np.full(self.accesses.size(array), len(self.ticks))
        for work, rows, patterns in self._readers_of(array):
            np.minimum.at(first, patterns.distinct, patterns.least(work.tick[rows])[:, None])
        return first

    def _readers_of(self, array: str) -> Iterator[tuple[TaskWork, NDArray[np.intp], Patterns]]:
        """For each tiler inside the group that reads an array: the work, its rows that read, and their patterns."""
        for work in self.works.values():
            for touch in self.accesses.reads[work.task]:
                if touch.array == array:
                    yield work, *touched(self.accesses, touch, work)

    def _needed_outside(self, task: str, repetitions: IntArray) -> NDArray[np.bool_]:
        """Mask of a task's repetitions that write an element that is needed outside."""
        needed = np.zeros(len(repetitions), np.bool_)
        for touch in self.accesses.writes[task]:
            wanted = outside_elements(self.accesses, touch.array, self.inside)
            rows, elements = self.accesses.touched(touch, repetitions)
            needed[rows] |= wanted[elements].any(axis=1)
        return needed

    def _closed(self, task: str, need: IntArray) -> IntArray:
        """Close a need under the task's delays: r - d is needed at the latest at the tick of r."""
        extents = self.accesses.extents(task)
        closed = need.copy()
        while True:
            before_all = closed.copy()
            for delay in self.accesses.delays(task):
                now, before = delay_pairs(delay, extents)
                for rows in levels(chain_positions(delay, extents)[now], descending=True):
                    closed[before[rows]] = np.minimum(closed[before[rows]], closed[now[rows]])
            if np.array_equal(before_all, closed):
                return closed

    def _cut(self, task: str, blocks: Blocks) -> None:
        """Split the task's work at each tick by the blocks of its cut, and insert the ticks that are missing."""
        work = self.works[task]
        piece = block_ranks(blocks, self.accesses.extents(task))[work.repetition]
        order = np.lexsort((piece, work.tick))
        tick, piece = work.tick[order], piece[order]
        fresh = np.ones(len(tick), np.bool_)
        fresh[1:] = (tick[1:] != tick[:-1]) | (piece[1:] != piece[:-1])
        numbers = np.cumsum(fresh) - 1  # of all pieces, in the order in which they are done
        busy, first, count = np.unique(tick[fresh], return_index=True, return_counts=True)
        room = np.diff(busy, prepend=-1) - 1
        moved = self._insert(busy, np.maximum(0, count - 1 - room))
        own_tick = moved[tick] - (count - 1)[np.searchsorted(busy, tick)]
        own_tick += numbers - first[np.searchsorted(busy, tick)]
        self.works[task] = self._sorted(
            replace(work, repetition=work.repetition[order], tick=own_tick, serves=moved[tick])
        )

    def _insert(self, before: IntArray, counts: IntArray) -> IntArray:
        """Insert `counts` ticks just before each tick of `before`; returns the new number of each old tick."""
        added = np.zeros(len(self.ticks), np.int64)
        added[before] = counts
        moved = np.arange(len(added)) + np.cumsum(added)
        block = np.repeat(self.ticks.block, added + 1)
        self.ticks = GroupTicks(block, moved[self.ticks.own], self.ticks.loops)
        self.works = {
            task: replace(work, tick=moved[work.tick], serves=moved[work.serves]) for task, work in self.works.items()
        }
        return moved


def named(accesses: Accesses, work: TaskWork, instance: int) -> str:
    """The repetition of an instance, as messages name it."""
    point = accesses.repetitions(work.task)[work.repetition[instance]].tolist()
    return f"repetition ({', '.join(map(str, point))}) of '{work.task}'"


def touched(accesses: Accesses, touch: Touch, work: TaskWork) -> tuple[NDArray[np.intp], Patterns]:
    """The instances that access through a tiler, as rows of the work, and the elements that each touches."""
    repetitions = accesses.repetitions(work.task)[work.repetition]
    return touched_patterns(accesses, touch, repetitions)


def outside_elements(accesses: Accesses, array: str, inside: set[str]) -> NDArray[np.bool_]:
    """Mask of an array's elements that are needed outside a group: all of an output, else those of other readers.

    Readers may need them in another frame than that which makes them.
    """
    wanted = np.zeros(accesses.size(array), np.bool_)
    if accesses.network.arrays[array].is_output:
        wanted[:] = True
        return wanted
    for process, touches in accesses.reads.items():
        for touch in touches:
            if touch.array == array and process not in inside:
                wanted[touched_patterns(accesses, touch, accesses.repetitions(process))[1].distinct] = True
    return of_every_frame(accesses, array, wanted)
