"""Generated designs with every kind of decision on Icarus: cycles, what is loaded before, and all outputs."""

from __future__ import annotations

from generated_designs import COMPLEX, DECISIONS, try_many
from many_cases import full_count, new_seed
from verilog_programs import needs_icarus

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
    """Four in five are emitted: some ports have fewer bits than a c128."""
    cases = full_count(10)
    tally = try_many(COMPLEX, cases, 1 + new_seed())
    assert tally.wrong == []
    assert tally.right >= cases // 2, tally.refused
    assert {"delay", "several groups", "several units", "load rom"} <= tally.features.keys(), tally.features
