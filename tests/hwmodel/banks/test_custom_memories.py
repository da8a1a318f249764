"""Virtual memories: the names of table 1, one place for every element (theorems 2 and 3), and the way back."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from addresses import element_at, holds, place_in
from hypothesis import given
from hypothesis import strategies as st
from paper_table import FOUR_REFERENCES, LOOPS, TABLE_1, Row, reference
from strategies_banks import reference_sets

from hwmodel.banks.custom import VirtualMemory, rename, replicas
from hwmodel.banks.formulas import gather_text, reference_text, scatter_text
from hwmodel.banks.partition import PARTITIONS, finer_partition, paper_partition
from hwmodel.banks.references import ArrayInfo, Reference, Subscript

MODES = st.sampled_from(sorted(PARTITIONS))


def array_of(found: tuple[Reference, ...], extent: int | None = 10**30) -> ArrayInfo:
    return ArrayInfo("A", (extent,) * len(found[0].subscripts), live_in=True, live_out=True)


def memories_of(found: tuple[Reference, ...], mode: str = "paper") -> tuple[VirtualMemory, ...]:
    return rename(PARTITIONS[mode](found), array_of(found), {"A"})


@pytest.mark.parametrize("row", TABLE_1, ids=lambda row: row.name)
def test_table_1_after_renaming(row: Row) -> None:
    renamed = {
        one.number: reference_text(memory.name, new, LOOPS)
        for memory in memories_of(row.references)
        for one, new in zip(memory.references, memory.renamed, strict=True)
    }
    assert tuple(renamed[number] for number in sorted(renamed)) == row.renamed


def test_the_four_references_of_the_text_take_the_stride_of_their_own_partition() -> None:
    found = {memory.references[0].number: memory for memory in memories_of(FOUR_REFERENCES)}
    assert [found[number].name for number in range(4)] == ["A_0", "A_3", "A_1", "A_5"]
    assert [found[number].strides for number in range(4)] == [(2,), (4,), (8,), (8,)]
    assert [found[number].renamed[0][0] for number in range(4)] == [Subscript((1,), 0)] * 4


def test_negative_strides_and_offsets_round_down() -> None:
    (memory,) = memories_of((reference(0, ((-4,), -3)), reference(1, ((8,), 9))))
    assert (memory.strides, memory.suffix, memory.name) == ((4,), (1,), "A_1")
    assert memory.renamed == ((Subscript((-1,), -1),), (Subscript((2,), 2),))


def test_equal_suffixes_of_the_finer_partition_get_names_apart() -> None:
    found = (reference(0, ((6,), 2)), reference(1, ((10,), 2)), reference(2, ((15,), 0)))
    first, second = memories_of(found, "finer")
    assert (first.suffix, second.suffix) == ((0,), (0,))
    assert (first.name, second.name) == ("A_0", "A_0_a")
    assert place_in(first, (30,)) is None, "30 is 15i, though it is even too"
    assert place_in(second, (30,)) == (2,)


def test_a_name_in_use_is_not_taken() -> None:
    found = (reference(0, ((2,), 0)),)
    taken = {"A_0", *(f"A_0_{letter}" for letter in "abcdefghijklmnopqrstuvwxyz")}
    assert rename(paper_partition(found), array_of(found), taken)[0].name == "A_0_aa"


def test_a_split_in_a_later_dimension_leaves_one_residue_in_the_earlier_one() -> None:
    """9i + 3 and 9i + 6 stay together because of 3i, until the second dimension parts them from it."""
    found = (reference(0, ((9,), 3), ((2,), 0)), reference(1, ((9,), 6), ((2,), 0)), reference(2, ((3,), 0), ((2,), 1)))
    both, alone = memories_of(found)
    assert (both.strides, both.suffix, len(both.references)) == ((3, 2), (0, 0), 2)
    assert [new[0] for new in both.renamed] == [Subscript((3,), 1), Subscript((3,), 2)]
    assert alone.strides == (3, 2)
    constants = (
        reference(0, ((0,), 3), ((2,), 0)),
        reference(1, ((0,), 6), ((2,), 0)),
        reference(2, ((3,), 0), ((2,), 1)),
    )
    both, _ = memories_of(constants)
    assert [new[0] for new in both.renamed] == [Subscript((0,), 1), Subscript((0,), 2)]


def test_replicas_share_a_map_and_deal_out_the_references() -> None:
    (memory,) = memories_of(tuple(reference(number, ((1,), number)) for number in range(5)))
    copies = replicas(memory, 2, {"A"})
    assert [copy.name for copy in copies] == ["A_0", "A_0_copy1"]
    assert [[one.number for one in copy.references] for copy in copies] == [[0, 2, 4], [1, 3]]
    assert [place_in(copy, (7,)) for copy in copies] == [(7,), (7,)]
    assert copies[1].renamed == (memory.renamed[1], memory.renamed[3])


@given(reference_sets(), MODES, st.lists(st.integers(0, 10**6), min_size=3, max_size=3), st.integers(-50, 50))
def test_every_reference_finds_its_element_in_its_memory(
    found: tuple[Reference, ...], mode: str, iteration: list[int], unknown: int
) -> None:
    """Theorem 2 and eq. 7: the new subscripts name the place where reorganisation has put the element."""
    for memory in memories_of(found, mode):
        for one, new in zip(memory.references, memory.renamed, strict=True):
            indices = tuple(iteration[: len(one.subscripts[0].coefficients)])
            element = tuple(value_of(part, indices, unknown) for part in one.subscripts)
            place = tuple(value_of(part, indices, unknown) for part in new)
            assert place_in(memory, element) == place
            assert element_at(memory, place) == element


@given(reference_sets(small=True), MODES)
def test_different_elements_have_different_places(found: tuple[Reference, ...], mode: str) -> None:
    """Theorem 3, over all references and a box of iterations; and one element has one place only."""
    memories = memories_of(found, mode)
    places: dict[tuple[str, tuple[int, ...]], tuple[int, ...]] = {}
    homes: dict[tuple[int, ...], tuple[str, tuple[int, ...]]] = {}
    for memory in memories:
        for one, new in zip(memory.references, memory.renamed, strict=True):
            for indices in product(range(3), repeat=len(one.subscripts[0].coefficients)):
                for unknown in (-1, 1) if not one.affine else (0,):
                    element = tuple(value_of(part, indices, unknown) for part in one.subscripts)
                    home = (memory.name, tuple(value_of(part, indices, unknown) for part in new))
                    assert places.setdefault(home, element) == element
                    assert homes.setdefault(element, home) == home
                    assert [other.name for other in memories if holds(other, element)] == [memory.name]


def value_of(part: Subscript, indices: tuple[int, ...], unknown: int) -> int:
    affine = sum(factor * index for factor, index in zip(part.coefficients, indices, strict=True)) + part.offset
    return affine + sum(term.factor * unknown for term in part.unknown)


@given(reference_sets(small=True), MODES, st.integers(1, 9))
def test_reorganise_then_restore_gives_the_array_back(found: tuple[Reference, ...], mode: str, extent: int) -> None:
    """Whole arrays, through every memory; an element that no reference can name stays where it is."""
    extent = min(extent, (9, 7, 5, 3)[len(found[0].subscripts) - 1])
    array = array_of(found, extent)
    data = np.arange(extent ** len(array.shape)).reshape(array.shape)  # type: ignore[type-var]
    restored, moved = np.full_like(data, -1), np.zeros(data.shape, dtype=int)
    for memory in rename(PARTITIONS[mode](found), array):
        kept = np.full(memory.shape, -7)  # type: ignore[arg-type]
        for element in np.ndindex(*data.shape):
            place = place_in(memory, element)
            if place is not None:
                assert kept[place] == -7, "two elements at one place"
                kept[place] = data[element]
        for place in np.ndindex(*kept.shape):
            element = element_at(memory, place)
            if holds(memory, element):
                restored[element] = kept[place]
                moved[element] += 1
    assert np.array_equal(restored[moved > 0], data[moved > 0])
    assert moved.max(initial=0) <= 1


def test_formulas_both_ways() -> None:
    found = (reference(0, ((2, 0), 1), ((0, 0), 3), ((0, 1), 4)),)
    (memory,) = rename(paper_partition(found), ArrayInfo("A", (9, 4, None), live_in=True, live_out=False))
    assert gather_text(memory) == "A_1_3_0[v0, v1, v2] = A[2 * v0 + 1, 3, v2]  for v0 in 0..4, v1 in 0..1, v2 in 0..*"
    assert scatter_text(memory) == "A[x0, x1, x2] = A_1_3_0[x0 // 2, 0, x2]  where x0 % 2 == 1 and x1 == 3"
    found = (reference(0, ((1,), 4)),)
    (whole,) = rename(paper_partition(found), ArrayInfo("v0", (9,), live_in=True, live_out=False))
    assert gather_text(whole) == "v0_0[v_0] = v0[v_0]  for v_0 in 0..9"
    assert scatter_text(whole) == "v0[x0] = v0_0[x0]"


def test_the_way_back_of_the_finer_partition_names_only_its_own_elements() -> None:
    found = (reference(0, ((6,), 2)), reference(1, ((10,), 2)), reference(2, ((15,), 0)))
    memory = rename(finer_partition(found), array_of(found))[0]
    assert scatter_text(memory) == "A[x0] = A_0[x0 // 2]  where x0 % 6 == 2 or x0 % 10 == 2"
