"""The picture of an exploration of layouts: cycles against memories, and what copies of a body are worth."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from arrayol.pictures.layout import ExploredLayouts
from arrayol.pictures.palette import BARS
from arrayol.pictures.sheet import DOTS_PER_INCH, FAINT, INK

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
