"""Sets as people read them: every printed line is evaluated, point by point, and compared with the set."""

from __future__ import annotations

import re
from itertools import product
from math import floor

import islpy as isl
import pytest
from hypothesis import given, settings
from many_cases import case_count
from strategies_tiles import NestCase, nest_cases
from tiled_nests import DIAGONAL, POLYPROD, nest_of_case, shipped_nest
from tiles_at_values import at_values

from arrayol.tiling.conditions import (
    ValueLeaf,
    cases,
    conditions,
    element_names,
    loading_tree,
    selection_tree,
    tiles_text,
    tree_text,
)
from arrayol.tiling.counting import size_formula, total_formula
from arrayol.tiling.enumerate import rows, tile_set, tiles
from arrayol.tiling.liveness import live
from arrayol.tiling.load_store import traffic
from arrayol.tiling.nest import TiledNest, Traffic
from arrayol.tiling.polynomials import Formula

Point = tuple[int, ...]


def truth(text: str, values: dict[str, int]) -> bool:
    """Whether a printed condition holds."""
    text = re.sub(r"(?<=[\w)]) (?=[A-Za-z_(])(?!mod\b|for\b)(?<!mod )", " * ", text)
    text = re.sub(r"\bmod\b", "%", text)
    text = re.sub(r"(?<![<>])=", "==", text).replace(" / ", " // ")
    return bool(eval(text, {"floor": floor, "max": max, "min": min}, dict(values)))


def holds(line: str, nest: TiledNest, rank: int, tile: Point, element: Point, symbols: dict[str, int]) -> bool:
    """Whether a printed line gives the tile the element."""
    when, _, rest = line.rpartition(": ")
    what, _, where = rest.partition(" for ")
    values = {**symbols, **dict(zip(nest.tile_names, tile, strict=True))}
    values |= dict(zip(element_names(nest, rank), element, strict=True))
    subscripts = parts(what[what.index("[") + 1 : -1]) if "[" in what else []
    equal = [f"{name} = {text}" for name, text in zip(element_names(nest, rank), subscripts, strict=True)]
    return all(truth(text, values) for text in [*parts(when), *parts(where), *equal])


def parts(text: str) -> list[str]:
    """Split at the commas outside parentheses."""
    return [part.strip() for part in re.split(r",(?![^()]*\))", text) if part.strip()]


def shown_pairs(lines: tuple[str, ...], nest: TiledNest, shape: Point, symbols: dict[str, int]) -> set[Point]:
    """All tiles and elements that the lines give."""
    elements = list(product(*(range(extent) for extent in shape)))
    return {
        (*tile, *element)
        for tile in map(tuple, tiles(nest).tolist())
        for element in elements
        if any(holds(line, nest, len(shape), tile, element, symbols) for line in lines)
    }


def pairs(relation: isl.Map) -> set[Point]:
    return {(*tile, *element) for tile, element in zip(*(side.tolist() for side in rows(relation)), strict=True)}


@settings(max_examples=case_count(25), deadline=None)
@given(nest_cases())
def test_every_line_says_what_the_set_holds(case: NestCase) -> None:
    nest = nest_of_case(case)
    if nest is None:
        return
    found = traffic(nest)
    exists = tile_set(nest)
    for array, relation in found.load.items():
        shape = tuple(extent or 0 for extent in nest.arrays[array].shape)
        if len(shape) == 1:
            lines = conditions(relation, nest, array, exists)
            assert shown_pairs(lines, nest, shape, {}) == pairs(relation)


@settings(max_examples=case_count(25), deadline=None)
@given(nest_cases())
def test_parts_of_two_dimensions_together_are_the_set(case: NestCase) -> None:
    nest = nest_of_case(case)
    if nest is None:
        return
    found = traffic(nest)
    relation = found.load.get("z")
    if relation is None:
        return
    parts = cases(relation, nest, tile_set(nest))
    names = [*nest.tile_names, *element_names(nest, 2)]
    shown = set()
    for tile in map(tuple, tiles(nest).tolist()):
        for element in product(range(14), range(14)):
            values = dict(zip(names, (*tile, *element), strict=True))
            if any(all(one.holds(values) for one in (*part.when, *part.where)) for part in parts):
                shown.add((*tile, *element))
    assert shown == pairs(relation)


