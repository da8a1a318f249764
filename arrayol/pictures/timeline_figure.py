"""The figure of a simulated run: a panel per group, its rows the port and the processors; draws with matplotlib."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec, SubplotSpec
from matplotlib.ticker import FuncFormatter, MaxNLocator

from arrayol.pictures.palette import COMPUTING
from arrayol.pictures.sheet import DOTS_PER_INCH, FAINT, INK, our_colors, width_of
from arrayol.pictures.shown import Bar, GroupShown, StepShown
from arrayol.text import counted

WIDTH = 11.0  # inches
ROW, ABOVE, BELOW = 0.27, 0.62, 0.42  # inches of a panel: each row, over it and under it
LEFT, RIGHT = 0.12, 0.985  # of the width
TITLE, TEXT = 9.0, 7.0  # points
BAR = 0.74  # of a row
GAP = 0.05  # between two runs of steps, of a run's width
LEAST_SHARE = 0.3  # of the width, for a run of few cycles beside a long one


def draw_timeline(title: str, groups: Sequence[GroupShown]) -> Figure:
    """A panel for each group, one below the other; time in cycles from the start of the group."""
    heights = [ROW * (len(group.tasks) + 2) + ABOVE + BELOW for group in groups]
    total = sum(heights) + 0.4
    figure = Figure(figsize=(WIDTH, total), dpi=DOTS_PER_INCH)
    FigureCanvasAgg(figure)
    figure.text(0.01, 1 - 0.2 / total, title, fontsize=TITLE + 1, fontweight="bold", color=INK, va="center")
    colors = our_colors(sorted({bar[0] for group in groups for bar in _bars(group)}))
    top = total - 0.4
    for group, height in zip(groups, heights, strict=True):
        place = GridSpec(
            1, 1, figure, left=LEFT, right=RIGHT, top=(top - ABOVE) / total, bottom=(top - height + BELOW) / total
        )
        text = f"{group.title}: {group.steps:,} steps, {group.cycles:,} cycles"
        figure.text(0.01, (top - 0.16) / total, text, fontsize=TITLE, color=INK, va="center")
        _draw_group(figure, place[0], group, colors)
        top -= height
    return figure


def _bars(group: GroupShown) -> list[Bar]:
    return [bar for run in group.runs for step in run for bar in (*step.loads, *step.stores)]


def _draw_group(figure: Figure, place: SubplotSpec, group: GroupShown, colors: Mapping[str, str]) -> None:
    spans = [run[-1].start + run[-1].length - run[0].start for run in group.runs]
    shares = [max(span, LEAST_SHARE * max(spans), 1) for span in spans]
    panels = place.subgridspec(1, len(group.runs), width_ratios=shares, wspace=GAP)
    rows = ("loads", *group.tasks, "stores")
    for number, run in enumerate(group.runs):
        axes = figure.add_subplot(panels[number])
        inches = WIDTH * (RIGHT - LEFT) * shares[number] / sum(shares) * (1 - GAP / 2 * (len(spans) - 1))
        _draw_run(axes, run, rows, colors, inches)
        axes.set_yticks(range(len(rows)), rows if number == 0 else [""] * len(rows), fontsize=TEXT, color=INK)
        if number == len(spans) - 1:
            axes.set_xlabel("cycles", fontsize=TEXT, color=INK, loc="right", labelpad=1)
        if number == 0:
            axes.annotate(
                "step ", (0, 1), xycoords="axes fraction", fontsize=TEXT, color=FAINT, ha="right", va="bottom"
            )
        else:
            missing = run[0].number - group.runs[number - 1][-1].number - 1
            axes.spines["left"].set_visible(False)
            text = f"after {counted(missing, 'more step')}"
            axes.set_title(text, fontsize=TEXT, color=FAINT, pad=13, loc="left")


def _draw_run(
    axes: Axes, run: Sequence[StepShown], rows: Sequence[str], colors: Mapping[str, str], inches: float
) -> None:
    """Steps next to each other between thin lines, their numbers above."""
    begin, end = run[0].start, run[-1].start + run[-1].length
    scale = inches / max(end - begin, 1)
    for step in run:
        axes.axvline(step.start, color="0.8", linewidth=0.6, zorder=0)
        if step.length * scale > width_of(str(step.number), TEXT) + 0.02:
            middle = step.start + step.length / 2
            axes.text(middle, -0.72, str(step.number), fontsize=TEXT, color=FAINT, ha="center", va="bottom")
        for bar in step.loads:
            _draw_bar(axes, 0, bar, colors[bar[0]], scale)
        for bar in step.stores:
            _draw_bar(axes, len(rows) - 1, bar, colors[bar[0]], scale)
        for task, cycles in step.computing.items():
            _draw_bar(axes, rows.index(task), ("", step.start, step.start + cycles), COMPUTING, scale)
    axes.set_ylim(len(rows) - 0.5, -0.6)
    axes.set_xlim(begin, max(end, begin + 1))
    axes.xaxis.set_major_locator(MaxNLocator(max(2, int(inches / 0.9)), integer=True))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda cycles, _: f"{cycles:,.0f}"))
    axes.tick_params(labelsize=TEXT, length=2)
    axes.tick_params(axis="y", length=0)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def _draw_bar(axes: Axes, row: int, bar: Bar, color: str, scale: float) -> None:
    name, begin, end = bar
    axes.barh(row, end - begin, left=begin, height=BAR, color=color, edgecolor="white", linewidth=0.5)
    if name and (end - begin) * scale > width_of(name, TEXT - 0.5) + 0.04:
        axes.text((begin + end) / 2, row, name, fontsize=TEXT - 0.5, color=INK, ha="center", va="center")
