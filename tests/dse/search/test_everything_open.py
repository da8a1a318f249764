"""Exact against every whole design, and rounds against exact, with every kind of choice open."""

from __future__ import annotations

import everything_open
import pytest
from many_cases import full_count

CASES = 32  # in each pair of objectives


def test_exact_is_exhaustive_with_everything_open(capsys: pytest.CaptureFixture[str]) -> None:
    told = everything_open.run(full_count(CASES))
    with capsys.disabled():
        print(f"\neverything open: {told}")  # noqa: T201  what the issue asks to be printed
    seen = everything_open.seen
    assert all(seen[", ".join(pair)] >= full_count(CASES) // 8 for pair in everything_open.PAIRS)