def test_an_image_s_loads_read_as_boxes() -> None:
    """In place, i before j: a tile loads its inner points but the first it writes, and the rims around them."""
    found = traffic(shipped_nest("stencil2d", "i, j", ["8"], 2, ["H", "W"]))
    assert conditions(found.load["v"], found.nest, "v", tile_set(found.nest)) == (
        "v[m, n] for max(1, 8 I) <= m <= min(8 I + 7, H - 2), 8 T + 2 <= n <= min(8 T + 8, W - 1)",
        "v[m, 8 T + 1] for max(1, 2 - 8 T, 8 I, 8 I - 8 T + 1) <= m <= min(8 I + 7, H - 2)",
        "8 I + 8 >= H: v[H - 1, n] for 8 T + 1 <= n <= min(8 T + 7, W - 2)",
        "8 I + 8 >= H, T >= 1: v[H - 1, 8 T]",
        "H >= 8 I + 9: v[8 I + 8, n] for 8 T + 1 <= n <= min(8 T + 7, W - 2)",
        "H >= 8 I + 9, T >= 1: v[8 I + 8, 8 T]",
        "I = 0: v[0, n] for max(1, 8 T) <= n <= min(8 T + 7, W - 2)",
        "I >= 1: v[8 I - 1, n] for max(1, 8 T) <= n <= min(8 T + 7, W - 2)",
        "T = 0: v[m, 0] for max(1, 8 I) <= m <= min(8 I + 7, H - 2)",
    )


def test_tiles_told_by_their_origins_begin_at_0() -> None:
    """A multiple of s above -s is 0 or more: windows that begin before 0 are no tiles."""
    found = traffic(shipped_nest("polyprod", POLYPROD, ["s"], 2, ["N"]))
    exists = tile_set(found.nest)
    assert tiles_text(exists, found.nest) == "0 <= i0 <= N, 0 <= t <= N"
    assert conditions(found.load["c"], found.nest, "c", exists) == (
        "t = 0: c[m] for max(0, N - s - i0 + 1) <= m <= min(2 N - i0, N + s - i0 - 1)",
        "t >= 1: c[m] for N - i0 + t <= m <= min(2 N - i0, N + s - i0 + t - 1)",
    )


@pytest.fixture(scope="module")
def product_traffic() -> Traffic:
    """The polynomial product's transfers, N symbolic."""
    return traffic(shipped_nest("polyprod", POLYPROD, ["10"], 2, ["N"]))


def test_the_polynomial_product_reads_as_design_md_gives_it(product_traffic: Traffic) -> None:
    nest = product_traffic.nest
    exists = tile_set(nest)
    assert tiles_text(exists, nest) == "I >= 0, 10 I <= N, T >= 0, 10 T <= N"
    assert conditions(product_traffic.load["c"], nest, "c", exists) == (
        "T = 0: c[m] for max(0, N - 10 I - 9) <= m <= min(2 N - 10 I, N - 10 I + 9)",
        "T >= 1: c[m] for N - 10 I + 10 T <= m <= min(2 N - 10 I, N - 10 I + 10 T + 9)",
    )
    assert conditions(product_traffic.load["b"], nest, "b", exists) == (
        "T = 0: b[m] for max(0, N - 10 I - 9) <= m <= N - 10 I",
    )
    assert conditions(product_traffic.store["a"], nest, "a", exists) == ()


