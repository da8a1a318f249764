"""Partitions of references: table 1 and the text of the paper, and what eq. 2 allows at most."""

from __future__ import annotations

from itertools import combinations, product

import networkx as nx
import pytest
from hypothesis import given
from paper_table import FOUR_REFERENCES, TABLE_1, Row, reference
from strategies_banks import reference_sets

from hwmodel.banks.partition import finer_partition, independent, lattice_of, paper_partition
from hwmodel.banks.references import Reference, Subscript, Unknown


def sets_of(partitions: tuple[tuple[Reference, ...], ...]) -> set[frozenset[int]]:
    return {frozenset(one.number for one in partition) for partition in partitions}


@pytest.mark.parametrize("row", TABLE_1, ids=lambda row: row.name)
def test_table_1_partitions(row: Row) -> None:
    assert sets_of(paper_partition(row.references)) == row.partitions
    assert sets_of(finer_partition(row.references)) == row.partitions


def test_the_four_references_of_the_text_are_all_apart() -> None:
    assert [len(part) for part in paper_partition(FOUR_REFERENCES)] == [1, 1, 1, 1]


def test_the_three_references_of_section_4_2_share_as_the_text_says() -> None:
    found = paper_partition([reference(0, ((4,), 0)), reference(1, ((4,), 1)), reference(2, ((2,), 0))])
    assert sets_of(found) == {frozenset({0, 2}), frozenset({1})}


def test_the_finer_partition_parts_what_fig_4_keeps_together() -> None:
    found = [reference(0, ((6,), 0)), reference(1, ((10,), 1)), reference(2, ((15,), 2))]
    assert len(paper_partition(found)) == 1
    assert len(finer_partition(found)) == 3


def test_the_finer_partition_returns_to_an_earlier_dimension() -> None:
    """Only after the second dimension has parted them do the strides of the first one grow."""
    found = [
        reference(0, ((4, 0), 0), ((0, 2), 0)),
        reference(1, ((4, 0), 2), ((0, 2), 0)),
        reference(2, ((2, 0), 0), ((0, 2), 1)),
    ]
    assert sets_of(paper_partition(found)) == {frozenset({0, 1}), frozenset({2})}
    assert sets_of(finer_partition(found)) == {frozenset({0}), frozenset({1}), frozenset({2})}


def test_constants_are_apart_where_they_differ_even_below_the_first_offset() -> None:
    found = [reference(number, ((0,), offset)) for number, offset in enumerate([5, 0, 5, -3])]
    assert sets_of(paper_partition(found)) == {frozenset({0, 2}), frozenset({1}), frozenset({3})}


@given(reference_sets())
def test_the_finer_partition_is_the_components_of_eq_2(found: tuple[Reference, ...]) -> None:
    graph = nx.Graph()
    graph.add_nodes_from(one.number for one in found)
    graph.add_edges_from(
        (one.number, other.number)
        for one, other in combinations(found, 2)
        if not independent(lattice_of(one), lattice_of(other))
    )
    assert sets_of(finer_partition(found)) == {frozenset(part) for part in nx.connected_components(graph)}


@given(reference_sets())
def test_fig_4_parts_only_what_is_independent_and_the_finer_one_parts_as_much_or_more(
    found: tuple[Reference, ...],
) -> None:
    paper, finer = paper_partition(found), sets_of(finer_partition(found))
    assert sorted(one.number for part in paper for one in part) == list(range(len(found)))
    for one, other in combinations(paper, 2):
        assert all(independent(lattice_of(first), lattice_of(second)) for first in one for second in other)
    assert all(any(part <= whole for whole in sets_of(paper)) for part in finer)


@given(reference_sets(small=True))
def test_independent_references_name_no_common_element(found: tuple[Reference, ...]) -> None:
    """Theorem 1 in a box of iterations; what is not affine takes every value."""
    elements = {one.number: set(elements_of(one)) for one in found[:4]}
    for one, other in combinations(found[:4], 2):
        if independent(lattice_of(one), lattice_of(other)):
            assert elements[one.number].isdisjoint(elements[other.number])


def elements_of(one: Reference) -> list[tuple[int, ...]]:
    loops = len(one.subscripts[0].coefficients)
    unknown = [range(-2, 3) if part.unknown else range(1) for part in one.subscripts]
    return [
        tuple(
            part.value(indices) + (part.unknown[0].factor * value if part.unknown else 0)
            for part, value in zip(one.subscripts, values, strict=True)
        )
        for indices in product(range(3), repeat=loops)
        for values in product(*unknown)
    ]


def test_what_is_not_affine_counts_with_its_factor() -> None:
    multiple = Subscript((0,), 0, (Unknown(3, "B[j]"),))
    assert multiple.stride == 3
    assert Subscript((4,), 1, (Unknown(6, "j * k"),)).stride == 2
    assert Subscript((4,), 1, (Unknown(1, "x[i]"),)).stride == 1
