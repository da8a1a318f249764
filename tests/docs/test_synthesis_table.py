"""The table of predicted and synthesised datapaths in docs/accuracy.md is what the benchmark prints."""

from __future__ import annotations

from pathlib import Path

import pytest
import synthesis
from manual import read

PAGE = Path(__file__).resolve().parents[2] / "docs" / "accuracy.md"


def test_the_table(request: pytest.FixtureRequest) -> None:
    bodies, measured = synthesis.derived_bodies(), synthesis.stored()
    table = synthesis.table(bodies, measured)
    if request.config.getoption("--update-golden"):
        page = PAGE.read_text(encoding="utf-8")
        before, heading, rest = page.partition("| body | LUT predicted |")
        assert heading
        summary, after = rest.partition("\nMean error of ")[1:]
        assert summary
        after = after.partition("\n")[2]
        PAGE.write_text(f"{before}{table}\n{after}", encoding="utf-8")
    assert table in read("accuracy.md")


def test_logic_is_within_ten_percent() -> None:
    """On the mean, of at least 20 bodies."""
    bodies, measured = synthesis.derived_bodies(), synthesis.stored()
    errors = [abs(derived.cost["lut"] / measured[name].lut - 1) for name, derived in bodies.items()]
    assert len(errors) >= 20
    assert sum(errors) / len(errors) <= 0.1
