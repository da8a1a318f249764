"""The tables of predicted and synthesised datapaths in docs/accuracy.md are what the benchmark prints."""

from __future__ import annotations

from pathlib import Path

import pytest
import synthesis
from manual import read

PAGE = Path(__file__).resolve().parents[2] / "docs" / "accuracy.md"


@pytest.mark.parametrize(("command", "chosen"), [("", synthesis.FIRST), (" fresh", synthesis.FRESH)])
def test_the_table(command: str, chosen: synthesis.Bodies, request: pytest.FixtureRequest) -> None:
    table = synthesis.table(synthesis.derived_bodies(chosen), synthesis.stored(chosen))
    shown = f"    .venv/bin/python benchmarks/synthesis.py{command}\n\n"
    if request.config.getoption("--update-golden"):
        before, found, rest = PAGE.read_text(encoding="utf-8").partition(shown)
        assert found
        assert rest.startswith("| body | LUT predicted |")
        summary, after = rest.partition("\nMean error of ")[1:]
        assert summary
        after = after.partition("\n")[2]
        PAGE.write_text(f"{before}{shown}{table}\n{after}", encoding="utf-8")
    assert f"{shown}{table}\n" in read("accuracy.md")


def test_logic_is_within_ten_percent() -> None:
    """On the mean of the first bodies, at least 20; the fresh ones are reported, whatever they are."""
    bodies, measured = synthesis.derived_bodies(synthesis.FIRST), synthesis.stored(synthesis.FIRST)
    errors = [abs(derived.cost["lut"] / measured[name].lut - 1) for name, derived in bodies.items()]
    assert len(errors) >= 20
    assert sum(errors) / len(errors) <= 0.1
