"""The pictures of tasks as matplotlib draws them: colours, legibility, the same bytes each time."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle
from picture_specs import ROOT, chain, spec_of, task_of, text_boxes
from PIL import Image

from arrayol.ir.spec import Spec
from arrayol.language.loader import load
from arrayol.pictures import sheet as canvas
from arrayol.pictures.palette import CELLS
from arrayol.pictures.save import save_graph, save_task
from arrayol.pictures.sheet import FAULT, HALO, POINTS, Canvas, our_colors, our_style
from arrayol.pictures.text import task_graph
from arrayol.pictures.tiler.tiler_faults import find_faults, find_in_task, links_of
from arrayol.pictures.tiler.tiler_figure import draw_task

TASKS = [("specs/lpsf.aol", name) for name in ("hflr", "vftd", "hfrl", "vfbu")]
TASKS += [("specs/thumbnail.aol", name) for name in ("hfilter", "vfilter", "sharpen")]
FAULTS = ["out-of-bounds", "out-of-bounds-default", "written-twice", "written-twice-two-links", "not-covered"]
TASKS += [(f"tests/errors/{stem}.aol", "t") for stem in FAULTS]


def drawn(file: str, name: str) -> Canvas:
    spec = load(ROOT / file).spec
    process = task_graph(spec, name).processes[name]
    links, found = links_of(spec, task_of(spec, name)), find_in_task(spec, task_of(spec, name)).get(name, ())
    with our_style():
        return draw_task(process, links, find_faults(links, found))


def rectangles(sheet: Canvas) -> list[Rectangle]:
    return [patch for patch in sheet.axes.patches if isinstance(patch, Rectangle)]


@pytest.mark.parametrize(("file", "name"), TASKS)
def test_no_pattern_index_touches_the_label_of_an_arrow(file: str, name: str) -> None:
    figure = drawn(file, name).figure
    haloed = {text.get_text() for text in figure.axes[0].texts if text.get_path_effects()}
    boxes = text_boxes(figure)
    for one, box in boxes:
        if one in haloed and re.fullmatch(r"[rf]\d", one):
            near = box.padded(HALO * figure.dpi / POINTS)
            assert not [other for other, another in boxes if other.isdigit() and near.overlaps(another.padded(-1))]


@pytest.mark.parametrize(("file", "name"), TASKS)
def test_nothing_written_overlaps_and_nothing_is_small(file: str, name: str) -> None:
    figure = drawn(file, name).figure
    boxes, sheet = text_boxes(figure), figure.bbox
    for (one, box), (other, another) in combinations(boxes, 2):
        assert not box.padded(-1).overlaps(another.padded(-1)), (one, other)
    assert all(
        sheet.x0 <= box.x0 and box.x1 <= sheet.x1 and sheet.y0 <= box.y0 and box.y1 <= sheet.y1 for _, box in boxes
    )
    assert min(text.get_fontsize() for text in figure.axes[0].texts) >= 7


def test_each_repetition_has_its_colour_in_every_panel() -> None:
    colors = [to_hex(one.get_facecolor()) for one in rectangles(drawn("specs/lpsf.aol", "hflr")) if one.get_fill()]
    expected = our_colors([(row, column) for row in range(2) for column in range(3)])
    counts = {color: colors.count(color) for color in CELLS}
    # 4 elements in each of 2 panels, and the sample in the legend; the first stands for the pattern index too
    assert [counts[color] for color in expected.values()] == [10, 9, 9, 9, 9, 9]


def test_a_cell_of_two_repetitions_is_split() -> None:
    sheet = drawn("specs/thumbnail.aol", "hfilter")
    heights = [one.get_height() for one in rectangles(sheet) if to_hex(one.get_facecolor()) == CELLS[0]]
    full, half = max(heights), min(heights)
    small = [height for height in heights if height == pytest.approx(half)]
    assert len(small) >= 3  # elements 8, 9 and 10 belong to the second window too
    assert full > half


@pytest.mark.parametrize("stem", FAULTS)
def test_the_faulty_element_is_framed_in_red(stem: str) -> None:
    sheet = drawn(f"tests/errors/{stem}.aol", "t")
    frames = [one for one in rectangles(sheet) if to_hex(one.get_edgecolor()) == FAULT]
    marked = 2 if stem == "written-twice-two-links" else 1
    assert len(frames) == marked + 1  # and the legend's
    words = [text.get_text() for text in sheet.axes.texts if text.get_color() == FAULT and " " in text.get_text()]
    assert len(words) == marked


def test_a_sound_task_has_nothing_red() -> None:
    sheet = drawn("specs/thumbnail.aol", "sharpen")
    assert FAULT not in {text.get_color() for text in sheet.axes.texts}
    assert FAULT not in {to_hex(one.get_edgecolor()) for one in rectangles(sheet)}


def test_what_has_no_place_is_told_in_red(tmp_path: Path) -> None:
    spec = load(ROOT / "specs" / "lpsf.aol").spec
    process, links = task_graph(spec, "hflr").processes["hflr"], links_of(spec, task_of(spec, "hflr"))
    with our_style():
        sheet = draw_task(process, links, (), ["the delays leave no order"])
    assert [text.get_text() for text in sheet.axes.texts if text.get_color() == FAULT] == ["the delays leave no order"]


def _graph(spec: Spec, path: Path) -> None:
    save_graph(task_graph(spec, "lpsf"), {}, path)


def _task(spec: Spec, path: Path) -> None:
    save_task(task_graph(spec, "vfbu").processes["vfbu"], links_of(spec, task_of(spec, "vfbu")), (), (), path)


@pytest.mark.parametrize("save", [_graph, _task])
def test_the_same_bytes_each_time(tmp_path: Path, save: Callable[[Spec, Path], None]) -> None:
    spec = load(ROOT / "specs" / "lpsf.aol").spec
    for name in ("a.svg", "b.svg", "a.png", "b.png"):
        save(spec, tmp_path / name)
    for suffix in (".svg", ".png"):
        assert (tmp_path / f"a{suffix}").read_bytes() == (tmp_path / f"b{suffix}").read_bytes()
    assert b"<dc:date>" not in (tmp_path / "a.svg").read_bytes()
    with Image.open(tmp_path / "a.png") as picture:
        picture.verify()


def test_a_large_picture_stays_within_the_formats_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(canvas, "DOTS_AT_MOST", 900)
    save_graph(task_graph(spec_of(tmp_path, chain(40)), "top"), {}, tmp_path / "long.png")
    with Image.open(tmp_path / "long.png") as picture:
        assert 800 < max(picture.size) <= 901
