"""Hypervolumes, by moocore: how good a front is, how far it has come while a search runs, and which points tell of it.

One definition holds wherever a hypervolume is said. A figure v, in its smallest unit, stands at log2(max(v, 1)) on its
axis, so that the unit of an axis is an octave: half the cycles count the same at both ends of a front. A front is
measured up to its corner: beyond its worst value of each figure by a tenth of its range there, and that is an octave
at least. The share of other points is their volume up to the corner of that front, by the volume of the front.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from heapq import heapify, heappop, heappush
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dse.pareto.fronts import non_dominated

Octaves = NDArray[np.float64]  # places on logarithmic axes, of shape (points, figures)
_BEYOND = 0.1  # of a front's range, from its worst values to its corner


def hypervolume(points: NDArray[Any] | Sequence[Sequence[float]], reference: Sequence[float] | Octaves) -> float:
    """The volume that points dominate up to `reference`; its unit is the product of the axes' units.

    Smaller is better. A point that does not lie below the reference in every figure adds nothing.
    """
    import moocore  # type: ignore[import-untyped]  # noqa: PLC0415

    return float(moocore.hypervolume(np.array(points, dtype=np.float64), ref=np.array(reference, dtype=np.float64)))


def octaves_of(values: NDArray[Any]) -> Octaves:
    """Where figures, in their smallest units, stand on logarithmic axes."""
    octaves: Octaves = np.log2(np.maximum(values.astype(np.float64), 1.0))
    return octaves


def corner_of(front: Octaves) -> Octaves:
    """The corner up to which a front is measured."""
    worst = front.max(axis=0)
    corner: Octaves = worst + _BEYOND * np.maximum(worst - front.min(axis=0), 1.0)
    return corner


def share_of(values: NDArray[Any], best: NDArray[Any]) -> float:
    """The hypervolume of figures (n, figures) as a share of that of the front `best`."""
    if not len(values):
        return 0.0
    front = octaves_of(best)
    corner = corner_of(front)
    return hypervolume(octaves_of(values), corner) / hypervolume(front, corner)


KEPT_AT_MOST = 500  # points; so that the volume takes milliseconds in five objectives


class RisingVolume:
    """The hypervolume of all points given so far, as a share of the box between 1 and a reference, both in octaves.

    The reference is the corner of the first points. A lower bound where the front has more than KEPT_AT_MOST points.
    """

    def __init__(self) -> None:
        self.reference: Octaves | None = None
        self.share: float | None = None
        self._points: NDArray[np.float64] | None = None

    def with_points(self, values: NDArray[Any]) -> float | None:
        """The share after these points too, of shape (n, objectives), smaller is better; None before the first."""
        if not len(values):
            return self.share
        points = octaves_of(values)
        if self._points is not None:
            points = np.concatenate([self._points, points])
        points = np.unique(points, axis=0)
        front = points[non_dominated(points)]
        self._points = front[spread_rows(front, KEPT_AT_MOST)]
        if self.reference is None:
            self.reference = corner_of(self._points)
        self.share = max(self.share or 0.0, box_share(self._points, self.reference))
        return self.share

    def share_of_any(self, least: Octaves) -> float | None:
        """The least share that the points have of the volume of any front up to their corner, if nothing is below.

        None before there are points.
        """
        if self._points is None:
            return None
        corner = corner_of(self._points)
        return hypervolume(self._points, corner) / float((corner - least).prod())


def box_share(points: Octaves, reference: Octaves) -> float:
    """The share of the box between the origin and the reference that points (n, objectives) dominate."""
    return hypervolume(points / reference, [1.0] * len(reference))


def spread_rows(front: NDArray[Any], count: int) -> NDArray[np.intp]:
    """At most `count` rows of a front (n, figures), evenly along it, the best of each figure among them, ascending.

    `count` is at least twice the number of figures. The way along the front goes by the first figure and is measured
    with each figure's range as its unit; in two figures what is left loses at most 2 / (count - 1) of the box between
    the extremes.
    """
    if len(front) <= count:
        return np.arange(len(front))
    figures = front.shape[1]
    extremes = np.zeros(0, np.intp) if figures <= 2 else front.argmin(axis=0)
    order = np.argsort(front[:, 0], kind="stable")
    along = front[order].astype(np.float64)
    ranges = np.maximum(np.ptp(along, axis=0), 1e-300)
    way = np.concatenate([[0.0], np.cumsum((np.abs(np.diff(along, axis=0)) / ranges).sum(axis=1))])
    marks = np.linspace(0.0, way[-1], count - len(extremes))
    rows = order[np.minimum(np.searchsorted(way, marks), len(front) - 1)]
    return np.unique(np.concatenate([rows, extremes]))


def telling_rows(front: Octaves, count: int, first: Sequence[int] = ()) -> list[int]:
    """At most `count` rows that tell most of a front, ascending.

    The ends are among them, as far as there is room the rows `first`, and then one by one the row that adds the largest
    share of the hypervolume to those that are there; of equal ones the first.
    """
    if len(front) <= count:
        return list(range(len(front)))
    return sorted(_telling(front.tobytes(), front.shape[1], tuple(first)).most(count))


class _Telling:
    """Rows of a front in the order in which they tell of it, as many as were asked for so far."""

    def __init__(self, front: Octaves, first: Sequence[int]) -> None:
        self._front, self._corner = front, corner_of(front)
        totals = front.sum(axis=1)
        ends = [int(np.lexsort((totals, column))[0]) for column in front.T]
        self._rows = list(dict.fromkeys([*ends, *first]))
        # What a row adds only shrinks while others join, so a gain of an earlier turn bounds the one of this turn.
        bounds = enumerate((self._corner - front).prod(axis=1).tolist())
        self._heap = [(-bound, row) for row, bound in bounds if row not in self._rows]
        heapify(self._heap)
        self._volume = hypervolume(front[self._rows], self._corner)

    def most(self, count: int) -> list[int]:
        """The first of them, which are no more than there are."""
        while len(self._rows) < count:
            _, row = heappop(self._heap)
            gain = hypervolume(self._front[[*self._rows, row]], self._corner) - self._volume
            if self._heap and -gain > self._heap[0][0]:
                heappush(self._heap, (-gain, row))
                continue
            self._rows.append(row)
            self._volume += gain
        return self._rows[:count]


@lru_cache(maxsize=2)
def _telling(front: bytes, figures: int, first: tuple[int, ...]) -> _Telling:
    """Kept, as of one front it is asked for pictures, tables and steps."""
    return _Telling(np.frombuffer(front, np.float64).reshape(-1, figures), first)
