"""How the front of a heuristic search grew: its hypervolume by generation."""

from __future__ import annotations

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from arrayol.pictures.palette import FRONT
from arrayol.pictures.sheet import our_style
from dse.output.plots.axes import SETTINGS, caption, new_sheet
from dse.results.schema import EvolutionRecord, Result


def draw_convergence(result: Result, evolution: EvolutionRecord) -> Figure:
    """The front's hypervolume after each generation as a share of the last one's, and the designs priced for it."""
    generations = [generation.generation for generation in evolution.convergence]
    shares = [generation.hypervolume for generation in evolution.convergence]
    with our_style(SETTINGS):
        figure = new_sheet(7.2, 3.6)
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
        caption(figure, title, f"seed {evolution.seed}; {ended}")
    return figure
