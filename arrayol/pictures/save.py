"""Writing pictures to files, whole or not at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from arrayol.files import atomic_file
from arrayol.ir.network import Network, Process

if TYPE_CHECKING:  # numpy is loaded with what is drawn: every command reads the formats
    from arrayol.pictures.shown import BarsShown, GroupShown, LayoutPicture, MovesShown, TilesShown
    from arrayol.pictures.tiler_faults import Fault, Linked


def save_graph(network: Network, faults: Mapping[str, tuple[str, ...]], path: Path) -> None:
    """Draw a task graph in the format of the path's suffix; `faults` names what is wrong with a process.

    The same graph gives the same bytes with the same matplotlib. Raises ArrayolError (`cannot-write`).
    """
    from arrayol.pictures.graph_figure import draw_graph  # noqa: PLC0415  loads matplotlib
    from arrayol.pictures.sheet import our_style  # noqa: PLC0415  loads matplotlib

    with atomic_file(path) as temporary, our_style():
        draw_graph(network, faults).write(temporary)


def save_task(
    process: Process, links: Sequence[Linked], faults: Sequence[Fault], messages: Sequence[str], path: Path
) -> None:
    """Draw the tilers of a repetitive task, with its faulty elements and, as text, what else is wrong with it.

    As `save_graph` otherwise.
    """
    from arrayol.pictures.sheet import our_style  # noqa: PLC0415  loads matplotlib
    from arrayol.pictures.tiler_figure import draw_task  # noqa: PLC0415  loads matplotlib

    with atomic_file(path) as temporary, our_style():
        draw_task(process, links, faults, messages).write(temporary)


def save_layout(picture: LayoutPicture, path: Path) -> None:
    """Draw in the format of the path's suffix. The same picture gives the same bytes with the same matplotlib.

    Raises ArrayolError (`cannot-write`).
    """
    from arrayol.pictures.layout_figure import draw_layout, write  # noqa: PLC0415  loads matplotlib
    from arrayol.pictures.sheet import our_style  # noqa: PLC0415  loads matplotlib

    with atomic_file(path) as temporary, our_style():
        write(draw_layout(picture), temporary)


def save_transfers(
    title: str, tiles: TilesShown, moves: Sequence[MovesShown], bars: BarsShown, notes: Sequence[str], path: Path
) -> None:
    """Draw transfers in the format of the path's suffix; `notes` stand below.

    The same transfers give the same bytes with the same matplotlib. Raises ArrayolError (`cannot-write`).
    """
    from arrayol.pictures.sheet import our_style  # noqa: PLC0415  loads matplotlib
    from arrayol.pictures.transfers_figure import draw_transfers  # noqa: PLC0415  loads matplotlib

    with atomic_file(path) as temporary, our_style():
        figure = draw_transfers(title, tiles, moves, bars, notes)
        metadata = {".svg": {"Date": None, "Creator": None}, ".png": {"Software": None}}[path.suffix.lower()]
        figure.savefig(temporary, format=path.suffix.lower()[1:], metadata=metadata)


def save_timeline(title: str, groups: Sequence[GroupShown], path: Path) -> None:
    """Draw a run in the format of the path's suffix.

    The same run gives the same bytes with the same matplotlib. Raises ArrayolError (`cannot-write`).
    """
    from arrayol.pictures.sheet import our_style  # noqa: PLC0415  loads matplotlib
    from arrayol.pictures.timeline_figure import draw_timeline  # noqa: PLC0415  loads matplotlib

    with atomic_file(path) as temporary, our_style():
        figure = draw_timeline(title, groups)
        metadata = {".svg": {"Date": None, "Creator": None}, ".png": {"Software": None}}[path.suffix.lower()]
        figure.savefig(temporary, format=path.suffix.lower()[1:], metadata=metadata)
