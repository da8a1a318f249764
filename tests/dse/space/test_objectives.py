"""Objectives by name, and exact refusals."""

from __future__ import annotations

import pytest

from dse.space.objectives import MACHINE, WrongObjectiveError, chosen
from hwmodel.datapath.entry import FIGURES

KNOWN = (
    "latency_cycles, internal_memory_elements, internal_memory_bits, units, latency_microseconds, "
    "setup_cycles, setup_bytes, rom_bits, local_bits"
)


def test_they_keep_their_order() -> None:
    assert [one.name for one in chosen(["units", "latency_cycles"])] == ["units", "latency_cycles"]


@pytest.mark.parametrize(
    ("names", "message", "hint"),
    [
        (["latency"], "there is no objective 'latency'", "did you mean 'latency_cycles'?"),
        (["latncy_cycles"], "there is no objective 'latncy_cycles'", "did you mean 'latency_cycles'?"),
        (["lut"], "there is no objective 'lut'", f"the published model gives {KNOWN}"),
        (["traffic_bytes"], "'traffic_bytes' needs the machine model", f"the published model gives {KNOWN}"),
        (["units", "units"], "objective 'units' is given twice", "name each objective once"),
        (["units", ""], "an objective's name is empty", "write them as A,B without a comma too many"),
        ([], "at least one objective is needed", f"choose of {KNOWN}"),
    ],
)
def test_what_cannot_be_asked_for(names: list[str], message: str, hint: str) -> None:
    with pytest.raises(WrongObjectiveError) as caught:
        chosen(names)
    (found,) = caught.value.diagnostics
    assert (found.message, found.hint, caught.value.exit_code) == (message, hint, 2)


def test_the_platform_knows_all_names_that_a_cost_may_not_have() -> None:
    breakdown = {
        "cycles",
        "memory_bits",
        "memory_data",
        "live_bits",
        "addressed_bits",
        "energy_pj",
    }  # how results call where figures go
    assert set(MACHINE) | {"energy_nj", "power_mw"} | breakdown == FIGURES
