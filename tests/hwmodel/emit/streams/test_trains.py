"""Pulses as nested loops, and choices by index as comparisons."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hwmodel.emit.streams.trains import nests_of, pulses_of


@given(st.sets(st.integers(0, 300), min_size=1, max_size=40))
def test_nests_have_the_pulses(pulses: set[int]) -> None:
    given_pulses = np.array(sorted(pulses))
    nests = nests_of(given_pulses)
    assert pulses_of(nests).tolist() == given_pulses.tolist()
    assert all(nest.first <= nest.last for nest in nests)


@given(*[st.integers(1, 9)] * 4)
def test_lines_of_a_frame_are_one_nest(rows: int, columns: int, stride: int, gap: int) -> None:
    """Whatever comes every few pulses of a line, and the lines at one distance."""
    line = columns * stride + gap
    pulses = (line * np.arange(rows)[:, None] + stride * np.arange(columns)).ravel()
    assert len(nests_of(pulses)) == 1
