"""How far a search with the machine model is: one record for all methods and phases."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

SEARCHING, COMBINING, SIMULATING = "searching", "combining", "simulating"
DESCRIBING, WRITING = "describing", "writing"


@dataclass(frozen=True, slots=True)
class SearchProgress:
    """What is done of a phase: `done` of `total` (None: not known) things, named in the plural by `counted`.

    With `at_most` the phase may end before the total. `designs` are the group designs looked at so far; 0 where these
    are not what is worked on. `work` is the share, 0 to 1, of the estimated work that is done, where that tells the
    time left better than `done` does. `place` is where the search is, as "subspace 3 of 8". `hypervolume` gives the
    share of the box between 0 and a reference that the front so far dominates, None before there is a whole design; it
    is called when it is shown, in the thread that reports.

    What the first record of a phase counts (a resumed search's finished work) is taken as there before it began.
    """

    phase: str
    done: int = 0
    total: int | None = None
    counted: str = ""
    at_most: bool = False
    designs: int = 0
    work: float | None = None
    place: str = ""
    hypervolume: Callable[[], float | None] = field(default=lambda: None, compare=False)


Report = Callable[[SearchProgress], None]
