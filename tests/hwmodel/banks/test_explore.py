"""Unroll factors and layouts searched together, beside each comparison by itself; the trend of paper B's table 2."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import prod
from pathlib import Path

import pytest

from arrayol import api
from arrayol.errors import ArrayolError
from arrayol.ir.spec import Spec
from hwmodel.banks.explore import LayoutDesign, LayoutExploration
from hwmodel.banks.layouts import CUSTOM, LINEAR, NAIVE, Choices
from hwmodel.banks.report import exploration_picture, exploration_to_json

SPECS = Path(__file__).parents[3] / "specs"
TEXT = """\
elementary sums(x: i32[8, 4]) -> (y: i32[8]) {
  y[i] += x[i, j] for i in 0..8, j in 0..4
}

elementary two(x: i32[12]) -> (y: i32[12], z: i32[6]) {
  y[i] = x[i] + 1         for i in 0..12
  z[i] = x[2 * i] + x[i]  for i in 0..6
}

elementary diagonal(x: f32[8, 8]) -> (y: f32[8, 8]) {
  y[i, j] = x[i, j] if i == 0 or j == 7 else y[i - 1, j + 1] * x[i, j]  for i in 0..8, j in 0..8
}

elementary still(x: i32[2]) -> (y: i32) { y = x[0] + x[1] }

