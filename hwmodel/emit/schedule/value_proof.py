"""The fourth proof: each repetition takes the specified values, in the cycle in which its unit takes them.

4. Values are followed through the schedule: from the words that pass the port into memories; from there over lanes,
windows and states of units to the operands of each unit; and from the results of the repetition that the unit runs to
memories and to the words that are stored. Wherever a repetition takes an operand, and wherever a word is stored, the
value must be the one that tilers, borders, delays and exits specify.

The rows of agents are those that the first proof has shown the programs to have. The unit and the start of each
repetition are taken from the simulated machine: if a unit did anything else, an operand or a result would be wrong. Of
the units themselves only one thing is required, that results are made by the time they are taken. This shows, by
induction over cycles, that a frame computes what the specification says, if units, memories and the external memory
behave as docs/hardware.md says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from arrayol.ir.network import EarlierFrame
from arrayol.ir.spec import Delay, TiledDefault
from hwmodel.accesses import Accesses
from hwmodel.emit.schedule.activity import Activity, Lanes
from hwmodel.emit.schedule.bits import bits_of_constant
from hwmodel.emit.schedule.delays import KEEPING, control_of
from hwmodel.emit.schedule.group import Tables
from hwmodel.emit.schedule.memories import Memory
from hwmodel.emit.schedule.own_module import Computing
from hwmodel.emit.schedule.port import AddressMap
from hwmodel.emit.schedule.proofs import unproven
from hwmodel.emit.schedule.tasks import units_of_instances
from hwmodel.emit.schedule.units import FETCH, HOLDS, ReadPort, TaskUnits, WritePort
from hwmodel.emit.schedule.value_port import PortWords
from hwmodel.emit.schedule.values import BEFORE, CONSTANT, UNKNOWN, History, Outside, Values, Writes, place_at
from hwmodel.frame_states import constant_of
from hwmodel.simulator.group import GroupRun
from hwmodel.simulator.memories.memories import of_other_frames
from hwmodel.simulator.schedule.chains import delayed_instances
from hwmodel.simulator.schedule.plan import touched
from hwmodel.simulator.schedule.processors import ProcessorState

_AT_ONCE = 1 << 14  # instances, or rows, whose values are followed together


def require_values(
    accesses: Accesses,
    addresses: AddressMap,
    datapaths: Mapping[str, Computing],
    tables: Tables,
    run: GroupRun,
    outside: Outside,
) -> Outside:
    """Check the fourth proof of a group, and return the elements that are in the external memory after it.

    `outside` are those before it. Raises ArrayolError (`unproven-schedule`) that names the repetition, unit, cycle and
    values of a failure.
    """
    return _Proof(accesses, addresses, datapaths, tables, run).after(outside)


def there_before(accesses: Accesses) -> Outside:
    """The elements in the external memory before a frame: those of the inputs, and what other frames made."""
    arrays = accesses.network.arrays
    there = {name: np.full(accesses.size(name), name in accesses.network.there_before) for name in arrays}
    for name, elements in of_other_frames(accesses).items():
        there[name][elements] = True
    return there


def require_outputs(accesses: Accesses, outside: Outside) -> None:
    """Require that all elements of the outputs are in the external memory after a frame."""
    for name in accesses.network.outputs:
        for element in np.flatnonzero(~outside[name])[:1].tolist():
            raise unproven(f"element {place_at(element, accesses.shape(name))} of '{name}' is not stored")


@dataclass(frozen=True, eq=False)
class _Issued:
    """The repetitions of a task in its schedule: the unit of each instance, and the reader's row of its start.

    `by_row` has for each row of the reader and each unit the instance that starts there, -1 for none.
    """

    own: ProcessorState
    units: TaskUnits
    reading: Activity
    datapath: Computing
    unit: IntArray
    row: IntArray
    by_row: IntArray

    @staticmethod
    def of(own: ProcessorState, units: TaskUnits, reading: Activity, datapath: Computing) -> _Issued:
        """Find unit and row of each instance.

        Raises ArrayolError (`unproven-schedule`) if repetitions overlap on a unit, or one starts in a cycle in which
        its unit may not start.
        """
        unit, step, offset = units_of_instances(own), own.step + reading.setup, own.started - own.began
        row = reading.starts[step] + offset
        wrong = (offset % units.interval != 0) | (row > reading.ends[step]) | (unit >= units.units)
        by_row = np.full((reading.rows, units.units), -1, np.int64)
        if not wrong.any():
            by_row[row, unit] = np.arange(len(row))
            wrong = by_row[row, unit] != np.arange(len(row))
        for instance in np.flatnonzero(wrong)[:1].tolist():
            raise unproven(f"instance {instance} of '{own.task}' does not start where its unit may start one")
        return _Issued(own, units, reading, datapath, unit, row, by_row)

    @property
    def repetition(self) -> IntArray:
        """The number of the repetition of each instance."""
        return self.own.work.repetition


@dataclass(frozen=True)
class _Proof:
    """The fourth proof of one group: first all writes of memories are collected, then all reads are checked."""

    accesses: Accesses
    addresses: AddressMap
    datapaths: Mapping[str, Computing]
    tables: Tables
    run: GroupRun

    def after(self, outside: Outside) -> Outside:
        """The elements in the external memory after the group."""
        writes: dict[str, list[Writes]] = {}
        for memory, own in (*self._loads(outside), *(made for task in self.issued for made in self._results(task))):
            writes.setdefault(memory.name, []).append(own)
        histories = {name: History(own, self.cycles) for name, own in writes.items()}
        for name in self._over_frames:
            words, values = histories[name].at_the_end()
            there = Writes(words, np.full(len(words), -1), np.where(values == UNKNOWN, UNKNOWN, values + BEFORE))
            histories[name] = History([there] if name in self._kept_apart else [there, *writes[name]], self.cycles)
        writes.clear()  # all that they say is in the histories
        for task in self.issued:
            for port in task.units.reads:
                self._require_operands(task, port, histories)
        return self._stored(outside, histories)

    @cached_property
    def _over_frames(self) -> frozenset[str]:
        """The memories in which values stay from frame to frame."""
        lanes = {own.name: own.memory.name for reading, _, _ in self.tables.tasks for own in reading.lanes}
        return frozenset(
            lanes[port.lanes]
            for task in self.issued
            for port in task.units.reads
            if port.later and self._earlier(task, port) is None
        )

    def _earlier(self, task: _Issued, port: ReadPort) -> EarlierFrame | None:
        """Which earlier frame an input takes from the external memory; None where it takes none."""
        arrays = self.accesses.network.arrays
        touches = (own for own in self.accesses.reads[task.units.task] if own.port == port.port)
        return next((own for touch in touches if (own := arrays[touch.array].earlier) is not None), None)

    @cached_property
    def _kept_apart(self) -> frozenset[str]:
        """Memories in which no frame writes where it reads."""
        lanes = (own for reading, _, _ in self.tables.tasks for own in reading.lanes)
        return frozenset(own.memory.name for own in lanes if own.memory.reads_next)

    # Times: cycle `step * span + cycle` orders all events of a group, as no step has more than `span` cycles.

    @cached_property
    def span(self) -> int:
        """The cycles from the start of a step to that of the next one: more than any task's rows in a step."""
        activities = [activity for reading, writing, _ in self.tables.tasks for activity in (reading, writing)]
        return 2 + max(int((activity.ends - activity.starts).max(initial=0)) for activity in activities)

    @cached_property
    def cycles(self) -> int:
        """The cycles of all steps."""
        return self.span * max(len(reading.ends) for reading, _, _ in self.tables.tasks)

    def _times(self, activity: Activity, rows: IntArray) -> tuple[IntArray, IntArray]:
        """The step of each row, and its cycle in the step."""
        step = np.searchsorted(activity.ends, rows)
        return step, rows - activity.starts[step]

    # Writes of memories.

    @cached_property
    def values(self) -> Values:
        return Values(self.accesses, [units.task for _, _, units in self.tables.tasks])

    @cached_property
    def issued(self) -> list[_Issued]:
        """The repetitions of each task, in the order of the tables."""
        return [
            _Issued.of(self.run.processors[units.task], units, reading, self.datapaths[units.task])
            for reading, _, units in self.tables.tasks
        ]

    def _loads(self, outside: Outside) -> Iterator[tuple[Memory, Writes]]:
        """The writes of loaded words, by memory: a word comes at some time in its step.

        So neither the old nor the new value is reliable until the step's end: the word is UNKNOWN from its start on, or
        from when readers of single buffers have left if it is asked for then.
        """
        for engine in self.tables.engines:
            for own in PortWords(self.accesses, self.addresses, engine, self._holding_ends).loaded():
                there = (own.elements >= 0) & outside[own.array][own.elements]
                for place in np.flatnonzero(~there)[:1].tolist():
                    element = int(own.elements[place])
                    if element < 0:
                        raise unproven(f"step {own.steps[place]} loads what is no element of '{own.array}'")
                    at = place_at(element, self.accesses.shape(own.array))
                    raise unproven(f"step {own.steps[place]} loads element {at} of '{own.array}', which is not stored")
                first = own.steps * self.span - 1
                yield own.lanes.memory, Writes(own.words, first + self.span, own.elements)
                yield own.lanes.memory, Writes(own.words, first + own.earliest, np.full(len(first), UNKNOWN))

    @cached_property
    def _holding_ends(self) -> IntArray:
        """By step the cycle by which all that hold single buffers have left, 0 where none does."""
        steps = len(self.tables.tasks[0][0].ends)
        left = np.zeros(steps, np.int64)
        for reading in (reading for reading, _, _ in self.tables.tasks if HOLDS in reading.controls):
            rows = np.flatnonzero(reading.controls[HOLDS])
            step, cycle = self._times(reading, rows)
            np.maximum.at(left, step, cycle + 1)
        return left

    def _results(self, task: _Issued) -> Iterator[tuple[Memory, Writes]]:
        """The writes of a task's results, in all memories that take them."""
        writing = next(writing for _, writing, units in self.tables.tasks if units is task.units)
        lanes = {own.name: own for own in writing.lanes}
        for port in task.units.writes:
            _require_computed(task, port)
            for own in (lanes[name] for name in port.lanes):
                row, lane = np.nonzero(own.words >= 0)
                step, cycle = self._times(writing, row)
                values = self._result(task, port, step, cycle, lane)
                yield own.memory, Writes(own.words[row, lane], step * self.span + cycle, values)

    def _result(self, task: _Issued, port: WritePort, step: IntArray, cycle: IntArray, lane: IntArray) -> IntArray:
        """The values on lanes of an output in cycles of a step, by the repetition that has a result there then."""
        interval, size = task.units.interval, port.size
        if port.early:
            unit, element = lane // size, lane % size
            # Each element has a lane of its own and a fixed delay after the start.
            since = FETCH + np.array(port.early, np.int64)[element]
            there = np.ones(len(lane), np.bool_)
        else:
            # Results leave in chunks, the first one `latency` cycles after the start; the cycle alone gives the chunk.
            latency, chunk = task.datapath.latency + FETCH, -(-size // interval)
            unit, turn = lane // chunk, (cycle - latency) % interval
            element = turn * size // interval + lane % chunk
            since, there = latency + turn, element < (turn + 1) * size // interval
        start = cycle - since
        row = task.reading.starts[step] + start
        there &= (start >= 0) & (row <= task.reading.ends[step]) & (unit < task.units.units)
        instance = np.where(there, task.by_row[np.where(there, row, 0), np.where(there, unit, 0)], -1)
        made = self.values.result_ids(task.units.task, port.port, task.repetition[instance], element, size)
        return np.where(instance >= 0, made, UNKNOWN)

    # Reads of memories.

    def _require_operands(self, task: _Issued, port: ReadPort, histories: Mapping[str, History]) -> None:
        """Require that each instance takes the specified values at an input."""
        name = task.units.task
        if port.lookup is not None or port.built_in:
            self._require_whole(task, port, histories)
            return
        self._require_constant(task, port)
        earlier = self._earlier(task, port)
        if earlier is not None and (port.later, port.window) != (earlier.frames, None):
            raise unproven(f"'{port.port}' of '{name}' takes no earlier frames of '{earlier.array}' as they are")
        if port.later and earlier is None:
            wanted = self.values.of_input(name, port.port, task.repetition)
            first = port.otherwise or replace(port, lanes="", later=0)
            self._require_taken(task, port, self._operands(task, first, histories), wanted)
            wanted = self._of_earlier_frames(task, port, wanted)
            self._require_taken(task, port, self._operands(task, port, histories), wanted)
            return
        found = self._operands(task, port, histories)
        for begin in range(0, len(found), _AT_ONCE):
            wanted = self.values.of_input(name, port.port, task.repetition[begin : begin + _AT_ONCE])
            self._require_taken(task, port, found[begin : begin + _AT_ONCE], wanted, begin)

    def _of_earlier_frames(self, task: _Issued, port: ReadPort, first: IntArray) -> IntArray:
        """The values that instances take by a delay over frames; `first` are those of the first frames."""
        process = self.accesses.network.processes[task.units.task]
        delay = next(own for own in process.delays if own.port == port.port)
        now, before = delayed_instances(self.accesses, delay, task.own.work)
        repetition, place = task.repetition[before][:, None], np.arange(port.size)
        wanted = first.copy()
        wanted[now] = BEFORE + self.values.result_ids(process.name, delay.output, repetition, place, port.size)
        return wanted

    def _require_taken(self, task: _Issued, port: ReadPort, found: IntArray, wanted: IntArray, begin: int = 0) -> None:
        """Require that the operands that were found, of the instances from `begin` on, are the wanted ones."""
        name = task.units.task
        wrong = found != wanted
        if any(delay.port == port.port for delay in self.accesses.network.processes[name].delays):
            wrong &= task.datapath.always_reads(port.port, port.size)  # others may come too late
        for instance, element in np.argwhere(wrong)[:1].tolist():
            touch = next((own for own in self.accesses.reads[name] if own.port == port.port), None)
            array = touch.array if touch is not None else None
            said = [self.values.name(int(own[instance, element]), array) for own in (found, wanted)]
            number = begin + instance
            step, cycle = self._times(task.reading, task.row[number : number + 1])
            at = place_at(int(task.repetition[number]), self.accesses.extents(name))
            place = f"step {step[0]}, cycle {cycle[0]}: repetition {at} of '{name}'"
            on = f"on unit {task.unit[number]} takes as element {element} of '{port.port}'"
            raise unproven(f"{place} {on} {said[0]}, and not {said[1]}")

    def _operands(self, task: _Issued, port: ReadPort, histories: Mapping[str, History]) -> IntArray:
        """The value that the unit takes for each instance and element."""
        interval, place = task.units.interval, np.arange(port.size)
        chunk, lane = divmod(place, -(-port.size // interval))
        if not port.lanes:
            return np.full((len(task.row), port.size), CONSTANT)
        brought = self._brought(task, port, histories)
        if port.window is not None:
            return _from_window(task, port, brought)
        lanes = task.unit[:, None] * -(-port.size // interval) + lane
        operands = brought[np.minimum(task.row[:, None] + chunk, len(brought) - 1), lanes]
        kept = [pair for pair in task.units.kept if pair[1] == port.port]
        return self._with_kept(task, kept[0], operands) if kept else operands

    def _brought(self, task: _Issued, port: ReadPort, histories: Mapping[str, History]) -> IntArray:
        """The value that reaches the units by row and lane, when the row's words do."""
        lanes = next(own for own in task.reading.lanes if own.name == port.lanes)
        if port.otherwise is not None and port.otherwise.lanes:
            brought = self._brought(task, port.otherwise, histories).copy()
        else:
            brought = np.full(lanes.words.shape, UNKNOWN if port.constant is None and not port.otherwise else CONSTANT)
        for begin in range(0, len(brought), _AT_ONCE):
            words, some = lanes.words[begin : begin + _AT_ONCE], brought[begin : begin + _AT_ONCE]
            row, lane = np.nonzero(words >= 0)
            step, cycle = self._times(task.reading, begin + row)
            some[row, lane] = _read(lanes, words[row, lane], step * self.span + cycle, histories)
        return brought

    def _with_kept(self, task: _Issued, pair: tuple[str, str], found: IntArray) -> IntArray:
        """The operands `found`, replaced where units take the state that they kept."""
        every = np.zeros(task.by_row.shape, np.bool_)
        every[task.row, task.unit] = True
        if (_by_unit(task, "begins") != every).any():
            raise unproven(f"the reader of '{task.units.task}' says that other repetitions begin than do")
        order = np.lexsort((task.row, task.unit))
        same = np.zeros(len(order), np.bool_)
        same[1:] = task.unit[order][1:] == task.unit[order][:-1]
        before = np.full(len(order), -1)
        before[order[1:]] = np.where(same[1:], order[:-1], -1)
        # A state is ready the recurrence after its start, rounded up to whole intervals.
        waits = -(-task.datapath.recurrence[pair] // task.units.interval) * task.units.interval
        step, cycle = self._times(task.reading, task.row)
        near = (step == step[before]) & (cycle - cycle[before] < waits)
        size = found.shape[1]
        kept = self.values.result_ids(task.units.task, pair[0], task.repetition[before][:, None], np.arange(size), size)
        kept = np.where(((before >= 0) & ~near)[:, None], kept, UNKNOWN)
        return np.where(_by_unit(task, "keeps")[task.row, task.unit][:, None], kept, found)

    def _require_constant(self, task: _Issued, port: ReadPort) -> None:
        """Require that the constant of a port is that of its border or of its delay."""
        last_port = port
        while last_port.otherwise is not None:
            last_port = last_port.otherwise
        process, reads = self.accesses.network.processes[task.units.task], self.accesses.reads[task.units.task]
        border = next((touch.tiler.border for touch in reads if touch.port == port.port), None)
        delay: Delay | None = next((delay for delay in process.delays if delay.port == port.port), None)
        value, earlier = None, self._earlier(task, port)
        if earlier is not None:
            value = constant_of(earlier.delay)
        elif border is not None and border.is_constant:
            value = border.value
        elif delay is not None and not isinstance(delay.default, TiledDefault):
            value = delay.default
        kind = next(each.type for each in process.input_ports if each.name == port.port)
        if last_port.constant != (None if value is None else bits_of_constant(value, kind)):
            raise unproven(f"'{port.port}' of '{task.units.task}' has another constant than it should")

    def _require_whole(self, task: _Issued, port: ReadPort, histories: Mapping[str, History]) -> None:
        """Require that a port that is read at subscripts of data, or built in, has the whole array, in its order."""
        name, table = task.units.task, port.lookup
        touch = next(own for own in self.accesses.reads[name] if own.port == port.port)
        # Such a port has one pattern, however many repetitions read it.
        rows, patterns = touched(self.accesses, touch, task.own.work)
        wanted = self.values.of_input(name, port.port, task.repetition[rows[patterns.first]])
        words = port.table if table is not None else np.arange(port.size)
        if table is None:
            found = np.where(task.datapath.always_reads(port.port, port.size), UNKNOWN, words)[None]
        elif table.content is not None:
            found = np.where(words == np.array(table.elements), np.arange(port.size), UNKNOWN)[None]
        else:  # data may ask for any element in any cycle of a step in which the task works
            steps = np.unique(task.own.step) + task.reading.setup
            first = steps[:, None] * self.span
            if port.base:
                words = words + task.reading.controls[port.base][task.reading.starts[steps]][:, None]
            history = histories.get(table.name, History((), self.cycles))
            found = history.throughout(*np.broadcast_arrays(words, first, first + self.span - 1))
        for row, element in np.argwhere(found != wanted)[:1].tolist():
            said = [self.values.name(int(own), touch.array) for own in (found[row, element], wanted[0, element])]
            raise unproven(f"'{name}' finds in its table '{port.port}' {said[0]}, and not {said[1]}")

    # Stores.

    def _stored(self, outside: Outside, histories: Mapping[str, History]) -> Outside:
        """Require that each stored word has the specified values.

        Returns the elements in the external memory after the group.
        """
        after = {name: there.copy() for name, there in outside.items()}
        for engine in self.tables.engines:
            for passing in PortWords(self.accesses, self.addresses, engine, self._holding_ends).stored():
                first = passing.steps * self.span
                history = histories.get(passing.lanes.memory.name)
                values = np.full(len(first), UNKNOWN)
                if history is not None:
                    values = history.throughout(passing.words, first, first + self.span - 1)
                wanted = self.values.of_array(passing.array)[passing.elements]
                for place in np.flatnonzero((values != wanted) | (passing.elements < 0))[:1].tolist():
                    said = [self.values.name(int(each[place]), passing.array) for each in (values, wanted)]
                    raise unproven(
                        f"step {passing.steps[place]} stores in '{passing.array}' {said[0]}, and not {said[1]}"
                    )
                after[passing.array][passing.elements] = True
        return after


def _require_computed(task: _Issued, port: WritePort) -> None:
    """Require that results that are taken early are made by then, and that lanes are those of units."""
    name = f"'{port.port}' of '{task.units.task}'"
    if port.chunk != -(-port.size // task.units.interval) or len(port.early) not in (0, port.size):
        raise unproven(f"the lanes of {name} are not those of its units")
    if port.early and (np.array(port.early) < task.datapath.finished_by(port.port, port.size) - 1).any():
        raise unproven(f"{name} is taken before it is made")


def _read(lanes: Lanes, words: IntArray, cycles: IntArray, histories: Mapping[str, History]) -> IntArray:
    """The values of words of a memory in some cycles; a ROM always has its elements."""
    memory = lanes.memory
    if memory.content is not None:
        assert memory.elements is not None, "a ROM has the elements of an array"
        elements = np.full(memory.size, UNKNOWN)
        elements[np.array(memory.elements, np.int64)] = np.arange(len(memory.elements))
        return np.asarray(elements[words])
    history = histories.get(memory.name)
    return np.full(len(words), UNKNOWN) if history is None else history.at(words, cycles)


def _from_window(task: _Issued, port: ReadPort, brought: IntArray) -> IntArray:
    """The value that comes from the registers of a window, for each instance and element."""
    window, interval = port.window, task.units.interval
    assert window is not None, "a port with a window"
    rounds = np.flatnonzero(task.reading.controls[f"{port.lanes}_round"])
    step = np.searchsorted(task.reading.ends, rounds)
    cycle = rounds - task.reading.starts[step]
    if (cycle % interval != 0).any() or ((np.diff(step) == 0) & (np.diff(rounds) < interval)).any():
        raise unproven(f"the window of '{port.port}' of '{task.units.task}' moves on within a round")
    places: dict[int, IntArray] = {}
    order = _by_need(window.source, window.ahead)
    for place in order:
        source, ahead = window.source[place], window.ahead[place]
        if source >= 0:
            chunk, lane = divmod(source, window.each)
            there = rounds + chunk <= task.reading.ends[step]
            places[place] = np.where(there, brought[np.where(there, rounds + chunk, 0), lane], UNKNOWN)
        else:
            places[place] = np.append(UNKNOWN, places[ahead][:-1]) if ahead in places else np.full(len(rounds), UNKNOWN)
    number = np.searchsorted(rounds, task.row)
    number = np.where(np.append(rounds, -1)[number] == task.row, number, -1)
    operands, size = np.full((len(task.row), port.size), UNKNOWN), port.size
    chunks = -(-size // interval)
    for unit, element in np.ndindex(task.units.units, size):
        place = window.patterns[unit][element]
        # A position of a later chunk than the one in which the unit takes the element is not there in time.
        late = window.source[place] // window.each > element // chunks
        mine = (task.unit == unit) & (number >= 0) & (not late)
        operands[mine, element] = places[place][number[mine]]
    return operands


def _by_need(source: Sequence[int], ahead: Sequence[int]) -> list[int]:
    """The registers of a window, each after the one that it shifts from; registers that form a cycle are left out."""
    order = [place for place in range(len(source)) if source[place] >= 0]
    done = set(order)
    waiting = [place for place in range(len(source)) if place not in done]
    while waiting:
        ready = [place for place in waiting if ahead[place] in done or ahead[place] < 0]
        if not ready:
            break
        order += ready
        done.update(ready)
        waiting = [place for place in waiting if place not in done]
    return order


def _by_unit(task: _Issued, what: str) -> NDArray[np.bool_]:
    """What controls say of each unit, (rows, units)."""
    columns = [task.reading.controls[control_of(what, unit)] >> unit % KEEPING & 1 for unit in range(task.units.units)]
    return np.stack(columns, axis=1) > 0
