"""Windows in hardware: registers that keep the elements that later rounds of a line read again.

In a round, each position of the patterns of all units is either *fresh*, read from the memory, or shifted in from the
register of the position that is one round further along the line. A fresh position of chunk c is available from cycle c
of the round on, and a register keeps it until the round's end. At that end all positions shift to the registers that
the next round reads (docs/machine.md, section 13).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.accesses import points
from hwmodel.local_memory.addresses import Place, WindowReads
from hwmodel.simulator.memories.rows import Rows


@dataclass(frozen=True, slots=True)
class WindowPort:
    """The registers of a window; `places` are their positions relative to the origin of the first unit's pattern.

    `source` has for each register the number of the fresh position that it is, or -1; then its value comes from
    register number `ahead` (-1 for none). `patterns` has for each unit and element of its pattern the number of a
    register. `each` fresh positions are read in one cycle.
    """

    places: tuple[Place, ...]
    source: tuple[int, ...]
    ahead: tuple[int, ...]
    patterns: tuple[tuple[int, ...], ...]
    each: int


@dataclass(frozen=True, eq=False)
class WindowPlan:
    """A window, and for each unit and element its fresh position and how many rounds before its use that is read."""

    port: WindowPort
    lane: IntArray
    back: IntArray


def window_kept(when: Rows, window: WindowReads, size: int) -> WindowPlan:
    """The registers of a window: one for each position of a round, and those on its way from a fresh position."""
    fitting = np.array(when.touch.tiler.fitting, np.int64).reshape(len(when.ahead), len(when.touch.pattern))
    pattern = points(when.touch.pattern) @ fitting.T
    step, round_step = np.array(when.ahead, np.int64), np.array(when.ahead, np.int64) * when.units
    fresh, number = {place: at for at, place in enumerate(window.fresh)}, dict[Place, int]()
    lane, back, register = (np.zeros((when.units, size), np.int64) for _ in range(3))
    for unit, at in np.ndindex(when.units, size):
        place = tuple((pattern[at] + unit * step).tolist())
        register[unit, at] = number.setdefault(place, len(number))
        # Follow the position along the line, one round at a time, up to the fresh position that brings it.
        while place not in fresh:
            place = tuple((np.array(place) + round_step).tolist())
            number.setdefault(place, len(number))
            back[unit, at] += 1
        lane[unit, at] = fresh[place]
    ahead = tuple(number.get(tuple((np.array(place) + round_step).tolist()), -1) for place in number)
    source = tuple(fresh.get(place, -1) for place in number)
    patterns = tuple(tuple(row) for row in register.tolist())
    return WindowPlan(WindowPort(tuple(number), source, ahead, patterns, window.each), lane, back)
