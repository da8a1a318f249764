"""The figure of transfers: a panel per array, or per array and strip, and a timeline; draws with matplotlib."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec, SubplotSpec
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from arrayol.pictures.palette import BOTH, COMPUTING, LOADS, PALE_GREY, STORES
from arrayol.pictures.sheet import DOTS_PER_INCH, FAINT, INK
from arrayol.pictures.shown import BarsShown, MovesShown, Numbers, TilesShown

SIDES = {"load": LOADS, "compute": COMPUTING, "store": STORES}
LETTERS = {"load": "white", "compute": "white", "store": INK}
WIDTH = 10.0  # inches
TITLE, TEXT = 9.0, 7.5  # points
PANELS = 4  # of a 2-D array
NUMBERED = 60  # up to so many tiles of a strip, each shows its number
TILE_TICKS = 24


def draw_transfers(
    title: str, tiles: TilesShown, moves: Sequence[MovesShown], bars: BarsShown, notes: Sequence[str]
) -> Figure:
    """A row for each array and below them the timeline."""
    heights = [_height(array, tiles) for array in moves]
    below = 0.2 * len(notes) + 0.1
    total = sum(heights) + 2.0 + 0.75 * (len(heights) + 1) + 0.5 + below
    figure = Figure(figsize=(WIDTH, total), dpi=DOTS_PER_INCH)
    FigureCanvasAgg(figure)
    rows = GridSpec(
        len(moves) + 1,
        1,
        figure,
        height_ratios=[*heights, 2.0],
        left=0.09,
        right=0.975,
        top=1 - 0.8 / total,
        bottom=(0.45 + below) / total,
        hspace=0.75 / (sum([*heights, 2.0]) / (len(heights) + 1)),
    )
    figure.text(0.02, 1 - 0.22 / total, title, fontsize=TITLE + 1, fontweight="bold", color=INK, va="center")
    for place, array in enumerate(moves):
        if len(array.shape) == 1:
            _draw_line(figure.add_subplot(rows[place]), array, tiles)
        else:
            _draw_plane(figure, rows[place], array, tiles)
    _draw_bars(figure.add_subplot(rows[len(moves)]), bars, tiles)
    for place, note in enumerate(notes):
        figure.text(0.02, (below - 0.12 - 0.2 * place) / total, note, fontsize=TEXT, color=FAINT, va="center")
    return figure


def _height(moves: MovesShown, tiles: TilesShown) -> float:
    if len(moves.shape) == 1:
        return float(np.clip(0.16 * len(tiles.labels), 1.2, 4.5))
    wide = WIDTH * 0.86 / PANELS - 0.3
    return float(np.clip(wide * moves.shape[0] / max(moves.shape[1], 1), 0.8, 3.2))


def _draw_line(axes: Axes, moves: MovesShown, tiles: TilesShown) -> None:
    """A 1-D array: elements to the right, tiles downwards."""
    kinds = np.zeros((len(tiles.labels), moves.shape[0]), np.int64)
    kinds[tuple(moves.alive.T)] = 1
    kinds[tuple(moves.load.T)] = 2
    stored = np.zeros(kinds.shape, bool)
    stored[tuple(moves.store.T)] = True
    kinds = np.where(stored, np.where(kinds == 2, 4, 3), kinds)
    colors = ListedColormap(["white", PALE_GREY, LOADS, STORES, BOTH])
    axes.imshow(kinds, colors, vmin=0, vmax=4, aspect="auto", interpolation="nearest")
    for border in np.flatnonzero(np.diff(tiles.strip)) + 0.5:
        axes.axhline(border, color=INK, linewidth=0.5)
    left_out = "" if tiles.total == len(tiles.labels) else f"; the first {len(tiles.labels)} of {tiles.total} tiles"
    text = f"{moves.name}[{moves.shape[0]}]: elements to the right, tiles downwards{left_out}"
    axes.set_title(text, fontsize=TITLE, color=INK, loc="left")
    step = max(1, -(-len(tiles.labels) // TILE_TICKS))
    axes.set_yticks(range(0, len(tiles.labels), step), tiles.labels[::step], fontsize=TEXT - 1.5)
    axes.xaxis.set_major_locator(MaxNLocator(12, integer=True))
    axes.tick_params(axis="x", labelsize=TEXT - 0.5)
    names = {1: ("kept", PALE_GREY), 2: ("loaded", LOADS), 3: ("stored", STORES), 4: ("both", BOTH)}
    patches = [Patch(color=names[kind][1], label=names[kind][0]) for kind in np.unique(kinds) if kind]
    axes.legend(handles=patches, loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=4, frameon=False, fontsize=TEXT)


def _draw_plane(figure: Figure, place: SubplotSpec, moves: MovesShown, tiles: TilesShown) -> None:
    """A 2-D array: for some strips, which tile of the strip loads an element, and which stores it."""
    shown = _panels(moves, len(tiles.strip_labels))
    columns = place.subgridspec(1, PANELS, wspace=0.14)
    for number, (strip, side) in enumerate(shown):
        axes = figure.add_subplot(columns[number])
        rows = getattr(moves, side)
        _draw_owner(axes, moves.shape, rows[tiles.strip[rows[:, 0]] == strip], np.flatnonzero(tiles.strip == strip))
        label = f" (strip {tiles.strip_labels[strip]})" if tiles.strip_labels[strip] else ""
        verb = "loaded" if side == "load" else "stored"
        axes.set_title(f"{moves.name}: {verb} by tile{label}", fontsize=TEXT, color=INK)
        if number:
            axes.tick_params(labelleft=False)


def _panels(moves: MovesShown, count: int) -> list[tuple[int, str]]:
    """Strips and sides: the first strips, the middle one and the last as far as there is room."""
    sides = [side for side in ("load", "store") if len(getattr(moves, side))]
    room = PANELS // max(len(sides), 1)
    strips = sorted({0, count // 2, count - 1}) if room > 2 else sorted({0, count // 2})
    return [(strip, side) for strip in strips for side in sides][:PANELS]


def _draw_owner(axes: Axes, shape: tuple[int, ...], rows: Numbers, inside: Numbers) -> None:
    """Each element in the colour of its tile, with the tile's number in its strip."""
    first, count = int(inside[0]), len(inside)
    owner = np.full(shape, np.nan)
    for tile, row, column in rows:
        owner[row, column] = tile - first
    axes.set_facecolor("white")
    axes.imshow(np.ma.masked_invalid(owner), "YlGnBu", vmin=-0.35 * count, vmax=1.25 * count, interpolation="nearest")
    axes.tick_params(labelsize=TEXT - 1.5)
    axes.xaxis.set_major_locator(MaxNLocator(4, integer=True))
    axes.yaxis.set_major_locator(MaxNLocator(4, integer=True))
    for tile in np.unique(rows[:, 0]) if count <= NUMBERED else ():
        row, column = _middle(rows[rows[:, 0] == tile][:, 1:])
        color = "white" if tile - first > 0.55 * count else INK
        axes.text(column, row, f"{tile - first}", fontsize=TEXT, color=color, ha="center", va="center")


