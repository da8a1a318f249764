"""The table of whole designs in docs/accuracy.md is what the benchmark prints, the technology what was fitted."""

from __future__ import annotations

from pathlib import Path

import pytest
import whole_designs
from manual import read

PAGE = Path(__file__).resolve().parents[2] / "docs" / "accuracy.md"
COMMAND = "    .venv/bin/python benchmarks/whole_designs.py\n\n"


def test_the_table(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--update-golden"):
        before, found, rest = PAGE.read_text(encoding="utf-8").partition(COMMAND)
        assert found
        after = rest.partition("\n\n")[2]
        PAGE.write_text(f"{before}{COMMAND}{whole_designs.table()}\n\n{after}", encoding="utf-8")
    assert f"{COMMAND}{whole_designs.table()}\n" in read("accuracy.md")


def test_the_technology_is_the_fit() -> None:
    assert whole_designs.TECHNOLOGY.read_text(encoding="utf-8") == whole_designs.calibration().toml()


def test_most_designs_that_were_kept_out_are_within_twenty_percent() -> None:
    """Of six or more, of which none is in the fit. docs/accuracy.md says what the others have."""
    fit = whole_designs.calibration()
    assert len(fit.held) >= 6
    assert not {one.name for one in fit.held} & {one.name for one in fit.fitted_to}
    errors = [abs(fit.predicted(one, "lut") / one.samples["lut"].found - 1) for one in fit.held]
    assert sum(error <= 0.2 for error in errors) >= 6
    units = [abs(one.samples["lut"].modelled / one.samples["lut"].found - 1) for one in fit.held]
    assert sum(errors) < sum(units) / 2  # of what units and memories alone are off by


def test_all_three_take_the_same_cycles() -> None:
    for name, own in whole_designs.stored().items():
        assert {own.simulated, *own.verilog} == {own.model}, name
        assert not own.wrong, name