@pytest.mark.parametrize("schedule", [POLYPROD, DIAGONAL])
@pytest.mark.parametrize("degree", [0, 8, 23])
def test_symbolic_lines_hold_for_numbers(schedule: str, degree: int) -> None:
    found = traffic(shipped_nest("polyprod", schedule, ["10"], 2, ["N"]))
    numeric = at_values(found, {"N": degree})
    exists = tile_set(found.nest)
    for sets, numbers in ((found.load, numeric.load), (found.store, numeric.store)):
        lines = conditions(sets["c"], found.nest, "c", exists)
        shape = (2 * degree + 1,)
        assert shown_pairs(lines, numeric.nest, shape, {"N": degree}) == pairs(numbers["c"])


def test_remainders_and_fixed_subscripts() -> None:
    nest = shipped_nest("polyprod", POLYPROD, ["10"], 2, ["N"])
    odd = isl.Map("[p_N] -> { [I, T] -> [m, 2I + 3] : m mod 2 = 1 and 0 <= m < p_N }")
    assert conditions(odd, nest, "e") == ("e[m, 2 I + 3] for 1 <= m <= N - 1, m mod 2 = 1",)
    third = isl.Map("[p_N] -> { [I, T] -> [m] : 3m >= p_N and m <= T and I = 2T }")
    assert conditions(third, nest, "e", isl.Set("[p_N] -> { [I, T] }")) == ("2 T = I: e[m] for 2 m <= I, 3 m >= N",)


# Trees


@pytest.mark.parametrize("degree", [0, 9, 23])
@pytest.mark.parametrize("schedule", [POLYPROD, DIAGONAL])
def test_trees_name_the_tile_that_loads_or_stores(schedule: str, degree: int) -> None:
    found = traffic(shipped_nest("polyprod", schedule, ["10"], 2, ["N"]))
    numeric = at_values(found, {"N": degree})
    for sets, numbers in ((found.load, numeric.load), (found.store, numeric.store)):
        for array, extent in (("a", degree + 1), ("c", 2 * degree + 1)):
            tree = loading_tree(sets[array], found.nest)
            assert tree is not None
            expected = pairs(numbers[array])
            for outer in {tile[0] for tile in tiles(numeric.nest).tolist()}:
                for element in range(extent):
                    tile = tree.at({"N": degree, "I": outer, "m": element})
                    own = [pair[1:2] for pair in sorted(expected) if (pair[0], pair[2]) == (outer, element)]
                    assert [tile] == (own or [None])


def test_the_tree_of_the_polynomial_product(product_traffic: Traffic) -> None:
    tree = loading_tree(product_traffic.load["b"], product_traffic.nest)
    assert tree is not None
    assert tree_text(tree) == ("if m >= 0 and N >= 10 I + m and 10 I + m + 9 >= N\n  T = 0\nelse\n  none")


def test_the_paper_s_first_read_with_its_new_parameter() -> None:
    """Paper C, section 2.2.1: the operation (J, ii, jj, i, j) that reads c[m] first, for b = 10."""
    operations = isl.Map(
        "[p_N, p_I] -> { [m] -> [J, ii, jj, i, j] : ii = p_N - j and jj = i and 10p_I <= ii <= 10p_I + 9"
        " and 10J <= jj <= 10J + 9 and 0 <= i <= p_N and 0 <= j <= p_N and i + j = m }"
    )
    known = isl.Set("[p_N, p_I] -> { [m] : p_I >= 0 and 0 <= m <= 2p_N }")
    tree = selection_tree(operations.lexmin_pw_multi_aff(), ["m"], ["J", "ii", "jj", "i", "j"], known)
    for degree, outer in product(range(31), range(4)):
        for element in range(2 * degree + 1):
            point = {"N": degree, "I": outer, "m": element}
            assert tree.at(point) == printed_first_read(degree, outer, element)
    assert "J = I - floor((N - m + 9) / 10), ii = 10 I, jj = 10 I - N + m" in tree_text(tree)


