"""Bodies of elementary tasks as programs of vector steps, each over all repetitions of a batch.

Range variables that carry no dependence become axes of vectors (vectorise.py), short others are unrolled, and long
ones counted. The result is that of the text's order, since a vector step holds only what that order leaves free; terms
of a sum are computed together, but added one by one as written. Outputs of which isl proves that every read follows a
write, and that all is written, need no more; for others, where data decides that, masks follow the execution.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from arrayol.errors import error
from arrayol.execute.arithmetic import add_to, settle, wrapping
from arrayol.execute.compile_expression import Code, compile_expression, locate
from arrayol.execute.elements import Window, checked_index
from arrayol.execute.environment import DTYPES, Axis, Environment, LeadingTask, Mask, Values
from arrayol.execute.vectorise import BoundStatement, Counter, Freedom, MovingAxis, range_limit, shape_of
from arrayol.ir.expressions import Assign, Loop, Range, Statement, arrays, assigns, mentions
from arrayol.ir.spec import Elementary, Local
from arrayol.ir.types import ElementType
from arrayol.polyhedral.dependences import Level, nest_of

_UNROLLED = 128  # copies of a statement at most; a counter takes more time for each of them, and less memory
_FEW_LANES = 256  # up to so many lanes, terms of a sum are computed together
_TERMS = 1 << 15  # values of such a computation


@dataclass(frozen=True, slots=True)
class Step:
    """One vector operation on the ports; `width` values for each repetition."""

    run: Callable[[Environment], None]
    width: int = 1


@dataclass(frozen=True, slots=True)
class CompiledBody:
    """A compiled body for batches of `rank` axes. `width` is the most values of one step for each repetition."""

    tracked: frozenset[str]
    steps: tuple[Step, ...]
    width: int

    def run(self, arrays: dict[str, Values], shape: tuple[int, ...], place: LeadingTask) -> None:
        """Compute the outputs in `arrays` (axes pattern, batch) for a batch of that shape.

        Raises ArrayolError where the data leads to what has no value, naming the repetition and the place.
        """
        written: dict[str, Mask] = {port: np.zeros(arrays[port].shape, bool) for port in self.tracked}
        env = Environment({**arrays}, written, shape, place)
        for step in self.steps:
            step.run(env)


def compile_body(elementary: Elementary, rank: int) -> CompiledBody:
    """The program of an elementary task that has a body."""
    body, freedom = elementary.body or (), Freedom(nest_of(elementary))
    outputs = frozenset(port.name for port in elementary.outputs)
    unsettled = (outputs | {local.name for local in elementary.locals}) - freedom.nest.settled()
    summed = {assign.port for assign in assigns(body) if assign.accumulate}
    steps = [
        *(_start_at_zero(port) for port in sorted(summed & outputs)),
        *_block(body, BoundStatement(elementary, rank, unsettled, {}), (), freedom),
        *(_require_complete(elementary, port) for port in sorted(unsettled & outputs)),
    ]
    return CompiledBody(unsettled & outputs, tuple(steps), max((step.width for step in steps), default=1))


def _start_at_zero(port: str) -> Step:
    def run(env: Environment) -> None:
        env.arrays[port][...] = 0

    return Step(run)


def _require_complete(elementary: Elementary, port: str) -> Step:
    """At the end every output element has been written."""
    rank = len(shape_of(elementary, port))

    def run(env: Environment) -> None:
        written = env.written[port]
        if written.all():
            return
        first = tuple(int(index) for index in np.unravel_index(int(np.argmin(written)), written.shape))
        element = f"{port}[{', '.join(map(str, first[:rank]))}]" if rank else port
        raise error(
            "output-not-written",
            f"'{element}' has not been written at the end of '{elementary.name}', "
            f"in {env.place.describe(first[rank:])}",
            elementary.span,
            hint="give every element of an output a value before the conditional writes",
        )

    return Step(run)


def _block(
    body: Sequence[Statement], scope: BoundStatement, places: tuple[int, ...], freedom: Freedom
) -> Iterator[Step]:
    """The steps of a body, or of those inside a loop, in textual order; its locals begin anew."""
    mentioned = {array for assign in assigns(body) for array in arrays(assign)}
    summed = {assign.port for assign in assigns(body) if assign.accumulate}
    for local in scope.elementary.locals:
        if local.name in mentioned and len(local.around) == len(scope.bindings):
            yield _new_local(local, scope, zeros=local.name in summed)
    for place, statement in enumerate(body):
        yield from _ranged(statement, scope, Level((*places, place), 0), freedom)


def _new_local(local: Local, scope: BoundStatement, *, zeros: bool) -> Step:
    extents, dtype, tracked = scope.extents(local), DTYPES[local.type], local.name in scope.tracked
    make = np.zeros if zeros else np.empty

    def run(env: Environment) -> None:
        env.arrays[local.name] = make((*extents, *env.shape), dtype)
        if tracked:
            env.written[local.name] = np.zeros((*extents, *env.shape), bool)

    return Step(run, math.prod(extents))


def _ranged(statement: Statement, scope: BoundStatement, level: Level, freedom: Freedom) -> Iterator[Step]:
    """The steps of a statement inside its ranges from a level on.

    A level that carries no dependence becomes an axis of the vectors; others are unrolled where they are short, and
    run through by a counter where not.
    """
    if level.number == len(statement.ranges):
        if isinstance(statement, Loop):
            yield from _block(statement.body, scope, level.places, freedom)
        else:
            yield from _assign(statement, scope)
        return
    own, inner = statement.ranges[level.number], replace(level, number=level.number + 1)
    bounds = _bounds(own, scope)
    if bounds.count is not None and bounds.count <= 0:
        return
    if bounds.count != 1 and freedom.is_free(statement, level, scope):
        yield from _ranged(statement, scope.bind(own.name, bounds.axis(len(scope.axes))), inner, freedom)
        return
    if bounds.known is not None and scope.copies * len(bounds.known) <= _UNROLLED:
        steps = [
            step
            for index in bounds.known
            for step in _ranged(statement, scope.bind(own.name, index, len(bounds.known)), inner, freedom)
        ]
    else:
        turn = tuple(_ranged(statement, scope.bind(own.name, Counter(bounds.limit)), inner, freedom))
        steps = [_in_turn(bounds, turn)]
    if isinstance(statement, Assign) and freedom.is_sum(statement, level, scope):
        steps = [_summed(statement, scope, bounds, steps)]
    yield from steps


@dataclass(frozen=True, slots=True)
class _Bounds:
    """The bounds of a range: `known` where they are numbers; no index is above `limit` in size."""

    name: str
    low: Code
    high: Code
    known: range | None
    limit: int

    @property
    def count(self) -> int | None:
        return None if self.known is None else len(self.known)

    def now(self, env: Environment) -> range:
        return self.known if self.known is not None else range(int(self.low.run(env)), int(self.high.run(env)))

    def axis(self, position: int) -> Axis | MovingAxis:
        if self.known is not None:
            return Axis(self.name, position, self.known.start, len(self.known))
        return MovingAxis(self.name, position, self.low.run, self.high.run, self.limit)


def _bounds(own: Range, scope: BoundStatement) -> _Bounds:
    low, high = compile_expression(own.low, scope), compile_expression(own.high, scope)
    known = None if low.known is None or high.known is None else range(int(low.known), int(high.known))
    return _Bounds(own.name, low, high, known, range_limit(own, scope.variables))


def _in_turn(bounds: _Bounds, steps: tuple[Step, ...]) -> Step:
    """Steps for each index of a range, one after the other."""
    runs, name = [step.run for step in steps], bounds.name

    def run(env: Environment) -> None:
        counters = env.counters
        for index in bounds.now(env):
            counters[name] = index
            for turn in runs:
                turn(env)

    return Step(run, max((step.width for step in steps), default=1))


def _summed(statement: Assign, scope: BoundStatement, bounds: _Bounds, steps: Sequence[Step]) -> Step:
    """`y += e` over a range: where lanes are few, terms are computed together, and added in order all the same."""
    position = len(scope.axes)
    axes = (*scope.axes, MovingAxis(bounds.name, position, bounds.low.run, bounds.high.run, bounds.limit))
    inner = scope.bind(bounds.name, axes[-1])
    target, value = _target(statement, scope), compile_expression(statement.value, inner)

    def run(env: Environment) -> None:
        around = env.along(_now(axes[:-1], env))
        lanes = math.prod(around.full_shape)
        view = target.view(around) if target.view is not None else None
        if view is None or lanes > _FEW_LANES:
            for step in steps:
                step.run(env)
            return
        if lanes == 0:
            return
        out, indices, chunk = view.of(env.arrays[target.port]), bounds.now(env), max(1, _TERMS // lanes)
        for first in range(indices.start, indices.stop, chunk):
            axis = Axis(bounds.name, position, first, min(chunk, indices.stop - first))
            terms = env.along((*around.axes, axis))
            values = np.broadcast_to(value.run(terms), terms.full_shape)
            total = np.concatenate([np.expand_dims(out, position), values], axis=position)
            np.add.accumulate(total, axis=position, dtype=total.dtype, out=total)
            out[...] = np.take(total, -1, axis=position)
            settle(out, _written_type(statement))
        if target.tracked and indices:
            view.of(env.written[target.port])[...] = True

    return Step(run, max(step.width for step in steps))


def _written_type(statement: Assign) -> ElementType:
    """The type of what a statement writes."""
    assert isinstance(statement.value.type, ElementType)
    return statement.value.type


def _now(axes: Sequence[Axis | MovingAxis], env: Environment) -> tuple[Axis, ...]:
    return tuple(axis if isinstance(axis, Axis) else axis.now(env) for axis in axes)


def _assign(statement: Assign, scope: BoundStatement) -> Iterator[Step]:
    axes = scope.axes
    condition = compile_expression(statement.condition, scope) if statement.condition is not None else None
    if condition is not None and condition.known is not None and np.ndim(condition.known) == 0:
        if not condition.known:
            return
        condition = None
    target = _target(statement, scope)
    value = compile_expression(statement.value, scope)
    apply = _everywhere(target, value) if condition is None else _where(target, value, condition)
    fixed = tuple(axis for axis in axes if isinstance(axis, Axis))

    def run(env: Environment) -> None:
        now = fixed if len(fixed) == len(axes) else _now(axes, env)
        if all(axis.count for axis in now):
            apply(env.along(now))

    width = math.prod(axis.count if isinstance(axis, Axis) else 2 * axis.limit + 1 for axis in axes)
    yield Step(run if axes else apply, width)


@dataclass(frozen=True, slots=True)
class _Target:
    """The elements that a statement writes; `view` gives them as a window where no data decides them."""

    statement: Assign
    port: str
    shape: tuple[int, ...]
    subscripts: tuple[Code, ...]
    view: Callable[[Environment], Window | None] | None
    tracked: bool

    def place(self, env: Environment) -> tuple[Values, ...]:
        """An index of the port's array, checked."""
        subscripts = [subscript.run(env) for subscript in self.subscripts]
        return checked_index(env, self.port, subscripts, self.shape, self.statement.span)

    def store(self, env: Environment, values: Values) -> None:
        """Write, or add, the values of an environment's lanes at computed places."""
        array, place = env.arrays[self.port], self.place(env)
        if np.ndim(values) > max(map(np.ndim, place), default=0):  # one lane acts, and no subscript has its axis
            place = tuple(np.broadcast_to(index, np.shape(values)) for index in place)
            values = values if place else np.reshape(values, ())
        kind = _written_type(self.statement)
        array[place] = wrapping(np.add, kind)(array[place], values) if self.statement.accumulate else values
        if self.tracked:
            env.written[self.port][place] = True


