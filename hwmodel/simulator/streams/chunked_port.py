"""The memory port of a streaming group: the elements that it moves, chunk of pulses by chunk, and for how long.

Chunks, requests and their cycles follow from the pulses in which data are born and stored here, without the model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.accesses import Accesses, points
from hwmodel.platform import Platform
from hwmodel.simulator.events import Events as StepEvents
from hwmodel.simulator.memories.memories import Memory
from hwmodel.simulator.port import Burst, Port
from hwmodel.simulator.requests import Requester
from hwmodel.simulator.schedule.plan import fault, outside_elements
from hwmodel.simulator.streams.events import chunk, firings, node_reads, until_birth
from hwmodel.simulator.streams.faults import stream_fault
from hwmodel.streamed import SETTLING, STORES_FROM, StreamedGroup


@dataclass(frozen=True, eq=False)
class ChunkMoves:
    """The elements that the port moves of a group, in the order of the arrays: by array and step, ascending.

    `requesters` by array and direction (True: stored), of ports that request runs.
    """

    loads: Mapping[str, Sequence[IntArray]]
    stores: Mapping[str, Sequence[IntArray]]
    requesters: Mapping[tuple[str, bool], Requester]


@dataclass(frozen=True, eq=False)
class _Passing:
    """Elements that a group loads, or (`write`) that leave it, and the pulse of each."""

    array: str
    write: bool
    elements: IntArray
    pulses: IntArray


class ChunkedPort:
    """The loads and stores of a group, chunk by chunk."""

    def __init__(self, accesses: Accesses, platform: Platform, group: StreamedGroup) -> None:
        self.accesses, self.platform, self.group = accesses, platform, group
        self.is_axis = group.stream.interface == "axis"
        self.nodes = node_reads(accesses, group)
        self.set_up = tuple(self._set_up())
        passing = [*self._passing()]
        self.pulses = 1 + max([*(int(own.pulses.max()) for own in passing if own.write), *self._last_sums()])
        self.behind: dict[str, int] = {}
        self.chunk = 1 if self.is_axis else group.stream.chunk
        self.chunks = -(-(group.frame if group.stream.has_blanking else self.pulses) // self.chunk)
        self.loads: dict[str, list[IntArray]] = {}
        self.stores: dict[str, list[IntArray]] = {}
        for array in self.set_up:
            every = np.arange(accesses.size(array))
            self._note(_Passing(array, False, every, np.zeros(len(every), np.int64)))
        for own in passing:
            self._note(own)
        sides = [*self.loads.items(), *self.stores.items()]
        self.largest: dict[str, int] = {}
        for array, steps in sides:
            self.largest[array] = max(self.largest.get(array, 0), *map(len, steps))

    def _set_up(self) -> Iterator[str]:
        """Arrays from outside that are there before the first pulse."""
        moved = {touch.array for node in self.nodes.values() for touch in (*node.reads, *node.writes)}
        read = dict.fromkeys(touch.array for task in self.group.tasks for touch in self.accesses.reads[task])
        yield from (name for name in read if name not in moved and not self.accesses.is_resident(name))

    def _last_sums(self) -> Iterator[int]:
        """The pulses in which units with memories of sums have read all of them, so that another frame may begin."""
        if not (self.is_axis or self.group.stream.has_blanking):
            for task in self.group.tasks:
                if self.platform.bins(self.accesses.network.processes[task]):
                    firing = self.group.nodes[task].firing
                    yield int(firings(firing)[0].max()) + firing.interval + firing.latency

    def _passing(self) -> Iterator[_Passing]:
        """All that nodes load, and all that leaves."""
        kinds = {name: own.kind for name, own in self.group.nodes.items()}
        stored = {own.reads[0].array for name, own in self.nodes.items() if kinds[name] == "store"}
        for name, node in self.nodes.items():
            firing = self.group.nodes[name].firing
            for touch in node.writes if kinds[name] != "store" else node.reads:
                known = self.accesses.network.arrays[touch.array]
                leaves = known.is_output or not set(known.readers) <= set(self.group.tasks)
                if kinds[name] == "task" and (touch.array in stored or not leaves):
                    continue
                rows, elements = self.accesses.touched(touch, points(firing.extents))
                places, size = np.arange(elements.shape[1]), elements.shape[1]
                if kinds[name] == "store":
                    late = places // chunk(size, firing.interval)
                else:
                    late = until_birth(firing, places, size)
                pulses = firings(firing)[0][rows][:, None] + late
                yield _Passing(touch.array, kinds[name] != "load", elements.reshape(-1), pulses.reshape(-1))

    def _note(self, own: _Passing) -> None:
        """Note what passes in each chunk: with blanking of the time of one frame, in which all of an array passes."""
        begin, frame = self.group.begin_of(int(own.pulses.min())), self.group.frame
        behind = self.behind.setdefault(own.array, begin // frame)
        if behind != begin // frame or (self.group.stream.has_blanking and int(own.pulses.max()) >= begin + frame):
            raise stream_fault(f"'{own.array}' passes in the time of more than one frame")
        side = self.stores if own.write else self.loads
        known = side.setdefault(own.array, [np.zeros(0, np.int64)] * self.chunks)
        numbers = (own.pulses - begin) // self.chunk
        order = np.argsort(numbers, kind="stable")
        ends = np.searchsorted(numbers[order], np.arange(self.chunks + 1))
        for number in range(self.chunks):
            fresh = own.elements[order[ends[number] : ends[number + 1]]]
            known[number] = np.append(known[number], fresh)

    def held(self) -> Iterator[tuple[str, int]]:
        """By array the elements that its memory holds: two of its largest chunk.

        With AXI4-Streams two words; all of an array that is there before the first pulse.
        """
        for array, most in self.largest.items():
            yield array, most if self.is_axis and array in self.set_up else 2 * most

    def require_loaded(self, memory: Memory) -> None:
        """Raises SimulatorError (`read-before-write`) where an element is read that nobody has made.

        An array is loaded whole, also elements that no task reads. A group of blocks does not store those.
        """
        others = set(self.accesses.network.processes) - set(self.group.tasks)
        for array, steps in self.loads.items():
            missing = np.concatenate([elements[memory[array][elements] < 0] for elements in steps])
            if len(missing) and outside_elements(self.accesses, array, others)[missing].any():
                raise fault("read-before-write", f"an element of '{array}' is read that nobody has made")

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
        loader = Port(self.accesses, self.platform, stores_from=STORES_FROM)
        storer = Port(self.accesses, self.platform, stores_from=STORES_FROM) if separate else loader
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
            length = max(loader.served, storer.served, work, SETTLING if step > self.chunks else 0)
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
