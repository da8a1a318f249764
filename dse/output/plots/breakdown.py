"""Where cycles and bits of a front go: a bar for each design, stacked by what ends its steps and by its memories."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from arrayol.pictures.sheet import our_style
from arrayol.text import counted
from dse.output.plots.axes import SETTINGS, caption, compact, new_sheet
from dse.pareto.fronts import evenly
from dse.results.schema import Result

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
        figure = new_sheet(9.6, max(height, 2.6))
        left, right = figure.subplots(1, 2, sharey=True)
        _bars(left, names, cycles, _time_colours(dict.fromkeys(cause for parts in cycles for cause in parts)))
        left.set_xlabel("latency (cycles), by what ends the steps")
        _bars(right, names, [parts["memory_bits"] for parts in designs.values()], KINDS)
        right.set_xlabel("internal memory (bits), by kind")
        caption(figure, f"{result.top}: where the cycles and bits of {counted(len(designs), 'design')} go")
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
