"""Line buffers of lanes: chains of segments, and their depths (docs/machine.md, section 15).

A tap is steady if all its reads within the ends have one lateness; a lane is steady if all its taps are. Each datum of
a steady lane passes each tap at the tap's lateness, so a depth is a closed form: the births in the pulses between two
latenesses. Other lanes are counted element by element (`counted`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.stream.lanes import Lane, LaneReads
from hwmodel.stream.nodes import Node
from hwmodel.streamed import Firing, Segment, Tap


@dataclass(frozen=True)
class ChainBirths:
    """The pulses in which a lane's data are born, counted from the first: nested loops, the outermost endless.

    `loops` has (stride, number) from the outermost to the innermost. `behind` is the pulses from the birth that belongs
    to the node's first firing to the first one that counts: above 0 where only the last repetitions count (an exit).
    """

    loops: tuple[tuple[int, int], ...]
    behind: int = 0

    @property
    def frame(self) -> int:
        """The pulses from frame to frame."""
        return self.loops[0][0]

    @property
    def in_a_frame(self) -> int:
        """How many data are born in a frame."""
        return math.prod(extent for _, extent in self.loops[1:])

    def order(self, pulses: IntArray) -> IntArray:
        """The places of data in the order of birth, by the pulses of these births."""
        places, number = np.zeros_like(pulses), self.in_a_frame
        for stride, extent in self.loops:
            number //= extent
            whole, pulses = np.divmod(pulses, stride)
            places += whole * number
        return places

    def before(self, pulse: int) -> int:
        """The births in the pulses 0 to pulse - 1."""
        count = 0
        for number, (stride, extent) in enumerate(self.loops):
            inner = math.prod(own for _, own in self.loops[number + 1 :])
            whole = min(extent, pulse // stride) if number else pulse // stride
            count += whole * inner
            if whole == extent and number:
                return count
            pulse -= whole * stride
        return count + (pulse > 0)

    @property
    def period(self) -> int:
        """The pulses from birth to birth of the innermost loop."""
        return self.loops[-1][0]

    @property
    def line(self) -> int:
        """The pulses of the innermost loop."""
        return self.loops[-1][0] * self.loops[-1][1]

    @property
    def has_gaps(self) -> bool:
        """Whether the births do not follow each other at one distance for ever."""
        return any(
            stride * extent != outer for (outer, _), (stride, extent) in zip(self.loops, self.loops[1:], strict=False)
        )


def births_of(node: Node, firing: Firing, lane: Lane, frame: int) -> ChainBirths:
    """When the data of a lane are born. Of an array that leaves by an exit only the last repetitions count."""
    moving = [True] * len(node.extents)
    touch = next((touch for touch in node.writes if touch.port == lane.port), None)
    if touch is not None and touch.exit is not None and not lane.state:
        moving = [any(row[at] for row in touch.tiler.paving) for at in range(len(node.extents))]
    loops, behind = [], 0
    for at, extent in enumerate(node.extents):
        own = -(-(extent - lane.unit) // firing.units) if at == firing.shared else extent
        if not moving[at]:
            behind += (own - 1) * firing.strides[at]
        elif own > 1:
            loops.append((firing.strides[at], own))
    return ChainBirths(((frame, 1), *sorted(loops, reverse=True)), behind)


def steady_positions(reads: LaneReads, starts: Mapping[str, int], node: str) -> dict[Tap, int] | None:
    """By tap its one lateness; None where some tap has several."""
    late = {}
    for tap, spread in reads.within.items():
        if spread.least != spread.most:
            return None
        late[tap] = spread.least + starts[tap.node] - starts[node]
    return late


def is_served(reads: LaneReads, positions: Mapping[Tap, int], starts: Mapping[str, int], node: str) -> bool:
    """Whether each datum that is read beyond the ends is at some tap, or being born, in the pulse of the read."""
    known = {0, *positions.values()}
    for tap, spread in reads.beyond.items():
        late = starts[tap.node] - starts[node]
        if spread.values is None or not {value + late for value in spread.values} <= known:
            return False
    return True


def steady_segments(positions: Mapping[Tap, int], births: ChainBirths) -> tuple[tuple[Tap, ...], tuple[Segment, ...]]:
    """The taps at birth, and the segments behind them, of a lane each of whose taps has one lateness."""
    by_lateness: dict[int, list[Tap]] = {}
    for tap in sorted(positions):
        by_lateness.setdefault(positions[tap], []).append(tap)
    at_birth = tuple(by_lateness.pop(0, ()))
    segments, newest = [], 0
    for late in sorted(by_lateness):
        shifts = not births.has_gaps and (late - newest) % births.period == 0
        segments.append(Segment(births.before(late - newest), tuple(by_lateness[late]), shifts))
        newest = late
    return at_birth, tuple(segments)
