"""The picture of a datapath's schedule: a row per operator, a bar per operation, later repetitions in grey."""

from __future__ import annotations

from pathlib import Path

from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from arrayol.pictures.palette import PALE_GREY
from arrayol.pictures.save import save_schedule
from arrayol.pictures.schedule_figure import ROWS_AT_MOST, draw_schedule
from arrayol.pictures.shown import ScheduleShown

ROWS = (
    ("add #0", (("v1", 1, 2, 2), ("v3", 3, 4, 4))),
    ("mul.f32 #0", (("v0", 0, 1, 3), ("v2", 1, 2, 4))),
)


def _bars(figure: Figure) -> list[tuple[float, float, str]]:
    """Where bars of full height begin and end, and their colours."""
    (axes,) = figure.axes
    bars = [patch for patch in axes.patches if patch.get_height() > 0.5]
    return [(bar.get_x(), bar.get_x() + bar.get_width(), to_hex(bar.get_facecolor())) for bar in bars]


def test_operations_and_those_of_the_next_repetitions() -> None:
    figure = draw_schedule(ScheduleShown("mac", 2, 4, 2, ROWS))
    (axes,) = figure.axes
    assert [label.get_text() for label in axes.get_yticklabels()] == ["add #0", "mul.f32 #0"]
    bars = _bars(figure)
    assert sorted(bar[:2] for bar in bars if bar[2] != PALE_GREY) == [(0, 1), (1, 2), (1, 2), (3, 4)]
    assert sorted(bar[:2] for bar in bars if bar[2] == PALE_GREY) == [(2, 3), (3, 4), (3, 4), (5, 6)]
    assert len({bar[2] for bar in bars}) == 3  # a colour for each class
    assert axes.get_xlim() == (0, 4)
    assert {text.get_text() for text in axes.texts} == {"v0", "v1", "v2", "v3"}
    texts = [text.get_text() for text in figure.texts]
    assert texts == ["mac: a repetition every 2 cycles, depth 4, latency 2", "in grey: the repetitions after it"]


def test_of_very_many_operators_some_are_drawn() -> None:
    rows = tuple((f"add #{number}", (("v", 0, 1, 1),)) for number in range(ROWS_AT_MOST + 5))
    figure = draw_schedule(ScheduleShown("wide", 1, 1, 0, rows))
    assert len(figure.axes[0].get_yticklabels()) == ROWS_AT_MOST
    assert figure.texts[0].get_text().endswith("; 5 more operators not drawn")


def test_a_body_without_operators_and_one_file_for_the_same_schedule(tmp_path: Path) -> None:
    paths = [tmp_path / "a.svg", tmp_path / "b.svg"]
    for path in paths:
        save_schedule(ScheduleShown("copy", 1, 1, 0, ()), path)
    assert paths[0].read_bytes() == paths[1].read_bytes()