task stream(samples: f32[*, 4]) -> (averages: f32[*]) {
  repeat [*] of mean { x <- samples  at origin [0, 0] paving [1; 0] fitting [0; 1]
                       y -> averages at origin [0]    paving [1]    fitting [] }
}
elementary mean(x: f32[4]) -> (y: f32) { y = (x[0] + x[1] + x[2] + x[3]) / 4 }
"""


@pytest.fixture
def spec(tmp_path: Path) -> Spec:
    path = tmp_path / "nests.aol"
    path.write_text(TEXT, encoding="utf-8")
    return api.load(path)


def by_hand(spec: Spec, task: str, extents: list[tuple[int, ...]], most: int, banks: int) -> Iterator[LayoutDesign]:
    """All layouts of all unrollings, each compared by itself; `extents` are those of the bodies, all finite."""
    depth = max(map(len, extents))
    for factors in product(range(1, most + 1), repeat=depth):
        if prod(factors) > most or any(n % f for own in extents for n, f in zip(own, factors, strict=False)):
            continue
        for number, ports in product((1, 2, 4), (1, 2)):
            if number > banks:
                continue
            try:
                found = api.layout(spec, task, factors, Choices(number, ports=ports))
            except ArrayolError:
                continue
            for layout, cost in found.costs.items():
                if cost.bodies is None or (layout == LINEAR and ports == 2) or (layout == NAIVE and number > 1):
                    continue
                bodies = zip(found.nest.bodies, cost.bodies, strict=True)
                cycles = sum((body.runs or 0) * each for body, each in bodies)
                copies = sum(prod(body.factors) for body in found.nest.bodies)
                yield LayoutDesign(factors, copies, layout, number, cost.memories or 0, ports, Fraction(cycles))


@pytest.mark.parametrize(("task", "extents"), [("sums", [(8, 4)]), ("two", [(12,), (6,)])])
def test_the_front_is_that_of_all_comparisons(spec: Spec, task: str, extents: list[tuple[int, ...]]) -> None:
    found = api.explore_layouts(spec, task, Choices(4), most=8)
    every = list(by_hand(spec, task, extents, 8, 4))
    for design in every:
        assert any(all(a <= b for a, b in zip(one.figures, design.figures, strict=True)) for one in found.front)
    figures = {design.figures for design in every}
    for one in found.front:
        assert one.figures in figures
        beaten = [other for other in figures if other != one.figures and all(map(_at_most, other, one.figures))]
        assert not beaten
    assert [one.cycles for one in found.front] == sorted(one.cycles for one in found.front)


def _at_most(one: Fraction, other: Fraction) -> bool:
    return one <= other


def test_what_is_shown_is_on_the_front(spec: Spec) -> None:
    found = api.explore_layouts(spec, "sums", Choices(4), most=8)
    assert set(found.short()) <= set(found.front)
    for ports in (1, 2):
        own = [design for design in found.short() if design.ports == ports]
        assert [design.memories for design in own] == sorted({design.memories for design in own})
        assert [design.cycles for design in own] == sorted({design.cycles for design in own}, reverse=True)


def test_of_an_endless_loop_cycles_are_those_of_an_iteration(spec: Spec) -> None:
    found = api.explore_layouts(spec, "stream", Choices(4), ports=(1,), most=3)
    assert (found.naive.cycles, found.iterations) == (5, 1)
    two = next(design for design in found.best[4] if design.copies == 2)
    assert two.cycles == Fraction(3, 2)  # ten accesses of two iterations on four banks
    assert [design.copies for design in found.best[4]] == [1, 2, 3]


def test_a_nest_without_loops(spec: Spec) -> None:
    found = api.explore_layouts(spec, "still", Choices(2))
    assert (found.tried, found.loops, found.naive.cycles) == (1, (), 2)


def test_what_a_dependence_forbids_is_left_out_and_said(spec: Spec) -> None:
    found = api.explore_layouts(spec, "diagonal", Choices(2), most=4)
    assert found.refused == ((2, 1), (2, 2), (4, 1))
    assert {design.factors for design in found.front} <= {(1, 1), (1, 2), (1, 4)}


@pytest.mark.parametrize(
    ("choices", "most", "message"),
    [
        (Choices(4), 0, "error[bad-unroll]: 0 copies of a body are not possible\n  hint: choose 1 to 1024"),
        (Choices(0), 4, "error[bad-layout]: 0 memory banks are not possible"),
    ],
)
def test_refusals(spec: Spec, choices: Choices, most: int, message: str) -> None:
    with pytest.raises(ArrayolError) as refused:
        api.explore_layouts(spec, "sums", choices, most=most)
    assert message in str(refused.value)
    with pytest.raises(ArrayolError, match="3 ports of a memory bank are not possible"):
        api.layout(spec, "sums", None, Choices(2, ports=3))


def test_json_and_picture_have_what_was_found(spec: Spec) -> None:
    found = api.explore_layouts(spec, "sums", Choices(4), most=8)
    document = json.loads(json.dumps(exploration_to_json(found)))
    assert len(document["front"]) == len(found.front)
    assert document["by_copies"]["4"][0]["copies"] == 1
    shown = exploration_picture(found)
    assert sum(len(points) for _, points in shown.designs) == len(found.front)
    assert [name for name, _ in shown.copies] == ["custom, 1 bank", "custom, 2 banks", "custom, 4 banks"]


# The trend of the paper's table 2: its reductions beside those of docs/layout.md, "What is measured".

TABLE_2 = {"fir": (87, 93), "jacobi": (77, 89), "pattern": (92, 96), "sobel": (75, 75), "matmul": (76, 85)}
OURS = {
    "fir": {4: (50.00, 75.00, 81.25, 87.50, 92.19), 8: (50.00, 75.00, 87.50, 90.62, 95.31)},
    "jacobi": {4: (20.00, 60.00, 80.00, 82.50, 85.00), 8: (20.00, 60.00, 85.00, 90.00, 92.50)},
    "pattern": {4: (50.00, 75.00, 81.25, 87.50, 92.19), 8: (50.00, 75.00, 87.50, 90.62, 95.31)},
    "sobel": {4: (42.86, 78.57, 89.29, 91.07, 92.41), 8: (42.86, 78.57, 92.86, 95.54, 95.98)},
    "matmul": {4: (50.00, 75.00, 81.25, 87.50, 90.62), 8: (50.00, 75.00, 87.50, 93.75, 95.31)},
}


def explored(kernel: str) -> LayoutExploration:
    choices = replace(Choices(8), scalar_replacement=True)
    return api.explore_layouts(api.load(SPECS / f"{kernel}.aol"), kernel, choices, ports=(1,))


@pytest.mark.parametrize("kernel", list(TABLE_2))
def test_the_trend_of_table_2(kernel: str) -> None:
    found = explored(kernel)
    for banks, expected in OURS[kernel].items():
        best = {one.copies: round(100 * one.reduction(found.naive), 2) for one in found.best[banks]}
        assert (best[1], best[2], best[4], best[8], best[16]) == pytest.approx(expected, abs=0.006)
        assert {one.layout for one in found.best[banks]} == {CUSTOM}
        assert list(best.values()) == sorted(best.values())
    more, fewer = (found.best[banks] for banks in (8, 4))
    assert all(one.cycles <= other.cycles for one, other in zip(more, fewer, strict=True))
