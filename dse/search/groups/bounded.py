"""Structures in slices, those first of which most is to be hoped, until what is found dominates all that is left.

A structure has very many combinations of rates (units and intervals), and evaluating all of them takes long. Of all
together it is known what none of them has less of (`hwmodel.cost_model.evaluate`): the structure's bound b. Let p be
the values of a design that keeps all constraints, with p <= b in every column and p < b in one. Each design d of the
structure has d >= b, so p <= d everywhere and p < d in that column: p dominates d, whatever units d has, and d is on no
front, nor is it one of several equal designs of which the fewest units are shown. So the structure is left out, and
nothing of a front is lost. Where p equals b it is left out if p has no more units than any design of the structure that
has its least times: d may equal p, but not with fewer units, and of equal designs the first that is found is shown. Two
scans of the same blocks often have equal bounds. Where units count in what dominates (`Combination.trades_units`) p
must have no more units than any design of the structure. Constraints bound columns from above, so where b is beyond a
limit all of the structure's designs are.

The same holds of a single design: its times and the costs of its processors are known at once, of its memories what
they take at the least (`Metrics.at`). So designs of a structure wait in the same way, until what they are built of is
told.

The first slice are the structures on the front of the bounds themselves: no other structure's bound dominates theirs.
Then the rest is compared with the front that has been found, and of what is left the next slice is the front of the
bounds, filled up to a share of what waits: so there are few slices, which take long however few they have, and each
prunes the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from dse.pareto.fronts import Rows, front_of, surpassed
from hwmodel.cost_model.evaluate.lower_bounds import Bounded
from hwmodel.cost_model.metrics import Metrics
from hwmodel.design import GroupDesign

_FEW = 192  # structures that are one slice
_SHARE = 0.5  # of what waits, in a slice after the first
_NOTHING_KNOWN = np.iinfo(np.int64).min // 2  # a bound that nothing dominates


@dataclass(frozen=True, eq=False)
class Source:
    """Structures that are priced together, by their rows, and what is known of them."""

    structure: Callable[[int], GroupDesign]
    bounded: Bounded


@dataclass(frozen=True, eq=False)
class Waiting:
    """Structures of some sources (n,): of each its source, its row there, its bound (n, columns) and least units.

    Those are the units that a design has at the least: with `trade_units` any one, else one with the least times.
    Or designs of some structures: of each its structure, and its combination of rates.
    """

    source: Rows
    row: Rows
    bounds: IntArray
    units: IntArray

    @staticmethod
    def of(sources: Sequence[Source], values: Callable[[Metrics], IntArray], *, trade_units: bool) -> Waiting:
        """All structures of which some design may be legal; `values` are the columns (S, columns) of least figures."""
        parts = [_waiting(number, own.bounded, values, trade_units) for number, own in enumerate(sources)]
        source, row, bounds, units = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        return Waiting(source, row, bounds, units)

    def __len__(self) -> int:
        return len(self.row)

    def only(self, chosen: Rows | NDArray[np.bool_]) -> Waiting:
        """Some of them."""
        return Waiting(self.source[chosen], self.row[chosen], self.bounds[chosen], self.units[chosen])

    def by_source(self) -> Iterator[tuple[int, Rows]]:
        """The rows of each source, ascending."""
        for number in np.unique(self.source).tolist():
            yield number, np.sort(self.row[self.source == number])

    def is_beaten(self, values: IntArray, units: IntArray, *, trade_units: bool) -> NDArray[np.bool_]:
        """Which of them no design is left of beside designs of these values (m, columns) and units."""
        if trade_units:
            values = np.column_stack([values, units])
        bounds = np.column_stack([self.bounds, self.units]) if trade_units else self.bounds
        return surpassed(bounds, self.units, values, units)

    def first_slice(self) -> NDArray[np.bool_]:
        """The front of the bounds."""
        chosen = np.zeros(len(self), np.bool_)
        chosen[front_of(self.bounds, self.units).origin] = True
        return chosen

    def next_slice(self) -> NDArray[np.bool_]:
        """The front of the bounds, and of the rest those of the least places in the columns' orders, to a half.

        All where they are few: a slice takes time however small it is.
        """
        if len(self) <= _FEW:
            return np.ones(len(self), np.bool_)
        chosen = self.first_slice()
        more = int(len(self) * _SHARE) - int(chosen.sum())
        if more > 0:
            places = np.argsort(np.argsort(self.bounds, axis=0, kind="stable"), axis=0, kind="stable").sum(axis=1)
            places[chosen] = np.iinfo(np.int64).max
            chosen[np.argsort(places, kind="stable")[:more]] = True
        return chosen


def _waiting(
    number: int, bounded: Bounded, values: Callable[[Metrics], IntArray], trade_units: bool
) -> tuple[Rows, Rows, IntArray, IntArray]:
    least = bounded.least
    bounds = np.where(bounded.sure[:, None], values(least), _NOTHING_KNOWN)
    units = np.broadcast_to(least.objective("units")[:, 0], len(bounds)) if trade_units else bounded.fewest
    rows = np.flatnonzero(least.legal[:, 0] | ~bounded.sure)
    return np.full(len(rows), number, np.intp), rows, bounds[rows], units[rows]
