"""The picture of bank layouts: arrays coloured by bank, and what each layout saves by unroll factors."""

from __future__ import annotations

from textwrap import fill

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure, SubFigure
from matplotlib.ticker import NullLocator

from arrayol.pictures.palette import BARS, BLUE, CELLS, GREY, ORANGE
from arrayol.pictures.sheet import DOTS_PER_INCH, FAINT, INK, LINE
from arrayol.pictures.shown import ArrayMaps, BankMap, ExploredLayouts, LayoutPicture, Reductions

# The picture of an exploration of layouts: cycles against memories, and what copies of a body are worth.


_MARKERS = "osD^vPX"
_WIDTH, _HEIGHT = 11.0, 4.4


def draw_exploration(explored: ExploredLayouts) -> Figure:
    """Two charts side by side, on axes of powers of two."""
    figure = Figure(figsize=(_WIDTH, _HEIGHT), dpi=DOTS_PER_INCH, layout="constrained")
    FigureCanvasAgg(figure)
    figure.suptitle(explored.title, x=0.012, ha="left", fontsize=12, fontweight="bold", color=INK)
    left, right = figure.subplots(1, 2)
    for number, (name, points) in enumerate(explored.designs):
        _series(left, number, name, points, "")
    left.set_yscale("log", base=2)
    left.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    _label(left, "memories", "cycles per iteration")
    for number, (name, points) in enumerate(explored.copies):
        _series(right, number, name, points, "-")
    right.set_ylim(-3, 103)
    _label(right, "copies of the body", "fewer cycles than naive (%)")
    figure.supxlabel(explored.remark, x=0.012, ha="left", fontsize=8, color=FAINT)
    return figure


def _series(axes: Axes, number: int, name: str, points: tuple[tuple[int, float], ...], line: str) -> None:
    colour, marker = BARS[number % len(BARS)], _MARKERS[number % len(_MARKERS)]
    x, y = zip(*points, strict=True)
    axes.plot(x, y, linestyle=line or "none", marker=marker, markersize=5.5, color=colour, label=name, linewidth=1.2)


def _label(axes: Axes, x: str, y: str) -> None:
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel(x, fontsize=9)
    axes.set_ylabel(y, fontsize=9)
    axes.tick_params(labelsize=8)
    axes.grid(color="0.92", zorder=0)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.legend(fontsize=8, frameon=False)


_MAP, _LARGEST_CELL = 2.8, 0.35  # inches: a map's width, the side of an element
_WIDTH = 12.0
_REDUCTION_HEIGHT = 2.5
_SERIES = (GREY, ORANGE, BLUE)
_NUMBERS_AT_MOST = 100  # banks with more than two digits do not fit in a cell


def draw_layout(picture: LayoutPicture) -> Figure:
    """Rows of maps, one per array, above a chart for each number of memories."""
    heights = [_map_height(array) for array in picture.arrays]
    total = sum(heights) + _REDUCTION_HEIGHT * len(picture.reductions) + 1.1
    figure = Figure(figsize=(_WIDTH, total), dpi=DOTS_PER_INCH, layout="constrained")
    FigureCanvasAgg(figure)
    figure.suptitle(picture.title, x=0.012, ha="left", fontsize=12, fontweight="bold", color=INK)
    rows = [*heights, *[_REDUCTION_HEIGHT] * len(picture.reductions)]
    parts = np.atleast_1d(np.asarray(figure.subfigures(len(rows), 1, height_ratios=rows)))
    for part, array in zip(parts, picture.arrays, strict=False):
        _draw_array(part, array)
    for part, reductions in zip(parts[len(heights) :], picture.reductions, strict=True):
        _draw_reductions(part, reductions, picture.factors)
    remarks = fill("; ".join(picture.remarks), 150)
    figure.supxlabel(remarks, x=0.012, ha="left", fontsize=8, color=FAINT)
    return figure


def _map_height(array: ArrayMaps) -> float:
    rows, columns = array.maps[0].bank.shape
    return float(0.95 + rows * min(_MAP / columns, _LARGEST_CELL))


def _draw_array(part: SubFigure, array: ArrayMaps) -> None:
    part.suptitle(f"{array.array}: {array.shown}", x=0.012, ha="left", fontsize=10, color=INK)
    axes = np.atleast_1d(np.asarray(part.subplots(1, len(array.maps))))
    for place, bank_map in zip(axes, array.maps, strict=True):
        _draw_map(place, bank_map)


def _draw_map(axes: Axes, bank_map: BankMap) -> None:
    axes.set_title(bank_map.layout, fontsize=9, color=INK)
    axes.set_xlabel(bank_map.note, fontsize=7.5, color=FAINT)
    if bank_map.missing:
        axes.set_axis_off()
        axes.text(0.5, 0.5, fill(bank_map.missing, 28), ha="center", va="center", fontsize=8, transform=axes.transAxes)
        return
    colors = np.where(bank_map.bank < 0, len(CELLS), bank_map.bank % len(CELLS))
    axes.imshow(colors, cmap=ListedColormap([*CELLS, "white"]), vmin=0, vmax=len(CELLS), interpolation="nearest")
    rows, columns = bank_map.bank.shape
    axes.set_xticks(range(0, columns, 4))
    axes.set_yticks(range(0, rows, 4) if rows > 1 else [])
    axes.tick_params(length=0, labelsize=7, colors=FAINT, pad=1)
    axes.xaxis.tick_top()
    for side in axes.spines.values():
        side.set_color(LINE)
    if bank_map.banks <= _NUMBERS_AT_MOST and bank_map.banks > 1:
        for row, column in np.argwhere(bank_map.bank >= 0):
            bank = str(bank_map.bank[row, column])
            axes.text(column, row, bank, ha="center", va="center", fontsize=5.5, color=INK)


def _draw_reductions(part: SubFigure, reductions: Reductions, factors: str) -> None:
    axes = part.subplots()
    places = np.arange(len(reductions.unrolls))
    width = 0.8 / max(1, len(reductions.series))
    for number, (name, values) in enumerate(reductions.series):
        heights = [0.0 if value is None else value for value in values]
        offset = (number - (len(reductions.series) - 1) / 2) * width
        for place, value in zip(places, values, strict=True):
            if value == 0:
                axes.text(place + offset, 1, "0", ha="center", fontsize=7, color=FAINT)
        axes.bar(places + offset, heights, width * 0.9, label=name, color=_SERIES[number % len(_SERIES)], zorder=2)
    axes.set_title(f"{reductions.banks} memories", fontsize=10, loc="left", color=INK)
    axes.set_ylabel("fewer cycles\nthan naive (%)", fontsize=8)
    axes.set_xticks(places, reductions.unrolls, fontsize=8)
    axes.set_xlabel(f"unroll factors: {factors}", fontsize=8)
    axes.set_xlim(-0.6, max(len(places), 8) - 0.4)  # a few bars stay slim
    lowest = min((value for _, values in reductions.series for value in values if value is not None), default=0.0)
    axes.set_ylim(min(0.0, lowest), 100)
    axes.set_yticks(range(-25 * int(-min(0.0, lowest) // 25), 101, 25))
    axes.tick_params(axis="y", labelsize=8)
    axes.grid(axis="y", color="0.9", zorder=0)
    limit = 100 * (1 - 1 / reductions.banks)
    busy = f"all banks busy: {limit:.3g}%"
    axes.axhline(limit, color=LINE, linewidth=0.8, linestyle=(0, (4, 2)), zorder=1, label=busy)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=len(reductions.series) + 1, frameon=False, fontsize=8)
