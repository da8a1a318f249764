"""Generated specifications behind the memory port on Icarus: one stream, or streams between groups of blocks."""

from __future__ import annotations

from collections import Counter

from many_cases import case_count, on_many
from port_designs import require_port_frames
from strategies_placed import Placed, placed, placed_design
from verilog_programs import needs_icarus


def judge(own: Placed, tally: Counter[str]) -> None:
    """Emit a case and run it."""
    found = placed_design(own, tally, may_be_together=True)
    if found is not None:
        require_port_frames(found[1])


@needs_icarus
def test_generated_groups_behind_the_port() -> None:
    cases, tally = max(8, case_count(16)), Counter[str]()
    on_many(cases, 2, lambda own: judge(own, tally), placed())
    assert tally["streams"] + tally["both kinds"] >= 0.6 * cases, tally
    assert tally["at the same time"], tally


@needs_icarus
def test_generated_groups_of_complex_numbers() -> None:
    """At clocks that operators of floats reach; ports of 32 bits are refused."""
    cases, tally = max(6, case_count(12)), Counter[str]()
    on_many(cases, 1, lambda own: judge(own, tally), placed("c64", (2.0, 50.0)))
    assert tally["streams"] + tally["both kinds"] >= 0.3 * cases, tally
