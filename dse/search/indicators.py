"""How good a front is, by moocore, which loads only when asked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def hypervolume(points: Sequence[Sequence[float]], reference: Sequence[float]) -> float:
    """The volume that points dominate up to `reference`; its unit is the product of the objectives' units.

    Smaller is better. A point that does not lie below the reference in every objective adds nothing.
    """
    import moocore  # type: ignore[import-untyped]  # noqa: PLC0415

    return float(moocore.hypervolume(np.array(points, dtype=np.float64), ref=np.array(reference, dtype=np.float64)))
