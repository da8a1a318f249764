"""Structures of which it is known what no design has less of, before all their rates are priced.

Rates decide how fast a group is, what its datapaths cost and what its memories are built of. A structure under all of
its rates has no figure below its `least`: a time is that of its fastest rates; each processor costs what it does at its
cheapest rate; memories have a word for each datum that is live at once, since live data lie in words of their own
whatever the banks (that their addresses in one bank take no more than all banks together does not hold in general);
traffic hangs on no rate. Of blocks and of the logic of memories nothing is known but that they are not negative, nor of
the energy that local memories take.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hwmodel.accesses import Accesses
from hwmodel.design import interval_of, units_of
from hwmodel.machine.built.organised import Builder
from hwmodel.machine.costs import cost_names, processor_costs
from hwmodel.machine.energy import EnergyPrices, repetition_fj
from hwmodel.machine.priced import Figures, Priced, PricedEnergy
from hwmodel.machine.schedule.datapaths import Datapaths

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
class LeastRates:
    """What no combination of rates `offered` to tasks has less of."""

    accesses: Accesses
    paths: Datapaths
    tasks: tuple[str, ...]
    offered: Offered

    def priced(
        self,
        legal: NDArray[np.bool_],
        times: Mapping[str, Figures],
        memory: tuple[Figures, Figures],
        builder: Builder | None,
        traffic: tuple[Figures, Callable[[], Figures]],
        energy: PricedEnergy | None,
    ) -> Priced:
        """Of structures (S, 1): least times by name, live data and bits, bytes of data and of the port, energies.

        With a `builder` tasks have memories of their own of arrays that are loaded once: at least all of their data.
        """
        once = builder.once_data if builder is not None else ()
        data, bits = sum(data for data, _ in once), sum(data * width for data, width in once)
        fewest = [min(rates, key=units_of) for rates in self.offered]
        combinations = np.array(fewest, np.int64).reshape(1, 1, -1)
        latency, frame = times.values()
        return Priced(
            legal=legal,
            combinations=combinations,
            latency_cycles=latency,
            addressed_data=memory[0] + data,
            addressed_bits=memory[1] + bits,
            counted_blocks=np.zeros((1, 1), np.int64) if self.paths.platform.counts_blocks else None,
            traffic_bytes=traffic[0],
            units=units_of(combinations).sum(axis=2),
            unit_costs=self._costs(),
            frame=lambda: frame,
            port=traffic[1],
            energy=energy,
            resident=lambda: np.array([data, bits, 0]).reshape(-1, 1, 1),
        )

    def _costs(self) -> dict[str, Figures]:
        names = cost_names(self.accesses, self.paths.platform)
        totals = dict.fromkeys(names, 0.0)
        for task, rates in zip(self.tasks, self.offered, strict=True):
            each = [processor_costs(self.accesses, self.paths, task, rate) for rate in rates]
            for name in names:
                totals[name] += min(costs.get(name, 0) for costs in each)
        return {name: np.array([[total]]) for name, total in totals.items()}

    def energy(
        self, prices: EnergyPrices, runs: Mapping[str, int | Figures], outside: Callable[[], Figures]
    ) -> PricedEnergy:
        """Of datapaths that run so often, by task, in all structures or (S, 1), and of energy `outside` (S, 1)."""

        def femtojoules() -> Figures:
            least: Figures = np.zeros((1, 1), np.int64)
            for task, rates in zip(self.tasks, self.offered, strict=True):
                intervals = {interval_of(rate) for rate in rates}
                least = least + runs[task] * min(sum(repetition_fj(self.paths.at(task, one))) for one in intervals)
            return outside() + least

        return PricedEnergy(femtojoules, prices.leaking)


def least_of(values: Figures, legal: NDArray[np.bool_]) -> Figures:
    """The least of legal cells (S, V), of shape (S, 1); 0 where none is."""
    least = np.where(legal, values, np.iinfo(np.int64).max).min(axis=1, keepdims=True)
    found: Figures = np.where(legal.any(axis=1, keepdims=True), least, 0)
    return found
