"""One cell of memory in a strip of up to five tiles: every way in which the tiles may read and write it.

A tile may read the cell or not, and write it surely, perhaps or not: six acts, 6^5 sequences. All are elements of one
array: the element [d0, d1, ...] is the cell on which tile t acts by d_t. So one computation of the sets answers all.
"""

from __future__ import annotations

from functools import cache
from itertools import product

import islpy as isl
import numpy as np
import pytest
from numpy.typing import NDArray

from arrayol.ir.types import ElementType
from arrayol.tiling.enumerate import rows
from arrayol.tiling.load_store import Method, traffic
from arrayol.tiling.nest import NestArray, NestReach, ScheduledStatement, TiledNest

READS = (1, 2, 3)  # acts that may read: only, then perhaps write, then surely write
SURE = (3, 5)
WRITES = (2, 3, 4, 5)  # 4 perhaps writes, 5 surely, both without reading
Table = NDArray[np.bool_]  # [sequence, tile]


def nest_of_cells(count: int) -> TiledNest:
    """A loop of `count` instances, a tile each; instance t acts on all cells as their coordinate t says."""

    def reach(acts: tuple[int, ...]) -> isl.Map:
        digits = [f"d{tile}" for tile in range(count)]
        box = " and ".join(f"0 <= {digit} <= 5" for digit in digits)
        cases = " or ".join(f"(t = {tile} and {digits[tile]} = {act})" for tile in range(count) for act in acts)
        return isl.Map(f"{{ [t] -> [{', '.join(digits)}] : {box} and ({cases}) }}")

    reads, writes, sure = reach(READS), reach(WRITES), reach(SURE)
    domain = isl.Set(f"{{ [t] : 0 <= t < {count} }}")
    statement = ScheduledStatement(
        1,
        ("t",),
        ((0, 1),),
        domain,
        (NestReach("m", reads, isl.Map.empty(reads.get_space())),),
        (NestReach("m", writes, sure),),
        None,
        isl.Map("{ [t] -> [t] }").intersect_domain(domain),
    )
    arrays = {"m": NestArray("m", ElementType.U8, (6,) * count, "output", ("6",) * count)}
    return TiledNest("cells", (statement,), (), (), arrays, (), {}, isl.Set("{ : }"), (1,), 1, (("t",),))


def table(relation: isl.Map, count: int) -> Table:
    """Whether a relation from tiles holds each sequence's cell."""
    found = np.zeros((6**count, count), bool)
    pairs = rows(relation)
    found[np.ravel_multi_index(tuple(pairs.image.T), (6,) * count), pairs.domain[:, 0]] = True
    return found


def sequences(count: int) -> NDArray[np.int64]:
    return np.array(list(product(range(6), repeat=count)))


def before(table: Table) -> Table:
    """Whether it held at an earlier tile."""
    return np.logical_or.accumulate(np.pad(table, [(0, 0), (1, 0)])[:, :-1], axis=1)


def after(table: Table) -> Table:
    return before(table[:, ::-1])[:, ::-1]


@cache
def acts(count: int) -> tuple[Table, Table, Table]:
    """What tiles may read, may write and surely write."""
    digits = sequences(count)
    return np.isin(digits, READS), np.isin(digits, WRITES), np.isin(digits, SURE)


def is_valid(load: Table, store: Table, count: int) -> NDArray[np.bool_]:
    """Theorems 3 and 4, for each sequence."""
    read, written, sure = acts(count)
    loaded = load | before(load)
    good = ~(read & ~before(sure)) | loaded  # 3 (i)
    good &= ~(before(written) & load)  # 3 (ii)
    good &= ~(store & after(written))  # 4 (ii)
    good &= ~(store & ~(sure | before(sure))) | loaded  # 4 (iii)
    whole: NDArray[np.bool_] = good.all(axis=1) & (~written.any(axis=1) | store.any(axis=1))  # 4 (i)
    return whole


def programs(count: int) -> list[Table]:
    """The load tables of all ways to load a cell: one for each set of tiles, the same for every sequence."""
    return [np.tile(np.array(choice, bool), (6**count, 1)) for choice in product([False, True], repeat=count)]


@pytest.mark.parametrize("method", ["difference", "lexicographic"])
@pytest.mark.parametrize("count", [1, 2, 3, 4, 5])
def test_all_sequences(count: int, method: Method) -> None:
    """Valid, exact, as few loads as any valid choice has, and of those the latest; stores likewise the earliest."""
    found = traffic(nest_of_cells(count), method=method)
    load, store = table(found.load["m"], count), table(found.store["m"], count)
    assert is_valid(load, store, count).all()
    _, written, _ = acts(count)
    assert np.array_equal(store, written & ~after(written))
    fewest, latest = np.full(6**count, count + 1), np.full(6**count, -1)
    for choice in programs(count):
        valid = is_valid(choice, store, count)
        loads, moment = int(choice[0].sum()), int(np.flatnonzero(choice[0]).max(initial=-1))
        better = valid & ((loads < fewest) | ((loads == fewest) & (moment > latest)))
        fewest[better], latest[better] = loads, moment
    assert np.array_equal(load.sum(axis=1), fewest)
    assert np.array_equal(np.where(load.any(axis=1), load.argmax(axis=1), -1), latest)


@pytest.mark.parametrize("count", [3, 4])
def test_simple_sets_stay_valid(count: int) -> None:
    found = traffic(nest_of_cells(count), simplify=True)
    load, store = table(found.load["m"], count), table(found.store["m"], count)
    assert is_valid(load, store, count).all()
    assert load.sum() > table(traffic(nest_of_cells(count)).load["m"], count).sum()


# The formulas that section 4.2 rejects


def rejected(count: int) -> tuple[Table, Table, Table, Table]:
    """The store of theorem 5, and three loads: two that the paper calls wrong, one that it calls wasteful."""
    read, written, sure = acts(count)
    store = written & ~after(written)
    wanted = read | (store & ~sure)
    one = wanted & ~(before(wanted) | before(written))
    other = wanted & ~(before(wanted) | before(sure))
    third = (wanted | written) & ~(before(wanted) | before(written))
    return store, one, other, third


def cell(*digits: int) -> int:
    return int(np.ravel_multi_index(digits, (6,) * len(digits)))


def test_two_formulas_that_the_paper_rejects_are_wrong() -> None:
    """The first tile perhaps writes, the second reads and then surely writes."""
    store, never, late, _ = rejected(2)
    perhaps_then_read = cell(4, 3)
    assert never[perhaps_then_read].tolist() == [False, False]  # garbage is read where the first tile did not write
    assert late[perhaps_then_read].tolist() == [False, True]  # overwrites what the first tile wrote, where it did
    assert not is_valid(never, store, 2)[perhaps_then_read]
    assert not is_valid(late, store, 2)[perhaps_then_read]
    assert table(traffic(nest_of_cells(2)).load["m"], 2)[perhaps_then_read].tolist() == [True, False]


def test_the_third_formula_is_valid_and_wasteful() -> None:
    """What is perhaps written, then surely, then read needs no load."""
    store, _, _, wasteful = rejected(3)
    load = table(traffic(nest_of_cells(3)).load["m"], 3)
    assert is_valid(wasteful, store, 3).all()
    assert wasteful[cell(4, 5, 1)].tolist() == [True, False, False]
    assert not load[cell(4, 5, 1)].any()
    assert (load <= wasteful).all()
    assert wasteful.sum() > load.sum()
