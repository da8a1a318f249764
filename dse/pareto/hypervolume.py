"""Hypervolumes, by moocore: how good a front is, and how far it has come while a search runs, which only rises."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dse.pareto.counted import non_dominated


def hypervolume(points: Sequence[Sequence[float]], reference: Sequence[float]) -> float:
    """The volume that points dominate up to `reference`; its unit is the product of the objectives' units.

    Smaller is better. A point that does not lie below the reference in every objective adds nothing.
    """
    import moocore  # type: ignore[import-untyped]  # noqa: PLC0415

    return float(moocore.hypervolume(np.array(points, dtype=np.float64), ref=np.array(reference, dtype=np.float64)))


def share_of(values: NDArray[np.int64], best: NDArray[np.int64]) -> float:
    """The hypervolume of points (n, figures) as a share of that of the front `best`.

    On axes where that front runs from 0 to 1, up to 1.1.
    """
    if not len(values):
        return 0.0
    least, span = best.min(axis=0), np.maximum(1, best.max(axis=0) - best.min(axis=0))
    reference = [1.1] * best.shape[1]
    own, whole = (hypervolume(((points - least) / span).tolist(), reference) for points in (values, best))
    return own / whole


KEPT_AT_MOST = 500  # points; so that the volume takes milliseconds in five objectives


class RisingVolume:
    """The hypervolume of all points given so far, as a share of the box between 0 and a reference.

    The reference is fixed by the first points: a tenth beyond the worst values on their front. A lower bound where
    the front has more than KEPT_AT_MOST points.
    """

    def __init__(self) -> None:
        self.reference: NDArray[np.float64] | None = None
        self.share: float | None = None
        self._points: NDArray[np.float64] | None = None

    def with_points(self, values: NDArray[Any]) -> float | None:
        """The share after these points too, of shape (n, objectives), smaller is better; None before the first."""
        if not len(values):
            return self.share
        points = values.astype(np.float64)
        if self._points is not None:
            points = np.concatenate([self._points, points])
        points = np.unique(points, axis=0)
        front = points[non_dominated(points)]
        self._points = front[spread_rows(front, KEPT_AT_MOST)]
        if self.reference is None:
            self.reference = reference_of(self._points)
        self.share = max(self.share or 0.0, box_share(self._points, self.reference))
        return self.share


def reference_of(front: NDArray[Any]) -> NDArray[np.float64]:
    """The corner a tenth beyond the worst values of a front, and at least 1 beyond, so that no side of the box is 0."""
    worst = front.max(axis=0).astype(np.float64)
    corner: NDArray[np.float64] = np.maximum(worst * 1.1, worst + 1)
    return corner


def box_share(points: NDArray[Any], reference: NDArray[np.float64]) -> float:
    """The share of the box between 0 and the reference that points (n, objectives) dominate."""
    return hypervolume((points / reference).tolist(), [1.0] * len(reference))


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
