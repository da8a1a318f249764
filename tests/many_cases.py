"""One test on many generated cases, from pytest and from the long runs."""

from __future__ import annotations

from collections.abc import Callable

import hypothesis
from hypothesis import HealthCheck, given, settings
from hypothesis.strategies import SearchStrategy


def on_many(cases: int, seed: int | None, test: Callable[..., None], *drawn: SearchStrategy[object]) -> None:
    """Call a test with what is drawn, so often; without a seed always the same. What fails is shrunk and raised."""
    settled = settings(
        max_examples=cases,
        deadline=None,
        database=None,
        derandomize=seed is None,
        suppress_health_check=list(HealthCheck),
    )(given(*drawn)(test))
    (settled if seed is None else hypothesis.seed(seed)(settled))()
