"""Proofs that a group's schedule is right, from its programs alone: each program is unrolled and checked by cycle.

1. Agents touch what the simulated machine touched: every lane in every row, and the rows of every step. Tasks have no
more rows in a step than this has cycles.

2. No datum is overwritten while it is live: in each word no two data are live at once, from the step that brings a
datum to the step of its last use; in a FIFO, from the cycle in which it is made to the cycle in which it is read.

3. No two lanes that write a memory, or that read one copy of it, touch different words of one bank in one cycle.

The simulated machine has checks of its own; these proofs check the emitted programs. The fourth proof is in
value_proof.py. `reading_apart` finds the lanes that never read a word in the cycle in which it is written: their banks
need no logic for that case.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from arrayol.arrays import IntArray
from arrayol.errors import ArrayolError, error
from arrayol.text import counted
from hwmodel.accesses import Accesses
from hwmodel.emit.schedule.activity import Activity, Agent, Lanes, Replayed, replayed
from hwmodel.emit.schedule.group import GroupSchedule, Tables
from hwmodel.emit.schedule.memories import Memory
from hwmodel.emit.schedule.port import AddressMap
from hwmodel.emit.schedule.repetition import NotRepeatedError
from hwmodel.simulator.group import GroupRun
from hwmodel.simulator.schedule.moves import Moved
from hwmodel.simulator.schedule.processors import ProcessorState


@dataclass(frozen=True)
class Claim:
    """An agent and the activity that its program must repeat; for an agent of a task also the task's run.

    `behind` is the number of cycles from the start of a repetition to its first row.
    """

    activity: Activity
    agent: Agent
    accesses: Accesses
    processor: ProcessorState | None = None
    behind: int = 0

    def where(self, row: int) -> str:
        """A row as messages name it, with the last repetition that has begun by then."""
        step = int(np.searchsorted(self.activity.ends, row))
        offset = row - int(self.activity.starts[step])
        text = f"step {step}, row {offset} of '{self.activity.name}'"
        first, end = self._instances(step - self.activity.setup)
        if self.processor is None or first == end:
            return text
        starts = self.processor.started[first:end] - self.processor.began[first:end] + self.behind
        begun = np.where(starts <= offset, starts, -1)
        instance = int(begun.argmax() if begun.max() >= 0 else starts.argmin())
        repetition = self.processor.repetitions(self.accesses)[first + instance]
        return f"{text}, repetition {_tuple(repetition)},"

    def _instances(self, step: int) -> tuple[int, int]:
        """The first instance of a step, and the one after its last; (0, 0) for the step before the first frame."""
        if self.processor is None or step < 0:
            return 0, 0
        return int(self.processor.bounds[step]), int(self.processor.bounds[step + 1])


def require_proofs(accesses: Accesses, tables: Tables, schedule: GroupSchedule, run: GroupRun) -> None:
    """Check the first three proofs of a group.

    Raises ArrayolError (`unproven-schedule`) that names the agent, step, row, repetition and bank of a failure.
    """
    require_claims(claims_of(accesses, tables, schedule, run), schedule.readers)
    _require_in_time(tables, run)
    for name, moved in run.moves.arrays.items():
        if name in run.located:
            _require_lives(accesses, moved, run.located[name], late=name in run.single_buffers)
        else:
            _require_turns(name, tables, run)


def require_claims(claims: Iterable[Claim], readers: Mapping[str, Sequence[str]]) -> None:
    """Check the first and the third proof of some agents; `readers` has by memory the lanes that read it.

    Raises ArrayolError as `require_proofs`.
    """
    reading = {name for names in readers.values() for name in names}
    for claim in claims:
        replay = replayed(claim.agent)
        _require_same(claim, replay)
        for lanes in claim.activity.lanes:
            if lanes.memory.registers:
                continue  # all words can be used at once
            words = replay.words[lanes.name]
            for own in (lanes.copies if lanes.name in reading else ()) or (range(words.shape[1]),):
                _require_disjoint_lanes(claim, lanes.memory, words[:, list(own)])


def claims_of(accesses: Accesses, tables: Tables, schedule: GroupSchedule, run: GroupRun) -> Iterator[Claim]:
    """The claims of all agents of a group."""
    for (reading, writing, units), task in zip(tables.tasks, schedule.tasks, strict=True):
        processor = run.processors[units.task]
        yield Claim(reading, task.reading, accesses, processor)
        yield Claim(writing, task.writing, accesses, processor, units.latency)
    for engine, agents in zip(tables.engines, schedule.engines, strict=True):
        yield Claim(engine.requests, agents.requests, accesses)
        yield Claim(engine.passing, agents.passing, accesses)
        yield Claim(engine.storing, agents.storing, accesses)


def unproven(text: str) -> ArrayolError:
    """The error for a schedule that a proof refuses; it is not emitted."""
    hint = "this is a mistake in arrayol; please report it with the spec, the platform and the design"
    return error("unproven-schedule", text, hint=hint)


def _tuple(point: Iterable[int]) -> str:
    return f"({', '.join(map(str, point))})"


def _require_same(claim: Claim, found: Replayed) -> None:
    """The first proof: the program repeats the activity."""
    activity = claim.activity
    if not np.array_equal(found.ends, activity.ends):
        raise unproven(f"the steps of '{activity.name}' do not have the rows that they should")
    for lanes in activity.lanes:
        for row in np.flatnonzero((found.words[lanes.name] != lanes.words).any(axis=1))[:1].tolist():
            raise unproven(f"{claim.where(row)} touches other words of '{lanes.memory.name}' than it should")
    columns = {**activity.controls, **{name: own.numbers for name, own in activity.places.items()}}
    for name, rows in columns.items():
        replayed_rows = found.controls.get(name, found.places.get(name))
        assert replayed_rows is not None, "an agent has all columns of its activity"
        for row in np.flatnonzero((replayed_rows != rows) & (rows >= 0))[:1].tolist():
            raise unproven(f"{claim.where(row)} has another '{name}' than it should")


def _require_in_time(tables: Tables, run: GroupRun) -> None:
    """The first proof: no task has more rows in a step than the step has cycles on the simulated machine."""
    for activity in (own for reading, writing, _ in tables.tasks for own in (reading, writing)):
        rows = np.diff(activity.ends, prepend=-1)[int(activity.setup) :]
        for step in np.flatnonzero(rows > np.array(run.lengths))[:1].tolist():
            have = f"has {counted(int(rows[step]), 'row')} of '{activity.name}'"
            raise unproven(f"step {step} {have}, in {counted(run.lengths[step], 'cycle')}")


def _require_disjoint_lanes(claim: Claim, memory: Memory, words: IntArray) -> None:
    """The third proof: lanes side by side do not touch different words of one bank."""
    # In ascending order, words of one bank are adjacent.
    words = np.sort(words, axis=1)
    bank = words // memory.depth
    meet = (words[:, 1:] >= 0) & (words[:, :-1] >= 0) & (bank[:, 1:] == bank[:, :-1]) & (words[:, 1:] != words[:, :-1])
    for row in np.flatnonzero(meet.any(axis=1))[:1].tolist():
        met = int(bank[row, int(meet[row].argmax())])
        raise unproven(f"{claim.where(row)} meets two words of bank {met} of '{memory.name}'")


def _require_lives(accesses: Accesses, moved: Moved, words: IntArray, *, late: bool) -> None:
    """The second proof, for a buffer: the data of one word are live one after another.

    What comes `late` takes its words from the next step on; that its readers have left is part of the fourth proof.
    """
    held_from = moved.bring + late
    order = np.lexsort((held_from, words))
    same = words[order][1:] == words[order][:-1]
    over = same & (held_from[order][1:] <= moved.last[order][:-1])
    for place in np.flatnonzero(over)[:1].tolist():
        first, second = int(order[place]), int(order[place + 1])
        element = np.unravel_index(int(moved.element[first]), accesses.shape(moved.array))
        text = f"step {moved.bring[second]} overwrites element {_tuple(map(int, element))} of '{moved.array}'"
        raise unproven(f"{text} in word {words[first]}, which is needed up to step {moved.last[first]}")


def _require_turns(array: str, tables: Tables, run: GroupRun) -> None:
    """The second proof, for a FIFO: each word is written and read in turn.

    A word is read only after it is written, and written again only after it is read. An address goes out one cycle
    before the word is read, so a read and the next write may fall on the edge at the end of one cycle.
    """
    clocks = np.cumsum([0, *run.lengths[:-1]]).astype(np.int64)
    written = _touches(array, [writing for _, writing, _ in tables.tasks], clocks)
    read = _touches(array, [reading for reading, _, _ in tables.tasks], clocks)
    if not np.array_equal(written[:, 0], read[:, 0]):
        raise unproven(f"the words of the FIFO of '{array}' are not read as often as they are written")
    word, (write_cycle, read_cycle) = written[:, 0], (written[:, 1], read[:, 1])
    late = np.zeros(len(word), np.bool_)
    late[1:] = (word[1:] == word[:-1]) & (write_cycle[1:] <= read_cycle[:-1])
    for place in np.flatnonzero(late | (read_cycle <= write_cycle))[:1].tolist():
        text = f"cycle {write_cycle[place]} writes word {word[place]} of the FIFO of '{array}'"
        raise unproven(f"{text}, which is read in cycle {read_cycle[place - int(late[place])]}")


def _touches(array: str, activities: Iterable[Activity], clocks: IntArray) -> IntArray:
    """The word and the cycle of all touches of an array's memory, (touches, 2), sorted by word and then by cycle."""
    parts = [np.zeros((0, 2), np.int64)]
    for activity in activities:
        for lanes in activity.lanes:
            if lanes.memory.array == array:
                row, lane = np.nonzero(lanes.words >= 0)
                step = np.searchsorted(activity.ends, row)
                cycle = clocks[step - activity.setup] + row - activity.starts[step]
                parts.append(np.stack([lanes.words[row, lane], cycle], axis=1))
    touches = np.concatenate(parts)
    return touches[np.lexsort((touches[:, 1], touches[:, 0]))]


