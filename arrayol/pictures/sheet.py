"""A sheet of paper in inches, y downwards: the few strokes that the pictures are made of; draws with matplotlib."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, PathPatch, Rectangle
from matplotlib.path import Path as Curve
from matplotlib.patheffects import withStroke
from matplotlib.textpath import text_to_path

from arrayol.pictures.palette import CELLS

# How every picture looks, whatever the user's matplotlib settings say: the same bytes everywhere.

SETTINGS: dict[str, Any] = {
    "font.family": "DejaVu Sans",  # comes with matplotlib
    "text.hinting": "no_hinting",  # a text is as wide in the SVG as in the PNG, and as it was measured
    "text.parse_math": False,  # a $ in a path is a $
    "savefig.dpi": "figure",
    "svg.hashsalt": "arrayol",
    "hatch.linewidth": 0.6,
}
DOTS_PER_INCH = 200  # of a PNG
_OF_WINDOWS = {"backend", "backend_fallback", "interactive", "toolbar"}  # what no picture depends on


@contextmanager
def our_style(further: Mapping[str, Any] | None = None) -> Iterator[None]:
    """Matplotlib's defaults, our settings and further ones, and none of its remarks."""
    log = logging.getLogger("matplotlib")
    before = log.level
    log.setLevel(logging.ERROR)
    # Not by `matplotlib.style`: it reads all the styles that there are.
    defaults = {name: value for name, value in mpl.rcParamsDefault.items() if name not in _OF_WINDOWS}
    settings: Any = {**defaults, **SETTINGS, **(further or {})}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with mpl.rc_context(settings):
                yield
    finally:
        log.setLevel(before)


def write_figure(figure: Figure, path: Path) -> None:
    """Write a figure in the format of the path's suffix, without dates or versions in it."""
    metadata = {".svg": {"Date": None, "Creator": None}, ".png": {"Software": None}}
    figure.savefig(path, metadata=metadata[path.suffix.lower()])


# The strokes.

INK, FAINT, LINE, FAULT = "#1d2730", "#66727d", "#5b6873", "#c81e1e"
DOTS_AT_MOST = 30_000  # along a side
POINTS = 72  # to the inch
HALO = 2.2  # points of white around what crosses other things

Position = tuple[float, float]
Key = TypeVar("Key")


@lru_cache(maxsize=4096)
def width_of(text: str, size: float, bold: bool = False) -> float:
    """The width in inches of one line of text."""
    font = FontProperties(family="DejaVu Sans", size=size, weight="bold" if bold else "normal")
    width, _, _ = text_to_path.get_text_width_height_descent(text, font, ismath=False)
    return float(width) / POINTS


def height_of(size: float) -> float:
    """The height in inches that a line of text takes."""
    return 1.35 * size / POINTS


def our_colors(keys: Sequence[Key]) -> dict[Key, str]:
    """A colour for each key; beyond the palette they come again."""
    return {key: CELLS[place % len(CELLS)] for place, key in enumerate(keys)}


def paler(color: str) -> str:
    """A colour mixed with white."""
    parts = (int(color[place : place + 2], 16) for place in (1, 3, 5))
    return "#" + "".join(f"{(part + 2 * 255) // 3:02x}" for part in parts)


