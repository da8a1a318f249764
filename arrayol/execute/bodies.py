"""Bodies of elementary tasks as programs of vector steps, each over all repetitions of a batch.

A body is traced once: range variables that carry no dependence become axes of vectors, the others are run through,
so that in each step all subscripts that no data decides are numbers. On the way it is settled which elements have
been written; only where data decides that do masks follow the execution.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product

import numpy as np

from arrayol.errors import error
from arrayol.execute.elements import Window, checked_index, fixed_index, window
from arrayol.execute.environment import Axis, Environment, Mask, Place, Values
from arrayol.execute.expressions import Code, compile_expression
from arrayol.execute.independence import fits_index_arrays, independent_variables
from arrayol.execute.scope import Scope, shape_of
from arrayol.execute.walk import assigns, tracked_ports
from arrayol.ir.body import Assign, Expr, Loop, Range, Statement
from arrayol.ir.model import Elementary

_KEPT_STEPS = 20_000  # of a longer program the steps are made anew each time, to bound the memory


@dataclass(frozen=True, slots=True)
class Step:
    """One vector operation on the ports; `width` values for each repetition."""

    run: Callable[[Environment], None]
    width: int = 1


@dataclass(frozen=True, slots=True)
class Program:
    """A traced body for batches of `rank` axes. `width` is the most values of one step for each repetition."""

    elementary: Elementary
    rank: int
    tracked: frozenset[str]
    steps: tuple[Step, ...] | None
    width: int

    def run(self, arrays: dict[str, Values], shape: tuple[int, ...], place: Place) -> None:
        """Compute the outputs in `arrays` (axes pattern, batch) for a batch of that shape.

        Raises ArrayolError where the data leads to what has no value, naming the repetition and the place.
        """
        written: dict[str, Mask] = {port: np.zeros(arrays[port].shape, bool) for port in self.tracked}
        env = Environment(arrays, written, shape, place)
        for step in self.steps if self.steps is not None else _trace(self.elementary, self.rank):
            step.run(env)


def compile_body(elementary: Elementary, rank: int) -> Program:
    """The program of an elementary task that has a body."""
    steps = tuple(islice(_trace(elementary, rank), _KEPT_STEPS + 1))
    width = max((step.width for step in steps), default=1)
    kept = steps if len(steps) <= _KEPT_STEPS else None
    return Program(elementary, rank, tracked_ports(elementary.body or ()), kept, width)


def _trace(elementary: Elementary, rank: int) -> Iterator[Step]:
    body = elementary.body or ()
    tracked = tracked_ports(body)
    settled = {
        port.name: np.zeros(shape_of(elementary, port.name), bool)
        for port in elementary.outputs
        if port.name not in tracked
    }
    yield from (_start_at_zero(port) for port in sorted({one.port for one in assigns(body) if one.accumulate}))
    yield from _statements(body, Scope(elementary, rank, settled, tracked, {}), {})
    yield from (_require_complete(elementary, port.name, settled.get(port.name)) for port in elementary.outputs)


def _start_at_zero(port: str) -> Step:
    def run(env: Environment) -> None:
        env.arrays[port][...] = 0

    return Step(run)


def _require_complete(elementary: Elementary, port: str, settled: Mask | None) -> Step:
    """At the end every output element has been written."""
    rank = len(shape_of(elementary, port))

    def run(env: Environment) -> None:
        written = env.written[port] if settled is None else settled
        if written.all():
            return
        first = tuple(int(index) for index in np.unravel_index(int(np.argmin(written)), written.shape))
        element = f"{port}[{', '.join(map(str, first[:rank]))}]" if rank else port
        lane = first[rank:] or (0,) * len(env.shape)
        raise error(
            "output-not-written",
            f"'{element}' has not been written at the end of '{elementary.name}', in {env.place.describe(lane)}",
            elementary.span,
            hint="give every element of an output a value before the conditional writes",
        )

    return Step(run)


def _statements(body: Sequence[Statement], scope: Scope, together: dict[int, frozenset[str]]) -> Iterator[Step]:
    """The steps of statements, in textual order. `together` remembers what was found of each one's ranges."""
    for statement in body:
        inner = statement.body if isinstance(statement, Loop) else (statement,)
        if id(statement) not in together:
            own = statement.ranges
            found = independent_variables(own, inner if isinstance(statement, Loop) else (_bare(statement),))
            together[id(statement)] = found
        for bound in _instances(statement.ranges, together[id(statement)], scope):
            if isinstance(statement, Loop):
                yield from _statements(statement.body, bound, together)
            else:
                yield from _assign_or_split(statement, bound)


def _bare(statement: Assign) -> Assign:
    """The assignment without its own ranges, which are told apart from those of what is inside."""
    return replace(statement, ranges=())


def _instances(ranges: Sequence[Range], together: frozenset[str], scope: Scope) -> Iterator[Scope]:
    """The scope for each index of the ranges, in lexicographic order; independent variables become axes."""
    if not ranges:
        yield scope
        return
    first, rest = ranges[0], ranges[1:]
    low, high = _integer(first.low, scope), _integer(first.high, scope)
    if first.name in together and high - low > 1:
        axis = Axis(first.name, len(scope.axes), low, high - low)
        yield from _instances(rest, together, scope.bind(first.name, axis))
        return
    for index in range(low, high):
        yield from _instances(rest, together, scope.bind(first.name, index))


