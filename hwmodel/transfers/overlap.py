"""The order of loads, computations and stores of a strip's tiles, with and without overlap (paper C, figure 2).

Three processes run beside each other: one loads, one computes, one stores, each tile by tile. With double buffering
time goes in steps, as in the machine model (docs/machine.md): while tile T is computed, T + 1 is loaded and T - 1
stored; a step ends when the slowest has ended. Strips follow one another: data between them go through the memory.

That order keeps the meaning: inside a strip no tile loads what an earlier one of it stores, as an element is loaded
before its first access of the strip and stored after its last write (paper C, theorem 1), so loads may run ahead of
stores. A policy without that reuse names, for each tile, the store it must wait for. A step takes as long as the
longest of its three parts; on a shared port its loads and stores are one part.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[Any]
Process = Literal["load", "compute", "store"]


@dataclass(frozen=True, slots=True)
class Synchronisation:
    """`first` of tile T has ended before `then` of tile T + `distance` begins, in every strip."""

    first: Process
    then: Process
    distance: int
    reason: str


# What double buffering must wait for: first the order of paper C, figure 2, then the reuse of local memory. Without the
# last three every load could run ahead, and the local memory would have to hold a whole strip.
SYNCHRONISATIONS = (
    Synchronisation("load", "load", 1, "transfers in one direction go in order"),
    Synchronisation("compute", "compute", 1, "tiles run one after another"),
    Synchronisation("store", "store", 1, "transfers in one direction go in order"),
    Synchronisation("load", "compute", 0, "the tile's data have arrived"),
    Synchronisation("compute", "store", 0, "the tile's results are complete"),
    Synchronisation("compute", "load", 2, "slots whose last use is in T are free again"),
    Synchronisation("store", "compute", 2, "slots of what T stores are free for new results"),
    Synchronisation("store", "load", 3, "slots of what T stores are free for new data"),
)


@dataclass(frozen=True, eq=False)
class Units:
    """Tiles in the order of execution, one entry per tile: `strip` numbers, and cycles of each process.

    `after` names for each tile the last earlier tile of its strip whose stores its loads must wait for, -1 for none.
    """

    strip: Numbers
    compute: Numbers
    after: Numbers

    def load_steps(self) -> Numbers:
        """The step in which each tile is loaded; it is computed one step later and stored two steps later.

        A strip begins when the one before it has stored all. A load that needs what tile t stores comes three steps
        after the load of t.
        """
        if (self.after < 0).all():
            new = np.diff(self.strip, prepend=self.strip[:1]) != 0
            in_turn: Numbers = np.arange(len(self.strip)) + 2 * np.cumsum(new)
            return in_turn
        steps: list[int] = []
        for place, (strip, after) in enumerate(zip(self.strip.tolist(), self.after.tolist(), strict=True)):
            if not place:
                step = 0
            elif strip != self.strip[place - 1]:
                step = steps[-1] + 3
            else:
                step = max(steps[-1] + 1, steps[after] + 3 if after >= 0 else 0)
            steps.append(step)
        return np.array(steps, np.int64)


@dataclass(frozen=True, eq=False)
class TileTimeline:
    """When each tile is loaded, computed and stored: cycles from the start, arrays of shape (tiles, 2): begin, end."""

    strip: Numbers
    load: Numbers
    compute: Numbers
    store: Numbers

    @property
    def cycles(self) -> int:
        """The end of all."""
        return max((int(times[:, 1].max(initial=0)) for times in (self.load, self.compute, self.store)), default=0)


def one_after_another(units: Units, load: Numbers, store: Numbers) -> TileTimeline:
    """Load, compute, store, tile by tile without overlap; `load` and `store` in cycles per tile."""
    spent = np.column_stack([load, units.compute, store])
    ends = np.cumsum(spent.ravel()).reshape(spent.shape)
    return TileTimeline(units.strip, *(np.column_stack([ends[:, k] - spent[:, k], ends[:, k]]) for k in range(3)))


def overlapped(units: Units, load: Numbers, store: Numbers, shared_port: bool) -> TileTimeline:
    """Double buffering in steps; on a shared port a step's stores follow its loads."""
    steps = units.load_steps()
    count = int(steps.max(initial=-1)) + 3
    loading, computing, storing = (np.zeros(count, np.int64) for _ in range(3))
    loading[steps], computing[steps + 1], storing[steps + 2] = load, units.compute, store
    port = loading + storing if shared_port else np.maximum(loading, storing)
    lengths = np.maximum(port, computing)
    begins = np.cumsum(lengths) - lengths
    behind = loading if shared_port else np.zeros_like(loading)
    return TileTimeline(
        units.strip,
        _spans(begins[steps], load),
        _spans(begins[steps + 1], units.compute),
        _spans(begins[steps + 2] + behind[steps + 2], store),
    )


def _spans(begin: Numbers, length: Numbers) -> Numbers:
    return np.column_stack([begin, begin + length])
