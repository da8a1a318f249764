"""The port of a streaming group, in steps: each loads and stores what the group takes and makes in a chunk of pulses.

The pulses of a frame are cut in chunks of K. In a step the port loads what the loads write in the next chunk, and
stores what was made in the last one, while the group does K pulses. The step lasts as long as the longer of both.

The idea. Chunks that divide a line fall on all lines alike. So requests are counted on a few indices of a node's
outermost loop, those that fill a few whole chunks, of which some in the middle stand for all others. So do steps in
sums over a frame: of what repeats in all arrays alike one period is listed, with its number as weight.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from arrayol.arrays import IntArray
from arrayol.ir.divisors import divisors
from hwmodel.accesses import Touch, points
from hwmodel.cost_model.memory_port.port import MemoryPort, PortCycles, Service, Transfer
from hwmodel.platform import Platform
from hwmodel.stream.nodes import Node, StreamGroup
from hwmodel.stream.pulses import born_after, fired
from hwmodel.streamed import SETTLING, STORES_FROM, Firing, StreamedGroup

_LINES = 4  # periods of a node, that are counted: the first two, one for all in the middle, the last
_SEVERAL = 8  # lines of a chunk, at most
_LADDER = 6  # chunks, where the port is always the bottleneck
_SHORTEST = 8  # pulses of them
_KINDS = ("load", "store")  # of nodes at the port


@dataclass(frozen=True, eq=False)
class ArrayMoves:
    """Elements of an array that are loaded or stored (`write`) in a frame, and the pulse of each.

    With `again` only some lines are listed: of the pulses from `steady` on so many follow `again` times more, each time
    `pitch` pulses later.
    """

    array: str
    write: bool
    elements: IntArray
    pulses: IntArray
    steady: int = 0
    pitch: int = 0
    again: int = 0


@dataclass(frozen=True)
class ListedChunks:
    """Which of the `number` chunks of a frame are listed: all but `again` periods of `pitch` chunks.

    The chunks from `head` on are one period, and stand for those periods, which follow them.
    """

    number: int
    head: int = 0
    pitch: int = 0
    again: int = 0

    @property
    def left_out(self) -> int:
        """How many are not listed."""
        return self.pitch * self.again

    def places(self, more: int = 0) -> IntArray:
        """The numbers of the listed ones in a frame, and of so many more behind the last."""
        end = self.head + self.pitch
        return np.concatenate([np.arange(end), np.arange(end + self.left_out, self.number + more)])

    def weight(self, more: int = 0) -> IntArray:
        """How often each of them comes in a frame."""
        weight = np.ones(self.number - self.left_out + more, np.int64)
        weight[self.head : self.head + self.pitch] += self.again
        return weight


class PortOfArray(NamedTuple):
    """Cycles of the port by listed chunk of a frame, (n,), for one array.

    `all_words`, of some bits, and `all_data` are moved in a frame, `most_data` in one chunk at most.
    """

    array: str
    write: bool
    cycles: IntArray
    all_words: int
    all_data: int
    most_data: int
    word_bits: int

    @property
    def bytes_moved(self) -> int:
        """The bytes of all words of a frame, rounded up."""
        return -(-self.all_words * self.word_bits // 8)


@dataclass(frozen=True, eq=False)
class PortSteps:
    """The steps of a group in chunks of `chunk` pulses; `ports` by array, all with one entry for each listed chunk.

    If frames have blanking, no two of them are in a step, and the results of the first are there after `starts` frames.
    `together` are the cycles of the port in each step where those of its arrays depend on each other, as with rows.
    """

    chunk: int
    frame: int
    ports: tuple[PortOfArray, ...]
    service: Service
    listed: ListedChunks
    together: PortCycles | None = None
    starts: int | None = None

    @property
    def chunks(self) -> int:
        """The number of listed chunks of a frame, to the last datum that leaves."""
        return self.listed.number - self.listed.left_out

    @property
    def number(self) -> int:
        """The number of steps of a frame."""
        return self.listed.number + 2

    @property
    def weight(self) -> IntArray:
        """How often each step comes in a frame, (n + 2,)."""
        return self.listed.weight(2)

    @cached_property
    def _sides(self) -> IntArray:
        """By channel, the cycles of its loads and of its stores for each chunk."""
        sides = self.service.nothing(self.chunks)
        for own in self.ports:
            sides[self.service.numbers[own.array], int(own.write)] += own.cycles
        return sides

    @cached_property
    def port(self) -> PortCycles:
        """The cycles of the port in each step of a frame, (n + 2,)."""
        if self.together is not None:
            return self.together
        sides = self.service.nothing(self.chunks + 2)
        sides[:, 0, :-2], sides[:, 1, 2:] = self._sides[:, 0], self._sides[:, 1]
        return self.service.cycles(sides)

    @property
    def begins(self) -> IntArray:
        """The pulse with which the group's work in each step begins, (n + 2,)."""
        begins: IntArray = (self.listed.places(2) - 1) * self.chunk
        return begins

    @property
    def work(self) -> IntArray:
        """The pulses of the group in each step of a frame, (n + 2,)."""
        work = np.full(self.chunks + 2, self.chunk, np.int64)
        work[[0, -1]] = 0
        return work

    @property
    def lengths(self) -> IntArray:
        """The cycles of each step of a frame, (n + 2,); the group's last pulses end in the last one."""
        lengths = np.maximum(self.port.cycles, self.work)
        lengths[-1] = max(lengths[-1], SETTLING)
        return lengths

    @property
    def frames(self) -> int:
        """The number of frames whose steps come until the results of the first one are there."""
        return self.starts or 1

    @cached_property
    def latency_cycles(self) -> int:
        """From the first load to the last store."""
        return self.frames * int(self.lengths @ self.weight)

    @property
    def waits(self) -> bool:
        """Whether the group waits for the port in some step but the first and the last."""
        return bool((self.port.cycles[1:-1] > self.chunk).any())

    @property
    def frame_cycles(self) -> int:
        """From frame to frame, where frames overlap; the data of two frames in a step are requested one by one."""
        if self.starts is not None:
            return self.latency_cycles // self.starts
        period = self.frame // self.chunk - self.listed.left_out
        number = np.arange(self.chunks) % period
        sides = self.service.nothing(period)
        for channel, own in enumerate(self._sides):
            loads, stores = (np.bincount(number, side, period) for side in own)
            sides[channel] = np.roll(loads, -1), np.roll(stores, 1)
        weight = np.append(self.listed.weight(), np.ones(max(0, period - self.chunks), np.int64))[:period]
        return int(np.maximum(self.service.cycles(sides).cycles, self.chunk) @ weight)


