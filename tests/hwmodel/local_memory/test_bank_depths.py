"""Words in banks: no two live data at one word of a bank, and banks no deeper than enumeration says."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwmodel.local_memory.addresses import BankAddresses
from hwmodel.local_memory.bank_functions import BankFunction, Linear, Residues, one_bank
from hwmodel.local_memory.contents import bank_addresses, depth_of, enumerated_box, size_of
from hwmodel.local_memory.forms import box
from hwmodel.local_memory.lines import BufferLines, Line, LoopPlaces, Piece, Subscripts, line_of
from tests.strategies_buffers import pieces, whole, windows


def residues(rank: int) -> st.SearchStrategy[BankFunction]:
    return st.tuples(*[st.integers(1, 4)] * rank).map(Residues)


@st.composite
def linear_functions(draw: st.DrawFn, rank: int) -> BankFunction:
    banks = draw(st.integers(1, 7))
    units = [alpha for alpha in range(1, banks + 1) if math.gcd(alpha, banks) == 1]
    return Linear(
        (*draw(st.tuples(*[st.integers(0, banks - 1)] * (rank - 1))), draw(st.sampled_from(units)) % banks), banks
    )


def layouts(rank: int) -> st.SearchStrategy[BankFunction]:
    """Functions that a bank layout may have."""
    vectors = st.tuples(*[st.integers(0, 6)] * rank)
    return st.builds(Linear, vectors, st.integers(1, 7), st.integers(1, 4))


@st.composite
def cases(draw: st.DrawFn) -> tuple[Piece, BankFunction]:
    piece, rank = draw(pieces())
    return piece, draw(st.one_of(residues(rank), linear_functions(rank), layouts(rank)))


@given(layouts(2), st.integers(0, 40), st.integers(0, 40))
def test_what_shares_an_address_lies_in_different_banks(function: BankFunction, row: int, column: int) -> None:
    assert isinstance(function, Linear)
    shared = function.shared
    places = np.tile(np.array([row, column], np.int64), (60, 1))
    places[:, shared.axis] = np.arange(60)
    banks, groups = function.bank(places), shared.group(places[:, shared.axis])
    assert groups.max() + 1 == shared.groups(60)
    pairs = set(zip(groups.tolist(), banks.tolist(), strict=True))
    assert len(pairs) == 60
    assert np.bincount(groups).max() == min(shared.number, -(-60 // shared.stride))


def data_of(piece: Piece, rank: int) -> tuple[np.ndarray, ...]:
    """Outer index, inner index, offset, places, first and last step of every datum."""
    lines = piece.lines
    indices = [
        each.ravel() for each in np.indices((lines.outer.indices, lines.inner.indices, lines.free)).astype(np.int64)
    ]
    places = np.zeros((len(indices[0]), rank), np.int64)
    for loops, own in zip((piece.outer, piece.inner, piece.free), indices, strict=True):
        side = Subscripts.of(loops)
        places[:, side.axes] = side.places[own]
    return (*indices, places, lines.born[indices[0], indices[1]], lines.dead[indices[0], indices[1]])


def overwrites(addresses: BankAddresses, piece: Piece, function: BankFunction, rank: int) -> bool:
    outer, inner, offset, places, born, dead = data_of(piece, rank)
    bank, word = function.bank(places), addresses.address(outer, inner, offset)
    assert 0 <= word.min(initial=0) <= word.max(initial=-1) < addresses.size or not len(word)
    return meet(bank * max(1, addresses.size) + word, born, dead)


def meet(slot: np.ndarray, born: np.ndarray, dead: np.ndarray) -> bool:
    order = np.lexsort((born, slot))
    slot, born, dead = slot[order], born[order], dead[order]
    return bool(((slot[1:] == slot[:-1]) & (born[1:] <= dead[:-1])).any())


def rank_of(piece: Piece) -> int:
    return sum(loop.axis is not None for loop in (*piece.outer, *piece.inner, *piece.free))


@given(cases())
def test_no_bank_overwrites_what_is_live(case: tuple[Piece, BankFunction]) -> None:
    piece, function = case
    addresses = bank_addresses(piece, function)
    assert addresses.size == depth_of([piece], function)
    assert not overwrites(addresses, piece, function, rank_of(piece))


@given(pieces())
def test_one_bank_is_the_whole_buffer(case: tuple[Piece, int]) -> None:
    piece, rank = case
    assert depth_of([piece], one_bank(rank)) == size_of(piece.lines)
    assert depth_of([piece, piece], one_bank(rank)) == 2 * size_of(piece.lines)


@given(pieces(), st.data())
def test_banks_are_no_deeper_than_boxes_of_what_is_in_them(case: tuple[Piece, int], data: st.DataObject) -> None:
    """The data of a bank, found one by one, are a buffer of two lines: a box on these is one of the choices."""
    piece, rank = case
    function = data.draw(residues(rank))
    outer, inner, offset, places, _, _ = data_of(piece, rank)
    banks, deepest, neighbours = function.bank(places), 0, 0
    for bank in np.unique(banks).tolist():
        rows, columns, free = (np.unique(each[banks == bank]) for each in (outer, inner, offset))
        chosen = (
            np.isin(np.arange(line.indices), own)
            for line, own in ((piece.lines.outer, rows), (piece.lines.inner, columns))
        )
        lines = BufferLines(piece.lines.outer.only(next(chosen)), piece.lines.inner.only(next(chosen)), piece.lines.lag)
        deepest, neighbours = max(deepest, box(lines).size), max(neighbours, len(free))
    assert depth_of([piece], function) <= deepest * neighbours


@given(pieces(), st.data())
def test_a_linear_function_is_as_deep_as_a_buffer_of_groups(case: tuple[Piece, int], data: st.DataObject) -> None:
    """Groups found index by index: what is in one lies in different banks, and lives as long as any of it."""
    piece, rank = case
    function = data.draw(linear_functions(rank))
    assert (function.shared.axis, function.shared.number, function.shared.stride) == (rank - 1, function.banks, 1)
    groups = [
        [(_grouped(loop, function) if loop.axis == rank - 1 else loop) for loop in loops]
        for loops in (piece.outer, piece.inner, piece.free)
    ]
    outer, inner, free = (line_of(loops) for loops in groups)
    assert depth_of([piece], function) == size_of(BufferLines(outer, inner, piece.lag, free.indices))


def _grouped(loop: LoopPlaces, function: Linear) -> LoopPlaces:
    indices = list(zip(loop.subscript.tolist(), loop.first.tolist(), loop.last.tolist(), strict=True))
    again = len(set(loop.subscript.tolist())) < len(indices)
    groups: dict[tuple[int, int], list[tuple[int, int, int]]] = {}
    for subscript, first, last in indices:
        source = [other for other, at, _ in indices if at == first or not again]
        groups.setdefault((first * again, (subscript - min(source)) // function.banks), []).append(
            (subscript, first, last)
        )
    for members in groups.values():
        residues = [subscript % function.banks for subscript, _, _ in members]
        assert len(set(residues)) == len(residues)
    ends = [(min(f for _, f, _ in own), max(z for _, _, z in own)) for _, own in sorted(groups.items())]
    first, last = np.array(ends, np.int64).reshape(-1, 2).T
    return LoopPlaces(loop.places, loop.axis, np.arange(len(ends)), first, last)


@pytest.mark.parametrize(
    ("function", "depth"),
    [(Linear((1, 3), 16), 480), (Linear((6, 1), 18), 428), (Residues((3, 66)), 60), (Residues((1, 4)), 1920)],
)
def test_banks_of_rows_of_an_image(function: BankFunction, depth: int) -> None:
    lines = BufferLines(whole(4, 1), whole(1920, 1), 0)
    assert depth_of([_image(lines)], function) == depth


def test_banks_of_blocks_are_two_blocks_deep() -> None:
    piece = _image(BufferLines(windows(24, 4), windows(40, 8), 1))
    assert depth_of([piece], Residues((2, 2))) == 2 * 2 * 4
    assert depth_of([piece], Residues((4, 8))) == 2


def test_banks_with_one_choice_of_form_are_as_deep_as_the_largest() -> None:
    """Three rows over two banks: one has two of them."""
    piece = _image(BufferLines(whole(3, 1), whole(5, 1), 0))
    assert depth_of([piece], Residues((2, 1))) == 10


def _image(lines: BufferLines) -> Piece:
    """Rows on the outer line, columns on the inner."""
    return Piece((_along(0, lines.outer),), (_along(1, lines.inner),), (), lines.lag)


def _along(axis: int, line: Line) -> LoopPlaces:
    return LoopPlaces(line.places, axis, np.arange(line.indices), line.first, line.last)


def test_a_word_less_in_each_bank_is_caught() -> None:
    lines = BufferLines(windows(12, 3, 1, 1), windows(16, 4), 1)
    piece, function = _image(lines), Residues((1, 2))
    addresses = bank_addresses(piece, function)
    outer, inner, offset, places, born, dead = data_of(piece, 2)
    word = addresses.address(outer, inner, offset) % (addresses.size - 1)
    assert meet(function.bank(places) * addresses.size + word, born, dead)


@pytest.mark.parametrize(
    ("function", "columns"), [(Linear((1, 1), 4), 4), (Linear((2, 3), 8), 2), (Linear((1, 1), 7), 4)]
)
def test_banks_of_a_walk_by_columns(function: Linear, columns: int) -> None:
    """Of 24 columns in blocks of 8 two blocks live, of 3 rows each: in banks as many groups of columns times 9 rows."""
    piece = Piece((_along(1, windows(24, 8)),), (_along(0, windows(9, 3)),), (), 1)
    addresses = bank_addresses(piece, function)
    assert addresses.size <= columns * 9
    assert not overwrites(addresses, piece, function, 2)


@pytest.mark.parametrize(("block", "groups"), [(6, 3), (14, 4)])
def test_blocks_that_are_fetched_again_begin_with_a_group(block: int, groups: int) -> None:
    """A block of 6 columns with one more on either side is 3 groups of 3, wherever it starts; two blocks live."""
    places = 60 // block
    read = [(column, place) for place in range(places) for column in range(place * block, (place + 1) * block + 2)]
    subscript, place = np.array(sorted(read), np.int64).T
    piece = Piece((_along(0, whole(1, 1)),), (LoopPlaces(places, 1, subscript, place, place),), (), 1)
    function = Linear((1, 1), 3 if block == 6 else 4)
    assert depth_of([piece], function) == 2 * groups
    assert not overwrites(bank_addresses(piece, function), piece, function, 2)


def test_no_data_take_no_word_in_any_bank() -> None:
    none = Line(3, np.zeros(0, np.int64), np.zeros(0, np.int64))
    piece = _image(BufferLines(none, windows(4, 2), 1))
    assert depth_of([piece], Residues((2, 2))) == depth_of([piece], Linear((1, 1), 3)) == 0


# Data that are no product.


@st.composite
def listed(draw: st.DrawFn) -> tuple[tuple[int, ...], np.ndarray, BankFunction]:
    shape = draw(st.sampled_from([(9,), (4, 5), (2, 3, 4)]))
    datum = st.tuples(st.integers(0, math.prod(shape) - 1), st.integers(0, 9), st.integers(0, 5))
    data = draw(st.lists(datum, min_size=1, max_size=16, unique_by=lambda one: one[:2]))
    function = draw(st.one_of(residues(len(shape)), linear_functions(len(shape)), layouts(len(shape))))
    return shape, np.array(data, np.int64).T, function


@given(listed())
def test_listed_data_have_their_own_words_in_their_banks(
    case: tuple[tuple[int, ...], np.ndarray, BankFunction],
) -> None:
    shape, (element, born, life), function = case
    found = enumerated_box(shape, element, born, born + life, function)
    places = np.stack(np.unravel_index(element, shape), axis=1)
    word = found.word(function.address(places, shape), born)
    assert 0 <= word.min() <= word.max() < found.size
    assert not meet(function.bank(places) * found.size + word, born, born + life)


def test_listed_data_of_whole_rows_are_shared_out_evenly() -> None:
    element = np.arange(4 * 12)
    born = np.zeros(48, np.int64)
    assert enumerated_box((4, 12), element, born, born, Residues((2, 3))).size == 2 * 4
    assert enumerated_box((4, 12), element, born, born, Linear((1, 3), 4)).size == 4 * 3
