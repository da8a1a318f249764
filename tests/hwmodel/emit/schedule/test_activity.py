"""Agents: what a table says they touch, their counters and programs touch again, frame after frame."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from arrayol.arrays import IntArray
from hwmodel.emit.schedule.activity import Activity, Agent, Followed, Lanes, compiled, replayed, rows_of
from hwmodel.emit.schedule.memories import Memory, Section


@st.composite
def memories(draw: st.DrawFn, name: str) -> Memory:
    """Some digits of banks, and sections with gaps between them."""
    moduli = tuple(draw(st.lists(st.integers(2, 5), max_size=3)))
    sections, base = [], 0
    for _ in range(draw(st.integers(1, 3))):
        size = draw(st.integers(1, 6))
        sections.append(Section(base, size))
        base += size + draw(st.integers(0, 2))
    return Memory(name, name, 8, moduli, base, tuple(sections))


def words_of(memory: Memory) -> list[int]:
    """All words that lie in a section."""
    places = [own.base + place for own in memory.sections for place in range(own.size)]
    return [bank * memory.depth + place for bank in range(memory.banks) for place in places]


@st.composite
def activities(draw: st.DrawFn) -> Activity:
    """Steps of a few rows; lanes that rest now and then; numbers beside them. Some stretches are made twice."""
    _, ends = rows_of(draw(st.lists(st.integers(1, 6), min_size=1, max_size=5)))
    rows = int(ends[-1]) + 1
    lanes = []
    for number in range(draw(st.integers(0, 2))):
        memory = draw(memories(f"memory{number}"))
        touched = st.one_of(st.just(-1), st.sampled_from(words_of(memory)))
        count = draw(st.integers(1, 3))
        table = draw(st.lists(st.lists(touched, min_size=count, max_size=count), min_size=rows, max_size=rows))
        lanes.append(Lanes(f"lanes{number}", memory, np.array(table, np.int64)))
    column = st.lists(st.integers(0, 9), min_size=rows, max_size=rows).map(lambda own: np.array(own, np.int64))
    modulus = draw(st.integers(1, 7))
    place = st.lists(st.integers(-1, modulus - 1), min_size=rows, max_size=rows)
    which = draw(st.none() | st.lists(st.integers(0, 2), min_size=rows, max_size=rows).map(np.array))
    followed = Followed(np.array(draw(place), np.int64), modulus, which)
    once = Activity("agent", ends, tuple(lanes), {"control": draw(column)}, {"place": followed})
    return doubled(once) if draw(st.booleans()) else once


def doubled(own: Activity) -> Activity:
    """The same twice, one after the other: as the next frame, or as two halves of one."""

    def twice(table: IntArray) -> IntArray:
        return np.concatenate([table, table])

    return Activity(
        own.name,
        np.concatenate([own.ends, own.ends + own.rows]),
        tuple(Lanes(each.name, each.memory, twice(each.words)) for each in own.lanes),
        {name: twice(numbers) for name, numbers in own.controls.items()},
        {
            name: replace(
                place, numbers=twice(place.numbers), which=None if place.which is None else twice(place.which)
            )
            for name, place in own.places.items()
        },
    )


def assert_same(agent: Agent, own: Activity) -> None:
    found = replayed(agent)
    assert found.ends.tolist() == own.ends.tolist()
    for lanes in own.lanes:
        assert found.words[lanes.name].tolist() == lanes.words.tolist()
    for name, numbers in own.controls.items():
        assert found.controls[name].tolist() == numbers.tolist()
    for name, numbers in ((name, place.numbers) for name, place in own.places.items()):
        counted = numbers >= 0
        assert found.places[name][counted].tolist() == numbers[counted].tolist()


@given(activities())
def test_what_is_compiled_does_the_same(own: Activity) -> None:
    assert_same(compiled(own), own)


@given(activities())
def test_a_frame_follows_a_frame(own: Activity) -> None:
    """Behind the last row every counter is where it began: over a frame it goes on by a multiple of its modulus."""
    agent = compiled(own)
    table = np.array(agent.columns, np.int64)[agent.program.unrolled()]
    counters = [counter for place in agent.places.values() for counter in place.counters]
    for lanes in agent.lanes.values():
        for lane in lanes:
            counters += [*lane.digits, *(counter for counter in lane.sections if counter is not None)]
    for counter in counters:
        assert int(table[:, counter.column].sum()) % counter.modulus == 0


@given(activities())
def test_numbers_fit_their_columns(own: Activity) -> None:
    agent = compiled(own)
    table = np.array(agent.columns, np.int64)
    assert table.min() >= 0
    assert tuple(table.max(axis=0) + 1) == agent.limits
    assert len(set(agent.columns)) == len(agent.columns)


def raster(rows: int, columns: int) -> Activity:
    """A buffer of two lines that is filled row by row, four banks wide, one step for each row."""
    memory = Memory("lines", "image", 8, (4,), columns // 2, (Section(0, columns // 2),))
    step = np.arange(rows * columns // 4)
    place = step // (columns // 4) % 2 * (columns // 4) + step % (columns // 4)
    words = np.arange(4)[None, :] * memory.depth + place[:, None]
    _, ends = rows_of([columns // 4] * rows)
    return Activity("load", ends, (Lanes("load", memory, words),))


def test_what_is_regular_is_short() -> None:
    """A frame of 100 x 64 elements: as many instructions as cycles in a line are told apart, not as in a frame."""
    agent = compiled(raster(100, 64))
    assert_same(agent, raster(100, 64))
    assert [(each.symbol, each.cycles) for each in agent.program.instructions] == [(0, 15), (1, 1)]
    assert agent.program.times == (100,)
    counters = {counter for lane in agent.lanes["load"] for counter in lane.sections}
    assert [(counter.modulus, counter.initial) for counter in counters if counter] == [(32, 0)]
