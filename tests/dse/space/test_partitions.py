"""Integer partitions, against the recursion of their numbers."""

from __future__ import annotations

import pytest

from dse.space.fusions import partitions, without


def test_the_paper_s_partitions_of_four() -> None:
    by_parts = [list(partitions(4, parts)) for parts in range(1, 5)]
    assert by_parts == [[(4,)], [(3, 1), (2, 2)], [(2, 1, 1)], [(1, 1, 1, 1)]]


@pytest.mark.parametrize(("total", "parts"), [(0, 1), (3, 0), (3, 4), (3, -1)])
def test_there_may_be_none(total: int, parts: int) -> None:
    assert list(partitions(total, parts)) == []


def test_numbers_of_partitions() -> None:
    # p(n) of 1..12 (OEIS A000041).
    assert [sum(len(list(partitions(total, parts))) for parts in range(1, total + 1)) for total in range(1, 13)] == [
        *(1, 2, 3, 5, 7, 11, 15, 22, 30, 42, 56, 77)
    ]


def test_each_is_different_ordered_and_adds_up() -> None:
    found = list(partitions(20, 6))
    assert len(set(found)) == len(found)
    assert all(sum(sizes) == 20 and len(sizes) == 6 and sizes == tuple(sorted(sizes, reverse=True)) for sizes in found)


def test_without_one_part() -> None:
    assert without((3, 2, 2, 1), 2) == (3, 2, 1)
