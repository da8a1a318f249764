"""The paper's figure 2 and section 6.1, and the table of docs/layout.md, from the shipped specifications."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from addresses import banks_of, custom_address, cyclic_place, naive_place

from arrayol.checks.check import load_checked
from arrayol.files import shipped_folder
from arrayol.ir.spec import Spec
from hwmodel.banks.layouts import CUSTOM, CYCLIC, CYCLIC_TRUE, LINEAR, NAIVE, Choices, Comparison
from hwmodel.banks.nest import lay_out
from hwmodel.banks.report import custom_bank

PAGE = Path(__file__).resolve().parents[3] / "docs" / "layout.md"

FIGURE_1 = """\
elementary add_one(B: i32[32, 16]) -> (A: i32[32, 16]) {
  A[i, j] = B[i, j] + 1 for i in 0..32, j in 0..16
}
"""


@cache
def shipped(name: str) -> Spec:
    return load_checked(shipped_folder() / f"{name}.aol")


def reduced(name: str, unroll: tuple[int, ...], banks: int) -> dict[str, str]:
    """Percent of naive's cycles saved, as the paper prints them."""
    costs = lay_out(shipped(name), name, unroll, Choices(banks)).costs
    return {layout: f"{100 * (cost.reduction(costs[NAIVE]) or 0):.2f}" for layout, cost in costs.items()}


@pytest.fixture
def figure_1(tmp_path: Path) -> Comparison:
    path = tmp_path / "figure1.aol"
    path.write_text(FIGURE_1, encoding="utf-8")
    return lay_out(load_checked(path), "add_one", (2, 2), Choices(4))


ALL = np.array(list(np.ndindex(32, 16)), dtype=np.int64)


def columns_of(bank: np.ndarray, address: np.ndarray, name: str) -> dict[int, dict[int, str]]:  # type: ignore[type-arg]
    """Bank -> address -> element, as figure 2 draws memories."""
    found: dict[int, dict[int, str]] = {}
    for element, number, place in zip(ALL, bank, address, strict=True):
        memory = found.setdefault(int(number), {})
        assert int(place) not in memory
        memory[int(place)] = f"{name}({element[0]},{element[1]})"
    return found


def merged(one: dict[int, dict[int, str]], other: dict[int, dict[int, str]]) -> dict[int, list[str]]:
    """Both arrays in their banks, by address; no place twice, no hole."""
    found = {}
    for bank, held in one.items():
        assert not held.keys() & other[bank].keys()
        both = {**held, **other[bank]}
        assert sorted(both) == list(range(len(both)))
        found[bank] = [both[place] for place in sorted(both)]
    return found


def test_figure_2a_naive(figure_1: Comparison) -> None:
    arrays = {name: figure_1.nest.arrays[name] for name in ("A", "B")}
    found = merged(*(columns_of(*naive_place(arrays, name, ALL), name) for name in "AB"))
    assert found == {0: [f"{name}({i},{j})" for name in "AB" for i in range(32) for j in range(16)]}


def test_figure_2b_modulo_unrolling(figure_1: Comparison) -> None:
    arrays = {name: figure_1.nest.arrays[name] for name in ("A", "B")}
    found = merged(*(columns_of(*cyclic_place(arrays, name, ALL, 4), name) for name in "AB"))
    assert found == {
        bank: [f"{name}({i},{j})" for name in "AB" for i in range(32) for j in range(bank, 16, 4)] for bank in range(4)
    }
    assert found[1][:2] == ["A(0,1)", "A(0,5)"]


def test_figure_2c_custom(figure_1: Comparison) -> None:
    """Both arrays' elements of one statement share a bank, as in the figure; which array comes first is free."""
    custom = figure_1.custom
    found = merged(
        *(columns_of(custom_bank(custom, name, ALL), custom_address(custom, name, ALL), name) for name in "BA")
    )
    quarters = [(0, 0), (0, 1), (1, 0), (1, 1)]
    expected = [
        [f"{name}({i},{j})" for name in "BA" for i in range(u, 32, 2) for j in range(w, 16, 2)] for u, w in quarters
    ]
    assert sorted(found.values()) == sorted(expected)
    assert {name: memory for name, memory in banks_of(custom).items() if name[0] == "A"} == {
        f"A_{u}_{w}": banks_of(custom)[f"B_{u}_{w}"] for u, w in quarters
    }


