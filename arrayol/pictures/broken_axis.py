"""An axis of an array with only the indices that matter: what lies between them shrinks to a gap."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass

GAP = 1.0  # cells that a gap takes
FILLED = 2  # so many missing indices are shown rather than cut out
AROUND = 1  # neighbours shown beside what is touched


@dataclass(frozen=True)
class BrokenAxis:
    """The indices shown, ascending; those below 0 or from `extent` on lie outside the array. Lengths count cells."""

    shown: tuple[int, ...]
    extent: int | None

    @property
    def segments(self) -> tuple[tuple[int, int], ...]:
        """First and last index of each run without a gap."""
        starts = [0, *(place for place in range(1, len(self.shown)) if self.shown[place] - self.shown[place - 1] > 1)]
        ends = [*starts[1:], len(self.shown)]
        return tuple((self.shown[start], self.shown[end - 1]) for start, end in zip(starts, ends, strict=True))

    @property
    def open_start(self) -> bool:
        """Whether the array goes on before the first index."""
        return self.shown[0] > 0

    @property
    def open_end(self) -> bool:
        """Whether the array goes on after the last index."""
        return self.extent is None or self.shown[-1] < self.extent - 1

    @property
    def length(self) -> float:
        return self.start(self.shown[-1]) + 1

    def start(self, index: int) -> float:
        """Where the cell of an index begins; one that is not shown lies in the middle of its gap."""
        place = bisect_left(self.shown, index)
        gaps = sum(other < index for _, other in self.segments[:-1])
        if place < len(self.shown) and self.shown[place] == index:
            return place + GAP * gaps
        return place + GAP * max(gaps - 0.5, 0) - 0.5

    def inside(self, index: int) -> bool:
        """Whether the array has this index."""
        return index >= 0 and (self.extent is None or index < self.extent)


def broken_axis(extent: int | None, wanted: Iterable[int], whole: int) -> BrokenAxis:
    """The axis that shows the wanted indices, their neighbours and the array's ends; all of it up to `whole`."""
    wanted = set(wanted)
    if extent is not None and extent <= whole:
        kept = wanted | set(range(extent))
    else:
        ends = {0} if extent is None else {0, extent - 1}
        near = {index + step for index in wanted for step in range(-AROUND, AROUND + 1)}
        kept = wanted | ends | {index for index in near if index >= 0 and (extent is None or index < extent)}
    ordered = sorted(kept)
    shown = ordered[:1]
    for index in ordered[1:]:
        if index - shown[-1] <= FILLED + 1:
            shown.extend(range(shown[-1] + 1, index))
        shown.append(index)
    return BrokenAxis(tuple(shown), extent)
