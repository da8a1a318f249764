"""The table of drawn designs in docs/accuracy.md is what the benchmark prints, the coefficients are the fit."""

from __future__ import annotations

from pathlib import Path

import drawn_designs
import pytest
from manual import read

from hwmodel.synth.logic import COEFFICIENTS, logic_of

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


def test_most_designs_that_were_kept_out_are_within_twenty_percent() -> None:
    """With the schedule at least 17 of 20, and FF within 25%."""
    judged = drawn_designs.stored("judged")
    for cost, least in (("lut", 0.2), ("ff", 0.25)):
        said = {name: logic_of({**own.features, **own.scheduled}, own.modelled)[cost] for name, own in judged.items()}
        within = [name for name, own in judged.items() if abs(said[name] / own.found(cost) - 1) <= least]
        assert len(within) >= 0.85 * len(judged), cost


def test_block_ram_is_what_the_model_chose() -> None:
    designs = {**drawn_designs.stored("judged"), **drawn_designs.stored("in blocks")}
    others = {name: own.blocks for name, own in designs.items() if own.blocks[0] != own.blocks[1]}
    assert others == {"camera 5:23": (2, 4)}  # docs/accuracy.md says why
    assert {name: own.dsp for name, own in designs.items() if own.dsp[0] != own.dsp[1]} == {}


def test_verilog_takes_the_cycles_of_the_model() -> None:
    for kind in ("fitted", "in blocks", "judged"):
        for name, own in drawn_designs.stored(kind).items():
            assert set(own.verilog) == {own.model}, name
            assert not own.wrong, name
