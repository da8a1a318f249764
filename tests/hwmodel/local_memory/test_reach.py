"""How many banks a lane touches: by hand, and against a walk through all its cycles."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hwmodel.local_memory.bank_functions import Linear, Residues
from hwmodel.local_memory.offsets import Access, Edge
from hwmodel.local_memory.reach import banks_reached, moves_of, moves_of_words


def test_by_hand() -> None:
    assert banks_reached(Residues((1, 4)), [(0, 4), (1, 0)]) == 1  # always the same bank
    assert banks_reached(Residues((1, 4)), [(0, 2)]) == 2
    assert banks_reached(Residues((3, 4)), [(1, 0), (0, 2)]) == 6
    assert banks_reached(Residues((1, 6)), [(0, 2)]) == 3  # the lowest bit never changes
    assert banks_reached(Residues((1, 9)), [(0, 3)]) == 9  # three of nine, but no bit says so
    assert banks_reached(Linear((3, 1), 8), [(1, 1)]) == 2  # 4 further each time
    assert banks_reached(Linear((3, 1), 8), [(1, 0)]) == 8


def test_moves_of_a_task() -> None:
    """Chunks of two places, and an axis that wraps after 10."""
    edges = (None, Edge(10, (0, 9, 1)))
    access = Access(((0, 0), (0, 1), (0, 4), (0, 5)), (0, 8), cycles=2, edges=edges, moves=((1, 0), (0, 8)))
    sets = (((0, 0), (0, 1)), ((0, 4), (0, 5)))
    assert moves_of(access, sets) == ((1, 0), (0, 8), (0, 4), (0, 10))
    assert banks_reached(Residues((1, 4)), moves_of(access, sets)) == 2  # two columns back where it wraps


@given(st.lists(st.integers(1, 7), min_size=1, max_size=3), st.sampled_from([1, 2, 4, 8]), st.data())
def test_words_of_the_port(shape: list[int], width: int, data: st.DataObject) -> None:
    """A lane of the port has the data of an array whose numbers row-major are so far apart."""
    moduli = tuple(data.draw(st.sampled_from([1, 2, 4])) for _ in shape)
    function = Residues(moduli)
    lane = data.draw(st.integers(0, width - 1))
    numbers = np.arange(lane, math.prod(shape), width)
    places = np.stack(np.unravel_index(numbers, shape), axis=1)
    touched = len(np.unique(function.bank(places)))
    assert touched <= banks_reached(function, moves_of_words(width, tuple(shape)))


def test_words_that_rows_are_made_of() -> None:
    """Rows of 12 in words of 4: a lane always has the same column of a word. In words of 8 it is one of two."""
    assert banks_reached(Residues((1, 4)), moves_of_words(4, (9, 12))) == 1
    assert banks_reached(Residues((1, 8)), moves_of_words(8, (9, 12))) == 2
    assert moves_of_words(4, ()) == ()
