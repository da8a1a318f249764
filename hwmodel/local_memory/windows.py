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

import numpy as np

from hwmodel.datapath.port_cycles import read_cycles
from hwmodel.local_memory.offsets import Access, Place, joined


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
    ahead = tuple(units * part for part in step)
    whole = joined(pattern, step, units)
    places = set(whole)
    fresh = tuple(place for place in whole if _moved(place, ahead) not in places)
    if len(fresh) == len(whole):
        return None
    taken = _taken(pattern, step, units, cycles)
    fresh = tuple(sorted(fresh, key=taken.__getitem__))
    each = max(-(-number // (taken[place] + 1)) for number, place in enumerate(fresh, 1))
    each = max(each, -(-len(fresh) // cycles))
    return Window(fresh, each, len(whole), max(_way(place, ahead, places) for place in fresh))


def _taken(pattern: tuple[Place, ...], step: Place, units: int, cycles: int) -> dict[Place, int]:
    """The first cycle of a round in which a unit takes each place of the joint set."""
    size = len(pattern)
    when = read_cycles(np.arange(size), size, cycles).tolist()
    taken: dict[Place, int] = {}
    for unit in range(units):
        offset = tuple(unit * part for part in step)
        for place, cycle in zip(pattern, when, strict=True):
            moved = _moved(place, offset)
            taken[moved] = min(cycle, taken.get(moved, cycle))
    return taken


def _moved(place: Place, by: Place, sign: int = 1) -> Place:
    return tuple(a + sign * b for a, b in zip(place, by, strict=True))


def _way(place: Place, ahead: Place, places: set[Place]) -> int:
    """How many registers a place passes on after the first."""
    count = 0
    while (place := _moved(place, ahead, -1)) in places:
        count += 1
    return count
