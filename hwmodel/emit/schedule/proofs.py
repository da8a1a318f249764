"""Proofs that a group's schedule is right, by its programs alone: each is unrolled and looked at cycle by cycle.

1. What agents touch is what the simulated machine touched: every lane in every row, and the rows of every step.
2. No datum is overwritten while it lives: in each word no two data live at once, from the step that brings each to that
   of its last use; in a FIFO, from the cycle of its making to that of its reading.
3. No two lanes that write a memory, or that read a copy of it, meet in a bank in a cycle with different words.

The simulated machine has checks of its own; these look at what is emitted. The fourth proof is in value_proof.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arrayol.errors import ArrayolError, error
from hwmodel.accesses import Accesses
from hwmodel.emit.schedule.activity import Activity, Agent, Replayed, replayed
from hwmodel.emit.schedule.group import GroupSchedule, Tables
from hwmodel.emit.schedule.memories import Memory
from hwmodel.simulator.group import GroupRun
from hwmodel.simulator.moves import Moved
from hwmodel.simulator.processors import Processor

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Claim:
    """What an agent should do, and the agent that is to do it; that of a task with the task's run.

    `behind` are the cycles from the start of a repetition to its first row.
    """

    activity: Activity
    agent: Agent
    accesses: Accesses
    processor: Processor | None = None
    behind: int = 0

    def where(self, row: int) -> str:
        """A row as messages name it, with the repetition that has begun last by then."""
        step = int(np.searchsorted(self.activity.ends, row))
        own = row - int(self.activity.starts[step])
        text = f"step {step}, row {own} of '{self.activity.name}'"
        first, end = self._instances(step - self.activity.setup)
        if self.processor is None or first == end:
            return text
        starts = self.processor.started[first:end] - self.processor.began[first:end] + self.behind
        begun = np.where(starts <= own, starts, -1)
        place = int(begun.argmax() if begun.max() >= 0 else starts.argmin())
        repetition = self.processor.repetitions(self.accesses)[first + place]
        return f"{text}, repetition {_tuple(repetition)},"

    def _instances(self, step: int) -> tuple[int, int]:
        """The first instance of a step, and that behind its last; none before the first frame."""
        if self.processor is None or step < 0:
            return 0, 0
        return int(self.processor.bounds[step]), int(self.processor.bounds[step + 1])


def require_proofs(accesses: Accesses, tables: Tables, schedule: GroupSchedule, run: GroupRun) -> None:
    """Raises ArrayolError (`unproven-schedule`) that names agent, step, row, repetition and bank where one fails."""
    readers = {name for names in schedule.readers.values() for name in names}
    for claim in claims_of(accesses, tables, schedule, run):
        found = replayed(claim.agent)
        _require_same(claim, found)
        for lanes in claim.activity.lanes:
            if not (lanes.memory.registers or (lanes.memory.copy_each and lanes.name in readers)):
                _require_apart(claim, lanes.name, lanes.memory, found)
    for name, moved in run.moves.arrays.items():
        if name in run.located:
            _require_lives(accesses, moved, run.located[name])
        else:
            _require_turns(name, tables, run)


def claims_of(accesses: Accesses, tables: Tables, schedule: GroupSchedule, run: GroupRun) -> Iterator[Claim]:
    """Of all agents of a group."""
    for (reading, writing, units), task in zip(tables.tasks, schedule.tasks, strict=True):
        own = run.processors[units.task]
        yield Claim(reading, task.reading, accesses, own)
        yield Claim(writing, task.writing, accesses, own, units.latency)
    for engine, agents in zip(tables.engines, schedule.engines, strict=True):
        yield Claim(engine.requests, agents.requests, accesses)
        yield Claim(engine.passing, agents.passing, accesses)
        yield Claim(engine.storing, agents.storing, accesses)


def unproven(text: str) -> ArrayolError:
    """A schedule that a proof refuses: it is not emitted."""
    hint = "this is a mistake in arrayol; please report it with the spec, the platform and the design"
    return error("unproven-schedule", text, hint=hint)


def _tuple(point: Iterable[int]) -> str:
    return f"({', '.join(map(str, point))})"


def _require_same(claim: Claim, found: Replayed) -> None:
    """The first proof."""
    activity = claim.activity
    if not np.array_equal(found.ends, activity.ends):
        raise unproven(f"the steps of '{activity.name}' do not have the rows that they should")
    for lanes in activity.lanes:
        for row in np.flatnonzero((found.words[lanes.name] != lanes.words).any(axis=1))[:1].tolist():
            raise unproven(f"{claim.where(row)} touches other words of '{lanes.memory.name}' than it should")
    columns = {**activity.controls, **{name: rows for name, (rows, _) in activity.places.items()}}
    for name, rows in columns.items():
        own = found.controls.get(name, found.places.get(name))
        assert own is not None, "an agent has all columns of its activity"
        for row in np.flatnonzero((own != rows) & (rows >= 0))[:1].tolist():
            raise unproven(f"{claim.where(row)} has another '{name}' than it should")


def _require_apart(claim: Claim, name: str, memory: Memory, found: Replayed) -> None:
    """The third proof, of lanes side by side."""
    words = np.sort(found.words[name], axis=1)
    bank = words // memory.depth
    meet = (words[:, 1:] >= 0) & (words[:, :-1] >= 0) & (bank[:, 1:] == bank[:, :-1]) & (words[:, 1:] != words[:, :-1])
    for row in np.flatnonzero(meet.any(axis=1))[:1].tolist():
        own = int(bank[row, int(meet[row].argmax())])
        raise unproven(f"{claim.where(row)} meets two words of bank {own} of '{memory.name}'")


def _require_lives(accesses: Accesses, moved: Moved, words: Ints) -> None:
    """The second proof, of a buffer: data of one word live one after another."""
    order = np.lexsort((moved.bring, words))
    same = words[order][1:] == words[order][:-1]
    over = same & (moved.bring[order][1:] <= moved.last[order][:-1])
    for place in np.flatnonzero(over)[:1].tolist():
        first, second = int(order[place]), int(order[place + 1])
        element = np.unravel_index(int(moved.element[first]), accesses.shape(moved.array))
        text = f"step {moved.bring[second]} overwrites element {_tuple(map(int, element))} of '{moved.array}'"
        raise unproven(f"{text} in word {words[first]}, which is needed up to step {moved.last[first]}")


def _require_turns(array: str, tables: Tables, run: GroupRun) -> None:
    """The second proof, of a FIFO: each word is written and read in turn, read once it is there, then written again.

    An address goes out a cycle before the word is read, so both may fall on the edge at the end of one cycle.
    """
    clocks = np.cumsum([0, *run.lengths[:-1]]).astype(np.int64)
    written = _touches(array, [writing for _, writing, _ in tables.tasks], clocks)
    read = _touches(array, [reading for reading, _, _ in tables.tasks], clocks)
    if not np.array_equal(written[:, 0], read[:, 0]):
        raise unproven(f"the words of the FIFO of '{array}' are not read as often as they are written")
    word, (made, taken) = written[:, 0], (written[:, 1], read[:, 1])
    late = np.zeros(len(word), np.bool_)
    late[1:] = (word[1:] == word[:-1]) & (made[1:] <= taken[:-1])
    for place in np.flatnonzero(late | (taken <= made))[:1].tolist():
        text = f"cycle {made[place]} writes word {word[place]} of the FIFO of '{array}'"
        raise unproven(f"{text}, which is read in cycle {taken[place - int(late[place])]}")


def _touches(array: str, activities: Iterable[Activity], clocks: Ints) -> Ints:
    """Word and cycle of all touches of an array's memory, by word and then by cycle."""
    found = [np.zeros((0, 2), np.int64)]
    for activity in activities:
        for lanes in activity.lanes:
            if lanes.memory.array == array:
                row, lane = np.nonzero(lanes.words >= 0)
                step = np.searchsorted(activity.ends, row)
                cycle = clocks[step - activity.setup] + row - activity.starts[step]
                found.append(np.stack([lanes.words[row, lane], cycle], axis=1))
    touches = np.concatenate(found)
    return touches[np.lexsort((touches[:, 1], touches[:, 0]))]
