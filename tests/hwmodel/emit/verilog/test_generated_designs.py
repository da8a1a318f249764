"""Generated designs with every kind of decision on Icarus: cycles, what is loaded before, and all outputs."""

from __future__ import annotations

import sys

import generated_designs
import pytest
from generated_designs import COMPLEX, DECISIONS, EVERY, NARROW, Tally, main, try_many
from generated_designs import FEATURES as OF_EVERY
from many_cases import full_count, new_seed
from verilog_programs import needs_icarus

from hwmodel.emit.verilog.icarus import FrameSeen
from hwmodel.simulator.schedule.plan import fault

CASES, SEED = 30, 4  # generated_designs.py tries more; of the seeds tried, one with all features
FEATURES = {"FIFO", "cut", "delay", "load once", "load rom", "several units", "partial block", "single buffer"}
FEATURES |= {"blocks of blocks", "recompute", "several groups", "shared keep", "separate port", "interval chosen"}
FEATURES |= {"layout"}


@needs_icarus
def test_hardware_takes_the_cycles_of_the_model_and_computes_the_same() -> None:
    tally = try_many(DECISIONS, full_count(CASES), SEED + new_seed())
    assert tally.wrong == []
    assert not any(reason.startswith("unproven-schedule") for reason in tally.refused)
    assert {feature for feature, count in tally.features.items() if count} >= FEATURES, tally.features


@needs_icarus
def test_hardware_of_complex_numbers_does_too() -> None:
    cases = full_count(10)
    tally = try_many(COMPLEX, cases, 1 + new_seed())
    assert tally.wrong == []
    assert tally.right >= cases // 2, tally.refused
    assert {"delay", "several groups", "several units", "load rom"} <= tally.features.keys(), tally.features


@needs_icarus
def test_elements_of_several_words_are_whole() -> None:
    tally = try_many(NARROW, full_count(5), 1 + new_seed())
    assert tally.wrong == []
    assert tally.features["elements of several words"], tally.features


@needs_icarus
def test_designs_of_any_kind_are_right() -> None:
    """`.ci/nightly` tries 500, and counts their FEATURES."""
    tally = try_many(EVERY, full_count(15), 2 + new_seed())
    assert tally.wrong == []
    assert len([feature for feature in tally.features if feature.startswith("kind ")]) > 4, tally.features


# What the program must say.


def run(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["generated_designs.py", *words])
    return main()


def test_other_bits_and_other_cycles_are_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generated_designs, "frames_of", lambda _design: (FrameSeen(0, 1, 0),))
    assert run(monkeypatch, "2", "1", "--delays") == 1


def test_what_the_simulated_machine_stops_at_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_case: object, **_options: object) -> None:
        raise fault("deadlock", "it waits")

    monkeypatch.setattr(generated_designs, "scheduled", stopped)
    assert run(monkeypatch, "2", "1", "--tables") == 1


def test_a_kind_that_is_not_drawn_is_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def tried(*_arguments: object, **_options: object) -> Tally:
        tally = Tally(right=1)
        tally.features.update(OF_EVERY - {"kind modules", "counts"})
        return tally

    monkeypatch.setattr(generated_designs, "try_many", tried)
    assert run(monkeypatch, "1") == 1
    said = capsys.readouterr().out
    assert "     0   with kind modules\n" in said
    assert "     0   with counts\n" in said
    assert run(monkeypatch, "1", "--frames") == 0
