"""Boxes on subscripts, from every lifetime, against pairs of data one by one."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, permutations
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwmodel.local_memory.addresses import ElementBox
from hwmodel.local_memory.enumerated import element_box

Datum = tuple[int, int, int]  # element, first and last step


@st.composite
def instances(draw: st.DrawFn) -> tuple[tuple[int, ...], list[Datum]]:
    """A small array, and data of it with any lifetimes; an element may come several times, once a step.

    Some steps and subscripts have more than 16 bits.
    """
    shape = draw(st.sampled_from([(), (7,), (3, 4), (2, 3, 2)]))
    drawn = draw(
        st.lists(
            st.tuples(st.integers(0, prod(shape) - 1), st.integers(0, 9), st.integers(0, 5)),
            min_size=1,
            max_size=14,
            unique_by=lambda datum: datum[:2],
        )
    )
    apart, slow = draw(st.sampled_from([1, 70_001])), draw(st.sampled_from([1, 70_001]))
    if len(shape) == 1:
        shape, drawn = (shape[0] * apart,), [(element * apart, born, life) for element, born, life in drawn]
    return shape, [(element, born * slow, (born + life) * slow) for element, born, life in drawn]


def coordinates(box: ElementBox, datum: Datum) -> tuple[int, ...]:
    """Subscripts, and the number of the fetch."""
    subscripts = np.unravel_index(datum[0], box.shape) if box.shape else ()
    return (*(int(index) for index in subscripts), (datum[1] - box.start) // box.every)


@given(instances())
def test_data_that_meet_have_their_own_words(case: tuple[tuple[int, ...], list[Datum]]) -> None:
    shape, data = case
    element, born, last = (np.array(column, np.int64) for column in zip(*data, strict=True))
    box = element_box(shape, element, born, last)
    words = box.word(element, born)
    assert 0 <= words.min() <= words.max() < box.size
    for one, other in combinations(range(len(data)), 2):
        if born[one] <= last[other] and born[other] <= last[one]:
            assert words[one] != words[other]


@given(instances(), st.integers(1, 3))
def test_it_has_the_least_moduli_of_the_first_order_that_takes_fewest(
    case: tuple[tuple[int, ...], list[Datum]], banks: int
) -> None:
    """Also where data are shared out in banks by element, of which those of one bank alone meet."""
    shape, data = case
    element, born, last = (np.array(column, np.int64) for column in zip(*data, strict=True))
    box = element_box(shape, element, born, last, element % banks)
    meet = [
        (coordinates(box, one), coordinates(box, other))
        for one, other in combinations(data, 2)
        if one[1] <= other[2] and other[1] <= one[2] and one[0] % banks == other[0] % banks
    ]

    def moduli(order: tuple[int, ...]) -> tuple[int, ...]:
        distances = [
            [
                abs(one[number] - other[number])
                for one, other in meet
                if all(one[at] == other[at] for at in order[:place])
            ]
            for place, number in enumerate(order)
        ]
        return tuple(1 + max(own, default=0) for own in distances)

    axes, step = list(permutations(range(len(shape)))), len(shape)
    orders = [order for some in axes for order in ((step, *some), (*some, step))]
    assert box.order == min(orders, key=lambda order: prod(moduli(order)))
    assert box.moduli == moduli(box.order)


def test_blocks_of_a_row_take_two_of_them() -> None:
    element = np.arange(24)
    box = element_box((24,), element, element // 4, element // 4 + 1)
    assert (box.size, box.moduli) == (8, (2, 4))  # one block in each of two steps


def test_a_fetch_for_each_step_tells_instances_apart() -> None:
    element, born = np.tile(np.arange(5), 3), np.repeat(np.arange(3), 5)
    box = element_box((5,), element, born, born + 1)
    assert box.size == 10


def test_strips_that_come_whole_are_counted_as_strips() -> None:
    element = np.concatenate([np.arange(6) + 4 * strip for strip in range(3)])  # strips that share two elements
    born = np.repeat([2, 9, 16], 6)
    box = element_box((14,), element, born, born + 7)
    assert (box.size, box.every) == (12, 7)


@pytest.mark.parametrize("shape", [(), (7,), (3, 4)])
def test_no_data_take_one_word(shape: tuple[int, ...]) -> None:
    none = np.zeros(0, np.int64)
    box = element_box(shape, none, none, none)
    assert (box.size, sorted(box.order)) == (1, list(range(len(shape) + 1)))


def test_an_element_twice_in_one_step_is_refused() -> None:
    twice = np.zeros(2, np.int64)
    with pytest.raises(ValueError, match="brought twice in one step"):
        element_box((3,), twice, twice, twice)


def test_a_modulus_less_puts_two_in_one_word() -> None:
    element = np.arange(24)
    box = element_box((24,), element, element // 4, element // 4 + 1)
    words = replace(box, moduli=(2, 3)).word(element, element // 4)
    assert len(set(words[:8].tolist())) < 8
