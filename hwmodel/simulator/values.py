"""The values of tokens: each task is executed on the operands that the simulated machine has read for it."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from arrayol.execute.extern import Functions
from arrayol.execute.run import Programs, execute
from arrayol.ir.spec import (
    Delay,
    Elementary,
    Link,
    Port,
    RepetitiveTask,
    Spec,
    TiledDefault,
    Tiler,
    own_part_tiler,
    port_named,
)
from hwmodel.accesses import Accesses, Extents, flat
from hwmodel.simulator.group import GroupRun
from hwmodel.simulator.memories.subscripts import RandomReads, places_read
from hwmodel.simulator.schedule.moves import Read
from hwmodel.simulator.schedule.patterns import Patterns
from hwmodel.simulator.schedule.plan import TaskWork

Values = dict[str, NDArray[Any]]  # by array: the value of each token
_AT_ONCE = 1 << 22  # values of patterns that are written out for the body at a time


@dataclass(frozen=True)
class ValueCheck:
    """Computes values task by task, and checks reads at subscripts that depend on these values.

    Programs of elementaries are cached between runs, and so is the last result of each task: in most designs it reads
    the same operands.
    """

    spec: Spec
    accesses: Accesses
    functions: Functions
    _programs: Programs = field(default_factory=dict, init=False, repr=False)
    _last: dict[tuple[str, bool], tuple[bytes, Values]] = field(default_factory=dict, init=False, repr=False)

    def run(self, run: GroupRun, values: Values) -> None:
        """Enter the values of all tokens that a group's tasks made.

        Parts of an array by several writers, or by other frames, are concatenated.
        """
        works = run.moves.plan.works
        for task in self.accesses.network.processes:
            if task in works:
                for name, rows in self._results(run, works[task], values).items():
                    values[name] = np.concatenate([values[name], rows]) if name in values else rows

    def _results(self, run: GroupRun, work: TaskWork, values: Values) -> Values:
        """The values that a task made, by array, and a check of its random reads."""
        process = self.accesses.network.processes[work.task]
        elementary = self.spec.components[process.elementary]
        assert isinstance(elementary, Elementary), "processes repeat elementaries"
        space = (len(work.repetition),) if work.recomputed else self.accesses.extents(work.task)
        place = np.arange(len(work.repetition)) if work.recomputed else work.repetition
        random = [reads for reads in run.random if reads.name[0] == work.task]
        written = {touch.port for touch in self.accesses.writes[work.task]}
        written |= {delay.output for delay in process.delays if random}
        taken = {
            touch.port: self._patterns(run, work, number, space, values)
            for number, touch in enumerate(self.accesses.reads[work.task])
        }
        alone = task_by_repetition(
            elementary, space, process.delays, written, {port: own.along for port, own in taken.items()}
        )
        outputs = self._outputs(work, elementary, alone, taken)
        for reads in random:
            every = {port: own.everywhere(space) for port, own in taken.items()}
            states = {delay.port: _state(delay, elementary, every, outputs[delay.output]) for delay in alone.delays}
            own = place[run.moves.all_reads[reads.name].rows]
            reads.check(*_places_read(process.definition or elementary, reads, every | states, own))
        made: Values = {}
        repetitions = self.accesses.repetitions(work.task)[work.repetition]
        for touch in self.accesses.writes[work.task]:
            writing = place[self.accesses.happens(touch, repetitions)]
            patterns = outputs[touch.port].reshape(math.prod(space), math.prod(touch.pattern))
            rows = patterns[writing].reshape(-1)
            made[touch.array] = np.concatenate([made[touch.array], rows]) if touch.array in made else rows
        return made

    def _outputs(
        self, work: TaskWork, elementary: Elementary, alone: RepetitiveTask, taken: Mapping[str, _OperandsRead]
    ) -> Values:
        """The results of a task on the operands that it has `taken`, by port."""
        key, ports = (work.task, work.recomputed), [port.name for port in alone.outputs]
        content = hashlib.blake2b(repr((alone.repetition, ports)).encode())
        for port, values in sorted(taken.items()):
            content.update(repr((port, values.along, values.array.shape, values.array.dtype.str)).encode())
            content.update(np.ascontiguousarray(values.array).data)
        digest = content.digest()
        if key not in self._last or self._last[key][0] != digest:
            spec = Spec(self.spec.name, {}, {elementary.name: elementary, alone.name: alone})
            inputs = {port: values.array for port, values in taken.items()}
            made = execute(spec, alone.name, inputs, functions=self.functions, programs=self._programs)
            self._last[key] = digest, dict(made)
        return self._last[key][1]

    def _patterns(self, run: GroupRun, work: TaskWork, number: int, space: Extents, values: Values) -> _OperandsRead:
        """The operands of each repetition through one tiler; a repetition that did not read gets those of another.

        Border constants are filled in where a pattern lies outside. Equal operands of several repetitions are stored
        once.
        """
        read, tokens = run.moves.all_reads[work.task, number], run.operands[work.task, number]
        repetitions = self.accesses.repetitions(work.task)[work.repetition]
        along = _along(read, space, recomputed=work.recomputed)
        place = _places(repetitions, space, along, recomputed=work.recomputed)
        if not _are_alike(tokens, read.data, place[read.rows]):
            along = tuple(range(len(space)))
            place = _places(repetitions, space, along, recomputed=work.recomputed)
        extents = tuple(space[axis] for axis in along)
        patterns = values[read.touch.array][tokens]
        size = math.prod(extents)
        kind = patterns.dtype if len(patterns) else values[read.touch.array].dtype
        filled = np.zeros((size, patterns.shape[1]), kind)
        filled[:] = patterns[:1] if len(patterns) else 0
        own, first = np.unique(place[read.rows], return_index=True)
        filled[own] = patterns[read.data.of[first]]
        border = read.touch.tiler.border
        if border is not None and border.is_constant:
            own, first = np.unique(place, return_index=True)
            outside = self.accesses.beyond(read.touch, repetitions[first])
            constant = self.accesses.network.arrays[read.touch.array].type.held(border.value)
            filled[own] = np.where(outside, np.array(constant, patterns.dtype), filled[own])
        return _OperandsRead(filled.reshape((*extents, *read.touch.pattern)), along)


@dataclass(frozen=True)
class _OperandsRead:
    """The operands that repetitions have read through one tiler."""

    array: NDArray[Any]
    along: tuple[int, ...]

    def everywhere(self, space: Extents) -> NDArray[Any]:
        """The operands with all axes of the space, as a view."""
        missing = tuple(axis for axis in range(len(space)) if axis not in self.along)
        pattern = self.array.shape[len(self.along) :]
        return np.broadcast_to(np.expand_dims(self.array, missing), (*space, *pattern))


def _along(read: Read, space: Extents, *, recomputed: bool) -> tuple[int, ...]:
    """The axes of the space along which repetitions read other patterns: those that the paving moves along."""
    if recomputed:
        border = read.touch.tiler.border
        # Of a border's constant, repetitions that read the same elements may have other shares.
        has_constant = border is not None and border.is_constant
        return () if len(read.data.distinct) == 1 and not has_constant else (0,)
    moving = zip(*read.touch.tiler.paving, strict=True) if read.touch.tiler.paving else ((),) * len(space)
    return tuple(axis for axis, column in enumerate(moving) if any(column))


def _places(repetitions: IntArray, space: Extents, along: tuple[int, ...], *, recomputed: bool) -> IntArray:
    """The position of each instance in an array over these axes of the space."""
    if recomputed:
        return np.arange(len(repetitions)) if along else np.zeros(len(repetitions), np.int64)
    return flat(repetitions[:, list(along)], [space[axis] for axis in along])


def _are_alike(tokens: IntArray, data: Patterns, place: IntArray) -> bool:
    """Whether all instances at one position have read the same tokens."""
    if not data.are_shared:
        return len(np.unique(place)) == len(place)
    pairs = np.unique(np.stack([place, data.of]), axis=1)
    first = np.searchsorted(pairs[0], pairs[0])
    others = np.flatnonzero(first != np.arange(len(first)))
    return bool((tokens[pairs[1][others]] == tokens[pairs[1][first[others]]]).all())


def task_by_repetition(
    elementary: Elementary,
    space: Extents,
    delays: tuple[Delay, ...],
    written: set[str],
    along: Mapping[str, tuple[int, ...]],
) -> RepetitiveTask:
    """The task with one array per port, of shape (repetition, pattern), so that each repetition has its own operands.

    `along` has, by input, the axes of the space along which its patterns differ: its array has only these.
    """
    delayed = {delay.port: delay for delay in delays}
    inputs = [port for port in elementary.inputs if port.name not in delayed]
    tiled = [port for port in elementary.inputs if _tiled(delayed.get(port.name))]
    outputs = [port for port in elementary.outputs if port.name in written]
    name, every = f"{elementary.name} alone", tuple(range(len(space)))
    return RepetitiveTask(
        name,
        tuple(_array(port, space, along[port.name]) for port in (*inputs, *tiled)),
        tuple(_array(port, space, every) for port in outputs),
        space,
        elementary.name,
        tuple(
            Link(port.name, port.name, _part_of_repetition(port, space, along[port.name]), port.span) for port in inputs
        ),
        tuple(Link(port.name, port.name, _part_of_repetition(port, space, every), port.span) for port in outputs),
        tuple(_delay(delay, elementary, space, along) for delay in delays),
        elementary.span,
    )


def _places_read(
    elementary: Elementary, reads: RandomReads, taken: Values, own: NDArray[Any]
) -> tuple[IntArray, IntArray]:
    """The pattern elements that repetitions read at subscripts of their operands (`taken`, (space, pattern) by port).

    Repetitions are evaluated in chunks, as many as their patterns leave room for; patterns that all share need none.
    """
    port = reads.rows.touch.port
    shapes = {each_port.name: tuple(extent or 1 for extent in each_port.shape) for each_port in elementary.inputs}
    flat_shapes = {name: taken[name].ndim - len(shape) for name, shape in shapes.items()}
    shared = {name for name, rank in flat_shapes.items() if not any(taken[name].strides[:rank])}
    each = sum(math.prod(shape) for name, shape in shapes.items() if name not in shared)
    step = max(1, _AT_ONCE // max(1, each))
    rows, places = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for start in range(0, len(own), step):
        some = own[start : start + step]
        patterns = {
            name: np.broadcast_to(taken[name][(0,) * flat_shapes[name]], (len(some), *shape))
            if name in shared
            else taken[name][np.unravel_index(some, taken[name].shape[: flat_shapes[name]])]
            for name, shape in shapes.items()
        }
        row, place = places_read(elementary, port, patterns, len(some))
        rows.append(row + start)
        places.append(place)
    return np.concatenate(rows), np.concatenate(places)


def _state(delay: Delay, elementary: Elementary, inputs: Values, made: NDArray[Any]) -> NDArray[Any]:
    """The operand of a delay for each repetition, (space, pattern): the result of an earlier one, or the default."""
    default = delay.default
    if isinstance(default, TiledDefault):
        state = inputs[delay.port].copy()
    else:
        port = port_named(elementary.inputs, delay.port)
        state = np.full(made.shape, port.type.held(default), made.dtype)
    if delay.acts:
        to = tuple(slice(max(step, 0), min(step, 0) or None) for step in delay.vector)
        state[to] = made[tuple(slice(max(-step, 0), min(-step, 0) or None) for step in delay.vector)]
    return state


def _tiled(delay: Delay | None) -> bool:
    """Whether a delay has a tiled default."""
    return delay is not None and isinstance(delay.default, TiledDefault)


def _array(port: Port, space: Extents, along: tuple[int, ...]) -> Port:
    """The port of a single task, over some axes of the space."""
    return replace(port, shape=(*(space[axis] for axis in along), *port.shape))


def _part_of_repetition(port: Port, space: Extents, along: tuple[int, ...]) -> Tiler:
    """The tiler that gives each repetition its own part of a port's array."""
    tiler = own_part_tiler(len(along), len(port.shape), port.span)
    paving = tuple(tuple(int(axis == other) for other in range(len(space))) for axis in along)
    return replace(tiler, paving=(*paving, *((0,) * len(space) for _ in port.shape)))


def _delay(delay: Delay, elementary: Elementary, space: Extents, along: Mapping[str, tuple[int, ...]]) -> Delay:
    """The delay on the space of a single task."""
    if len(delay.vector) != len(space):  # instances of a task without acting delays, in a row
        delay = replace(delay, vector=space, acts=False)
    acts = delay.acts and all(abs(step) < extent for step, extent in zip(delay.vector, space, strict=True))
    if not isinstance(delay.default, TiledDefault):
        return replace(delay, acts=acts)
    port = port_named(elementary.inputs, delay.port)
    return replace(
        delay, acts=acts, default=TiledDefault(port.name, _part_of_repetition(port, space, along[port.name]), port.span)
    )
