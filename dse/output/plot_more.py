"""Two fronts in one plot, or in every plane of more than two objectives."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from arrayol.pictures.style import DOTS_PER_INCH, our_style
from dse.output.panel import DASHES, FRONT, Axis, scale_axis, staircase
from dse.output.plot_front import SETTINGS
from dse.results.compare import Comparison
from dse.results.points import grows
from dse.results.schema import Result
from dse.space.figures import MACHINE

FIRST, SECOND = "#3d6b99", FRONT
_MARKERS = {FIRST: "s", SECOND: "o"}  # apart without colours too


def draw_comparison(comparison: Comparison, names: tuple[str, str]) -> Figure:
    """Both fronts, under the names of their folders."""
    objectives = comparison.objectives
    with our_style(SETTINGS):
        side = max(1, len(objectives) - 1)
        inches = (7.2, 4.8) if side == 1 else (3.6 * side, 3.1 * side + 0.6)
        figure = Figure(figsize=inches, dpi=DOTS_PER_INCH, layout="constrained")
        FigureCanvasAgg(figure)
        grid = figure.subplots(side, side, squeeze=False)
        for axes in grid.flat:
            axes.set_visible(False)
        if len(objectives) == 1:
            _panel(grid[0, 0], comparison, objectives[0], None)
        for (column, x), (row, y) in combinations(enumerate(objectives), 2):
            _panel(grid[row - 1, column], comparison, x, y)
        marks = [
            Line2D([], [], linestyle=DASHES, linewidth=1, marker=_MARKERS[colour], markersize=5.5, color=colour)
            for colour in (FIRST, SECOND)
        ]
        counts = [len(result.pareto) for result in (comparison.first, comparison.second)]
        labels = [
            f"{name}: {count:,} design{'' if count == 1 else 's'}" for name, count in zip(names, counts, strict=True)
        ]
        figure.legend(marks, labels, loc="outside upper center", ncols=1, frameon=False)
    return figure


def _panel(axes: Axes, comparison: Comparison, x: str, y: str | None) -> None:
    """One plane; for a single objective by number of groups."""
    axes.set_visible(True)
    points = [_points(result, x, y) for result in (comparison.first, comparison.second)]
    for places, colour in zip(points, (FIRST, SECOND), strict=True):
        alone = y is not None and len(comparison.objectives) == 2 and not (grows(x) or grows(y))
        corners = staircase(places) if alone else []
        if corners:
            axes.plot(*zip(*corners, strict=True), color=colour, linewidth=1, linestyle=DASHES, zorder=3)
        axes.scatter(
            [place[0] for place in places],
            [place[1] for place in places],
            s=30,
            marker=_MARKERS[colour],
            color=colour,
            edgecolors="white",
            linewidths=0.7,
            alpha=0.9,
            zorder=4,
        )
    both = [place for places in points for place in places]
    scale_axis(axes, "x", Axis(_title(x), [place[0] for place in both]))
    vertical = Axis("groups of fused tasks" if y is None else _title(y), [place[1] for place in both], whole=y is None)
    scale_axis(axes, "y", vertical)


def _points(result: Result, x: str, y: str | None) -> Sequence[tuple[float, float]]:
    return [
        (design.objectives[x], len(design.fusion) if y is None else design.objectives[y]) for design in result.pareto
    ]


def _title(name: str) -> str:
    if name not in MACHINE:
        return f"cost in {name}"
    figure = MACHINE[name]
    return f"{figure.title} ({'µs' if figure.unit == 'us' else figure.unit})"
