"""Pictures of a simulated run: what the port and the processors do in the first and the last steps of each group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from arrayol.files import atomic_file

Bar = tuple[str, int, int]  # an array, and the first and the end cycle of its burst, from the start of the group


@dataclass(frozen=True)
class StepShown:
    """One step, in cycles from the start of its group: its bursts, and when each task that computes is done."""

    number: int
    start: int
    length: int
    loads: tuple[Bar, ...]
    stores: tuple[Bar, ...]
    computing: Mapping[str, int]


@dataclass(frozen=True)
class GroupShown:
    """A group's tasks, and the runs of steps that are shown, each without a gap; `steps` and `cycles` count all."""

    title: str
    tasks: tuple[str, ...]
    runs: tuple[tuple[StepShown, ...], ...]
    steps: int
    cycles: int


def save_timeline(title: str, groups: Sequence[GroupShown], path: Path) -> None:
    """Draw a run in the format of the path's suffix.

    The same run gives the same bytes with the same matplotlib. Raises ArrayolError (`cannot-write`).
    """
    from arrayol.pictures.style import our_style  # noqa: PLC0415  loads matplotlib
    from arrayol.pictures.timeline_figure import draw_timeline  # noqa: PLC0415  loads matplotlib

    with atomic_file(path) as temporary, our_style():
        figure = draw_timeline(title, groups)
        metadata = {".svg": {"Date": None, "Creator": None}, ".png": {"Software": None}}[path.suffix.lower()]
        figure.savefig(temporary, format=path.suffix.lower()[1:], metadata=metadata)
