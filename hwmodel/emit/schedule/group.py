"""A group as hardware: its memories, agents and units, from the group's run on the simulated machine.

The run says in which cycle each repetition starts, and in which step each datum is loaded and stored. From it
`GroupScheduler.tables` finds the word that each agent accesses in each of its rows (tasks.py, port.py), and
`GroupScheduler.schedule` makes programs of these tables (activity.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from hwmodel.accesses import Accesses
from hwmodel.emit.schedule.activity import Activity, Agent, compiled
from hwmodel.emit.schedule.frames.whole_frame import WholeGroup
from hwmodel.emit.schedule.memories import Memory, Section, in_turn, moduli_of, sections_of
from hwmodel.emit.schedule.memory_styles import Style
from hwmodel.emit.schedule.names import plain
from hwmodel.emit.schedule.own_module import Computing
from hwmodel.emit.schedule.port import AddressMap, DmaEngine, PortLanes, PortScheduler, loaded_once
from hwmodel.emit.schedule.port_moves import BlockMoves
from hwmodel.emit.schedule.repetition import StepRepetition
from hwmodel.emit.schedule.tasks import TaskScheduler, units_of_instances, writers_of
from hwmodel.emit.schedule.units import TaskUnits
from hwmodel.local_memory.addresses import BankedMemory, ReaderName, WindowReads
from hwmodel.memory_kinds import FIFO
from hwmodel.platform import Platform
from hwmodel.residence import ONCE, ROM
from hwmodel.simulator.group import GroupRun, LocalMemories


@dataclass(frozen=True)
class EngineAgents:
    """The compiled agents of an engine of a channel, and its lanes."""

    name: str
    requests: Agent
    passing: Agent
    storing: Agent
    lanes: tuple[PortLanes, ...]
    channel: int


@dataclass(frozen=True)
class TaskAgents:
    """The compiled agents of a task, and its units."""

    reading: Agent
    writing: Agent
    units: TaskUnits


@dataclass(frozen=True, slots=True)
class TaskPace:
    """The number of a task's units, and their interval and latency in cycles."""

    task: str
    units: int
    interval: int
    latency: int


@dataclass(frozen=True)
class GroupSchedule:
    """A group as hardware; `cycles` is its time in a frame, and `steps` the number of its steps.

    `readers` has by memory the names of the lanes that read it, each through a copy, and `writers` those that write it.
    Reads at subscripts of data have no lanes and are not among these. Arrays that are loaded `once` come in a step
    before all frames. Lanes that read `apart` never read a word in a cycle in which it is written. `styles` says what
    banks are made of, by memory. If it repeats the steps of a `shorter` frame, that is here too.
    """

    tasks: tuple[TaskAgents, ...]
    engines: tuple[EngineAgents, ...]
    memories: tuple[Memory, ...]
    readers: Mapping[str, tuple[str, ...]]
    writers: Mapping[str, tuple[str, ...]]
    steps: int
    cycles: int
    once: tuple[str, ...]
    apart: frozenset[str] = field(default=frozenset(), kw_only=True)
    styles: Mapping[str, Style] = field(default_factory=dict, kw_only=True)
    shorter: ShorterSchedule | None = field(default=None, kw_only=True, repr=False)

    @property
    def promised(self) -> tuple[int, int]:
        """The steps and the cycles of a frame, as the machine model has them."""
        return self.steps, self.cycles

    @property
    def setup(self) -> bool:
        """Whether there is a step before all frames."""
        return bool(self.once)

    @property
    def port_agents(self) -> frozenset[str]:
        """The names of the engines' agents, which wait for the external memory."""
        return frozenset(
            agent.name for engine in self.engines for agent in (engine.requests, engine.passing, engine.storing)
        )

    @property
    def stepping(self) -> Iterator[Agent]:
        """The agents that go through the steps together."""
        for task in self.tasks:
            yield from (task.reading, task.writing)
        for engine in self.engines:
            yield from (engine.requests, engine.passing, engine.storing)

    @property
    def agents(self) -> Iterator[Agent]:
        """All agents."""
        return self.stepping

    @property
    def frames_back(self) -> frozenset[int]:
        """How many frames back delays reach: so many have to end after a reset before there are values."""
        return frozenset(port.later for task in self.tasks for port in task.units.reads) - {0}

    @property
    def behind(self) -> Mapping[str, int]:
        """By array how many frames behind a start the one is that passes in it, where a stream keeps frames."""
        return {}

    @property
    def streaming(self) -> Mapping[str, Computing]:
        """The datapaths of tasks that stream, which a group of blocks has none of."""
        return {}

    @property
    def streamed(self) -> Mapping[str, object] | None:
        """Pulses and line buffers as data; None for a group of blocks."""
        return None

    @property
    def cleared(self) -> int:
        """The cycles after a reset in which no frame begins, since memories of units are cleared."""
        return max((bins.words for task in self.tasks for bins in task.units.bins), default=0)

    @property
    def paces(self) -> Iterator[TaskPace]:
        """How fast each task goes."""
        for own in (task.units for task in self.tasks):
            yield TaskPace(own.task, own.units, own.interval, own.latency)


