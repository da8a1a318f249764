"""Which range variables may be computed for all their indices at once: those whose level carries no dependence.

A level carries a dependence if two instances that agree in all ranges around it and differ in its own index touch one
element, and one of them writes it. Where there is no such pair, no instance reads or overwrites what another index of
the level writes: their order does not matter, and all indices may go through each statement together, as lanes of one
vector step (docs/execution.md, "What runs at once"). Statements of a loop stay in their order, which is right within an
index, and between indices there is nothing to keep.

A sufficient rule, by syntax, answers first: different indices of a variable v touch different elements if every port
that the statements write has a dimension whose subscript is, in all accesses to that port, the same c v + g, c a
nonzero constant and g free of the other variables in play: then c v + g = c v' + g only where v = v'. Where the rule
does not hold, isl decides on the exact relations (polyhedral/dependences.py); where only data decide an access, every
access that may happen counts. Two more conditions are the vectors' own: no range inside has bounds that mention v,
since lanes would differ in length, and all index arithmetic fits 64 bits with room to spare: index arrays wrap around.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from arrayol.execute.environment import Axis, Environment, LeadingTask
from arrayol.ir.affine import affine, expression_of, non_affine_part
from arrayol.ir.expressions import (
    Assign,
    Expr,
    Index,
    Loop,
    Operation,
    Range,
    Read,
    Statement,
    assigns,
    chain_of,
    expressions,
    inside,
    mentions,
    ranges,
)
from arrayol.ir.intervals import UnboundedError, Variables, interval
from arrayol.ir.spec import Elementary, Local, OuterRange
from arrayol.ir.types import Weak
from arrayol.operators.record import Interval
from arrayol.polyhedral.dependences import Level, Nest

# What is known when a statement is compiled: its range variables, and ports.


@dataclass(frozen=True, slots=True)
class Counter:
    """A range variable that is run through, its value in the environment; |value| <= `limit`."""

    limit: int


@dataclass(frozen=True, slots=True)
class MovingAxis:
    """A range variable computed at once whose bounds depend on counters; |index| <= `limit`."""

    name: str
    position: int
    low: Callable[[Environment], int]
    high: Callable[[Environment], int]
    limit: int

    def now(self, env: Environment) -> Axis:
        low = int(self.low(env))
        return Axis(self.name, self.position, low, max(0, int(self.high(env)) - low))


Binding = int | Axis | MovingAxis | Counter


@dataclass(frozen=True, slots=True)
class BoundStatement:
    """One statement of a body with its range variables bound: to an integer, an axis computed at once, or a counter.

    `rank` is the number of axes of the batch. `tracked` names the outputs and locals whose masks are in the
    environment, since only the execution can tell what of them has been written. `copies` counts how often ranges
    around have been unrolled.
    """

    elementary: Elementary
    rank: int
    tracked: frozenset[str]
    bindings: Mapping[str, Binding]
    copies: int = 1

    @property
    def axes(self) -> tuple[Axis | MovingAxis, ...]:
        """The axes computed at once, by position."""
        axes = (bound for bound in self.bindings.values() if isinstance(bound, Axis | MovingAxis))
        return tuple(sorted(axes, key=lambda axis: axis.position))

    @property
    def variables(self) -> dict[str, Interval]:
        """Bounds on the range variables."""
        return {name: (-_limit(bound), _limit(bound)) for name, bound in self.bindings.items()}

    def decides(self, node: Expr) -> bool:
        """Whether an expression is known before the body runs: it depends on no data, counter or moving axis."""
        return not any(
            isinstance(part, Read)
            or (isinstance(part, Index) and isinstance(self.bindings[part.name], MovingAxis | Counter))
            for part in inside(node)
        )

    def bind(self, name: str, value: Binding, copies: int = 1) -> BoundStatement:
        """A scope with one more variable than this."""
        return replace(self, bindings={**self.bindings, name: value}, copies=self.copies * copies)

    def kept(self, local: Local) -> tuple[OuterRange, ...]:
        """The loops around a local along which it is an array: those computed at once. For others each turn has one."""
        return tuple(outer for outer in local.around if isinstance(self.bindings[outer.name], Axis | MovingAxis))

    def extents(self, local: Local) -> tuple[int, ...]:
        """The shape of the array that holds a local."""
        return (*(outer.high - outer.low for outer in self.kept(local)), *local.shape)

    def element(self, name: str, subscripts: tuple[Expr, ...]) -> tuple[tuple[int, ...], tuple[Expr, ...]]:
        """The shape of the array that holds a port or local, and the subscripts of an element in it."""
        local = next((local for local in self.elementary.locals if local.name == name), None)
        if local is None:
            return shape_of(self.elementary, name), subscripts
        kept = self.kept(local)
        outer = [
            expression_of(affine(index) - around.low, index.span)
            for index, around in zip(subscripts, local.around, strict=False)
            if around in kept
        ]
        return self.extents(local), (*outer, *subscripts[len(local.around) :])

    def index_array(self, axis: Axis) -> NDArray[np.int64]:
        """All indices of an axis, shaped to broadcast with values of the statement."""
        shape = [1] * (len(self.axes) + self.rank)
        shape[axis.position] = axis.count
        return np.arange(axis.low, axis.low + axis.count).reshape(shape)

    def bare_environment(self) -> Environment:
        """An environment without arrays, to compute what no data and no counter decides."""
        axes = tuple(axis if isinstance(axis, Axis) else Axis(axis.name, axis.position, 0, 1) for axis in self.axes)
        return Environment({}, {}, (1,) * self.rank, LeadingTask(self.elementary.name, None), axes)


def _limit(bound: Binding) -> int:
    if isinstance(bound, Axis):
        return max(abs(bound.low), abs(bound.low + bound.count))
    return abs(bound) if isinstance(bound, int) else bound.limit


def shape_of(elementary: Elementary, port: str) -> tuple[int, ...]:
    """The pattern's shape of a port; execution has given infinite dimensions their number of frames."""
    named = next(candidate for candidate in (*elementary.inputs, *elementary.outputs) if candidate.name == port)
    return tuple(length for length in named.shape if length is not None)


