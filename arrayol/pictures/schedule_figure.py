"""The figure of a datapath's schedule: a row per operator, a bar per operation; draws with matplotlib.

A bar is as long as the operation keeps its operator; a thin line goes on to where its result is in a register. The
repetition has colours by class of operators; the next ones, an interval later each, stand behind it in grey.
"""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from arrayol.pictures.palette import PALE_GREY
from arrayol.pictures.sheet import DOTS_PER_INCH, FAINT, INK, our_colors, width_of
from arrayol.pictures.shown import Operation, ScheduleShown
from arrayol.text import counted

WIDTH, ROW, ABOVE, BELOW = 11.0, 0.27, 0.55, 0.45  # inches
LEFT, RIGHT = 0.12, 0.985  # of the width
TITLE, TEXT = 9.0, 7.0  # points
BAR = 0.74  # of a row
ROWS_AT_MOST = 60
NEXT_AT_MOST = 40  # repetitions behind the first


def draw_schedule(schedule: ScheduleShown) -> Figure:
    """One repetition, and the next ones behind it, from the start of the first to the end of its last operation."""
    rows = schedule.rows[:ROWS_AT_MOST]
    left_out = len(schedule.rows) - len(rows)
    height = ROW * max(2, len(rows)) + ABOVE + BELOW
    figure = Figure(figsize=(WIDTH, height), dpi=DOTS_PER_INCH)
    FigureCanvasAgg(figure)
    more = f"; {counted(left_out, 'more operator')} not drawn" if left_out else ""
    title = (
        f"{schedule.name}: a repetition every {counted(schedule.interval, 'cycle')}, "
        f"depth {schedule.depth:,}, latency {schedule.latency:,}{more}"
    )
    figure.text(0.01, 1 - 0.22 / height, title, fontsize=TITLE, fontweight="bold", color=INK, va="center")
    if schedule.interval < max(schedule.depth, 1):
        note = "in grey: the repetitions after it"
        figure.text(RIGHT, 1 - 0.22 / height, note, fontsize=TEXT, color=FAINT, va="center", ha="right")
    axes = figure.add_axes((LEFT, BELOW / height, RIGHT - LEFT, 1 - (ABOVE + BELOW) / height))
    _draw_rows(axes, schedule, rows)
    return figure


def _draw_rows(axes: Axes, schedule: ScheduleShown, rows: Sequence[tuple[str, Sequence[Operation]]]) -> None:
    colors = our_colors(sorted({name.rpartition(" ")[0] for name, _ in rows}))
    end = max([schedule.depth, 1, *(until for _, bars in rows for *_, until in bars)])
    scale = WIDTH * (RIGHT - LEFT) / end
    later = range(schedule.interval, min(end, schedule.interval * (NEXT_AT_MOST + 1)), schedule.interval)
    for row, (name, bars) in enumerate(rows):
        color = colors[name.rpartition(" ")[0]]
        for result, begin, free, until in bars:
            for shift in later:
                axes.barh(row, free - begin, left=begin + shift, height=BAR, color=PALE_GREY, linewidth=0, zorder=1)
            axes.barh(row, until - begin, left=begin, height=BAR / 5, color=color, linewidth=0, zorder=2)
            axes.barh(
                row, free - begin, left=begin, height=BAR, color=color, edgecolor="white", linewidth=0.5, zorder=3
            )
            if (free - begin) * scale > width_of(result, TEXT - 0.5) + 0.04:
                middle = (begin + free) / 2
                axes.text(middle, row, result, fontsize=TEXT - 0.5, color=INK, ha="center", va="center", zorder=4)
    for start in later:
        axes.axvline(start, color=FAINT, linewidth=0.4, linestyle=":", zorder=0)
    axes.set_yticks(range(len(rows)), [name for name, _ in rows], fontsize=TEXT, color=INK)
    axes.set_ylim(max(1, len(rows) - 0.5), -0.6)
    axes.set_xlim(0, end)
    axes.set_xlabel("cycles", fontsize=TEXT, color=INK, loc="right", labelpad=1)
    axes.xaxis.set_major_locator(MaxNLocator(12, integer=True))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda cycles, _: f"{cycles:,.0f}"))
    axes.tick_params(labelsize=TEXT, length=2)
    axes.tick_params(axis="y", length=0)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
