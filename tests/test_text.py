"""Numbers and names in sentences."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arrayol.text import counted, listed, memory_amount, rounded


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 designs"), (1, "1 design"), (999, "999 designs"), (1034, "1,034 designs")]
)
def test_a_number_with_its_noun(count: int, text: str) -> None:
    assert counted(count, "design") == text


def test_plurals_of_their_own() -> None:
    assert counted(1, "memory", "memories") == "1 memory"
    assert counted(2, "memory", "memories") == "2 memories"


def test_items_in_a_row() -> None:
    assert [listed("abc"[:count]) for count in range(4)] == ["", "a", "a and b", "a, b and c"]
    assert listed(["exact", "nsga2"], "or") == "exact or nsga2"


def test_large_numbers_have_three_digits() -> None:
    assert rounded(999_999_999) == "999,999,999"
    assert rounded(10**9) == "1.00 x 10^9"
    assert rounded(123_456 * 10**31) == "1.23 x 10^36"
    assert rounded(10**20 - 1) == "1.00 x 10^20"
    assert rounded(10**5000) == "1.00 x 10^5000"  # more digits than Python writes out


def test_amounts_of_memory() -> None:
    texts = [(0, "0 MiB"), (5 << 20, "5 MiB"), ((1 << 30) - 1, "1,023 MiB"), (1 << 30, "1.0 GiB"), (5 << 29, "2.5 GiB")]
    assert [memory_amount(count) for count, _ in texts] == [text for _, text in texts]
    assert memory_amount((1 << 20) + 1, up=True) == "2 MiB"
    assert memory_amount((5 << 29) + 1, up=True) == "2.6 GiB"


@given(st.integers(0, 1 << 40), st.integers(1, 1 << 40))
def test_more_memory_never_reads_as_the_same_amount(there: int, more: int) -> None:
    assert memory_amount(there + more, up=True) != memory_amount(there)
