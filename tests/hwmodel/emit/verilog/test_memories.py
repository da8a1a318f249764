"""The content of ROMs, read back from their text."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwmodel.emit.verilog.memories import content_text

WIDTHS = st.sampled_from([1, 3, 8, 13, 32, 64])


def value_of(text: str) -> int:
    """What a number is, or several in braces, the last one lowest."""
    value = 0
    for bits, digits in re.findall(r"(\d+)'h([0-9a-f]+)", text):
        assert int(digits, 16) < 1 << int(bits)
        value = value << int(bits) | int(digits, 16)
    return value


@given(WIDTHS, st.integers(0, 3), st.data())
def test_words_are_read_back(width: int, thousands: int, data: st.DataObject) -> None:
    few = data.draw(st.lists(st.integers(0, (1 << width) - 1), min_size=1, max_size=20))
    words = (few * (1 + thousands * 1000 // len(few)))[: max(len(few), thousands * 1000)]
    text = content_text(words, width)
    assert value_of(text) == sum(word << number * width for number, word in enumerate(words))
    assert sum(map(int, re.findall(r"(\d+)'h", text))) == len(words) * width


@pytest.mark.parametrize("width", [1, 8, 64])
def test_no_number_is_longer_than_tools_read(width: int) -> None:
    text = content_text([1] * 40_000, width)
    assert max(map(len, re.split(r"[\s,{}]+", text))) < 16_384
