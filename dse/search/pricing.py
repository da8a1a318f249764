"""Prices of many designs of one group at once: its structures, that is designs but for rates, under several rates.

A rate is the units of a processor and their interval. Designs of one structure differ in rates alone, and plain
structures of a separable group under one scan in block shapes: each of these is priced by array work in one call of the
machine model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from arrayol.text import counted
from dse.pareto.fronts import Rows
from dse.search.context import SearchContext
from dse.search.figures import Columns, values_of
from dse.space.mappings import ShapeTable
from hwmodel.cost_model.counted.axes.fetches import StructureKeeps
from hwmodel.cost_model.counted.batch import GroupBatch
from hwmodel.cost_model.evaluate.evaluation import bounded, fastest, price
from hwmodel.cost_model.evaluate.lower_bounds import Bounded
from hwmodel.cost_model.metrics import Metrics
from hwmodel.design import Blocks, GroupDesign, Processor, Scan

POINTS_AT_ONCE = 1 << 20  # designs that are priced at a time, and whose values are held before they are sorted
COMPARED_AT_ONCE = 1 << 18  # designs of structures that are left, so that what is found of some prunes the next


def why_infeasible(illegal: int, beyond: int, *, in_fifos: bool = False, unserved: str | None = None) -> str:
    """Why none of some designs is feasible: how many no schedule takes, and how many break a constraint.

    `unserved` says of a design among the first for what reason no memory serves it.
    """
    texts = []
    if unserved:
        texts.append(unserved)
    elif illegal:
        order = ", or with FIFOs that are read in another order than they are written" if in_fifos else ""
        texts.append(f"{counted(illegal, 'design')} with more units than can work at once{order}")
    if beyond:
        texts.append(f"{counted(beyond, 'design')} beyond a constraint")
    return " and ".join(texts)


Offered = tuple[tuple[int, ...], ...]  # of each task of a group the rates that it may have


@dataclass(frozen=True)
class RateChoices:
    """Combinations of the rates of a group's tasks: all of what is `offered` to each, or those that are `chosen`."""

    offered: Offered = ()
    chosen: Offered | None = None

    @property
    def count(self) -> int:
        """How many there are."""
        return count_combinations(self.offered) if self.chosen is None else len(self.chosen)

    @property
    def of_tasks(self) -> int:
        """How many rates each task has in them, summed over the tasks."""
        each = self.offered if self.chosen is None else tuple(zip(*self.chosen, strict=True))
        return sum(len(set(own)) for own in each)

    @property
    def combinations(self) -> NDArray[np.int64]:
        """All of them, of shape (combinations, tasks)."""
        return _combinations(self)


@lru_cache(maxsize=16)
def _combinations(rates: RateChoices) -> NDArray[np.int64]:
    rows = list(product(*rates.offered)) if rates.chosen is None else list(rates.chosen)
    return np.array(rows, np.int64).reshape(len(rows), -1)


def count_combinations(offered: Offered) -> int:
    """How many combinations of the rates of some tasks there are."""
    return prod(map(len, offered))


def has_bounds(columns: Columns, rates: RateChoices) -> bool:
    """Whether structures are priced under all rates only where their bounds ask for it."""
    return rates.chosen is None and not columns.units_are_free and not columns.compares_all_times


class Evaluator:
    """Prices designs of one group: its structures under some combinations of rates, so many at a time as memory allows.

    Where all of the offered rates may be combined and units are free, each structure is priced under the fastest
    alone, of those the fewest. Where they are not free, bounds say of many structures that they need not be priced
    (`dse.search.groups.bounded`), unless longer times are better in some column.
    """

    def __init__(self, context: SearchContext, tasks: tuple[str, ...], rates: RateChoices) -> None:
        self.model, self.columns, self.tasks = context.space.model, context.columns, tasks
        self._space = context.space
        free = rates.chosen is None and self.columns.units_are_free
        self._fastest_of = tuple(map(sorted, rates.offered)) if free else None
        self._times = self.columns.times(whole=len(tasks) == len(context.space.graph))
        self._offered = tuple(map(sorted, rates.offered))
        self.has_bounds, self.compares_built = has_bounds(self.columns, rates), self.columns.compares_built
        if self._fastest_of is None:
            self._combinations = rates.combinations

    def plain(
        self, scan: Scan, shapes: ShapeTable, keeps: StructureKeeps | None = None, *, are_products: bool = False
    ) -> Iterator[tuple[Rows, Metrics]]:
        """Plain structures of one scan, of a separable group: some of them by their rows, and their prices.

        With `keeps` each keeps what they say. Those that are no products, if not all `are_products`, come one by one.
        """
        batch = self._batch
        step = max(1, POINTS_AT_ONCE // (1 if self._fastest_of else len(self._combinations)))
        step = step if batch.at_once is None else min(step, batch.at_once)
        for start in range(0, len(shapes), step):
            part = np.arange(start, min(start + step, len(shapes)))
            taken = are_products or batch.takes(scan, shapes[part], keeps and keeps.only(part))
            for rows in in_parts(part, np.broadcast_to(taken, len(part)), step):
                tables = batch.tables(scan, shapes[rows], keeps and keeps.only(rows))
                if self._fastest_of:
                    yield rows, fastest(tables, self._fastest_of, times=self._times)
                else:
                    yield rows, price(tables, self._combinations)

    def takes(self, scan: Scan, shapes: ShapeTable, keeps: StructureKeeps | None = None) -> NDArray[np.bool_]:
        """Which of them need not be enumerated, (S,)."""
        return self._batch.takes(scan, shapes, keeps)

    @property
    def _batch(self) -> GroupBatch:
        batch = self.model.batch(self.tasks)
        assert batch is not None, "the group is separable"
        return batch

    def bounded(
        self, scan: Scan, shapes: ShapeTable, keeps: StructureKeeps | None = None
    ) -> Iterator[tuple[slice, Bounded]]:
        """What is known of plain structures of one scan before all rates are priced, of some at a time; see `plain`."""
        batch = self._batch
        step = batch.at_once or POINTS_AT_ONCE
        for start in range(0, len(shapes), step):
            part = slice(start, start + step)
            tables = batch.tables(scan, shapes[part], keeps and keeps.only(part))
            yield part, bounded(tables, self._offered, times=self._times)

    def bounded_structure(self, structure: GroupDesign) -> Bounded:
        """What is known of any structure before all rates are evaluated. Raises ArrayolError where it is refused."""
        return self.model.bounded(structure, self._offered, times=self._times)

    def structure(self, structure: GroupDesign) -> Metrics:
        """Any structure. Raises ArrayolError where it is refused."""
        if self._fastest_of:
            return self.model.fastest(structure, self._fastest_of, times=self._times)
        return self.model.price_structure(structure, self._combinations)

    def values(self, priced: Metrics, cells: Any) -> IntArray:
        """The columns of some cells of (structures, combinations), of shape (cells, figures)."""
        columns = values_of(self.columns, priced, self._space, self.tasks)
        return np.stack([column[cells] for column in columns], axis=1)


def in_parts(rows: Rows, are_products: NDArray[np.bool_], most: int) -> Iterator[Rows]:
    """Rows of structures, at most so many at a time.

    Those that are no products come one by one: each has a plan, element by element, that may fill much memory.
    """
    products = rows[are_products]
    yield from (products[start : start + most] for start in range(0, len(products), most))
    yield from rows[~are_products, None]


def plain_structure(tasks: Sequence[str], blocks: Blocks) -> GroupDesign:
    """The structure of these blocks without options."""
    return GroupDesign(tuple(map(Processor, tasks)), blocks)
