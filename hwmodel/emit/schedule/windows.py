"""Windows in hardware: registers that keep what the next rounds of a line read again (docs/machine.md, section 13).

In a round the places of all units' patterns are either *fresh*, from the memory, or come from the register of the place
that is a round further along the line. A fresh place of chunk c is there from cycle c of the round on; a register keeps
it to the round's end. At that end all places move on to the registers that the next round reads.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hwmodel.accesses import points
from hwmodel.local_memory.banked import Place, WindowReads
from hwmodel.simulator.rows import Rows

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class WindowPort:
    """The registers of a window, of `places` relative to the origin of the first unit's pattern.

    `source` says of each place which fresh one it is, or -1; then it comes from the place number `ahead`, -1 for none.
    `patterns` has by unit and element of its pattern the number of a place. In a cycle `each` fresh places are read.
    """

    places: tuple[Place, ...]
    source: tuple[int, ...]
    ahead: tuple[int, ...]
    patterns: tuple[tuple[int, ...], ...]
    each: int


@dataclass(frozen=True, eq=False)
class Kept:
    """A window; by unit and element which fresh place brings it, and how many rounds before its use."""

    port: WindowPort
    lane: Ints
    back: Ints


def window_kept(when: Rows, window: WindowReads, size: int) -> Kept:
    """The registers of a window: of each place of a round, and of all on the way there from a fresh one."""
    fitting = np.array(when.touch.tiler.fitting, np.int64).reshape(len(when.ahead), len(when.touch.pattern))
    pattern = points(when.touch.pattern) @ fitting.T
    one, far = np.array(when.ahead, np.int64), np.array(when.ahead, np.int64) * when.units
    fresh, number = {place: at for at, place in enumerate(window.fresh)}, dict[Place, int]()
    lane, back, own = (np.zeros((when.units, size), np.int64) for _ in range(3))
    for unit, at in np.ndindex(when.units, size):
        place = tuple((pattern[at] + unit * one).tolist())
        own[unit, at] = number.setdefault(place, len(number))
        while place not in fresh:
            place = tuple((np.array(place) + far).tolist())
            number.setdefault(place, len(number))
            back[unit, at] += 1
        lane[unit, at] = fresh[place]
    ahead = tuple(number.get(tuple((np.array(place) + far).tolist()), -1) for place in number)
    source = tuple(fresh.get(place, -1) for place in number)
    patterns = tuple(tuple(row) for row in own.tolist())
    return Kept(WindowPort(tuple(number), source, ahead, patterns, window.each), lane, back)
