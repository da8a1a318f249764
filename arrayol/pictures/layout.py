"""What a picture of bank layouts shows: the bank of each element, and the cycles that layouts save; numbers only."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


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
