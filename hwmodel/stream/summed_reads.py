"""Reads of single lanes whose pulses are sums over axes, and the chains that these need.

Where each tap of a lane is late by one number, its own chain is a closed form, and beside it only data wait that are
read beyond the ends when they are at no tap: few, near the ends, however large the array is. Of other lanes all reads
are listed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.accesses import Accesses
from hwmodel.stream.chains import ChainBirths
from hwmodel.stream.counted import Births, TapReads, counted_chains, frames_waited, over_frames, tap_reads
from hwmodel.stream.lanes import Lane, Link
from hwmodel.stream.latenesses import AxisReads, Spread, is_product, pulses_within_patterns, reads_along_axes
from hwmodel.streamed import Firing, Segment, Tap

Line = tuple[tuple[Tap, ...], tuple[Segment, ...]]  # the taps at birth, and the segments
Pairs = tuple[IntArray, IntArray]  # pulses of birth and of the reads, of some reads


@dataclass(frozen=True)
class SummedReads:
    """Reads of one tap of a lane, whose pulses, and those of the births, are sums over the parts (`reads_along_axes`).

    Each combination of an entry of every part is a read. Starts are left out of the parts; the reads come `took` pulses
    after the reader's firing, the births `made` after the writer's.
    """

    tap: Tap
    names: tuple[str, str]  # of the port and the array
    parts: tuple[AxisReads, ...]
    took: int
    made: int

    @property
    def number(self) -> int:
        """How many reads these are."""
        return math.prod(len(part.pulses) for part in self.parts)

    def pairs(self, starts: Mapping[str, int], writer: str) -> Pairs:
        """All of them."""
        pulses = _sums([part.pulses for part in self.parts], starts[self.tap.node] + self.took)
        return _sums([part.births for part in self.parts], starts[writer] + self.made), pulses

    def is_served(self, starts: Mapping[str, int], writer: str, positions: Sequence[int]) -> bool:
        """Whether each comes when its datum is at one of these latenesses; False where there are too many to know."""
        apart = starts[self.tap.node] + self.took - starts[writer] - self.made
        late = Spread(apart, apart, frozenset({apart}))
        for part in self.parts:
            late = late + part.late
        return late.values is not None and late.values <= {*positions}


def _sums(parts: Sequence[IntArray], first: int) -> IntArray:
    total = np.array([first], np.int64)
    for part in parts:
        total = np.add.outer(total, part).ravel()
    return total


ReadsOfLanes = Mapping[Lane, Sequence[SummedReads]]


def summed_reads(accesses: Accesses, links: Sequence[Link], firing: Mapping[str, Firing]) -> ReadsOfLanes | None:
    """The reads through tilers of the lanes of one output; None where its births are no sums over axes."""
    found: dict[Lane, list[SummedReads]] = {}
    for link in links:
        if not is_product(link.write):
            return None
        reader, writer = link.reader, link.writer
        sides = (reader, link.read, firing[reader.name]), (writer, link.write, firing[writer.name])
        names = f"'{link.read.port}'" if reader.kind == "task" else f"'{reader.name}'", link.read.array
        for source, parts in reads_along_axes(accesses, *sides):
            lane = Lane(writer.name, link.write.port, source.lane, source.lane_unit)
            tap = Tap(reader.name, link.number, source.place, source.unit, source.beyond)
            took, made = pulses_within_patterns(source, *sides)
            found.setdefault(lane, []).append(SummedReads(tap, names, parts, took, made))
    return found


@dataclass(frozen=True)
class LaneToCount:
    """A lane with those of its reads that are counted one by one.

    If each of its taps has one lateness, `positions` are these, and `reads` those beyond the ends that are not all at
    one of them. If some tap has several, `positions` is None, and `reads` are all.
    """

    lane: Lane
    reads: Sequence[SummedReads]
    positions: tuple[int, ...] | None

    @staticmethod
    def of(
        lane: Lane, reads: Sequence[SummedReads], steady: Mapping[Tap, int] | None, starts: Mapping[str, int]
    ) -> LaneToCount:
        """A lane with the reads to count, out of all its reads through tilers."""
        if steady is None:
            return LaneToCount(lane, reads, None)
        positions = tuple({0, *steady.values()})
        missed = [own for own in reads if own.tap.beyond and not own.is_served(starts, lane.node, positions)]
        return LaneToCount(lane, missed, positions)

    @property
    def number(self) -> int:
        """How many reads are counted one by one."""
        return sum(own.number for own in self.reads)

    def lines(self, starts: Mapping[str, int], births: ChainBirths) -> tuple[list[Line], list[Line]]:
        """The chains of the lane, none where each of its taps has one lateness; and the kept chains beside it.

        Raises ArrayolError (`not-streamed`) where a tap reads out of the order of birth.
        """
        listed: dict[bool, dict[Tap, list[Pairs]]] = {False: {}, True: {}}
        for own in self.reads:
            born, read = own.pairs(starts, self.lane.node)
            there = ~np.isin(read - born, self.positions) if self.positions is not None else ...
            listed[own.tap.beyond > 0].setdefault(own.tap, []).append((born[there], read[there]))
        joined = {
            beyond: {tap: (_joined(own, 0), _joined(own, 1)) for tap, own in taps.items()}
            for beyond, taps in listed.items()
        }
        all_born = [born for taps in joined.values() for born, _ in taps.values()]
        known = np.unique(np.concatenate(all_born)) if all_born else np.zeros(0, np.int64)
        if not len(known):
            return [], []
        names = {own.tap: own.names for own in self.reads}

        def tap_of(tap: Tap, pairs: Pairs) -> TapReads:
            return tap_reads(tap, np.searchsorted(known, pairs[0]), pairs[1], len(known), names[tap])

        own_taps = [tap_of(tap, pairs) for tap, pairs in joined[False].items()]
        missing = {tap: _missing(known, pairs, own_taps) for tap, pairs in joined[True].items()}
        kept_taps = [tap_of(tap, pairs) for tap, pairs in missing.items() if len(pairs[0])]
        first = starts[self.lane.node] + self.reads[0].made + births.behind
        over = _Frames(
            known, births.order(known - first), births, frames_waited(known, (*own_taps, *kept_taps), births.frame)
        )
        classes = sorted({tap.taps[0].beyond for tap in kept_taps})
        kept = [over.chains([tap for tap in kept_taps if tap.taps[0].beyond == name]) for name in classes]
        return over.chains(own_taps), [line for lines in kept for line in lines]


def _joined(pairs: Sequence[Pairs], side: int) -> IntArray:
    return pairs[0][side] if len(pairs) == 1 else np.concatenate([own[side] for own in pairs])


def _missing(known: IntArray, pairs: Pairs, taps: Sequence[TapReads]) -> Pairs:
    """The reads that come when their data are at no tap, nor being born."""
    born, read = pairs
    elements, there = np.searchsorted(known, born), read == born
    for tap in taps:
        there |= (tap.first[elements] <= read) & (read <= tap.last[elements])
    return born[~there], read[~there]


@dataclass(frozen=True)
class _Frames:
    """Some data of a lane over frames in succession: pulses of birth, and places in the order of all its data."""

    known: IntArray
    places: IntArray
    births: ChainBirths
    number: int

    def chains(self, taps: Sequence[TapReads]) -> list[Line]:
        """The chains of taps."""
        if not taps:
            return []
        shift, frame = np.arange(self.number)[:, None], self.births.frame
        places = (self.places + shift * self.births.in_a_frame).ravel()
        counted = (self.number - 1) * len(self.known)
        pulses, (period, line) = (self.known + shift * frame).ravel(), (self.births.period, self.births.line)
        everywhere = Births(pulses, places, period, line, counted)
        found = counted_chains(everywhere, [over_frames(each, self.number, frame) for each in taps])
        return [(first, tuple(each.segment for each in line)) for first, line in found]
