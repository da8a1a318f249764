"""Windows: registers that keep what the next repetitions of a line read again (docs/machine.md, section 13).

Repetitions that start along a line read translates of one set A, U steps further each time. What of A + U step is in A
too need not be read again: it moves on through registers. Only New, the places that the step before has not read, come
from the memory. At the start of a line the registers are empty; they are full after as many more rounds as the longest
way that a place goes through them.

In a round of several cycles the fresh places are read in the order in which units take them, an equal number in each
cycle: the least with which each is there when a unit takes it.
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
    """`fresh` are the places that come from the memory in a round, in their order, at most `each` in a cycle.

    `registers` are the data kept, `fill` the rounds more at the start of a line.
    """

    fresh: tuple[Place, ...]
    each: int
    registers: int
    fill: int

    @property
    def reads(self) -> tuple[tuple[Place, ...], ...]:
        """The places that are read in the cycles of a round, up to the last with any."""
        return tuple(self.fresh[start : start + self.each] for start in range(0, len(self.fresh), self.each))


def window_of(access: Access) -> Window | None:
    """The window of an access; None where there is none.

    There is none where repetitions start in no order, where the units' step along the line is 0, and where what they
    read next has nothing of what they read now. `fill` is ceil(|A| / |New|) - 1 for boxes, `each` ceil(|New| / o) where
    that is not too late.
    """
    if not access.ordered or access.random or not any(access.step):
        return None
    return _of_places(access.places, access.step, access.units, access.cycles)


@lru_cache(maxsize=1024)
def _of_places(pattern: tuple[Place, ...], step: Place, units: int, cycles: int) -> Window | None:
    """The window of units that move: tasks often have patterns in common, at other edges."""
    moved, when = of_units(pattern, step, units), read_cycles(np.arange(len(pattern)), len(pattern), cycles)
    ahead = tuple(units * part for part in step)
    numbers, further = numbered(moved, ahead)
    places, first, own = np.unique(numbers, return_index=True, return_inverse=True)
    is_fresh = ~np.isin(places + further, places)
    if is_fresh.all():
        return None
    taken = np.full(len(places), cycles)
    np.minimum.at(taken, own, np.repeat(when, units))
    fresh = np.flatnonzero(is_fresh)
    fresh = fresh[np.lexsort((first[fresh], taken[fresh]))]
    each = max(int((-(-np.arange(1, len(fresh) + 1) // (taken[fresh] + 1))).max()), -(-len(fresh) // cycles))
    return Window(as_tuples(moved[first[fresh]]), each, len(places), _longest_way(places, places[fresh], further))


def _longest_way(places: NDArray[Any], fresh: NDArray[Any], further: int) -> int:
    """On how many registers after the first a fresh place passes at most, by numbers."""
    count = 0
    while True:
        behind = fresh - further
        fresh = behind[np.isin(behind, places)]
        if not len(fresh):
            return count
        count += 1
