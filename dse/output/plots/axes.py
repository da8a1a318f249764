"""What the figures of results share: the sheet with its captions, and one pair of axes with its scales and ticks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import comb, log2
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Annotation
from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator
from matplotlib.transforms import Transform

from arrayol.pictures.palette import FRONT, OTHER_DESIGNS
from arrayol.pictures.sheet import DOTS_PER_INCH, our_style

SETTINGS = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "0.92",
    "grid.linewidth": 0.7,
}
DASHES = (0, (4, 2))
LOGARITHMIC_FROM = 8.0  # largest by smallest value: beyond, a linear axis would press the small ones together
CROWDED_FROM = 60  # designs of the front; their marks would hide each other
RASTER_FROM = 5_000  # points; as vectors they would make an SVG of many megabytes

LIMIT_GREY = "0.25"
_LIMIT_LOOK: dict[str, Any] = {"color": LIMIT_GREY, "linewidth": 1.1, "linestyle": (0, (1, 1.5)), "zorder": 2.5}
KNEE_LOOK: dict[str, Any] = {"s": 130, "facecolors": "none", "edgecolors": FRONT, "linewidths": 1.4, "zorder": 4.5}

Place = tuple[float, float, str]


def new_sheet(width: float, height: float) -> Figure:
    """An empty figure of so many inches."""
    figure = Figure(figsize=(width, height), dpi=DOTS_PER_INCH, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


PLANES_IN_A_ROW = 3


def plane_grid(objectives: int) -> tuple[Figure, list[Axes]]:
    """A figure, and axes for the plane of each pair of objectives, or for a single objective."""
    planes = max(1, comb(objectives, 2))
    columns = min(planes, PLANES_IN_A_ROW)
    rows = -(-planes // columns)
    figure = new_sheet(7.2, 4.8) if planes == 1 else new_sheet(4.0 * columns, 3.4 * rows + 0.6)
    return figure, [figure.add_subplot(rows, columns, place + 1) for place in range(planes)]


def caption(figure: Figure, title: str, source: str = "") -> None:
    """What a figure shows above it, and below in grey where that comes from."""
    figure.suptitle(title, x=0.012, ha="left", fontsize=11, fontweight="bold")
    if source:
        figure.supxlabel(source, x=0.012, ha="left", fontsize=7.5, color="0.4")


def write_figure(figure: Figure, *paths: Path) -> None:
    """Write a figure without dates or versions in it."""
    metadata = {".svg": {"Date": None, "Creator": None}, ".png": {"Software": None}}
    with our_style(SETTINGS):
        settle(figure)
    for path in paths:
        with our_style(SETTINGS):
            figure.savefig(path, metadata=metadata[path.suffix])


def settle(figure: Figure) -> None:
    """Lay a figure out for good: what is drawn afterwards moves nothing, and no format lays it out again."""
    if figure.get_layout_engine() is not None:
        figure.draw_without_rendering()
        figure.set_layout_engine(None)


NEAR = 4.0  # times as large, or as small, as what the axis shows: a limit that near is on it too


@dataclass(frozen=True)
class Limit:
    """A line across the axes: a bound on a figure, or what a device has, and what is written beside it."""

    value: float
    text: str


@dataclass(frozen=True)
class Axis:
    """One coordinate of all designs; `whole` for counts. Larger values than `end` are beyond the axis.

    Of `limits` the axis shows those that are near its values.
    """

    title: str
    values: Sequence[float]
    whole: bool = False
    end: float = math.inf
    limits: Sequence[Limit] = ()

    @property
    def range(self) -> tuple[float, float]:
        """The least and the largest value that are shown, of designs and limits."""
        low, high = self._of_values
        lines = [limit.value for limit in self.near]
        return min([low, *lines]), max([high, *lines])

    @property
    def near(self) -> Sequence[Limit]:
        """The limits that are on the axis."""
        low, high = self._of_values
        return [limit for limit in self.limits if low / NEAR <= limit.value <= high * NEAR]

    @property
    def _of_values(self) -> tuple[float, float]:
        return min(self.values), max(value for value in self.values if value <= self.end)

    @property
    def logarithmic(self) -> bool:
        """Whether the range asks for a log scale."""
        low, high = self.range
        return not self.whole and low > 0 and high >= LOGARITHMIC_FROM * low


@dataclass(frozen=True)
class Panel:
    """What one pair of axes shows; `names` beside the points of all designs, or empty.

    Those of the `front` that come first are named first. `staircase` joins the front; a `roomy` panel has space for
    names away from their points. The `knee` is one of the front; None where the front has none.
    """

    x: Axis
    y: Axis
    front: Sequence[Place]
    names: Sequence[tuple[str, ...]]
    staircase: bool
    roomy: bool
    knee: tuple[float, float] | None = None

    @property
    def steps(self) -> list[tuple[float, float]]:
        """The corners of the line below which nothing was found."""
        return staircase([(x, y) for x, y, _ in self.front]) if self.staircase else []


def staircase(front: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The corners of the line below which nothing was found."""
    corners: list[tuple[float, float]] = []
    for x, y in sorted(set(front)):
        corners += [(x, corners[-1][1])] if corners else []
        corners.append((x, y))
    return corners


