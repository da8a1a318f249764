"""The line buffers of a streaming group under a scan and a pace, for any starts.

There are three ways to the chains of a lane; the first that applies is taken. If each of its taps has one lateness, and
what is read beyond the ends is at some tap too, depths are closed forms (`chains`). If pulses are sums over axes, reads
are counted one by one: only those beyond the ends where each tap has one lateness, otherwise all (`summed_reads`). For
any other lane, all reads of its output are listed (`lane_reads`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from hwmodel.stream.chains import ChainBirths, births_of, steady_positions, steady_segments
from hwmodel.stream.lane_reads import LanePasses, Line, ListedLanes, by_output, needs_listing
from hwmodel.stream.lanes import Lane, LaneReads, Link
from hwmodel.stream.nodes import StreamGroup
from hwmodel.stream.strides import Pitches
from hwmodel.stream.summed_reads import LaneToCount, ReadsOfLanes, summed_reads
from hwmodel.streamed import Chain, Firing, Tap

Output = tuple[str, str]  # a node and its port
Starts = Mapping[str, int]


@dataclass(frozen=True)
class LineBuffers:
    """The lanes of a group with their taps, and how these become chains."""

    group: StreamGroup
    pitches: Pitches
    links: tuple[Link, ...]
    lanes: Mapping[Lane, LaneReads]

    @cached_property
    def _links_of(self) -> dict[Output, list[Link]]:
        return dict(by_output(self.links))

    @cached_property
    def _reads(self) -> dict[Output, ReadsOfLanes | None]:
        """The reads of outputs, once they were needed."""
        return {}

    def listed_reads(self, starts: Starts) -> int:
        """The reads that are counted one by one."""
        total = 0
        for lane, reads in self.lanes.items():
            if needs_listing(reads, starts, lane.node):
                counted = self._to_count(lane, starts)
                if counted is not None:
                    total += counted.number
                else:
                    node = self.group.nodes[lane.node]
                    size = math.prod(node.extents) // self.pitches.firing[lane.node].units
                    total += size * (len(reads.within) + len(reads.beyond))
        return total

    def are_steady(self, starts: Starts) -> bool:
        """Whether each tap of a lane is late by one number, within the ends."""
        return all(steady_positions(reads, starts, lane.node) is not None for lane, reads in self.lanes.items())

    def chains(self, starts: Starts) -> Iterator[Chain]:
        """The chains of all lanes, in the order of the nodes. Raises ArrayolError (`not-streamed`)."""
        listed: dict[Output, ListedLanes] = {}
        nodes = list(self.pitches.firing)
        for lane, reads in sorted(self.lanes.items(), key=lambda item: (nodes.index(item[0].node), item[0])):
            positions = steady_positions(reads, starts, lane.node)
            if not needs_listing(reads, starts, lane.node):
                lines, kept = [self._steady(lane, positions or {})], list[Line]()
            elif (counted := self._to_count(lane, starts)) is not None:
                lines, kept = counted.lines(starts, self._births(lane))
                lines = lines if positions is None else [self._steady(lane, positions)]
            else:
                own = self._listed(listed, lane, self._firing(starts))
                lines, kept = own.chains(lane, reads, starts, self.pitches.frame)
            for line in lines:
                yield self._chain(lane, line, kept=False)
            for line in kept:
                yield self._chain(lane, line, kept=True)

    def passes(self, starts: Starts) -> Iterator[LanePasses]:
        """When the data of each lane that is read pass its chains. Raises ArrayolError (`not-streamed`)."""
        listed: dict[Output, ListedLanes] = {}
        for lane, reads in self.lanes.items():
            known = self._listed(listed, lane, self._firing(starts))
            own, kept = known.passes(lane, reads, starts, self.pitches.frame)
            yield LanePasses(lane, known.births(lane), known.orders[lane.state], tuple(own), tuple(kept))

    def _firing(self, starts: Starts) -> dict[str, Firing]:
        return {name: replace(own, start=starts[name]) for name, own in self.pitches.firing.items()}

    def _listed(self, known: dict[Output, ListedLanes], lane: Lane, firing: Mapping[str, Firing]) -> ListedLanes:
        """All reads of an output, once for all its lanes."""
        output = (lane.node, lane.port)
        if output not in known:
            node, links = self.group.nodes[lane.node], self._links_of.get(output, [])
            known[output] = ListedLanes(self.group.accesses, node, lane.port, links, firing)
        return known[output]

    def _to_count(self, lane: Lane, starts: Starts) -> LaneToCount | None:
        """A lane whose reads are sums over axes; None for another, of which all reads are listed."""
        output, reads = (lane.node, lane.port), self.lanes[lane]
        if output not in self._reads:
            links = self._links_of.get(output, [])
            self._reads[output] = summed_reads(self.group.accesses, links, self.pitches.firing)
        known = self._reads[output]
        steady = steady_positions(reads, starts, lane.node)
        if known is None or (steady is None and self._has_delays(lane)):
            return None
        return LaneToCount.of(lane, known.get(lane, ()), steady, starts)

    def _has_delays(self, lane: Lane) -> bool:
        return any(delay.output == lane.port for delay in self.group.nodes[lane.node].delays)

    def _steady(self, lane: Lane, positions: Mapping[Tap, int]) -> Line:
        return steady_segments(positions, self._births(lane))

    def _births(self, lane: Lane) -> ChainBirths:
        return births_of(self.group.nodes[lane.node], self.pitches.firing[lane.node], lane, self.pitches.frame)

    def _chain(self, lane: Lane, line: Line, *, kept: bool) -> Chain:
        node, (at_birth, segments) = self.group.nodes[lane.node], line
        bits = node.port_bits(self.group.accesses, lane.port)
        births, name = self._births(lane), (lane.node, lane.port, lane.place, lane.unit)
        return Chain(*name, bits, births.period, births.line, at_birth, segments, kept, lane.state)
