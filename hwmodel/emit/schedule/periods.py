"""Groups that run at the same time in hardware: the period, and what lies outside in several copies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hwmodel.emit.schedule.group import GroupSchedule

FRAMES_BESIDE = 2  # frames of a test bench beside those that fill the groups


@dataclass(frozen=True)
class Periods:
    """Groups at the same time (docs/machine.md, section 16): the cycles of a period, and the copies of arrays outside.

    `ends` has the cycle of a period in which each group ends if all have a frame.
    """

    cycles: int
    ends: tuple[int, ...]
    copies: Mapping[str, int]

    @property
    def groups(self) -> int:
        """How many there are."""
        return len(self.ends)

    @property
    def frames(self) -> int:
        """The frames that a test bench runs, so that each copy of an array is used again."""
        return max(self.groups, *self.copies.values()) + FRAMES_BESIDE


def arrays_of(group: GroupSchedule) -> list[str]:
    """The arrays that a group loads and stores, each once."""
    return list(dict.fromkeys(own.array for engine in group.engines for own in engine.lanes))
