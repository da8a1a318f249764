"""Values in the wrong place: schedules that touch the words that they should, and yet compute something else.

In each, tables and programs agree, so that the first proof has nothing to say. The fourth one names what arrives.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from hardware_designs import EARLY_STATE, Small, explored, small

from arrayol.errors import ArrayolError
from hwmodel.design import Blocks, Design, GroupDesign, Processor, Scan, row_major
from hwmodel.emit.schedule import delays
from hwmodel.emit.schedule.activity import Activity, Lanes
from hwmodel.emit.schedule.delays import DelayScheduler
from hwmodel.emit.schedule.group import GroupScheduler, Tables
from hwmodel.emit.schedule.port import DmaEngine
from hwmodel.emit.schedule.units import TaskUnits

SEVERAL = """\
elementary add(x: u8, l: i32, u: i32, c: i32) -> (s: i32) {
  s = l + u - c + x
}

task integral(im: u8[2, 3]) -> (out: i32[2, 3]) {
  repeat [2, 3] of add {
    x <- im
    l <- s delay [0, 1] else 0
    u <- s delay [1, 0] else 0
    c <- s delay [1, 1] else 0
    s -> out
  }
}
"""


@cache
def chain() -> Small:
    """A state that is made in a cycle."""
    return explored(EARLY_STATE)


def of_chain(units: int = 1, blocks: Blocks | None = None, interval: int = 2) -> Design:
    """A design of it: two chains at once in blocks of 2 x 2, which pass through the memory."""
    blocks = blocks or Blocks((2, 2), row_major(2))
    return Design((GroupDesign((Processor("t", units, interval=interval),), blocks),))


def blurred() -> tuple[Small, Design]:
    """A design with a window, banks, and several steps."""
    return small(), small().front[3]


def refusal(own: Small, design: Design) -> str:
    """What the proofs say of a design."""
    with pytest.raises(ArrayolError) as refused:
        own.hardware(design)
    (diagnostic,) = refused.value.diagnostics
    assert diagnostic.code == "unproven-schedule"
    return diagnostic.message


def test_designs_are_proven() -> None:
    for units, interval in ((1, 2), (2, 2), (1, 1), (2, 1)):
        assert chain().hardware(of_chain(units, interval=interval)).cycles > 0
    own, design = blurred()
    assert own.hardware(design).cycles > 0


def test_a_state_that_leaves_with_all_results_comes_too_late(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mistake that this proof was made for: at interval 2 results leave a cycle after they are made."""
    (task,) = chain().hardware(of_chain()).groups[0].tasks
    assert [port.early for port in task.units.writes] == [(), (0,)]
    late = DelayScheduler.late_reads

    def a_cycle_early(self: DelayScheduler, now: Any, before: Any, cycles: Any) -> Any:
        return late(self, now, before, cycles - 1)

    monkeypatch.setattr(DelayScheduler, "late_reads", a_cycle_early)
    text = refusal(chain(), of_chain())
    assert text == (
        "step 1, cycle 4: repetition (0, 1) of 't' on unit 0 takes as element 0 of 'p' what is not known, and not "
        "element 0 of 'y' of repetition (0, 0) of 't'"
    )


def test_several_states_that_come_too_late(monkeypatch: pytest.MonkeyPatch) -> None:
    own = explored(SEVERAL)
    design = Design((GroupDesign((Processor("integral", 1, interval=2),), Blocks((2, 3), row_major(2))),))
    assert own.hardware(design).cycles > 0
    monkeypatch.setattr(DelayScheduler, "late_reads", lambda self, now, before, cycles: np.zeros(len(now), np.bool_))
    assert "of 'integral' on unit 0 takes as element 0 of 'l'" in refusal(own, design)


def test_a_result_that_is_taken_before_it_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    early = delays.early_cycles
    monkeypatch.setattr(delays, "early_cycles", lambda *some: tuple(cycle - 1 for cycle in early(*some)))
    assert refusal(chain(), of_chain()) == "'y' of 't' is taken before it is made"


# Changes of tables, of which programs are compiled.


@pytest.fixture
def changed(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[Tables], Tables]], None]:
    """Let all tables be changed before they are compiled."""

    def change(by: Callable[[Tables], Tables]) -> None:
        tables = GroupScheduler.tables
        monkeypatch.setattr(GroupScheduler, "tables", lambda self: by(tables(self)))

    return change


