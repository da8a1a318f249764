"""docs/machine.md word for word on Python's sets, lists and dicts: slow, plain, and nothing shared with the model."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from oracle_accesses import Point, RefusedError, box, defaults, inputs, minus, outputs, plus
from oracle_requests import local_words_of_set, row_of, run_cycles
from oracle_schedules import Schedules, schedules_of
from oracle_steps import Stepped

from arrayol.ir.spec import Delay
from hwmodel.external_memory import Bursts, port_time
from hwmodel.platform_memories import ExternalMemory


@dataclass
class Outcome:
    lengths: list[int]
    memories: dict[tuple[str, str], int]
    traffic_bytes: int
    frame_cycles: int
    frame_memories: dict[tuple[str, str], int]
    waiting: dict[str, tuple[int, int, int, int]]
    ends: dict[str, int]


@dataclass
class Oracle(Stepped):
    """The whole page: what a group takes, in cycles and memory; what it builds on has the sections before."""

    @property
    def memory(self) -> ExternalMemory:
        """The external memory. With a technology fewer than 3 cycles of latency count as 3."""
        memory = self.platform.memory
        if self.platform.technology is None or memory.latency is None:
            return memory
        return memory.model_copy(update={"latency": max(memory.latency, 3)})

    def outcome(self) -> Outcome:
        last = self.last
        assert last
        self.check_layouts()
        self.check_single_buffers()
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
        schedules = schedules_of(self, steps)
        port = {step: self.port(loads, made, {step}) for step in steps}
        lengths, ends, waiting = [], defaultdict(int), {task: [0, 0, 0, 0] for task in self.tasks}
        for step in steps:
            own = {task: schedules.length(task, step) for task in self.tasks}
            in_all, loading, storing = port[step]
            held = self.held(loads, {step}, {task: (own[task], schedules) for task in self.tasks})
            length = max(in_all, held, *own.values())
            lengths.append(length)
            cause = next((task for task in self.tasks if own[task] == length), "")
            if max(in_all, held) == length:
                cause = "loads" if loading >= storing or held > in_all else "stores"
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
            busy = dict(zip(self.tasks, [(cycles, schedules) for cycles in own], strict=True))
            folded += max([self.port(loads, made, same)[0], self.held(loads, same, busy), *own])
        began = {step: sum(lengths[: step - steps.start]) for step in steps}
        return Outcome(
            lengths,
            self.memories(self.in_memory(loads), made, schedules, began, None),
            sum(len(found) * self.bytes(array) for array, found in loads.items())
            + sum(self.bytes(array) for array, found in made.items() for *_, out in found if out is not None),
            folded,
            self.memories(self.in_memory(loads), made, schedules, began, period),
            {task: (own[0], own[1], own[2], own[3]) for task, own in waiting.items()},
            {name: cycles for name, cycles in ends.items() if cycles},
        )

    def in_memory(self, loads: dict) -> dict:
        """The loads with the step from which each datum takes a word: in a single buffer the one after its load."""
        single = self.design.single_buffers
        return {name: [(e, born + (name in single), last) for e, born, last in found] for name, found in loads.items()}

    def held(self, loads: dict, steps: set[int], busy: dict[str, tuple[int, Schedules]]) -> int:
        """The end of the loads of single buffers in some steps taken as one; 0 without any."""
        single = {name: found for name, found in loads.items() if name in self.design.single_buffers}
        late = self.port(single, {}, steps)[1] if single else 0
        readers = {task for array in single for task in self.readers(array)}
        left = [cycles - schedules.path(task).latency for task, (cycles, schedules) in busy.items() if task in readers]
        return max(0, *left) + late if late else 0

    def check_single_buffers(self) -> None:
        inside = set(self.made())
        if any(name in inside or not self.readers(name) for name in self.design.single_buffers):
            raise RefusedError("no-single-buffer")
        if self.design.single_buffers and self.platform.has_rows:
            raise RefusedError("no-single-buffer")

    def check_layouts(self) -> None:
        for layout in self.design.layouts:
            if layout.array in self.design.fifos or not (layout.array in self.made() or self.readers(layout.array)):
                raise RefusedError("no-buffer")
            if layout.banks > self.platform.local.banks:
                raise RefusedError("too-many-banks")

    # The port ----------------------------------------------------------------------------------------------------

    def bytes(self, array: str) -> int:
        return max(1, self.network.arrays[array].type.bits // 8)

    def port(self, loads: dict, made: dict, steps: set[int]) -> tuple[int, int, int]:
        """Cycles of the port in some steps taken as one; of its loads, of its stores."""
        sides: list[list[tuple[str, list[Point]]]] = [[], []]
        for array in self.network.arrays:
            sides[0].append((array, [e for e, born, _ in loads.get(array, []) if born in steps]))
            sides[1].append((array, [e for e, _, _, out in made.get(array, []) if out in steps]))
        memory = self.memory
        if memory.rows is None and memory.burst == "run":
            every = {(0, name): [(e, born) for e, born, _ in found] for name, found in loads.items()}
            every |= {
                (1, name): [(e, out) for e, _, _, out in found if out is not None] for name, found in made.items()
            }
            each = [
                {a: self.requests(a, every.get((write, a), []), found, write) for a, found in sides[write]}
                for write in (0, 1)
            ]
            cycles = self.busiest(each)
        elif memory.rows is None:
            cycles = self.busiest(
                [{array: self.burst(array, found, write) for array, found in sides[write]} for write in (0, 1)]
            )
        else:
            bursts = [
                (*run, write, self.words_of_run(array, run[3], run[2], write))
                for write in (0, 1)
                for array, found in sides[write]
                for run in self.runs_of(array, found)
            ]
            columns = [np.array(column, np.int64) for column in zip(*bursts, strict=True)] or [
                np.zeros(0, np.int64)
            ] * 6
            write = columns[4].astype(bool)
            found = port_time(self.platform, Bursts(columns[0], columns[1], columns[2], write, columns[5])).cycles
            cycles = [int(found[~write].sum()), int(found[write].sum())]
        return (sum(cycles) if memory.port == "shared" else max(cycles)), cycles[0], cycles[1]

    def busiest(self, each: list[dict[str, int]]) -> list[int]:
        """Cycles of loads and stores of the busiest channel, on separate ports of each side, given those of arrays."""
        memory, placed = self.memory, self.channels()
        sums = [
            [sum(cycles for array, cycles in side.items() if placed[array] == channel) for side in each]
            for channel in range(memory.channels)
        ]
        if memory.port == "separate":
            return [max(side) for side in zip(*sums, strict=True)]
        return max(sums, key=sum)

    def channels(self) -> dict[str, int]:
        """The channel of each array: inputs and outputs first, then others, the largest first."""
        network, memory, placed = self.network, self.memory, dict[str, int]()
        sizes = {name: math.prod(self.shape(name)) * self.bytes(name) for name in network.arrays}
        is_end = {name: name in {*network.inputs, *network.outputs} for name in network.arrays}
        for name in sorted(network.arrays, key=lambda name: (not is_end[name], -sizes[name])):
            after = []
            for channel in range(memory.channels):
                there = [other for other, own in placed.items() if own == channel] + [name]
                loaded = sum(sizes[other] for other in there if network.arrays[other].readers)
                stored = sum(sizes[other] for other in there if network.arrays[other].producers)
                after.append(loaded + stored if memory.port == "shared" else max(loaded, stored))
            placed[name] = after.index(min(after))
        return placed

    def requests(self, array: str, moved: list[tuple[Point, int]], found: list[Point], write: int) -> int:
        steps: dict[int, list[Point]] = defaultdict(list)
        for element, step in moved:
            steps[step].append(element)
        size, width = self.bytes(array), self.local_width(array, write)
        return run_cycles(steps.values(), found, self.shape(array), size, self.memory, width)

    def local_width(self, array: str, write: int) -> int | None:
        """The data of a word of the local memory, None where nothing is known of it."""
        platform = self.platform
        if platform.technology is None:
            return None
        whole = platform.memory.data_per_word or max(1, (platform.memory.word_bits or 1) // (8 * self.bytes(array)))
        asked = (platform.local.write_width, platform.local.read_width)[write] or whole
        return next(width for width in range(min(asked, whole), 0, -1) if whole % width == 0)

    def burst(self, array: str, found: list[Point], write: int) -> int:
        memory, width, data = self.memory, self.local_width(array, write), len(found)
        if not data:
            return 0
        local = 0 if width is None else local_words_of_set(found, self.shape(array), width)
        if memory.data_per_word is not None:
            words = math.ceil(data / memory.data_per_word)
        else:
            words = math.ceil(data * 8 * self.bytes(array) / (memory.word_bits or 1))
        return (memory.latency or 0) + max(words, local)

    def words_of_run(self, array: str, first: int, data: int, write: int) -> int:
        """The local words of a run of consecutive elements, each of one row."""
        width = self.local_width(array, write)
        if width is None:
            return 0
        row = row_of(self.shape(array), width)
        rows = [element // row for element in range(first, first + data)]
        return sum(math.ceil(rows.count(own) / width) for own in set(rows))

    def runs_of(self, array: str, elements: list[Point]) -> list[tuple[int, int, int, int]]:
        """Address, bytes, data and first element of each run."""
        base = 0
        for name in self.network.arrays:
            if name == array:
                break
            row = self.memory.rows.row_bytes if self.memory.rows else 1
            base += math.ceil(math.prod(self.shape(name)) * self.bytes(name) / row) * row
        numbers = sorted(box(self.shape(array)).index(element) for element in elements)
        found: list[list[int]] = []
        for number in numbers:
            if found and found[-1][-1] == number - 1:
                found[-1].append(number)
            else:
                found.append([number])
        size = self.bytes(array)
        return [(base + run[0] * size, len(run) * size, len(run), run[0]) for run in found]

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
                        moves = any(d for d, s in zip(delay.vector, process.repetition, strict=True) if s is not None)
                        found["state", f"{task}.{delay.port}"] = (back + moves) * len(self.points(task)) * data
                if any(delay is acting for acting in self.delays(task)):
                    found["state", f"{task}.{delay.port}"] = data * _most(self.open_chains(task, delay), period)
        return found

    def open_chains(self, task: str, delay: Delay) -> Iterator[tuple[int, int]]:
        step = {run.r: self.place(run.tick) + self.stage[task] for run in self.runs[task]}
        for r in step:
            if minus(r, delay.vector) not in step:
                chain = [r]
                while (after := plus(chain[-1], delay.vector)) in step:
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
                    for array, _, pattern in (*inputs(process), *outputs(process), *defaults(process))
                    if array == name
                ]
                banks = next((one.banks for one in self.design.layouts if one.array == name), max(sizes))
            size = self.platform.local.block_bits
            found[kind, name] = size and banks * math.ceil(math.ceil(data / banks) * bits / size)
        return found


def _most(intervals: Iterable[tuple[int, int]], period: int | None) -> int:
    count: dict[int, int] = defaultdict(int)
    for first, last in intervals:
        for step in range(first, last + 1):
            count[step if period is None else step % period] += 1
    return max(count.values(), default=0)