def _integer(node: Expr, scope: Scope) -> int:
    """A bound of a range: an exact integer, which no data decides."""
    return int(compile_expression(node, scope).run(scope.bare_environment()))


def _assign_or_split(statement: Assign, scope: Scope) -> Iterator[Step]:
    """One step, or one for each index where index arrays could not hold the statement's index arithmetic."""
    limits = {
        name: max(abs(bound.low), abs(bound.low + bound.count)) if isinstance(bound, Axis) else abs(bound)
        for name, bound in scope.bindings.items()
    }
    if not scope.axes or fits_index_arrays(statement, limits):
        yield from _assign(statement, scope)
        return
    for indices in product(*(range(axis.low, axis.low + axis.count) for axis in scope.axes)):
        bound = scope
        for axis, index in zip(scope.axes, indices, strict=True):
            bound = bound.bind(axis.name, index)
        yield from _assign(statement, bound)


def _assign(statement: Assign, scope: Scope) -> Iterator[Step]:
    axes = scope.axes
    condition = compile_expression(statement.condition, scope) if statement.condition is not None else None
    if condition is not None and condition.known is not None and np.ndim(condition.known) == 0:
        if not condition.known:
            return
        condition = None
    target = _target(statement, scope)
    value = compile_expression(statement.value, scope)
    apply = _everywhere(target, value) if condition is None else _where(target, value, condition)

    def run(env: Environment) -> None:
        apply(env.along(axes))

    yield Step(apply if not axes else run, int(np.prod([axis.count for axis in axes])))
    if target.port in scope.settled:
        _mark(scope.settled[target.port], target, condition, axes)


@dataclass(frozen=True, slots=True)
class _Target:
    """The elements that a statement writes; `view` gives them as memory where no data decides them."""

    statement: Assign
    port: str
    shape: tuple[int, ...]
    subscripts: tuple[Code, ...]
    view: Window | None
    tracked: bool

    def place(self, env: Environment) -> tuple[Values, ...]:
        """An index of the port's array, checked."""
        subscripts = [subscript.run(env) for subscript in self.subscripts]
        return checked_index(env, self.port, subscripts, self.shape, self.statement.span)

    def store(self, env: Environment, values: Values) -> None:
        """Write, or add, the values of an environment's lanes at computed places."""
        array, place = env.arrays[self.port], self.place(env)
        array[place] = array[place] + values if self.statement.accumulate else values
        if self.tracked:
            env.written[self.port][place] = True


def _target(statement: Assign, scope: Scope) -> _Target:
    shape = shape_of(scope.elementary, statement.port)
    subscripts = tuple(compile_expression(subscript, scope) for subscript in statement.subscripts)
    index = fixed_index([subscript.known for subscript in subscripts], shape, len(scope.axes))
    view = window(index, len(scope.axes)) if index is not None else None
    return _Target(statement, statement.port, shape, subscripts, view, statement.port in scope.tracked)


def _everywhere(target: _Target, value: Code) -> Callable[[Environment], None]:
    """Write at all lanes."""
    port, view, into = target.port, target.view, value.into
    if view is None:
        return lambda env: target.store(env, value.run(env))

    def run(env: Environment) -> None:
        out = view.of(env.arrays[port])
        if target.statement.accumulate:
            np.add(out, value.run(env), out=out)
        elif into is not None:
            into(env, out)
        else:
            out[...] = value.run(env)
        if target.tracked:
            view.of(env.written[port])[...] = True

    return run


def _where(target: _Target, value: Code, condition: Code) -> Callable[[Environment], None]:
    """Write at the lanes at which the condition holds, and evaluate the value at no other unless it is harmless."""
    port, view = target.port, target.view

    def masked(env: Environment, chosen: Mask, seen: Window) -> None:
        out = seen.of(env.arrays[port])
        values = np.add(out, value.run(env)) if target.statement.accumulate else value.run(env)
        np.copyto(out, values, where=chosen)
        if target.tracked:
            np.copyto(seen.of(env.written[port]), True, where=chosen)

    def run(env: Environment) -> None:
        chosen = np.asarray(condition.run(env))
        if not chosen.any():
            return
        if view is not None and value.safe:
            masked(env, chosen, view)
            return
        lanes = env if chosen.all() else env.only(chosen)
        target.store(lanes, value.run(lanes))

    return run


def _mark(written: Mask, target: _Target, condition: Code | None, axes: tuple[Axis, ...]) -> None:
    """Enter what a statement writes at all repetitions; what is out of range will have been refused."""
    shape = tuple(axis.count for axis in axes)
    if condition is not None and condition.known is None:
        return
    chosen = np.ones(shape, bool) if condition is None else _over(condition.known, shape)
    lanes = np.nonzero(chosen) if shape else ()
    known = [subscript.known for subscript in target.subscripts]
    if any(one is None for one in known):
        return
    index = tuple(_over(one, shape)[lanes] for one in known)
    if all(((one >= 0) & (one < length)).all() for one, length in zip(index, target.shape, strict=True)):
        written[index] = True


def _over(value: Values, shape: tuple[int, ...]) -> Values:
    """A known value over the statement's axes alone."""
    array = np.asarray(value)
    return np.broadcast_to(array.reshape(array.shape[: len(shape)]) if array.ndim else array, shape)
