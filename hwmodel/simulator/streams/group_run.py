"""A streaming group of a whole design: its pulses in chunks, between which the memory port loads and stores.

Chunks, requests and their cycles follow from the pulses in which data are born and stored here, without the model.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from arrayol.execute.extern import Functions
from arrayol.ir.spec import Spec
from hwmodel.accesses import Accesses, points
from hwmodel.memory_kinds import CHAIN, CHUNK
from hwmodel.platform import Platform
from hwmodel.simulator.events import Events as StepEvents
from hwmodel.simulator.memories.memories import Memory
from hwmodel.simulator.memories.setup import Setup
from hwmodel.simulator.port import Burst, Port
from hwmodel.simulator.requests import Requester
from hwmodel.simulator.schedule.plan import fault
from hwmodel.simulator.streams.events import FrameEvents, NodeReads, events_of, node_reads
from hwmodel.simulator.streams.lines import LineLane
from hwmodel.simulator.streams.simulate import frames_to_run, group_cycles, lanes_of, last_pulse
from hwmodel.simulator.streams.values import Operands, StreamEvaluation
from hwmodel.streamed import Chain, StreamedGroup

Values = dict[str, NDArray[Any]]


@dataclass(frozen=True, eq=False)
class ChunkMoves:
    """What the port moves of a group, in the order of the arrays: by array and step the elements, ascending.

    `requesters` by array and direction (True: stored), of ports that request runs.
    """

    loads: Mapping[str, Sequence[IntArray]]
    stores: Mapping[str, Sequence[IntArray]]
    requesters: Mapping[tuple[str, bool], Requester]


@dataclass(frozen=True)
class StreamGroupRun:
    """A streaming group's run: the length and the events of every step, and what its memories held.

    `pulses` are those from the first load to the last datum that leaves. `first_token` is by array the token of its
    first element, of the arrays that the group writes. `moves` are those of the port.
    """

    group: StreamedGroup
    lengths: tuple[int, ...]
    events: StepEvents
    peaks: Mapping[tuple[str, str], int]
    setup: Setup
    pulses: int
    operands: Operands
    nodes: Mapping[str, NodeReads]
    first_token: Mapping[str, int]
    moves: ChunkMoves
    words: Mapping[str, int] = field(default_factory=dict)  # buffers have some, and a stream has none

    @property
    def tasks(self) -> tuple[str, ...]:
        """The names of its tasks in dataflow order."""
        return self.group.tasks

    @property
    def cycles(self) -> int:
        """Cycles from the first load to the last store."""
        return sum(self.lengths)

    def evaluate(self, spec: Spec, accesses: Accesses, functions: Functions, values: Values, memory: Memory) -> None:
        """Enter the values of all tokens that the group made, given those of what it read."""
        given = {
            name: values[name] if accesses.is_resident(name) else _by_element(memory[name], values[name])
            for name in self._reads(accesses)
            if name in values
        }
        evaluation = StreamEvaluation(spec, accesses, self.group, self.nodes, given, functions)
        for name, made in evaluation.outputs(self.operands).items():
            flat = made.reshape(-1)
            values[name] = np.concatenate([values[name], flat]) if self.first_token.get(name) else flat

    def _reads(self, accesses: Accesses) -> set[str]:
        made = {touch.array for task in self.tasks for touch in accesses.writes[task]}
        return {touch.array for task in self.tasks for touch in accesses.reads[task]} - made


def run_stream_group(
    accesses: Accesses,
    platform: Platform,
    group: StreamedGroup,
    memory: Memory,
    setup: Setup,
    earlier: Mapping[str, int] | None = None,
) -> StreamGroupRun:
    """Run a group after the setup; `memory` holds tokens of what it loads and receives tokens of what it stores.

    `earlier` is the number of tokens that other groups have made of arrays of which this one makes a part. Raises
    SimulatorError if the design breaks a rule of the machine.
    """
    events = events_of(accesses, group)
    frames = frames_to_run(events, group)
    operands, lanes = Operands(), lanes_of(events, group, frames)
    for lane in lanes:
        for number, read in lane.run(last_pulse(events) + (frames - 1) * group.frame):
            if number == 0:
                operands.add(lane.name, read)
    pulses = group_cycles(accesses, events, group)
    port = _ChunkedPort(accesses, platform, group, events, pulses)
    port.require_loaded(memory)
    lengths, steps, moves = port.run()
    tokens = dict(earlier or {})
    first = {}
    for array, elements in port.stored():
        first[array] = tokens.get(array, 0)
        memory[array][elements] = first[array] + elements
    peaks = _words(lanes, group.chains) | {(CHUNK.name, name): most for name, most in port.held()}
    nodes = node_reads(accesses, group)
    return StreamGroupRun(group, lengths, steps, peaks, setup, pulses, operands, nodes, first, moves)


def _by_element(tokens: IntArray, values: NDArray[Any]) -> NDArray[Any]:
    """The values of an array's elements; zeros of those that nobody has made."""
    found = np.zeros(len(tokens), values.dtype)
    known = tokens >= 0
    found[known] = values[tokens[known]]
    return found


