"""Sizes and addresses of the three forms against memories that stop where a live datum is overwritten."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwmodel.local_memory.addresses import Box, Form, LinearForm, Ring
from hwmodel.local_memory.forms import alike, box, least_form, linear, linear_sizes, ring
from hwmodel.local_memory.lines import BufferLines, Line
from tests.strategies_buffers import buffers, downwards, whole, windows

FORMS = {"box": box, "linear": linear, "ring": ring}


def slots(form: Form, lines: BufferLines) -> np.ndarray:
    return form.slot(np.arange(lines.outer.indices)[:, None], np.arange(lines.inner.indices)[None, :])


def overwrites(form: Form, lines: BufferLines) -> bool:
    """Whether some slot is written while it holds a datum that is still live."""
    taken = slots(form, lines)
    assert 0 <= taken.min() <= taken.max() < form.size
    order = np.lexsort((lines.born.ravel(), taken.ravel()))
    slot, born, dead = (each.ravel()[order] for each in (taken, lines.born, lines.dead))
    return bool(((slot[1:] == slot[:-1]) & (born[1:] <= dead[:-1])).any())


def meeting(lines: BufferLines) -> tuple[np.ndarray, np.ndarray]:
    """All pairs of data (outer, inner) that live in a common step, the other way round too."""
    born, dead = lines.born.ravel(), lines.dead.ravel()
    first, second = np.nonzero((born[:, None] <= dead[None, :]) & (born[None, :] <= dead[:, None]))
    other = first != second
    wide = lines.inner.indices
    return np.stack(np.divmod(first[other], wide)), np.stack(np.divmod(second[other], wide))


def is_ordered(line: Line) -> bool:
    """Whether all indices come and go in one direction."""
    return any(
        bool((np.diff(each.first) >= 0).all() and (np.diff(each.last) >= 0).all()) for each in (line, line.reversed())
    )


def live(lines: BufferLines) -> int:
    """The largest number of pairs that live in one step."""
    steps = np.arange(int(lines.dead.max()) + 1)
    born, dead = np.sort(lines.born.ravel()), np.sort(lines.dead.ravel())
    return int((np.searchsorted(born, steps, side="right") - np.searchsorted(dead, steps, side="left")).max())


@given(buffers())
def test_no_form_overwrites_what_is_live(lines: BufferLines) -> None:
    for name, make in FORMS.items():
        form = make(lines)
        assert form.name == name
        assert not overwrites(form, lines)
        assert form.size >= live(lines)


@given(buffers())
def test_sizes_are_those_of_enumeration_where_lines_have_a_direction(lines: BufferLines) -> None:
    if not (is_ordered(lines.outer) and is_ordered(lines.inner)):
        return
    first, second = meeting(lines)
    rows = 1 + int(np.abs(first[0] - second[0]).max(initial=0))
    same = first[0] == second[0]
    columns = 1 + int(np.abs(first[1] - second[1])[same].max(initial=0))
    assert box(lines) == Box(rows, columns)
    wide = lines.inner.indices
    distances = [
        1 + int(np.abs((first[0] - second[0]) * wide + sign * (first[1] - second[1])).max(initial=0))
        for sign in (1, -1)
    ]
    assert linear(lines).size == min(distances)


@given(buffers(), st.integers(0, 4))
def test_rows_of_a_linear_form_may_be_longer(lines: BufferLines, more: int) -> None:
    row = lines.inner.indices + more
    for sign, size in zip((1, -1), linear_sizes(lines, row), strict=True):
        assert not overwrites(LinearForm(row, sign, size), lines)


def test_banks_with_a_column_less_take_the_strides_of_the_others() -> None:
    # 120 and 119 columns of a row of 1,918 in 16 banks, in blocks of 8 or 9 of them: without it rows begin elsewhere.
    banks = [BufferLines(windows(6, 1), windows(columns, 9), 1) for columns in (120, 119)]
    own = [linear(lines) for lines in banks]
    assert [form.row for form in own] == [120, 119]
    shared = alike(own, banks)
    assert shared == [replace(own[0], size=max(form.size for form in own))] * 2
    assert not any(overwrites(form, lines) for form, lines in zip(shared, banks, strict=True))


def test_banks_without_room_for_equal_strides_keep_their_own() -> None:
    boxes = [Box(2, 7), Box(5, 3)]
    assert alike(boxes, [BufferLines(windows(4, 1), windows(4, 1), 1)] * 2) == boxes


@given(buffers())
def test_ring_is_the_order_of_birth(lines: BufferLines) -> None:
    form = ring(lines)
    born = lines.born.ravel()
    serial = np.empty(lines.pairs, np.int64)
    serial[np.lexsort((np.arange(lines.pairs), born))] = np.arange(lines.pairs)
    rows, columns = np.arange(lines.outer.indices)[:, None], np.arange(lines.inner.indices)[None, :]
    assert np.array_equal(form.serial(rows, columns).ravel(), serial)
    until = np.searchsorted(np.sort(born), lines.dead.ravel(), side="right")
    assert form.size == int((until - serial).max())


@given(buffers())
def test_the_smallest_is_taken_and_ties_go_to_the_first(lines: BufferLines) -> None:
    sizes = [make(lines).size for make in FORMS.values()]
    chosen = least_form(lines)
    assert chosen.size == min(sizes)
    assert chosen.name == list(FORMS)[sizes.index(min(sizes))]


def smaller(form: Form) -> list[Form]:
    """The same with one modulus one less, each in turn."""
    match form:
        case Box():
            return [Box(form.outer - 1, form.inner), Box(form.outer, form.inner - 1)]
        case LinearForm() | Ring():
            return [replace(form, size=form.size - 1)]
    raise TypeError(form)


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize(
    "lines",
    [
        BufferLines(windows(12, 3, 1, 1), whole(10, 1), 1),
        BufferLines(windows(9, 1, 0, 2), windows(20, 1, 0, 2), 0),
        BufferLines(downwards(windows(12, 3, 1, 1)), windows(10, 5, 0, 1), 1),
    ],
)
def test_a_modulus_one_too_small_is_caught(name: str, lines: BufferLines) -> None:
    for form in smaller(FORMS[name](lines)):
        assert overwrites(form, lines)


# Sizes that are known.


@pytest.mark.parametrize(("kernel", "width"), [(3, 20), (5, 33), (3, 1920)])
def test_line_buffer_of_a_window(kernel: int, width: int) -> None:
    # One pixel a step, K x K windows: all but K - 1 rows and K pixels has gone.
    # Output (i, j) reads rows i .. i + K - 1, columns j .. j + K - 1.
    places = width - kernel + 1
    column = np.arange(width)
    inner = Line(places, np.maximum(column - kernel + 1, 0), np.minimum(column, places - 1))
    row = np.arange(kernel + 4)
    outer = Line(5, np.maximum(row - kernel + 1, 0), np.minimum(row, 4))
    assert linear(BufferLines(outer, inner, 0)).size == (kernel - 1) * width + kernel
    assert linear(BufferLines(outer, inner, 1)).size == (kernel - 1) * width + 2 * kernel


def test_plain_blocks_take_a_ring_of_two_blocks_and_a_box_of_four() -> None:
    lines = BufferLines(windows(24, 4), windows(30, 5), 1)
    assert (ring(lines).size, live(lines), box(lines).size) == (2 * 20, 2 * 20, 4 * 20)
    assert least_form(lines).name == "ring"


def test_what_dies_at_once_takes_one_block() -> None:
    assert ring(BufferLines(windows(24, 4), windows(30, 5), 0)).size == 20


def test_a_single_datum_takes_one_word() -> None:
    assert least_form(BufferLines(windows(1, 1), windows(1, 1), 3)) == Box(1, 1)
