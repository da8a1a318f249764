"""Fronts in the planes of their objectives: an exploration's with all designs and names, and two results' together.

Two objectives span one plane; more take a panel for every pair of them; a single one is drawn by number of groups.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from arrayol.pictures.palette import FIRST_RESULT, FRONT, OTHER_DESIGNS, SECOND_RESULT
from arrayol.pictures.sheet import our_style
from arrayol.text import counted, wrapped
from dse.output.plots.axes import (
    DASHES,
    SETTINGS,
    Axis,
    Limit,
    Panel,
    Place,
    caption,
    draw_limits,
    draw_panel,
    ends_of,
    plane_grid,
    scale_axis,
    settle,
    staircase,
    with_unit,
)
from dse.output.plots.names import place_names
from dse.results.compare import Comparison
from dse.results.designs import Design
from dse.results.exploration import Exploration
from dse.results.pick import TELLING, knee_of, telling_designs
from dse.results.schema import Result
from dse.results.totals import NAMES
from dse.space.objectives import grows, known_figure
from dse.space.study import parse_constraint

_SIGNS = {"<=": "≤", "<": "<", ">=": "≥", ">": ">"}
INCHES_PER_LETTER = 0.06  # of the caption, with room to spare
INCHES_PER_BOLD_LETTER, LEGEND_INCHES = 0.09, 3.3  # of the title, which stands beside the legend


def draw_front(exploration: Exploration) -> Figure:
    """The figure: the front in the plane of two objectives, by number of groups for one, in every plane for more."""
    with our_style(SETTINGS):
        panels = list(_panels(exploration))
        figure, planes = plane_grid(len(exploration.objectives))
        drawn = [(draw_panel(axes, panel), panel) for axes, panel in zip(planes, panels, strict=True)]
        _describe(figure, exploration)
        settle(figure)  # names must not move what they were placed around
        canvas = figure.canvas
        assert isinstance(canvas, FigureCanvasAgg)
        renderer = canvas.get_renderer()  # type: ignore[no-untyped-call]
        for axes, panel in drawn:
            place_names(axes, renderer, panel, draw_limits(axes, panel))
    return figure


def _panels(exploration: Exploration) -> Iterator[Panel]:
    """A plane for each pair of objectives, the first one across."""
    plotted, objectives = exploration.plotted, exploration.objectives
    front: Sequence[Design] = exploration.result.pareto
    titles = [with_unit(one.title, one.unit, exploration.result.estimate_text(one.name)) for one in objectives]
    names = [objective.name for objective in objectives]
    ends = _ends(exploration)
    axes = [
        Axis(
            title,
            [point[place] for point in plotted.points],
            end=ends[place],
            limits=limits_of(exploration.result, name),
        )
        for place, (title, name) in enumerate(zip(titles, names, strict=True))
    ]
    bend = knee_of(exploration.result)
    knee = [bend.design.objectives[name] for name in names] if bend.is_knee else None
    telling = telling_designs(front, names, TELLING)
    front = [*(front[place] for place in telling), *(one for place, one in enumerate(front) if place not in telling)]
    chosen = [(design.id, [design.objectives[name] for name in names]) for design in front]
    if len(axes) == 1:
        groups = Axis("groups of fused tasks", list(plotted.groups), whole=True)
        at: list[Place] = [
            (point[0], len(design.fusion), name) for (name, point), design in zip(chosen, front, strict=True)
        ]
        yield Panel(axes[0], groups, at, plotted.names, staircase=False, roomy=True)
        return
    alone = len(axes) == 2
    for (first, x), (second, y) in combinations(enumerate(axes), 2):
        at = [(point[first], point[second], name) for name, point in chosen]
        bent = None if knee is None else (knee[first], knee[second])
        yield Panel(x, y, at, plotted.names if alone else (), staircase=alone, roomy=alone, knee=bent)


def limits_of(result: Result, name: str) -> list[Limit]:
    """The bounds on a figure, and what the device has of it."""
    bounds = map(parse_constraint, result.constraints)
    title = figure.title if (figure := known_figure(name)) is not None else name
    limits = [
        Limit(float(one.bound), f"{title} {_SIGNS[one.relation]} {float(one.bound):,.12g}")
        for one in bounds
        if one.figure == name
    ]
    if result.device is not None and name in result.device.capacities:
        most = result.device.capacities[name]
        limits.append(Limit(most, f"{result.device.name}: {most:,} {NAMES[name]}"))
    return limits


def _ends(exploration: Exploration) -> tuple[float, ...]:
    """The largest value on each axis; finite only in the plane of two objectives, smaller is better."""
    names = [objective.name for objective in exploration.objectives]
    if len(names) != 2 or any(map(grows, names)):
        return (math.inf,) * len(names)
    first, second = names
    return ends_of([(design.objectives[first], design.objectives[second]) for design in exploration.result.pareto])


def _beyond(exploration: Exploration) -> int:
    """How many designs of the front are beyond the axes."""
    names, ends = [objective.name for objective in exploration.objectives], _ends(exploration)
    return sum(
        any(design.objectives[name] > end for name, end in zip(names, ends, strict=True))
        for design in exploration.result.pareto
    )


def _count(exploration: Exploration) -> str:
    front, designs = len(exploration.result.pareto), exploration.plotted.designs
    if designs is None:
        return counted(front, "Pareto-optimal design")
    return f"{front:,} of {designs:,} designs {'is' if front == 1 else 'are'} Pareto-optimal"


def _describe(figure: Figure, exploration: Exploration) -> None:
    """What it shows, where it comes from, and a legend outside the axes."""
    result, plotted = exploration.result, exploration.plotted
    of_fusions = plotted.designs is None
    count = _count(exploration)
    room = int((figure.get_figwidth() - LEGEND_INCHES) / INCHES_PER_BOLD_LETTER)
    source = f"{result.model} model, platform {Path(result.platform).name}"
    if result.infeasible and not of_fusions:
        source += f"; {result.infeasible:,} infeasible fusions not shown"
    if beyond := _beyond(exploration):
        source += f"; {counted(beyond, 'extreme design')} of the front beyond the axes"
    source += "; names: tasks per group, 2+2, or numbers of their tasks, 1,3.2"
    source += ", and a number, 2+2:1" if of_fusions else ""
    source = wrapped(source, int(figure.get_figwidth() / INCHES_PER_LETTER))
    caption(figure, wrapped(f"{result.top}: {count}", room), source)
    kind = "front of one fusion" if of_fusions else "design"
    drawn = kind if not plotted.left_out else f"{kind} ({plotted.left_out:,} not drawn)"
    line = 1 if len(exploration.objectives) == 2 else 0
    front = Line2D(
        [], [], linestyle=DASHES, linewidth=line, marker="o", markersize=6, markeredgecolor="white", color=FRONT
    )
    other = Line2D([], [], linestyle="", marker="o", markersize=4.5, markeredgewidth=0, color=OTHER_DESIGNS)
    marks = {drawn: other, "Pareto front": front} if _has_others(exploration) else {"Pareto front": front}
    if len(exploration.objectives) > 1 and knee_of(result).is_knee:
        marks["knee"] = Line2D(
            [], [], linestyle="", marker="o", markersize=10, markerfacecolor="none", markeredgecolor=FRONT
        )
    figure.legend(list(marks.values()), list(marks), loc="outside upper right", ncols=len(marks), frameon=False)


def _has_others(exploration: Exploration) -> bool:
    """Whether a point is drawn that is not on the front."""
    names = [objective.name for objective in exploration.objectives]
    front = {tuple(float(design.objectives[name]) for name in names) for design in exploration.result.pareto}
    return any(tuple(map(float, point)) not in front for point in exploration.plotted.points)


_MARKERS = {FIRST_RESULT: "s", SECOND_RESULT: "o"}  # apart without colours too


def draw_comparison(comparison: Comparison, names: tuple[str, str]) -> Figure:
    """Both fronts, under the names of their folders."""
    objectives = comparison.objectives
    with our_style(SETTINGS):
        figure, planes = plane_grid(len(objectives))
        pairs = list(combinations(objectives, 2)) if len(objectives) > 1 else [(objectives[0], None)]
        for axes, (x, y) in zip(planes, pairs, strict=True):
            _compared_panel(axes, comparison, x, y)
        marks = [
            Line2D([], [], linestyle=DASHES, linewidth=1, marker=_MARKERS[colour], markersize=5.5, color=colour)
            for colour in (FIRST_RESULT, SECOND_RESULT)
        ]
        labels = [
            f"{name}: {counted(len(front), 'design')}" for name, front in zip(names, comparison.fronts, strict=True)
        ]
        figure.legend(marks, labels, loc="outside upper center", ncols=1, frameon=False)
        said = [*(warning.message for warning in comparison.warnings), *comparison.remarks]
        if said:
            width = int(figure.get_figwidth() / INCHES_PER_LETTER)
            figure.supxlabel(
                "\n".join(wrapped(text, width) for text in said), x=0.012, ha="left", fontsize=7.5, color="0.4"
            )
    return figure


def _compared_panel(axes: Axes, comparison: Comparison, x: str, y: str | None) -> None:
    """One plane; for a single objective by number of groups."""
    points = [_points(front, x, y) for front in comparison.fronts]
    for places, colour in zip(points, (FIRST_RESULT, SECOND_RESULT), strict=True):
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
    scale_axis(axes, "x", Axis(_figure_title(comparison, x), [place[0] for place in both]))
    title = "groups of fused tasks" if y is None else _figure_title(comparison, y)
    scale_axis(axes, "y", Axis(title, [place[1] for place in both], whole=y is None))


def _points(front: Sequence[Design], x: str, y: str | None) -> Sequence[tuple[float, float]]:
    return [(design.objectives[x], len(design.fusion) if y is None else design.objectives[y]) for design in front]


def _figure_title(comparison: Comparison, name: str) -> str:
    said = dict.fromkeys(result.estimate_text(name) for result in (comparison.first, comparison.second))
    estimate = " / ".join(filter(None, said))
    figure = known_figure(name)
    if figure is None:
        return with_unit("cost in " + name, estimate) if estimate else f"cost in {name}"
    return with_unit(figure.title, figure.unit, estimate)
