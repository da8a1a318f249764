"""Figures of results drawn once and written in the format of each path's suffix (.png, .svg).

What draws is imported on first use: it loads matplotlib. The same data give the same bytes with the same matplotlib.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dse.results.compare import Comparison
from dse.results.designs import Design
from dse.results.exploration import Exploration
from dse.results.schema import Result


def save_front(exploration: Exploration, *paths: Path) -> None:
    """The designs and the front of an exploration."""
    from dse.output.plots import axes, fronts  # noqa: PLC0415  loads matplotlib

    axes.write_figure(fronts.draw_front(exploration), *paths)


def save_breakdown(result: Result, *paths: Path, designs: Sequence[Design] | None = None) -> None:
    """Where the cycles and bits of a front of mappings go, or those of some designs."""
    from dse.output.plots import axes, breakdown  # noqa: PLC0415  loads matplotlib

    axes.write_figure(breakdown.draw_breakdown(result, designs), *paths)


def save_convergence(result: Result, *paths: Path) -> None:
    """How a heuristic search went."""
    from dse.output.plots import axes, convergence  # noqa: PLC0415  loads matplotlib

    assert result.evolution is not None, "only heuristic searches converge"
    axes.write_figure(convergence.draw_convergence(result, result.evolution), *paths)


def save_comparison(comparison: Comparison, names: tuple[str, str], *paths: Path) -> None:
    """Two fronts in one figure."""
    from dse.output.plots import axes, fronts  # noqa: PLC0415  loads matplotlib

    axes.write_figure(fronts.draw_comparison(comparison, names), *paths)
