"""Requests of runs: times against a memory watched cycle by cycle, words against every place in memory."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st
from oracle_requests import cycles_of_requests, row_of, run_cycles, runs_of_set, worst_place

from hwmodel.accesses import points
from hwmodel.cost_model.memory_port.requests import ElementRuns, Requested, Requests, axis_starts
from hwmodel.local_words import LocalWord
from hwmodel.platform_memories import ExternalMemory
from hwmodel.simulator.requests import Requester, runs_in
from hwmodel.simulator.schedule.plan import SimulatorError


def time(number: int, words: int, latency: int, outstanding: int) -> int:
    return int(Requests(np.array([number]), np.array([words]), np.array([words])).cycles(latency, outstanding)[0])


@pytest.mark.parametrize(
    ("number", "words", "outstanding", "cycles"),
    [
        (24, 18, 1, 1152),
        (24, 18, 2, 594),
        (24, 18, 4, 462),
        (24, 19, 4, 486),
        (16, 1, 4, 127),
        (16, 1, 16, 46),
        (8, 6, 4, 90),
        (0, 0, 4, 0),
    ],
)
def test_times_of_equal_requests(number: int, words: int, outstanding: int, cycles: int) -> None:
    assert time(number, words, 30, outstanding) == cycles
    assert cycles_of_requests([words] * number, 30, outstanding) == cycles


def test_unequal_requests_lie_between_two_equal_ones() -> None:
    assert cycles_of_requests([3, 4, 3, 4, 4], 10, 2) == 40
    assert time(5, 3, 10, 2) <= 40 <= time(5, 4, 10, 2)


@given(st.integers(0, 12), st.integers(1, 9), st.integers(0, 12), st.integers(1, 6))
def test_the_closed_form_is_the_time_of_the_memory(number: int, words: int, latency: int, outstanding: int) -> None:
    assert time(number, words, latency, outstanding) == cycles_of_requests([words] * number, latency, outstanding)


def boxes(rows: range, columns: range, width: int) -> np.ndarray:
    return (np.array(rows)[:, None] * width + np.array(columns)).ravel()


def test_words_of_a_box_whose_columns_start_at_odd_places() -> None:
    """24 x 276 of 1,920 bytes a row: blocks of 274 columns and a border of one at either side."""
    steps = [boxes(range(24), range(274 * at + 273, 274 * at + 549), 1920) for at in range(5)]
    step = np.repeat(np.arange(5), [len(one) for one in steps])
    memory = ExternalMemory(latency=30, word_bits=128)
    found = Requested((1080, 1920), 1, memory).by_step(np.concatenate(steps), step, 5)
    assert (found.number.tolist(), found.words.tolist()) == ([24] * 5, [19] * 5)


def test_whole_rows_are_one_run_and_cut_at_the_longest_burst() -> None:
    runs = ElementRuns.of(boxes(range(2, 6), range(64), 64), np.zeros(256, np.int64), (8, 64))
    memory = ExternalMemory(latency=0, word_bits=64, burst="run", max_burst_words=7)
    found = Requested((8, 64), 1, memory).by_step(boxes(range(2, 6), range(64), 64), np.zeros(256, np.int64), 1)
    assert (runs.start.tolist(), runs.data.tolist()) == ([128], [256])
    assert (found.number.tolist(), found.words.tolist()) == ([5], [7])


@st.composite
def moved(draw: st.DrawFn) -> tuple[tuple[int, ...], list[np.ndarray]]:
    """A small array and what each of some steps moves of it: boxes, with ends of axes at times, or any elements."""
    shape = tuple(draw(st.lists(st.integers(1, 5), min_size=0, max_size=3)))
    size = int(np.prod(shape, dtype=int))
    steps = []
    for _ in range(draw(st.integers(1, 4))):
        if draw(st.booleans()):
            chosen = draw(st.sets(st.integers(0, size - 1), min_size=1))
        else:
            axes = [draw(st.sets(st.integers(0, extent - 1), min_size=1)) for extent in shape]
            axes = [set(range(e)) if draw(st.booleans()) else own for e, own in zip(shape, axes, strict=True)]
            cells = np.meshgrid(*(sorted(own) for own in axes), indexing="ij")
            chosen = set(np.ravel_multi_index(cells, shape).ravel().tolist()) if shape else {0}
        steps.append(np.array(sorted(chosen), np.int64))
    return shape, steps


@given(moved(), st.integers(1, 4), st.integers(1, 24))
def test_runs_and_words_of_all_three_readings(
    case: tuple[tuple[int, ...], list[np.ndarray]], size: int, word: int
) -> None:
    """Model, simulator and brute force; and every run fits in its words, wherever it starts."""
    shape, steps = case
    every = points(shape)
    step = np.repeat(np.arange(len(steps)), [len(one) for one in steps])
    runs = ElementRuns.of(np.concatenate(steps), step, shape)
    memory = ExternalMemory(latency=0, word_bits=8 * word, burst="run")
    worst = int(Requested(shape, size, memory).worst(axis_starts(runs, shape), word))
    sets = [[tuple(every[element].tolist()) for element in one] for one in steps]
    assert worst == worst_place([run for one in sets for run in runs_of_set(one, shape)], shape, size, word)
    assert worst == Requester.of("a", shape, size, memory, steps).ways[0].worst
    for number, one in enumerate(steps):
        own = [
            tuple(pair) for pair in zip(runs.start[runs.step == number], runs.data[runs.step == number], strict=True)
        ]
        assert own == runs_in(one, shape) == runs_of_set(sets[number], shape)
    for start, data in zip(runs.start.tolist(), runs.data.tolist(), strict=True):
        assert start * size % word <= worst
        assert (start * size % word + data * size - 1) // word < (worst + data * size - 1) // word + 1


@given(moved(), st.integers(1, 4), st.data())
def test_entries_that_lie_apart(case: tuple[tuple[int, ...], list[np.ndarray]], size: int, data: st.DataObject) -> None:
    """Entries of the first axis, which are whole words, are requested one by one, by model and simulator alike."""
    shape, steps = case
    assume(shape)
    every, entry = points(shape), size * math.prod(shape[1:])
    word = data.draw(st.sampled_from([one for one in range(1, entry + 1) if entry % one == 0]))
    memory = ExternalMemory(latency=3, word_bits=8 * word, burst="run", max_burst_words=4, outstanding=2)
    step = np.repeat(np.arange(len(steps)), [len(one) for one in steps])
    runs = ElementRuns.of(np.concatenate(steps), step, shape, apart=True)
    for number, one in enumerate(steps):
        at = runs.step == number
        parts = [[place for place in map(tuple, every[one].tolist()) if place[0] == own] for own in range(shape[0])]
        expected = [run for part in parts for run in runs_of_set(part, shape)]
        assert [*zip(runs.start[at].tolist(), runs.data[at].tolist(), strict=True)] == expected
        assert runs_in(one, shape, apart=True) == expected
    requests = Requested(shape, size, memory, apart=True).by_step(np.concatenate(steps), step, len(steps))
    requester = Requester.of("a", shape, size, memory, steps, apart=True)
    served = [requester.serve(0, one, number)[0] for number, one in enumerate(steps)]
    assert requests.cycles(3, 2).tolist() == served
    asked = (requester.request_for(one) for one in steps)
    inside = entry // size
    assert all(start // inside == (start + count - 1) // inside for own in asked for start, count in own.runs)


def test_a_request_of_a_word_less_is_caught() -> None:
    steps = [np.arange(3, 11), np.arange(17, 25)]
    memory = ExternalMemory(latency=5, word_bits=32, burst="run", outstanding=2)
    requester = Requester.of("a", (32,), 1, memory, steps)
    assert requester.request_for(steps[0]).each == 3
    assert requester.serve(0, steps[0], 0)[0] == 8
    way = requester.ways[0]
    short = replace(requester, ways=(replace(way, worst=way.worst - 3),))
    with pytest.raises(SimulatorError, match="step 7 requests 2 words of a run of 'a' that has more"):
        short.serve(0, steps[0], 7)


@given(moved(), st.integers(1, 4), st.integers(1, 24), st.integers(1, 24), st.sampled_from((1, 2, 256)))
def test_local_words_of_all_three_readings(
    case: tuple[tuple[int, ...], list[np.ndarray]], size: int, word: int, asked: int, most: int
) -> None:
    """Model, simulator and page have the same cycles, and no run has more local words where it lies."""
    shape, steps = case
    whole = max(1, word // size)
    width = max(one for one in range(1, whole + 1) if whole % one == 0 and one <= asked)
    local = LocalWord(width, row_of(shape, width))
    memory = ExternalMemory(latency=3, word_bits=8 * word, burst="run", max_burst_words=most, outstanding=2)
    step = np.repeat(np.arange(len(steps)), [len(one) for one in steps])
    requests = Requested(shape, size, memory, local).by_step(np.concatenate(steps), step, len(steps))
    cycles = requests.cycles(3, 2).tolist()
    sets = [[tuple(points(shape)[element].tolist()) for element in one] for one in steps]
    assert cycles == [run_cycles(sets, one, shape, size, memory, width) for one in sets]
    requester = Requester.of("a", shape, size, memory, steps, local)
    assert cycles == [
        requester.serve(0, one, number)[0] for number, one in enumerate(steps)
    ]  # it stops at a cycle too few
    slower = (requests.passing > requests.words).any()
    event(f"the memory inside is {'slower' if slower else 'as fast'}")


@pytest.mark.parametrize(
    ("columns", "width", "passing"),
    [(1920, 16, 480), (1920, 8, 960), (1912, 16, 478 + 3), (17, 16, 5 + 3), (6, 16, 2), (6, 4, 6 + 3)],
)
def test_four_whole_rows(columns: int, width: int, passing: int) -> None:
    """Rows of bytes on a port of 16: cut at their ends where these lie within a local word."""
    shape = (8, columns)
    memory = ExternalMemory(latency=0, word_bits=128, burst="run", max_burst_words=1000)
    found = Requested(shape, 1, memory, LocalWord(width, row_of(shape, width))).by_step(
        np.arange(4 * columns), np.zeros(4 * columns, np.int64), 1
    )
    assert found.passing.tolist() == [passing]


def test_a_cycle_less_for_local_words_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two rows of 17 bytes, at 16 a word: the second word has an end of the first row."""
    memory, row = ExternalMemory(latency=5, word_bits=128, burst="run"), LocalWord(16, 17)
    requester, other = (Requester.of("a", (2, 17), 1, memory, [np.arange(34)], row) for _ in range(2))
    assert requester.serve(0, np.arange(34), 0)[0] == 5 + 4
    monkeypatch.setattr(Requester, "passing", lambda own, way, longest, each: each)
    with pytest.raises(SimulatorError, match="step 7 requests a run of 'a' for 3 cycles, but its memory needs 4"):
        other.serve(0, np.arange(34), 7)


@given(st.lists(st.integers(0, 39), min_size=1, unique=True), st.integers(0, 5), st.integers(1, 7))
def test_requests_further_on_are_the_same_further_on(places: list[int], rows: int, row: int) -> None:
    memory, shape = ExternalMemory(latency=5, word_bits=32, burst="run"), (100, row)
    steps = [np.sort(np.array(places)), np.sort(np.array(places)) + rows * row]
    asking, others = (Requester.of("a", shape, 1, memory, steps) for _ in range(2))
    first = asking.request_for(steps[0])
    ahead = tuple((start + rows * row, size) for start, size in first.runs)
    assert asking.request_for(steps[1]) == others.request_for(steps[1]) == replace(first, runs=ahead)
    asking.serve(0, steps[0], 0)
    (end, cycles), (other_end, other_cycles) = asking.serve(3, steps[1], 1), others.serve(3, steps[1], 1)
    assert (end, cycles.tolist()) == (other_end, other_cycles.tolist())
