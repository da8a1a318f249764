"""The closed form of a step beside its rounds one by one, and the fewest units for no more of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from many_cases import case_count

from arrayol.arrays import IntArray
from hwmodel.cost_model.issue.rounds import LineRounds, RowLines

Box = tuple[int, int, int, frozenset[int]]


def _cut(row: frozenset[int], units: int) -> list[list[int]]:
    """The indices of a row in rounds: up to so many that follow each other."""
    rounds: list[list[int]] = []
    for index in sorted(row):
        if rounds and rounds[-1][-1] == index - 1 and len(rounds[-1]) < units:
            rounds[-1].append(index)
        else:
            rounds.append([index])
    return rounds


def _issued(step: int, indices: int, rows: int, row: frozenset[int], units: int, waits: tuple[int, int]) -> int:
    """Rounds of a box, one by one: chains of x, x + step, ... along `indices`, `rows` rows of the same at each."""
    levels = [range(first, min(first + step, indices)) for first in range(0, indices, step)]
    start: dict[tuple[int, int, int], int] = {}
    now, cut = 0, _cut(row, units)
    wait = waits[0] if len(levels[0]) * rows * len(cut) == 1 else waits[1]
    for level in levels:
        for x in level:
            for number in range(rows):
                for places in cut:
                    together = [(x, number, place) for place in places]
                    read = [start[x - step, *rest] + wait for _, *rest in together if (x - step, *rest) in start]
                    now = max([now, *read])
                    start |= dict.fromkeys(together, now)
                    now += 1
    return now


def _lines(step: int, indices: int, rows: int, row: frozenset[int]) -> LineRounds:
    levels = -(-indices // step)
    many, last = min(indices, step) * rows, (indices - (levels - 1) * step) * rows
    return LineRounds(_rows(row), *(np.array([each]) for each in (1, many, levels, last)))


def _rows(row: frozenset[int]) -> RowLines:
    return RowLines.of_indices(np.array(sorted(row)))


def _longest(row: frozenset[int]) -> int:
    return max(len(each) for each in _cut(row, 99))


WAITS = st.tuples(st.integers(1, 7), st.integers(0, 4)).map(lambda pair: (pair[0], sum(pair)))
ROWS = st.one_of(st.integers(1, 6).map(lambda w: frozenset(range(w))), st.frozensets(st.integers(0, 9), min_size=1))
BOXES = st.tuples(st.integers(1, 4), st.integers(1, 9), st.integers(1, 3), ROWS)


@settings(max_examples=case_count(400), deadline=None)
@given(BOXES, st.integers(1, 7), WAITS)
def test_a_box_takes_as_long_as_its_rounds(box: Box, units: int, waits: tuple[int, int]) -> None:
    event(f"lines of a row: {min(len(_cut(box[3], 99)), 3)}")
    event("the last level is smaller" if box[1] % box[0] and box[1] > box[0] else "equal levels")
    assert int(_lines(*box).rounds(units, *waits)[0]) == _issued(*box, units, waits)


@settings(max_examples=case_count(400), deadline=None)
@given(BOXES, WAITS)
def test_more_units_are_no_slower_and_the_fewest_are_found(box: Box, waits: tuple[int, int]) -> None:
    lines, units = _lines(*box), np.arange(1, _longest(box[3]) + 1)
    rounds = np.array([int(lines.rounds(number, *waits)[0]) for number in units.tolist()])
    assert (np.diff(rounds) <= 0).all()
    for allowed in range(int(rounds[-1]), int(rounds[0]) + 3):
        found = lines.fewest_units(np.array([allowed]), waits[1])
        assert int(found[0]) == int(units[rounds <= allowed][0])


@given(st.integers(1, 9), ROWS, st.integers(1, 9), st.integers(0, 3))
def test_lines_are_not_crossed(many: int, row: frozenset[int], units: int, fill: int) -> None:
    lines = LineRounds(_rows(row), np.array([1]), np.array([many]))
    rounds = lines.rounds(units, 1, 1, fill)
    assert rounds.tolist() == [many * (len(_cut(row, units)) + fill * len(_cut(row, 99)))]
    each: IntArray = np.array([units])
    assert lines.rounds(each, 1, 1, np.array([fill])).tolist() == rounds.tolist()
    fewest = lines.fewest_units(rounds, 1, fill)
    assert fewest[0] == next(u for u in range(1, 10) if int(lines.rounds(u, 1, 1, fill)[0]) <= rounds[0])


@pytest.mark.parametrize(
    ("occupancy", "recurrence", "units", "cycles"), [(1, 32, 1, 39 * 32 + 16), (4, 36, 4, 39 * 36 + 16)]
)
def test_sixteen_chains_of_forty(occupancy: int, recurrence: int, units: int, cycles: int) -> None:
    wait = recurrence // occupancy
    assert int(_lines(1, 40, 1, frozenset(range(16))).rounds(units, wait, wait)[0]) * occupancy == cycles


@pytest.mark.parametrize(("fill", "cycles"), [(0, 800), (1, 1_120)])
def test_a_gap_ends_a_line(fill: int, cycles: int) -> None:
    lines = LineRounds(_rows(frozenset({*range(13), 14, 15})), np.array([1]), np.array([40]))
    assert int(lines.rounds(4, 1, 1, fill)[0]) * 4 == cycles
