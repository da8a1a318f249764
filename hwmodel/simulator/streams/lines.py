"""The chains of one lane, run pulse by pulse: which datum is at which tap.

The idea. `passes` says from births and reads when each datum has to leave each segment. Here the data then move like
that, through segments of the depths that the design has. A datum that is not where a tap reads it, or that another one
overwrites, stops the run.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from hwmodel.simulator.streams.events import FrameEvents, LaneEvents, LaneName, TapRead
from hwmodel.simulator.streams.faults import stream_fault
from hwmodel.simulator.streams.passes import (
    Datum,
    births_over,
    one_lateness,
    ordered_passes,
    steady_passes,
)
from hwmodel.streamed import Chain, StreamedGroup, Tap

# Segments as hardware: words that are written and read at two pointers.


@dataclass
class Shifted:
    """A segment with one enable: at each the oldest word comes out, and the datum that arrives, if any, goes there."""

    name: str
    depth: int
    words: list[Datum | None] = field(init=False)
    place: int = 0

    def __post_init__(self) -> None:
        self.words = [None] * self.depth

    def step(self, arrives: Datum | None) -> Datum | None:
        """One enable: the datum that comes out, None where a word had none."""
        if not self.depth:
            return arrives
        leaves, self.words[self.place] = self.words[self.place], arrives
        self.place = (self.place + 1) % self.depth
        return leaves


@dataclass
class Queued:
    """A segment with two enables: what arrives is written, what leaves is read, each at most once in a pulse."""

    name: str
    depth: int
    words: list[Datum | None] = field(init=False)
    write: int = 0
    read: int = 0

    def __post_init__(self) -> None:
        self.words = [None] * self.depth

    def front(self, arrives: Datum | None) -> Datum | None:
        """The oldest datum, or the one that arrives where no word is taken."""
        held = self.words[self.read] if self.depth else None
        return arrives if held is None else held

    def step(self, arrives: Datum | None, leaves: Datum | None, pulse: int) -> None:
        """One pulse: a datum leaves, then the one that arrives takes a word. Raises StreamFaultError."""
        if leaves is not None:
            if self.front(arrives) != leaves:
                raise stream_fault(f"pulse {pulse}: {leaves} is to leave {self.name}, which has another datum there")
            if leaves == arrives:
                return
            self.words[self.read] = None
            self.read = (self.read + 1) % self.depth
        if arrives is not None:
            if not self.depth or self.words[self.write] is not None:
                raise stream_fault(f"pulse {pulse}: {arrives} overwrites a datum that waits in {self.name}")
            self.words[self.write] = arrives
            self.write = (self.write + 1) % self.depth


@dataclass
class _Line:
    """A chain with its segments: of each the data that enter, the first arrival, and by pulse the datum that leaves."""

    chain: Chain
    segments: list[Shifted | Queued]
    entering: list[frozenset[Datum]]
    first: list[int]
    leaving: list[dict[int, Datum]]


class LineLane:
    """One lane over some frames: `step` pulse after pulse, then `take` what taps read in that pulse."""

    def __init__(self, name: LaneName, chains: Sequence[Chain], events: LaneEvents, frames: int, frame: int) -> None:
        self.name, self.events = name, events
        births = births_over(events, frames + 1, frame)
        self.born = {birth.pulse: birth.datum for birth in births if birth.datum[0] < frames}
        self.first = births[0].pulse
        self.reads: dict[int, list[tuple[int, TapRead]]] = defaultdict(list)
        for read in events.reads:
            for number in range(frames):
                self.reads[read.pulse + number * frame].append((number, read))
        main = [chain for chain in chains if not chain.kept]
        taps = {tap for chain in main for tap in _taps(chain)}
        born = {datum: pulse for pulse, datum in events.births}
        own: dict[Tap, list[TapRead]] = defaultdict(list)
        for read in events.reads:
            if not read.beyond:
                own[read.tap].append(read)
        missing = [tap for tap in own if tap not in taps]
        if missing:
            raise stream_fault(f"'{missing[0].node}' reads '{name.port}' of '{name.node}' at no tap")
        late = {tap: one_lateness(reads, born) for tap, reads in own.items()}
        steady = {tap: value for tap, value in late.items() if value is not None}
        self.kept_reads = self._kept(steady if len(steady) == len(late) else None, own, born)
        self.lines = []
        for chain in chains:
            listed = self.kept_reads if chain.kept else own
            if not chain.kept and len(steady) == len(late):
                passes = steady_passes(chain, steady, births)
                reads_there: list[dict[Datum, tuple[int, int]]] = []
            else:
                reads_there = [_over_frames(listed, segment.taps, frames + 1, frame) for segment in chain.segments]
                positions = ordered_passes(chain, reads_there, births)
                passes = [position.passes for position in positions]
            self.lines.append(self._line(chain, passes, frames))
        self.there: dict[tuple[Tap, bool], Datum | None] = {}
        self.main_data: set[Datum | None] = set()

    def _line(self, chain: Chain, passes: Sequence[dict[Datum, int]], frames: int) -> _Line:
        segments: list[Shifted | Queued] = []
        leaving = []
        for number, segment in enumerate(chain.segments):
            text = f"segment {number} of '{chain.port}' of '{chain.node}'{' (kept)' if chain.kept else ''}"
            segments.append((Shifted if segment.shifts else Queued)(text, segment.depth))
            leaving.append({pulse: datum for datum, pulse in passes[number].items() if datum[0] < frames})
        first = [self.first, *(min(own.values(), default=self.first) for own in passes)]
        return _Line(chain, segments, [frozenset(own) for own in passes], first, leaving)

    def _kept(
        self, steady: dict[Tap, int] | None, own: dict[Tap, list[TapRead]], born: dict[int, int]
    ) -> dict[Tap, list[TapRead]]:
        """The reads beyond the ends whose data are at no tap in that pulse."""
        there = set(born.items())
        if steady is not None:
            there |= {(datum, pulse + late) for late in set(steady.values()) for datum, pulse in born.items()}
        else:
            for reads in own.values():
                spans: dict[int, tuple[int, int]] = {}
                for read in reads:
                    first, last = spans.get(read.datum, (read.pulse, read.pulse))
                    spans[read.datum] = min(first, read.pulse), max(last, read.pulse)
                there |= {(datum, at) for datum, (first, last) in spans.items() for at in range(first, last + 1)}
        kept: dict[Tap, list[TapRead]] = defaultdict(list)
        for read in self.events.reads:
            if read.beyond and (read.datum, read.pulse) not in there:
                kept[read.tap].append(read)
        return dict(kept)

    def run(self, last: int) -> Iterator[tuple[int, TapRead]]:
        """Run to the last pulse, and give all reads, each with its frame. Lanes share no words, so each runs by itself.

        Raises StreamFaultError.
        """
        for pulse in range(last + 1):
            self.step(pulse)
            yield from self.take(pulse)

    def step(self, pulse: int) -> None:
        """Move data by one pulse. Raises StreamFaultError."""
        self.there = {}
        self.main_data = set()
        newest = self.born.get(pulse)
        for line in self.lines:
            arrives = newest
            for tap in line.chain.at_birth:
                self.there[tap, line.chain.kept] = newest
            data = [newest]
            for number, (segment, taps) in enumerate(zip(line.segments, line.chain.segments, strict=True)):
                if arrives not in line.entering[number]:
                    arrives = None
                if isinstance(segment, Shifted):
                    since = pulse - line.first[number]
                    enabled = since >= 0 and since % line.chain.period == 0
                    if arrives is not None and not enabled:
                        raise stream_fault(f"pulse {pulse}: {arrives} arrives at {segment.name} between two enables")
                    front = leaves = segment.step(arrives) if enabled else None
                else:
                    leaves = line.leaving[number].get(pulse)
                    front = segment.front(arrives)
                    segment.step(arrives, leaves, pulse)
                for tap in taps.taps:
                    self.there[tap, line.chain.kept] = front
                data.append(front)
                arrives = leaves
            if not line.chain.kept:
                self.main_data.update(data)

    def take(self, pulse: int) -> list[tuple[int, TapRead]]:
        """The reads of this pulse, each with its frame. Raises StreamFaultError if a datum is not at its tap."""
        taken = self.reads.get(pulse, [])
        for number, read in taken:
            datum = number, read.datum
            if self.there.get((read.tap, False)) == datum:
                continue
            if read.beyond and (datum in self.main_data or self.there.get((read.tap, True)) == datum):
                continue
            tap = read.tap
            text = f"pulse {pulse}: repetition {read.reader} of '{tap.node}' reads '{self.name.port}' of "
            text += f"'{self.name.node}' at place {tap.place}, lane {self.name.place} of unit {self.name.unit}: "
            raise stream_fault(text + f"repetition {read.datum} of frame {number} is not there")
        return taken


def _taps(chain: Chain) -> set[Tap]:
    return {*chain.at_birth, *(tap for segment in chain.segments for tap in segment.taps)}


def _over_frames(
    reads: dict[Tap, list[TapRead]], taps: Sequence[Tap], frames: int, frame: int
) -> dict[Datum, tuple[int, int]]:
    """By datum the first and the last read of some taps, over frames in succession."""
    found: dict[Datum, tuple[int, int]] = {}
    for tap in taps:
        for read in reads.get(tap, ()):
            for number in range(frames):
                datum, pulse = (number, read.datum), read.pulse + number * frame
                first, last = found.get(datum, (pulse, pulse))
                found[datum] = min(first, pulse), max(last, pulse)
    return found


# The lanes of a group, and how long they run.


def lanes_of(events: FrameEvents, group: StreamedGroup, frames: int) -> list[LineLane]:
    """The lanes of a group with their chains, to run over some frames. Raises StreamFaultError where one is missing."""
    chains: dict[LaneName, list[Chain]] = defaultdict(list)
    for chain in group.chains:
        chains[lane_of(chain)].append(chain)
    for name, own in events.lanes.items():
        if own.reads and name not in chains:
            raise stream_fault(f"'{name.node}' has no line buffer for '{name.port}', which is read")
    return [LineLane(name, own, events.lanes[name], frames, group.frame) for name, own in chains.items()]


def lane_of(chain: Chain) -> LaneName:
    """The lane that a chain is of."""
    return LaneName(chain.node, chain.port, chain.place, chain.unit, chain.state)


def last_pulse(events: FrameEvents) -> int:
    """The last pulse of a frame in which anything is read or born."""
    pulses = [read.pulse for own in events.lanes.values() for read in own.reads[-1:]]
    return max([*pulses, *(pulse for own in events.lanes.values() for pulse, _ in own.births[-1:])], default=0)


def frames_to_run(events: FrameEvents, group: StreamedGroup) -> int:
    """How many frames to run, so that the data of one frame meet all later data beside which they wait."""
    return 2 + max((last - born for born, last in waits_of(events)), default=0) // group.frame


def waits_of(events: FrameEvents) -> list[tuple[int, int]]:
    """The pulses of birth and last read of each element that is read."""
    waits = []
    for own in events.lanes.values():
        last: dict[int, int] = {}
        for read in own.reads:
            last[read.datum] = read.pulse
        waits += [(pulse, last[datum]) for pulse, datum in own.births if datum in last]
    return waits
