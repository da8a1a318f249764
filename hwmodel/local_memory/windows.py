"""Windows: registers that keep elements that the next repetitions of a line read again (docs/machine.md, section 13).

The idea. Repetitions along a line read translates of one joint set A, U steps further each time. An element of A + U
step that is also in A need not be read again: it moves on through registers. Only New, the elements that the round
before has not read, comes from the memory. At the start of a line the registers are empty; they are full after as many
more rounds as the longest way of an element through them has steps.

In a round of several cycles the new elements are read in the order in which units take them, an equal number in each
cycle: the smallest with which each is there when a unit takes it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hwmodel.datapath.port_cycles import read_cycles
from hwmodel.local_memory.offsets import Access, Place, as_tuples, numbered, of_units


@dataclass(frozen=True, slots=True)
class Window:
    """A window: the elements that come from the memory in a round (`fresh`), in their order, at most `each` in a cycle.

    `registers` is the number of elements that are kept, and `fill` the number of additional rounds at the start of a
    line.
    """

    fresh: tuple[Place, ...]
    each: int
    registers: int
    fill: int

    @property
    def reads(self) -> tuple[tuple[Place, ...], ...]:
        """The elements that are read in each cycle of a round, up to the last cycle with any."""
        return tuple(self.fresh[start : start + self.each] for start in range(0, len(self.fresh), self.each))


def window_of(access: Access) -> Window | None:
    """The window of an access; None if there is none.

    There is none if repetitions do not start in scan order, if the units' step along the line is 0, or if the next
    elements have none in common with the present ones. `fill` is ceil(|A| / |New|) - 1 for boxes, and `each` is
    ceil(|New| / o) unless that is too late.
    """
    if not access.ordered or access.random or not any(access.step):
        return None
    return _of_places(access.places, access.step, access.units, access.cycles)


@lru_cache(maxsize=1024)
def _of_places(pattern: tuple[Place, ...], step: Place, units: int, cycles: int) -> Window | None:
    """The window of units that move, cached: tasks often have equal patterns at different edges."""
    # Linear numbers: a round later every element has a number larger by `further`, so sets are compared in one sort.
    moved, when = of_units(pattern, step, units), read_cycles(np.arange(len(pattern)), len(pattern), cycles)
    ahead = tuple(units * part for part in step)
    numbers, further = numbered(moved, ahead)
    places, first, place_of = np.unique(numbers, return_index=True, return_inverse=True)
    is_fresh = ~np.isin(places + further, places)
    if is_fresh.all():
        return None
    read_at = np.full(len(places), cycles)
    np.minimum.at(read_at, place_of, np.repeat(when, units))
    fresh = np.flatnonzero(is_fresh)
    fresh = fresh[np.lexsort((first[fresh], read_at[fresh]))]
    # The k-th new element is there in time if k / `each` cycles have passed when a unit takes it, for every k.
    each = max(int((-(-np.arange(1, len(fresh) + 1) // (read_at[fresh] + 1))).max()), -(-len(fresh) // cycles))
    return Window(as_tuples(moved[first[fresh]]), each, len(places), _longest_way(places, places[fresh], further))


def _longest_way(places: NDArray[Any], fresh: NDArray[Any], further: int) -> int:
    """The number of registers after the first on the longest way of a new element."""
    count = 0
    while True:
        behind = fresh - further
        fresh = behind[np.isin(behind, places)]
        if not len(fresh):
            return count
        count += 1
