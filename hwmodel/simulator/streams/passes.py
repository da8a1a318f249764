"""When data pass the taps of a chain, and so leave its segments, over some frames in succession.

docs/machine.md, section 15 ("Line buffers"), taken literally, datum by datum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from hwmodel.simulator.streams.events import LaneEvents, TapRead
from hwmodel.simulator.streams.faults import stream_fault
from hwmodel.streamed import Chain, Tap

Datum = tuple[int, int]  # the frame, and the repetition that makes it


@dataclass(frozen=True)
class Birth:
    """A datum of a lane, its place in the order of birth, and the pulse."""

    datum: Datum
    order: int
    pulse: int


@dataclass(frozen=True)
class Position:
    """A position of a chain: by datum the pulse of its pass, and the first and the last pulse of its reads there."""

    passes: dict[Datum, int]
    reads: dict[Datum, tuple[int, int]]


def births_over(events: LaneEvents, frames: int, frame: int) -> list[Birth]:
    """The births of a lane over some frames, in order."""
    data = [(pulse + number * frame, (number, datum)) for number in range(frames) for pulse, datum in events.births]
    return [Birth(datum, order, pulse) for order, (pulse, datum) in enumerate(sorted(data))]


def one_lateness(reads: Sequence[TapRead], born: dict[int, int]) -> int | None:
    """The lateness of all these reads, if it is one."""
    late = {read.pulse - born[read.datum] for read in reads}
    return late.pop() if len(late) == 1 else None


def steady_passes(chain: Chain, late: dict[Tap, int], births: Sequence[Birth]) -> list[dict[Datum, int]]:
    """Where each tap has one lateness: every datum passes every tap at it."""
    passes = []
    for segment in chain.segments:
        own = {late[tap] for tap in segment.taps}
        if len(own) > 1:
            raise stream_fault(f"taps of one position of '{chain.node}' read at different latenesses: {sorted(own)}")
        passes.append({birth.datum: birth.pulse + min(own) for birth in births})
    return passes


def ordered_passes(
    chain: Chain, reads: Sequence[dict[Datum, tuple[int, int]]], births: Sequence[Birth]
) -> list[Position]:
    """By position: a datum passes a tap when that has read it, or as late as order allows if it never reads it.

    Positions are worked out from the oldest to the newest, data from the last to the first.
    """
    order = {birth.datum: birth for birth in births}
    found: list[Position] = []
    limit: dict[Datum, int] = {}  # what the older position leaves: its first read, or its pass
    for own in reversed(reads):
        needed = sorted({*limit, *own}, key=lambda datum: order[datum].order)
        passes: dict[Datum, int] = {}
        distances = _distances([order[datum] for datum in needed], own, chain)
        bound: int | None = None
        for datum, distance in zip(reversed(needed), reversed([*distances, 0]), strict=True):
            latest = own[datum][1] if datum in own else limit[datum]
            if bound is not None:
                latest = min(latest, bound - distance)
            passes[datum] = latest
            bound = min(latest, own[datum][0]) if datum in own else latest
        found.append(Position(passes, own))
        limit = {datum: own[datum][0] if datum in own else passes[datum] for datum in needed}
    return found[::-1]


def _distances(data: Sequence[Birth], reads: dict[Datum, tuple[int, int]], chain: Chain) -> list[int]:
    """From each datum but the last to the next: how many pulses the first of the two has to pass before the second.

    As many as from birth to birth; for data that are neither neighbours nor born within a line, the period. If the
    tap's reads before and after leave less room, an equal part of that room; after its last read, 1.
    """
    period, born = chain.period, [_born_apart(*pair, chain) for pair in pairwise(data)]
    read = [number for number, birth in enumerate(data) if birth.datum in reads]
    for earlier, later in pairwise(read):
        room = reads[data[later].datum][0] - reads[data[earlier].datum][1]
        if room < sum(born[earlier:later]):
            born[earlier:later] = [min(period, max(1, room // (later - earlier)))] * (later - earlier)
    last = read[-1] if read else 0
    return born[:last] + [1] * (len(born) - last)


def _born_apart(earlier: Birth, later: Birth, chain: Chain) -> int:
    apart = later.pulse - earlier.pulse
    return apart if later.order == earlier.order + 1 or apart < chain.line else chain.period