def _middle(elements: Numbers) -> Numbers:
    """The one of some elements that lies nearest to their mean."""
    distances = ((elements - elements.mean(axis=0)) ** 2).sum(axis=1)
    middle: Numbers = elements[int(distances.argmin())]
    return middle


def _draw_bars(axes: Axes, bars: BarsShown, tiles: TilesShown) -> None:
    """Load, computation and store of the first tiles over time."""
    end = max(float(times[:, 1].max(initial=1)) for times in (bars.load, bars.compute, bars.store))
    for row, (word, color) in enumerate(SIDES.items()):
        times = getattr(bars, word)
        for tile, (begin, stop) in enumerate(times):
            if stop == begin:
                continue
            axes.barh(row, stop - begin, left=begin, height=0.72, color=color, edgecolor="white", linewidth=0.6)
            if (stop - begin) / end > 0.012 + 0.0055 * len(tiles.labels[tile]):
                middle, label = (begin + stop) / 2, tiles.labels[tile]
                axes.text(middle, row, label, fontsize=TEXT - 1, color=LETTERS[word], ha="center", va="center")
    axes.set_yticks(range(3), list(SIDES), fontsize=TEXT)
    axes.set_ylim(2.6, -0.6)
    axes.set_xlim(0, end)
    axes.tick_params(axis="x", labelsize=TEXT - 0.5)
    axes.set_xlabel("cycles", fontsize=TEXT, color=INK, loc="right", labelpad=1)
    drawn = f"the first {len(bars.load)}" if len(bars.load) < tiles.total else "all"
    axes.set_title(f"{drawn} tiles with double buffering", fontsize=TITLE, color=INK, loc="left")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
