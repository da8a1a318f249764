"""Programs of nested loops: they unroll to what they are made of, and what is nested becomes few instructions."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwmodel.emit.schedule.program import Program, _Rolling, rolled


def symbols(values: list[int]) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    return np.array(values, np.int64)


@given(st.lists(st.integers(0, 3), max_size=200))
def test_any_sequence_comes_back(values: list[int]) -> None:
    assert rolled(symbols(values)).unrolled().tolist() == values


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(1, 40)), max_size=30), st.integers(1, 4))
def test_runs_and_repeats_come_back(runs: list[tuple[int, int]], times: int) -> None:
    values = [symbol for symbol, length in runs for _ in range(length)] * times
    assert rolled(symbols(values)).unrolled().tolist() == values


@dataclass(frozen=True)
class Nest:
    """A symbol for some cycles, or parts some times over."""

    parts: tuple[Nest, ...]
    times: int

    def walked(self, fresh: count[int], known: dict[int, int]) -> list[int]:
        """The symbols, each leaf with one of its own."""
        if not self.parts:
            return [known.setdefault(id(self), next(fresh))] * self.times
        return [symbol for part in self.parts for symbol in part.walked(fresh, known)] * self.times

    @property
    def leaves(self) -> int:
        return sum(part.leaves for part in self.parts) or 1

    @property
    def depth(self) -> int:
        return 1 + max(part.depth for part in self.parts) if self.parts else 0


def nests() -> st.SearchStrategy[Nest]:
    times = st.integers(1, 6)
    leaves = st.builds(Nest, st.just(()), times)
    return st.recursive(
        leaves, lambda parts: st.builds(Nest, st.lists(parts, min_size=1, max_size=4).map(tuple), times)
    )


@given(nests())
def test_a_nest_of_loops_has_no_more_instructions_than_leaves(nest: Nest) -> None:
    values = nest.walked(count(), {})
    program = rolled(symbols(values))
    assert program.unrolled().tolist() == values
    assert len(program.instructions) <= nest.leaves
    assert program.depth <= nest.depth
    assert all(loop.times >= 2 for each in program.instructions for loop in each.ends)


@given(st.lists(st.integers(0, 2), max_size=60), st.lists(st.integers(0, 2), max_size=40), st.integers(1, 5))
def test_a_few_positions_tell_what_cannot_repeat(before: list[int], part: list[int], times: int) -> None:
    """Programs are those that come without looking at a few positions first."""
    values = symbols([*before, *part * times, *before[:5]])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_Rolling, "_may_repeat", lambda *_: True)
        every = rolled(values)
    assert rolled(values) == every


def test_parts_of_thousands_of_symbols_repeat() -> None:
    """As where 16 lines are unlike, of which each has some hundred symbols."""
    part = np.random.default_rng(1).permutation(4000)
    program = rolled(np.tile(part, 60))
    assert len(program.instructions) == len(part)
    assert program.times == (60,)


def test_lines_of_blocks_of_strips() -> None:
    """A frame of 1,000,000 cycles: 10 strips of 25 blocks of 40 lines of 96 rounds, with cycles in between."""
    line = [1] * 96 + [2]
    block = line * 40 + [3, 3]
    values = ([4] * 7 + block * 25 + [5]) * 10
    program = rolled(symbols(values))
    assert program.unrolled().tolist() == values
    assert [(each.symbol, each.cycles) for each in program.instructions] == [(4, 7), (1, 96), (2, 1), (3, 2), (5, 1)]
    assert (program.depth, program.times) == (3, (10, 25, 40))
    ends = {each.symbol: [(loop.start, loop.times, loop.depth) for loop in each.ends] for each in program.instructions}
    assert ends == {4: [], 1: [], 2: [(1, 40, 2)], 3: [(1, 25, 1)], 5: [(0, 10, 0)]}


def test_loops_that_end_together() -> None:
    """The innermost first, as hardware counts them."""
    values = ([1] + [2, 3] * 5) * 4
    (_, _, last) = rolled(symbols(values)).instructions
    assert [(loop.start, loop.times, loop.depth) for loop in last.ends] == [(1, 5, 1), (0, 4, 0)]


def test_nothing_to_do() -> None:
    assert rolled(symbols([])) == Program(())
    assert rolled(symbols([])).unrolled().tolist() == []


def test_what_does_not_repeat_is_written_out() -> None:
    """The controls of the property: no loops where there are none."""
    values = list(range(50))
    program = rolled(symbols(values))
    assert [each.symbol for each in program.instructions] == values
    assert program.depth == 0
