"""Frames of arrays in copies outside, one start of a design after another: no group finds another frame than its own.

In each start the groups work one after another, each on the frame that it is at. Nothing here knows how many copies
there should be.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hwmodel.accesses import Accesses
from hwmodel.simulator.schedule.plan import fault

OUTSIDE = ""  # who makes inputs


@dataclass(frozen=True)
class FrameCopies:
    """Arrays with frames, with so many `copies` each, or one: frame n lies in copy n modulo their number.

    Before start s, frame s + `ahead` of each input comes, and before the first one all frames up to it. After it, frame
    s + `ahead` of an output is taken.
    """

    accesses: Accesses
    copies: Mapping[str, int]
    ahead: Mapping[str, int]
    _held: dict[tuple[str, str, int], int] = field(default_factory=dict, init=False)  # array, maker, copy: the frame

    def require_frames(self, groups: Sequence[Sequence[str]], lags: Sequence[int]) -> None:
        """Start groups that lag some frames behind as often as it takes to use all copies again.

        Raises SimulatorError (`copy-in-use`) if another frame lies where a group reads one, or where one is taken.
        """
        network = self.accesses.network
        for start in range(2 * max((*self.copies.values(), *lags), default=1) + 4):
            for name in (name for name in network.inputs if name in self.ahead):
                last = start + self.ahead[name]
                for frame in range(last if start else 0, last + 1):
                    self._make(name, OUTSIDE, frame)
            for tasks, lag in zip(groups, lags, strict=True):
                if start >= lag:
                    self._work(tasks, start - lag)
            for name in (name for name in network.outputs if start + self.ahead.get(name, -start - 1) >= 0):
                self._require(name, network.arrays[name].producers, start + self.ahead[name])

    def _work(self, tasks: Sequence[str], frame: int) -> None:
        """A frame of a group: it reads what others have made, and makes its own while it reads those before."""
        inside, arrays = self.accesses.of_frames("inside"), self.accesses.network.arrays
        for touch in (own for task in tasks for own in inside.reads[task] if None in arrays[own.array].shape):
            if arrays[touch.array].earlier is not None:
                continue
            makers = [own for own in arrays[touch.array].producers or (OUTSIDE,) if own not in tasks]
            for later in sorted(set(touch.ahead)) or [0]:
                self._require(touch.array, makers, frame + later)
        for task in tasks:
            for name in (own.array for own in inside.writes[task] if None in arrays[own.array].shape):
                self._make(name, task, frame)
            for earlier in (own for touch in inside.reads[task] if (own := arrays[touch.array].earlier) is not None):
                if frame >= earlier.frames:  # it is read until the end
                    self._require(earlier.array, [task], frame - earlier.frames)

    def _make(self, array: str, maker: str, frame: int) -> None:
        self._held[array, maker, frame % self.copies.get(array, 1)] = frame

    def _require(self, array: str, makers: Sequence[str], frame: int) -> None:
        for maker in makers:
            if self._held.get((array, maker, frame % self.copies.get(array, 1))) != frame:
                raise fault("copy-in-use", f"frame {frame} of '{array}' is not in its copy when it is read")