_LONG_CHAIN = 100
_EXACT_LIMIT = 1 << 62  # what int64 index arrays hold, with a factor of 2 to spare
_UNKNOWN = 1 << 64


@dataclass(frozen=True, slots=True)
class Freedom:
    """Answers about the levels of one body, each found once."""

    nest: Nest
    free: dict[Level, bool] = field(default_factory=dict)
    sums: dict[Level, bool] = field(default_factory=dict)

    def is_free(self, statement: Statement, level: Level, scope: BoundStatement) -> bool:
        """Whether a range of a statement may become an axis."""
        if level not in self.free:
            self.free[level] = _may_be_axis(statement, level) and (
                _by_syntax(statement, level) or not self.nest.carries(level)
            )
        return self.free[level] and _fits(statement, level.number, scope.variables)

    def is_sum(self, statement: Assign, level: Level, scope: BoundStatement) -> bool:
        """Whether the innermost range of a statement only adds terms to one element, for given other indices."""
        if level not in self.sums:
            name = statement.ranges[level.number].name
            self.sums[level] = (
                level.number == len(statement.ranges) - 1
                and statement.accumulate
                and statement.condition is None
                and not any(mentions(subscript, name) for subscript in statement.subscripts)
                and _may_be_axis(statement, level)
                and self.nest.only_sums(level)
            )
        return self.sums[level] and _fits(statement, level.number, scope.variables)


def _inner(statement: Statement) -> tuple[Statement, ...]:
    return statement.body if isinstance(statement, Loop) else (statement,)


def _may_be_axis(statement: Statement, level: Level) -> bool:
    """Whether no bound of a range inside mentions the variable, and index arithmetic is not too deep."""
    name = statement.ranges[level.number].name
    later = list(statement.ranges[level.number + 1 :])
    if isinstance(statement, Loop):
        later += ranges(statement.body)
    bounds = (bound for inner in later for bound in (inner.low, inner.high))
    return not any(mentions(bound, name) for bound in bounds) and not _has_long_chains(_inner(statement))


def _by_syntax(statement: Statement, level: Level) -> bool:
    around = [*statement.ranges, *(ranges(statement.body) if isinstance(statement, Loop) else ())]
    name, names = statement.ranges[level.number].name, [bounds.name for bounds in around]
    others = [other for other in names if other != name]
    return len(set(names)) == len(names) and _touches_own_elements(name, others, _inner(statement))


def _fits(statement: Statement, number: int, variables: Variables) -> bool:
    """Whether all index arithmetic inside a statement's ranges, from one on, fits index arrays."""
    known = dict(variables)
    for bounds in statement.ranges[number:]:
        limit = range_limit(bounds, known)
        known[bounds.name] = (-limit, limit)
    if isinstance(statement, Loop):
        return all(_fits(other, 0, known) for other in statement.body)
    return fits_index_arrays(statement, known)


def range_limit(bounds: Range, variables: Variables) -> int:
    """A bound on the absolute value of a range's indices, given bounds on the variables around it."""
    return max(_magnitude(bounds.low, variables), _magnitude(bounds.high, variables))


def _has_long_chains(statements: Sequence[Statement]) -> bool:
    """Whether index arithmetic is deeper than the functions here may recurse."""
    nodes = (node for statement in assigns(statements) for outer in expressions(statement) for node in inside(outer))
    weak = (node for node in nodes if isinstance(node, Operation) and node.type is Weak.INTEGER)
    return any(len(chain_of(node)[1]) > _LONG_CHAIN for node in weak)


def _touches_own_elements(name: str, others: Sequence[str], statements: Sequence[Statement]) -> bool:
    accesses = _accesses(list(assigns(statements)))
    return all(
        any(_separates(name, others, dimension) for dimension in zip(*subscripts, strict=True))
        for subscripts in accesses.values()
    )


def _accesses(statements: Sequence[Assign]) -> dict[str, list[tuple[Expr, ...]]]:
    """Subscripts of every access to each written port."""
    accesses: dict[str, list[tuple[Expr, ...]]] = {}
    for statement in statements:
        accesses.setdefault(statement.port, []).append(statement.subscripts)
    for statement in statements:
        for node in (node for outer in expressions(statement) for node in inside(outer)):
            if isinstance(node, Read) and node.port in accesses:
                accesses[node.port].append(node.subscripts)
    return accesses


def _separates(name: str, others: Sequence[str], subscripts: Sequence[Expr]) -> bool:
    first = subscripts[0]
    if any(subscript != first for subscript in subscripts) or first.type is not Weak.INTEGER:
        return False
    form = affine(first)
    return (
        bool(form.factor(name))
        and not any(mentions(part, name) for part, _ in non_affine_part(form))
        and not any(mentions(first, other) for other in others)
    )


def fits_index_arrays(statement: Assign, variables: Variables) -> bool:
    """Whether all index arithmetic of a statement stays far inside 64 bits, given bounds on the variables."""
    nodes = (node for outer in expressions(statement) for node in inside(outer))
    return all(_magnitude(node, variables) < _EXACT_LIMIT for node in nodes if node.type is Weak.INTEGER)


def _magnitude(expr: Expr, variables: Variables) -> int:
    """A bound on the absolute value of an index expression."""
    try:
        low, high = interval(expr, variables)
    except UnboundedError:
        return _UNKNOWN
    return max(-low, high)
