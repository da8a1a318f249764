"""One test on many generated cases, from pytest and from the long runs."""

from __future__ import annotations

from collections.abc import Callable

import hypothesis
from hypothesis import HealthCheck, given, settings
from hypothesis.strategies import SearchStrategy

BATCH = 25  # cases of one seed: later ones vary earlier ones, so that few seeds would leave features out


def on_many(cases: int, seed: int | None, test: Callable[..., None], *drawn: SearchStrategy[object]) -> None:
    """Call a test with what is drawn, so often; without a seed always the same. What fails is shrunk and raised."""
    for first in range(0, cases, BATCH):
        settled = settings(
            max_examples=min(BATCH, cases - first),
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        )(given(*drawn)(test))
        hypothesis.seed(first + (seed or 0) * cases)(settled)()
