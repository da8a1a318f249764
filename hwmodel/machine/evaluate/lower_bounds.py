"""What no design of a structure takes less of, before all of its rates are evaluated.

Rates decide how fast a group is, what its datapaths cost and what its memories are built of. A structure under all of
its rates has no figure below its `least`: a time is that of its fastest rates, tasks that FIFOs join each on its own; a
processor costs what it does at its cheapest rate; memories have a word for each datum that is live at once, since live
data lie in words of their own whatever the banks (that their addresses in one bank take no more than all banks together
does not hold in general); traffic depends on no rate. Of blocks and of the logic of memories nothing is known but that
they are not negative, nor of the energy that local memories take.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import BoolArray
from hwmodel.design import interval_of, units_of
from hwmodel.figures import FRAME, LATENCY
from hwmodel.machine.costs import cost_names, costs_at_rates
from hwmodel.machine.energy import EnergyPrices, repetition_fj
from hwmodel.machine.evaluate.additive import least_additive
from hwmodel.machine.evaluate.energy import outside_fj
from hwmodel.machine.priced import Figures, Priced, PricedEnergy
from hwmodel.machine.tables.group_tables import GroupTables
from hwmodel.machine.tables.memories import Resident

Offered = Sequence[Sequence[int]]  # of each task the rates that it may have


@dataclass(frozen=True, eq=False)
class Bounded:
    """S structures: `least` has (S, 1) figures that no design has less of, legal where some design is.

    A design that has all of the least times has `fewest` (S,) units or more. `price` gives the figures of some of the
    structures, by their rows, under all combinations of rates. Of those that are not `sure` (S,) nothing is known
    before they are priced.
    """

    least: Priced
    fewest: NDArray[np.int64]
    sure: NDArray[np.bool_]
    price: Callable[[NDArray[np.int64]], Priced]

    def live(self, rows: NDArray[np.int64]) -> tuple[Figures, Figures] | None:
        """What memories of some structures have live at once, in data and bits (n, 1); None where it is not known."""
        if not self.sure[rows].all():
            return None
        return self.least.addressed_data[rows], self.least.addressed_bits[rows]


@dataclass(frozen=True, eq=False)
class LeastFigures:
    """What no combination of rates `offered` to tasks has less of, in structures of these tables."""

    tables: GroupTables
    offered: Offered

    def priced(
        self,
        legal: BoolArray,
        times: Mapping[str, Figures],
        prices: EnergyPrices | None,
    ) -> Priced:
        """Of structures (S, 1) with their least times by name.

        With a builder tasks have memories of their own of arrays that are loaded once: at least all of their data.
        """
        memories = self.tables.buffers.memories
        once = Resident.internal_of(self.tables.builder)
        data, bits = sum(data for data, _ in once), sum(data * width for data, width in once)
        live = self.tables.buffers.live(self.tables.rows)
        fewest = [min(rates, key=units_of) for rates in self.offered]
        combinations = np.array(fewest, np.int64).reshape(1, 1, -1)
        return Priced(
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
            energy=None if prices is None else PricedEnergy(lambda: self._femtojoules(prices), prices.leaking),
            resident=lambda: np.array([data, bits, 0]).reshape(-1, 1, 1),
        )

    def _costs(self) -> dict[str, Figures]:
        accesses, paths = self.tables.group.accesses, self.tables.steps.paths
        names = cost_names(accesses, paths.platform)
        totals = dict.fromkeys(names, 0.0)
        for task, rates in zip(self.tables.steps.tasks, self.offered, strict=True):
            each = costs_at_rates(accesses, paths, task, list(rates))
            for name in names:
                totals[name] += min(costs.get(name, 0) for costs in each)
        return {name: np.array([[total]]) for name, total in totals.items()}

    def _femtojoules(self, prices: EnergyPrices) -> Figures:
        """Of the external memory, and of datapaths at the IIs that take least."""
        paths, total = self.tables.steps.paths, outside_fj(self.tables, prices)
        for task, rates in zip(self.tables.steps.tasks, self.offered, strict=True):
            least = min(sum(repetition_fj(paths.at(task, one))) for one in {interval_of(rate) for rate in rates})
            total = total + self.tables.accesses.runs[task][:, None] * least
        return total


def least_of(values: Figures, legal: BoolArray) -> Figures:
    """The least of legal cells (S, V), of shape (S, 1); 0 where none is."""
    least = np.where(legal, values, np.iinfo(np.int64).max).min(axis=1, keepdims=True)
    found: Figures = np.where(legal.any(axis=1, keepdims=True), least, 0)
    return found
