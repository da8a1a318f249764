"""The table of drawn designs in docs/accuracy.md is what the benchmark prints, the coefficients are the fit."""

from __future__ import annotations

from pathlib import Path

import drawn_designs
import pytest
from manual import read

from hwmodel.synth.logic import COEFFICIENTS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "accuracy.md"
COMMAND = "    .venv/bin/python benchmarks/drawn_designs.py\n\n"


def test_the_table(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--update-golden"):
        before, found, rest = PAGE.read_text(encoding="utf-8").partition(COMMAND)
        assert found
        after = rest.partition("\n\n")[2]
        PAGE.write_text(f"{before}{COMMAND}{drawn_designs.table()}\n\n{after}", encoding="utf-8")
    assert f"{COMMAND}{drawn_designs.table()}\n" in read("accuracy.md")


def test_the_coefficients_are_the_fit() -> None:
    fit = drawn_designs.coefficients()
    assert {cost: {name: each for name, each in own.items() if each} for cost, own in fit.items()} == COEFFICIENTS


def test_the_technology_is_the_fit() -> None:
    assert drawn_designs.TECHNOLOGY.read_text(encoding="utf-8") == drawn_designs.calibration().toml()


def test_most_designs_that_were_kept_out_are_within_twenty_percent() -> None:
    """With the schedule at least 17 of 20, and by the model alone 15; FF within 25%."""
    judged, fit = drawn_designs.stored("judged"), drawn_designs.calibration()
    for cost, least in drawn_designs.LEAST.items():
        for most, said in (
            (17, {name: drawn_designs.by_schedule(own)[cost] for name, own in judged.items()}),
            (15, {name: fit.predicted(own.measured(name), cost) for name, own in judged.items()}),
        ):
            within = [name for name, own in judged.items() if abs(said[name] / own.found(cost) - 1) <= least]
            assert len(within) >= most, cost


def test_dsp_and_block_ram_are_what_the_model_chose() -> None:
    judged = drawn_designs.stored("judged")
    assert {name: own.blocks for name, own in judged.items() if own.blocks[0] != own.blocks[1]} == {}
    assert {name: own.dsp for name, own in judged.items() if own.dsp[0] != own.dsp[1]} == {}
    assert any(own.blocks[0] for own in judged.values())


def test_verilog_takes_the_cycles_of_the_model() -> None:
    for kind in ("fitted", "judged"):
        for name, own in drawn_designs.stored(kind).items():
            assert set(own.verilog) == {own.model}, name
            assert not own.wrong, name
