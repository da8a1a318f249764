"""Lanes that never read a word in the cycle in which it is written, beside all cycles in which agents may be."""

from __future__ import annotations

from itertools import product
from unittest.mock import Mock

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hwmodel.emit.schedule.activity import Activity, Lanes
from hwmodel.emit.schedule.group import Tables
from hwmodel.emit.schedule.memories import Memory, Section
from hwmodel.emit.schedule.port import DmaEngine
from hwmodel.emit.schedule.proofs import reading_apart

MEMORY = Memory("m", "m", 8, (), 6, (Section(0, 6),))
STEPS = 3
NO_UNITS = Mock()  # they are not looked at


@st.composite
def activities(draw: st.DrawFn, name: str) -> Activity:
    """Some rows of each step, with two lanes on a memory of six words."""
    ends = np.cumsum([draw(st.integers(1, 3)) for _ in range(STEPS)]) - 1
    words = draw(st.lists(st.tuples(*[st.integers(-1, 5)] * 2), min_size=int(ends[-1]) + 1, max_size=int(ends[-1]) + 1))
    return Activity(name, ends, (Lanes(f"{name}_lanes", MEMORY, np.array(words)),))


def touches(activity: Activity, *, waits: bool) -> set[tuple[int, int, int]]:
    """By step, cycle and word what is touched; of an agent that waits, in all cycles in which it may be in a row."""
    found = set()
    for row, words in enumerate(activity.lanes[0].words.tolist()):
        step = int(np.searchsorted(activity.ends, row))
        cycles = range(9) if waits else (row - int(activity.starts[step]),)
        found |= {(step, cycle, word) for cycle, word in product(cycles, words) if word >= 0}
    return found


@given(st.tuples(*(activities(name) for name in ("reading", "writing", "storing", "passing"))))
def test_lanes_read_apart_where_no_cycle_has_a_word_twice(agents: tuple[Activity, ...]) -> None:
    reading, writing, storing, passing = agents
    idle = Activity("requests", reading.ends)
    engine = DmaEngine("port", idle, passing, storing, (), np.zeros((0, 2), np.int64))
    written = touches(writing, waits=False) | touches(passing, waits=True)
    apart = {
        own.lanes[0].name
        for own, waits in ((reading, False), (storing, True))
        if not touches(own, waits=waits) & written
    }
    assert reading_apart(Tables(((reading, writing, NO_UNITS),), (engine,), ())) == apart
