"""Where cycles and bits of a front go: a bar for each design, its parts as shares and its total beside it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from arrayol.pictures.palette import (
    BARS,
    BLACK,
    BUFFER,
    FIFO,
    LOADS,
    LOCAL,
    ONCE,
    PALE_GREY,
    ROM,
    STATE,
    STORES,
)
from arrayol.pictures.sheet import our_style
from arrayol.text import counted
from dse.output.plots.axes import SETTINGS, caption, new_sheet
from dse.pareto.fronts import evenly
from dse.results.schema import Result

BARS_AT_MOST = 16  # designs; of a longer front some spread evenly, the first and the last among them
SEEN_FROM = 0.003  # of a bar: about a dot of the picture
_BAR_INCHES = 0.27

Parts = Mapping[str, int]


@dataclass(frozen=True)
class Look:
    """How a part of a bar is filled: beyond the palette its colours come again, hatched."""

    colour: str
    hatch: str = ""

    @property
    def style(self) -> dict[str, Any]:
        """As matplotlib takes it."""
        return {"facecolor": self.colour, "hatch": self.hatch, "edgecolor": "white", "linewidth": 0}


KINDS = {"buffer": Look(BUFFER), "fifo": Look(FIFO), "state": Look(STATE)}
KINDS |= {"once": Look(ONCE), "rom": Look(ROM), "local": Look(LOCAL)}


def draw_breakdown(result: Result) -> Figure:
    """Two panels with one bar per design of the front: cycles by what they wait for, memory bits by kind."""
    designs = {design.id: design.breakdown or {} for design in evenly(result.pareto, BARS_AT_MOST)}
    names, cycles = list(designs), [parts["cycles"] for parts in designs.values()]
    with our_style({**SETTINGS, "axes.grid": False}):
        height = 1.7 + _BAR_INCHES * len(designs)
        figure = new_sheet(9.6, max(height, 2.6))
        left, right = figure.subplots(1, 2, sharey=True)
        _bars(left, names, cycles, _time_looks(dict.fromkeys(cause for parts in cycles for cause in parts)), "cycles")
        left.set_xlabel("share of the latency, by what ends the steps")
        _bars(right, names, [parts["memory_bits"] for parts in designs.values()], KINDS, "bits")
        right.set_xlabel("share of the bits on the chip, by kind")
        caption(figure, f"{result.top}: where the cycles and bits of {counted(len(designs), 'design')} go")
    return figure


def _time_looks(names: Iterable[str]) -> dict[str, Look]:
    """Port first, then processors in the order of the dataflow; those beyond all hatches share a grey."""
    looks = {"loads": Look(LOADS), "stores": Look(STORES)}
    free = [Look(colour) for colour in BARS]
    free += [Look(colour, hatch) for hatch in ("////", "....") for colour in BARS if colour != BLACK]
    for place, task in enumerate(name for name in names if name not in looks):
        looks[task] = free[place] if place < len(free) else Look(PALE_GREY)
    return looks


def _bars(axes: Axes, names: Sequence[str], parts: Sequence[Parts], looks: Mapping[str, Look], unit: str) -> None:
    """Each bar is 100% long; a legend names the parts that somebody can see."""
    totals = [sum(part.get(kind, 0) for kind in looks) for part in parts]
    ends, places, seen = [0.0] * len(names), range(len(names)), []
    for kind, look in looks.items():
        shares = [part.get(kind, 0) / max(total, 1) for part, total in zip(parts, totals, strict=True)]
        if max(shares) >= SEEN_FROM:
            drawn = axes.barh(places, shares, left=ends, height=0.72, **look.style)
            drawn.set_label(kind)
            seen.append(drawn)
        ends = [end + share for end, share in zip(ends, shares, strict=True)]
    for place, total in [(-0.75, unit), *enumerate(f"{total:,}" for total in totals)]:
        axes.text(1.02, place, total, va="center", ha="left", fontsize=8)
    axes.set_yticks(places, names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_xlim(0, 1)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1])
    axes.xaxis.set_major_formatter(lambda value, _: f"{100 * value:g}%")
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.legend(
        handles=seen, loc="lower left", bbox_to_anchor=(0, 1), ncols=4, frameon=False, fontsize=8, handlelength=1
    )
