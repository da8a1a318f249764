"""The running example of paper C: the product of two polynomials, under both schedules of figure 1."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import product
from pathlib import Path

import islpy as isl
import pytest
from tiles_at_values import at_values

from arrayol.checks.check import load_sound
from arrayol.checks.nest import NestRequest, open_nest
from arrayol.tiling.enumerate import points
from arrayol.tiling.load_store import Method, keyed_arrays, traffic
from arrayol.tiling.nest import Traffic

SPEC = Path(__file__).parents[2] / "specs" / "polyprod.aol"
DEGREES = (0, 1, 5, 9, 10, 19, 23, 40)
Sets = dict[tuple[int, int], set[int]]


@cache
def moved(schedule: str, tile: str, *, method: Method = "difference", degree: int | None = None) -> Traffic:
    symbols, settings = ((), {"N": degree}) if degree is not None else (("N",), None)
    request = NestRequest("polyprod", [schedule], (tile,), statements=[2], symbols=symbols)
    return traffic(open_nest(load_sound(SPEC, settings), request), method=method)


def by_tile(relation: isl.Map) -> Sets:
    found: Sets = {}
    for outer, inner, element in points(relation.wrap().flatten()).tolist():
        found.setdefault((outer, inner), set()).add(element)
    return found


def tiles(degree: int, size: int) -> list[tuple[int, int]]:
    return list(product(range(degree // size + 1), repeat=2))


def load_of_c(degree: int, size: int, outer: int, inner: int) -> set[int]:
    """Load(0) and Load(T >= 1) of c by (N - j, i): docs/transfers.md, "How the paper is read"."""
    low = degree - size * outer + size * inner
    high = low + size - 1
    if inner == 0:
        low = max(0, degree - size * (outer + 1) + 1)
    return set(range(low, min(high, 2 * degree - size * outer) + 1))


@pytest.mark.parametrize("size", [1, 3, 10])
def test_loads_of_c_are_those_of_the_paper(size: int) -> None:
    for degree in DEGREES:
        numeric = by_tile(at_values(moved("N-j, i", str(size)), {"N": degree}).load["c"])
        origins = by_tile(at_values(moved("N-j, i", "b"), {"N": degree, "b": size}).load["c"])
        for tile in tiles(degree, size):
            expected = load_of_c(degree, size, *tile)
            assert numeric.pop(tile, set()) == expected
            assert origins.pop(tile, set()) == expected
        assert not numeric
        assert not origins


def brute(degree: int, size: int, time: str) -> dict[str, tuple[Sets, Sets]]:
    """First and last touch of each element in its strip, by running all iterations."""
    instances = [
        (eval(time, {"N": degree, "i": i, "j": j}), i, j) for i in range(degree + 1) for j in range(degree + 1)
    ]
    instances.sort(key=lambda one: ([part // size for part in one[0]], one[0]))
    first: dict[tuple[str, int, int], int] = {}
    last: dict[tuple[str, int, int], int] = {}
    for (outer, inner), i, j in instances:
        for array, element in (("a", i), ("b", j), ("c", i + j)):
            cell = (array, outer // size, element)
            first.setdefault(cell, inner // size)
            last[cell] = inner // size
    found: dict[str, tuple[Sets, Sets]] = {array: ({}, {}) for array in "abc"}
    for (array, strip, element), tile in first.items():
        found[array][0].setdefault((strip, tile), set()).add(element)
    for (array, strip, element), tile in last.items():
        if array == "c":
            found[array][1].setdefault((strip, tile), set()).add(element)
    return found


@pytest.mark.parametrize(("schedule", "time"), [("N-j, i", "(N-j, i)"), ("i+j, i", "(i+j, i)")])
@pytest.mark.parametrize("size", [1, 4, 10])
def test_both_schedules_against_all_iterations(schedule: str, time: str, size: int) -> None:
    for degree in DEGREES[:-1]:
        expected = brute(degree, size, time)
        for symbolic in (moved(schedule, str(size)), moved(schedule, "b")):
            found = at_values(symbolic, {"N": degree, "b": size})
            for array, (load, store) in expected.items():
                assert by_tile(found.load[array]) == load
                assert by_tile(found.store[array]) == store


@pytest.mark.parametrize(("degree", "agree"), [(15, True), (13, False), (20, True), (21, False)])
def test_loads_of_a_agree_in_both_schedules_only_where_the_tile_divides(degree: int, agree: bool) -> None:
    """How often each element is loaded; equally often, says the paper (docs/transfers.md, "How the paper is read")."""
    one, other = (
        Counter(
            element
            for elements in by_tile(moved(schedule, "5", degree=degree).load["a"]).values()
            for element in elements
        )
        for schedule in ("N-j, i", "i+j, i")
    )
    assert (one == other) == agree


def test_the_projection_of_in_keeps_to_tiles_that_run() -> None:
    """The paper's projected In(T) forgets that b T <= N."""
    found = by_tile(at_values(moved("N-j, i", "10"), {"N": 23}).read["c"])
    printed = {m for m in range(47) if 30 <= m <= 46 and 23 - 10 + 1 + 30 <= m <= 23 + 10 * 4 - 1}
    assert printed
    assert (0, 3) not in found


