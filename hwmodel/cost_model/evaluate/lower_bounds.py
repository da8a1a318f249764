"""Lower bounds of the figures of a structure's designs, before all of its rates are evaluated.

The idea. Rates decide how fast a group is, the cost of its datapaths, and how its memories are built. Over all rates,
no figure of a structure is below its `least`. A time is that of the fastest rates, with tasks independent of FIFOs. A
processor costs as much as at its cheapest rate. A memory has at least its live count of words, since live data lie in
different words whatever the banks (it does not hold in general that addresses in one bank take no more words than all
banks together). Traffic depends on no rate. Of memory blocks, of the logic of memories and of the energy of local
memories nothing is known but that they are not negative.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import BoolArray
from hwmodel.cost_model.costs import cost_names, costs_at_rates
from hwmodel.cost_model.energy import EnergyCosts, repetition_fj
from hwmodel.cost_model.evaluate.additive import least_additive
from hwmodel.cost_model.evaluate.energy import outside_fj
from hwmodel.cost_model.metrics import EvaluatedEnergy, Figures, Metrics
from hwmodel.cost_model.tables.group_tables import GroupTables
from hwmodel.cost_model.tables.memories import TaskMemory
from hwmodel.design import interval_of, units_of
from hwmodel.figures import FRAME, LATENCY

Offered = Sequence[Sequence[int]]  # of each task the rates that it may have


@dataclass(frozen=True, eq=False)
class Bounded:
    """S structures with lower bounds: no design has less than the `least` (S, 1) in any figure.

    Legal if some design is.

    A design that has all of the least times has at least `fewest` (S,) units. `price` evaluates some structures, given
    by their rows, under all combinations of rates. Of structures that are not `sure` (S,) nothing is known before they
    are evaluated.
    """

    least: Metrics
    fewest: NDArray[np.int64]
    sure: NDArray[np.bool_]
    price: Callable[[NDArray[np.int64]], Metrics]

    def live(self, rows: NDArray[np.int64]) -> tuple[Figures, Figures] | None:
        """The live counts of some structures, in data and bits (n, 1); None if they are not known."""
        if not self.sure[rows].all():
            return None
        return self.least.addressed_data[rows], self.least.addressed_bits[rows]


@dataclass(frozen=True, eq=False)
class LeastFigures:
    """Lower bounds of figures over all combinations of rates `offered` to tasks, for the structures of tables."""

    tables: GroupTables
    offered: Offered

    def priced(
        self,
        legal: BoolArray,
        times: Mapping[str, Figures],
        prices: EnergyCosts | None,
    ) -> Metrics:
        """The lower bounds of structures (S, 1), given their least times by name.

        With a technology, tasks have memories of their own: at least all data of arrays that are loaded once.
        """
        memories = self.tables.buffers.memories
        once = TaskMemory.internal_of(self.tables.builder)
        data, bits = sum(data for data, _ in once), sum(data * width for data, width in once)
        live = self.tables.buffers.live(self.tables.rows)
        fewest = [min(rates, key=units_of) for rates in self.offered]
        combinations = np.array(fewest, np.int64).reshape(1, 1, -1)
        return Metrics(
            legal=legal,
            combinations=combinations,
            latency_cycles=times[LATENCY],
            addressed_data=live.sum(axis=1, keepdims=True) + data,
            addressed_bits=(live @ np.array([memory.bits for memory in memories], np.int64))[:, None] + bits,
            counted_blocks=np.zeros((1, 1), np.int64) if self.tables.platform.counts_blocks else None,
            units=units_of(combinations).sum(axis=2),
            unit_costs=self._costs(),
            frame=lambda: times[FRAME],
            additive=least_additive(self.tables),
            energy=None if prices is None else EvaluatedEnergy(lambda: self._femtojoules(prices), prices.leaking),
            resident=lambda: np.array([data, bits, 0]).reshape(-1, 1, 1),
        )

    def _costs(self) -> dict[str, Figures]:
        """The least costs by name, (1, 1) each."""
        accesses, paths = self.tables.group.accesses, self.tables.steps.paths
        names = cost_names(accesses, paths.platform)
        totals = dict.fromkeys(names, 0.0)
        for task, rates in zip(self.tables.steps.tasks, self.offered, strict=True):
            each = costs_at_rates(accesses, paths, task, list(rates))
            for name in names:
                totals[name] += min(costs.get(name, 0) for costs in each)
        return {name: np.array([[total]]) for name, total in totals.items()}

    def _femtojoules(self, prices: EnergyCosts) -> Figures:
        """The energy of the external memory, and of datapaths at the initiation intervals with the least energy."""
        paths, total = self.tables.steps.paths, outside_fj(self.tables, prices)
        for task, rates in zip(self.tables.steps.tasks, self.offered, strict=True):
            least = min(
                sum(repetition_fj(paths.at(task, interval))) for interval in {interval_of(rate) for rate in rates}
            )
            total = total + self.tables.accesses.runs[task][:, None] * least
        return total


def least_of(values: Figures, legal: BoolArray) -> Figures:
    """The least of the legal values (S, V), (S, 1); 0 where none is legal."""
    least = np.where(legal, values, np.iinfo(np.int64).max).min(axis=1, keepdims=True)
    figures: Figures = np.where(legal.any(axis=1, keepdims=True), least, 0)
    return figures