@dataclass(frozen=True)
class ShorterSchedule:
    """The schedule of a group in a shorter frame, and which of its steps those of the whole frame repeat."""

    schedule: GroupSchedule
    repetition: StepRepetition


@dataclass(frozen=True)
class Tables:
    """The activities of a group's agents, before they are compiled."""

    tasks: tuple[tuple[Activity, Activity, TaskUnits], ...]
    engines: tuple[DmaEngine, ...]
    once: tuple[str, ...]


def without_idle_steps(run: GroupRun) -> GroupRun:
    """The run without the steps of no cycles, in which nothing is moved or computed: hardware does not have them.

    Its `events` are those of all steps.
    """
    kept = np.flatnonzero(run.lengths)
    if len(kept) == len(run.lengths):
        return run
    arrays = {
        name: replace(
            moved,
            bring=np.searchsorted(kept, moved.bring),
            last=np.searchsorted(kept, moved.last, side="right") - 1,  # an idle step is none of use
            stored_step=np.searchsorted(kept, moved.stored_step),
        )
        for name, moved in run.moves.arrays.items()
    }
    processors = {
        task: replace(own, step=np.searchsorted(kept, own.step), bounds=own.bounds[np.append(kept, len(run.lengths))])
        for task, own in run.processors.items()
    }
    return replace(
        run,
        moves=replace(run.moves, arrays=arrays, steps=len(kept)),
        lengths=tuple(run.lengths[step] for step in kept.tolist()),
        processors=processors,
    )


