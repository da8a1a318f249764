"""What pictures of transfers, simulated runs, schedules and bank layouts show; numbers only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

# What a picture of transfers shows: which tile moves which element, and when; numbers only.


Numbers = NDArray[Any]


@dataclass(frozen=True, eq=False)
class TilesShown:
    """Tiles in the order of execution: a label for each, the strip of each, and how many there are with those left out.

    `strip_labels` has a label for each strip shown; `strip` (tiles,) counts strips from 0.
    """

    labels: tuple[str, ...]
    strip: Numbers
    strip_labels: tuple[str, ...]
    total: int


@dataclass(frozen=True, eq=False)
class MovesShown:
    """What is moved of an array of one or two dimensions.

    `load`, `store` and `alive` have rows (tile, subscripts...): places among the tiles shown, and elements.
    """

    name: str
    shape: tuple[int, ...]
    load: Numbers
    store: Numbers
    alive: Numbers


@dataclass(frozen=True, eq=False)
class BarsShown:
    """Begin and end in cycles, shape (tiles, 2), of the load, the computation and the store of the first tiles."""

    load: Numbers
    compute: Numbers
    store: Numbers


# What a picture of a simulated run shows: port and processors in the first and last steps of groups; numbers only.


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


# What the picture of a datapath's schedule shows.


# The name of its result; its first cycle, the one after those in which it keeps its operator, and the one in which its
# result is in a register.
Operation = tuple[str, int, int, int]


@dataclass(frozen=True, slots=True)
class ScheduleShown:
    """One repetition of an elementary task: a row for each operator with its operations; times in cycles."""

    name: str
    interval: int
    depth: int
    latency: int
    rows: tuple[tuple[str, tuple[Operation, ...]], ...]


# What a picture of bank layouts shows: the bank of each element, and the cycles that layouts save.


@dataclass(frozen=True)
class BankMap:
    """Part of an array under one layout: the bank of each element, -1 where it has none, shape (rows, columns).

    `banks` is how many banks there are, `note` what to say below; `missing` replaces the map where there is no layout.
    """

    layout: str
    bank: NDArray[np.int64]
    banks: int
    note: str = ""
    missing: str = ""


@dataclass(frozen=True)
class ArrayMaps:
    """An array's maps, one per layout, and which part of it is shown; `first` is the first row and column."""

    array: str
    shown: str
    maps: tuple[BankMap, ...]


@dataclass(frozen=True)
class Reductions:
    """The cycles that layouts save against one memory, in percent, by unroll factors; one memory count.

    `series` gives for each layout one number per entry of `unrolls`, None where there is none.
    """

    banks: int
    unrolls: tuple[str, ...]
    series: tuple[tuple[str, tuple[float | None, ...]], ...]


@dataclass(frozen=True)
class ExploredLayouts:
    """What a picture of an exploration of layouts shows.

    `designs` are series of points by layout and ports: memories and cycles per iteration. `copies` gives for each
    number of banks points of copies of the body, and the cycles saved in percent.
    """

    title: str
    designs: tuple[tuple[str, tuple[tuple[int, float], ...]], ...]
    copies: tuple[tuple[str, tuple[tuple[int, float], ...]], ...]
    remark: str


@dataclass(frozen=True)
class LayoutPicture:
    """Everything in the picture; `factors` names what the unroll factors belong to, `remarks` what is left out."""

    title: str
    arrays: tuple[ArrayMaps, ...]
    reductions: tuple[Reductions, ...]
    factors: str
    remarks: tuple[str, ...]