Change = Callable[[Callable[[Tables], Tables]], None]


def with_task(
    tables: Tables, change: Callable[[Activity, Activity, TaskUnits], tuple[Activity, Activity, TaskUnits]]
) -> Tables:
    """Another first task."""
    first, *others = tables.tasks
    return replace(tables, tasks=(change(*first), *others))


def with_lanes(activity: Activity, name: str, change: Callable[[Any], Any]) -> Activity:
    """Other words of some lanes."""
    lanes = tuple(Lanes(own.name, own.memory, change(own.words)) if own.name == name else own for own in activity.lanes)
    return replace(activity, lanes=lanes)


def swapped(words: Any) -> Any:
    """The first two different words exchanged, wherever they are."""
    one, other = np.unique(words[words >= 0])[:2]
    return np.where(words == one, other, np.where(words == other, one, words))


def test_a_repetition_that_reads_the_words_of_another_one(changed: Change) -> None:
    changed(lambda own: with_task(own, lambda read, write, units: (with_lanes(read, "t_x", swapped), write, units)))
    text = refusal(chain(), of_chain())
    assert (
        "(0, 0) of 't' on unit 0 takes as element 0 of 'x' element (1, 0) of 'x', and not element (0, 0) of 'x'" in text
    )


def test_a_state_that_is_read_of_the_other_chain(changed: Change) -> None:
    changed(
        lambda own: with_task(own, lambda read, write, units: (with_lanes(read, "t_p_state", swapped), write, units))
    )
    assert " of 't' on unit 0 takes as element 0 of 'p' what is not known, and not element 0 of 'y' of" in (
        refusal(chain(), of_chain())
    )


def test_a_state_that_is_not_written(changed: Change) -> None:
    def without(words: Any) -> Any:
        found = words.copy()
        found[np.flatnonzero((words >= 0).any(axis=1))[-1]] = -1
        return found

    changed(
        lambda own: with_task(
            own, lambda read, write, units: (read, with_lanes(write, "t_p_state_next", without), units)
        )
    )
    assert "takes as element 0 of 'p' element 0 of 'y' of repetition" in refusal(chain(), of_chain())


def test_results_in_each_other_s_place(changed: Change) -> None:
    changed(lambda own: with_task(own, lambda read, write, units: (read, with_lanes(write, "t_y", swapped), units)))
    assert "stores in 'y' element 0 of 'y' of repetition" in refusal(chain(), of_chain())


def test_units_that_go_on_with_a_state_that_is_not_theirs(changed: Change) -> None:
    """In a row of its own each unit keeps the state. Here the first repetition of a chain does so, too."""
    design = of_chain(1, Blocks((1, 4), Scan((0, 1), (False, False))))
    (task,) = chain().hardware(design).groups[0].tasks
    assert task.units.kept == (("y", "p"),)

    def always(read: Activity, write: Activity, units: TaskUnits) -> tuple[Activity, Activity, TaskUnits]:
        return replace(read, controls={**read.controls, "keeps": read.controls["begins"]}), write, units

    changed(lambda own: with_task(own, always))
    text = refusal(chain(), design)
    assert (
        "repetition (0, 0) of 't' on unit 0 takes as element 0 of 'p' what is not known, and not the constant" in text
    )


def test_units_that_do_not_keep_their_state(changed: Change) -> None:
    def never(read: Activity, write: Activity, units: TaskUnits) -> tuple[Activity, Activity, TaskUnits]:
        return replace(read, controls={**read.controls, "keeps": 0 * read.controls["keeps"]}), write, units

    changed(lambda own: with_task(own, never))
    text = refusal(chain(), of_chain(1, Blocks((1, 4), Scan((0, 1), (False, False)))))
    assert "takes as element 0 of 'p' the constant, and not element 0 of 'y' of repetition (0, 0) of 't'" in text


def test_another_constant(changed: Change) -> None:
    def other(read: Activity, write: Activity, units: TaskUnits) -> tuple[Activity, Activity, TaskUnits]:
        return read, write, replace(units, reads=tuple(replace(own, constant=1) for own in units.reads))

    changed(lambda own: with_task(own, other))
    assert refusal(chain(), of_chain()) in {
        "'p' of 't' has another constant than it should", "'x' of 't' has another constant than it should"
    }  # fmt: skip


