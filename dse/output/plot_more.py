"""Two fronts in one plot, or in every plane of more than two objectives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator, PercentFormatter

from arrayol.pictures.sheet import DOTS_PER_INCH, our_style
from dse.output.plot_axes import DASHES, FRONT, Axis, compact, scale_axis, staircase
from dse.output.plot_front import SETTINGS
from dse.pareto.fronts import evenly
from dse.results.compare import Comparison, grows
from dse.results.schema import EvolutionRecord, Result
from dse.space.objectives import MACHINE

# Where cycles and bits of a front go: a bar for each design, stacked by what ends its steps and by its memories.

BARS_AT_MOST = 16  # designs; of a longer front some spread evenly, the first and the last among them
LOADS, STORES, OTHERS = "#3d6b99", "#8fb3d4", "0.8"
PROCESSORS = ("#b5341f", "#dd7a3b", "#ecb45c", "#7f9a48", "#4d7c6f", "#8a5a83", "#c48fa8", "#6d6a75")
KINDS = {"buffer": "#5f7f8f", "fifo": "#ecb45c", "state": "#b5341f"}
_BAR_INCHES = 0.27

Parts = Mapping[str, int]


def draw_breakdown(result: Result) -> Figure:
    """Two panels with one bar per design of the front: cycles by what they wait for, memory bits by kind."""
    designs = {design.id: design.breakdown or {} for design in evenly(result.pareto, BARS_AT_MOST)}
    names, cycles = list(designs), [parts["cycles"] for parts in designs.values()]
    with our_style(SETTINGS):
        height = 1.5 + _BAR_INCHES * len(designs)
        figure = Figure(figsize=(9.6, max(height, 2.6)), dpi=DOTS_PER_INCH, layout="constrained")
        FigureCanvasAgg(figure)
        left, right = figure.subplots(1, 2, sharey=True)
        _bars(left, names, cycles, _time_colours(dict.fromkeys(cause for parts in cycles for cause in parts)))
        left.set_xlabel("latency (cycles), by what ends the steps")
        _bars(right, names, [parts["memory_bits"] for parts in designs.values()], KINDS)
        right.set_xlabel("internal memory (bits), by kind")
        title = f"{result.top}: where the cycles and bits of {len(designs)} designs go"
        figure.suptitle(title, x=0.012, ha="left", fontsize=11, fontweight="bold")
    return figure


def _time_colours(names: Iterable[str]) -> dict[str, str]:
    """Port first, then processors in the order of the dataflow; those beyond the palette share a grey."""
    tasks = [name for name in names if name not in ("loads", "stores")]
    colours = {"loads": LOADS, "stores": STORES}
    return colours | {
        task: PROCESSORS[place] if place < len(PROCESSORS) else OTHERS for place, task in enumerate(tasks)
    }


def _bars(axes: Axes, names: Sequence[str], parts: Sequence[Parts], colours: dict[str, str]) -> None:
    left = [0.0] * len(names)
    places = range(len(names))
    for kind, colour in colours.items():
        widths = [part.get(kind, 0) for part in parts]
        if any(widths):
            axes.barh(places, widths, left=left, color=colour, label=kind, height=0.72, linewidth=0)
        left = [start + width for start, width in zip(left, widths, strict=True)]
    axes.set_yticks(places, names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_xlim(0, 1.03 * max([*left, 1]))
    axes.grid(visible=False, axis="y")
    axes.xaxis.set_major_formatter(lambda value, _: compact(value))
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=4, frameon=False, fontsize=8, handlelength=1)


# How the front of a heuristic search grew: its hypervolume by generation.


def draw_convergence(result: Result, evolution: EvolutionRecord) -> Figure:
    """The front's hypervolume after each generation as a share of the last one's, and the designs priced for it."""
    generations = [generation.generation for generation in evolution.convergence]
    shares = [generation.hypervolume for generation in evolution.convergence]
    with our_style(SETTINGS):
        figure = Figure(figsize=(7.2, 3.6), dpi=DOTS_PER_INCH, layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.subplots()
        axes.plot(generations, shares, color=FRONT, linewidth=1.8, marker="o", markersize=3)
        axes.set_xlabel("generation")
        axes.set_ylabel("hypervolume, share of the last front's")
        axes.yaxis.set_major_formatter(PercentFormatter(1.0))
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        span = max(0.01, 1 - min(shares))
        axes.set_ylim(1 - 1.06 * span, 1 + 0.06 * span)
        axes.margins(x=0.02)
        axes.annotate(
            f"{evolution.convergence[-1].evaluated:,} group designs looked at",
            (generations[-1], shares[-1]),
            xytext=(-4, -16),
            textcoords="offset points",
            ha="right",
            fontsize=8,
            color="0.35",
        )
        ended = "stopped when it stalled" if evolution.stalled else "stopped at the last generation allowed"
        title = f"{result.top}: {evolution.generations} generations of NSGA-II"
        figure.suptitle(title, x=0.012, ha="left", fontsize=11, fontweight="bold")
        figure.supxlabel(f"seed {evolution.seed}; {ended}", x=0.012, ha="left", fontsize=7.5, color="0.4")
    return figure


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
