"""The figure of an exploration: all designs, the front and its names, for one, two or more objectives."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from textwrap import fill

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from arrayol.pictures.sheet import DOTS_PER_INCH, our_style
from dse.output.plot_axes import ALL, DASHES, FRONT, Axis, Panel, Place, draw_panel, place_names
from dse.results.exploration import Exploration
from dse.space.objectives import Figure as Quantity
from dse.space.objectives import Objective

SETTINGS = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "0.92",
    "grid.linewidth": 0.7,
}
INCHES_PER_LETTER = 0.06  # of the caption, with room to spare
INCHES_PER_BOLD_LETTER, LEGEND_INCHES = 0.09, 2.4  # of the title, which stands beside the legend


def draw(exploration: Exploration) -> Figure:
    """The figure: the front in the plane of two objectives, by number of groups for one, in every plane for more."""
    with our_style(SETTINGS):
        panels = list(_panels(exploration))
        side = max(1, len(exploration.objectives) - 1)
        inches = (7.2, 4.8) if side == 1 else (3.6 * side, 3.1 * side + 0.6)
        figure = Figure(figsize=inches, dpi=DOTS_PER_INCH, layout="constrained")
        canvas = FigureCanvasAgg(figure)
        grid = figure.subplots(side, side, squeeze=False)
        for axes in grid.flat:
            axes.set_visible(False)
        drawn = [(draw_panel(_shown(grid[panel.row, panel.column]), panel), panel) for panel in panels]
        _caption(figure, exploration)
        canvas.draw()  # type: ignore[no-untyped-call]
        figure.set_layout_engine("none")  # names must not move what they were placed around
        renderer = canvas.get_renderer()  # type: ignore[no-untyped-call]
        for axes, panel in drawn:
            place_names(axes, renderer, panel)
    return figure


def write(figure: Figure, *paths: Path) -> None:
    """Write a figure without dates or versions in it."""
    metadata = {".svg": {"Date": None, "Creator": None}, ".png": {"Software": None}}
    for path in paths:
        with our_style(SETTINGS):
            figure.savefig(path, metadata=metadata[path.suffix])


def _shown(axes: Axes) -> Axes:
    axes.set_visible(True)
    return axes


def _panels(exploration: Exploration) -> Iterator[Panel]:
    """Below the diagonal of a matrix of objectives: columns by the first, rows by the second of each pair."""
    plotted, front, objectives = exploration.plotted, exploration.result.pareto, exploration.objectives
    axes = [
        Axis(_title(objective), [point[place] for point in plotted.points])
        for place, objective in enumerate(objectives)
    ]
    names = [objective.name for objective in objectives]
    chosen = [(design.id, [design.objectives[name] for name in names]) for design in front]
    if len(axes) == 1:
        groups = Axis("groups of fused tasks", list(plotted.groups), whole=True)
        at: list[Place] = [
            (point[0], len(design.fusion), name) for (name, point), design in zip(chosen, front, strict=True)
        ]
        yield Panel(0, 0, axes[0], groups, at, plotted.names, staircase=False, roomy=True)
        return
    alone = len(axes) == 2
    for (column, x), (row, y) in combinations(enumerate(axes), 2):
        at = [(point[column], point[row], name) for name, point in chosen]
        yield Panel(row - 1, column, x, y, at, plotted.names if alone else (), staircase=alone, roomy=alone)


def _title(objective: Objective | Quantity) -> str:
    return f"{objective.title} ({'µs' if objective.unit == 'us' else objective.unit})"


def _count(exploration: Exploration) -> str:
    front, designs = len(exploration.result.pareto), exploration.plotted.designs
    if designs is None:
        return f"{front:,} Pareto-optimal design{'' if front == 1 else 's'}"
    return f"{front:,} of {designs:,} designs {'is' if front == 1 else 'are'} Pareto-optimal"


def _caption(figure: Figure, exploration: Exploration) -> None:
    """What it shows, where it comes from, and a legend outside the axes."""
    result, plotted = exploration.result, exploration.plotted
    of_fusions = plotted.designs is None
    count = _count(exploration)
    room = max(6, int((figure.get_figwidth() - LEGEND_INCHES) / INCHES_PER_BOLD_LETTER) - len(count) - 2)
    name = result.top if len(result.top) <= room else f"{result.top[: room - 1]}…"
    title = f"{name}: {count}"
    figure.suptitle(title, x=0.012, ha="left", fontsize=11, fontweight="bold")
    source = f"{result.model} model, platform {Path(result.platform).name}"
    if result.infeasible and not of_fusions:
        source += f"; {result.infeasible:,} infeasible fusions not shown"
    source += "; names: tasks per group, 2+2, or numbers of their tasks, 1,3.2"
    source += ", and a number, 2+2:1" if of_fusions else ""
    lines = fill(source, int(figure.get_figwidth() / INCHES_PER_LETTER))
    figure.supxlabel(lines, x=0.012, ha="left", fontsize=7.5, color="0.4")
    kind = "front of one fusion" if of_fusions else "design"
    drawn = kind if not plotted.left_out else f"{kind} ({plotted.left_out:,} not drawn)"
    line = 1 if len(exploration.objectives) == 2 else 0
    front = Line2D(
        [], [], linestyle=DASHES, linewidth=line, marker="o", markersize=6, markeredgecolor="white", color=FRONT
    )
    other = Line2D([], [], linestyle="", marker="o", markersize=4.5, markeredgewidth=0, color=ALL)
    figure.legend([other, front], [drawn, "Pareto front"], loc="outside upper right", ncols=2, frameon=False)
