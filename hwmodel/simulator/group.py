"""One group on the simulated machine: step after step, every datum in its word, every repetition on a unit.

Memories have exactly the sizes of the model, and every datum is moved as a token that names a value, in buffers to and
from the word of its address. So a size that is too small, a datum that is too late or a word that is reused too early
is detected where it happens, as a broken rule.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from hwmodel.accesses import Accesses
from hwmodel.design import GroupDesign
from hwmodel.local_memory.addresses import BankedMemory, Words
from hwmodel.memory_kinds import FIFO, STATE, LocalMemoryKind
from hwmodel.platform import Platform
from hwmodel.simulator.data_names import DataNames
from hwmodel.simulator.events import Events
from hwmodel.simulator.memories.local_checks import LocalCheck, Passed
from hwmodel.simulator.memories.memories import Buffer, Memory, Setup
from hwmodel.simulator.memories.states import States
from hwmodel.simulator.memories.subscripts import RandomReads
from hwmodel.simulator.port import Port
from hwmodel.simulator.requests import Requester
from hwmodel.simulator.schedule.chains import OpenChains
from hwmodel.simulator.schedule.fifos import Fifo
from hwmodel.simulator.schedule.moves import Moved, Moves, Place, moves_of
from hwmodel.simulator.schedule.plan import TaskWork, fault, named, plan_of
from hwmodel.simulator.schedule.processors import ProcessorState, processor_of

Sizes = Mapping[tuple[str, str], int]  # (kind, name) -> data: of every buffer, fifo and state
Addressed = Mapping[str, Words]  # the words of the data of arrays in their buffers


@dataclass(frozen=True)
class LocalMemories:
    """The memories of a group according to a design: how much each holds at once, and the words of data in buffers.

    - `fills`: by task, the rounds before each line while windows fill; 0 without an entry.
    - `banks`: the buffers that are built in banks, whose words stand bank after bank; other buffers can be accessed at
      any time. `layouts`: the buffers with a bank layout.
    - `residents`: by task and array, the task's memory of a resident array.
    - `states`: by name, the banks of a delay's state (0: it can be accessed at any time), and the data of all of them.
      `together`: how many data of a chain such a bank has side by side, if it has not all of them.
    - `fifos`: by array, the data of a word of a FIFO's bank and its number of words (without, words as wide as its
      wider end).
    """

    sizes: Sizes
    words: Addressed
    fills: Mapping[str, int] = field(default_factory=dict)
    banks: Mapping[str, BankedMemory] = field(default_factory=dict)
    residents: Mapping[tuple[str, str], BankedMemory] = field(default_factory=dict)
    states: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    fifos: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    layouts: Mapping[str, BankedMemory] = field(default_factory=dict)
    together: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class GroupRun:
    """A group's run: the length and the events of every step.

    - `peaks`: the fullest that each memory was, in data; `words`: the words of each buffer, in all banks.
    - `operands`: the tokens that each task read through each tiler, a row for each distinct pattern of its data.
    - `setup`: the resident arrays before the run.
    - `random`: reads at subscripts computed from data, to be checked when these are known.
    - `located`: the word of each datum in its buffer; `passed`: the cycles in which data passed the port.
    - `processors`: by task, with the starts of repetitions; `requesters`: by array and direction, how runs were
      requested.
    """

    moves: Moves
    lengths: tuple[int, ...]
    events: Events
    peaks: Mapping[tuple[str, str], int]
    words: Mapping[str, int]
    operands: Mapping[Place, NDArray[np.int64]]
    setup: Setup
    random: tuple[RandomReads, ...]
    located: Mapping[str, IntArray]
    passed: Mapping[str, Passed]
    processors: Mapping[str, ProcessorState]
    requesters: Mapping[tuple[str, bool], Requester]

    @property
    def tasks(self) -> tuple[str, ...]:
        """The names of its tasks in dataflow order."""
        return tuple(reversed(tuple(self.moves.plan.works)))

    @property
    def single_buffers(self) -> frozenset[str]:
        """The arrays with a buffer that is filled when its readers have left."""
        return self.moves.plan.design.single_buffers

    @property
    def cycles(self) -> int:
        """Cycles from the first load to the last store."""
        return sum(self.lengths)

    @property
    def accesses(self) -> Counter[tuple[str, str, bool]]:
        """How often each array's buffer, FIFO or resident memory was read (False) and written (True), by kind and name.

        Loads and stores count. Each datum of a pattern counts once, however often the pattern has it.
        """
        counts: Counter[tuple[str, str, bool]] = Counter()
        kind_of = self.moves.plan.design.memory_kind
        for name, moved in self.moves.arrays.items():
            kind = kind_of(name).name
            counts[kind, name, True] += len(moved.element)
            counts[kind, name, False] += len(moved.stored)
        for place, read in self.moves.all_reads.items():
            name, data = read.touch.array, np.sort(read.data.distinct, axis=1)
            different = 1 + (data[:, 1:] != data[:, :-1]).sum(axis=1)
            kind_read = "resident" if place in self.moves.resident else kind_of(name).name
            counts[kind_read, name, False] += int(different[read.data.of].sum())
        return +counts


def run_group(
    accesses: Accesses,
    platform: Platform,
    design: GroupDesign,
    local: LocalMemories,
    memory: Memory,
    setup: Setup,
    earlier: Mapping[str, int] | None = None,
) -> GroupRun:
    """Run a group after the setup; `memory` holds tokens of what it loads and receives tokens of what it stores.

    `earlier` is the number of tokens that other groups have made of arrays of which this one makes a part. Raises
    SimulatorError if the design breaks a rule of the machine.
    """
    moves = moves_of(accesses, plan_of(accesses, design)).counted_on(earlier or {})
    return _Run(accesses, platform, design, local, memory, setup, moves).run()


def _named_row(accesses: Accesses, work: TaskWork, instances: Sequence[int], row: int) -> str:
    """The repetition of a row, as messages name it."""
    return named(accesses, work, instances[row])


@dataclass
class NumbersByStep:
    """Numbers of items by step: `of(step)` are those of one step, ascending."""

    order: IntArray
    starts: IntArray

    @staticmethod
    def by(step: IntArray, steps: int) -> NumbersByStep:
        """Sort items by their step."""
        order = np.argsort(step, kind="stable")
        return NumbersByStep(order, np.searchsorted(step[order], np.arange(steps + 1)))

    def of(self, step: int) -> IntArray:
        """The items of a step."""
        return self.order[self.starts[step] : self.starts[step + 1]]


@dataclass
class _Array:
    """An array in the run: its memory, and the data that are brought, released and stored in each step."""

    moved: Moved
    buffer: Buffer | None
    bring: NumbersByStep
    release: NumbersByStep
    store: NumbersByStep


@dataclass
class _Run:
    """The state of a run between steps."""

    accesses: Accesses
    platform: Platform
    design: GroupDesign
    local: LocalMemories
    memory: Memory
    setup: Setup
    moves: Moves
    clock: int = 0
    lengths: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        steps = self.moves.steps
        self.arrays = {name: self._array(moved) for name, moved in self.moves.arrays.items()}
        self.fifos = {name: Fifo(name, self._size(FIFO, name)) for name in sorted(self.design.fifos)}
        order = [name for name in self.accesses.network.processes if name in self.moves.plan.works]
        self.processors = [
            processor_of(
                self.accesses, self.platform, self.design, self.moves, task, self.fifos, self.local.fills.get(task, 0)
            )
            for task in order
        ]
        self.events = Events(tuple(order), tuple(self.arrays))
        self.states = [(processor, self._state(chains)) for processor in self.processors for chains in processor.chains]
        self.moved = {name: Passed.of(array.moved) for name, array in self.arrays.items()}
        self.arrivals = {name: np.zeros(len(self.arrays[name].moved.element), np.int64) for name in self.fifos}
        self.reads = self.moves.all_reads
        self.operands = {place: np.full(read.data.distinct.shape, -1, np.int64) for place, read in self.reads.items()}
        step_of = {processor.task: processor.step for processor in self.processors}
        self.rows = {
            place: np.searchsorted(step_of[place[0]][read.rows], np.arange(steps + 1))
            for place, read in self.reads.items()
        }
        (channel,) = self.platform.channels
        separate = channel.port == "separate"
        self.loader = Port(self.accesses, self.platform)
        self.storer = Port(self.accesses, self.platform) if separate else self.loader
        for name, array in self.arrays.items():
            moved = array.moved
            if moved.loaded:
                self.loader.expect(name, [moved.element[array.bring.of(step)] for step in range(steps)], write=False)
            stored = [moved.element[moved.stored[array.store.of(step)]] for step in range(steps)]
            self.storer.expect(name, stored, write=True)

    def run(self) -> GroupRun:
        """Run all steps, then check banks, states and FIFOs."""
        for step in range(self.moves.steps):
            self._step(step)
        for processor, state in self.states:
            state.check(processor.started, partial(named, self.accesses, processor.work))
        random = self._check_banks()
        buffers = {name: array.buffer for name, array in self.arrays.items() if array.buffer}
        peaks: dict[tuple[str, str], int] = {
            (self.design.memory_kind(name).name, name): buffer.peak for name, buffer in buffers.items()
        }
        peaks |= {(FIFO.name, name): self._finish(fifo) for name, fifo in self.fifos.items()}
        peaks |= {(STATE.name, state.chains.name): state.peak * state.chains.data for _, state in self.states}
        return GroupRun(
            self.moves,
            tuple(self.lengths),
            self.events,
            peaks,
            {name: buffer.size for name, buffer in buffers.items()},
            self.operands,
            self.setup,
            random,
            {name: buffer.words for name, buffer in buffers.items()},
            self.moved,
            {processor.task: processor for processor in self.processors},
            {**self.loader.requesters, **self.storer.requesters},
        )

    def _step(self, step: int) -> None:
        """Run one step: loads, reads, computations, stores; its length is that of the slowest."""
        self.loader.begin()
        if self.storer is not self.loader:
            self.storer.begin()
        self._bring(step)
        for _, state in self.states:
            if state.full == step:
                raise state.overflow()
        self._read(step)
        computing = {
            each.task: each.compute(step, self.clock, self.arrivals) if each.bounds[step] < each.bounds[step + 1] else 0
            for each in self.processors
        }
        self._store(step)
        late = self._load_late(step, computing)
        length = max(self.loader.served, self.storer.served, *computing.values())
        for array in self.arrays.values():
            gone = array.release.of(step)
            if array.buffer is not None and len(gone):
                array.buffer.release(step, gone)
        for name, (data, tokens) in late.items():
            buffer = self.arrays[name].buffer
            assert buffer is not None, "what is loaded has a buffer"
            buffer.bring(step, data, tokens)
        self._keep(length, computing)

    def _bring(self, step: int) -> None:
        """Bring loaded data, but for those of single buffers, and data that processors make in this step."""
        for name, array in self.arrays.items():
            data = array.bring.of(step)
            if not len(data) or name in self.design.single_buffers:
                continue
            tokens = self._load(step, name, data) if array.moved.loaded else array.moved.made[data]
            if array.buffer is not None:
                array.buffer.bring(step, data, tokens)

    def _load(self, step: int, name: str, data: IntArray) -> IntArray:
        """Let data of an array pass the port; returns their tokens."""
        elements = self.arrays[name].moved.element[data]
        tokens: IntArray = self.memory[name][elements]
        if (tokens < 0).any():
            raise fault("read-before-write", f"step {step} loads an element of '{name}' that nothing has stored")
        self.moved[name].loaded[data] = self.clock + self.loader.serve(name, elements, write=False)
        return tokens

    def _load_late(self, step: int, computing: Mapping[str, int]) -> dict[str, tuple[IntArray, IntArray]]:
        """Load what goes to single buffers, once all that read from these in this step have left them."""
        names = [name for name in self.arrays if name in self.design.single_buffers]
        coming = {name: data for name in names if len(data := self.arrays[name].bring.of(step))}
        for each in self.processors if coming else ():
            reads = {touch.array for touch in self.accesses.reads[each.task]}
            if computing[each.task] and reads & self.design.single_buffers:
                self.loader.wait(computing[each.task] - each.unit.latency)
        return {name: (data, self._load(step, name, data)) for name, data in coming.items()}

    def _read(self, step: int) -> None:
        """Read the operands of the step's repetitions from buffers and resident memories, as tokens.

        Processors take data of FIFOs themselves.
        """
        for place, read in self.reads.items():
            rows = slice(int(self.rows[place][step]), int(self.rows[place][step + 1]))
            if rows.start == rows.stop:
                continue
            numbers, first = read.data.among(rows)
            data = read.data.distinct[numbers]
            if not data.size:
                continue
            if place in self.moves.resident:
                self.operands[place][numbers] = self.setup.read(read.touch.array, data)
                continue
            array = self.arrays[read.touch.array]
            if array.buffer is None:
                tokens = array.moved.made[data]
            else:
                work, own = self.moves.plan.works[place[0]], read.rows[rows][first].tolist()
                tokens = array.buffer.read(step, data, partial(_named_row, self.accesses, work, own))
            self.operands[place][numbers] = tokens

    def _store(self, step: int) -> None:
        """Store the data of the step."""
        for name, array in self.arrays.items():
            stored = array.store.of(step)
            if len(stored):
                assert array.buffer is not None, "a FIFO's array is read by one task and never stored"
                data = array.moved.stored[stored]
                elements = array.moved.element[data]
                self.memory[name][elements] = array.buffer.read(step, data, lambda _: "the storer")
                self.moved[name].stored[stored] = self.clock + self.storer.serve(name, elements, write=True)

    def _check_banks(self) -> tuple[RandomReads, ...]:
        """Check all accesses to memories in banks; returns those at subscripts computed from data.

        Raises SimulatorError (`bank`, `port`, `window`, `address`).
        """
        check = LocalCheck(self.accesses, self.moves, {own.task: own for own in self.processors})
        for name, memory in self.local.banks.items():
            buffer = self.arrays[name].buffer
            assert buffer is not None, "a FIFO has no banks"
            check.buffer(self.arrays[name].moved, buffer.words, memory, self.moved[name])
        for name, memory in self.local.layouts.items():
            buffer = self.arrays[name].buffer
            assert buffer is not None, "a FIFO has no layout"
            cycles = self.platform.local.access_cycles
            check.layout(self.arrays[name].moved, buffer.words, memory, self.moved[name], cycles)
        for (task, name), memory in self.local.residents.items():
            check.resident(task, name, memory, self.setup)
        return tuple(check.random)

    def _keep(self, length: int, computing: dict[str, int]) -> None:
        """Record the events of a step, and advance the clock."""
        bursts = [*self.loader.bursts, *(self.storer.bursts if self.storer is not self.loader else ())]
        self.events.add(length, bursts, computing)
        self.lengths.append(length)
        self.clock += length

    def _array(self, moved: Moved) -> _Array:
        steps = self.moves.steps
        name = moved.array
        buffer = None
        if name not in self.design.fifos:
            words = self.local.words[name]
            banks = self.local.banks.get(name)
            depth = words.size if banks is None else banks.depth
            held_from = moved.bring + (name in self.design.single_buffers)
            place, names = words.word(moved.element, held_from), DataNames(self.accesses, self.moves, moved)
            buffer = Buffer(name, self._size(self.design.memory_kind(name), name), words.size, place, names, depth)
        by = (NumbersByStep.by(step, steps) for step in (moved.bring, moved.last, moved.stored_step))
        return _Array(moved, buffer, *by)

    def _finish(self, fifo: Fifo) -> int:
        """Check a FIFO in words as wide as its wider end; returns the fullest that it was."""
        wider = max(end for processor in self.processors for end in processor.ends(fifo))
        wide, depth = self.local.fifos.get(fifo.array, (wider, -(-fifo.capacity // wider)))
        (task,) = (place[0] for place, read in self.moves.reads.items() if read.touch.array == fifo.array)
        return fifo.finish(wide, depth, partial(named, self.accesses, self.moves.plan.works[task]))

    def _state(self, chains: OpenChains) -> States:
        size = self._size(STATE, chains.name)
        banks, data = self.local.states.get(chains.name, (0, size))
        return States(chains, size // chains.data, banks, data // chains.data)

    def _size(self, kind: LocalMemoryKind, name: str) -> int:
        """The capacity of a memory of the design in data; 0 if it has none."""
        return self.local.sizes.get((kind.name, name), 0)
