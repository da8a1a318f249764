"""Chains of single lanes from a list of all their reads, element by element: for lanes that nothing faster counts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from arrayol.arrays import IntArray
from arrayol.ir.spec import Delay
from hwmodel.accesses import Accesses
from hwmodel.stream.chains import births_of, is_served, steady_positions, steady_segments
from hwmodel.stream.counted import Births, Passes, TapReads, counted_chains, frames_waited, over_frames, tap_reads
from hwmodel.stream.enumerated import every_repetition, makers, read_elements
from hwmodel.stream.kinds import by_kind
from hwmodel.stream.lanes import Lane, LaneReads, Link, has_own_lane
from hwmodel.stream.nodes import Node
from hwmodel.stream.pulses import born_after, fired, read_after, states_taken, taken_after, unit
from hwmodel.stream.refusals import not_streamed
from hwmodel.streamed import Firing, Segment, Tap

_LISTED = 1 << 23  # repetitions whose reads are listed
Line = tuple[tuple[Tap, ...], tuple[Segment, ...]]  # the taps at birth, and the segments
PassedLine = tuple[tuple[Tap, ...], tuple[Passes, ...]]  # the same, with the pulses of one frame


@dataclass(frozen=True)
class LanePasses:
    """A lane over one frame: the pulses of birth, its chains, and the kept chains beside it.

    `order` has by repetition of the lane's node the place of its datum in the order of birth of its unit's lane, -1 if
    the repetition has none.
    """

    lane: Lane
    births: IntArray
    order: IntArray
    chains: tuple[PassedLine, ...]
    kept: tuple[PassedLine, ...]


@dataclass
class _Listed:
    """By tap its reads within the array's ends, and beyond: elements of the lane by order of birth, and pulses."""

    within: dict[Tap, tuple[IntArray, IntArray]] = field(default_factory=dict)
    beyond: dict[Tap, tuple[IntArray, IntArray]] = field(default_factory=dict)


