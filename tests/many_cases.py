"""How many generated cases a test draws, and one test on many of them, from pytest and from the long runs."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import hypothesis
from hypothesis import HealthCheck, given, settings
from hypothesis.strategies import SearchStrategy

_NIGHT = 1_000_003  # seeds of one night are apart from those of the next
BATCH = 25  # cases of one seed: later ones vary earlier ones, so that few seeds would leave features out

# No test asserts a wall time, so Hypothesis does not either.
_UNTIMED: dict[str, Any] = {"deadline": None, "suppress_health_check": [hypothesis.HealthCheck.too_slow]}
# Each profile with the share of the cases that a test asks for.
_SHARES = {"quick": 0.2, "landing": 1, "explore": 1, "nightly": 10}
_FIXED = {"quick", "landing"}
_HYPOTHESIS_CASES = 100  # of a test that does not say how many


def register_profiles() -> None:
    """Make Hypothesis know the profiles; `quick` is taken where `--hypothesis-profile` names none."""
    for name, share in _SHARES.items():
        count = round(_HYPOTHESIS_CASES * share)
        settings.register_profile(name, max_examples=count, derandomize=name in _FIXED, print_blob=True, **_UNTIMED)
    settings.load_profile("quick")


def case_count(cases: int) -> int:
    """How many of `cases` this run draws, at least 1."""
    return max(1, round(cases * _share()))


def full_count(cases: int) -> int:
    """How many to draw by a slow test that judges which features its cases have: all of them, tenfold at night."""
    return max(cases, case_count(cases))


def profile() -> str:
    """The name of the profile that is loaded; the oldest Hypothesis that tests allow does not tell it."""
    tell = getattr(settings, "get_current_profile_name", None)
    return str(tell() if tell is not None else vars(settings)["_current_profile"])


def _share() -> float:
    """The share of the profile; 1 in a program that is run without pytest."""
    return _SHARES.get(profile(), 1)


def new_seed() -> int:
    """What is added to the seeds of generated cases: at night the day, so that each night draws others, else 0."""
    return datetime.now(UTC).toordinal() if profile() == "nightly" else 0


def draws_all_cases() -> bool:
    """Whether this run draws all cases that tests ask for."""
    return _share() >= 1


def on_many(cases: int, seed: int | None, test: Callable[..., None], *drawn: SearchStrategy[object]) -> None:
    """Call a test with what is drawn, so often; without a seed always the same. What fails is shrunk and raised.

    A nightly run takes other seeds, and what fails names its own.
    """
    for first in range(0, cases, BATCH):
        settled = settings(
            max_examples=min(BATCH, cases - first),
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        )(given(*drawn)(test))
        number = first + (seed or 0) * cases + new_seed() * _NIGHT
        try:
            hypothesis.seed(number)(settled)()
        except BaseException as failure:
            failure.add_note(f"hypothesis.seed({number})")
            raise
