"""Delays in hardware: a memory with one word for each open chain of a delay, and how results get there in time.

The next repetition of a chain reads the word of its chain, which must have been written in a cycle before that of the
read address. There are three ways, and the first that is in time is taken:

1. The results leave the unit as all others do, and the memory takes them then.

2. Each unit goes on with the chain that it worked on last, and keeps the state itself. The model counts on it in a step
in which every unit has one chain, and there units go on with theirs whatever their place in a round.

3. The memory takes each result as soon as the unit has it, before it leaves with the others. The model counts the
recurrence through the memory this way (docs/machine.md, section 4): at an initiation interval above 1, an output of few
elements leaves later than it is made.

A step in which units keep the state may follow one in which the state passes through the memory, so ways 2 and 3 are
also combined.

A delay over frames has a word for each repetition instead, or several that frames use in turn. A word is written in an
earlier frame than the one that reads it, so no result is late.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from arrayol.ir.spec import Delay, Port, TiledDefault, port_named
from hwmodel.accesses import Accesses
from hwmodel.cost_model.group.group import frames_back, frames_kept
from hwmodel.datapath.derive import Derived
from hwmodel.datapath.figures import read_cycles, result_cycles
from hwmodel.emit.schedule.activity import Lanes
from hwmodel.emit.schedule.bits import bits_of_constant
from hwmodel.emit.schedule.memories import Memory, Section
from hwmodel.emit.schedule.names import plain
from hwmodel.emit.schedule.own_module import Computing
from hwmodel.emit.schedule.units import FETCH, ReadPort, Timed, WritePort, in_chunks, leaving, table_of
from hwmodel.simulator.group import LocalMemories
from hwmodel.simulator.schedule.chains import delayed_instances
from hwmodel.simulator.schedule.processors import ProcessorState

Bools = NDArray[np.bool_]
KEEPING = 32  # the units that a control has a bit for


@dataclass(frozen=True)
class Fed:
    """The ports of a task after a delay is added, and the lanes and controls that the delay adds."""

    ports: tuple[ReadPort, ...]
    read: tuple[Lanes, ...] = ()
    written: tuple[tuple[WritePort, Lanes], ...] = ()
    controls: Mapping[str, IntArray] = field(default_factory=dict)


@dataclass(frozen=True)
class DelayScheduler:
    """One delay of a task; `local` has the memory of its state."""

    accesses: Accesses
    own: ProcessorState
    delay: Delay
    timed: Timed
    datapath: Computing
    local: LocalMemories

    def fed(self, ports: Sequence[ReadPort]) -> Fed:
        """Add the port that the delay feeds to the ports of the task."""
        own, delay = self.own, self.delay
        fed = ReadPort(delay.port, "", self.size, -(-self.size // self.interval), self.port.type.bits)
        default = next((other for other in ports if other.port == delay.port), None)
        others = tuple(other for other in ports if other is not default)
        if default is not None:
            fed = replace(fed, otherwise=default)
        else:
            assert not isinstance(delay.default, TiledDefault), "a tiled default is read by a tiler"
            fed = replace(fed, constant=bits_of_constant(delay.default, self.port.type))
        # A delay that never acts, within a frame or over frames, always takes its default.
        if delay not in self.accesses.delays(own.task):
            if any(chains.name == self.name for chains in own.chains):
                return self._over_frames(others, fed)
            return Fed((*others, default or fed))
        return self._acting(others, fed)

    @property
    def name(self) -> str:
        """The name of the delay's state."""
        return f"{self.own.task}.{self.delay.port}"

    @property
    def interval(self) -> int:
        """The initiation interval of the task's units."""
        return self.own.unit.interval

    @cached_property
    def port(self) -> Port:
        """The input that the delay feeds."""
        return port_named(self.accesses.network.processes[self.own.task].input_ports, self.delay.port)

    @cached_property
    def size(self) -> int:
        """The number of elements that the delay hands on in one repetition."""
        return math.prod(extent or 1 for extent in self.port.shape)

    def _acting(self, others: tuple[ReadPort, ...], fed: ReadPort) -> Fed:
        """The ports, lanes and controls of a delay that acts, by the first of the three ways that is in time."""
        own, delay, timed, bits = self.own, self.delay, self.timed, self.port.type.bits
        name = f"{plain(own.task)}_{delay.port}_state"
        memory, words = self._state()
        now, before = delayed_instances(self.accesses, delay, own.work)
        leaves = own.unit.latency + result_cycles(np.arange(self.size), self.size, self.interval)
        late, follows = self.late_reads(now, before, leaves), self._follows(now, before)
        # Taking results early adds a bus to the unit, so this is done only if it is needed.
        early = early_cycles(self.datapath, delay, self.size) if (late & ~follows).any() else ()
        if early:
            late = self.late_reads(now, before, FETCH + np.array(early, np.int64))
        assert not (late & ~follows).any(), "the model counts the way through the memory, or units keep their chains"
        at, lane = in_chunks(timed.reading[now], timed.unit[now], self.size, fed.chunk)
        read = np.where(late[:, None], -1, words[now])
        reading = Lanes(name, memory, table_of((timed.readers, own.units * fed.chunk), at, lane, read))
        port = WritePort(delay.output, (f"{name}_next",), self.size, fed.chunk, bits, early)
        if early:
            row = (timed.writing[before] - own.unit.latency + FETCH)[:, None] + np.array(early, np.int64)
            lane = timed.unit[before][:, None] * self.size + np.arange(self.size)
        else:
            row, lane = leaving(timed.writing[before], timed.unit[before], self.size, self.interval)
        table = table_of((timed.writers, own.units * port.at_once), row, lane, words[before])
        kept, controls = (port, Lanes(f"{name}_next", memory, table)), dict[str, IntArray]()
        if late.any():
            assert isinstance(self.datapath, Derived), "the states of a module are in time, as the model says"
            controls = controls_of("begins", timed, own.units) | controls_of("keeps", timed, own.units, now[late])
        return Fed((*others, replace(fed, lanes=name)), (reading,), (kept,), controls)

    def _over_frames(self, others: tuple[ReadPort, ...], fed: ReadPort) -> Fed:
        """The ports and lanes of a delay over frames: a word for each repetition, written after it has been read.

        If it keeps several frames, each of them has words of its own.
        """
        own, delay, timed = self.own, self.delay, self.timed
        name = f"{plain(own.task)}_{delay.port}_state"
        memory, words = self._state()
        repetition = self.accesses.network.processes[own.task].repetition
        frames, kept = frames_back(repetition, delay), frames_kept(repetition, delay)
        if kept > 1:
            memory = self._in_turns(memory, words, kept, reads_next=kept > frames)
        now, before = delayed_instances(self.accesses, delay, own.work)
        at, lane = in_chunks(timed.reading[now], timed.unit[now], self.size, fed.chunk)
        reading = Lanes(name, memory, table_of((timed.readers, own.units * fed.chunk), at, lane, words[before]))
        row, lane = leaving(timed.writing, timed.unit, self.size, self.interval)
        table = table_of((timed.writers, own.units * fed.chunk), row, lane, words)
        port = WritePort(delay.output, (f"{name}_next",), self.size, fed.chunk, self.port.type.bits)
        return Fed(
            (*others, replace(fed, lanes=name, later=frames)),
            (reading,),
            ((port, Lanes(f"{name}_next", memory, table)),),
        )

    @staticmethod
    def _in_turns(memory: Memory, words: IntArray, frames: int, *, reads_next: bool) -> Memory:
        """The memory with a part for each of some frames, of which these are the words of one."""
        part = memory.depth // frames
        assert (words % memory.depth < part).all(), "each bank has the words of whole frames"
        return replace(memory, sections=(Section(0, part),), turns=frames, reads_next=reads_next)

    def late_reads(self, now: IntArray, before: IntArray, cycles: IntArray) -> Bools:
        """For each instance, whether it reads a result too early, if elements are written `cycles` after a start.

        A word that is written in a cycle can be read by an address of the next cycle. Only elements that the datapath
        uses count.
        """
        is_used = self.datapath.always_reads(self.delay.port, self.size)
        wait = cycles + 1 - read_cycles(np.arange(self.size), self.size, self.interval)
        return np.asarray(self.own.started[now] - self.own.started[before] < wait[is_used].max(initial=0))

    def _follows(self, now: IntArray, before: IntArray) -> Bools:
        """For each instance, whether it is the next one of its unit after the instance that hands on to it.

        All False with several delays, of which units keep no state.
        """
        own, unit = self.own, self.timed.unit
        if len(self.accesses.delays(own.task)) > 1:
            return np.zeros(len(now), np.bool_)
        order = np.lexsort((own.started, unit))
        former = np.full(len(order), -1)
        former[order[1:]] = np.where(unit[order[1:]] == unit[order[:-1]], order[:-1], -1)
        return np.asarray(former[now] == before)

    def _state(self) -> tuple[Memory, IntArray]:
        """The memory of the state, and the words of its chain for each instance, (instances, size)."""
        chains = next(each for each in self.own.chains if each.name == self.name)
        banks, data = self.local.states[self.name]
        words = max(1, data // self.size)
        banks = max(1, banks)
        # In parts, a chain has words one after another in each of some banks side by side; else there is one word.
        together = self.local.together.get(self.name, self.size)
        parts = self.size // together
        depth = -(-words // banks) * parts
        moduli = tuple(modulus for modulus in (banks, together) if modulus > 1)
        # Chains are numbered in the order in which they open, and use the words of the state cyclically.
        number = chains.number % words
        element = np.arange(self.size)
        bank = (number % banks)[:, None] * together + element % together
        words_of = bank * depth + (number // banks)[:, None] * parts + element // together
        name = f"{plain(self.own.task)}_{self.delay.port}"
        memory = Memory(name, self.name, self.port.type.bits, moduli, depth, (Section(0, depth),))
        return memory, np.where(chains.number[:, None] < 0, -1, words_of)


def early_cycles(datapath: Computing, delay: Delay, size: int) -> tuple[int, ...]:
    """The earliest cycle, in the datapath's schedule, in which a memory can take each element of an output.

    That is the cycle in which the element is made, or, if it is later, the one in which the repetition's own element of
    the previous state has been read, since both use the same word.
    """
    assert isinstance(datapath, Derived), "the states of a module are in time, as the model says"
    finished = datapath.finished_by(delay.output, size)
    read = read_cycles(np.arange(size), size, datapath.interval)
    return tuple(np.maximum(finished - 1, read - FETCH).tolist())


def control_of(what: str, unit: int) -> str:
    """The control that says something of a unit in its bit `unit` modulo KEEPING, such as "begins"."""
    return f"{what}{unit // KEEPING or ''}"


def controls_of(what: str, timed: Timed, units: int, instances: IntArray | None = None) -> dict[str, IntArray]:
    """The controls of so many units, with one bit by row for each that starts an instance of a set: one of all."""
    own = np.arange(len(timed.unit)) if instances is None else instances
    part = timed.unit[own] // KEEPING
    return {
        control_of(what, first): _by_unit(timed, own[part * KEEPING == first]) for first in range(0, units, KEEPING)
    }


def _by_unit(timed: Timed, instances: IntArray) -> IntArray:
    """By row, one bit for each of KEEPING units that starts an instance of a set."""
    units = np.zeros(timed.readers, np.int64)
    np.bitwise_or.at(units, timed.reading[instances], 1 << timed.unit[instances] % KEEPING)
    return units