@dataclass(frozen=True)
class _Touched:
    """The words that lanes touch: of each row and lane the step, the cycle in it, and the word.

    Without cycles where the agent waits for the external memory: it may be in any row in any cycle of its step.
    """

    step: IntArray
    cycle: IntArray | None
    word: IntArray

    @staticmethod
    def of(activity: Activity, lanes: Lanes, *, waits: bool) -> _Touched:
        row, lane = np.nonzero(lanes.words >= 0)
        step = np.searchsorted(activity.ends, row)
        return _Touched(step, None if waits else row - activity.starts[step], lanes.words[row, lane])

    def meets(self, other: _Touched) -> bool:
        """Whether both may touch a word in one cycle."""
        pairs = [(self.step, other.step), (self.word, other.word)]
        if self.cycle is not None and other.cycle is not None:
            pairs.append((self.cycle, other.cycle))
        sizes = tuple(int(max(own.max(initial=0), its.max(initial=0))) + 1 for own, its in pairs)
        mine, others = (np.ravel_multi_index(tuple(pair[side] for pair in pairs), sizes) for side in (0, 1))
        return bool(np.isin(mine, others).any())


def reading_apart(tables: Tables) -> frozenset[str]:
    """The lanes that never read a word of their memory in a cycle in which others write it.

    A step begins for all agents in one cycle, and those of tasks then go on row by row.
    """
    agents = [(reads, writes, False) for reads, writes, _ in tables.tasks]
    agents += [(engine.storing, engine.passing, True) for engine in tables.engines]
    writing: dict[str, list[_Touched]] = {}
    for _, activity, waits in agents:
        for own in activity.lanes:
            writing.setdefault(own.memory.name, []).append(_Touched.of(activity, own, waits=waits))
    return frozenset(
        own.name
        for activity, _, waits in agents
        for own in activity.lanes
        if not own.memory.registers and own.memory.content is None
        for touched in [_Touched.of(activity, own, waits=waits)]
        if not any(touched.meets(other) for other in writing.get(own.memory.name, ()))
    )


def require_stored(accesses: Accesses, addresses: AddressMap, groups: Sequence[GroupSchedule]) -> None:
    """Require that the requests of a whole frame, from the programs alone, store every word of the outputs.

    Raises NotRepeatedError.
    """
    stored = [np.zeros(words + 2, np.int32) for words in addresses.words]
    for engine in (engine for group in groups for engine in group.engines):
        found, words, changes = replayed(engine.requests), addresses.words[engine.channel], stored[engine.channel]
        writes = (found.controls["asks"] > 0) & (found.controls["write"] > 0)
        first = found.places["word"][writes]
        np.add.at(changes, np.minimum(first, words), 1)
        np.add.at(changes, np.minimum(first + found.controls["words"][writes], words + 1), -1)
    is_stored = [np.cumsum(changes, dtype=np.int32) > 0 for changes in stored]
    for name in accesses.network.outputs:
        begin, size = addresses.first[name], addresses.sizes[name]
        if not is_stored[addresses.channels[name]][begin : begin + size].all():
            raise NotRepeatedError(f"words of '{name}' are not stored")