@dataclass(frozen=True)
class GroupScheduler:
    """Makes the hardware of a group; `datapaths` has by task the derived datapath of its units."""

    accesses: Accesses
    platform: Platform
    local: LocalMemories
    run: GroupRun
    addresses: AddressMap
    datapaths: Mapping[str, Computing]
    contents: Mapping[str, NDArray[np.int64]] = field(default_factory=dict)  # of arrays in ROMs, as bits

    def schedule(self, tables: Tables, whole: WholeGroup | None = None) -> GroupSchedule:
        """The schedule of the activities in `tables`.

        If these are of a shorter frame, `whole` is the group in the whole frame, whose schedule it is then. Raises
        NotRepeatedError where the whole frame is no repetition.
        """
        repetition = whole.repetition if whole is not None else None
        tasks = tuple(
            TaskAgents(compiled(own, repetition), compiled(other, repetition), units)
            for own, other, units in tables.tasks
        )
        engines = tuple(
            EngineAgents(
                own.name,
                compiled(own.requests if whole is None else whole.requests(own)),
                compiled(own.passing, repetition),
                compiled(own.storing, repetition),
                own.lanes,
                own.channel,
            )
            for own in tables.engines
        )
        reading = [own for task, _, _ in tables.tasks for own in task.lanes]
        reading += [own for engine in tables.engines for own in engine.storing.lanes]
        writing = [own for _, task, _ in tables.tasks for own in task.lanes]
        writing += [own for engine in tables.engines for own in engine.passing.lanes]
        memories = {own.memory.name: own.memory for own in (*reading, *writing)}
        ports = (port for _, _, units in tables.tasks for port in units.reads)
        memories |= {port.lookup.name: port.lookup for port in ports if port.lookup is not None}
        return GroupSchedule(
            tasks,
            engines,
            tuple(memories.values()),
            {name: tuple(own.name for own in reading if own.memory.name == name) for name in memories},
            {name: tuple(own.name for own in writing if own.memory.name == name) for name in memories},
            len(self.run.lengths) if whole is None else whole.steps,
            self.run.cycles if whole is None else whole.cycles,
            tables.once,
        )

    def tables(self) -> Tables:
        """The activities of the agents. Raises ArrayolError (`not-emitted`) for a part that has no hardware."""
        memories, located = self._memories(), {**self._buffer_words(), **self._fifo_words()}
        once = self._once(memories)
        clocks = np.cumsum([0, *self.run.lengths[:-1]]).astype(np.int64)
        scheduler = TaskScheduler(
            self.accesses,
            self.run,
            memories,
            located,
            self._windows(),
            self._random(),
            self.local,
            self.datapaths,
            clocks,
            bool(once),
        )
        moves = BlockMoves(self.run, located)
        port = PortScheduler(self.accesses, self.platform, moves, memories, self.addresses, once)
        scheduled = [scheduler.schedule(task) for task in self.run.processors.values()]
        return Tables(
            tuple((task.reading, task.writing, task.units) for task in scheduled), port.engines(), tuple(once)
        )

    def _windows(self) -> dict[tuple[str, int], WindowReads]:
        """The windows of the group, by reading tiler."""
        return {
            reader: ports.window
            for memory in (*self.local.banks.values(), *self.local.residents.values())
            for reader, ports in memory.readers.items()
            if ports.window is not None
        }

    def _random(self) -> frozenset[tuple[str, int]]:
        """The tilers that are read at subscripts of data."""
        every = (*self.local.banks.values(), *self.local.residents.values())
        random = {reader for memory in every for reader, ports in memory.readers.items() if ports.random}
        # What a counter makes in the model has no memory there.
        for task, number in self.run.moves.resident:
            touch = self.accesses.reads[task][number]
            if (task, touch.array) not in self.local.residents and touch.port in self.datapaths[task].tables:
                random.add((task, number))
        return frozenset(random)

    def _memories(self) -> dict[tuple[str, str], Memory]:
        """By (task, array) the memory that the task reads.

        By ("", array) the memory of an array that the group moves.
        """
        memories: dict[tuple[str, str], Memory] = {}
        for array in self.run.moves.arrays:
            memory = self._fifo(array) if array not in self.run.located else self._buffer(array)
            memories["", array] = memory
            for task in self.run.processors:
                memories[task, array] = memory
        for task, number in self.run.moves.resident:
            array = self.accesses.reads[task][number].array
            memories[task, array] = self._resident(task, array)
        return memories

    def _once(self, memories: Mapping[tuple[str, str], Memory]) -> Mapping[str, Sequence[Memory]]:
        """The memories of the tasks that read what is loaded before all frames, by array."""
        read = ((task, self.accesses.reads[task][number].array) for task, number in self.run.moves.resident)
        return loaded_once(self.accesses, [memories[place] for place in dict.fromkeys(read)])

    def _buffer(self, array: str) -> Memory:
        """The memory of a buffer; without a bank function it consists of registers."""
        banked, words = self._banked(array), self.local.words[array]
        if banked is None:
            return Memory(
                plain(array), array, self._bits(array), (), words.size, sections_of(words, words.size), registers=True
            )
        moduli = (*((banked.writers,) if banked.writers > 1 else ()), *moduli_of(banked.function))
        memory = Memory(plain(array), array, self._bits(array), moduli, banked.depth, sections_of(words, banked.depth))
        if self._looked_up(banked) is not None:
            memory = replace(memory, sections=(Section(0, banked.depth),))
        ports = max((reader.ports for reader in banked.readers.values()), default=1)
        if array in self.local.layouts:
            return replace(memory, own_copies=ports, storing=banked.storing)
        return replace(memory, copy_each=ports > 1 or banked.storing > 1)

    @staticmethod
    def _looked_up(banked: BankedMemory) -> ReaderName | None:
        """A tiler through which a buffer is looked up, if there is one."""
        return next((name for name, ports in banked.readers.items() if ports.random), None)

    def _banked(self, array: str) -> BankedMemory | None:
        """The banks of a buffer, with a bank layout or without; None for registers, and where it holds nothing."""
        if not self.local.words[array].size:
            return None
        return self.local.layouts.get(array) or self.local.banks.get(array)

    def _buffer_words(self) -> dict[str, IntArray]:
        """The word of each datum of a buffer; with several writers each of them has copies of its own."""
        words: dict[str, IntArray] = {}
        for array, located in self.run.located.items():
            banked = self._banked(array)
            words[array] = located
            if banked is not None and (reader := self._looked_up(banked)) is not None:
                words[array] = self._table_words(located, reader, banked)
            if banked is not None and banked.writers > 1:
                words[array] = words[array] + self._writers(array) * banked.function.banks * banked.depth
        return words

    def _table_words(self, located: IntArray, reader: ReaderName, banked: BankedMemory) -> IntArray:
        """The word of each datum of a buffer that is looked up: its banks take the elements in turn.

        If other steps compute the array again, the data of each have places of their own, one after another in the
        order in which they are first read, as many as the data have at once.
        """
        reads, steps = self.run.moves.all_reads[reader], self.run.processors[reader[0]].step
        order = np.argsort(steps[reads.rows], kind="stable")
        patterns = located[reads.data.distinct[reads.data.of[order]]]
        places, first = np.unique(patterns, axis=0, return_index=True)
        places, size = places[np.argsort(first)], patterns.shape[1]
        banks, depth = banked.function.banks, banked.depth
        words = np.full(banks * depth, -1, np.int64)
        each = np.arange(len(places))[:, None] * -(-size // banks)
        words[places] = in_turn(np.arange(size), banks, depth) + each
        assert places.size == len(np.unique(places)), "data of other steps have other words"
        return words[located]

    def _writers(self, array: str) -> IntArray:
        """The number of the writer of each datum of a buffer: its tiler; with a bank layout its unit too.

        A word that is loaded to a buffer with a layout has a writer for each of its data in one bank.
        """
        writer, banked, before = np.zeros_like(self.run.located[array]), self.local.layouts.get(array), 0
        for touch, writing, data in writers_of(self.accesses, self.run, array):
            own = self.run.processors[touch.process]
            units = units_of_instances(own)[writing][:, None] if banked is not None else np.zeros(1, np.int64)
            writer[data] = before + units
            before += own.units if banked is not None else 1
        moved = self.run.moves.arrays[array]
        if banked is None or not moved.loaded:
            return writer
        local = self.run.requesters[array, False].parts(0, np.arange(self.accesses.size(array)))[1][moved.element]
        bank = self.run.located[array] // banked.depth
        order = np.lexsort((moved.element, bank, local, moved.bring))
        is_first = (np.diff(np.stack([bank, local, moved.bring])[:, order], axis=1, prepend=-1) != 0).any(axis=0)
        place = np.arange(len(order))
        writer[order] = place - np.maximum.accumulate(np.where(is_first, place, 0))
        return writer

    def _fifo(self, array: str) -> Memory:
        """The memory of a FIFO, with one bank for each datum of a word."""
        wide, depth = self._fifo_shape(array)
        moduli = (wide,) if wide > 1 else ()
        return Memory(plain(array), array, self._bits(array), moduli, depth, (Section(0, depth),), fifo=True)

    def _fifo_shape(self, array: str) -> tuple[int, int]:
        """The data of a word of a FIFO, and the number of words for all of its data, including those in registers."""
        wide, _ = self.local.fifos.get(array, (1, 0))
        return wide, max(1, -(-self.local.sizes[FIFO.name, array] // wide))

    def _fifo_words(self) -> dict[str, IntArray]:
        """The word of each datum of a FIFO: data go round all banks in the order in which they are made."""
        words: dict[str, IntArray] = {}
        for array in (name for name in self.run.moves.arrays if name not in self.run.located):
            (touch, writing, data), *_ = writers_of(self.accesses, self.run, array)
            processor = self.run.processors[touch.process]
            size = data.shape[1]
            # Result k of `size` is made after ceil((k + 1) interval / size) cycles: results leave at the rate of the
            # FIFO.
            cycle = processor.started[writing][:, None] + -(-np.arange(1, size + 1) * processor.unit.interval // size)
            instance = np.broadcast_to(writing[:, None], data.shape)
            place = np.broadcast_to(np.arange(size), data.shape)
            order = np.lexsort((place.reshape(-1), instance.reshape(-1), cycle.reshape(-1)))
            wide, depth = self._fifo_shape(array)
            number = np.empty(data.size, np.int64)
            number[data.reshape(-1)[order]] = np.arange(data.size)
            words[array] = number % wide * depth + number // wide % depth
        return words

    def _resident(self, task: str, array: str) -> Memory:
        """The memory in which a task has an array that is there before the frame."""
        banked, shape = self.local.residents.get((task, array)), self.accesses.shape(array)
        words = np.arange(self.accesses.size(array))
        moduli, depth = moduli_of(None), len(words)
        if banked is not None:
            places = np.stack(np.unravel_index(words, shape), axis=1) if shape else np.zeros((1, 0), np.int64)
            words = banked.function.bank(places) * banked.depth + banked.function.address(places, shape)
            moduli, depth = moduli_of(banked.function), banked.depth
            if self.accesses.load[array] == ONCE and self._looked_up(banked) is not None:
                moduli = tuple(own for own in (banked.function.banks,) if own > 1)
                words = in_turn(np.arange(len(words)), banked.function.banks, depth)
        several = banked is not None and any(ports.ports > 1 for ports in banked.readers.values())
        memory = Memory(
            plain(f"{task}_{array}"),
            array,
            self._bits(array),
            moduli,
            depth,
            (Section(0, depth),),
            registers=banked is None,
            copy_each=banked is None or several,
            elements=tuple(words.tolist()),
        )
        if self.accesses.load[array] != ROM:
            return memory
        content = np.zeros(memory.size, object)
        content[words] = self.contents[array]
        return replace(memory, registers=False, content=tuple(map(int, content)))

    def _bits(self, array: str) -> int:
        """The bits of an element of an array."""
        return self.accesses.network.arrays[array].type.bits
