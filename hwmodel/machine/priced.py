"""Figures of many designs of a group at once, as arrays."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrayol.errors import error
from hwmodel.accesses import Accesses
from hwmodel.machine.costs import ROM_BITS, costs_by_task
from hwmodel.machine.estimate import OBJECTIVES, SETUP
from hwmodel.platform import Platform

Figures = NDArray[Any]  # of int64; costs that are not whole are of float64

LATENCY, FRAME = "latency_cycles", "frame_cycles"
TIMES = (LATENCY, FRAME)
SIZES = ("internal_memory_data", "internal_memory_bits", "memory_blocks", "traffic_bytes")


def units_are_free(figures: Collection[str]) -> bool:
    """Whether more units make none of these figures worse, so that `fastest` leaves out nothing that a front needs.

    So it is with times and sizes: units shorten the ones and do not change the others (but for those of processors that
    are scheduled, of which `fastest` tries all). Units themselves and costs grow with them.
    """
    return all(name in (*TIMES, *SIZES, *SETUP, ROM_BITS) for name in figures)


@dataclass(frozen=True)
class Priced:
    """S structures (group designs but for their units), each under U combinations of units.

    `legal` (S, U) is false for more units than can ever work at once and, with FIFOs, for an order of reading that is
    not that of writing; the figures of those mean nothing. `combinations` are the units of the tasks, of shape (1, U,
    tasks), or (S, U, tasks) where each structure has its own. Times have the shape (S, U); memory and traffic that do
    not depend on units (S, 1); `units` and `costs` that of the combinations. `memory_blocks` is None without
    local.block_bits. `left_out` counts the legal designs of these structures that were not priced, since one that was
    is no slower with fewer units, all else being equal.
    """

    legal: NDArray[np.bool_]
    combinations: NDArray[np.int64]
    latency_cycles: Figures
    internal_memory_data: Figures
    internal_memory_bits: Figures
    memory_blocks: Figures | None
    traffic_bytes: Figures
    units: Figures
    costs: Mapping[str, Figures]
    frame: Callable[[], Figures]
    left_out: int = 0

    @cached_property
    def frame_cycles(self) -> Figures:
        """Cycles per frame where frames follow each other, (S, U); computed when it is first asked for."""
        return self.frame()

    def objective(self, name: str) -> Figures:
        """A figure or cost by its name, of shape (S, U). Raises KeyError for a name that is neither."""
        figure = getattr(self, name) if name in OBJECTIVES else self.costs[name]
        if figure is None:
            raise KeyError(name)
        return np.broadcast_to(figure, self.legal.shape)


def unit_figures(
    accesses: Accesses, platform: Platform, tasks: tuple[str, ...], units: NDArray[np.int64]
) -> tuple[Figures, dict[str, Figures]]:
    """Units and costs by name, each (S, U), of combinations of units (S, U, tasks)."""
    by_name = {name: [costs[task] for task in tasks] for name, costs in costs_by_task(accesses, platform).items()}
    costs: dict[str, Figures] = {
        name: units @ np.array([cost.unit for cost in each]) + sum(cost.processor for cost in each)
        for name, each in by_name.items()
    }
    return units.sum(axis=2), costs


# How many units can work at once (docs/machine.md, section 6).


def require_units(most: Mapping[str, int], units: Mapping[str, int]) -> None:
    """Raises ArrayolError (`too-many-units`) where a processor has more than can ever work at once.

    `most` is by task the largest number of repetitions that run at once; 0 for one that never runs, which any number
    of units suits.
    """
    for task, number in most.items():
        if units[task] < 1:
            raise ValueError(f"'{task}' has {units[task]} units")
        if units[task] > number > 0:
            raise error(
                "too-many-units",
                f"processor '{task}' has {units[task]} units, but never more than {number} of its repetitions can run "
                "at once",
                hint=f"give it at most {number}, or larger blocks",
            )


def offered_units(offered: Sequence[int]) -> NDArray[np.int64]:
    """Numbers of units that a processor may have, as an array. Raises ValueError where they do not ascend from 1 on."""
    numbers = np.array(offered, np.int64)
    if not len(numbers) or numbers[0] < 1 or not (np.diff(numbers) > 0).all():
        raise ValueError(f"numbers of units are 1 or more, ascending: {list(offered)}")
    return numbers


def how_many_suit(most: NDArray[np.int64], offered: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many of the offered numbers of units, ascending, suit each of `most`: the first so many do."""
    return np.where(most == 0, len(offered), np.searchsorted(offered, most, side="right"))


def count_combinations(choices: NDArray[np.int64]) -> int:
    """The sum over rows (S, parts) of how many combinations of one choice of each part there are."""
    rows, times = np.unique(choices, axis=0, return_counts=True)
    return sum(math.prod(row) * number for row, number in zip(rows.tolist(), times.tolist(), strict=True))
