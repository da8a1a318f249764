"""Whole buffers, in one part or several: addresses of every datum, and frames that follow each other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given

from hwmodel.local_memory.addresses import Addresses
from hwmodel.local_memory.contents import addresses_of, size_of
from hwmodel.local_memory.forms import box, least_form, linear, ring
from hwmodel.local_memory.lines import BODY, HELD, KEPT, BufferLines, Line
from tests.strategies_buffers import buffers, whole, windows


def words(addresses: Addresses, lines: BufferLines) -> np.ndarray:
    """The address of every datum, (outer, inner, free)."""
    rows, columns = np.arange(lines.outer.indices), np.arange(lines.inner.indices)
    return addresses.address(rows[:, None, None], columns[None, :, None], np.arange(lines.free)[None, None, :])


def overwrites(addresses: Addresses, lines: BufferLines) -> bool:
    taken = words(addresses, lines)
    born, dead = (np.broadcast_to(each[:, :, None], taken.shape).ravel() for each in (lines.born, lines.dead))
    order = np.lexsort((born, taken.ravel()))
    word, born, dead = taken.ravel()[order], born[order], dead[order]
    return bool(((word[1:] == word[:-1]) & (born[1:] <= dead[:-1])).any())


@given(buffers())
def test_every_datum_has_a_word_until_it_dies(lines: BufferLines) -> None:
    addresses = addresses_of(lines)
    taken = words(addresses, lines)
    assert 0 <= taken.min() <= taken.max() < addresses.size == size_of(lines)
    assert not overwrites(addresses, lines)


@given(buffers())
def test_the_smaller_of_one_part_and_all_apart_is_taken(lines: BufferLines) -> None:
    apart = sum(least_form(own).size for _, own in lines.by_class())
    one = least_form(lines).size
    assert size_of(lines) == min(one, apart) * lines.free
    assert (addresses_of(lines).parts[0].classes is None) == (one <= apart)


@given(buffers())
def test_parts_share_out_the_data(lines: BufferLines) -> None:
    assert sum(own.pairs for _, own in lines.by_class()) == lines.pairs


@given(buffers())
def test_two_frames_stand_for_all_that_follow(lines: BufferLines) -> None:
    """What two frames need (more where a frame is shorter than the lag), five need; and no datum of them is lost."""
    again = lines.in_succession()
    times = max(5, again.outer.places // lines.outer.places + 1)
    more = BufferLines(lines.outer.repeated(times), lines.inner, lines.lag, lines.free)
    for make in (box, linear, ring):
        assert make(more).size == make(again).size
    assert size_of(lines.in_succession()) >= size_of(lines)


def test_a_part_on_top_of_another_is_caught() -> None:
    lines = BufferLines(windows(40, 8, 1, 1, wrap=True), windows(30, 10, 1, 1, wrap=True), 1)
    addresses = addresses_of(lines)
    assert len(addresses.parts) > 1
    assert not overwrites(addresses, lines)
    for number in range(1, len(addresses.parts)):
        moved = list(addresses.parts)
        moved[number] = replace(moved[number], base=moved[0].base)
        assert overwrites(replace(addresses, parts=tuple(moved)), lines)


def test_halo_rows_become_a_line_buffer_beside_a_double_buffer() -> None:
    lines = BufferLines(windows(64, 16, 1, 1), windows(200, 10), 1)
    classes = [part.classes for part in addresses_of(lines).parts]
    assert classes == [(BODY, BODY), (KEPT, BODY)]


def test_classes_by_life() -> None:
    line = Line(8, np.array([0, 0, 1, 0]), np.array([0, 1, 4, 4]))
    assert line.classes.tolist() == [BODY, KEPT, KEPT, HELD]


def test_what_every_block_reads_is_held_once_and_twice_over_frames() -> None:
    lines = BufferLines(whole(6, 4), whole(7, 5), 1)
    assert size_of(lines) == 42
    assert size_of(lines.in_succession()) == 84


def test_no_data_take_no_word() -> None:
    none = Line(3, np.zeros(0, np.int64), np.zeros(0, np.int64))
    empty = BufferLines(none, windows(4, 2), 1)
    assert (size_of(empty), size_of(empty.in_succession()), addresses_of(empty).parts) == (0, 0, ())