def printed_first_read(degree: int, outer: int, element: int) -> tuple[int, ...] | None:
    """The selection tree as the paper prints it."""
    if -10 * outer + degree < 0:
        return None
    if -10 * outer + degree - element >= 0:
        return (0, degree - element, 0, 0, element) if 10 * outer - degree + element + 9 >= 0 else None
    if -10 * outer + 2 * degree - element < 0:
        return None
    first, rest = 10 * outer - degree + element, (10 * outer, *[10 * outer - degree + element] * 2, degree - 10 * outer)
    return (0, *rest) if first <= 9 else (outer + element - (degree + 9 * element + 9) // 10, *rest)


def test_a_tree_of_nothing_is_a_leaf(product_traffic: Traffic) -> None:
    assert loading_tree(product_traffic.store["a"], product_traffic.nest) == ValueLeaf(None)
    nest = shipped_nest("polyprod", POLYPROD, ["s"], 2, ["N"])
    assert loading_tree(traffic(nest).load["a"], nest) is None


# Sizes


NESTS = {
    "polyprod": (POLYPROD, ["4"], 2, ["N"], [0, 3, 4, 7, 10, 13]),
    "polyprod diagonal": (DIAGONAL, ["3"], 2, ["N"], [0, 2, 5, 6, 10]),
    "stencil2d": ("i, j", ["4", "5"], 2, ["H"], [3, 4, 6, 9, 14]),
    "matmul": (None, ["4", "3", "5"], 1, ["K"], [8, 12, 20]),
}


@pytest.mark.parametrize("name", NESTS)
def test_formulas_count_what_the_sets_hold(name: str) -> None:
    schedule, sizes, statement, symbols, degrees = NESTS[name]
    shipped = name.partition(" ")[0]
    found = traffic(shipped_nest(shipped, schedule, sizes, statement, symbols))
    counted = 0
    for kind in ("load", "store", "written"):
        for array, relation in getattr(found, kind).items():
            formulas = size_formula(relation, found.nest), total_formula(relation, found.nest)
            for degree in degrees:
                numbers = getattr(at_values(found, {symbols[0]: degree}), kind)[array]
                counted += agree(formulas, found.nest, {symbols[0]: degree}, numbers)
    assert counted > 20  # a formula was found for most


def agree(formulas: tuple[Formula | None, ...], nest: TiledNest, symbols: dict[str, int], numbers: isl.Map) -> int:
    """Compare formulas with counts; how many there were."""
    size, total = formulas
    tile, _ = rows(numbers)
    if total is not None:
        assert total.at(symbols) == len(tile)
    if size is not None:
        for one in set(map(tuple, tile.tolist())):
            values = {**symbols, **dict(zip(nest.tile_names, one, strict=True))}
            assert size.at(values) == (tile == one).all(axis=1).sum()
    return sum(formula is not None for formula in formulas)


def test_formulas_as_people_read_them(product_traffic: Traffic) -> None:
    nest = product_traffic.nest
    assert str(size_formula(product_traffic.load["a"], nest)) == (
        "10 where N >= 10 T + 9\nN - 10 T + 1 where 10 T + 8 >= N"
    )
    assert str(total_formula(product_traffic.load["b"], nest)) == "N + 1"
    assert str(total_formula(product_traffic.store["a"], nest)) == "0"
    kept = size_formula(live(product_traffic, "b"), nest)
    assert kept is not None
    assert kept.at({"N": 100, "I": 3, "T": 2}) == 10
    assert kept.at({"N": 100, "I": 10, "T": 2}) == 1


def test_a_count_with_symbolic_tiles_is_none_in_all_and_a_formula_per_tile() -> None:
    found = traffic(shipped_nest("polyprod", POLYPROD, ["s"], 2, ["N"]))
    assert total_formula(found.load["a"], found.nest) is None
    size = size_formula(found.load["a"], found.nest)
    assert size is not None
    numeric = at_values(found, {"N": 23, "s": 5})
    tile, _ = rows(numeric.load["a"])
    for one in set(map(tuple, tile.tolist())):
        values = {"N": 23, "s": 5, **dict(zip(found.nest.tile_names, (5 * part for part in one), strict=True))}
        assert size.at(values) == (tile == one).all(axis=1).sum()
