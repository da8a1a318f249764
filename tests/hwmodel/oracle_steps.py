"""The logical time of a group: ticks, stages, and the steps in which data are brought, used and stored."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from oracle_accesses import Access, Grouped, Point, RefusedError, defaults, inputs, minus, outputs

from hwmodel.design import Blocks, ReuseLevel


@dataclass(frozen=True)
class Run:
    """Repetition `r` runs at tick `tick` (its identity, not its place) for the tick `use`."""

    r: Point
    tick: int
    use: int


@dataclass
class Stepped(Grouped):
    """docs/machine.md, sections 2 and 3."""

    order: list[int] = field(default_factory=list)  # ticks in order, each by an identity of its own
    block: dict[int, int] = field(default_factory=dict)  # the block a tick belongs to
    own: list[int] = field(default_factory=list)  # each block's own tick
    blocks: list[Point] = field(default_factory=list)  # places of blocks, in order
    runs: dict[str, list[Run]] = field(default_factory=dict)
    stage: dict[str, int] = field(default_factory=dict)
    load_stage: dict[str, int] = field(default_factory=dict)

    # Ticks -------------------------------------------------------------------------------------------------------

    def block_place(self, task: str, blocks: Blocks, r: Point) -> Point:
        """The place of r's block in the block order, to be compared lexicographically."""
        twice, place = blocks.scan.twice, []
        for loop, (dimension, down) in enumerate(zip(blocks.scan.dimensions, blocks.scan.descending, strict=True)):
            index = r[dimension] // blocks.shape[dimension]
            if dimension in twice and dimension in blocks.scan.dimensions[:loop]:
                index = r[dimension] % blocks.outer[dimension] // blocks.shape[dimension]
            elif dimension in twice:
                index = r[dimension] // blocks.outer[dimension]
            place.append(-index if down else index)
        return tuple(place)

    def require_legal(self, task: str, blocks: Blocks) -> None:
        for delay in self.delays(task):
            for r in self.points(task):
                before = minus(r, delay.vector)
                if self.inside(task, before) and self.block_place(task, blocks, before) > self.block_place(
                    task, blocks, r
                ):
                    raise RefusedError("scan-against-delay")

    def make_ticks(self) -> None:
        self.require_legal(self.last, self.design.blocks)
        places = {r: self.block_place(self.last, self.design.blocks, r) for r in self.points(self.last)}
        places_in_order = sorted(set(places.values()))
        self.blocks = places_in_order
        self.order = list(range(len(places_in_order)))
        self.own = list(self.order)
        self.block = {tick: tick for tick in self.order}
        self.runs[self.last] = [
            Run(r, places_in_order.index(place), places_in_order.index(place)) for r, place in places.items()
        ]
        for task in reversed(self.tasks):
            if task != self.last:
                self.make_runs(task)

    def make_runs(self, task: str) -> None:
        need = {v: self.need(task, v) for v in self.order}
        if not self.recomputes(task):
            done: set[Point] = set()
            for v in self.order:
                need[v], done = need[v] - done, done | need[v]
        outside = self.needed_outside()
        wanted = {r for r in self.points(task) if self.writes(task, r) & outside}
        final = self.order[-1]
        ran = set().union(*need.values())
        need[final] |= self.with_delays(task, wanted | ran) - ran
        cut = {processor.task: processor.cut for processor in self.design.processors}[task]
        if cut is not None:
            self.require_legal(task, cut)
        self.runs[task] = []
        before = -1  # the place of the tick of t's work before
        for v in list(self.order):
            if not need[v]:
                continue
            places = sorted({self.block_place(task, cut, r) if cut else () for r in need[v]})
            missing = max(0, len(places) - 1 - (self.order.index(v) - before - 1))
            for _ in range(missing):
                fresh = len(self.block)
                self.block[fresh] = self.block[v]
                self.order.insert(self.order.index(v), fresh)
            at = self.order.index(v)
            for r in need[v]:
                piece = places.index(self.block_place(task, cut, r) if cut else ())
                self.runs[task].append(Run(r, self.order[at - (len(places) - 1 - piece)], v))
            before = at

    def beside(self, task: str, v: int) -> set[Point]:
        """The repetitions of a last task that go with those of the leading one at a tick."""
        loops, lead = self.goes_with(task), self.last
        there = {tuple(run.r[k] for k, _, _ in loops) for run in self.runs[lead] if run.tick == v}
        ends = [self.space(lead)[k] - 1 for k, _, _ in loops]
        with_place = {
            r: tuple(min(int(r[own] * pace), end) for (_, own, pace), end in zip(loops, ends, strict=True))
            for r in self.points(task)
        }
        return self.closed(task, {r for r, place in with_place.items() if place in there})

    def need(self, task: str, v: int) -> set[Point]:
        if task in self.lasts:
            return self.beside(task, v)
        wanted: set[Access] = set()
        for reader in self.tasks:
            for run in self.runs.get(reader, []):
                if run.tick == v:
                    wanted |= self.reads(reader, run.r)
        names = {name for name, makers in self.makers().items() if task in makers}
        tasks = {maker for name in names for maker in self.makers()[name]}
        made = {access for maker in tasks for r in self.points(maker) for access in self.writes(maker, r)}
        if {access for access in wanted if access[0] in names} - made:
            raise RefusedError("several-frames")
        return self.closed(task, {r for r in self.points(task) if self.writes(task, r) & wanted})

    def closed(self, task: str, found: set[Point]) -> set[Point]:
        while True:
            more = {minus(r, delay.vector) for r in found for delay in self.delays(task)}
            more = {r for r in more if self.inside(task, r)} - found
            if not more:
                return found
            found = found | more

    def with_delays(self, task: str, found: set[Point]) -> set[Point]:
        """Closed under delays of earlier frames too: the next frame needs what it reads of this one."""
        while True:
            found = self.closed(task, found)
            space = self.network.processes[task].repetition
            more = set()
            for r in found:
                for delay, _ in self.frame_delays(task):
                    moved = minus(r, delay.vector)
                    more.add(tuple(0 if extent is None else index for index, extent in zip(moved, space, strict=True)))
            more = {r for r in more if self.inside(task, r)} - found
            if not more:
                return found
            found = found | more

    # Steps -------------------------------------------------------------------------------------------------------

    def make_stages(self) -> None:
        self.stage = dict.fromkeys(self.lasts, 0)
        for task in reversed(self.tasks):
            for array, makers in self.makers().items():
                if task in makers and task not in self.lasts:
                    for reader in self.readers(array):
                        other = self.stage[reader] - (0 if array in self.design.fifos else 1)
                        self.stage[task] = min(self.stage.get(task, other), other)
        for array in self.design.fifos & set(self.made()):
            for reader in self.readers(array):
                if self.stage[reader] != self.stage[self.made()[array]]:
                    raise RefusedError("fifo-refused")
        for array in self.network.arrays:
            if array not in self.made() and self.readers(array):
                self.load_stage[array] = min(self.stage[reader] for reader in self.readers(array)) - 1

    def place(self, tick: int) -> int:
        return self.order.index(tick)

    def prefixes(self, level: int) -> list[int]:
        """For each place of the order the number of the prefix of its tick, at a level."""
        loops = len(self.design.blocks.scan.dimensions)
        of = [self.blocks[self.block[tick]][:level] for tick in self.order]
        if loops and level == loops:
            of = [(place,) for place in range(len(self.order))]
        return [sorted(set(of)).index(prefix) for prefix in of]

    def fetched(self, array: str) -> list[tuple[Point, int, int]]:
        """Each fetched instance: the element, the step that loads it, the step of its last use."""
        keep = ReuseLevel(0) if self.unchanging(array) else self.design.keep_of(array)
        prefixes = self.prefixes(keep.level)
        uses: dict[tuple[Point, int], list[tuple[int, int]]] = defaultdict(list)
        for reader in self.readers(array):
            for run in self.runs[reader]:
                for name, element in self.reads(reader, run.r):
                    if name == array:
                        at = self.place(run.tick)
                        uses[element, prefixes[at]].append((at, at + self.stage[reader]))
        if keep.shared:
            for element, prefix in sorted(uses, reverse=True):  # the last first, so that what follows is joined already
                if (element, prefix - 1) in uses:
                    uses[element, prefix - 1] += uses.pop((element, prefix))
        found = []
        for (element, prefix), places in uses.items():
            first = min(place for place, _ in places)
            if keep.eager:
                first = prefixes.index(prefix)
            found.append((element, first + self.load_stage[array], max(step for _, step in places)))
        return found

    def unchanging(self, array: str) -> bool:
        """Whether every tiler reads the same elements of an array at every tick at which it reads it."""
        read: dict[tuple[str, int], dict[int, set[Point]]] = defaultdict(lambda: defaultdict(set))
        for reader in self.readers(array):
            for run in self.runs[reader]:
                for name, number, found in self.patterns(reader, run.r, writes=False):
                    if name == array and found:  # a constant border reads nothing
                        read[reader, number][run.tick].update(found)
        return all(len(set(map(frozenset, by_tick.values()))) == 1 for by_tick in read.values())

    def instances(self, array: str) -> list[tuple[Point, int, int, int | None]]:
        """Each made instance: the element, the steps that make it, use it last, and store it."""
        return [found for task in self.makers()[array] for found in self.instances_by(task, array)]

    def instances_by(self, task: str, array: str) -> list[tuple[Point, int, int, int | None]]:
        again = self.recomputes(task)
        makers = sorted(self.runs[task], key=lambda run: self.place(run.tick))
        outside, gone, found = self.needed_outside(), set(), []
        for run in makers:
            for access in self.writes(task, run.r):
                if access[0] != array:
                    continue
                born = self.place(run.tick) + self.stage[task]
                last, out = born, None
                for reader in self.readers(array):
                    for use in self.runs[reader]:
                        if access in self.reads(reader, use.r) and (not again or use.tick == run.use):
                            last = max(last, self.place(use.tick) + self.stage[reader])
                if access in outside and access not in gone:
                    gone.add(access)
                    out = self.place(self.own[self.block[run.tick]]) + 1
                    last = max(last, out)
                found.append((access[1], born, last, out))
        return found

    def recomputes(self, task: str) -> bool:
        return self.design.recompute and task not in self.lasts and not (self.delays(task) or self.frame_delays(task))

    # FIFOs -------------------------------------------------------------------------------------------------------

    def check_fifo(self, array: str) -> None:
        """All but the order."""
        maker = self.made().get(array)
        if (
            maker is None
            or len(self.makers()[array]) > 1
            or len(self.readers(array)) != 1
            or any(name == array for name, _ in self.needed_outside())
        ):
            raise RefusedError("fifo-refused")
        for task, writes in ((maker, True), (self.readers(array)[0], False)):
            process = self.network.processes[task]
            tilers = outputs(process) if writes else (*inputs(process), *defaults(process))
            if sum(name == array for name, _, _ in tilers) != 1 or any(
                t.border for name, t, _ in tilers if name == array
            ):
                raise RefusedError("fifo-refused")
        written = sorted((datum for _, _, datum in self.fifo_side(array, maker, writes=True)))
        if written != sorted(datum for _, _, datum in self.fifo_side(array, self.readers(array)[0], writes=False)):
            raise RefusedError("fifo-refused")

    def fifo_side(self, array: str, task: str, *, writes: bool) -> list[tuple[Run, int, tuple[Point, int]]]:
        """What goes through one end: the run, the place in the pattern, and the datum (element, tick it is for)."""
        again = self.recomputes(self.made()[array])
        return [
            (run, place, (element, (run.use if writes else run.tick) if again else -1))
            for run in self.runs[task]
            for name, _, found in self.patterns(task, run.r, writes=writes)
            if name == array
            for place, element in enumerate(found)
        ]
