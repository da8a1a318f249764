"""Where cycles, bits, energy and costs of a front go: a bar for each design, its parts as shares beside its total."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from arrayol.pictures.palette import BARS, BLACK, LOADS, MEMORIES, PALE_GREY, STORES
from arrayol.pictures.sheet import our_style
from arrayol.text import counted, figure_text
from dse.output.plots.axes import SETTINGS, caption, new_sheet
from dse.results.designs import Design
from dse.results.pick import TELLING, telling_designs
from dse.results.schema import Result
from hwmodel.figures import ENERGY

SEEN_FROM = 0.003  # of a bar: about a dot of the picture
_BAR_INCHES = 0.27
_LEAST_BARS = 2  # that there is room for: a single one is hardly taller

Parts = Mapping[str, float]
PANELS_AT_MOST = 6


@dataclass(frozen=True)
class Look:
    """How a part of a bar is filled: beyond the palette its colours come again, hatched."""

    colour: str
    hatch: str = ""

    @property
    def style(self) -> dict[str, Any]:
        """As matplotlib takes it."""
        return {"facecolor": self.colour, "hatch": self.hatch, "edgecolor": "white", "linewidth": 0}


KINDS = {kind: Look(colour) for kind, colour in MEMORIES.items()}


@dataclass(frozen=True)
class BreakdownPanel:
    """The parts of each design in one unit, how each part looks, and what the axis says."""

    parts: Sequence[Parts]
    looks: Mapping[str, Look]
    unit: str
    title: str


def draw_breakdown(result: Result, designs: Sequence[Design] | None = None) -> Figure:
    """Panels with one bar per design, by default of those that tell most of the front, two in a row.

    Cycles by what they wait for, memory bits by kind, energy by part, and each cost by processor, memories beside them.
    """
    if designs is None:
        designs = [result.pareto[place] for place in telling_designs(result.pareto, result.objectives, TELLING)]
    panels = list(_panels(result, designs))[:PANELS_AT_MOST]
    rows = -(-len(panels) // 2)
    with our_style({**SETTINGS, "axes.grid": False}):
        height = 1.7 + _BAR_INCHES * max(len(designs), _LEAST_BARS)
        figure = new_sheet(9.6, rows * height)
        grid = figure.subplots(rows, 2, sharey=True, squeeze=False).ravel()
        for axes, panel in zip(grid, panels, strict=False):
            _bars(axes, [design.id for design in designs], panel)
            axes.set_xlabel(panel.title)
        for axes in grid[len(panels) :]:
            axes.remove()
        whose = "cycles and bits" if len(panels) == 2 else "cycles, bits and costs"
        caption(figure, f"{result.top}: where the {whose} of {counted(len(designs), 'design')} go")
    return figure


def _panels(result: Result, designs: Sequence[Design]) -> Iterator[BreakdownPanel]:
    """Energy before costs, and of costs the objectives first: there may be more than are drawn."""
    breakdowns = [design.breakdown or {} for design in designs]
    cycles = [parts["cycles"] for parts in breakdowns]
    yield BreakdownPanel(cycles, _time_looks(_names(cycles)), "cycles", "share of the latency, by what ends the steps")
    yield BreakdownPanel(
        [parts["memory_bits"] for parts in breakdowns], KINDS, "bits", "share of the bits on the chip, by kind"
    )
    if any("energy_pj" in parts for parts in breakdowns):
        energy = [{name: amount / 1000 for name, amount in (design.energy_pj or {}).items()} for design in designs]
        title = f"share of the energy of a frame{_totals_column(result, ENERGY)}"
        yield BreakdownPanel(energy, _looks(_names(energy), {}), "nJ", title)
    for name in sorted(_names([design.costs for design in designs]), key=lambda name: name not in result.objectives):
        costs = [design.costs.get(name, {}) for design in designs]
        title = f"share of the cost in {name}, by processor{_totals_column(result, name)}"
        yield BreakdownPanel(costs, _looks([*result.space.all_tasks, *_names(costs)], {}), name, title)


def _totals_column(result: Result, figure: str) -> str:
    estimate = result.estimate_text(figure)
    return f"\n({estimate})" if estimate else ""


def _names(parts: Iterable[Mapping[str, object]]) -> list[str]:
    """All names of parts, each once, in their order."""
    return list(dict.fromkeys(name for one in parts for name in one))


def _time_looks(names: Iterable[str]) -> dict[str, Look]:
    """Port first, then processors in the order of the dataflow."""
    return _looks(names, {"loads": Look(LOADS), "stores": Look(STORES)})


def _looks(names: Iterable[str], first: Mapping[str, Look]) -> dict[str, Look]:
    """What comes first, then the others in their order; those beyond all hatches share a grey."""
    looks = dict(first)
    free = [Look(colour) for colour in BARS]
    free += [Look(colour, hatch) for hatch in ("////", "....") for colour in BARS if colour != BLACK]
    for place, task in enumerate(name for name in names if name not in looks):
        looks[task] = free[place] if place < len(free) else Look(PALE_GREY)
    return looks


def _bars(axes: Axes, names: Sequence[str], panel: BreakdownPanel) -> None:
    """Each bar is 100% long; a legend names the parts that somebody can see."""
    parts, looks = panel.parts, panel.looks
    totals = [sum(part.get(kind, 0) for kind in looks) for part in parts]
    ends, places, seen = [0.0] * len(names), range(len(names)), []
    for kind, look in looks.items():
        shares = [part.get(kind, 0) / (total or 1) for part, total in zip(parts, totals, strict=True)]
        if max(shares) >= SEEN_FROM:
            drawn = axes.barh(places, shares, left=ends, height=0.72, **look.style)
            drawn.set_label(kind)
            seen.append(drawn)
        ends = [end + share for end, share in zip(ends, shares, strict=True)]
    for place, total in enumerate(map(figure_text, totals)):
        text = f"{total} {panel.unit}" if place == 0 else total  # above it would be in the way of a wide legend
        axes.text(1.02, place, text, va="center", ha="left", fontsize=8)
    axes.set_yticks(places, names)
    axes.set_ylim(max(len(names), _LEAST_BARS) - 0.5, -0.5)
    axes.set_xlim(0, 1)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1])
    axes.xaxis.set_major_formatter(lambda value, _: f"{100 * value:g}%")
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.legend(
        handles=seen, loc="lower left", bbox_to_anchor=(0, 1), ncols=4, frameon=False, fontsize=8, handlelength=1
    )
