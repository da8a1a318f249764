"""Writing a plot to a file."""

from __future__ import annotations

from pathlib import Path

from dse.results.compare import Comparison
from dse.results.exploration import Exploration
from dse.results.schema import Result


def save_plot(exploration: Exploration, *paths: Path) -> None:
    """Draw an exploration once and write it in the format of each path's suffix (.png, .svg).

    The same exploration gives the same bytes with the same matplotlib.
    """
    from dse.output.plot_front import draw, write  # noqa: PLC0415  loads matplotlib

    write(draw(exploration), *paths)


def save_breakdown(result: Result, *paths: Path) -> None:
    """Draw where the cycles and bits of a front of mappings go, in the format of each path's suffix."""
    from dse.output.plot_front import write  # noqa: PLC0415
    from dse.output.plot_more import draw_breakdown  # noqa: PLC0415  loads matplotlib

    write(draw_breakdown(result), *paths)


def save_convergence(result: Result, *paths: Path) -> None:
    """Draw how a heuristic search went, in the format of each path's suffix."""
    from dse.output.plot_front import write  # noqa: PLC0415
    from dse.output.plot_more import draw_convergence  # noqa: PLC0415  loads matplotlib

    assert result.evolution is not None, "only heuristic searches converge"
    write(draw_convergence(result, result.evolution), *paths)


def save_comparison(comparison: Comparison, names: tuple[str, str], *paths: Path) -> None:
    """Draw two fronts in one plot, in the format of each path's suffix."""
    from dse.output.plot_front import write  # noqa: PLC0415
    from dse.output.plot_more import draw_comparison  # noqa: PLC0415  loads matplotlib

    write(draw_comparison(comparison, names), *paths)
