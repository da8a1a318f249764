"""Generated designs with delays on Icarus: every one that is emitted is right, and every feature is there."""

from __future__ import annotations

from generated_designs import DELAY_FEATURES, DELAYS, try_many
from many_cases import full_count, new_seed
from verilog_programs import needs_icarus

CASES, SEED = 20, 1  # generated_designs.py tries more


@needs_icarus
def test_designs_with_delays_take_the_cycles_of_the_model_and_compute_the_same() -> None:
    tally = try_many(DELAYS, full_count(CASES), SEED + new_seed())
    assert tally.wrong == []
    assert not any(reason.startswith("unproven-schedule") for reason in tally.refused)
    assert {feature for feature, count in tally.features.items() if count} >= DELAY_FEATURES, tally.features
