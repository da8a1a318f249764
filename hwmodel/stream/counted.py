"""Chains of lanes whose taps have several latenesses, counted element by element; closed forms are in `chains`.

The idea. A datum passes a tap when the tap has read it for the last time, or as late as order allows if the tap does
not read it. So passes are worked out from the oldest tap to the newest, and for one tap from the last datum to the
first. The depth of a segment is the largest number of data that have passed its newer end and not its older one, over
as many frames in succession as data wait, and one more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from hwmodel.stream.refusals import not_streamed
from hwmodel.streamed import Segment, Tap

NEVER = 1 << 60  # later than all pulses


@dataclass(frozen=True)
class TapReads:
    """The reads of the taps at one position: by element of the lane the first and the last pulse, `NEVER` where none.

    All arrays have one entry for each element of the lane, in the order of birth.
    """

    taps: tuple[Tap, ...]
    first: IntArray
    last: IntArray

    @property
    def reads(self) -> NDArray[np.bool_]:
        """Which elements are read."""
        return self.first < NEVER

    def late(self, births: IntArray) -> tuple[int, int]:
        """The least and the greatest lateness."""
        own = self.reads
        return int((self.first - births)[own].min()), int((self.last - births)[own].max())


def tap_reads(tap: Tap, elements: IntArray, pulses: IntArray, size: int, names: tuple[str, str]) -> TapReads:
    """The reads of one tap: elements (by their order of birth) in the order of the pulses.

    Raises ArrayolError (`not-streamed`), with the `names` of port and array, where they do not follow the order of
    birth.
    """
    port, array = names
    order = np.argsort(pulses, kind="stable")
    elements, pulses = elements[order], pulses[order]
    if (np.diff(elements) < 0).any():
        raise not_streamed(f"place {tap.place} of {port} reads elements of '{array}' out of order")
    first, last = np.full(size, NEVER, np.int64), np.full(size, NEVER, np.int64)
    own, at = np.unique(elements, return_index=True)
    first[own] = pulses[at]
    last[own] = pulses[np.append(at[1:], len(elements)) - 1]
    return TapReads((tap,), first, last)


def over_frames(reads: TapReads, frames: int, frame: int) -> TapReads:
    """Reads of several frames in succession, `frame` pulses apart."""
    shift = np.repeat(np.arange(frames) * frame, len(reads.first))

    def repeated(pulses: IntArray) -> IntArray:
        copies = np.tile(pulses, frames)
        return np.where(copies < NEVER, copies + shift, NEVER)

    return TapReads(reads.taps, repeated(reads.first), repeated(reads.last))


class Births(NamedTuple):
    """When data of a lane are born: `pulses`, and `places` in the order of birth of all the lane's data.

    `period` is the pulses from birth to birth within a line, `line` those of a line. The first `counted` data say how
    deep segments are; the others, of one more frame, are there because what comes next bounds when a datum passes.
    """

    pulses: IntArray
    places: IntArray
    period: int
    line: int
    counted: int


@dataclass
class _Open:
    """A chain that grows from its oldest position to newer ones.

    Each of `positions` has its reads, by element the pulse in which it passes (`NEVER` for none), and which elements
    come there at all: those that it or an older position reads.
    """

    births: Births
    positions: list[tuple[TapReads, IntArray, NDArray[np.bool_]]] = field(default_factory=list)

    def add(self, newer: TapReads) -> bool:
        """Put a position before the newest one; False, and nothing is changed, if data cannot pass both in order."""
        if not self.positions:
            return self._place(newer, np.full(len(newer.first), NEVER), np.zeros(len(newer.first), np.bool_))
        older, passes, needed = self.positions[-1]
        limit = np.where(older.reads, older.first, passes)
        return self._place(newer, limit, needed)

    def _place(self, newer: TapReads, limit: IntArray, needed_behind: NDArray[np.bool_]) -> bool:
        reads, needed = newer.reads, needed_behind | newer.reads
        if (reads & needed_behind & (newer.last > limit)).any():
            return False
        own = np.flatnonzero(needed)
        pass_by = np.where(reads[own], newer.last[own], limit[own])
        following = np.where(reads[own], newer.first[own], NEVER)
        apart = _pulses_between(self.births, own, newer)
        bound = pass_by.copy()
        bound[:-1] = np.minimum(bound[:-1], following[1:] - apart)
        since = np.concatenate([[0], np.cumsum(apart)])
        latest = np.minimum.accumulate((bound - since)[::-1])[::-1] + since
        if (latest[reads[own]] < newer.last[own][reads[own]]).any():
            return False
        passes = np.full(len(newer.first), NEVER)
        passes[own] = latest
        self.positions.append((newer, passes, needed))
        return True


@dataclass(frozen=True)
class Passes:
    """A segment, and by element of the lane, in the order of birth, the pulse in which it passes the segment's end.

    `NEVER` for an element that leaves the chain before.
    """

    segment: Segment
    pulses: IntArray


def counted_chains(births: Births, taps: Sequence[TapReads]) -> list[tuple[tuple[Tap, ...], tuple[Passes, ...]]]:
    """The chains of a lane: the taps at birth and the segments of each.

    Taps share a chain if one order of passes suits them all.
    """
    chains: list[_Open] = []
    pulses = births.pulses
    for reads in sorted(_merged(pulses, taps), key=lambda own: own.late(pulses)[::-1], reverse=True):
        if not any(chain.add(reads) for chain in chains):
            chains.append(_Open(births))
            added = chains[-1].add(reads)
            assert added, "a tap reads in the order of birth"
    return [_segments(chain) for chain in chains]


def _pulses_between(births: Births, own: IntArray, tap: TapReads) -> IntArray:
    """The pulses from the pass of each of some data to the next: as from birth to birth, of neighbours or in a line.

    Less where the tap reads faster, and behind its last read.
    """
    distance = np.diff(births.pulses[own])
    born = np.where((np.diff(births.places[own]) == 1) | (distance < births.line), distance, births.period)
    read = np.flatnonzero(tap.reads[own])
    gaps = tap.first[own[read[1:]]] - tap.last[own[read[:-1]]]
    since = np.concatenate([[0], np.cumsum(born)])
    fast = np.concatenate([[False], gaps < np.diff(since[read]), [True]])
    pace = np.concatenate([[births.period], np.clip(gaps // np.diff(read), 1, births.period), [1]])
    stretch = np.searchsorted(read, np.arange(len(own) - 1), side="right")
    return np.where(fast[stretch], pace[stretch], born)


def _merged(births: IntArray, taps: Sequence[TapReads]) -> list[TapReads]:
    """Taps that are late by one and the same number, or read the same, as one position."""
    merged: dict[object, TapReads] = {}
    for reads in taps:
        least, most = reads.late(births)
        key: object = least if least == most else (reads.first.tobytes(), reads.last.tobytes())
        known = merged.get(key)
        if known is None:
            merged[key] = reads
        else:
            both = np.minimum(known.first, reads.first), np.where(known.reads, known.last, reads.last)
            merged[key] = TapReads((*known.taps, *reads.taps), *both)
    return list(merged.values())


def _segments(chain: _Open) -> tuple[tuple[Tap, ...], tuple[Passes, ...]]:
    """The segments from the newest to the oldest."""
    at_birth: tuple[Tap, ...] = ()
    segments: list[Passes] = []
    arrivals, there = chain.births.pulses, chain.positions[-1][2]
    for reads, passes, needed in reversed(chain.positions):
        own = np.flatnonzero(needed & there)
        came, left = arrivals[own], passes[own]
        waiting = np.searchsorted(came, left) - np.arange(len(own))
        depth = int(waiting[own < chain.births.counted].max())
        if depth:
            segments.append(Passes(Segment(depth, tuple(sorted(reads.taps)), False), passes))
        elif segments:
            newer = segments[-1].segment
            segments[-1] = replace(segments[-1], segment=Segment(newer.depth, (*newer.taps, *reads.taps), False))
        else:
            at_birth = (*at_birth, *reads.taps)
        arrivals, there = passes, needed
    return at_birth, tuple(segments)


def frames_waited(births: IntArray, taps: Sequence[TapReads], frame: int) -> int:
    """How many frames in succession to count, so that they show how much waits at once, with one more after them."""
    return 3 + max((reads.late(births)[1] for reads in taps), default=0) // frame
