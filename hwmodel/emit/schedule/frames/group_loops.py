"""The loops of a group along ways of the network: how many of its steps a shorter frame may leave out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from hwmodel.accesses import Accesses
from hwmodel.design import GroupDesign
from hwmodel.emit.schedule.frames.travel import CommonWay, Direction, longest
from hwmodel.emit.schedule.repetition import LoopCut

_PIPELINE = 2  # steps of a block beside those of its tasks: its load and its store


@dataclass(frozen=True)
class WayCut:
    """How many steps of a way are left out, and those of a round."""

    way: CommonWay
    left_out: int
    round: int


class GroupLoops(Protocol):
    """The loops of a group."""

    def least_round(self, way: CommonWay) -> int:
        """The least steps of a way that are whole steps of the group; 0 if it cannot be shorter along the way."""

    def rounds(self, way: CommonWay, round_steps: int) -> int:
        """The rounds that can be left out of the group: two of them stay, and its steps at both ends."""

    def loops(self, cuts: Sequence[WayCut]) -> tuple[LoopCut, ...]:
        """Its loops, of which some are cut."""


@dataclass(frozen=True)
class BlockLoops:
    """The loops of the scan of a group of blocks."""

    accesses: Accesses
    group: GroupDesign

    def least_round(self, way: CommonWay) -> int:
        """As `GroupLoops`."""
        side, pace = self._side(way)
        return side // math.gcd(side, pace) if side else 0

    def loops(self, cuts: Sequence[WayCut]) -> tuple[LoopCut, ...]:
        """As `GroupLoops`."""
        return tuple(self._loop(cuts, dimension) for dimension in self.group.blocks.scan.dimensions)

    def rounds(self, way: CommonWay, round_steps: int) -> int:
        """As `GroupLoops`."""
        side, pace = self._side(way)
        number = next(
            number
            for number in range(len(self.group.blocks.shape))
            if Direction(self.group.tasks[-1], number, False) in way.paces
        )
        blocks = -(-self.accesses.extents(self.group.tasks[-1])[number] // side)
        return (blocks - 2 * self._ends(way, number)) // (round_steps * pace // side) - 2

    def _side(self, way: CommonWay) -> tuple[int, int]:
        """The side of its blocks along a way, and its pace; (0, 0) if its blocks do not move along it."""
        sides = enumerate(self.group.blocks.shape)
        found = [(side, way.paces.get(Direction(self.group.tasks[-1], number, False))) for number, side in sides]
        moving = [(side, pace) for side, pace in found if pace is not None]
        return moving[0] if len(moving) == 1 else (0, 0)

    def _ends(self, way: CommonWay, dimension: int) -> int:
        """The blocks at an end of a loop that may differ from those in the middle."""
        side, pace = self._side(way)
        reach = -(-way.reach * pace // side)
        inner = self.group.blocks.scan.dimensions[-1] == dimension or self._is_innermost(dimension)
        return reach + (self._stages() + _PIPELINE if inner else 1)

    def _is_innermost(self, dimension: int) -> bool:
        """Whether all loops inside that of a dimension have one block, or few."""
        extents, order = self.accesses.extents(self.group.tasks[-1]), self.group.blocks.scan.dimensions
        inner = order[order.index(dimension) + 1 :]
        steps = math.prod(-(-extents[each] // self.group.blocks.shape[each]) for each in inner)
        return steps < self._stages() + _PIPELINE

    def _stages(self) -> int:
        """The most tasks of a group that a block goes through one after another."""
        return longest(self.accesses.network, dict.fromkeys(self.group.tasks, 1))

    def _loop(self, cuts: Sequence[WayCut], dimension: int) -> LoopCut:
        """The loop of a dimension."""
        along, side = Direction(self.group.tasks[-1], dimension, False), self.group.blocks.shape[dimension]
        blocks = -(-self.accesses.extents(self.group.tasks[-1])[dimension] // side)
        for cut in cuts:
            if along in cut.way.paces:
                pace = cut.way.paces[along]
                left_out, each = cut.left_out * pace // side, cut.round * pace // side
                return LoopCut(blocks, left_out, self._ends(cut.way, dimension), each)
        return LoopCut(blocks)
