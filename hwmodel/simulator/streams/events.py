"""Births of data in lanes and reads of them by taps: in which pulse each node makes and takes what.

From the access relations and the firings of a design alone: counters run through the repetitions, and every read names
the repetition that made what it reads. Some of this is in `hwmodel.stream` too, which is not imported on purpose: the
simulator judges the model, and must not share its mistakes.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple

import numpy as np

from arrayol.arrays import IntArray
from arrayol.ir.spec import Delay, Tiler
from hwmodel.accesses import Accesses, Touch, points
from hwmodel.streamed import Firing, StreamedGroup, Tap


class LaneName(NamedTuple):
    """A lane: the data of one element of one port of one unit. Of a `state` only delays read."""

    node: str
    port: str
    place: int
    unit: int
    state: bool


class TapRead(NamedTuple):
    """A tap takes a datum in a pulse. A datum that is read out of the order of birth may be at another tap.

    `datum` is the repetition of the lane's node that makes it, `reader` that of the tap's node. The pulse is counted in
    the frame of the datum. The frame of the reader is so many frames `later`: below 0 where it reads ahead.
    """

    pulse: int
    tap: Tap
    datum: int
    reader: int
    later: int = 0

    @property
    def beyond(self) -> bool:
        """Whether it is read out of the order of birth."""
        return self.tap.beyond > 0


@dataclass
class LaneEvents:
    """Births (pulse, datum) and reads of one lane, in the order of the pulses once `sorted_by_pulse`."""

    births: list[tuple[int, int]] = field(default_factory=list)
    reads: list[TapRead] = field(default_factory=list)


@dataclass(frozen=True)
class NodeReads:
    """The tilers and delays through which a node reads, and the tilers of its writes; what is set up is no read."""

    reads: tuple[Touch, ...]
    writes: tuple[Touch, ...]
    delays: tuple[Delay, ...]


def node_reads(accesses: Accesses, group: StreamedGroup) -> dict[str, NodeReads]:
    """The reads and writes of each node of a group."""
    moved: dict[str, set[int]] = defaultdict(set)
    made = set()
    for task in group.tasks:
        made |= {touch.array for touch in accesses.writes[task]}
        for touch in (*accesses.reads[task], *accesses.writes[task]):
            moved[touch.array] |= {axis for axis, row in enumerate(touch.tiler.paving) if any(row)}
    found = {}
    for name, node in group.nodes.items():
        if node.kind == "task":
            reads = tuple(
                touch
                for touch in accesses.reads[name]
                if not accesses.is_resident(touch.array)
                and (touch.array in made or moved[touch.array] or _comes_with_frames(accesses, touch.array))
            )
            found[name] = NodeReads(reads, accesses.writes[name], accesses.delays(name))
        else:
            array = name.partition(" ")[2]
            touch = _place_by_place(accesses, name, array, sorted(moved[array]), group)
            found[name] = NodeReads((), (touch,), ()) if node.kind == "load" else NodeReads((touch,), (), ())
    return found


def _comes_with_frames(accesses: Accesses, array: str) -> bool:
    return accesses.frames_inside and None in accesses.network.arrays[array].shape


def _place_by_place(accesses: Accesses, node: str, array: str, moved: list[int], group: StreamedGroup) -> Touch:
    shape = accesses.shape(array)
    pattern = [axis for axis in range(len(shape)) if axis not in moved]
    rows = range(len(shape))
    span = next(
        touch.tiler.span
        for task in group.tasks
        for touch in (*accesses.reads[task], *accesses.writes[task])
        if touch.array == array
    )
    tiler = Tiler(
        (0,) * len(shape),
        tuple(tuple(int(axis == other) for other in moved) for axis in rows),
        tuple(tuple(int(axis == other) for other in pattern) for axis in rows),
        False,
        span,
    )
    return Touch(node, array, array, tiler, tuple(shape[axis] for axis in pattern))


def firings(firing: Firing) -> tuple[IntArray, IntArray]:
    """By repetition (row-major) the pulse in which it fires, and the unit that takes it."""
    pulse, unit = np.full(math.prod(firing.extents), firing.start, np.int64), np.zeros(1, np.int64)
    for at, index in enumerate((_counted_on(firing, points(firing.extents)) - _first(firing)).T):
        if at == firing.shared:
            pulse += firing.strides[at] * (index // firing.units)
            unit = index % firing.units
        else:
            pulse += firing.strides[at] * index
    return pulse, np.broadcast_to(unit, pulse.shape)


def _first(firing: Firing) -> IntArray:
    return np.array(firing.first or (0,) * len(firing.extents), np.int64)


def _counted_on(firing: Firing, repetitions: IntArray) -> IntArray:
    """Repetitions (n, rank) in which after the last index of a dimension come extent, extent + 1, ... for 0, 1, ..."""
    first = _first(firing)
    return first + (repetitions - first) % np.array(firing.extents, np.int64)


def _turns(firing: Firing, touch: Touch, axis: int) -> bool:
    """Whether a dimension that moves along an axis begins with another index than 0."""
    return any(step and first for step, first in zip(touch.tiler.paving[axis], firing.first, strict=False))


def chunk(size: int, interval: int) -> int:
    """The elements of a port that are taken in one pulse (no chunk of the memory port)."""
    return -(-size // interval)


def until_birth(firing: Firing, places: IntArray, size: int) -> IntArray:
    """Pulses from a firing to the births of results of a port of `size` elements."""
    return -(-(places + 1) * firing.interval // size) + firing.latency


@dataclass(frozen=True)
class FrameEvents:
    """All lanes of a group over one frame."""

    lanes: Mapping[LaneName, LaneEvents]


def events_of(accesses: Accesses, group: StreamedGroup) -> FrameEvents:
    """The births and reads of one frame."""
    return _Recorder(accesses, group).record()


class _Recorder:
    def __init__(self, accesses: Accesses, group: StreamedGroup) -> None:
        self.accesses, self.group = accesses, group
        self.nodes = node_reads(accesses, group)
        self.when = {name: firings(node.firing) for name, node in group.nodes.items()}
        self.lanes: dict[LaneName, LaneEvents] = defaultdict(LaneEvents)
        self.makers: dict[str, list[tuple[str, str, IntArray, IntArray]]] = defaultdict(list)

    def record(self) -> FrameEvents:
        for name, node in self.nodes.items():
            for touch in node.writes:
                self._note_makers(name, touch)
        for name, node in self.nodes.items():
            for number, touch in enumerate(node.reads):
                self._read(name, number, touch)
            for number, delay in enumerate(node.delays):
                self._delayed(name, len(node.reads) + number, delay)
        for lane in self._written():
            self.lanes.setdefault(lane, LaneEvents())
        for lane, events in self.lanes.items():
            self._births(lane, events)
            events.reads.sort(key=lambda read: read.pulse)
        return FrameEvents(dict(self.lanes))

    def _written(self) -> Iterator[LaneName]:
        """The lanes of all results that arrays hold, read or not."""
        for name, node in self.nodes.items():
            units = range(self.group.nodes[name].firing.units)
            for touch in node.writes:
                for place, unit in product(range(math.prod(touch.pattern)), units):
                    yield LaneName(name, touch.port, place, unit, False)

    def _note_makers(self, name: str, touch: Touch) -> None:
        """Note which repetition makes each element of an array, and at which place of its pattern."""
        maker = np.full(self.accesses.size(touch.array), -1, np.int64)
        place = np.zeros_like(maker)
        rows, elements = self.accesses.touched(touch, points(self.group.nodes[name].firing.extents))
        maker[elements] = rows[:, None]
        place[elements] = np.arange(elements.shape[1])
        self.makers[touch.array].append((name, touch.port, maker, place))

    def _read(self, name: str, number: int, touch: Touch) -> None:
        firing, (pulses, units) = self.group.nodes[name].firing, self.when[name]
        repetitions = points(firing.extents)
        rows, elements = self.accesses.touched(touch, repetitions)
        beyond = self.accesses.beyond(touch, repetitions[rows])
        constant = touch.tiler.border is not None and touch.tiler.border.is_constant
        at_once = chunk(elements.shape[1], firing.interval)
        for maker, port, repetition, lane_place in self.makers[touch.array]:
            lane_units = self.when[maker][1]
            out_of_order = self._out_of_order((name, touch), (maker, port), repetitions[rows])
            for row, place in np.argwhere(repetition[elements] >= 0).tolist():
                if constant and beyond[row, place]:
                    continue
                reader, element = int(rows[row]), elements[row, place]
                datum = int(repetition[element])
                lane = LaneName(maker, port, int(lane_place[element]), int(lane_units[datum]), False)
                tap = Tap(name, number, place, int(units[reader]), int(out_of_order[row, place]))
                later = -touch.ahead[place] if touch.ahead else 0
                pulse = int(pulses[reader]) + place // at_once + later * firing.frame
                self.lanes[lane].reads.append(TapRead(pulse, tap, datum, reader, later))

    def _out_of_order(self, reader: tuple[str, Touch], writer: tuple[str, str], repetitions: IntArray) -> IntArray:
        """By read (repetitions, places) 1 where it lies beyond a border, and 2 << axis where it is of another round.

        Reader and writer go round their indices, each from its first one. A read along an axis is of another round if
        the reader has gone round more or less often than the writer had when it made the element.
        """
        (name, touch), (maker, port) = reader, writer
        (write,) = (own for own in self.nodes[maker].writes if (own.port, own.array) == (port, touch.array))
        reads, writes = (self.group.nodes[one].firing for one in (name, maker))
        found = np.where(self.accesses.beyond(touch, repetitions), 0 if touch.tiler.wrap else 1, 0)
        for axis, extent in enumerate(self.accesses.shape(touch.array)):
            if touch.tiler.wrap or _turns(reads, touch, axis) or _turns(writes, write, axis):
                made = self.accesses.coordinates(write, axis, _counted_on(writes, points(writes.extents)))
                read = self.accesses.coordinates(touch, axis, _counted_on(reads, repetitions))
                found |= np.where((read - made.min()) // extent, 2 << axis, 0)
        return found

    def _delayed(self, name: str, number: int, delay: Delay) -> None:
        firing, (pulses, units) = self.group.nodes[name].firing, self.when[name]
        repetitions = points(firing.extents)
        later = firing.frames_back(delay.vector)
        steps = [0 if extent == 1 else step for step, extent in zip(delay.vector, firing.extents, strict=True)]
        before = repetitions - np.array(steps, np.int64)
        inside = np.flatnonzero(((before >= 0) & (before < np.array(firing.extents))).all(axis=1))
        process = self.accesses.network.processes[name]
        shape = next(port.shape for port in process.output_ports if port.name == delay.output)
        size = math.prod(extent or 1 for extent in shape)
        written = next((touch for touch in self.nodes[name].writes if touch.port == delay.output), None)
        apart = written is None or written.exit is not None
        for reader in inside.tolist():
            maker = int(np.ravel_multi_index(tuple(before[reader]), firing.extents))
            for place in range(size):
                lane = LaneName(name, delay.output, place, int(units[maker]), apart)
                born = int(pulses[maker]) + int(until_birth(firing, np.array(place), size))
                pulse = int(pulses[reader]) + place // chunk(size, firing.interval) + later * firing.frame
                tap = Tap(name, number, place, int(units[reader]))
                self.lanes[lane].reads.append(TapRead(max(pulse, born), tap, maker, reader, later))

    def _births(self, lane: LaneName, events: LaneEvents) -> None:
        firing, (pulses, units) = self.group.nodes[lane.node].firing, self.when[lane.node]
        size = self._port_size(lane)
        late = int(until_birth(firing, np.array(lane.place), size))
        data = np.flatnonzero(units == lane.unit)
        events.births = sorted((int(pulses[datum]) + late, int(datum)) for datum in data)
        touch = next((touch for touch in self.nodes[lane.node].writes if touch.port == lane.port), None)
        if touch is not None and touch.exit is not None and not lane.state:
            rows = set(self.accesses.touched(touch, points(firing.extents))[0].tolist())
            events.births = [birth for birth in events.births if birth[1] in rows]

    def _port_size(self, lane: LaneName) -> int:
        process = self.accesses.network.processes.get(lane.node)
        if process is None:
            return math.prod(self.nodes[lane.node].writes[0].pattern)
        shape = next(port.shape for port in process.output_ports if port.name == lane.port)
        return math.prod(extent or 1 for extent in shape)
