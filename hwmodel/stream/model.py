"""A streaming group under its decisions: loops, firings, starts, line buffers, and the figures of the group.

The idea. A node fires as a nest of loops with fixed strides, so the pulses of births and reads follow from indices.
`StreamModel` works in steps: nodes and loops from tilers (`nodes`, `loops`); strides from scan and pace (`strides`);
how late each tap reads each lane, without starts (`lanes`); starts with which no read comes before the birth of its
datum (`starts`); then chains of segments (`line_buffers`), of large groups from those of small ones (`grown`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property

from hwmodel.accesses import Accesses
from hwmodel.datapath.derive import FETCH_CYCLES
from hwmodel.platform import Platform
from hwmodel.stream.grown import SizedGroup, SmallLoop, grown_chains, small_loops, smaller
from hwmodel.stream.lane_reads import LanePasses
from hwmodel.stream.lanes import Link, Recurrences, lanes_of, links_of
from hwmodel.stream.line_buffers import LineBuffers
from hwmodel.stream.loops import Loops, loops_of
from hwmodel.stream.nodes import Node, StreamGroup
from hwmodel.stream.refusals import not_streamed
from hwmodel.stream.rotation import first_indices
from hwmodel.stream.starts import Wait, least_starts, thrifty_starts
from hwmodel.stream.strides import Pitches, pitches_of
from hwmodel.streamed import Chain, Firing, Stream, StreamedGroup, StreamNode, Tap

LISTED_AT_MOST = 150_000  # reads that are counted one by one; of more, chains follow from small groups if they can


@dataclass(frozen=True, slots=True)
class StreamMetrics:
    """The figures of a streaming group, for one frame.

    `words` and `bits` of its line buffers. `cycles` to the end of the last store and `frame_cycles` from frame to
    frame, both in pulses, without stalls.
    """

    words: int
    bits: int
    last_start: int
    cycles: int
    frame_cycles: int


@dataclass(frozen=True)
class StreamModel:
    """A group of tasks as streams, on a platform; without one every task takes one cycle.

    Blanking of frames has `blanked` units at least. What several decisions share is derived once. Raises ArrayolError
    (`not-streamed`, `made-in-part`).
    """

    accesses: Accesses
    tasks: tuple[str, ...]
    platform: Platform | None = None
    blanked: int = 0
    _walked: dict[tuple[tuple[int, ...], Fraction, bool, int], _Walked] = field(
        default_factory=dict, repr=False, compare=False
    )
    _blanked: dict[Stream, _Blanking] = field(default_factory=dict, repr=False, compare=False)
    _grown: dict[Stream, tuple[Chain, ...] | None] = field(default_factory=dict, repr=False, compare=False)
    _like: _Timed | None = field(default=None, repr=False, compare=False)

    @cached_property
    def group(self) -> StreamGroup:
        """The nodes, with a store for each array that leaves."""
        return StreamGroup(self.accesses, self.tasks)

    @property
    def repetitions(self) -> int:
        """The repetitions of all its tasks."""
        return sum(math.prod(self.accesses.extents(task)) for task in self.tasks)

    @cached_property
    def loops(self) -> Loops:
        """The loops in the order of the text."""
        return loops_of(self.group)

    def streamed(self, stream: Stream) -> StreamedGroup:
        """The group under decisions: starts and chains. Raises ArrayolError (`not-streamed`)."""
        chains = None if self._is_small(stream) else self.grown(stream)
        if chains is None:
            walked, starts = self._started(stream)
            chains = tuple(walked.buffers.chains(starts))
        return replace(self.fired(stream), chains=chains)

    def fired(self, stream: Stream) -> StreamedGroup:
        """The group under decisions, without its chains. Raises ArrayolError (`not-streamed`)."""
        walked, starts = self._started(stream)
        nodes = {
            name: StreamNode(name, self.group.nodes[name].kind, replace(own, start=starts[name]))
            for name, own in walked.pitches.firing.items()
        }
        return StreamedGroup(self.tasks, stream, nodes, (), walked.pitches.line, walked.pitches.frame)

    def is_quick(self, stream: Stream) -> bool:
        """Whether its line buffers are counted without a list of many reads. Raises ArrayolError (`not-streamed`)."""
        return self._is_small(stream) or self.grown(stream) is not None

    def _is_small(self, stream: Stream) -> bool:
        return self.listed_reads(stream) <= LISTED_AT_MOST

    def grown(self, stream: Stream) -> tuple[Chain, ...] | None:
        """Its chains, extrapolated from those of the group at small sizes; None where that fails (`grown_chains`)."""
        key = replace(stream, chunk=0)
        if key not in self._grown:
            loops = self.small_loops(stream)

            def sample(cut: Mapping[int, int]) -> SizedGroup | None:
                small = self.smaller(stream, cut)
                return small.sample(stream) if small is not None else None

            self._grown[key] = grown_chains(self.sized(stream), loops, sample) if loops else None
        return self._grown[key]

    def small_loops(self, stream: Stream) -> tuple[SmallLoop, ...]:
        """The loops that can be made small (`smaller`). Raises ArrayolError (`not-streamed`).

        If some tap has several latenesses, that is at most the outermost loop: as an inner loop grows, the data that
        wait need not grow by one number with each of its periods.
        """
        walked, starts = self._started(stream)
        loops = small_loops(self.group, self.loops, walked.pitches)
        if walked.buffers.are_steady(starts):
            return loops
        return tuple(own for own in loops if own.loop == walked.pitches.scan[0])

    def sized(self, stream: Stream) -> SizedGroup:
        """The numbers that grow with the size of the group; no chains. Raises ArrayolError (`not-streamed`)."""
        walked, starts = self._started(stream)
        return SizedGroup((), starts, walked.pitches, walked.links)

    def smaller(self, stream: Stream, cut: Mapping[int, int]) -> StreamModel | None:
        """The group with loops that are shorter: `cut` has by loop the places less. Its tasks are as fast as here.

        None if some extent would be no whole number, or if many reads would still be counted one by one. Raises
        ArrayolError (`not-streamed`).
        """
        accesses = smaller(self.group, self.loops, cut)
        if accesses is None:
            return None
        firing = self._started(stream)[0].pitches.firing
        timing = {name: (own.interval, own.latency) for name, own in firing.items()}
        like = _Timed(timing, self._recurrences(firing), self._blanking(stream))
        small = StreamModel(accesses, self.tasks, None, _like=like)
        return small if small.listed_reads(stream) <= LISTED_AT_MOST else None

    def sample(self, stream: Stream) -> SizedGroup:
        """The numbers that grow with its size, and chains from all its reads. Raises ArrayolError (`not-streamed`)."""
        walked, starts = self._started(stream)
        return SizedGroup(tuple(walked.buffers.chains(starts)), starts, walked.pitches, walked.links)

    def starts(self, stream: Stream) -> dict[str, int]:
        """When nodes start. Raises ArrayolError (`not-streamed`)."""
        return self._started(stream)[1]

    def choices(self, stream: Stream) -> dict[Tap, int]:
        """By tap the number of places from which it takes its data: several where it reads beyond an array's ends."""
        places: dict[Tap, int] = {}
        for reads in self._started(stream)[0].buffers.lanes.values():
            for tap in reads.within:
                places[tap] = places.get(tap, 0) + 1
            for tap, spread in reads.beyond.items():
                values = {spread.least, spread.most} if spread.values is None else spread.values
                own = reads.within[tap.in_order].values if tap.in_order in reads.within else None
                places[tap.in_order] = places.get(tap.in_order, 0) + len(values - (own or frozenset()))
        return places

    def listed_reads(self, stream: Stream) -> int:
        """The reads that are counted one by one. Raises ArrayolError (`not-streamed`)."""
        walked, starts = self._started(stream)
        return walked.buffers.listed_reads(starts)

    def metrics(self, stream: Stream) -> StreamMetrics:
        """The figures under decisions. Raises ArrayolError (`not-streamed`)."""
        return metrics_of(self.group, self.streamed(stream))

    def passes(self, stream: Stream) -> Iterator[LanePasses]:
        """When the data of each lane that is read pass its chains. Raises ArrayolError (`not-streamed`)."""
        walked, starts = self._started(stream)
        return walked.buffers.passes(starts)

    def _started(self, stream: Stream) -> tuple[_Walked, dict[str, int]]:
        return self._under(stream, self._blanking(stream))

    def blanking(self, stream: Stream) -> int:
        """The blanking of a frame, in units of `Pitches.blanking`. Raises ArrayolError (`not-streamed`)."""
        return self._blanking(stream).number

    def _under(self, stream: Stream, blanking: _Blanking) -> tuple[_Walked, dict[str, int]]:
        walked = self._walk(stream, 0)
        if blanking.number:
            walked = self._walk(stream, blanking.number * walked.pitches.blanking)
        floors = {name: frames * walked.pitches.frame for name, frames in blanking.frames_late.items()}
        nodes = list(walked.pitches.firing)
        if stream.starts != "memory":
            return walked, least_starts(nodes, walked.waits, floors)
        starts = thrifty_starts(nodes, walked.waits, floors)
        loads = [name for name, node in self.group.nodes.items() if node.kind == "load"]
        first = min(loads, key=starts.__getitem__, default=None)
        if stream.interface == "axis" and first is not None and starts[first]:
            # The first word of an AXI4-Stream begins a frame, so the last one has to come before the frame ends.
            starts = thrifty_starts(nodes, walked.waits, floors, first)
        return walked, starts

    def _blanking(self, stream: Stream) -> _Blanking:
        """The blanking of a frame, with which all that comes or leaves of an array does so within a frame's time.

        Where frames have none it is 0.
        """
        if self._like is not None:
            return self._like.blanking
        key, found = replace(stream, chunk=0), _Blanking(self.blanked, {})
        if stream.has_blanking and key not in self._blanked:
            while (more := self._more_blanking(stream, found)) != found:
                found = more
            self._blanked[key] = found
        return self._blanked.get(key, found)

    def _more_blanking(self, stream: Stream, blanking: _Blanking) -> _Blanking:
        """More of it where an array needs more; the same where all is within a frame's time.

        What would begin in the second half of a frame's time waits for the next one.
        """
        walked, starts = self._under(stream, blanking)
        unit, frame = self._walk(stream, 0).pitches.blanking, walked.pitches.frame
        number, late = blanking.number, dict(blanking.frames_late)
        for nodes, pulses in self._passing(walked.pitches, starts):
            first, last = max(one[0] for one in pulses), max(one[1] for one in pulses)
            if last < (min(one[0] for one in pulses) // frame + 1) * frame:
                continue
            begin = first // frame + (2 * (first % frame) > frame)
            late |= {name: max(begin, late.get(name, 0)) for name in nodes}
            number = max(number, blanking.number - (((begin + 1) * frame - last - 1) // unit))
        return _Blanking(number, {name: frames for name, frames in late.items() if frames})

    def _passing(
        self, pitches: Pitches, starts: Mapping[str, int]
    ) -> Iterator[tuple[Sequence[str], Sequence[tuple[int, int]]]]:
        """By array that comes or leaves the nodes that take it or make it, and their first and last pulses."""
        firing = {name: replace(own, start=starts[name]) for name, own in pitches.firing.items()}
        for node in self.group.nodes.values():
            if node.kind != "task" and node.name in firing:
                yield [node.name], [(firing[node.name].start, last_firing(firing[node.name]))]
            elif node.kind == "store":
                nodes = [writer.name for writer, _ in self.group.writers(node.reads[0].array)]
                own = [firing[name] for name in nodes]
                yield (
                    nodes,
                    [(one.start + one.latency + 1, last_firing(one) + one.interval + one.latency) for one in own],
                )

    def _walk(self, stream: Stream, blanking: int) -> _Walked:
        key = stream.scan, stream.pace, stream.stores_in_scan_order, blanking
        if key not in self._walked:
            nodes = {
                name: node
                for name, node in self.group.nodes.items()
                if node.kind != "store" or stream.stores_in_scan_order
            }
            first = {} if stream.stores_in_scan_order else first_indices(self.accesses, nodes, self.loops)
            pitches = pitches_of(nodes, self.loops, stream, self._timing, first, blanking)
            links = links_of(self.group, pitches.firing)
            lanes = lanes_of(links, self.group, pitches.firing, self._recurrences(pitches.firing))
            self._walked[key] = _Walked(
                pitches, links, LineBuffers(self.group, pitches, links, lanes), tuple(self._waits(pitches, links))
            )
        return self._walked[key]

    def _waits(self, pitches: Pitches, links: Sequence[Link]) -> Iterator[Wait]:
        """The bounds of starts; what waits is weighed by the bits of an output's lanes that are born in a pulse."""
        spacing = {link.writer.name: _spacing(pitches.firing[link.writer.name], pitches.frame) for link in links}
        common = math.lcm(*spacing.values())
        for link in links:
            writer, port = link.writer, link.write.port
            bits = writer.port_bits(self.accesses, port) * writer.port_size(port) * pitches.firing[writer.name].units
            weight = bits * common // spacing[writer.name]
            yield Wait(writer.name, link.reader.name, -link.least, link.most, f"{writer.name} {port}", weight)

    def pulses(self, streamed: StreamedGroup) -> int:
        """The pulses from the first load of a frame to the last datum that leaves.

        Behind the port also to the last result of a task with memories of sums: they are read, and so clear, before the
        group begins another frame.
        """
        cycles = metrics_of(self.group, streamed).cycles
        platform, processes = self.platform, self.accesses.network.processes
        if platform is None or streamed.stream.interface == "axis" or streamed.stream.has_blanking:
            return cycles
        firing = [streamed.nodes[task].firing for task in self.tasks if platform.bins(processes[task])]
        return max(cycles, *(last_firing(own) + own.interval + own.latency + 1 for own in firing), 0)

    def _timing(self, node: Node, strides: tuple[int, ...]) -> tuple[int, int]:
        """The interval and the datapath's latency.

        It is the largest on offer of which all strides are multiples, so that a unit's cycles go round without a pause.
        Raises ArrayolError (`not-streamed`) where there is none.
        """
        if self._like is not None:
            return self._like.timing[node.name]
        if node.process is None:
            return 1, -1  # a load's data are there when it fires
        if self.platform is None:
            return 1, 0
        offered, spacing = self.platform.intervals(node.process), min(strides)
        fitting = [interval for interval in offered if math.gcd(*strides) % interval == 0]
        if not fitting and offered[0] <= spacing:
            odd = min(stride for stride in strides if stride % offered[0])
            text = f"'{node.name}' fires every {odd} pulses, which is no multiple of an interval that it can have"
            raise not_streamed(f"{text}, such as {offered[0]}")
        if not fitting:
            text = f"'{node.name}' starts a repetition every {offered[0]} cycles at best, but fires every "
            text += "pulse" if spacing == 1 else f"{spacing} pulses"
            raise not_streamed(f"{text}: a pace of {offered[0]} is the least")
        path = self.platform.datapath(node.process, fitting[-1])
        is_derived = self.platform.entry(node.process.elementary).module is None
        return fitting[-1], max(0, path.latency - (self.platform.local_cycles if is_derived else FETCH_CYCLES))

    def _recurrences(self, firing: Mapping[str, Firing]) -> Recurrences:
        """The recurrences of delays, by the platform; without a platform, a state can be taken when it is born."""
        if self._like is not None:
            return self._like.recurrences
        found: dict[tuple[str, str, str], int] = {}
        for node in self.group.nodes.values() if self.platform is not None else ():
            if node.process is not None and node.delays and self.platform is not None:
                path = self.platform.datapath(node.process, firing[node.name].interval)
                own = FETCH_CYCLES if self.platform.entry(node.process.elementary).module is not None else 0
                found |= {(node.name, *pair): cycles - own for pair, cycles in path.recurrence.items()}
        return Recurrences(found)


@dataclass(frozen=True)
class _Blanking:
    """So many units of pulses more in a frame (`Pitches.blanking`), and by node how many frames it starts late."""

    number: int
    frames_late: Mapping[str, int]


@dataclass(frozen=True)
class _Timed:
    """The intervals and latencies of nodes, their recurrences and the frame's blanking, as those of a larger group."""

    timing: Mapping[str, tuple[int, int]]
    recurrences: Recurrences
    blanking: _Blanking


@dataclass(frozen=True)
class _Walked:
    """All that follows from a scan and a pace, before starts."""

    pitches: Pitches
    links: tuple[Link, ...]
    buffers: LineBuffers
    waits: tuple[Wait, ...]


def _spacing(firing: Firing, frame: int) -> int:
    return min((stride for stride in firing.strides if stride), default=frame)


def stream_metrics(model: StreamModel, stream: Stream) -> StreamMetrics:
    """The figures of a group under decisions. Raises ArrayolError (`not-streamed`)."""
    return model.metrics(stream)


def metrics_of(group: StreamGroup, streamed: StreamedGroup) -> StreamMetrics:
    """The figures of a streaming group."""
    words = sum(chain.words for chain in streamed.chains)
    bits = sum(chain.words * chain.bits for chain in streamed.chains)
    last_start = max((own.firing.start for own in streamed.nodes.values() if own.kind == "task"), default=0)
    return StreamMetrics(words, bits, last_start, max(_ends(group, streamed)), streamed.frame)


def _ends(group: StreamGroup, streamed: StreamedGroup) -> Iterator[int]:
    """The pulse after the last one in which each store takes data, or each array is made that leaves."""
    for node in group.nodes.values():
        if node.kind == "store" and node.name in streamed.nodes:
            yield last_firing(streamed.nodes[node.name].firing) + 1
        elif node.kind == "store":
            for writer, _ in group.writers(node.reads[0].array):
                firing = streamed.nodes[writer.name].firing
                yield last_firing(firing) + firing.interval + firing.latency + 1


def last_firing(firing: Firing) -> int:
    """The pulse of a node's last firing."""
    pulse = firing.start
    for at, (extent, stride) in enumerate(zip(firing.extents, firing.strides, strict=True)):
        pulse += ((extent - 1) // firing.units if at == firing.shared else extent - 1) * stride
    return pulse
