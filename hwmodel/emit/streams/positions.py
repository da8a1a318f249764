"""What stands where: in which pulses which datum of a lane is at a position of its chains."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from hwmodel.emit.streams.names import lane_name, position_name
from hwmodel.stream.counted import NEVER, Passes
from hwmodel.stream.lane_reads import LanePasses
from hwmodel.streamed import Segment, Tap


@dataclass(frozen=True)
class NetPosition:
    """The older end of a segment.

    `arrives` and `leaves` are by element of the lane the pulses in which it comes into the segment and passes its end,
    `NEVER` for one that does not. `entry` is the net that it comes from.
    """

    name: str
    entry: str
    segment: Segment
    arrives: IntArray
    leaves: IntArray

    def serves(self, tap: Tap) -> bool:
        """Whether a tap reads there, in order or beyond it."""
        return tap in {own.in_order for own in self.segment.taps}

    def holds(self, elements: IntArray, pulses: IntArray, frame: int) -> NDArray[np.bool_]:
        """Whether elements stand there in some pulses, if frames follow each other as fast as they can."""
        if self.segment.shifts:
            return np.asarray(self.leaves[elements] == pulses)
        since = self._oldest_since(frame)
        return np.asarray((since[elements] <= pulses) & (pulses <= self.leaves[elements]))

    def _oldest_since(self, frame: int) -> IntArray:
        """By element the first pulse in which none is in front of it."""
        own = np.flatnonzero(self.leaves < NEVER)
        since = np.full(len(self.leaves), NEVER)
        before = np.append(self.leaves[own[-1]] - frame, self.leaves[own[:-1]])
        since[own] = np.maximum(self.arrives[own], before + 1)
        return since

    @property
    def pushes(self) -> IntArray:
        """The pulses in which data come in, ascending."""
        return np.sort(self.arrives[self.arrives < NEVER])

    @property
    def pops(self) -> IntArray:
        """The pulses in which data pass, ascending."""
        return np.sort(self.leaves[self.leaves < NEVER])

    def is_steady(self, births: IntArray) -> bool:
        """Whether each datum passes the same time after its birth: then frames further apart let no more data wait."""
        return len(np.unique(self.leaves - births)) == 1

    def most_waiting(self, frame: int) -> int:
        """The most data that wait at once, of frames that follow each other after `frame` pulses or any more."""
        first, last = int(self.pushes[0]), int(self.pops[-1])
        change = np.zeros(-(-(last - first + 2) // frame) * frame, np.int64)
        change[: last - first + 2] += np.bincount(self.pushes - first + 1, minlength=last - first + 2)
        change[: last - first + 2] -= np.bincount(self.pops - first + 1, minlength=last - first + 2)
        waiting = np.cumsum(change).reshape(-1, frame)
        before = np.zeros(frame, np.int64)  # the most of earlier frames, by pulse
        for number, own in enumerate(waiting):
            waiting[number] = own + before
            before = np.maximum(before[-1], np.maximum.accumulate(waiting[number]))
        return int(waiting.max())


def positions_of(passes: LanePasses) -> Iterator[NetPosition]:
    """All positions of a lane but that of birth."""
    for kept, chains in ((False, passes.chains), (True, passes.kept)):
        for number, (_, line) in enumerate(chains):
            arrives, entry = passes.births, lane_name(passes.lane)
            for at, each in enumerate(line):
                name = position_name(passes.lane, number, at, kept=kept)
                yield NetPosition(name, entry, each.segment, _of_those(arrives, each), each.pulses)
                arrives, entry = each.pulses, name


def _of_those(arrives: IntArray, passing: Passes) -> IntArray:
    """The arrivals of what goes on to the segment's end: the rest leaves the chain."""
    return np.where(passing.pulses < NEVER, arrives, NEVER)


@dataclass(frozen=True)
class LaneNets:
    """A lane with its positions, for those who ask where a datum is."""

    passes: LanePasses
    positions: tuple[NetPosition, ...]
    frame: int

    @property
    def period(self) -> int:
        """The pulses from the first birth to the second."""
        births = self.passes.births
        return int(births[1] - births[0]) if len(births) > 1 else self.frame

    def nets_of(self, tap: Tap, elements: IntArray, pulses: IntArray) -> tuple[list[str], IntArray]:
        """Nets, and by read the number of the one that has the element in that pulse; -1 where none has it."""
        by_tap = sorted(self.positions, key=lambda position: not position.serves(tap))
        names, choice = [lane_name(self.passes.lane)], np.full(len(elements), -1, np.int64)
        own = [position for position in by_tap if position.serves(tap)]
        candidates = [(position.name, position.holds) for position in (*own, *by_tap[len(own) :])]
        for name, holds in (*candidates[: len(own)], (names[0], self._born), *candidates[len(own) :]):
            missing = np.flatnonzero(choice < 0)
            if not len(missing):
                break
            there = holds(elements[missing], pulses[missing], self.frame)
            if there.any():
                if name not in names:
                    names.append(name)
                choice[missing[there]] = names.index(name)
        return names, choice

    def _born(self, elements: IntArray, pulses: IntArray, _: int) -> NDArray[np.bool_]:
        return np.asarray(self.passes.births[elements] == pulses)
