"""Memories of two chunks: data of a word are two chunks apart, and numbers keep apart what moves together."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arrayol.errors import ArrayolError
from hwmodel.emit.schedule.memories import Memory, Section
from hwmodel.emit.streams.chunks import ChunkMemory

PLACES = st.lists(st.tuples(st.integers(0, 3), st.integers(-1, 5)), min_size=1, max_size=8)


@given(PLACES)
def test_words_are_used_in_turn(places: list[tuple[int, int]]) -> None:
    """By all pairs of elements; those of chunk -1 do not pass."""
    words, chunks = (np.array(own, np.int64) for own in zip(*places, strict=True))
    memory = ChunkMemory(Memory("x", "x", 8, (), 4, (Section(0, 4),)), words, chunks)
    there = [(word, chunk) for word, chunk in places if chunk >= 0]
    if any(one[0] == other[0] and abs(one[1] - other[1]) < 2 for one, other in combinations(there, 2)):
        with pytest.raises(ArrayolError, match=r"unproven-schedule.*chunk \d overwrites word \d of 'x'"):
            memory.require_turns()
    else:
        memory.require_turns()
