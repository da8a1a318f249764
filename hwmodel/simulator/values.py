"""The values behind tokens: each task executed on what the simulated machine gave it to read."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
from hwmodel.accesses import Accesses, Extents
from hwmodel.simulator.group import GroupRun
from hwmodel.simulator.plan import Ints, Work
from hwmodel.simulator.subscripts import RandomReads, places_read

Values = dict[str, NDArray[Any]]  # by array: the value of each token


@dataclass(frozen=True)
class Evaluation:
    """Computes, task by task, what was written from what was read; and where that says what was read, checks it.

    Programs of elementaries are kept from run to run.
    """

    spec: Spec
    accesses: Accesses
    functions: Functions
    _programs: Programs = field(default_factory=dict, init=False, repr=False)

    def run(self, run: GroupRun, values: Values) -> None:
        """Enter the values of all that a group's tasks made; of an array of several writers one after another."""
        works = run.moves.plan.works
        for task in self.accesses.network.processes:
            if task in works:
                for name, rows in self._made(run, works[task], values).items():
                    several = name in values and len(self.accesses.network.arrays[name].producers) > 1
                    values[name] = np.concatenate([values[name], rows]) if several else rows

    def _made(self, run: GroupRun, work: Work, values: Values) -> Values:
        process = self.accesses.network.processes[work.task]
        elementary = self.spec.components[process.elementary]
        assert isinstance(elementary, Elementary), "processes repeat elementaries"
        space = (len(work.repetition),) if work.recomputed else self.accesses.extents(work.task)
        place = np.arange(len(work.repetition)) if work.recomputed else work.repetition
        random = [reads for reads in run.random if reads.name[0] == work.task]
        written = {touch.port for touch in self.accesses.writes[work.task]}
        written |= {delay.output for delay in process.delays if random}
        alone = _task_alone(elementary, space, process.delays, written)
        inputs = {
            touch.port: self._patterns(run, work, number, place, space, values)
            for number, touch in enumerate(self.accesses.reads[work.task])
        }
        spec = Spec(self.spec.name, {}, {elementary.name: elementary, alone.name: alone})
        outputs = execute(spec, alone.name, inputs, functions=self.functions, programs=self._programs)
        for reads in random:
            states = {delay.port: _state(delay, elementary, inputs, outputs[delay.output]) for delay in alone.delays}
            own = place[run.moves.all_reads[reads.name].rows]
            reads.check(*_places_read(elementary, reads, inputs | states, own))
        made: Values = {}
        repetitions = self.accesses.repetitions(work.task)[work.repetition]
        for touch in self.accesses.writes[work.task]:
            writing = place[self.accesses.happens(touch, repetitions)]
            patterns = outputs[touch.port].reshape(math.prod(space), math.prod(touch.pattern))
            rows = patterns[writing].reshape(-1)
            made[touch.array] = np.concatenate([made[touch.array], rows]) if touch.array in made else rows
        return made

    def _patterns(
        self, run: GroupRun, work: Work, number: int, place: NDArray[Any], space: Extents, values: Values
    ) -> NDArray[Any]:
        """What each repetition read through one tiler; those that did not read get what some other read.

        A constant border stands where a pattern lies outside.
        """
        read = run.moves.all_reads[work.task, number]
        patterns = values[read.touch.array][run.operands[work.task, number]]
        size = int(np.prod(space, dtype=np.int64))
        by_repetition = (
            np.broadcast_to(patterns[:1], (size, patterns.shape[1])).copy()
            if len(patterns)
            else np.zeros((size, patterns.shape[1]), values[read.touch.array].dtype)
        )
        by_repetition[place[read.rows]] = patterns
        border = read.touch.tiler.border
        if border is not None and border.is_constant:
            repetitions = self.accesses.repetitions(work.task)[work.repetition]
            outside = self.accesses.beyond(read.touch, repetitions)
            constant = self.accesses.network.arrays[read.touch.array].type.held(border.value)
            by_repetition[place] = np.where(outside, np.array(constant, patterns.dtype), by_repetition[place])
        return by_repetition.reshape(*space, *read.touch.pattern)


def _task_alone(elementary: Elementary, space: Extents, delays: tuple[Delay, ...], written: set[str]) -> RepetitiveTask:
    """The task with one array per port, of shape (repetition, pattern), so that each repetition has data of its own."""
    delayed = {delay.port: delay for delay in delays}
    inputs = [port for port in elementary.inputs if port.name not in delayed]
    tiled = [port for port in elementary.inputs if _tiled(delayed.get(port.name))]
    outputs = [port for port in elementary.outputs if port.name in written]
    name = f"{elementary.name} alone"
    return RepetitiveTask(
        name,
        tuple(_array(port, space) for port in (*inputs, *tiled)),
        tuple(_array(port, space) for port in outputs),
        space,
        elementary.name,
        tuple(Link(port.name, port.name, _own(port, space), port.span) for port in inputs),
        tuple(Link(port.name, port.name, _own(port, space), port.span) for port in outputs),
        tuple(_delay(delay, elementary, space) for delay in delays),
        elementary.span,
    )


def _places_read(elementary: Elementary, reads: RandomReads, taken: Values, own: NDArray[Any]) -> tuple[Ints, Ints]:
    """What some repetitions read at subscripts of what they have `taken` (space, pattern), by port."""
    shapes = {port.name: tuple(extent or 1 for extent in port.shape) for port in elementary.inputs}
    patterns = {name: taken[name].reshape(-1, *shape)[own] for name, shape in shapes.items()}
    return places_read(elementary, reads.rows.touch.port, patterns, len(own))


def _state(delay: Delay, elementary: Elementary, inputs: Values, made: NDArray[Any]) -> NDArray[Any]:
    """What a delay hands to each repetition (space, pattern): what an earlier one has made, or the default."""
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
    return delay is not None and isinstance(delay.default, TiledDefault)


def _array(port: Port, space: Extents) -> Port:
    return replace(port, shape=(*space, *port.shape))


def _own(port: Port, space: Extents) -> Tiler:
    return own_part_tiler(len(space), len(port.shape), port.span)


def _delay(delay: Delay, elementary: Elementary, space: Extents) -> Delay:
    if len(delay.vector) != len(space):  # instances of a task without acting delays, in a row
        delay = replace(delay, vector=space, acts=False)
    acts = delay.acts and all(abs(step) < extent for step, extent in zip(delay.vector, space, strict=True))
    if not isinstance(delay.default, TiledDefault):
        return replace(delay, acts=acts)
    port = port_named(elementary.inputs, delay.port)
    return replace(delay, acts=acts, default=TiledDefault(port.name, _own(port, space), port.span))