_JUMP = 1.0  # octaves that an end gives up at once to be extreme, and so many times what it gains
_TIMES = 5.0


def ends_of(front: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """The largest x and y of a front of two objectives that a picture is scaled to: those of its ends.

    An end that gives up octaves of one objective for nearly nothing of the other is extreme, and beyond the picture.
    """
    points = sorted({(x, y) for x, y in front if min(x, y) > 0})
    if len(points) < len(set(front)):
        return math.inf, math.inf  # zeros have no octaves
    last_x = _extreme_from(points)
    last_y = _extreme_from([(y, x) for x, y in reversed(points)])
    return last_x, last_y


def _extreme_from(points: Sequence[tuple[float, float]]) -> float:
    """The first value of points of a front, ascending, of which the rest are not extreme; infinite where none are."""
    end = math.inf
    for (x, y), (further, lower) in reversed(list(pairwise(points))):
        lost, gained = log2(further / x), log2(y / lower)
        if lost <= max(_JUMP, _TIMES * gained):
            break
        end = x
    return end


def draw_panel(axes: Axes, panel: Panel) -> Axes:
    """Points, front and scales; names come when the layout is settled."""
    many = len(panel.x.values) > RASTER_FROM
    axes.scatter(
        np.asarray(panel.x.values, np.float64),  # of a list matplotlib asks each number whether it is masked
        np.asarray(panel.y.values, np.float64),
        s=5 if many else 22,
        color=OTHER_DESIGNS,
        alpha=0.25 if many else 0.75,
        linewidths=0,
        rasterized=many,
        zorder=2,
    )
    if panel.steps:
        axes.plot(*zip(*panel.steps, strict=True), color=FRONT, linewidth=1, linestyle=DASHES, zorder=3)
    crowded = len(panel.front) > CROWDED_FROM
    axes.scatter(
        np.array([x for x, _, _ in panel.front], np.float64),
        np.array([y for _, y, _ in panel.front], np.float64),
        s=9 if crowded else 34,
        color=FRONT,
        edgecolors="white",
        linewidths=0 if crowded else 0.8,
        zorder=4,
    )
    if panel.knee is not None:
        axes.scatter(*panel.knee, **KNEE_LOOK)
    scale_axis(axes, "x", panel.x)
    scale_axis(axes, "y", panel.y)
    return axes


def draw_limits(axes: Axes, panel: Panel) -> list[Annotation]:
    """Draw the limits of both axes, and write beside each what it is."""
    texts = []
    for limit in panel.x.near:
        axes.axvline(limit.value, **_LIMIT_LOOK)
        place = axes.get_xaxis_transform()
        texts.append(_limit_label(axes, limit, (limit.value, 0.99), place, offset=(-2, 0), rotation=90, va="top"))
    for limit in panel.y.near:
        axes.axhline(limit.value, **_LIMIT_LOOK)
        place = axes.get_yaxis_transform()
        texts.append(_limit_label(axes, limit, (0.99, limit.value), place, offset=(0, 2), va="bottom"))
    return texts


def _limit_label(
    axes: Axes, limit: Limit, at: tuple[float, float], place: Transform, *, offset: tuple[float, float], **look: Any
) -> Annotation:
    """The text of a limit, right-aligned at so many points from its line."""
    text = axes.annotate(
        limit.text, at, xycoords=place, xytext=offset, textcoords="offset points", ha="right", fontsize=7.5, **look
    )
    text.set(color=LIMIT_GREY, in_layout=False)
    return text


def with_unit(title: str, unit: str, estimate: str = "") -> str:
    """An axis title, which says where the figure is an estimate."""
    return f"{title} ({'; '.join(filter(None, ('µs' if unit == 'us' else unit, estimate)))})"


def scale_axis(axes: Axes, which: str, axis: Axis) -> None:
    """The title, range and ticks of one side of the axes."""
    side = axes.xaxis if which == "x" else axes.yaxis
    side.set_label_text(axis.title)
    low, high = axis.range
    limits = axes.set_xlim if which == "x" else axes.set_ylim
    if axis.logarithmic:
        (axes.set_xscale if which == "x" else axes.set_yscale)("log")
        room = (high / low) ** 0.09
        limits(low / room, high * room)
        side.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if high < 1000 * low else (1.0,), numticks=12))
        side.set_minor_locator(NullLocator())
    else:
        room = 0.09 * (high - low) or 0.5 * abs(high) or 0.5
        limits(low - max(room, 0.5) if axis.whole else low - room, high + (max(room, 0.5) if axis.whole else room))
        steps = [1, 2, 5, 10] if axis.whole else [1, 2, 2.5, 5, 10]
        side.set_major_locator(MaxNLocator(nbins=8 if axis.whole else 6, steps=steps, integer=axis.whole))
    side.set_major_formatter(lambda value, _: compact(value))


def compact(value: float) -> str:
    """A tick's label: 2M, 15k, 0.5."""
    for unit, suffix in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= unit:
            return f"{value / unit:g}{suffix}"
    return f"{value:g}"
