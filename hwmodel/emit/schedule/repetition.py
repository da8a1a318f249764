"""A whole frame as steps of a shorter one: which step repeats which, and where its data lie.

Each step of the whole frame repeats one of the shorter frame (short_frame.py). Its rows and the increments of counters
are the same, but for the last increment of each counter, which leads back to its value at the start of the whole frame.
Its requests ask for words that lie further on, by the blocks between. What repeats must be alike in the shorter frame
already: the steps of a round, and those of the next round, must have the same rows (`require_alike`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from arrayol.arrays import IntArray


class NotRepeatedError(Exception):
    """A frame does not repeat the steps of the shorter one as it should."""


@dataclass(frozen=True)
class LoopCut:
    """A loop of the scan of a group: its `blocks` in the whole frame, and how many of them are left out.

    The shorter frame has the blocks before `first`, then one round of `round` blocks, and all that come after it; the
    whole frame has the round as often as it takes. Without blocks that are left out, `round` is 0.
    """

    blocks: int
    left_out: int = 0
    first: int = 0
    round: int = 0

    @property
    def kept(self) -> int:
        """The blocks of the shorter frame."""
        return self.blocks - self.left_out


@dataclass(frozen=True)
class StepRepetition:
    """The steps of a group in the whole frame, from those of the shorter frame.

    `steps` has for each step the one that it repeats; `alike` has pairs of steps of the shorter frame, (pairs, 2), that
    must have the same rows. Arrays that are walked `backwards` begin further on in the whole frame.
    """

    steps: IntArray
    alike: IntArray
    backwards: frozenset[str] = frozenset()

    def rows(self, ends: IntArray) -> IntArray:
        """For each row of the whole frame the row of the shorter one, whose steps end with the rows `ends`."""
        starts = np.concatenate([[0], ends[:-1] + 1])
        counts = (ends - starts + 1)[self.steps]
        first = np.cumsum(counts) - counts
        return np.asarray(np.arange(int(counts.sum())) + np.repeat(starts[self.steps] - first, counts))

    def times(self, ends: IntArray) -> IntArray:
        """How often the whole frame has each row of the shorter one."""
        return np.repeat(np.bincount(self.steps, minlength=len(ends)), np.diff(ends, prepend=-1))

    def whole(self, numbers: IntArray, ends: IntArray) -> IntArray:
        """The numbers of all rows of the whole frame, from those of the rows of the shorter one."""
        by_step = np.split(numbers, ends[:-1] + 1)
        return np.concatenate([by_step[step] for step in self.steps.tolist()])

    def ends(self, ends: IntArray) -> IntArray:
        """The last row of each step of the whole frame."""
        return np.asarray(np.cumsum(np.diff(ends, prepend=-1)[self.steps]) - 1)

    def require_alike(self, symbols: IntArray, ends: IntArray) -> None:
        """Raises NotRepeatedError if steps that must be alike differ, given the symbol of each row."""
        starts = np.concatenate([[0], ends[:-1] + 1])
        for step, later in self.alike.tolist():
            own, other = (symbols[starts[each] : ends[each] + 1] for each in (step, later))
            if not np.array_equal(own, other):
                raise NotRepeatedError(f"step {later} differs from step {step}")


@dataclass(frozen=True)
class ScanLoops:
    """The loops of a group's scan in both frames, and the number of steps of the shorter one."""

    loops: Sequence[LoopCut]
    steps: int

    @cached_property
    def blocks(self) -> int:
        """The blocks of the whole frame."""
        return int(np.prod([loop.blocks for loop in self.loops], dtype=np.int64))

    @cached_property
    def kept(self) -> int:
        """The blocks of the shorter frame."""
        return int(np.prod([loop.kept for loop in self.loops], dtype=np.int64))

    def repetition(self, backwards: frozenset[str] = frozenset(), *, setup: bool) -> StepRepetition:
        """The repetition; with `setup` there is one more step, before the first frame."""
        steps, alike = self._steps(), self._alike()
        if setup:
            steps, alike = np.concatenate([[0], steps + 1]), alike + 1
        return StepRepetition(steps, alike, backwards)

    def places(self, ticks: IntArray, *, whole: bool) -> list[IntArray]:
        """The place of each tick in each loop, of the whole frame or of the shorter one."""
        extents = tuple(loop.blocks if whole else loop.kept for loop in self.loops)
        return list(np.unravel_index(np.clip(ticks, 0, (self.blocks if whole else self.kept) - 1), extents))

    def _steps(self) -> IntArray:
        """For each step of the whole frame the one that it repeats."""
        places = self.places(np.arange(self.blocks), whole=True)
        kept = [_kept(loop, place) for loop, place in zip(self.loops, places, strict=True)]
        steps = np.ravel_multi_index(kept, tuple(loop.kept for loop in self.loops))
        return np.concatenate([steps, np.arange(self.kept, self.steps)])

    def _alike(self) -> IntArray:
        """The steps of a round, beside those of the next one."""
        pairs, every = [np.zeros((0, 2), np.int64)], np.arange(self.kept)
        for number, (loop, place) in enumerate(zip(self.loops, self.places(every, whole=False), strict=True)):
            if loop.left_out:
                inner = int(np.prod([other.kept for other in self.loops[number + 1 :]], dtype=np.int64))
                of_round = every[(place >= loop.first) & (place < loop.first + loop.round)]
                pairs.append(np.stack([of_round, of_round + loop.round * inner], axis=1))
        return np.concatenate(pairs)


def _kept(loop: LoopCut, place: IntArray) -> IntArray:
    """The place in the shorter frame that each place of a loop repeats."""
    if not loop.left_out:
        return place
    behind = loop.first + loop.round + loop.left_out
    turned = loop.first + (place - loop.first) % loop.round
    return np.where(place < loop.first, place, np.where(place >= behind, place - loop.left_out, turned))
