"""How many banks a lane touches: by hand, and against a walk through all its cycles."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from arrayol.ir.borders import Border
from hwmodel.local_memory.bank_functions import Linear, Residues
from hwmodel.local_memory.offsets import Access, Edge
from hwmodel.local_memory.port_plan import banks_reached, lanes_of, moves_of_words, step_along


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
    edges = (None, Edge(10, (0, 8, 1)))
    access = Access(((0, 0), (0, 1), (0, 4), (0, 5)), (0, 8), cycles=2, edges=edges, moves=((1, 0), (0, 8)))
    sets = (((0, 0), (0, 1)), ((0, 4), (0, 5)))
    along = ((1, 0), (0, 8), (0, 4))
    assert lanes_of(access, sets) == ((2, (*along, (0, 10))),)
    assert banks_reached(Residues((1, 4)), (*along, (0, 10))) == 2  # two columns back where it wraps
    near = replace(access, edges=(None, Edge(10, (0, 5, 1))))
    assert lanes_of(near, sets) == ((1, along), (1, (*along, (0, 10))))  # only place 5 of 0 to 5 gets past 9


def test_an_axis_along_which_nothing_moves() -> None:
    """What is beyond its ends is always the same; where something moves a mirror leads to every other place."""
    edges = (Edge(10, (-1, 9, 1), Border("mirror")), Edge(10, (-1, 9, 1), Border("nearest")))
    sets = (((0, 0),),)
    down = Access(((0, 0),), (0, 0), edges=edges, moves=((4, 0),))
    assert lanes_of(down, sets) == ((1, ((4, 0), (2, 0))),)
    across = replace(down, moves=((0, 4),))
    assert lanes_of(across, sets) == ((1, ((0, 4), (0, 1))),)
    inside = replace(across, edges=(None, Edge(10, (0, 9, 1), Border("nearest"))))
    assert lanes_of(inside, sets) == ((1, ((0, 4),)),)


@given(st.integers(2, 12), st.integers(1, 6), st.integers(1, 3), st.integers(-3, 2), st.sampled_from([2, 3, 4, 5]))
def test_lanes_at_a_border(extent: int, pattern: int, paving: int, origin: int, banks: int) -> None:
    """No lane touches more banks than it is said to reach, wherever the pattern is."""
    count = 1 + max(0, extent - 1) // paving
    edge = Edge(extent, (origin, origin + paving * (count - 1), paving), Border("nearest"))
    places = tuple((own,) for own in range(pattern))
    access = Access(places, (paving,), edges=(edge,), moves=((paving,),) if count > 1 else ())
    function, reached = Residues((banks,)), Counter[int]()
    for lanes, moves in lanes_of(access, (places,)):
        reached[banks_reached(function, moves)] += lanes
    touched = []
    for (own,) in places:
        at = np.clip(origin + own + paving * np.arange(count), 0, extent - 1)
        touched.append(len(np.unique(function.bank(at[:, None]))))
    assert all(a <= b for a, b in zip(sorted(touched), sorted(reached.elements()), strict=True))


def test_steps_in_row_major_order() -> None:
    """Chunks of a row each of a pattern of 3 x 3 in rows of 6; two columns further each time."""
    sets = tuple(tuple((row, column) for column in range(3)) for row in range(3))
    access = Access(tuple(place for own in sets for place in own), (0, 0), cycles=3, moves=((0, 2),))
    assert step_along([(access, sets)], (4, 6)) == 2
    assert step_along([(access, sets)], (4, 5)) == 1
    assert step_along([(replace(access, moves=()), sets)], (4, 6)) == 6
    assert step_along([(replace(access, random=1), sets)], (4, 6)) == 1
    assert step_along([], (4, 6)) == 0


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