class ListedLanes:
    """The lanes of one output of a node, with a list of all their reads.

    Raises ArrayolError (`not-streamed`) for a node of too many repetitions.
    """

    def __init__(
        self, accesses: Accesses, node: Node, port: str, links: Sequence[Link], firing: Mapping[str, Firing]
    ) -> None:
        self.accesses, self.node, self.firing = accesses, node, firing
        if math.prod(node.extents) > _LISTED:
            text = f"what waits of '{port}' of '{node.name}' is counted repetition by repetition"
            raise not_streamed(f"{text}, up to {_LISTED:,} of them", hint="look at a smaller size, with --set")
        self.size = node.port_size(port)
        self.port = port
        self.repetitions = every_repetition(node)
        own = firing[node.name]
        self.pulses, self.unit = fired(own, self.repetitions), unit(own, self.repetitions)
        self.leaves = np.ones(len(self.repetitions), np.bool_)
        for touch in (touch for touch in node.writes if touch.port == port and touch.exit is not None):
            self.leaves = accesses.happens(touch, self.repetitions)
        self.orders = {state: self._order(state=state) for state in (False, True)}
        self.lanes: dict[Lane, _Listed] = {}
        self.names: dict[Tap, tuple[str, str]] = {}
        for link in links:
            self._list(link)
        for number, delay in enumerate(node.delays):
            if delay.output == port:
                self._list_delay(number, delay)

    def _mine(self, unit: int, state: bool) -> IntArray:
        """The repetitions whose results are data of a unit's lanes: of an output with an exit only those that write."""
        return np.flatnonzero((self.unit == unit) & (self.leaves | state))

    def _order(self, *, state: bool) -> IntArray:
        """By repetition its place in the order of birth of its lane."""
        order = np.full(len(self.repetitions), -1, np.int64)
        for number in range(self.firing[self.node.name].units):
            mine = self._mine(number, state)
            order[mine[np.argsort(self.pulses[mine], kind="stable")]] = np.arange(len(mine))
        return order

    def births(self, lane: Lane) -> IntArray:
        """The pulses of birth of a lane's data."""
        mine = np.sort(self.pulses[self._mine(lane.unit, lane.state)])
        return mine + int(born_after(self.firing[lane.node], np.array([lane.place]), self.size)[0])

    def chains(
        self, lane: Lane, reads: LaneReads, starts: Mapping[str, int], frame: int
    ) -> tuple[list[Line], list[Line]]:
        """The chains of a lane, and the kept chains beside it."""
        own, kept = self.passes(lane, reads, starts, frame)
        return list(map(_without_pulses, own)), list(map(_without_pulses, kept))

    def passes(
        self, lane: Lane, reads: LaneReads, starts: Mapping[str, int], frame: int
    ) -> tuple[list[PassedLine], list[PassedLine]]:
        """The `chains` of a lane, with the pulses in which the elements of one frame pass the ends of segments."""
        births, listed = self.births(lane), self.lanes[lane]
        positions = steady_positions(reads, starts, lane.node)
        own = [tap_reads(tap, *pairs, len(births), self.names[tap]) for tap, pairs in listed.within.items()]
        kept = [
            tap_reads(tap, *missing, len(births), self.names[tap])
            for tap, pairs in listed.beyond.items()
            if len((missing := _missing(births, pairs, own, positions))[0])
        ]
        loops = births_of(self.node, self.firing[lane.node], lane, frame)
        frames = frames_waited(births, (*own, *kept), frame)
        pulses = (births + np.arange(frames)[:, None] * frame).ravel()
        places, counted_data = np.arange(len(pulses)), (frames - 1) * len(births)
        everywhere = Births(pulses, places, loops.period, loops.line, counted_data)

        def counted(taps: Sequence[TapReads]) -> list[PassedLine]:
            found = counted_chains(everywhere, [over_frames(each, frames, frame) for each in taps]) if taps else []
            return [
                (first, tuple(Passes(each.segment, each.pulses[: len(births)]) for each in line))
                for first, line in found
            ]

        classes = sorted({tap.beyond for each in kept for tap in each.taps})
        beside = [line for name in classes for line in counted([own for own in kept if own.taps[0].beyond == name])]
        if positions is None:
            return counted(own), beside
        at_birth, segments = steady_segments(positions, loops)
        steady = tuple(Passes(segment, births + positions[segment.taps[0]]) for segment in segments)
        return [(at_birth, steady)], beside

    def _list(self, link: Link) -> None:
        node, read, reads = link.reader, link.read, self.firing[link.reader.name]
        known = makers(self.accesses, self.node, link.write)
        for own in read_elements(self.accesses, (node, read, reads), (link.write, self.firing[self.node.name])):
            there = np.flatnonzero(known.repetition[own.elements] >= 0)
            by, place = known.repetition[own.elements[there]], known.place[own.elements[there]]
            took = taken_after(reads, read, own.place)
            pulses, units = fired(reads, own.repetitions[there]) + took, unit(reads, own.repetitions[there])
            name = f"'{read.port}'" if node.kind == "task" else f"'{node.name}'", read.array
            columns = units, place, self.unit[by], own.beyond[there]
            for (taker, lane_place, lane_unit, out), same in by_kind(*columns):
                tap = Tap(node.name, link.number, own.place, taker, out)
                lane = Lane(self.node.name, self.port, lane_place, lane_unit)
                listed = self.lanes.setdefault(lane, _Listed())
                side = listed.beyond if out else listed.within
                side[tap] = self.orders[False][by[same]], pulses[same]
                self.names[tap] = name

    def _list_delay(self, number: int, delay: Delay) -> None:
        firing, node = self.firing[self.node.name], self.node
        inside, makers = states_taken(firing, delay.vector, self.repetitions)
        later = firing.frames_back(delay.vector) * firing.frame
        for place in range(self.size):
            late = int(born_after(firing, np.array([place]), self.size)[0])
            took = later + int(read_after(firing, np.array([place]), self.size)[0])
            for own in range(firing.units):
                mine = self.unit[inside] == own
                by = makers[mine]
                if not len(by):
                    continue
                lane = Lane(node.name, self.port, place, int(self.unit[by[0]]), has_own_lane(node, delay))
                tap = Tap(node.name, len(node.reads) + number, place, own)
                pulses = np.maximum(self.pulses[inside][mine] + took, self.pulses[by] + late)
                self.lanes.setdefault(lane, _Listed()).within[tap] = self.orders[lane.state][by], pulses
                self.names[tap] = f"'{delay.port}'", delay.output


def _missing(
    births: IntArray, pairs: tuple[IntArray, IntArray], own: Sequence[TapReads], positions: Mapping[Tap, int] | None
) -> tuple[IntArray, IntArray]:
    """The reads beyond the ends whose data are at no tap, nor being born, in that pulse."""
    elements, pulses = pairs
    late = pulses - births[elements]
    if positions is not None:
        there = np.isin(late, [0, *positions.values()])
    else:
        there = late == 0
        for each in own:
            there |= (each.first[elements] <= pulses) & (pulses <= each.last[elements])
    return elements[~there], pulses[~there]


def _without_pulses(line: PassedLine) -> Line:
    at_birth, passed = line
    return at_birth, tuple(each.segment for each in passed)


def needs_listing(reads: LaneReads, starts: Mapping[str, int], node: str) -> bool:
    """Whether a lane has taps that are late by several numbers, or data beyond the ends that are at no tap."""
    positions = steady_positions(reads, starts, node)
    return positions is None or not is_served(reads, positions, starts, node)


def by_output(links: Sequence[Link]) -> Iterator[tuple[tuple[str, str], list[Link]]]:
    """The links of each output of a node that is read."""
    found: dict[tuple[str, str], list[Link]] = {}
    for link in links:
        found.setdefault((link.writer.name, link.write.port), []).append(link)
    yield from found.items()
