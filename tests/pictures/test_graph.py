"""Task graphs: what is in them, how they are laid out, what is written in them."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from picture_specs import ROOT, chain, fork_join, spec_of, text_boxes

from arrayol.errors import ArrayolError
from arrayol.ir.network import Network
from arrayol.language.loader import load
from arrayol.pictures.graph.graph import PAGE, TEXT, Row, array_box, levels_of, process_box, rows_of
from arrayol.pictures.graph.graph_figure import draw_graph
from arrayol.pictures.graph.graph_layout import ROW_GAP, Edge, Node, _with_distances, place
from arrayol.pictures.sheet import Canvas, height_of, our_style, width_of
from arrayol.pictures.text import rates, repeated_task, task_graph
from arrayol.pictures.tiler.tiler_faults import by_process, find_in_graph

HIERARCHY = """
elementary f(x: f32[4], prev: f32[4]) -> (y: f32[4], last: f32[2], more: f32[4])
task inner(a: f32[8, 8]) -> (b: f32[8, 8]) {
  repeat [8, 2] of f {
    x <- a at origin [0, 0] paving [1, 0; 0, 4] fitting [0; 1]
    prev <- more delay [0, 1] else a at origin [0, 0] paving [1, 0; 0, 0] fitting [0; 1]
    y -> b at origin [0, 0] paving [1, 0; 0, 4] fitting [0; 1]
  }
}
task mid(a: f32[8, 8]) -> (c: f32[8, 8]) {
  b = inner(a)
  c = inner(b)
}
task many(A: f32[64, 8, 8]) -> (B: f32[64, 8, 8]) {
  repeat [64] of mid {
    a <- A at origin [0, 0, 0] paving [1; 0; 0] fitting [0, 0; 1, 0; 0, 1]
    c -> B at origin [0, 0, 0] paving [1; 0; 0] fitting [0, 0; 1, 0; 0, 1]
  }
}
task top(A: f32[64, 8, 8], C: f32[8, 8]) -> (B: f32[64, 8, 8], D: f32[8, 8]) {
  B = many(A)
  D = mid(C)
}
"""


def graph(folder: Path, text: str, top: str = "top") -> Network:
    return task_graph(spec_of(folder, text), top)


def rows(network: Network, page: float = PAGE) -> list[Row]:
    line = height_of(TEXT)
    processes = {name: process_box(one, (), width_of, line) for name, one in network.processes.items()}
    arrays = {name: array_box(one, network, width_of, line) for name, one in network.arrays.items()}
    return rows_of(network, processes, arrays, page)


def drawn(network: Network, faults: dict[str, tuple[str, ...]] | None = None) -> Canvas:
    with our_style():
        return draw_graph(network, faults or {})


def test_a_task_repeated_as_a_whole_is_one_process_and_its_other_calls_are_flattened(tmp_path: Path) -> None:
    network = graph(tmp_path, HIERARCHY)
    assert list(network.processes) == ["many", "inner@D.b", "inner@D"]
    assert repeated_task(network.processes["many"]) == "mid"
    assert repeated_task(network.processes["inner@D"]) is None
    written = [text for text, _ in text_boxes(drawn(network).figure)]
    assert "repeat [64] of task mid" in written
    assert "more \N{RIGHTWARDS ARROW} prev  [0, 1]" in written
    assert written.count("prev  first") == 2


def test_rates_are_fractions_by_output_port() -> None:
    network = task_graph(load(ROOT / "specs" / "thumbnail.aol").spec, "thumbnail")
    process = network.processes["hfilter"]
    assert rates(process, process.inputs[0]) == {"y": Fraction(11, 3)}


def test_more_calls_than_can_be_drawn_are_refused_before_they_are_unfolded(tmp_path: Path) -> None:
    port = "(a: f32) -> (b: f32)"
    levels = [f"task t{level + 1}{port} {{\n  m = t{level}(a)\n  b = t{level}(m)\n}}" for level in range(60)]
    spec = spec_of(tmp_path, "\n".join([f"elementary e{port}", f"task t0{port} {{ b = e(a) }}", *levels]))
    with pytest.raises(ArrayolError) as refused:
        task_graph(spec, "t60")
    (found,) = refused.value.diagnostics
    calls = 2**61 - 1 + 2**60  # 2^61 - 1 tasks, and an elementary in each of the last
    assert found.code == "too-large-to-draw"
    assert found.message == f"'t60' unfolds to {calls:,} calls, and at most 400 can be drawn"
    assert len(task_graph(spec, "t5").processes) == 32


@pytest.mark.parametrize("text", [chain(1), chain(5), chain(20), fork_join(), HIERARCHY])
def test_nothing_written_overlaps_and_nothing_is_small(tmp_path: Path, text: str) -> None:
    figure = drawn(graph(tmp_path, text)).figure
    boxes = text_boxes(figure)
    sheet = figure.bbox
    for (one, box), (other, another) in combinations(boxes, 2):
        assert not box.overlaps(another), (one, other)
    assert all(
        sheet.x0 <= box.x0 and box.x1 <= sheet.x1 and sheet.y0 <= box.y0 and box.y1 <= sheet.y1 for _, box in boxes
    )
    assert min(text.get_fontsize() for text in figure.axes[0].texts) >= 7


@pytest.mark.parametrize("text", [chain(1), chain(5), chain(20), fork_join(), HIERARCHY])
def test_boxes_do_not_overlap_and_lines_go_right_between_their_ends(tmp_path: Path, text: str) -> None:
    network = graph(tmp_path, text)
    line = height_of(TEXT)
    for row in rows(network):
        sizes = {("array", name): array_box(network.arrays[name], network, width_of, line) for name in row.arrays}
        sizes |= {("process", name): process_box(network.processes[name], (), width_of, line) for name in row.processes}
        for (one, (x, y)), (other, (u, v)) in combinations(row.placed.corners.items(), 2):
            apart = x + sizes[one].width < u or u + sizes[other].width < x
            assert apart or y + sizes[one].height < v or v + sizes[other].height < y, (one, other)
        for edge, points in row.placed.lines.items():
            assert all(here[0] <= there[0] for here, there in pairwise(points))
            x, y = row.placed.corners[edge.source]
            assert points[0] == (x + sizes[edge.source].width, y + edge.source_at)
            x, y = row.placed.corners[edge.target]
            assert points[-1] == (x, y + edge.target_at)


def test_a_long_chain_is_cut_in_rows_that_repeat_the_array_between_them(tmp_path: Path) -> None:
    found = rows(graph(tmp_path, chain(20)))
    assert [name for row in found for name in row.processes] == [f"stage_{place}" for place in range(20)]
    assert all(row.placed.width <= PAGE for row in found)
    ends = [f"p{int(row.processes[-1].removeprefix('stage_')) + 1}" for row in found]
    assert [row.continued for row in found] == [frozenset(), *(frozenset({end}) for end in ends[:-1])]
    assert all(end in row.arrays for end, row in zip(ends, found, strict=True))
    assert len(rows(graph(tmp_path, chain(20)), page=1000.0)) == 1


def test_levels_follow_the_longest_way(tmp_path: Path) -> None:
    assert levels_of(graph(tmp_path, fork_join())) == [["spread"], ["left", "middle", "right"], ["unite"]]


def test_inputs_and_outputs_are_marked(tmp_path: Path) -> None:
    written = [text for text, _ in text_boxes(drawn(graph(tmp_path, fork_join())).figure)]
    assert (written.count("input"), written.count("output")) == (2, 2)


def test_a_chain_is_straight(tmp_path: Path) -> None:
    (row,) = rows(graph(tmp_path, chain(3)))
    heights = {round(y, 6) for points in row.placed.lines.values() for _, y in points}
    assert len(heights) == 1


def test_a_line_passes_beside_the_boxes_between_its_ends() -> None:
    nodes = [Node(name, layer, 1.0, 1.0) for layer, name in enumerate("abcd")]
    edges = [Edge(one, other, 0.5, 0.5) for one, other in ("ab", "bc", "cd", "ad")]
    placed = place(nodes, edges)
    for x, y in placed.lines[edges[-1]]:
        for name in "bc":
            left, top = placed.corners[name]
            assert not (left <= x <= left + 1 and top <= y <= top + 1)


def test_crossings_are_undone() -> None:
    nodes = [Node(name, int(name in "uvw"), 1.0, 1.0) for name in "abcuvw"]
    placed = place(nodes, [Edge(one, other, 0.5, 0.5) for one, other in ("aw", "bv", "cu")])
    levels = [placed.corners[name][1] for name in "wvu"]
    assert levels == pytest.approx([placed.corners[name][1] for name in "abc"])
    assert levels == pytest.approx([0, 1 + ROW_GAP, 2 + 2 * ROW_GAP])


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(1, 4)), min_size=1, max_size=6), st.integers(0, 3))
def test_apart_keeps_distances_and_no_single_shift_is_better(wanted: list[tuple[float, int]], gap: int) -> None:
    least = [float(gap * place) for place in range(len(wanted))]
    found = _with_distances(wanted, least)
    assert all(there - here >= gap - 1e-9 for here, there in pairwise(found))

    def cost(values: list[float]) -> float:
        return sum(weight * (value - wish) ** 2 for value, (wish, weight) in zip(values, wanted, strict=True))

    for start in range(len(found)):
        for end in range(start + 1, len(found) + 1):
            for step in (-0.01, 0.01):
                moved = [value + step * (start <= at < end) for at, value in enumerate(found)]
                if all(there - here >= gap - 1e-9 for here, there in pairwise(moved)):
                    assert cost(moved) >= cost(found) - 1e-9


def test_a_mistake_is_written_in_red_in_the_box_of_its_process(tmp_path: Path) -> None:
    text = HIERARCHY.replace(
        "y -> b at origin [0, 0] paving [1, 0; 0, 4]", "y -> b at origin [0, 0] paving [1, 0; 0, 0]"
    )
    spec = spec_of(tmp_path, text)
    network = task_graph(spec, "top")
    faults = by_process(spec, network, find_in_graph(spec, "top"))
    assert faults == {
        "many": ("written-twice in inner",),
        "inner@D.b": ("written-twice",),
        "inner@D": ("written-twice",),
    }
    red = [text.get_text() for text in drawn(network, faults).figure.axes[0].texts if text.get_color() == "#c81e1e"]
    assert red == ["written-twice in inner", "written-twice", "written-twice"]
