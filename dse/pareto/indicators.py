"""How good a front is, by moocore, which loads only when asked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


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
