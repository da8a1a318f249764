"""The tables of predicted and synthesised datapaths in docs/accuracy.md are what the benchmark prints."""

from __future__ import annotations

from pathlib import Path
from statistics import mean, median

import pytest
import synthesis
from manual import read

PAGE = Path(__file__).resolve().parents[2] / "docs" / "accuracy.md"


@pytest.mark.parametrize(
    ("command", "chosen"),
    [
        ("", synthesis.FIRST),
        (" fresh", synthesis.FRESH),
        (" unseen", synthesis.UNSEEN),
        (" typical", synthesis.TYPICAL),
    ],
)
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


@pytest.mark.parametrize("chosen", [synthesis.FIRST, synthesis.FRESH, synthesis.UNSEEN, synthesis.TYPICAL])
def test_logic_is_within_ten_percent(chosen: synthesis.Bodies) -> None:
    """On the mean of the bodies of each set, at least 20."""
    bodies, measured = synthesis.derived_bodies(chosen), synthesis.stored(chosen)
    errors = [abs(synthesis.predicted_lut(derived) / measured[name].lut - 1) for name, derived in bodies.items()]
    assert len(errors) >= 20
    assert sum(errors) / len(errors) <= 0.1


def test_what_is_said_of_the_typical_bodies() -> None:
    bodies, measured = synthesis.derived_bodies(synthesis.TYPICAL), synthesis.stored(synthesis.TYPICAL)
    predicted = {name: synthesis.predicted_lut(derived) for name, derived in bodies.items()}
    errors = [abs(lut / measured[name].lut - 1) for name, lut in predicted.items()]
    page = " ".join(read("accuracy.md").split())
    assert f"has not seen are {mean(errors):.1%} off on the mean" in page
    assert f"within {median(errors):.1%}, {sum(error <= 0.1 for error in errors)} of {len(errors)} within 10%" in page
    taken = sum(measured[name].lut for name in predicted)
    assert f"predicted to take {sum(predicted.values()):.0f} LUTs where they take {taken}" in page


@pytest.mark.parametrize("chosen", [synthesis.FIRST, synthesis.FRESH, synthesis.UNSEEN, synthesis.TYPICAL])
def test_what_was_measured_is_what_is_printed(chosen: synthesis.Bodies) -> None:
    """No figure is of Verilog that has changed since."""
    measured = synthesis.stored(chosen)
    stale = [
        name
        for name, derived in synthesis.derived_bodies(chosen).items()
        if measured[name].digest != synthesis.digest_of(derived)
    ]
    assert not stale
