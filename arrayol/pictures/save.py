"""Pictures to files, .svg or .png by the suffix of the path, of graphs also .dot: whole or not at all.

The same data give the same bytes with the same matplotlib, which loads when the first picture is drawn. Every function
raises ArrayolError (`cannot-write`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from arrayol.files import atomic_file, writing
from arrayol.ir.network import Network, Process
from arrayol.pictures.graph.dot import dot_text
from arrayol.pictures.shown import (
    BarsShown,
    ExploredLayouts,
    GroupShown,
    LayoutPicture,
    MovesShown,
    ScheduleShown,
    TilesShown,
)
from arrayol.pictures.tiler.tiler_faults import Linked, TilerFault

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def save_graph(network: Network, faults: Mapping[str, tuple[str, ...]], path: Path) -> None:
    """Draw a task graph, or write it as Graphviz's .dot; `faults` names what is wrong with a process."""
    if path.suffix.lower() == ".dot":
        with atomic_file(path) as temporary, writing(path):
            temporary.write_text(dot_text(network, faults), encoding="utf-8", newline="\n")
        return
    from arrayol.pictures.graph.graph_figure import draw_graph  # noqa: PLC0415  loads matplotlib

    _save(lambda: draw_graph(network, faults).figure, path)


def save_task(
    process: Process, links: Sequence[Linked], faults: Sequence[TilerFault], messages: Sequence[str], path: Path
) -> None:
    """Draw the tilers of a repetitive task, with its faulty elements and, as text, what else is wrong with it."""
    from arrayol.pictures.tiler.tiler_figure import draw_task  # noqa: PLC0415  loads matplotlib

    _save(lambda: draw_task(process, links, faults, messages).figure, path)


def save_layout(picture: LayoutPicture, path: Path) -> None:
    """Draw arrays by bank, and what their layouts save."""
    from arrayol.pictures.layout_figure import draw_layout  # noqa: PLC0415  loads matplotlib

    _save(lambda: draw_layout(picture), path)


def save_layout_exploration(explored: ExploredLayouts, path: Path) -> None:
    """Draw the front of an exploration of layouts, and what copies of a body are worth."""
    from arrayol.pictures.layout_figure import draw_exploration  # noqa: PLC0415  loads matplotlib

    _save(lambda: draw_exploration(explored), path)


def save_transfers(
    title: str, tiles: TilesShown, moves: Sequence[MovesShown], bars: BarsShown, notes: Sequence[str], path: Path
) -> None:
    """Draw which tile moves which element, and the overlap; `notes` stand below."""
    from arrayol.pictures.transfers_figure import draw_transfers  # noqa: PLC0415  loads matplotlib

    _save(lambda: draw_transfers(title, tiles, moves, bars, notes), path)


def save_timeline(title: str, groups: Sequence[GroupShown], path: Path) -> None:
    """Draw a simulated run."""
    from arrayol.pictures.timeline_figure import draw_timeline  # noqa: PLC0415  loads matplotlib

    _save(lambda: draw_timeline(title, groups), path)


def save_schedule(schedule: ScheduleShown, path: Path) -> None:
    """Draw when the operations of a datapath start."""
    from arrayol.pictures.schedule_figure import draw_schedule  # noqa: PLC0415  loads matplotlib

    _save(lambda: draw_schedule(schedule), path)


def _save(draw: Callable[[], Figure], path: Path) -> None:
    from arrayol.pictures.sheet import our_style, write_figure  # noqa: PLC0415  loads matplotlib

    with atomic_file(path) as temporary, our_style():
        write_figure(draw(), temporary)
