"""Schedules that are broken on purpose: each is refused by the proof that it breaks, and what is wrong is named."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest
from hardware_designs import Scheduled, scheduled, small

from arrayol.errors import ArrayolError
from hwmodel.design import Blocks, Design, GroupDesign, Processor, row_major
from hwmodel.emit.schedule.activity import Agent, Counter, LaneCounters, Lanes, compiled
from hwmodel.emit.schedule.group import GroupScheduler
from hwmodel.emit.schedule.proofs import Claim, claims_of, reading_apart, require_proofs

BLOCKS_OF_LINES = 3  # the number on the front of a design with banks, a window and several steps


@pytest.fixture(scope="module")
def whole() -> Scheduled:
    """A group that is right."""
    return scheduled(small().front[BLOCKS_OF_LINES])


def refusal(own: Scheduled) -> str:
    """What the proofs say of a schedule."""
    with pytest.raises(ArrayolError) as refused:
        require_proofs(own.scheduler.accesses, own.tables, own.schedule, own.run)
    (diagnostic,) = refused.value.diagnostics
    assert diagnostic.code == "unproven-schedule"
    return diagnostic.message


def with_agent(own: Scheduled, change: Callable[[Agent], Agent]) -> Scheduled:
    """Another agent in place of the one that reads for the first task."""
    first, *others = own.schedule.tasks
    return replace(own, schedule=replace(own.schedule, tasks=(replace(first, reading=change(first.reading)), *others)))


def with_counter(agent: Agent, change: Callable[[LaneCounters], LaneCounters]) -> Agent:
    """Other counters of its first lane."""
    (name, (first, *others)), *_ = agent.lanes.items()
    return replace(agent, lanes={**agent.lanes, name: (change(first), *others)})


def claims(own: Scheduled) -> Iterator[Claim]:
    """What the proofs are about."""
    return claims_of(own.scheduler.accesses, own.tables, own.schedule, own.run)


def banked_reads(own: Scheduled) -> Iterator[Lanes]:
    """The lanes that read memories in banks."""
    reading = [reads for reads, _, _ in own.tables.tasks] + [engine.storing for engine in own.tables.engines]
    yield from (lanes for activity in reading for lanes in activity.lanes if not lanes.memory.registers)


def moves(counter: Counter | None, agent: Agent) -> bool:
    return counter is not None and agent.limits[counter.column] > 1


def test_each_design_of_a_front_is_proven() -> None:
    for design in small().front:
        own = scheduled(design)
        require_proofs(own.scheduler.accesses, own.tables, own.schedule, own.run)
        assert reading_apart(own.tables) == {lanes.name for lanes in banked_reads(own)}


# The first proof: what agents touch.


def test_a_wrong_modulus_of_a_bank(whole: Scheduled) -> None:
    def change(agent: Agent) -> Agent:
        def shorter(lane: LaneCounters) -> LaneCounters:
            (digit,) = lane.digits
            assert moves(digit, agent)
            return replace(lane, digits=(replace(digit, modulus=digit.modulus - 1),))

        return with_counter(agent, shorter)

    text = refusal(with_agent(whole, change))
    assert text == "step 1, row 2 of 'blurred_read', repetition (8, 4), touches other words of 'x' than it should"


def test_a_wrong_modulus_of_an_address(whole: Scheduled) -> None:
    def change(agent: Agent) -> Agent:
        def longer(lane: LaneCounters) -> LaneCounters:
            (place,) = lane.sections
            assert place is not None
            assert moves(place, agent)
            return replace(lane, sections=(replace(place, modulus=place.modulus + 1),))

        return with_counter(agent, longer)

    text = refusal(with_agent(whole, change))
    assert text == "step 2, row 1 of 'blurred_read', repetition (6, 0), touches other words of 'x' than it should"


def test_an_address_that_is_shifted(whole: Scheduled) -> None:
    def change(agent: Agent) -> Agent:
        def shifted(lane: LaneCounters) -> LaneCounters:
            (place,) = lane.sections
            assert place is not None
            return replace(lane, sections=(replace(place, initial=(place.initial + 1) % place.modulus),))

        return with_counter(agent, shifted)

    text = refusal(with_agent(whole, change))
    first = np.flatnonzero(whole.tables.tasks[0][0].lanes[0].words[:, 0] >= 0)[0]
    step = int(np.searchsorted(whole.tables.tasks[0][0].ends, first))
    row = int(first - whole.tables.tasks[0][0].starts[step])
    where = f"step {step}, row {row} of 'blurred_read', repetition (8, 0),"
    assert text == f"{where} touches other words of 'x' than it should"


@pytest.mark.parametrize("writes", [False, True])
def test_the_repetition_that_is_named(whole: Scheduled, *, writes: bool) -> None:
    """In each row in which a repetition of 'scaled' begins, or has its result, the first of those that do."""
    claim = next(own for own in claims(whole) if own.activity.name == f"scaled_{'write' if writes else 'read'}")
    processor = whole.run.processors["scaled"]
    points = processor.repetitions(whole.scheduler.accesses)
    clocks = np.cumsum([0, *whole.run.lengths[:-1]])
    told = dict[int, str]()
    for start, point in zip(processor.started.tolist(), points.tolist(), strict=True):
        step = int(np.searchsorted(clocks, start, side="right")) - 1
        row = start - int(clocks[step]) + (processor.unit.latency if writes else 0)
        place = int(claim.activity.starts[step]) + row
        told.setdefault(place, f"step {step}, row {row} of '{claim.activity.name}', repetition {tuple(point)},")
    assert {row: claim.where(row) for row in told} == told
    assert claim.where(0) == f"step 0, row 0 of '{claim.activity.name}'"


def test_a_step_that_is_a_cycle_longer(whole: Scheduled) -> None:
    def change(agent: Agent) -> Agent:
        first, *others = agent.program.instructions
        longer = replace(first, cycles=first.cycles + 1)
        return replace(agent, program=replace(agent.program, instructions=(longer, *others)))

    assert refusal(with_agent(whole, change)) == "the steps of 'blurred_read' do not have the rows that they should"


def test_a_loop_that_is_walked_once_less(whole: Scheduled) -> None:
    def change(agent: Agent) -> Agent:
        instructions = list(agent.program.instructions)
        place = next(place for place, own in enumerate(instructions) if own.ends)
        (inner, *outer) = instructions[place].ends
        instructions[place] = replace(instructions[place], ends=(replace(inner, times=inner.times - 1), *outer))
        return replace(agent, program=replace(agent.program, instructions=tuple(instructions)))

    assert refusal(with_agent(whole, change)) == "the steps of 'blurred_read' do not have the rows that they should"


def test_a_window_that_does_not_move_on(whole: Scheduled) -> None:
    """A number beside what lanes touch."""

    def change(agent: Agent) -> Agent:
        column = agent.controls["blurred_x_round"]
        rows = tuple((*row[:column], 0, *row[column + 1 :]) for row in agent.columns)
        shared = [own.valid for lanes in agent.lanes.values() for own in lanes]
        assert column not in shared
        return replace(agent, columns=rows)

    assert refusal(with_agent(whole, change)).endswith(
        "of 'blurred_read', repetition (8, 0), has another 'blurred_x_round' than it should"
    )


def test_a_request_for_another_word(whole: Scheduled) -> None:
    (engine,) = whole.schedule.engines
    (name, own), *_ = engine.requests.places.items()
    first, *others = own.counters
    wrong = replace(first, initial=(first.initial + 1) % first.modulus)
    places = {**engine.requests.places, name: replace(own, counters=(wrong, *others))}
    broken = replace(engine, requests=replace(engine.requests, places=places))
    text = refusal(replace(whole, schedule=replace(whole.schedule, engines=(broken,))))
    assert text == f"step 0, row 0 of '{engine.requests.name}' has another '{name}' than it should"


# The second proof: what lives in a word.


def test_a_datum_over_one_that_lives(whole: Scheduled) -> None:
    moved, words = whole.run.moves.arrays["x"], whole.run.located["x"]
    old = int(np.flatnonzero((moved.bring == 0) & (moved.last > 0))[0])
    new = int(np.flatnonzero(moved.bring == 1)[0])
    broken = words.copy()
    broken[new] = words[old]
    run = replace(whole.run, located={**whole.run.located, "x": broken})
    own = replace(whole, scheduler=replace(whole.scheduler, run=run))
    row, column = divmod(int(moved.element[old]), 16)  # of 12 x 16
    text = f"step 1 overwrites element ({row}, {column}) of 'x' in word {words[old]}"
    assert refusal(own) == f"{text}, which is needed up to step {moved.last[old]}"


# The third proof: who meets in a bank.


def test_a_datum_of_a_fifo_that_is_read_before_it_is_there() -> None:
    group = GroupDesign(
        (Processor("blurred"), Processor("scaled")), Blocks((10, 14), row_major(2)), fifos=frozenset({"y"})
    )
    own = scheduled(Design((group,)))
    require_proofs(own.scheduler.accesses, own.tables, own.schedule, own.run)
    *others, (reading, writing, units) = own.tables.tasks
    (lanes,) = reading.lanes
    early = replace(reading, lanes=(replace(lanes, words=np.roll(lanes.words, -8, axis=0)),))
    tables = replace(own.tables, tasks=(*others, (early, writing, units)))
    *before, last = own.schedule.tasks
    schedule = replace(own.schedule, tasks=(*before, replace(last, reading=compiled(early))))
    text = refusal(replace(own, tables=tables, schedule=schedule))
    assert "of the FIFO of 'y', which is read in cycle" in text


def test_two_lanes_in_one_bank(whole: Scheduled) -> None:
    """Table and program agree, but a bank would have to give two words at once."""
    (reading, writing, units), *others = whole.tables.tasks
    (lanes,) = reading.lanes
    row = int(np.flatnonzero((lanes.words[:, :2] >= 0).all(axis=1))[0])
    words, depth = lanes.words.copy(), lanes.memory.depth
    bank, address = divmod(int(words[row, 0]), depth)
    words[row, 1] = bank * depth + (address + 1) % depth
    tables = replace(
        whole.tables, tasks=((replace(reading, lanes=(replace(lanes, words=words),)), writing, units), *others)
    )
    own = Scheduled(whole.scheduler, tables, whole.scheduler.schedule(tables))
    step = int(np.searchsorted(reading.ends, row))
    where = f"step {step}, row {row - int(reading.starts[step])} of 'blurred_read', repetition (8, 0),"
    assert refusal(own) == f"{where} meets two words of bank {bank} of 'x'"


def test_two_lanes_on_one_word(whole: Scheduled) -> None:
    """They may: a bank gives its word to both."""
    (reading, writing, units), *others = whole.tables.tasks
    (lanes,) = reading.lanes
    row = int(np.flatnonzero((lanes.words[:, :2] >= 0).all(axis=1))[0])
    words = lanes.words.copy()
    words[row, 1] = words[row, 0]
    tables = replace(
        whole.tables, tasks=((replace(reading, lanes=(replace(lanes, words=words),)), writing, units), *others)
    )
    require_proofs(whole.scheduler.accesses, tables, whole.scheduler.schedule(tables), whole.run)


def test_a_word_that_is_read_while_it_is_loaded(whole: Scheduled) -> None:
    (reading, writing, units), *others = whole.tables.tasks
    read, *more = reading.lanes
    (engine,) = whole.tables.engines
    loaded = next(own for own in engine.passing.lanes if own.memory == read.memory)
    step = int(np.searchsorted(engine.passing.ends, np.flatnonzero((loaded.words >= 0).any(axis=1))[0]))
    words = read.words.copy()
    words[reading.starts[step], 0] = loaded.words[loaded.words >= 0][0]
    early = replace(reading, lanes=(replace(read, words=words), *more))
    assert read.name in reading_apart(whole.tables)
    assert read.name not in reading_apart(replace(whole.tables, tasks=((early, writing, units), *others)))


def test_a_design_is_refused_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is scheduled is proven before it is handed on."""
    scheduling = GroupScheduler.schedule

    def broken(self: GroupScheduler, tables: object) -> object:
        schedule = scheduling(self, tables)  # type: ignore[arg-type]
        first, *others = schedule.tasks
        shifted = with_counter(
            first.writing,
            lambda lane: replace(
                lane,
                sections=tuple(own and replace(own, initial=(own.initial + 1) % own.modulus) for own in lane.sections),
            ),
        )
        return replace(schedule, tasks=(replace(first, writing=shifted), *others))

    assert small().hardware(small().front[BLOCKS_OF_LINES]).cycles > 0
    monkeypatch.setattr(GroupScheduler, "schedule", broken)
    named = r"unproven-schedule.*'blurred_write', repetition \(8, 0\), touches other words of 'y'"
    with pytest.raises(ArrayolError, match=named):
        small().hardware(small().front[BLOCKS_OF_LINES])
