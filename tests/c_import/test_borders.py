"""Clamped, mirrored and wrapped subscripts, in the ways that C has them: windows with a border, as NumPy pads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from many_cases import case_count
from numpy.typing import NDArray

from arrayol import api
from arrayol.c_import.import_c import Choices, Imported, import_source
from arrayol.source import SourceFile

HEAD = """\
#include <stdlib.h>
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define CLAMP(a, low, high) MAX(low, MIN(a, high))
static int inside(int a, int n) {
  if (a < 0) return 0;
  if (a > n - 1) a = n - 1;
  return a;
}
"""
WAYS = {  # by mode of numpy.pad: a subscript `{0}` of an array of {1} elements
    "edge": (
        "({0} < 0 ? 0 : {0} >= {1} ? {1} - 1 : {0})",
        "({0} > {1} - 1 ? {1} - 1 : ({0} > 0 ? {0} : 0))",
        "CLAMP({0}, 0, {1} - 1)",
        "MIN(MAX({0}, 0), {1} - 1)",
        "inside({0}, {1})",
    ),
    "reflect": (
        "({0} < 0 ? -({0}) : {0} > {1} - 1 ? 2 * {1} - 2 - ({0}) : {0})",
        "(abs({0}) >= {1} ? 2 * ({1} - 1) - abs({0}) : abs({0}))",
    ),
    "symmetric": ("({0} < 0 ? -({0}) - 1 : {0} >= {1} ? 2 * {1} - 1 - ({0}) : {0})",),
    "wrap": ("(({0} + {1}) % {1})", "({0} < 0 ? {0} + {1} : {0} >= {1} ? {0} - {1} : {0})"),
}
BORDERS = {"edge": "else nearest", "reflect": "else mirror", "symmetric": "else reflect", "wrap": "wrap"}


def imported_from(text: str) -> Imported:
    return import_source(SourceFile("f.c", HEAD + text), Choices(function="f"))


def run(imported: Imported, x: NDArray[Any]) -> NDArray[Any]:
    (port,) = imported.inputs
    return np.asarray(api.run(imported.spec, {port: x}, top="f")["y"])


@pytest.mark.parametrize("mode", WAYS)
@given(data=st.data(), is_flat=st.booleans(), step=st.integers(1, 2))
@settings(max_examples=case_count(10), deadline=None)
def test_a_stencil_at_the_borders_is_one_window(data: st.DataObject, mode: str, is_flat: bool, step: int) -> None:
    reach = data.draw(st.integers(1, 2))
    rows, columns = (step * data.draw(st.integers(3, 5)) for _ in range(2))
    texts = [
        data.draw(st.sampled_from(WAYS[mode])).format(f"({step} * {name} + d{name})", extent)
        for name, extent in (("i", rows), ("j", columns))
    ]
    place = f"[({texts[0]}) * {columns} + {texts[1]}]" if is_flat else "[{}][{}]".format(*texts)
    head = "const int *x" if is_flat else f"const int x[{rows}][{columns}]"
    loops = "".join(
        f"for (int {name} = {low}; {name} < {high}; {name}++) "
        for name, low, high in (("di", -reach, reach + 1), ("dj", -reach, reach + 1))
    )
    imported = imported_from(
        f"void f({head}, int y[{rows // step}][{columns // step}]) {{"
        f" for (int i = 0; i < {rows // step}; i++) for (int j = 0; j < {columns // step}; j++) {{"
        f" int sum = 0; {loops} sum += (di + 5 * dj + 1) * x{place}; y[i][j] = sum; }} }}"
    )
    assert imported.text.count(BORDERS[mode]) == 1, imported.text
    assert "at_" not in imported.text, imported.text  # nothing but the window depends on where an instance is
    x = np.arange(rows * columns, dtype="i4").reshape(rows, columns) ** 2 % 97
    pad: Any = np.pad
    padded = pad(x, reach, mode=mode)
    expected = sum(
        (di + 5 * dj + 1) * padded[reach + di :, reach + dj :][:rows:step, :columns:step]
        for di in range(-reach, reach + 1)
        for dj in range(-reach, reach + 1)
    )
    assert np.array_equal(run(imported, x), expected)


@given(low=st.integers(0, 3), high=st.integers(5, 9), shift=st.integers(-3, 3))
@settings(max_examples=case_count(60), deadline=None)
def test_only_a_clamp_to_all_of_an_array_is_its_border(low: int, high: int, shift: int) -> None:
    imported = imported_from(
        "void f(const int x[10], int y[10]) {"
        f" for (int i = 0; i < 10; i++) y[i] = x[CLAMP(i + {shift}, {low}, {high})]; }}"
    )
    x = np.arange(10, dtype="i4") ** 2
    assert np.array_equal(run(imported, x), x[np.clip(np.arange(10) + shift, low, high)])
    is_border = (low == 0 or shift >= low) and (high == 9 or 9 + shift <= high)
    assert ("else nearest" in imported.text) == (is_border and shift != 0), imported.text


@pytest.mark.parametrize(
    ("subscript", "places"),
    [
        ("i < 3 ? 0 : i - 1", [0, 0, 0, 2, 3, 4, 5, 6, 7, 8]),
        ("i < 1 ? 2 : i - 1", [2, 0, 1, 2, 3, 4, 5, 6, 7, 8]),
        ("i + 2 > 9 ? 10 - i : i + 2", [2, 3, 4, 5, 6, 7, 8, 9, 2, 1]),
        ("(i + 3) % 9", [3, 4, 5, 6, 7, 8, 0, 1, 2, 3]),
        ("i < 1 ? 1 : i > 8 ? 9 : i - 1", [1, 0, 1, 2, 3, 4, 5, 6, 7, 9]),
    ],
)
def test_what_looks_like_a_border_and_is_none(subscript: str, places: list[int]) -> None:
    imported = imported_from(
        f"void f(const int x[10], int y[10]) {{ for (int i = 0; i < 10; i++) y[i] = x[{subscript}]; }}"
    )
    x = np.arange(10, dtype="i4") ** 2
    assert np.array_equal(run(imported, x), x[places])
    assert not any(border in imported.text for border in BORDERS.values()), imported.text


ZEROS = (  # by which end: a choice of 0 where x has no element, and the same one `late` iterations later
    ("i >= {d} + {late} ? x[i - {d}] : 0", "i < {d} + {late} ? 0 : x[i - {d}]", "{late} + {d} > i ? 0 : x[i - {d}]"),
    ("i < 12 - {d} - {late} ? x[i + {d}] : 0", "i + {d} + {late} >= 12 ? 0 : x[i + {d}]"),
)


@pytest.mark.parametrize("end", [0, 1])
@given(data=st.data(), distance=st.integers(1, 3), late=st.integers(0, 2))
@settings(max_examples=case_count(15), deadline=None)
def test_a_zero_beyond_the_array_is_the_border(end: int, data: st.DataObject, distance: int, late: int) -> None:
    """Where the zero begins later than the array ends, the choice stays."""
    choice = data.draw(st.sampled_from(ZEROS[end])).format(d=distance, late=late)
    imported = imported_from(f"void f(const int x[12], int y[12]) {{ for (int i = 0; i < 12; i++) y[i] = {choice}; }}")
    assert "else 0" in imported.text.partition("repeat")[2]
    assert (" if " in imported.text) == (late > 0), imported.text
    x = np.arange(1, 13, dtype=np.int32)
    place = np.arange(12)
    moved, has = (
        (place - distance, place >= distance + late) if end == 0 else (place + distance, place < 12 - distance - late)
    )
    assert run(imported, x).tolist() == np.where(has, x[np.clip(moved, 0, 11)], 0).tolist()


@given(st.integers(2, 3), st.integers(4, 5))
@settings(max_examples=case_count(4), deadline=None)
def test_rows_of_a_flat_array_that_cells_and_blocks_keep(cell: int, block: int) -> None:
    """What one loop steps over is no row where another crosses it."""
    size = cell * block
    imported = imported_from(
        f"void f(const int x[{size}][{size}], int y[{cell}][{cell}]) {{ int plane[{size * size}];"
        f" for (int i = 0; i < {block}; i++) for (int j = 0; j < {block}; j++)"
        f" for (int v = 0; v < {cell}; v++) for (int u = 0; u < {cell}; u++)"
        f" plane[({cell} * i + v) * {size} + {cell} * j + u] = x[{cell} * i + v][{cell} * j + u] + 1;"
        f" for (int p = 0; p < {cell}; p++) for (int q = 0; q < {cell}; q++) {{ int sum = 0;"
        f" for (int v = 0; v < {block}; v++) for (int u = 0; u < {block}; u++)"
        f" sum += plane[({block} * p + v) * {size} + {block} * q + u]; y[p][q] = sum; }} }}"
    )
    assert f"plane: i32[{size}, {size}]" in imported.text
    x = np.arange(size * size, dtype=np.int32).reshape(size, size)
    expected = (x + 1).reshape(cell, block, cell, block).sum(axis=(1, 3))
    assert run(imported, x).tolist() == expected.tolist()
