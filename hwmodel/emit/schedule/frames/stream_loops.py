"""The chunks of a streaming group along ways of the network: how many of them a shorter frame may leave out."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from hwmodel.accesses import Accesses
from hwmodel.design import GroupDesign
from hwmodel.emit.schedule.frames.group_loops import WayCut
from hwmodel.emit.schedule.frames.travel import CommonWay, Direction
from hwmodel.emit.schedule.repetition import LoopCut
from hwmodel.platform import Platform
from hwmodel.stream.grown import SizedGroup, period_of
from hwmodel.stream.model import StreamModel
from hwmodel.streamed import Firing

_PIPELINE = 2  # steps of a chunk beside that of its pulses: its load and its store
_MARGIN = 1  # chunks at both ends that may be in part of the middle


@dataclass(frozen=True)
class StreamLoops:
    """The chunks of a group with the given starts and strides; only its outermost loop can have fewer places."""

    model: StreamModel
    sized: SizedGroup
    chunk: int

    @staticmethod
    def of(accesses: Accesses, platform: Platform, group: GroupDesign) -> StreamLoops:
        """The loops of a group that streams."""
        model, stream = StreamModel(accesses, group.tasks, platform), group.stream
        assert stream is not None, "a stream"
        return StreamLoops(model, model.sized(stream), stream.chunk)

    def least_round(self, way: CommonWay) -> int:
        """As `GroupLoops`."""
        if not self._can_be_cut(way):
            return 0
        in_periods = self._places(way) / period_of(self.model.loops, self.sized.pitches, self._outermost)
        return math.lcm(in_periods.denominator, (self._pulses(way) / self.chunk).denominator)

    def rounds(self, way: CommonWay, round_steps: int) -> int:
        """As `GroupLoops`."""
        return (self._last - self._first) // int(round_steps * self._pulses(way) / self.chunk) - 2

    def loops(self, cuts: Sequence[WayCut]) -> tuple[LoopCut, ...]:
        """As `GroupLoops`."""
        (cut,) = (cut for cut in cuts if self._moving(cut.way))
        left_out, each = (int(steps * self._pulses(cut.way) / self.chunk) for steps in (cut.left_out, cut.round))
        return (LoopCut(self._last, left_out, self._first, each),)

    @property
    def _outermost(self) -> int:
        return self.sized.pitches.scan[0]

    def _moving(self, way: CommonWay) -> list[tuple[str, int]]:
        """The dimensions of tasks that move along a way."""
        return [
            (task, at)
            for task in self.model.tasks
            for at in range(len(self.model.accesses.extents(task)))
            if Direction(task, at, False) in way.paces
        ]

    def _can_be_cut(self, way: CommonWay) -> bool:
        moving = self._moving(way)
        if way.turns_back or not moving or any(any(firing.first) for firing in self.sized.pitches.firing.values()):
            return False
        return all(self.model.loops.loop_of(*own) == self._outermost for own in moving)

    def _places(self, way: CommonWay) -> Fraction:
        """The places of the outermost loop in a step of a way."""
        task, at = self._moving(way)[0]
        return self.model.loops.ratio[task, at] * way.paces[Direction(task, at, False)]

    def _pulses(self, way: CommonWay) -> Fraction:
        """The pulses in a step of a way."""
        task, at = self._moving(way)[0]
        return _pulses_of(self.sized.pitches.firing[task], at) * way.paces[Direction(task, at, False)]

    @property
    def _first(self) -> int:
        """The first step in which all nodes are in the middle of the frame."""
        return -(-max(begin for begin, _ in self._times()) // self.chunk) + _PIPELINE + _MARGIN

    @property
    def _last(self) -> int:
        """The first step in which one is not any more."""
        return min(end for _, end in self._times()) // self.chunk - 1 - _MARGIN

    def _times(self) -> Iterator[tuple[int, int]]:
        """When each node's first results are born, and when it ends if it has nothing more to do in a frame."""
        members = dict(self.model.loops.members[self._outermost])
        for name, firing in self.sized.pitches.firing.items():
            start = self.sized.starts[name]
            born = start + firing.interval + firing.latency
            spans = [_pulses_of(firing, at) * extent for at, extent in enumerate(firing.extents)]
            if name in members:
                yield born, start + int(spans[members[name]])
            else:
                yield born + math.ceil(sum(spans)), self.sized.pitches.frame


def _pulses_of(firing: Firing, dimension: int) -> Fraction:
    """The pulses in which a node passes an index of a dimension."""
    return Fraction(firing.strides[dimension], firing.units if firing.shared == dimension else 1)
