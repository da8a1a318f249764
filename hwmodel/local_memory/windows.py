"""Windows: registers that keep what the next repetitions of a line read again (docs/machine.md, section 13).

Repetitions that start along a line read translates of one set A, U steps further each time. What of A + U step is in A
too need not be read again: it moves on through registers. Only New, the places that the step before has not read, come
from the memory. At the start of a line the registers are empty; they are full after as many more rounds as the longest
way that a place goes through them.
"""

from __future__ import annotations

from dataclasses import dataclass

from hwmodel.local_memory.offsets import Access, Place, joined


@dataclass(frozen=True, slots=True)
class Window:
    """`fresh` are the places that come from the memory in a round, `registers` the data kept, `fill` more rounds."""

    fresh: tuple[Place, ...]
    registers: int
    fill: int

    def reads(self, cycles: int) -> tuple[tuple[Place, ...], ...]:
        """The places that are read in each cycle of a round of `cycles`."""
        size = -(-len(self.fresh) // cycles)
        return tuple(self.fresh[start : start + size] for start in range(0, len(self.fresh), size))


def window_of(access: Access) -> Window | None:
    """The window of an access; None where there is none.

    There is none where repetitions start in no order, where the units' step along the line is 0, and where what they
    read next has nothing of what they read now. `fill` is ceil(|A| / |New|) - 1 for boxes.
    """
    ahead = tuple(access.units * part for part in access.step)
    if not access.ordered or access.random or not any(ahead):
        return None
    whole = joined(access.places, access.step, access.units)
    places = set(whole)
    fresh = tuple(place for place in whole if _moved(place, ahead) not in places)
    if len(fresh) == len(whole):
        return None
    return Window(fresh, len(whole), max(_way(place, ahead, places) for place in fresh))


def _moved(place: Place, by: Place, sign: int = 1) -> Place:
    return tuple(a + sign * b for a, b in zip(place, by, strict=True))


def _way(place: Place, ahead: Place, places: set[Place]) -> int:
    """How many registers a place passes on after the first."""
    count = 0
    while (place := _moved(place, ahead, -1)) in places:
        count += 1
    return count