def _target(statement: Assign, scope: BoundStatement) -> _Target:
    shape, nodes = scope.element(statement.port, statement.subscripts)
    subscripts = tuple(compile_expression(subscript, scope) for subscript in nodes)
    # An axis that the subscripts lack has at most one index that acts: that one is written by its place.
    own = all(any(mentions(subscript, axis.name) for subscript in nodes) for axis in scope.axes)
    view = locate(nodes, subscripts, shape, scope) if own else None
    return _Target(statement, statement.port, shape, subscripts, view, statement.port in scope.tracked)


def _everywhere(target: _Target, value: Code) -> Callable[[Environment], None]:
    """Write at all lanes."""
    port, view, into, kind = target.port, target.view, value.into, _written_type(target.statement)
    if view is None:
        return lambda env: target.store(env, value.run(env))

    def run(env: Environment) -> None:
        seen = view(env)
        if seen is None:
            target.store(env, value.run(env))
            return
        out = seen.of(env.arrays[port])
        if target.statement.accumulate:
            add_to(out, value.run(env), kind)
        elif into is not None:
            into(env, out)
        else:
            out[...] = value.run(env)
        if target.tracked:
            seen.of(env.written[port])[...] = True

    return run


def _where(target: _Target, value: Code, condition: Code) -> Callable[[Environment], None]:
    """Write at the lanes at which the condition holds, and evaluate the value at no other unless it is harmless."""
    port, view = target.port, target.view

    def masked(env: Environment, chosen: Mask, seen: Window) -> None:
        out = seen.of(env.arrays[port])
        values = value.run(env)
        if target.statement.accumulate:
            values = wrapping(np.add, _written_type(target.statement))(out, values)
        np.copyto(out, values, where=chosen)
        if target.tracked:
            np.copyto(seen.of(env.written[port]), True, where=chosen)

    def run(env: Environment) -> None:
        chosen = np.asarray(condition.run(env))
        if not chosen.any():
            return
        seen = view(env) if view is not None and value.safe else None
        if seen is not None:
            masked(env, chosen, seen)
            return
        lanes = env if chosen.all() else env.only(chosen)
        target.store(lanes, value.run(lanes))

    return run
