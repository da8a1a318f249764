"""What a picture of a simulated run shows: port and processors in the first and last steps of groups; numbers only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

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
