"""What is known when a statement is compiled: range variables, ports, and what has been written so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from arrayol.execute.environment import Axis, Environment, Mask, Place
from arrayol.ir.model import Elementary


@dataclass(frozen=True, slots=True)
class Scope:
    """One statement of a body with its range variables bound: to an integer, or to an axis computed at once.

    `rank` is the number of axes of the batch. `settled` says of each output whose writes do not depend on data which
    elements are written by now; `tracked` names the others, whose masks are in the environment.
    """

    elementary: Elementary
    rank: int
    settled: Mapping[str, Mask]
    tracked: frozenset[str]
    bindings: Mapping[str, int | Axis]

    @property
    def axes(self) -> tuple[Axis, ...]:
        """The axes computed at once, by position."""
        found = (bound for bound in self.bindings.values() if isinstance(bound, Axis))
        return tuple(sorted(found, key=lambda axis: axis.position))

    def bind(self, name: str, value: int | Axis) -> Scope:
        """The same scope with one variable more."""
        return replace(self, bindings={**self.bindings, name: value})

    def index_array(self, axis: Axis) -> NDArray[np.int64]:
        """All indices of an axis, shaped to broadcast with values of the statement."""
        shape = [1] * (len(self.axes) + self.rank)
        shape[axis.position] = axis.count
        return np.arange(axis.low, axis.low + axis.count).reshape(shape)

    def bare_environment(self) -> Environment:
        """An environment without arrays, to compute what no data decides."""
        return Environment({}, {}, (1,) * self.rank, Place(self.elementary.name, None), self.axes)


def shape_of(elementary: Elementary, port: str) -> tuple[int, ...]:
    """The pattern's shape of a port; execution has given infinite dimensions their number of frames."""
    found = next(one for one in (*elementary.inputs, *elementary.outputs) if one.name == port)
    return tuple(length for length in found.shape if length is not None)
