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
