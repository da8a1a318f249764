"""Writing pictures to files, whole or not at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from arrayol.files import atomic_file
from arrayol.ir.network import Network, Process
from arrayol.pictures.tiler_faults import Fault, Linked

FORMATS = (".svg", ".png")


def save_graph(network: Network, faults: Mapping[str, tuple[str, ...]], path: Path) -> None:
    """Draw a task graph in the format of the path's suffix; `faults` names what is wrong with a process.

    The same graph gives the same bytes with the same matplotlib. Raises ArrayolError (`cannot-write`).
    """
    from arrayol.pictures.graph_figure import draw_graph  # noqa: PLC0415  loads matplotlib
    from arrayol.pictures.style import our_style  # noqa: PLC0415  loads matplotlib

    with atomic_file(path) as temporary, our_style():
        draw_graph(network, faults).write(temporary)


def save_task(
    process: Process, links: Sequence[Linked], faults: Sequence[Fault], messages: Sequence[str], path: Path
) -> None:
    """Draw the tilers of a repetitive task, with its faulty elements and, as text, what else is wrong with it.

    As `save_graph` otherwise.
    """
    from arrayol.pictures.style import our_style  # noqa: PLC0415  loads matplotlib
    from arrayol.pictures.tiler_figure import draw_task  # noqa: PLC0415  loads matplotlib

    with atomic_file(path) as temporary, our_style():
        draw_task(process, links, faults, messages).write(temporary)