def _words(lanes: Sequence[LineLane], chains: Sequence[Chain]) -> dict[tuple[str, str], int]:
    """The words of the line buffers of each output; those kept beside its lanes are apart."""
    words: Counter[tuple[str, str]] = Counter()
    beside: dict[object, list[Chain]] = defaultdict(list)
    for chain in chains:
        beside[chain.node, chain.port, chain.place, chain.unit, chain.state].append(chain)
    for lane in lanes:
        name = lane.name
        for chain, line in zip(
            beside[name.node, name.port, name.place, name.unit, name.state], lane.lines, strict=True
        ):
            own = chain.port if chain.node == f"load {chain.port}" else f"{chain.node}.{chain.port}"
            own += f"{' kept' if chain.kept else ''}{' state' if chain.state else ''}"
            words[CHAIN.name, own] += sum(len(segment.words) for segment in line.segments)
    return +words


class _ChunkedPort:
    """What the port loads and stores of a group, chunk by chunk."""

    def __init__(
        self, accesses: Accesses, platform: Platform, group: StreamedGroup, events: FrameEvents, pulses: int
    ) -> None:
        self.accesses, self.platform, self.group = accesses, platform, group
        self.is_axis = group.stream.interface == "axis"
        self.pulses = pulses
        self.chunk = 1 if self.is_axis else group.stream.chunk
        self.chunks = -(-pulses // self.chunk)
        self.nodes = node_reads(accesses, group)
        self.loads: dict[str, list[IntArray]] = {}
        self.stores: dict[str, list[IntArray]] = {}
        self.set_up = tuple(self._set_up())
        for array in self.set_up:
            self._note(self.loads, array, np.arange(accesses.size(array)), np.zeros(accesses.size(array), np.int64))
        for name, node in self.nodes.items():
            self._moved(name, node, events)
        sides = [*self.loads.items(), *self.stores.items()]
        self.largest: dict[str, int] = {}
        for array, steps in sides:
            self.largest[array] = max(self.largest.get(array, 0), *map(len, steps))

    def _set_up(self) -> Iterator[str]:
        """Arrays from outside that are there before the first pulse."""
        moved = {touch.array for node in self.nodes.values() for touch in (*node.reads, *node.writes)}
        read = dict.fromkeys(touch.array for task in self.group.tasks for touch in self.accesses.reads[task])
        yield from (name for name in read if name not in moved and not self.accesses.is_resident(name))

    def _moved(self, name: str, node: NodeReads, events: FrameEvents) -> None:
        kind, places = self.group.nodes[name].kind, points(self.group.nodes[name].firing.extents)
        if kind == "load":
            (touch,) = node.writes
            self._born(self.loads, name, touch.port, self.accesses.elements(touch, places), events)
        elif kind == "store":
            (touch,) = node.reads
            elements = self.accesses.elements(touch, places)
            taken = [
                (read.pulse, elements[read.reader, read.tap.place])
                for own in events.lanes.values()
                for read in own.reads
                if read.tap.node == name
            ]
            pulses, stored = np.array(taken, np.int64).T
            self._note(self.stores, touch.array, stored, pulses)
        else:
            stores = {
                own.reads[0].array for other, own in self.nodes.items() if self.group.nodes[other].kind == "store"
            }
            for touch in node.writes:
                known = self.accesses.network.arrays[touch.array]
                leaves = known.is_output or not set(known.readers) <= set(self.group.tasks)
                if leaves and touch.array not in stores:
                    rows, elements = self.accesses.touched(touch, places)
                    every = np.full((len(places), elements.shape[1]), -1, np.int64)
                    every[rows] = elements
                    self._born(self.stores, name, touch.port, every, events)

    def _born(
        self, side: dict[str, list[IntArray]], name: str, port: str, elements: IntArray, events: FrameEvents
    ) -> None:
        """Note the elements of a node's results, at their births."""
        array = next(touch.array for touch in self.nodes[name].writes if touch.port == port)
        for lane, own in events.lanes.items():
            if (lane.node, lane.port, lane.state) == (name, port, False) and own.births:
                pulses, data = np.array(own.births, np.int64).T
                born = elements[data, lane.place]
                self._note(side, array, born[born >= 0], pulses[born >= 0])

    def _note(self, side: dict[str, list[IntArray]], array: str, elements: IntArray, pulses: IntArray) -> None:
        known = side.setdefault(array, [np.zeros(0, np.int64)] * self.chunks)
        numbers = pulses // self.chunk
        order = np.argsort(numbers, kind="stable")
        ends = np.searchsorted(numbers[order], np.arange(self.chunks + 1))
        for number in range(self.chunks):
            fresh = elements[order[ends[number] : ends[number + 1]]]
            known[number] = np.append(known[number], fresh)

    def held(self) -> Iterator[tuple[str, int]]:
        """By array two of its largest chunk; of AXI4-Streams two words, and all of what is there before they move."""
        for array, most in self.largest.items():
            yield array, most if self.is_axis and array in self.set_up else 2 * most

    def require_loaded(self, memory: Memory) -> None:
        """Raises SimulatorError (`read-before-write`) where an element is loaded that nobody has made."""
        for array, steps in self.loads.items():
            for elements in steps:
                if (memory[array][elements] < 0).any():
                    raise fault("read-before-write", f"an element of '{array}' is loaded that nobody has made")

    def stored(self) -> Iterator[tuple[str, IntArray]]:
        """The elements that leave, by array."""
        for array, steps in self.stores.items():
            yield array, np.unique(np.concatenate(steps))

    def run(self) -> tuple[tuple[int, ...], StepEvents, ChunkMoves]:
        """The lengths, the events and the moves of the steps.

        Chunk n is loaded in step n, taken in n + 1, stored in n + 2. With AXI4-Streams all is one step.
        """
        if self.is_axis:
            return self._run_at_once()
        separate = self.platform.channels[0].port == "separate"
        loader = Port(self.accesses, self.platform)
        storer = Port(self.accesses, self.platform) if separate else loader
        nothing = [np.zeros(0, np.int64)] * 2
        order = [name for name in self.accesses.network.arrays if name in self.loads.keys() | self.stores.keys()]
        loads = {name: [*map(np.sort, self.loads[name]), *nothing] for name in order if name in self.loads}
        stores = {name: [*nothing, *map(np.sort, self.stores[name])] for name in order if name in self.stores}
        for name, steps in loads.items():
            loader.expect(name, steps, write=False)
        for name, steps in stores.items():
            storer.expect(name, steps, write=True)
        events, lengths = StepEvents(self.group.tasks, tuple(order)), []
        for step in range(self.chunks + 2):
            loader.begin()
            if separate:
                storer.begin()
            for side, port, write in ((loads, loader, False), (stores, storer, True)):
                for name, steps in side.items():
                    if len(steps[step]):
                        port.serve(name, steps[step], write=write)
            work = self.chunk if 0 < step <= self.chunks else 0
            length = max(loader.served, storer.served, work)
            bursts = [*loader.bursts, *(storer.bursts if separate else ())]
            events.add(length, bursts, dict.fromkeys(self.group.tasks, work))
            lengths.append(length)
        return tuple(lengths), events, ChunkMoves(loads, stores, {**loader.requesters, **storer.requesters})

    def _run_at_once(self) -> tuple[tuple[int, ...], StepEvents, ChunkMoves]:
        """One step, in which each array comes or goes in all pulses."""
        sides = [
            (name, own, write)
            for side, write in ((self.loads, False), (self.stores, True))
            for name, own in side.items()
        ]
        events = StepEvents(self.group.tasks, tuple(dict.fromkeys(name for name, _, _ in sides)))
        bursts = [Burst(name, write, sum(map(len, steps)), 0, self.pulses) for name, steps, write in sides]
        events.add(self.pulses, bursts, dict.fromkeys(self.group.tasks, self.pulses))
        return (self.pulses,), events, ChunkMoves(self.loads, self.stores, {})
