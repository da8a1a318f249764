"""The picture of bank layouts: what it shows, and that it is the same each time."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.container import BarContainer
from matplotlib.text import Text

from arrayol import api
from arrayol.files import shipped_folder
from arrayol.ir.spec import Spec
from arrayol.pictures.layout_figure import draw_layout
from arrayol.pictures.save import save_layout
from arrayol.pictures.sheet import our_style
from arrayol.pictures.shown import LayoutPicture
from hwmodel.banks.layouts import Choices
from hwmodel.banks.report import picture


def picture_of(spec: Spec, task: str, unroll: tuple[int, ...] | None, banks: int) -> LayoutPicture:
    return picture(spec, api.layout(spec, task, unroll, Choices(banks)))


@pytest.fixture(scope="module")
def jacobi() -> LayoutPicture:
    return picture_of(api.load(shipped_folder() / "jacobi.aol", {"S": "8", "H": "8", "W": "8"}), "jacobi", (2, 2), 4)


def test_each_layout_colours_each_element_by_its_bank(jacobi: LayoutPicture) -> None:
    assert [array.array for array in jacobi.arrays] == ["x", "y"]
    rows, columns = np.indices((10, 10))
    maps = {one.layout: one for one in jacobi.arrays[0].maps}
    assert np.array_equal(maps["naive"].bank, np.zeros((10, 10)))
    assert np.array_equal(maps["cyclic"].bank, columns % 4)
    assert np.array_equal(maps["custom"].bank, 2 * (rows % 2) + columns % 2)
    linear = maps["linear"]
    assert linear.banks == 12
    assert linear.bank.max() == 11
    for window in (linear.bank[row : row + 4, column : column + 4] for row in (0, 2, 4) for column in (0, 2, 4)):
        touched = np.delete(window.ravel(), [0, 3, 12, 15])  # a body reads all but the corners
        assert len(set(touched.tolist())) == 12


def test_reductions_are_those_of_the_layouts(jacobi: LayoutPicture) -> None:
    four, eight = jacobi.reductions
    assert (four.banks, eight.banks) == (4, 8)
    assert jacobi.factors == "i x j"
    values = {name: dict(zip(four.unrolls, series, strict=True)) for name, series in four.series}
    assert (values["cyclic, static view"]["2x2"], values["custom"]["2x2"]) == (50, 75)
    assert (values["cyclic, static view"]["4x1"], values["custom"]["4x1"]) == (0, 75)
    assert dict(zip(eight.unrolls, dict(eight.series)["custom"], strict=True))["1x8"] == 87.5
    assert len(four.unrolls) == 16


def test_the_drawing_holds_every_map_bar_and_bank(jacobi: LayoutPicture) -> None:
    with our_style():
        figure = draw_layout(jacobi)
        axes = figure.get_axes()
        assert len(axes) == 2 * 4 + 2
        written = [text.get_text() for text in axes[2].texts]
        assert written == [str(bank) for bank in jacobi.arrays[0].maps[2].bank.ravel()]
        bars = [one for one in axes[-1].containers if isinstance(one, BarContainer)]
        drawn = [[bar.get_height() for bar in container] for container in bars]
        assert drawn == [list(series) for _, series in jacobi.reductions[1].series]
        figure.draw_without_rendering()
        sheet = figure.bbox
        for place in axes:
            box = place.get_tightbbox()
            assert box is not None
            assert sheet.x0 - 1 <= box.x0
            assert box.x1 <= sheet.x1 + 1
            assert sheet.y0 - 1 <= box.y0
            assert box.y1 <= sheet.y1 + 1


def test_no_text_lies_on_another_or_on_a_bar(jacobi: LayoutPicture) -> None:
    figure = draw_layout(jacobi)
    figure.canvas.draw()
    renderer = figure.canvas.get_renderer()
    texts = [text for text in figure.findobj(Text) if text.get_text().strip() and text.get_visible()]
    boxes = [(text.get_text(), text.get_window_extent(renderer).padded(-1)) for text in texts]
    assert [(one, other) for (one, a), (other, b) in combinations(boxes, 2) if a.overlaps(b)] == []
    charts = [axes for axes in figure.findobj(Axes) if axes.containers]
    bars = [bar.get_window_extent(renderer).padded(-1) for axes in charts for group in axes.containers for bar in group]
    assert [name for name, box in boxes for bar in bars if bar.width > 0 and bar.height > 0 and box.overlaps(bar)] == []


def test_the_same_picture_gives_the_same_bytes(jacobi: LayoutPicture, tmp_path: Path) -> None:
    for name in ("one.svg", "two.svg"):
        save_layout(jacobi, tmp_path / name)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()


def test_factors_that_are_refused_and_arrays_beyond_four_are_named(tmp_path: Path) -> None:
    path = tmp_path / "five.aol"
    path.write_text(
        "elementary five(a: i8[4], b: i8[4], c: i8[4], d: i8[4]) -> (e: i8[4]) {\n"
        "  e[i] = a[i] + b[i] + c[i] + d[i] for i in 0..4\n}\n",
        encoding="utf-8",
    )
    found = picture_of(api.load(path), "five", None, 4)
    assert found.remarks == ("rule ports, partition paper", "not drawn: e", "these unroll factors are refused: 8")
    assert found.reductions[0].unrolls == ("1", "2", "4")
    assert found.arrays[0].shown == "elements [0..4] of [4]"


def test_a_body_without_loops_has_maps_alone(tmp_path: Path) -> None:
    found = picture_of(api.load(shipped_folder() / "pyramid.aol"), "weigh_row", None, 2)
    assert found.reductions == ()
    assert found.remarks[-1] == "there is no loop to unroll"
    save_layout(found, tmp_path / "row.png")


def test_no_linear_mapping_and_three_dimensions(tmp_path: Path) -> None:
    path = tmp_path / "cube.aol"
    path.write_text(
        "elementary cube(a: i8[5, 3, 40], n: i32[1]) -> (e: i8[5]) {\n"
        "  e[i] = a[i, n[0], i * n[0]] + a[i, 0, 0] + a[i, 2, 39] for i in 0..5\n}\n",
        encoding="utf-8",
    )
    spec = api.load(path)
    found = picture_of(spec, "cube", None, 4)
    cube = next(array for array in found.arrays if array.array == "a")
    assert cube.shown == "elements [0, 0..3, 0..16] of [5, 3, 40]"
    save_layout(found, tmp_path / "cube.png")
    assert (tmp_path / "cube.png").stat().st_size > 10_000
