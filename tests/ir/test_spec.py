"""Tilers by what they say of indices."""

from __future__ import annotations

from itertools import product

import pytest

from arrayol.ir.spec import Tiler, own_part_tiler, whole_array_tiler
from arrayol.source import SourceFile, Span

NOWHERE = Span(SourceFile("none.aol", ""), 0, 0)


def element(tiler: Tiler, repetition: tuple[int, ...], index: tuple[int, ...]) -> tuple[int, ...]:
    """e(r, f), row by row."""

    def times(row: tuple[int, ...], vector: tuple[int, ...]) -> int:
        return sum(factor * entry for factor, entry in zip(row, vector, strict=True))

    rows = zip(tiler.origin, tiler.paving, tiler.fitting, strict=True)
    return tuple(origin + times(paving, repetition) + times(fitting, index) for origin, paving, fitting in rows)


@pytest.mark.parametrize(("steps", "rank"), [(steps, rank) for steps in range(4) for rank in range(4)])
def test_whole_arrays_and_own_parts(steps: int, rank: int) -> None:
    for repetition in product((0, 2), repeat=steps):
        for index in product((0, 3), repeat=rank):
            assert element(whole_array_tiler(rank, NOWHERE, steps), repetition, index) == index
            assert element(own_part_tiler(steps, rank, NOWHERE), repetition, index) == repetition + index
