"""The slots in which the memory of a histogram adds or is read: ranges, of which no comparison always holds."""

from __future__ import annotations

import re

import pytest

from hwmodel.emit.verilog.datapaths.bins import in_range

SLOTS = range(8)


def holds(text: str, slot: int) -> bool:
    """Whether an expression of Verilog holds for a slot."""
    python = re.sub(r"\d+'h([0-9a-f]+)", r"0x\1", text).replace("&&", "and").replace("1'b1", "True")
    return bool(eval(python, {"slot": slot}))


@pytest.mark.parametrize(("low", "high"), [(low, high) for low in SLOTS for high in SLOTS if low <= high])
def test_ranges(low: int, high: int) -> None:
    text = in_range(low, high, 3)
    assert [holds(text, slot) for slot in SLOTS] == [low <= slot <= high for slot in SLOTS]
    for comparison in re.findall(r"slot [<>=]= \d+'h\w", text):
        assert {holds(comparison, slot) for slot in SLOTS} == {False, True}
