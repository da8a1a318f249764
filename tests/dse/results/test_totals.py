"""Totals of whole designs: one amount, its parts, and its share of a device."""

from __future__ import annotations

import tomllib
from functools import cache

import pytest
from explored import FOLDED, SPECS
from hypothesis import given
from hypothesis import strategies as st

from arrayol import api
from dse.results.schema import DeviceRecord, Result
from dse.results.totals import Total, totals_of
from hwmodel.platform import Platform


@cache
def explored(technology: str) -> Result:
    """Two tasks of a small image, with control logic in the costs or without."""
    platform = Platform.model_validate(tomllib.loads(FOLDED) | {"technology": technology})
    spec = api.load(SPECS / "conv3x3.aol", {"H": 4, "W": 4})
    return api.explore(spec, platform, space=api.Space(study=api.Study(slack=0), narrow=True, verify=False)).result


@pytest.mark.parametrize(("technology", "has_control"), [("ecp5-6", False), ("ecp5-6-whole", True)])
def test_parts_sum_to_the_total_that_is_compared(technology: str, has_control: bool) -> None:
    result = explored(technology)
    for design in result.pareto:
        totals = {total.name: total for total in totals_of(design, None)}
        assert totals.keys() == {"lut", "ff", "dsp", "memory_blocks"}
        for name in ("lut", "ff", "dsp"):
            assert totals[name].amount == design.objectives[name] == sum(totals[name].parts.values())
            assert min(totals[name].parts.values(), default=0) >= 0
        assert ("control" in totals["lut"].parts) is has_control
        assert bool(design.control) is has_control
    again = Result.model_validate_json(result.to_json())
    assert again == result
    assert again.to_json() == result.to_json()
    assert ('"control"' in result.to_json()) is has_control


@given(st.integers(0, 10**9), st.integers(1, 10**9))
def test_shares_are_percent_of_the_device(amount: int, most: int) -> None:
    total = Total("lut", amount, {}, most)
    shown = total.short.partition(" ")[2]
    exact = 100 * amount / most
    if 0 < exact < 0.5:
        assert shown == "(<1%)"
    else:
        assert abs(int(shown.strip("(%)")) - exact) <= 0.5 + 1e-9
    assert total.short.startswith(f"{amount:,} ")


def test_a_device_without_a_figure_has_no_share_of_it() -> None:
    device = DeviceRecord(name="x", capacities={"lut": 50_000}, exceeding=0, designs=1)
    totals = {total.name: total for total in totals_of(explored("ecp5-6").pareto[0], device)}
    assert totals["lut"].share is not None
    assert totals["dsp"].share is None
