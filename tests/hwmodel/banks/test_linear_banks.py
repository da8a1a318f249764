"""Addresses in linear banks: no two elements at one place, and no more words than a bank can need."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwmodel.banks.linear import LinearMapping
from hwmodel.banks.linear_banks import linear_banks, words_of


@given(
    st.lists(st.integers(1, 9), min_size=1, max_size=3),
    st.integers(1, 9),
    st.integers(1, 8),
    st.lists(st.integers(0, 80), min_size=3, max_size=3),
)
def test_no_two_elements_are_at_one_place(shape: list[int], banks: int, block: int, vector: list[int]) -> None:
    layout = linear_banks(shape, banks, vector[: len(shape)], block)
    elements = np.stack([axis.ravel() for axis in np.indices(shape)], axis=1)
    found, addresses = layout.bank(elements), layout.address(elements)
    assert len(set(zip(found.tolist(), addresses.tolist(), strict=True))) == len(elements)
    assert addresses.min() >= 0
    assert addresses.max() < layout.depth
    assert max(np.bincount(found, minlength=banks)) <= layout.depth
    assert layout.depth <= len(elements)


@pytest.mark.parametrize(
    ("shape", "banks", "vector", "block", "words"),
    [
        ((16,), 4, (1,), 1, 4),
        ((16,), 5, (2,), 1, 4),
        ((128,), 11, (51,), 5, 15),
        ((4, 1920), 18, (6, 1), 1, 428),
        ((1920, 4), 18, (1, 6), 1, 428),
        ((8, 8), 4, (1, 0), 1, 16),
        ((12,), 2, (1,), 3, 6),
        ((7, 5), 1, (0, 0), 1, 35),
    ],
)
def test_words_of_a_bank(shape: tuple[int, ...], banks: int, vector: tuple[int, ...], block: int, words: int) -> None:
    assert linear_banks(shape, banks, vector, block).depth == words
    assert words_of(shape, LinearMapping(banks, vector, block, 1, exact=True, gave_up=None)) == words


def test_endless_arrays_have_no_number_of_words() -> None:
    assert words_of((None, 4), LinearMapping(2, (0, 1), 1, 1, exact=True, gave_up=None)) is None
    assert words_of((4,), LinearMapping(None, (), 1, 1, exact=True, gave_up="")) is None
