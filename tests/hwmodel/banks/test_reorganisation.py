"""What a nest touches, counted by memory, and what it costs to move it: against every iteration one by one."""

from __future__ import annotations

from collections import Counter
from itertools import product
from math import prod

import numpy as np
import pytest
from addresses import holds
from hypothesis import given
from hypothesis import strategies as st
from strategies_banks import reference_sets, subscripts

from hwmodel.banks.custom import Custom, custom_layout, rename
from hwmodel.banks.partition import PARTITIONS
from hwmodel.banks.references import ArrayInfo, Body, NormalisedLoop, Reference, Subscript, Unknown, UnrolledNest
from hwmodel.banks.reorganisation import count_in, reorganisation, touched


def nest_of(
    references: tuple[Reference, ...], extents: tuple[int | None, ...], shape: tuple[int | None, ...]
) -> UnrolledNest:
    loops = tuple(NormalisedLoop(f"i{place}", extent) for place, extent in enumerate(extents))
    runs = None if None in extents else prod(extent or 0 for extent in extents)
    arrays = {name: ArrayInfo(name, shape, live_in=name == "A", live_out=name == "B") for name in ("A", "B")}
    return UnrolledNest("t", arrays, (Body(loops, (1,) * len(loops), references, runs),))


@st.composite
def small_nests(draw: st.DrawFn) -> UnrolledNest:
    """References that stay inside their arrays, read from A and written to B."""
    rank, loops = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    extents = tuple(draw(st.integers(1, 4)) for _ in range(loops))
    drawn = draw(st.lists(st.tuples(*[subscripts(loops, small=True)] * rank), min_size=1, max_size=4))
    affine = [tuple(Subscript(part.coefficients, part.offset) for part in parts) for parts in drawn]
    lows = [min(bounds(parts[axis], extents)[0] for parts in affine) for axis in range(rank)]
    moved = [
        tuple(Subscript(part.coefficients, part.offset - low) for part, low in zip(parts, lows, strict=True))
        for parts in affine
    ]
    shape = tuple(
        1 + max(bounds(parts[axis], extents)[1] for parts in moved) + draw(st.integers(0, 2)) for axis in range(rank)
    )
    found = tuple(
        Reference("B" if write else "A", write, parts, number=number)
        for number, (parts, write) in enumerate((parts, draw(st.booleans())) for parts in moved)
    )
    return nest_of(found, extents, shape)


def bounds(part: Subscript, extents: tuple[int, ...]) -> tuple[int, int]:
    values = [part.value(indices) for indices in product(*map(range, extents))]
    return min(values), max(values)


def elements_of(nest: UnrolledNest, array: str) -> set[tuple[int, ...]]:
    (body,) = nest.bodies
    return {
        tuple(part.value(indices) for part in one.subscripts)
        for one in body.references
        if one.array == array
        for indices in product(*(range(loop.extent or 0) for loop in body.loops))
    }


@given(small_nests())
def test_touched_elements_are_those_of_all_iterations(nest: UnrolledNest) -> None:
    for array in ("A", "B"):
        found = touched(nest, array, writes=array == "B")
        assert found is not None
        assert found.exact
        assert set(zip(*(axis.tolist() for axis in np.nonzero(found.mask)), strict=True)) == elements_of(nest, array)


@given(small_nests(), st.sampled_from(sorted(PARTITIONS)), st.integers(1, 4))
def test_the_cost_is_the_busiest_bank_of_what_is_live(nest: UnrolledNest, mode: str, banks: int) -> None:
    custom = custom_layout(nest, banks, partition=mode)
    cost = reorganisation(nest, custom, saved=3)
    assert cost is not None
    for array, elements, cycles in (("A", cost.elements_in, cost.cycles_in), ("B", cost.elements_out, cost.cycles_out)):
        live = elements_of(nest, array)
        assert elements == len(live)
        per_bank = Counter(bank_of(custom, array, element) for element in live)
        assert cycles == max(per_bank.values(), default=0)
    assert cost.break_even is not None
    assert 3 * cost.break_even >= cost.cycles
    assert cost.break_even == 1 or 3 * (cost.break_even - 1) < cost.cycles


def bank_of(custom: Custom, array: str, element: tuple[int, ...]) -> int:
    (bank,) = [
        bank
        for memory, bank in zip(custom.memories, custom.bank, strict=True)
        if memory.array == array and holds(memory, element)
    ]
    return bank


@given(reference_sets(small=True), st.sampled_from(sorted(PARTITIONS)), st.integers(0, 2**32))
def test_count_in_is_what_the_memory_holds(found: tuple[Reference, ...], mode: str, seed: int) -> None:
    extent = (30, 9, 5, 3)[len(found[0].subscripts) - 1]
    shape = (extent,) * len(found[0].subscripts)
    mask = np.random.default_rng(seed).random(shape) < 0.5
    for memory in rename(PARTITIONS[mode](found), ArrayInfo("A", shape, live_in=True, live_out=False)):
        held = sum(holds(memory, tuple(map(int, element))) for element in np.argwhere(mask))
        assert count_in(memory, mask) == held


def test_upper_bounds_say_so() -> None:
    box = (Reference("A", False, (Subscript((1,), 0),)),)
    looked_up = (Reference("A", False, (Subscript((0,), 1, (Unknown(3, "B[i]"),)),)),)
    found = touched(nest_of(looked_up, (4,), (9,)), "A", writes=False)
    assert found is not None
    assert not found.exact
    assert np.flatnonzero(found.mask).tolist() == [1, 4, 7]
    triangle = nest_of(box, (4,), (9,))
    (body,) = triangle.bodies
    fewer = UnrolledNest("t", triangle.arrays, (Body(body.loops, (1,), box, 3),))
    assert not touched(fewer, "A", writes=False).exact  # type: ignore[union-attr]
    leaving = (Reference("A", False, (Subscript((2,), -4),)), Reference("A", False, (Subscript((-3,), 4),)))
    inside = touched(nest_of(leaving, (6,), (9,)), "A", writes=False)
    assert inside is not None
    assert np.flatnonzero(inside.mask).tolist() == [0, 1, 2, 4, 6], "a box of iterations may reach beyond the array"
    unsure = (Reference("A", False, (Subscript((1,), 0),), certain=False),)
    assert not touched(nest_of(unsure, (4,), (9,)), "A", writes=False).exact  # type: ignore[union-attr]


@pytest.mark.parametrize("shape", [(None,), (1 << 13, 1 << 14)])
def test_an_array_without_end_or_too_large_is_not_counted(shape: tuple[int | None, ...]) -> None:
    one = (Reference("A", False, tuple(Subscript((1,), 0) for _ in shape)),)
    nest = nest_of(one, (None,), shape)
    assert touched(nest, "A", writes=False) is None
    assert reorganisation(nest, custom_layout(nest, 2), saved=None) is None


@pytest.mark.parametrize(("saved", "break_even"), [(None, None), (0, None), (-1, None), (1, 4), (3, 2), (4, 1), (9, 1)])
def test_break_even(saved: int | None, break_even: int | None) -> None:
    nest = nest_of((Reference("A", False, (Subscript((1,), 0),)),), (4,), (4,))
    cost = reorganisation(nest, custom_layout(nest, 2), saved)
    assert cost is not None
    assert (cost.cycles, cost.break_even) == (4, break_even)
