"""Two prices of a structure, figure by figure."""

from __future__ import annotations

import numpy as np

from hwmodel.cost_model.estimate import OBJECTIVES
from hwmodel.cost_model.metrics import Metrics


def require_same_figures(priced: Metrics, number: int, alone: Metrics) -> None:
    """All figures of one structure in a batch are those that it has by itself."""
    left_out = {"memory_blocks"} if priced.memory_blocks is None else set()
    names = {*OBJECTIVES, *(() if alone.energy is None else ("energy_fj", "leakage_pw"))} - left_out
    legal = priced.legal[number]
    for name in names:
        found, expected = priced.objective(name)[number], alone.objective(name)[0]
        np.testing.assert_array_equal(found[legal], expected[legal], err_msg=name)
    if priced.built_figures is not None and alone.built_figures is not None:
        np.testing.assert_array_equal(priced.built_figures.bits[number][legal], alone.built_figures.bits[0][legal])
    for name in alone.costs:
        np.testing.assert_array_equal(priced.objective(name)[number], alone.objective(name)[0], err_msg=name)