class Canvas:
    """A sheet of `width` x `height` inches."""

    def __init__(self, width: float, height: float) -> None:
        dots = min(DOTS_PER_INCH, DOTS_AT_MOST / max(width, height))
        self.figure = Figure(figsize=(width, height), dpi=dots)
        FigureCanvasAgg(self.figure)
        self.axes = self.figure.add_axes((0.0, 0.0, 1.0, 1.0))
        self.axes.set_xlim(0, width)
        self.axes.set_ylim(height, 0)
        self.axes.set_axis_off()

    def text(  # noqa: PLR0913  each is a property of the text
        self,
        at: Position,
        text: str,
        size: float,
        *,
        bold: bool = False,
        color: str = INK,
        align: str = "left",
        halo: bool = False,
        upright: bool = False,
        above: float = 5,
    ) -> None:
        """One line of text; `at` is the middle of its left end, of its centre or of its right end.

        An `upright` one reads upwards.
        """
        self.axes.text(
            *at,
            text,
            fontsize=size,
            fontweight="bold" if bold else "normal",
            color=color,
            rotation=90 if upright else 0,
            horizontalalignment=align,
            verticalalignment="center" if upright else "center_baseline",
            path_effects=[withStroke(linewidth=HALO, foreground="white")] if halo else [],
            zorder=above,
        )

    def box(
        self,
        at: Position,
        size: Position,
        *,
        fill: str,
        edge: str,
        rounding: float = 0.05,
        width: float = 0.9,
        dashed: bool = False,
    ) -> None:
        """A rounded box by its upper left corner."""
        shape = f"round,pad=0,rounding_size={rounding}"
        line = (0, (4, 2)) if dashed else "-"
        box = FancyBboxPatch(at, *size, boxstyle=shape, facecolor=fill, edgecolor=edge, linewidth=width, linestyle=line)
        box.set_zorder(2)
        self.axes.add_patch(box)

    def cell(  # noqa: PLR0913  each is a property of the cell
        self,
        at: Position,
        size: Position,
        *,
        fill: str = "none",
        edge: str = "none",
        width: float = 0.0,
        dashed: bool = False,
        hatched: bool = False,
        above: float = 1,
    ) -> None:
        """A rectangle by its upper left corner."""
        line = (0, (2, 1.5)) if dashed else "-"
        cell = Rectangle(at, *size, facecolor=fill, edgecolor=edge, linewidth=width, linestyle=line, zorder=above)
        if hatched:
            cell.set_edgecolor("0.4")  # the hatch takes the edge's color
            cell.set_hatch("////")
        self.axes.add_patch(cell)

    def line(
        self,
        points: Sequence[Position],
        *,
        color: str = LINE,
        width: float = 0.9,
        dotted: bool = False,
        above: float = 1.5,
    ) -> None:
        """A line through points."""
        xs, ys = zip(*points, strict=True)
        line = Line2D(xs, ys, color=color, linewidth=width, linestyle=":" if dotted else "-", solid_capstyle="butt")
        line.set_zorder(above)
        self.axes.add_line(line)

    def flow(self, points: Sequence[Position], *, color: str = LINE, dashed: bool = False) -> None:
        """A line with an arrow head that is level inside columns and swings between: corners as `layers` gives them."""
        corners: list[Position] = [points[0], points[1]]
        codes = [Curve.MOVETO, Curve.LINETO]
        for (x0, y0), (x1, y1), end in zip(points[1:-1:2], points[2::2], points[3::2], strict=True):
            middle = (x0 + x1) / 2
            corners += [(middle, y0), (middle, y1), (x1, y1), end]
            codes += [Curve.CURVE4] * 3 + [Curve.LINETO]
        line = (0, (3, 2)) if dashed else "-"
        self.axes.add_patch(
            PathPatch(Curve(corners, codes), facecolor="none", edgecolor=color, linewidth=0.9, linestyle=line, zorder=1)
        )
        self.head(points[-1], (1.0, 0.0), color)

    def head(self, tip: Position, direction: Position, color: str) -> None:
        """The head of an arrow whose direction is a unit vector."""
        (x, y), (dx, dy), length, half = tip, direction, 0.08, 0.033
        back = (x - length * dx, y - length * dy)
        corners = [tip, (back[0] - half * dy, back[1] + half * dx), (back[0] + half * dy, back[1] - half * dx), tip]
        self.axes.add_patch(PathPatch(Curve(corners, closed=True), facecolor=color, edgecolor="none", zorder=1.6))

    def arrow(self, start: Position, end: Position, *, color: str, width: float, above: float = 6) -> None:
        """A straight arrow with a white halo, seen over everything."""
        arrow = FancyArrowPatch(
            start, end, arrowstyle="-|>", mutation_scale=5 + 2.2 * width, shrinkA=0, shrinkB=0, color=color,
            linewidth=width, joinstyle="miter", zorder=above,
            path_effects=[withStroke(linewidth=width + 1.8, foreground="white")],
        )  # fmt: skip
        self.axes.add_patch(arrow)

    def dot(self, at: Position) -> None:
        """A round mark with a white rim."""
        self.axes.add_line(
            Line2D(
                [at[0]], [at[1]], marker="o", markersize=4.5, color=INK, markeredgecolor="white", linestyle="",
                markeredgewidth=0.7, zorder=7,
            )
        )  # fmt: skip
