"""What is known when a statement is compiled: its range variables, and ports."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from arrayol.execute.environment import Axis, Environment, Place
from arrayol.ir.expressions import Expr, Index, Read, inside
from arrayol.ir.intervals import Interval
from arrayol.ir.spec import Elementary


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
class Scope:
    """One statement of a body with its range variables bound: to an integer, an axis computed at once, or a counter.

    `rank` is the number of axes of the batch. `tracked` names the outputs whose masks are in the environment, since
    only the execution can tell what of them has been written. `copies` counts how often ranges around have been
    unrolled.
    """

    elementary: Elementary
    rank: int
    tracked: frozenset[str]
    bindings: Mapping[str, Binding]
    copies: int = 1

    @property
    def axes(self) -> tuple[Axis | MovingAxis, ...]:
        """The axes computed at once, by position."""
        found = (bound for bound in self.bindings.values() if isinstance(bound, Axis | MovingAxis))
        return tuple(sorted(found, key=lambda axis: axis.position))

    @property
    def variables(self) -> dict[str, Interval]:
        """Bounds on the range variables."""
        return {name: (-_limit(bound), _limit(bound)) for name, bound in self.bindings.items()}

    def decides(self, node: Expr) -> bool:
        """Whether an expression is known before the body runs: it depends on no data, counter or moving axis."""
        return not any(
            isinstance(one, Read)
            or (isinstance(one, Index) and isinstance(self.bindings[one.name], MovingAxis | Counter))
            for one in inside(node)
        )

    def bind(self, name: str, value: Binding, copies: int = 1) -> Scope:
        """The same scope with one variable more."""
        return replace(self, bindings={**self.bindings, name: value}, copies=self.copies * copies)

    def index_array(self, axis: Axis) -> NDArray[np.int64]:
        """All indices of an axis, shaped to broadcast with values of the statement."""
        shape = [1] * (len(self.axes) + self.rank)
        shape[axis.position] = axis.count
        return np.arange(axis.low, axis.low + axis.count).reshape(shape)

    def bare_environment(self) -> Environment:
        """An environment without arrays, to compute what no data and no counter decides."""
        axes = tuple(axis if isinstance(axis, Axis) else Axis(axis.name, axis.position, 0, 1) for axis in self.axes)
        return Environment({}, {}, (1,) * self.rank, Place(self.elementary.name, None), axes)


def _limit(bound: Binding) -> int:
    if isinstance(bound, Axis):
        return max(abs(bound.low), abs(bound.low + bound.count))
    return abs(bound) if isinstance(bound, int) else bound.limit


def shape_of(elementary: Elementary, port: str) -> tuple[int, ...]:
    """The pattern's shape of a port; execution has given infinite dimensions their number of frames."""
    found = next(one for one in (*elementary.inputs, *elementary.outputs) if one.name == port)
    return tuple(length for length in found.shape if length is not None)