def test_figure_1c_names_and_subscripts(figure_1: Comparison) -> None:
    renamed = {
        memory.name: {tuple(part.coefficients for part in new) for new in memory.renamed}
        for memory in figure_1.custom.memories
    }
    assert renamed == {f"{array}_{u}_{w}": {((1, 0), (0, 1))} for array in "AB" for u in range(2) for w in range(2)}
    assert {part.offset for memory in figure_1.custom.memories for new in memory.renamed for part in new} == {0}


@pytest.mark.parametrize("name", ["jacobi", "sobel"])
@pytest.mark.parametrize("banks", [4, 8])
@pytest.mark.parametrize("outer", [1, 2, 4])
def test_section_6_1_inner_loop_unrolled_as_often_as_there_are_memories(name: str, banks: int, outer: int) -> None:
    expected = {4: "75.00", 8: "87.50"}[banks]
    found = reduced(name, (outer, banks), banks)
    assert (found[CYCLIC], found[CUSTOM]) == (expected, expected)


@pytest.mark.parametrize("name", ["jacobi", "sobel"])
def test_section_6_1_two_by_two_on_4_memories(name: str) -> None:
    found = reduced(name, (2, 2), 4)
    assert (found[CYCLIC], found[CUSTOM]) == ("50.00", "75.00")


def test_section_6_1_only_the_outer_loop() -> None:
    found = reduced("jacobi", (4, 1), 4)
    assert (found[CYCLIC], found[CUSTOM]) == ("0.00", "75.00")


@pytest.mark.parametrize(
    ("unroll", "banks", "cyclic", "custom"),
    [
        ((1, 2, 2), 4, "50.00", "75.00"),
        ((4, 1, 1), 4, "0.00", "75.00"),
        ((1, 4, 4), 4, "75.00", "75.00"),
        ((1, 8, 8), 8, "87.50", "87.50"),
    ],
)
def test_section_6_1_mm_is_similar_where_the_claim_holds(
    unroll: tuple[int, ...], banks: int, cyclic: str, custom: str
) -> None:
    found = reduced("matmul", unroll, banks)
    assert (found[CYCLIC], found[CUSTOM]) == (cyclic, custom)


def test_mm_with_its_innermost_loop_alone_has_half_its_accesses_in_one_bank() -> None:
    assert reduced("matmul", (1, 1, 4), 4)[CUSTOM] == "50.00"


ROWS = re.findall(
    r"^\| (\w+) \| ([\d,]+) \| (\d) \| ([\d.]+)% \| ([\d.]+)% \| ([\d.]+)% \|$", PAGE.read_text("utf-8"), re.M
)


@pytest.mark.parametrize("row", ROWS, ids=" ".join)
def test_the_table_of_the_manual(row: tuple[str, ...]) -> None:
    name, unroll, banks, *figures = row
    found = reduced(name, tuple(map(int, unroll.split(","))), int(banks))
    assert [found[CYCLIC], found[CYCLIC_TRUE], found[CUSTOM]] == figures


def test_the_table_of_the_manual_is_read() -> None:
    assert len(ROWS) > 20
    assert {row[0] for row in ROWS} == {"fir", "pattern", "matmul"}


def test_linear_banks_of_jacobi_and_sobel() -> None:
    """The fewest banks, each equal to the clique bound."""
    one = lay_out(shipped("jacobi"), "jacobi", (1, 1), Choices(4))
    assert (one.linear["x"].banks, one.linear["x"].bound, one.linear["x"].exact) == (4, 4, True)
    assert one.costs[LINEAR].cycles == 1
    two = lay_out(shipped("jacobi"), "jacobi", (2, 2), Choices(4))
    assert (two.linear["x"].banks, two.linear["x"].bound, two.linear["x"].exact) == (12, 12, True)
    assert two.costs[LINEAR].memories == 12 + 4
    edges = lay_out(shipped("sobel"), "sobel", (1, 1), Choices(4))
    assert (edges.linear["x"].banks, edges.linear["x"].bound, edges.linear["x"].exact) == (9, 9, True)