@dataclass(frozen=True)
class StreamPort:
    """The port of one streaming group on a platform."""

    group: StreamGroup
    platform: Platform
    _port: MemoryPort = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Open the platform's port."""
        object.__setattr__(self, "_port", MemoryPort(self.group.accesses, self.platform))

    @property
    def port(self) -> MemoryPort:
        """The port."""
        return self._port

    @property
    def set_up(self) -> tuple[str, ...]:
        """The arrays from outside that no task moves along: each frame has them before its first pulse."""
        accesses, group = self.group.accesses, self.group
        read = dict.fromkeys(touch.array for task in group.tasks for touch in accesses.reads[task])
        return tuple(name for name in read if group.is_set_up(name) and not accesses.is_resident(name))

    def chunks(self, streamed: StreamedGroup, cycles: int) -> list[PortSteps]:
        """The steps under some chunks, up to the first with which the port never makes the group wait.

        Chunks divide a line, or are several lines; each is at least twice as long as the one before. Where the port
        always makes the group wait they are a ladder.
        """
        sizes, least = self._sizes(streamed), self._least(streamed)
        if least is None:
            return [self.steps(streamed, size, cycles) for size in _ladder(sizes)]
        tried: list[PortSteps] = []
        for size in (size for size in sizes if size >= least):
            if not tried or size >= 2 * tried[-1].chunk:
                tried.append(self.steps(streamed, size, cycles))
                if not tried[-1].waits:
                    break
        return tried or [self.steps(streamed, sizes[-1], cycles)]

    def steps(self, streamed: StreamedGroup, chunk: int, cycles: int, *, whole: bool = False) -> PortSteps:
        """The steps under chunks of so many pulses, of a frame that ends after `cycles` pulses; `whole` lists all."""
        starts = None
        if streamed.stream.has_blanking:
            starts, cycles = -(-cycles // streamed.frame), streamed.frame
        chunks = -(-cycles // chunk)
        counts = [self._counted(moved, chunk) for moved in self._moved(streamed, chunk)]
        in_rows = self.port.channel.rows is not None
        listed = ListedChunks(chunks)
        if not (whole or in_rows):
            listed = _listed(counts, chunks, streamed.frame // chunk)
        ports = tuple(self._of_array(counted, listed) for counted in counts)
        together = self._in_rows(streamed, chunk, chunks) if in_rows else None
        waiting = max(0, STORES_FROM - (self.port.channel.latency or 0)) if not in_rows else 0
        service = replace(self.port.service.of(own.array for own in ports), stores_from=waiting)
        return PortSteps(chunk, streamed.frame, ports, service, listed, together, starts)

    def _in_rows(self, streamed: StreamedGroup, chunk: int, chunks: int) -> PortCycles:
        """The cycles of the port in each step, with rows: all bursts of a step share those that are open."""
        transfers = []
        for own in self._moved(streamed, chunk):
            step = own.pulses // chunk
            listed = step < chunks  # what no result needs may be due after the end, and is not fetched
            transfers.append(Transfer(own.array, own.elements[listed], step[listed] + 2 * own.write, own.write))
        return self.port.by_step(transfers, chunks + 2)

    def _sizes(self, streamed: StreamedGroup) -> list[int]:
        """The chunks that may be: divisors of a line, then a few lines, as many as divide a frame."""
        lines = streamed.frame // streamed.line
        several = (number for number in divisors(lines) if 1 < number <= _SEVERAL)
        return [*divisors(streamed.line), *(streamed.line * number for number in several)]

    def _least(self, streamed: StreamedGroup) -> float | None:
        """Chunks below it surely wait; None where all do, since a frame's words alone take longer than its pulses."""
        port, accesses = self.port, self.group.accesses
        # By channel and side, or by channel alone: cycles before the first word, and words for each pulse.
        served = {(channel, kind): [0.0, 0.0] for channel in range(port.service.channels) for kind in _KINDS}
        for node in self.group.nodes.values():
            if node.kind in _KINDS:
                array = (*node.writes, *node.reads)[0].array
                words = int(port.words(array, np.array(accesses.size(array))))
                kind = _KINDS[0] if port.service.shared else node.kind
                served[port.service.numbers[array], kind][0] += (port.channel.latency or 0) + 1
                served[port.service.numbers[array], kind][1] += words / streamed.frame
        if port.channel.rows is not None:
            return 1.0
        if any(density >= 1 for _, density in served.values()):
            return None
        return max(cycles / (1 - density) for cycles, density in served.values())

    def _counted(self, moved: ArrayMoves, chunk: int) -> _Counted:
        step = moved.pulses // chunk
        number = int(step.max(initial=0)) + 1
        data = np.bincount(step, minlength=number)
        port = self.port
        if port.by_run:
            requests = port.requested(moved.array, write=moved.write).by_step(moved.elements, step, number)
            cycles, words = port.request_cycles(requests), requests.number * requests.words
        else:
            transfer = Transfer(moved.array, moved.elements, step, moved.write)
            side = port.by_step([transfer], number)
            cycles, words = side.stores if moved.write else side.loads, port.words(moved.array, data)
        repeats = moved.steady // chunk, moved.pitch // chunk, moved.again
        return _Counted(moved.array, moved.write, cycles, words, data, *(repeats if moved.again else (number, 1, 0)))

    def _of_array(self, counted: _Counted, listed: ListedChunks) -> PortOfArray:
        places, weight = listed.places(), listed.weight()
        cycles, words, data = (counted.at(values, places) for values in counted[2:5])
        bits = self.port.word_bits(counted.array)
        moved = int(words @ weight), int(data @ weight), int(data.max(initial=0))
        return PortOfArray(counted.array, counted.write, cycles, *moved, bits)

    def _moved(self, streamed: StreamedGroup, chunk: int) -> Iterator[ArrayMoves]:
        """The moves of a frame, array by array: loads first. Pulses count from the begin of the frame's time."""
        for own in self._counted_from_first(streamed, chunk):
            begin = streamed.begin_of(int(own.pulses.min())) if len(own.pulses) else 0
            yield replace(own, pulses=own.pulses - begin, steady=own.steady - begin) if begin else own

    def _counted_from_first(self, streamed: StreamedGroup, chunk: int) -> Iterator[ArrayMoves]:
        accesses = self.group.accesses
        for array in self.set_up:
            elements = np.arange(accesses.size(array))
            yield ArrayMoves(array, False, elements, 0 * elements)
        for node in self.group.nodes.values():
            firing = streamed.nodes[node.name].firing if node.name in streamed.nodes else None
            if node.kind == "load" and firing is not None:
                yield self._touched(node, node.writes[0], firing, chunk, write=False)
            elif node.kind == "store" and firing is not None:
                yield self._touched(node, node.reads[0], firing, chunk, write=True)
            elif node.kind == "store":
                yield self._stored_as_made(streamed, node.reads[0].array, chunk)

    def _stored_as_made(self, streamed: StreamedGroup, array: str, chunk: int) -> ArrayMoves:
        """The moves of an array that leaves as its tasks make it: whole ones where its writers are not alike."""
        writers = [(*pair, streamed.nodes[pair[0].name].firing) for pair in self.group.writers(array)]
        moves = [self._touched(*writer, chunk, write=True) for writer in writers]
        steady = [own.steady for own in moves]
        is_alike = len({(own.again, own.pitch) for own in moves}) == 1 and max(steady) - min(steady) < moves[0].pitch
        if len(moves) > 1 and not is_alike:
            moves = [self._touched(*writer, chunk, write=True, whole=True) for writer in writers]
        elements, pulses = (np.concatenate([getattr(own, name) for own in moves]) for name in ("elements", "pulses"))
        return replace(moves[0], elements=elements, pulses=pulses, steady=max(steady))

    def _touched(
        self, node: Node, touch: Touch, firing: Firing, chunk: int, *, write: bool, whole: bool = False
    ) -> ArrayMoves:
        """The moves of a node, of the first and last indices of its outermost loop where all between are alike.

        With `whole` those of all indices.
        """
        again, pitch, extents = 0, 0, list(node.extents)
        outer = max(range(len(extents)), key=firing.strides.__getitem__, default=None)
        if outer is not None and self.port.channel.rows is None:
            pitch, count = firing.strides[outer], firing.extents[outer]
            is_alike = not whole and touch.outside is None and touch.tiler.border is None and not touch.tiler.wrap
            period = chunk // math.gcd(chunk, pitch) if pitch else count  # indices that fill whole chunks
            around = -(-firing.first[outer] // period) if firing.first else 0  # periods at the end that begin anew
            listed = _LINES + max(0, around - 1)
            if is_alike and outer != firing.shared and count > (listed + 1) * period:
                extents[outer] = listed * period + count % period
                again, pitch = (count - extents[outer]) // period, pitch * period
        repetitions, firing = points(extents), replace(firing, extents=tuple(extents))
        rows, elements = self.group.accesses.touched(touch, repetitions)
        pulses = np.repeat(fired(firing, repetitions[rows])[:, None], elements.shape[1], axis=1)
        if write and node.process is not None:
            size = node.port_size(touch.port)
            pulses = pulses + born_after(firing, np.arange(size), size)
        first = int(pulses.min()) if pulses.size else 0
        return ArrayMoves(touch.array, write, elements.ravel(), pulses.ravel(), first + 2 * pitch, pitch, again)


class _Counted(NamedTuple):
    """Cycles of the port, words and elements that one array moves, by chunk.

    With `again` some periods are left out: the chunks from `start` on, `pitch` of them, come so many times more.
    Behind all these chunks nothing is moved.
    """

    array: str
    write: bool
    cycles: IntArray
    words: IntArray
    data: IntArray
    start: int
    pitch: int
    again: int

    def end(self, chunks: int) -> int:
        """The chunk, of so many of a frame, up to which each is as the one a period before, from `start` on."""
        return self.start + self.pitch * (1 + self.again) if self.again else chunks

    def at(self, values: IntArray, places: IntArray) -> IntArray:
        """Counted values in some chunks of a frame."""
        end = self.start + self.pitch * (1 + self.again)
        period = np.where(
            places < end, self.start + (places - self.start) % self.pitch, places - self.pitch * self.again
        )
        source = np.where(places < self.start, places, period)
        return np.where(source < len(values), values[np.minimum(source, len(values) - 1)], 0)


def _listed(counts: Sequence[_Counted], chunks: int, period: int) -> ListedChunks:
    """The chunks to list of a frame that starts a `period` of chunks after the one before, where all arrays repeat.

    What a step stores was made two chunks before what it loads, and where frames overlap the first chunks have the last
    ones of the frame before: such steps do not stand for others.
    """
    pitch = math.lcm(*(own.pitch for own in counts))
    head = 2 + max(chunks - period, *(own.start for own in counts), 0)
    end = min(period, chunks, *(own.end(chunks) for own in counts)) - 2
    again = (end - head) // pitch - 1
    return ListedChunks(chunks, head, pitch, again) if again > 0 else ListedChunks(chunks)


def _ladder(sizes: list[int]) -> list[int]:
    """Some of ascending chunks, from 8 pulses on, each at least twice as long as the one before."""
    kept = [min((size for size in sizes if size >= _SHORTEST), default=sizes[-1])]
    for size in sizes:
        if size >= 2 * kept[-1] and len(kept) < _LADDER:
            kept.append(size)
    return kept
