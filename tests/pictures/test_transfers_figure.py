"""Pictures of transfers: their colours are the sets, and the same transfers give the same bytes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from arrayol import api
from arrayol.errors import ArrayolError
from arrayol.files import shipped_folder
from arrayol.pictures.shown import BarsShown, MovesShown, TilesShown
from arrayol.pictures.transfers_figure import draw_transfers

SPECS = shipped_folder()
NO_BARS = BarsShown(*(np.zeros((2, 2), np.int64) for _ in range(3)))


def test_a_line_shows_each_element_of_each_tile() -> None:
    """Tile 0 loads 0 and 1 and stores 0; tile 1 keeps 1, loads 2 and stores 1 and 2."""
    tiles = TilesShown(("0", "1"), np.array([0, 0]), ("",), 2)
    load, store = np.array([[0, 0], [0, 1], [1, 2]]), np.array([[0, 0], [1, 1], [1, 2]])
    alive = np.array([[0, 0], [0, 1], [1, 1], [1, 2]])
    figure = draw_transfers("t", tiles, [MovesShown("a", (4,), load, store, alive)], NO_BARS, [])
    assert figure.axes[0].images[0].get_array().tolist() == [[4, 2, 0, 0], [0, 3, 4, 0]]


def test_a_plane_shows_the_tile_of_each_element() -> None:
    tiles = TilesShown(("0, 0", "0, 1", "1, 0"), np.array([0, 0, 1]), ("I = 0", "I = 1"), 3)
    load, store = np.array([[0, 0, 0], [1, 0, 1], [2, 1, 1]]), np.zeros((0, 3), np.int64)
    figure = draw_transfers("t", tiles, [MovesShown("a", (2, 2), load, store, load)], NO_BARS, [])
    shown = [axes.images[0].get_array().filled(-1).tolist() for axes in figure.axes[:2]]
    assert shown == [[[0, 1], [-1, -1]], [[-1, -1], [-1, 0]]]
    assert [axes.get_title() for axes in figure.axes[:2]] == [
        "a: loaded by tile (strip I = 0)",
        "a: loaded by tile (strip I = 1)",
    ]


def test_bars_are_the_times_of_the_tiles() -> None:
    tiles = TilesShown(("0", "1"), np.array([0, 0]), ("",), 2)
    bars = BarsShown(np.array([[0, 10], [10, 30]]), np.array([[10, 40], [40, 45]]), np.array([[40, 50], [50, 50]]))
    (axes,) = draw_transfers("t", tiles, [], bars, ["a note"]).axes
    assert [(bar.get_x(), bar.get_width()) for bar in axes.patches] == [(0, 10), (10, 20), (10, 30), (40, 5), (40, 10)]


@pytest.mark.parametrize("suffix", [".svg", ".png"])
def test_the_same_bytes_each_time(suffix: str, tmp_path: Path) -> None:
    found = api.transfers(
        SPECS / "matmul.aol", "matmul", schedules=["i, j, k"], tile=[4], settings={"S": 8, "K": 8, "M": 8, "N": 8}
    )
    first, second = tmp_path / f"one{suffix}", tmp_path / f"two{suffix}"
    found.plot(first)
    found.plot(second)
    assert first.read_bytes() == second.read_bytes()


def test_symbols_are_not_drawn(tmp_path: Path) -> None:
    found = api.transfers(SPECS / "polyprod.aol", "polyprod", schedules=["N-j, i"], symbolic=["N"])
    with pytest.raises(ArrayolError, match="N stays symbolic, and a picture shows numbers"):
        found.plot(tmp_path / "p.svg")
    assert not list(tmp_path.iterdir())
