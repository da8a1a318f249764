"""The closed form of a step beside its rounds one by one, and the fewest units for no more of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from hwmodel.machine.schedule.rounds import Lines


def _issued(step: int, indices: int, rows: int, length: int, units: int, waits: tuple[int, int]) -> int:
    """Rounds of a box, one by one: chains of x, x + step, ... along `indices`, `rows` lines of `length` at each."""
    levels = [range(first, min(first + step, indices)) for first in range(0, indices, step)]
    start: dict[tuple[int, int, int], int] = {}
    now, cut = 0, range(0, length, units)
    wait = waits[0] if len(levels[0]) * rows * len(cut) == 1 else waits[1]
    for level in levels:
        for x in level:
            for row in range(rows):
                for first in cut:
                    together = [(x, row, place) for place in range(first, min(first + units, length))]
                    read = [start[x - step, *rest] + wait for _, *rest in together if (x - step, *rest) in start]
                    now = max([now, *read])
                    start |= dict.fromkeys(together, now)
                    now += 1
    return now


def _lines(step: int, indices: int, rows: int, length: int) -> Lines:
    levels = -(-indices // step)
    many, last = min(indices, step) * rows, (indices - (levels - 1) * step) * rows
    return Lines(*(np.array([each]) for each in (length, many, levels, last)))


WAITS = st.tuples(st.integers(1, 7), st.integers(0, 4)).map(lambda pair: (pair[0], sum(pair)))
BOXES = st.tuples(st.integers(1, 4), st.integers(1, 9), st.integers(1, 3), st.integers(1, 6))


@settings(max_examples=400, deadline=None)
@given(BOXES, st.integers(1, 7), WAITS)
def test_a_box_takes_as_long_as_its_rounds(box: tuple[int, int, int, int], units: int, waits: tuple[int, int]) -> None:
    event("the last level is smaller" if box[1] % box[0] and box[1] > box[0] else "equal levels")
    assert int(_lines(*box).rounds(units, *waits)[0]) == _issued(*box, units, waits)


@settings(max_examples=400, deadline=None)
@given(BOXES, WAITS)
def test_more_units_are_no_slower_and_the_fewest_are_found(
    box: tuple[int, int, int, int], waits: tuple[int, int]
) -> None:
    lines, units = _lines(*box), np.arange(1, box[3] + 1)
    rounds = np.array([int(lines.rounds(number, *waits)[0]) for number in units.tolist()])
    assert (np.diff(rounds) <= 0).all()
    for allowed in range(int(rounds[-1]), int(rounds[0]) + 3):
        found = lines.fewest_units(np.array([allowed]), waits[1])
        assert int(found[0]) == int(units[rounds <= allowed][0])


@given(st.integers(1, 9), st.integers(1, 9), st.integers(1, 9), st.integers(0, 3))
def test_lines_are_not_crossed(many: int, length: int, units: int, fill: int) -> None:
    lines = Lines(np.array([length]), np.array([many]))
    rounds = int(lines.rounds(units, 1, 1, fill)[0])
    assert rounds == many * (len(range(0, length, units)) + fill)
    if not fill:
        fewest = int(lines.fewest_units(np.array([rounds]), 1)[0])
        assert fewest <= units
        assert int(lines.rounds(fewest, 1, 1)[0]) == rounds


@pytest.mark.parametrize(
    ("occupancy", "recurrence", "units", "cycles"), [(1, 32, 1, 39 * 32 + 16), (4, 36, 4, 39 * 36 + 16)]
)
def test_sixteen_chains_of_forty(occupancy: int, recurrence: int, units: int, cycles: int) -> None:
    wait = recurrence // occupancy
    assert int(_lines(1, 40, 1, 16).rounds(units, wait, wait)[0]) * occupancy == cycles