def test_a_window_whose_registers_take_another_place(changed: Change) -> None:
    def shifted(read: Activity, write: Activity, units: TaskUnits) -> tuple[Activity, Activity, TaskUnits]:
        (port,) = units.reads
        assert port.window is not None
        patterns = tuple((row[1], row[0], *row[2:]) for row in port.window.patterns)
        return read, write, replace(units, reads=(replace(port, window=replace(port.window, patterns=patterns)),))

    changed(lambda own: with_task(own, shifted))
    text = refusal(*blurred())
    assert "repetition (8, 0) of 'blurred' on unit 0 takes as element 0 of 'x' element (8, 1) of 'x', and not" in text


def test_a_window_that_moves_on_once_less(changed: Change) -> None:
    def once_less(read: Activity, write: Activity, units: TaskUnits) -> tuple[Activity, Activity, TaskUnits]:
        moves = read.controls["blurred_x_round"].copy()
        moves[np.flatnonzero(moves)[3]] = 0
        return replace(read, controls={**read.controls, "blurred_x_round": moves}), write, units

    changed(lambda own: with_task(own, once_less))
    assert " of 'blurred' on unit " in refusal(*blurred())


def with_engine(tables: Tables, change: Callable[[DmaEngine], DmaEngine]) -> Tables:
    """Another first engine."""
    first, *others = tables.engines
    return replace(tables, engines=(change(first), *others))


def test_loads_in_each_other_s_place(changed: Change) -> None:
    changed(
        lambda own: with_engine(own, lambda port: replace(port, passing=with_lanes(port.passing, "load_x", swapped)))
    )
    assert "takes as element 0 of 'x' element (1, 0) of 'x', and not element (0, 0) of 'x'" in refusal(
        chain(), of_chain()
    )


def test_stores_of_words_in_each_other_s_place(changed: Change) -> None:
    changed(
        lambda own: with_engine(own, lambda port: replace(port, storing=with_lanes(port.storing, "store_y", swapped)))
    )
    assert "stores in 'y' element 0 of 'y' of repetition" in refusal(chain(), of_chain())


def test_requests_that_ask_for_another_word(changed: Change) -> None:
    def other(port: DmaEngine) -> DmaEngine:
        words = port.requests.places["word"]
        moved = np.where(port.requests.controls["write"] > 0, words.numbers, (words.numbers + 1) % words.modulus)
        changed_words = replace(words, numbers=np.where(words.numbers < 0, -1, moved))
        return replace(port, requests=replace(port.requests, places={"word": changed_words}))

    changed(lambda own: with_engine(own, other))
    assert refusal(chain(), of_chain()) == "step 3 loads what is no element of 'x'"


def test_more_words_than_are_asked_for(changed: Change) -> None:
    def fewer(port: DmaEngine) -> DmaEngine:
        words = port.requests.controls["words"].copy()
        words[0] -= 1
        return replace(port, requests=replace(port.requests, controls={**port.requests.controls, "words": words}))

    changed(lambda own: with_engine(own, fewer))
    assert refusal(chain(), of_chain()) == "other words pass 'port' than it asks for"


def test_an_output_that_is_not_stored_as_a_whole(changed: Change) -> None:
    def without(words: Any) -> Any:
        found = words.copy()
        row, lane = np.argwhere(words >= 0)[-1]
        found[row, lane] = -1
        return found

    changed(
        lambda own: with_engine(own, lambda port: replace(port, storing=with_lanes(port.storing, "store_y", without)))
    )
    assert refusal(chain(), of_chain()) == "element (3, 3) of 'y' is not stored"


TABLE = """\
const T: u8[4096] = [u8(k // 16) for k in 0..4096]

elementary look(x: u12) -> (y: u8) {
  y = T[x]
}

task looked(x: u12[32, 32]) -> (y: u8[32, 32]) {
  repeat [32, 32] of look {
    x <- x
    y -> y
  }
}
"""


def test_a_table_that_data_read_takes_one_row() -> None:
    """Written out, it takes 8 bytes x 4,096 x 1,024 repetitions = 32 MiB in each of several arrays."""
    own = explored(TABLE)
    design = Design((GroupDesign((Processor("looked", 1),), Blocks((32, 32), row_major(2))),), (("T", "rom"),))
    tracemalloc.start()
    own.hardware(design)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 16 << 20
