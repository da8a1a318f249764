"""docs/machine.md word for word on Python's sets, lists and dicts: slow, plain, and nothing shared with the model."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np

from arrayol.ir.model import Delay, TiledDefault, Tiler
from arrayol.ir.network import Network, Process
from hwmodel.design import Blocks, GroupDesign
from hwmodel.memory import Bursts, port_time
from hwmodel.platform import Platform

Point = tuple[int, ...]
Access = tuple[str, Point]  # an array and an element of it


class RefusedError(Exception):
    """A design that docs/machine.md, section 6, refuses; its text is the error's code."""


@dataclass(frozen=True)
class Run:
    """Repetition `r` runs at tick `tick` (its identity, not its place) for the tick `use`."""

    r: Point
    tick: int
    use: int


@dataclass
class Outcome:
    lengths: list[int]
    memories: dict[tuple[str, str], int]
    blocks: dict[tuple[str, str], int | None]
    traffic_bytes: int
    frame_cycles: int
    frame_memories: dict[tuple[str, str], int]
    waiting: dict[str, tuple[int, int, int, int]]
    ends: dict[str, int]


@dataclass
class Oracle:
    network: Network
    platform: Platform
    design: GroupDesign
    order: list[int] = field(default_factory=list)  # ticks in order, each by an identity of its own
    block: dict[int, int] = field(default_factory=dict)  # the block a tick belongs to
    own: list[int] = field(default_factory=list)  # each block's own tick
    runs: dict[str, list[Run]] = field(default_factory=dict)
    stage: dict[str, int] = field(default_factory=dict)
    load_stage: dict[str, int] = field(default_factory=dict)
    known: dict[tuple[object, ...], Any] = field(default_factory=dict)  # what does not change while ticks are made

    # The specification -------------------------------------------------------------------------------------------

    def space(self, task: str) -> Point:
        return tuple(1 if extent is None else extent for extent in self.network.processes[task].repetition)

    def points(self, task: str) -> list[Point]:
        return list(product(*(range(extent) for extent in self.space(task))))

    def shape(self, array: str) -> Point:
        if ("shape", array) not in self.known:
            self.known["shape", array] = self.find_shape(array)
        return self.known["shape", array]

    def find_shape(self, array: str) -> Point:
        declared = self.network.arrays[array].shape
        if all(extent is not None for extent in declared):
            return tuple(extent for extent in declared if extent is not None)
        reached = [1] * len(declared)
        for task, process in self.network.processes.items():
            for name, tiler, pattern in (*_inputs(process), *_outputs(process), *_defaults(process)):
                if name == array:
                    for r, f in product(self.points(task), _box(pattern)):
                        reached = [max(a, b + 1) for a, b in zip(reached, _index(tiler, r, f), strict=True)]
        return tuple(found if extent is None else extent for found, extent in zip(reached, declared, strict=True))

    def patterns(self, task: str, r: Point, *, writes: bool) -> Iterator[tuple[str, int, list[Point]]]:
        """Array, number of the tiler, and elements row-major of what one repetition reads or writes."""
        process = self.network.processes[task]
        tilers = [*_outputs(process)] if writes else [*_inputs(process), *_defaults(process)]
        acts = [True] * len(tilers)
        if not writes:
            tiled = [delay for delay in process.delays if isinstance(delay.default, TiledDefault)]
            for number, delay in enumerate(tiled, len(tilers) - len(tiled)):
                acts[number] = not delay.acts or not self.inside(task, _minus(r, delay.vector))
        for number, (array, tiler, pattern) in enumerate(tilers):
            if acts[number]:
                shape, declared = self.shape(array), self.network.arrays[array].shape
                found = []
                for f in _box(pattern):
                    index = _index(tiler, r, f)
                    wrap = [tiler.wrap and extent is not None for extent in declared]
                    found.append(tuple(i % s if w else i for i, s, w in zip(index, shape, wrap, strict=True)))
                yield array, number, found

    def reads(self, task: str, r: Point) -> set[Access]:
        if ("reads", task, r) not in self.known:
            found = {(array, e) for array, _, pattern in self.patterns(task, r, writes=False) for e in pattern}
            self.known["reads", task, r] = found
        return self.known["reads", task, r]

    def writes(self, task: str, r: Point) -> set[Access]:
        if ("writes", task, r) not in self.known:
            found = {(array, e) for array, _, pattern in self.patterns(task, r, writes=True) for e in pattern}
            self.known["writes", task, r] = found
        return self.known["writes", task, r]

    def inside(self, task: str, r: Point) -> bool:
        return all(0 <= index < extent for index, extent in zip(r, self.space(task), strict=True))

    def delays(self, task: str) -> list[Delay]:
        found = []
        for delay in self.network.processes[task].delays:
            extents = self.network.processes[task].repetition
            reaches = all(abs(d) < (s or 1) for d, s in zip(delay.vector, extents, strict=True))
            if delay.acts and reaches:
                found.append(delay)
        return found

    def frame_delays(self, task: str) -> list[tuple[Delay, int]]:
        process = self.network.processes[task]
        found = []
        for delay in process.delays:
            back = sum(d for d, s in zip(delay.vector, process.repetition, strict=True) if s is None)
            if delay.acts and back:
                found.append((delay, back))
        return found

    @property
    def tasks(self) -> list[str]:
        return [name for name in self.network.processes if name in self.design.tasks]

    @property
    def last(self) -> str:
        read = {array for task in self.tasks for array in self.network.processes[task].reads}
        found = [task for task in self.tasks if not self.network.processes[task].writes & read]
        if len(found) > 1:
            raise RefusedError("several-last-tasks")
        return found[0]

    def made(self) -> dict[str, str]:
        return {
            name: task
            for name in self.network.arrays
            for task in self.tasks
            if name in self.network.processes[task].writes
        }

    def readers(self, array: str) -> list[str]:
        return [task for task in self.tasks if array in self.network.processes[task].reads]

    def needed_outside(self) -> set[Access]:
        if ("outside",) not in self.known:
            self.known["outside",] = self.find_needed_outside()
        return self.known["outside",]

    def find_needed_outside(self) -> set[Access]:
        found = {
            (name, e) for name in self.made() if self.network.arrays[name].is_output for e in _box(self.shape(name))
        }
        for task in self.network.processes:
            if task not in self.tasks:
                for r in self.points(task):
                    found |= {access for access in self.reads(task, r) if access[0] in self.made()}
        return found

    # Ticks -------------------------------------------------------------------------------------------------------

    def walk(self, task: str, blocks: Blocks, r: Point) -> Point:
        """The place of r's block in the walk, to be compared lexicographically."""
        counts = [-(-extent // side) for extent, side in zip(self.space(task), blocks.shape, strict=True)]
        place = []
        for dimension, down in zip(blocks.scan.dimensions, blocks.scan.descending, strict=True):
            index = r[dimension] // blocks.shape[dimension]
            place.append(counts[dimension] - 1 - index if down else index)
        return tuple(place)

    def require_legal(self, task: str, blocks: Blocks) -> None:
        for delay in self.delays(task):
            for r in self.points(task):
                before = _minus(r, delay.vector)
                if self.inside(task, before) and self.walk(task, blocks, before) > self.walk(task, blocks, r):
                    raise RefusedError("scan-against-delay")

    def make_ticks(self) -> None:
        self.require_legal(self.last, self.design.blocks)
        places = {r: self.walk(self.last, self.design.blocks, r) for r in self.points(self.last)}
        walked = sorted(set(places.values()))
        self.order = list(range(len(walked)))
        self.own = list(self.order)
        self.block = {tick: tick for tick in self.order}
        self.runs[self.last] = [Run(r, walked.index(place), walked.index(place)) for r, place in places.items()]
        for task in reversed(self.tasks):
            if task != self.last:
                self.make_runs(task)

    def make_runs(self, task: str) -> None:
        acting = self.delays(task) or self.frame_delays(task)
        need = {v: self.need(task, v) for v in self.order}
        if not (self.design.recompute and not acting):
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
            places = sorted({self.walk(task, cut, r) if cut else () for r in need[v]})
            missing = max(0, len(places) - 1 - (self.order.index(v) - before - 1))
            for _ in range(missing):
                fresh = len(self.block)
                self.block[fresh] = self.block[v]
                self.order.insert(self.order.index(v), fresh)
            at = self.order.index(v)
            for r in need[v]:
                piece = places.index(self.walk(task, cut, r) if cut else ())
                self.runs[task].append(Run(r, self.order[at - (len(places) - 1 - piece)], v))
            before = at

    def need(self, task: str, v: int) -> set[Point]:
        wanted: set[Access] = set()
        for reader in self.tasks:
            for run in self.runs.get(reader, []):
                if run.tick == v:
                    wanted |= self.reads(reader, run.r)
        made = {access for r in self.points(task) for access in self.writes(task, r)}
        names = {name for name, maker in self.made().items() if maker == task}
        if {access for access in wanted if access[0] in names} - made:
            raise RefusedError("several-frames")
        return self.closed(task, {r for r in self.points(task) if self.writes(task, r) & wanted})

    def closed(self, task: str, found: set[Point]) -> set[Point]:
        while True:
            more = {_minus(r, delay.vector) for r in found for delay in self.delays(task)}
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
                    moved = _minus(r, delay.vector)
                    more.add(tuple(0 if extent is None else index for index, extent in zip(moved, space, strict=True)))
            more = {r for r in more if self.inside(task, r)} - found
            if not more:
                return found
            found = found | more

    # Steps -------------------------------------------------------------------------------------------------------

    def make_stages(self) -> None:
        self.stage = {self.last: 0}
        for task in reversed(self.tasks):
            for array, maker in self.made().items():
                if maker == task and task != self.last:
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

    def strip(self, tick: int) -> int:
        counts = [-(-s // b) for s, b in zip(self.space(self.last), self.design.blocks.shape, strict=True)]
        inner = counts[self.design.blocks.scan.dimensions[-1]] if counts else 1
        return self.block[tick] // inner

    def fetched(self, array: str) -> list[tuple[Point, int, int]]:
        """Each fetched instance: the element, the step that loads it, the step of its last use."""
        uses: dict[tuple[Point, int], list[tuple[int, int]]] = defaultdict(list)
        for reader in self.readers(array):
            for run in self.runs[reader]:
                for name, element in self.reads(reader, run.r):
                    if name == array:
                        together = {"reuse": 0, "tile": run.tick, "strip": self.strip(run.tick)}
                        kept = together.get(self.design.policy, self.strip(run.tick))
                        at = self.place(run.tick)
                        uses[element, kept].append((at, at + self.stage[reader]))
        found = []
        for (element, kept), places in uses.items():
            first = min(place for place, _ in places)
            if self.design.policy == "whole":
                first = min(self.place(tick) for tick in self.order if self.strip(tick) == kept)
            found.append((element, first + self.load_stage[array], max(step for _, step in places)))
        return found

    def instances(self, array: str) -> list[tuple[Point, int, int, int | None]]:
        """Each made instance: the element, the steps that make it, use it last, and store it."""
        task = self.made()[array]
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
        return self.design.recompute and task != self.last and not (self.delays(task) or self.frame_delays(task))

    def outcome(self) -> Outcome:
        last = self.last
        assert last
        self.check_layouts()
        self.make_ticks()
        self.make_stages()
        for array in sorted(self.design.fifos):
            self.check_fifo(array)
        loads = {array: self.fetched(array) for array in self.load_stage}
        made = {array: self.instances(array) for array in self.made()}
        events = [born for found in loads.values() for _, born, _ in found]
        events += [born for found in made.values() for _, born, _, _ in found]
        events += [out for found in made.values() for _, _, _, out in found if out is not None]
        events += [self.place(run.tick) + self.stage[task] for task in self.tasks for run in self.runs[task]]
        steps = range(min(events), max(events) + 1)
        schedules = self.schedules(steps)
        port = {step: self.port(loads, made, {step}) for step in steps}
        lengths, ends, waiting = [], defaultdict(int), {task: [0, 0, 0, 0] for task in self.tasks}
        for step in steps:
            own = {task: schedules.length(task, step) for task in self.tasks}
            in_all, loading, storing = port[step]
            length = max(in_all, *own.values())
            lengths.append(length)
            cause = next((task for task in self.tasks if own[task] == length), "")
            if in_all == length:
                cause = "loads" if loading >= storing else "stores"
            ends[cause] += length
            for task in self.tasks:
                kind = {"loads": 1, "stores": 2}.get(cause, 3)
                waiting[task][0] += own[task]
                waiting[task][kind] += length - own[task]
        period = len(self.order)
        folded = 0
        for residue in range(period):
            same = {step for step in steps if (step - steps.start) % period == residue}
            own = [sum(schedules.length(task, step) for step in same) for task in self.tasks]
            folded += max([self.port(loads, made, same)[0], *own])
        began = {step: sum(lengths[: step - steps.start]) for step in steps}
        return Outcome(
            lengths,
            memories := self.memories(loads, made, schedules, began, None),
            self.memory_blocks(memories),
            sum(len(found) * self.bytes(array) for array, found in loads.items())
            + sum(self.bytes(array) for array, found in made.items() for *_, out in found if out is not None),
            folded,
            self.memories(loads, made, schedules, began, period),
            {task: (own[0], own[1], own[2], own[3]) for task, own in waiting.items()},
            {name: cycles for name, cycles in ends.items() if cycles},
        )

    # The port ----------------------------------------------------------------------------------------------------

    def bytes(self, array: str) -> int:
        return max(1, self.network.arrays[array].type.bits // 8)

    def port(self, loads: dict, made: dict, steps: set[int]) -> tuple[int, int, int]:
        """Cycles of the port in some steps taken as one; of its loads, of its stores."""
        sides: list[list[tuple[str, list[Point]]]] = [[], []]
        for array in self.network.arrays:
            sides[0].append((array, [e for e, born, _ in loads.get(array, []) if born in steps]))
            sides[1].append((array, [e for e, _, _, out in made.get(array, []) if out in steps]))
        memory = self.platform.memory
        if memory.rows is None:
            cycles = [sum(self.burst(array, len(found)) for array, found in side) for side in sides]
        else:
            bursts = [
                (*run, write) for write in (0, 1) for array, found in sides[write] for run in self.runs_of(array, found)
            ]
            columns = [np.array(column, np.int64) for column in zip(*bursts, strict=True)] or [
                np.zeros(0, np.int64)
            ] * 4
            write = columns[3].astype(bool)
            found = port_time(self.platform, Bursts(columns[0], columns[1], columns[2], write)).cycles
            cycles = [int(found[~write].sum()), int(found[write].sum())]
        return (sum(cycles) if memory.port == "shared" else max(cycles)), cycles[0], cycles[1]

    def burst(self, array: str, data: int) -> int:
        memory = self.platform.memory
        if not data:
            return 0
        if memory.data_per_word is not None:
            return (memory.latency or 0) + math.ceil(data / memory.data_per_word)
        return (memory.latency or 0) + math.ceil(data * self.network.arrays[array].type.bits / (memory.word_bits or 1))

    def runs_of(self, array: str, elements: list[Point]) -> list[tuple[int, int, int]]:
        base = 0
        for name in self.network.arrays:
            if name == array:
                break
            row = self.platform.memory.rows.row_bytes if self.platform.memory.rows else 1
            base += math.ceil(math.prod(self.shape(name)) * self.bytes(name) / row) * row
        numbers = sorted(_box(self.shape(array)).index(element) for element in elements)
        found: list[list[int]] = []
        for number in numbers:
            if found and found[-1][-1] == number - 1:
                found[-1].append(number)
            else:
                found.append([number])
        size = self.bytes(array)
        return [(base + run[0] * size, len(run) * size, len(run)) for run in found]

    # Processors --------------------------------------------------------------------------------------------------

    def occupancy(self, task: str) -> int:
        process = self.network.processes[task]
        sizes = [math.prod(extent or 1 for extent in port.shape) for port in process.output_ports]
        found = max([1, *sizes]) * self.platform.datapath(process.elementary).initiation_interval
        for layout in self.design.layouts:
            for run in self.runs[task]:
                touched = self.reads(task, run.r) | self.writes(task, run.r)
                banks: dict[int, int] = defaultdict(int)
                for array, element in touched:
                    if array == layout.array:
                        value = sum(a * x for a, x in zip(layout.vector, element, strict=True))
                        banks[math.floor(value / layout.block) % layout.banks] += 1
                found = max(found, self.platform.local.access_cycles * max(banks.values(), default=0))
        return found

    def check_layouts(self) -> None:
        for layout in self.design.layouts:
            if layout.array in self.design.fifos or not (layout.array in self.made() or self.readers(layout.array)):
                raise RefusedError("no-buffer")
            if layout.banks > self.platform.local.banks:
                raise RefusedError("too-many-banks")

    def check_fifo(self, array: str) -> None:
        """All but the order."""
        maker = self.made().get(array)
        if maker is None or len(self.readers(array)) != 1 or any(name == array for name, _ in self.needed_outside()):
            raise RefusedError("fifo-refused")
        for task, writes in ((maker, True), (self.readers(array)[0], False)):
            process = self.network.processes[task]
            tilers = _outputs(process) if writes else (*_inputs(process), *_defaults(process))
            if sum(name == array for name, _, _ in tilers) != 1:
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

    def schedules(self, steps: Iterable[int]) -> Schedules:
        found = Schedules(self)
        for pipeline in found.pipelines():
            for step in steps:
                most = found.run(pipeline, step, unlimited=True)
                for task, count in most.items():
                    found.most[task] = max(found.most.get(task, 0), count)
                found.run(pipeline, step, unlimited=False)
        for processor in self.design.processors:
            if processor.units > found.most[processor.task] > 0:
                raise RefusedError("too-many-units")
        for array in self.design.fifos:
            ends = self.made()[array], self.readers(array)[0]
            sides = [found.in_order(self.fifo_side(array, task, writes=task == ends[0]), task) for task in ends]
            if sides[0] != sides[1]:
                raise RefusedError("fifo-refused")
        return found

    # Memory ------------------------------------------------------------------------------------------------------

    def memories(
        self, loads: dict, made: dict, schedules: Schedules, began: dict[int, int], period: int | None
    ) -> dict[tuple[str, str], int]:
        found = {}
        for array, kept in (*loads.items(), *made.items()):
            if array in self.design.fifos:
                found["fifo", array] = schedules.depth(array, began)
            else:
                found["buffer", array] = _most(((entry[1], entry[2]) for entry in kept), period)
        for task in self.tasks:
            process = self.network.processes[task]
            for delay in process.delays:
                port = next(port for port in process.input_ports if port.name == delay.port)
                data = math.prod(extent or 1 for extent in port.shape)
                for across, back in self.frame_delays(task):
                    if across is delay:
                        found["state", f"{task}.{delay.port}"] = back * len(self.points(task)) * data
                if any(delay is acting for acting in self.delays(task)):
                    found["state", f"{task}.{delay.port}"] = data * _most(self.open_chains(task, delay), period)
        return found

    def open_chains(self, task: str, delay: Delay) -> Iterator[tuple[int, int]]:
        step = {run.r: self.place(run.tick) + self.stage[task] for run in self.runs[task]}
        for r in step:
            if _minus(r, delay.vector) not in step:
                chain = [r]
                while (after := _plus(chain[-1], delay.vector)) in step:
                    chain.append(after)
                if len(chain) > 1:
                    yield min(step[one] for one in chain), max(step[one] for one in chain)

    def memory_blocks(self, memories: dict[tuple[str, str], int]) -> dict[tuple[str, str], int | None]:
        found: dict[tuple[str, str], int | None] = {}
        for (kind, name), data in memories.items():
            banks = 1
            if kind == "state":
                task, port = name.rsplit(".", 1)
                ports = self.network.processes[task].input_ports
                bits = next(one.type.bits for one in ports if one.name == port)
            else:
                bits = self.network.arrays[name].type.bits
            if kind == "buffer":
                sizes = [
                    math.prod(pattern)
                    for task in self.tasks
                    for process in [self.network.processes[task]]
                    for array, _, pattern in (*_inputs(process), *_outputs(process), *_defaults(process))
                    if array == name
                ]
                banks = next((one.banks for one in self.design.layouts if one.array == name), max(sizes))
            size = self.platform.local.block_bits
            found[kind, name] = size and banks * math.ceil(math.ceil(data / banks) * bits / size)
        return found


@dataclass
class Schedules:
    """Cycle by cycle, what each processor starts in each step."""

    of: Oracle
    start: dict[tuple[str, int, Run], int] = field(default_factory=dict)
    most: dict[str, int] = field(default_factory=dict)

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
        latency = self.of.platform.datapath(self.of.network.processes[task].elementary).latency
        return max(starts) + self.of.occupancy(task) + latency if starts else 0

    def rank(self, task: str, r: Point) -> Point:
        cut = {processor.task: processor.cut for processor in self.of.design.processors}[task]
        blocks = self.of.design.blocks if task == self.of.last else cut
        return self.of.walk(task, Blocks((1,) * len(r), blocks.scan), r) if blocks else r

    def run(self, pipeline: set[str], step: int, *, unlimited: bool) -> dict[str, int]:
        """Schedule a step; the most repetitions of each task that run at once."""
        of = self.of
        waiting = {task: self.runs(task, step) for task in of.tasks if task in pipeline}
        occupied = {task: of.occupancy(task) for task in waiting}
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
                ready = [run for run in runs if self.ready(task, run, runs, begun, there, occupied, time)]
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
            after = (_plus(r, delay.vector) for delay in self.of.delays(task))
            return 1 + max((chain(one) for one in after if one in members), default=0)

        return {r: chain(r) for r in members}

    def ready(
        self,
        task: str,
        run: Run,
        left: list[Run],
        begun: dict[tuple[str, Point], int],
        there: dict[tuple[str, Run], list[tuple[str, Point, int]]],
        occupied: dict[str, int],
        time: int,
    ) -> bool:
        datapath = self.of.platform.datapath(self.of.network.processes[task].elementary)
        later = max(occupied[task], datapath.recurrence or 0)
        for delay in self.of.delays(task):
            before = _minus(run.r, delay.vector)
            if any(other.r == before for other in left):
                return False
            if (task, before) in begun and begun[task, before] + later > time:
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
        size = next(math.prod(pattern) for name, _, pattern in _outputs(process) if name == array)
        return math.ceil((place + 1) * occupied / size) + self.of.platform.datapath(process.elementary).latency

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
            first[datum] = began[step] + cycle + self.lag(array, maker, place, self.of.occupancy(maker)) - 1
        for run, _, datum in self.of.fifo_side(array, reader, writes=False):
            step, cycle, _ = self.moment(reader, run)
            end[datum] = began[step] + cycle
        return max(sum(first[datum] <= cycle <= end[datum] for datum in first) for cycle in first.values())


def _inputs(process: Process) -> list[tuple[str, Tiler, Point]]:
    return [(flow.array, flow.tiler, tuple(extent or 1 for extent in flow.port.shape)) for flow in process.inputs]


def _outputs(process: Process) -> list[tuple[str, Tiler, Point]]:
    return [(flow.array, flow.tiler, tuple(extent or 1 for extent in flow.port.shape)) for flow in process.outputs]


def _defaults(process: Process) -> list[tuple[str, Tiler, Point]]:
    ports = {port.name: tuple(extent or 1 for extent in port.shape) for port in process.input_ports}
    return [
        (delay.default.array, delay.default.tiler, ports[delay.port])
        for delay in process.delays
        if isinstance(delay.default, TiledDefault)
    ]


def _box(shape: Point) -> list[Point]:
    return list(product(*(range(extent) for extent in shape)))


def _index(tiler: Tiler, r: Point, f: Point) -> Point:
    return tuple(
        origin
        + sum(a * b for a, b in zip(paving, r, strict=True))
        + sum(a * b for a, b in zip(fitting, f, strict=True))
        for origin, paving, fitting in zip(tiler.origin, tiler.paving, tiler.fitting, strict=True)
    )


def _minus(r: Point, d: Point) -> Point:
    return tuple(a - b for a, b in zip(r, d, strict=True))


def _plus(r: Point, d: Point) -> Point:
    return tuple(a + b for a, b in zip(r, d, strict=True))


def _most(intervals: Iterable[tuple[int, int]], period: int | None) -> int:
    count: dict[int, int] = defaultdict(int)
    for first, last in intervals:
        for step in range(first, last + 1):
            count[step if period is None else step % period] += 1
    return max(count.values(), default=0)