@pytest.mark.parametrize("schedule", ["N-j, i", "i+j, i"])
def test_first_access_and_difference_agree_in_the_degree(schedule: str) -> None:
    one, other = moved(schedule, "10"), moved(schedule, "10", method="lexicographic")
    for array in "abc":
        assert one.load[array].is_equal(other.load[array])
        assert one.store[array].is_equal(other.store[array])


def paper_tree(degree: int, outer: int, cell: int) -> tuple[int, int] | None:
    """FirstOpRead(m) = (i, j) for b = 10, the simplified tree of section 2.2.1."""
    if -10 * outer + degree - cell >= 0:
        return (0, cell) if 10 * outer - degree + cell + 9 >= 0 else None
    if -10 * outer + 2 * degree - cell >= 0:
        return (10 * outer - degree + cell, degree - 10 * outer)
    return None


def paper_tree_with_tiles(degree: int, outer: int, cell: int) -> tuple[int, int, int] | None:
    """(J, ii, jj) of the first tree of section 2.2.1, within 10 I <= N."""
    if -10 * outer + degree - cell >= 0:
        return (0, degree - cell, 0) if 10 * outer - degree + cell + 9 >= 0 else None
    if -10 * outer + 2 * degree - cell < 0:
        return None
    if -10 * outer + degree - cell + 9 >= 0:
        return (0, 10 * outer, 10 * outer - degree + cell)
    k = (degree + 9 * cell + 9) // 10
    return (outer + cell - k, 10 * outer, 10 * outer - degree + cell)


def first_reads(reads: isl.Map) -> isl.Map:
    """FirstOpRead of section 2.2.1 in tiles of 10: [I, m] -> [T, ii, jj, s], of reads as [ii, jj, s] -> [m]."""
    tiles = isl.Map("{ [ii, jj, s] -> [[I] -> [T, ii, jj, s]] : 10 I <= ii < 10 I + 10 and 10 T <= jj < 10 T + 10 }")
    first = reads.reverse().apply_range(tiles).uncurry().lexmin()
    return first.apply_domain(isl.Map("{ [[m] -> [I]] -> [I, m] }"))


def test_first_reads_are_the_tree_of_the_paper_point_by_point() -> None:
    found = moved("N-j, i", "10")
    reads = first_reads(next(array for array in keyed_arrays(found.nest) if array.name == "c").reads)
    for degree in DEGREES:
        fixed = isl.Map(f"[p_N] -> {{ [I, m] -> [T, ii, jj, s] : p_N = {degree} }}")
        rows = points(reads.intersect(fixed).project_out(isl.dim_type.param, 0, 1).wrap().flatten()).tolist()
        table = {(outer, cell): tuple(time) for outer, cell, *time in rows}
        for outer, cell in product(range(degree // 10 + 1), range(2 * degree + 1)):
            time = table.pop((outer, cell), None)
            assert (time and time[:3]) == paper_tree_with_tiles(degree, outer, cell)
            assert (time and (time[2], degree - time[1])) == paper_tree(degree, outer, cell)
        assert not table
