"""The schedule of a streaming group behind the memory port, from its run on the simulated machine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from hwmodel.accesses import Accesses
from hwmodel.emit.schedule.activity import Activity, Agent, Lanes, compiled
from hwmodel.emit.schedule.design import StreamScheduling
from hwmodel.emit.schedule.frames.whole_stream import WholeStream
from hwmodel.emit.schedule.group import EngineAgents, ShorterSchedule
from hwmodel.emit.schedule.memories import Memory, Section
from hwmodel.emit.schedule.names import plain
from hwmodel.emit.schedule.port import AddressMap, DmaEngine, PortScheduler, loaded_once
from hwmodel.emit.schedule.proofs import Claim, require_claims, unproven
from hwmodel.emit.schedule.repetition import NotRepeatedError
from hwmodel.emit.schedule.value_port import Passing, PortWords
from hwmodel.emit.schedule.values import Outside, place_at
from hwmodel.emit.streams.chunks import ChunkMemories, ChunkMemory, StreamMoves
from hwmodel.emit.streams.flows import Flow, flows_of
from hwmodel.emit.streams.hardware import StreamHardware
from hwmodel.emit.streams.port_group import GOES, PULSES, FlowAgent, StreamSchedule
from hwmodel.platform import Platform
from hwmodel.simulator.schedule.plan import outside_elements
from hwmodel.simulator.streams.group_run import StreamGroupRun
from hwmodel.stream.model import StreamModel
from hwmodel.streamed import SETTLING, Firing


def _schedule(
    accesses: Accesses,
    platform: Platform,
    addresses: AddressMap,
    contents: Mapping[str, IntArray],
    run: StreamGroupRun,
    outside: Outside,
    whole: WholeStream | None = None,
) -> tuple[StreamSchedule, Outside]:
    """The schedule of a group, and the elements in the external memory after it; `outside` are those before.

    `contents` has the bits of arrays in ROMs. If the run is of a shorter frame, `whole` is the group in the whole
    frame, whose schedule it is then. Raises ArrayolError: `not-emitted` for a part that has no hardware,
    `unproven-schedule` where a proof fails; NotRepeatedError where the whole frame is no repetition.
    """
    stream = run.group.stream
    hardware = StreamHardware(StreamModel(accesses, run.group.tasks, platform), stream, contents)
    if whole is None:
        return StreamScheduler(accesses, platform, addresses, run, hardware, hardware, None).scheduled(outside)
    large = StreamHardware(StreamModel(whole.accesses, run.group.tasks, platform), stream, contents)
    require_same_pace(large, hardware)
    return StreamScheduler(accesses, platform, addresses, run, hardware, large, whole).scheduled(outside)


VERILOG_STREAMS = StreamScheduling(_schedule)


def require_same_pace(large: StreamHardware, small: StreamHardware) -> None:
    """Raises NotRepeatedError where nodes of a whole frame do not fire as those of a shorter one."""
    if _pace(large.firing) != _pace(small.firing):
        raise NotRepeatedError("nodes start at other times in the whole frame")


def _pace(firing: Mapping[str, Firing]) -> Mapping[str, Firing]:
    """When nodes fire, whatever their extents."""
    return {name: replace(own, extents=()) for name, own in firing.items()}


@dataclass(frozen=True)
class StreamScheduler:
    """Schedules a group by a run, whose chunks are those of `hardware`; of a whole frame, `large` is its hardware."""

    accesses: Accesses
    platform: Platform
    addresses: AddressMap
    run: StreamGroupRun
    hardware: StreamHardware  # of the frame that was run
    large: StreamHardware  # of the whole frame
    whole: WholeStream | None

    def scheduled(self, outside: Outside) -> tuple[StreamSchedule, Outside]:
        """As `_schedule`."""
        engines = self._port.engines()
        schedule = self._schedule(engines)
        require_claims(self._claims(schedule, engines), schedule.readers)
        for chunks in self._chunks.values():
            chunks.require_turns()
        after = self._after(engines, outside)
        if self.whole is not None:
            whole = replace(self.whole, setup=bool(self._once))
            shorter = ShorterSchedule(schedule, whole.repetition)
            schedule = replace(self._schedule(engines, whole), shorter=shorter)
        return schedule, after

    # What passes: flows, and the memories of two chunks.

    @cached_property
    def _kept(self) -> NDArray[np.int64]:
        """The steps that take time."""
        return np.flatnonzero(np.array(self.run.lengths) > 0)

    @cached_property
    def _pulsing(self) -> NDArray[np.bool_]:
        """By kept step whether the group works in it: in all but the first and the last."""
        return (self._kept > 0) & (self._kept < len(self.run.lengths) - 1)

    @property
    def _chunk_ends(self) -> IntArray:
        """The last pulse of each chunk."""
        return np.cumsum(np.full(len(self.run.lengths) - 2, self.run.group.stream.chunk)) - 1

    @cached_property
    def _flows(self) -> tuple[Flow, ...]:
        return tuple(flows_of(self.hardware, self.run.group.stream.chunk * (len(self.run.lengths) - 2)))

    @cached_property
    def _chunks(self) -> dict[str, ChunkMemory]:
        chunks = ChunkMemories(self.accesses, self.run, self._flows)
        return {array: chunks.of(array) for array in dict.fromkeys(flow.array for flow in self._flows)}

    @cached_property
    def _set_up(self) -> dict[str, Memory]:
        """By array that is there before the first pulse the registers that hold it."""
        found = {}
        for array in self.hardware.set_up:
            size, bits = self.accesses.size(array), self.accesses.network.arrays[array].type.bits
            sections, elements = (Section(0, size),), tuple(range(size))
            found[array] = Memory(plain(array), array, bits, (), size, sections, registers=True, elements=elements)
        return found

    @cached_property
    def _words(self) -> dict[str, IntArray]:
        """By array the word of each element."""
        words = {array: own.words for array, own in self._chunks.items()}
        return words | {array: np.arange(memory.size) for array, memory in self._set_up.items()}

    @cached_property
    def _once(self) -> Mapping[str, Sequence[Memory]]:
        return loaded_once(self.accesses, list(self._set_up.values()))

    @cached_property
    def _port(self) -> PortScheduler:
        memories = {array: own.memory for array, own in self._chunks.items()} | self._set_up
        moves = StreamMoves(self.run, self._words, self._kept)
        by_array = {("", array): memory for array, memory in memories.items()}
        return PortScheduler(self.accesses, self.platform, moves, by_array, self.addresses, self._once, SETTLING)

    # Agents.

    @cached_property
    def _pulses(self) -> Activity:
        """The pulses of each step; a step without any has one row, and the last one lasts until its pulses are over."""
        rows = np.where(self._pulsing, self.run.group.stream.chunk, 1)
        rows[-1] = SETTLING
        goes = np.repeat(self._pulsing, rows).astype(np.int64)
        if self._once:
            rows, goes = np.append(1, rows), np.append(0, goes)
        return Activity(PULSES, np.cumsum(rows) - 1, (), {GOES: goes}, setup=bool(self._once))

    @cached_property
    def _moving(self) -> list[tuple[Flow, Activity]]:
        """The agent of each flow: a row for each pulse, and all of them as one step."""
        found, names = [], dict[str, int]()
        for flow in self._flows:
            name = f"{'drain' if flow.drain else 'feed'}_{plain(flow.array)}"
            number = names[name] = names.get(name, -1) + 1
            name += f"_{number}" if number else ""
            words = np.where(flow.elements >= 0, self._words[flow.array][flow.elements], -1)
            lanes = Lanes(name, self._chunks[flow.array].memory, words)
            found.append((flow, Activity(name, np.array([len(words) - 1]), (lanes,))))
        return found

    def _schedule(self, engines: tuple[DmaEngine, ...], whole: WholeStream | None = None) -> StreamSchedule:
        steps = whole.repetition if whole is not None else None
        agents = tuple(
            EngineAgents(
                own.name,
                compiled(own.requests if whole is None else whole.requests(own)),
                compiled(own.passing, steps),
                compiled(own.storing, steps),
                own.lanes,
                own.channel,
            )
            for own in engines
        )
        chunks = whole.chunks if whole is not None else None
        flows = tuple(
            FlowAgent(flow, compiled(own, chunks, self._chunk_ends), own.lanes[0].name) for flow, own in self._moving
        )
        reading = [lanes for flow, own in self._moving if not flow.drain for lanes in own.lanes]
        reading += [lanes for engine in engines for lanes in engine.storing.lanes]
        writing = [lanes for flow, own in self._moving if flow.drain for lanes in own.lanes]
        writing += [lanes for engine in engines for lanes in engine.passing.lanes]
        memories = {lanes.memory.name: lanes.memory for lanes in (*reading, *writing)}
        return StreamSchedule(
            (),
            agents,
            tuple(memories.values()),
            {name: tuple(own.name for own in reading if own.memory.name == name) for name in memories},
            {name: tuple(own.name for own in writing if own.memory.name == name) for name in memories},
            len(self._kept) if whole is None else whole.steps,
            sum(self.run.lengths) if whole is None else whole.cycles,
            tuple(self._once),
            self.large,
            compiled(self._pulses, steps),
            flows,
            tuple(self._set_up),
        )

    # Proofs.

    def _claims(self, schedule: StreamSchedule, engines: tuple[DmaEngine, ...]) -> Iterator[Claim]:
        pairs: list[tuple[Activity, Agent]] = [(self._pulses, schedule.pulses)]
        pairs += [(own, flow.agent) for (_, own), flow in zip(self._moving, schedule.flows, strict=True)]
        for engine, agents in zip(engines, schedule.engines, strict=True):
            pairs += [(engine.requests, agents.requests), (engine.passing, agents.passing)]
            pairs.append((engine.storing, agents.storing))
        yield from (Claim(activity, agent, self.accesses) for activity, agent in pairs)

    def _after(self, engines: tuple[DmaEngine, ...], outside: Outside) -> Outside:
        """The elements outside after the group; every element passes the port at its word, in its step.

        Raises ArrayolError (`unproven-schedule`).
        """
        after = {array: there.copy() for array, there in outside.items()}
        for engine in engines:
            steps = engine.requests.ends
            port = PortWords(self.accesses, self.addresses, engine, 0 * steps)  # no buffers are single
            for own in port.loaded():
                self._require_passing(own, 0)
                self._require_there(own.array, own.elements[~outside[own.array][own.elements]])
            for own in port.stored():
                self._require_passing(own, 2)
                after[own.array][own.elements] = True
        return after

    def _require_there(self, array: str, missing: IntArray) -> None:
        """Require that the elements that nobody has stored are not read: an array is loaded whole."""
        others = set(self.accesses.network.processes) - set(self.run.tasks)
        read = outside_elements(self.accesses, array, others)[missing] if len(missing) else np.zeros(0, np.bool_)
        for element in missing[read][:1].tolist():
            at = place_at(element, self.accesses.shape(array))
            raise unproven(f"element {at} of '{array}' is read, and nobody has stored it")

    def _require_passing(self, own: Passing, behind: int) -> None:
        wrong = (own.elements < 0) | (self._words[own.array][own.elements] != own.words)
        if own.array in self._chunks:
            step = np.append(self._kept, -1)[own.steps - bool(self._once)]
            wrong |= self._chunks[own.array].chunk[own.elements] != step - behind
        for place in np.flatnonzero(wrong)[:1].tolist():
            raise unproven(
                f"step {own.steps[place]} moves word {own.words[place]} of '{own.array}' for another element"
            )
