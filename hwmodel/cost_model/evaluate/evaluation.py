"""Figures of structures from their tables: at given rates, at rates that no others dominate, or lower bounds."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import product

import numpy as np

from arrayol.arrays import BoolArray, IntArray
from hwmodel.cost_model.costs import cost_names, costs_at_rates
from hwmodel.cost_model.evaluate.additive import additive_figures
from hwmodel.cost_model.evaluate.energy import addressed_fj, datapaths_fj, outside_fj
from hwmodel.cost_model.evaluate.fastest import (
    CYCLIC,
    FastestRates,
    all_rates,
    count_combinations,
    served,
    unbeaten,
    variant_cycles,
)
from hwmodel.cost_model.evaluate.lower_bounds import Bounded, LeastFigures, least_of
from hwmodel.cost_model.evaluate.memories import MemoryFigures, built_memories, fifo_data, resident_figures
from hwmodel.cost_model.evaluate.times import total_cycles
from hwmodel.cost_model.metrics import TIMES, EvaluatedEnergy, Figures, Metrics
from hwmodel.cost_model.tables.group_tables import GroupTables
from hwmodel.cost_model.tables.memories import memory_blocks
from hwmodel.design import units_of
from hwmodel.figures import FRAME, LATENCY

Time = Callable[[str], Figures]


def price(tables: GroupTables, rates: IntArray) -> Metrics:
    """The figures of structures under combinations of rates (U, tasks)."""
    return Evaluation.of(tables.complete).price(rates)


def fastest(tables: GroupTables, offered: Sequence[Sequence[int]], *, times: Collection[str] = (LATENCY,)) -> Metrics:
    """The figures (S, V) at the rates that no others dominate: the fastest of each family, with the fewest units.

    Each task has one of the rates `offered` to it (ascending). In a family of rates (`Offered`) only the most units are
    tried, and only rates that are sometimes faster than all others, so V is mostly 1. All rates of processors with
    FIFOs are tried. Fastest means least in all of the `times` (of `priced.TIMES`) at once; without times, all rates
    are. That is enough if only figures with `units_are_free` are compared. The other legal combinations are counted in
    `left_out`. If none is legal, one that is not stands for all.
    """
    return Evaluation.of(tables.complete).fastest(offered, times)


def bounded(tables: GroupTables, offered: Sequence[Sequence[int]], *, times: Collection[str] = (LATENCY,)) -> Bounded:
    """Lower bounds of the figures of the structures' designs, and a way to evaluate them under all rates offered.

    Tasks joined by FIFOs are scheduled for each combination of rates, which takes long. So each such design is bounded
    by independent tasks and FIFOs of size 0, and scheduled when it is asked for (`Metrics.exact`).
    """
    evaluation = Evaluation.of(tables.without_fifos)
    rates = np.array(list(product(*offered)), np.int64).reshape(-1, len(offered))

    def exact(some: IntArray) -> Metrics:
        return price(tables, rates[some])

    def price_rows(rows: IntArray) -> Metrics:
        if tables.fifos:
            return replace(evaluation.price(rates), exact=exact)
        return evaluation.only(rows).price(rates)

    return Bounded(*evaluation.least(offered, times), ~tables.missing, price_rows)


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The figures of tables; `memories` are the built memories of its buffers, None without a technology."""

    tables: GroupTables
    memories: MemoryFigures | None

    @staticmethod
    def of(tables: GroupTables) -> Evaluation:
        """The evaluation of tables."""
        builder = tables.builder
        return Evaluation(tables, None if builder is None else MemoryFigures(builder, tables.buffers))

    def only(self, rows: IntArray) -> Evaluation:
        """The evaluation of some structures, with tables for those that are missing."""
        tables = self.tables.only(rows).complete
        return replace(self, tables=tables) if tables.buffers is self.tables.buffers else Evaluation.of(tables)

    def price(self, rates: IntArray) -> Metrics:
        """All figures under combinations of rates (U, tasks)."""
        steps = self.tables.steps
        longest = steps.longest[:, None, :]
        legal = ((units_of(rates)[None] <= longest) | (longest == 0)).all(axis=2) & steps.in_order(rates)
        return self._priced(legal, rates[None], lambda name: total_cycles(steps, rates, cyclic=CYCLIC[name]))

    def fastest(self, offered: Sequence[Sequence[int]], times: Collection[str]) -> Metrics:
        """The figures at the rates that no others dominate, among those offered to each task."""
        fast = FastestRates.of(self.tables.steps, offered, times)
        priced = self._priced(fast.legal, fast.combinations, fast.time)
        unserved = np.flatnonzero((fast.legal & ~priced.legal).any(axis=1))
        is_served = np.ones(len(fast.legal), np.bool_)
        is_served[unserved] = False
        left_out = count_combinations(fast.numbers[is_served]) - int(fast.legal[is_served].sum())
        if not len(unserved):
            return replace(priced, left_out=left_out)
        replacements = [self.only(np.array([row])).fastest_served(offered, times) for row in unserved.tolist()]
        mixed = _Mixed(self.tables, fast, unserved, [rates for rates, *_ in replacements])
        mixed_priced = self._priced(mixed.legal, mixed.combinations, mixed.time)
        return replace(
            mixed_priced,
            left_out=left_out + sum(number for _, number, _ in replacements),
            untried=sum(untried for *_, untried in replacements),
            refusal=priced.refusal,
        )

    def fastest_served(self, offered: Sequence[Sequence[int]], times: Collection[str]) -> tuple[IntArray, int, int]:
        """The fastest rates of one structure among those whose ports some memory serves, (V, tasks).

        Also the number of legal rates that are left out, and of those that were not tried.
        """
        rates, untried = all_rates(offered)
        priced = self.price(rates)
        units = units_of(rates).sum(axis=1)
        chosen = unbeaten([priced.objective(name)[0] for name in times], units, priced.legal[0])
        return rates[chosen], int(priced.legal.sum()) - len(chosen), untried

    def least(self, offered: Sequence[Sequence[int]], times: Collection[str]) -> tuple[Metrics, IntArray]:
        """Lower bounds (S, 1) of all figures, and the fewest units (S,) of designs that have all of the least times."""
        fast = FastestRates.of(self.tables.steps, offered, times)
        nothing = np.zeros((1, 1), np.int64)
        priced = LeastFigures(self.tables, offered).priced(
            np.asarray(fast.legal.any(axis=1, keepdims=True)),
            {name: least_of(fast.time(name), fast.legal) if name in times else nothing for name in TIMES},
            self.tables.prices,
        )
        return priced, fast.fewest

    def _priced(self, legal: BoolArray, combinations: IntArray, time: Time) -> Metrics:
        """All figures under combinations of rates, (1, U, tasks) for all structures or (S, U, tasks) for each."""
        tables = self.tables
        memories, words = tables.buffers.memories, tables.buffers.addressed(tables.rows)
        bits = np.array([memory.bits for memory in memories], np.int64)
        fifos = [(fifo_data(tables, fifo, combinations), fifo.bits) for fifo in tables.fifos]
        there, refusal = self._served(words, combinations)
        units, costs = self._unit_figures(combinations)
        return Metrics(
            legal=legal & there,
            combinations=combinations,
            latency_cycles=time(LATENCY),
            addressed_data=sum((data for data, _ in fifos), words.sum(axis=1, keepdims=True)),
            addressed_bits=sum((data * each for data, each in fifos), (words @ bits)[:, None]),
            counted_blocks=self._blocks(words, [data for data, _ in fifos]),
            units=units,
            unit_costs=costs,
            frame=lambda: time(FRAME),
            additive=additive_figures(tables, combinations),
            energy=self._energy(combinations),
            built=built_memories(tables, self.memories, combinations, has_energy=self.tables.prices is not None),
            refusal=refusal,
            resident=partial(resident_figures, tables, self.memories, combinations),
        )

    def _blocks(self, words: IntArray, fifos: Sequence[IntArray]) -> IntArray | None:
        """Memory blocks of buffers and states of so many words (S, memories), and of FIFOs of so many data (1|S, U)."""
        platform = self.tables.platform
        if platform.local.block_bits is None:
            return None
        blocks: IntArray = memory_blocks(platform, self.tables.buffers.memories, words).sum(axis=1, keepdims=True)
        for fifo, data in zip(self.tables.fifos, fifos, strict=True):
            blocks = blocks + memory_blocks(platform, [fifo], data[..., None])[..., 0]
        return blocks

    def _served(self, words: IntArray, combinations: IntArray) -> tuple[BoolArray, str | None]:
        """Which structures have all their memories at which rates, (S, U), and the reason for one that has not."""
        tables, builder = self.tables, self.tables.builder
        if builder is None:
            return np.ones((1, 1), np.bool_), None
        buffers = {
            memory.name: words[:, number] * memory.bits
            for number, memory in enumerate(tables.buffers.memories)
            if memory.asks_for_ports
        }
        return served(builder, tables.steps.paths, tables.steps.tasks, combinations, buffers)

    def _unit_figures(self, combinations: IntArray) -> tuple[Figures, dict[str, Figures]]:
        """The units and the costs of datapaths by name, (1|S, U) each."""
        accesses, paths, shape = self.tables.group.accesses, self.tables.steps.paths, combinations.shape[:2]
        names = cost_names(accesses, paths.platform)
        costs: dict[str, Figures] = {name: np.zeros(shape, np.int64) for name in names}
        for place, task in enumerate(self.tables.steps.tasks):
            distinct, of = np.unique(combinations[:, :, place], return_inverse=True)
            each = costs_at_rates(accesses, paths, task, distinct.tolist())
            for name in names:
                costs[name] = costs[name] + np.array([figures.get(name, 0) for figures in each])[of.reshape(shape)]
        return units_of(combinations).sum(axis=2), costs

    def _energy(self, combinations: IntArray) -> EvaluatedEnergy | None:
        """Energies, computed when they are first read; None if the platform does not give them."""
        tables, prices = self.tables, self.tables.prices
        if prices is None:
            return None

        def femtojoules() -> Figures:
            energy = outside_fj(tables, prices) + datapaths_fj(tables, combinations)
            return energy if tables.builder is not None else energy + addressed_fj(tables, prices, combinations)

        return EvaluatedEnergy(femtojoules, prices.leaking)


@dataclass(frozen=True, eq=False)
class _Mixed:
    """The fastest combinations, where those of the structures `rows` are replaced by `rates`, (V, tasks) each."""

    tables: GroupTables
    fast: FastestRates
    rows: IntArray
    rates: Sequence[IntArray]

    @property
    def _wide(self) -> int:
        """The number of variants of the structure that has most."""
        return max(int(self.fast.legal.shape[1]), *map(len, self.rates))

    def _widened(self, values: IntArray) -> IntArray:
        """Repeat the last variant of values (S, V, ...) up to the number of all variants."""
        more = self._wide - values.shape[1]
        return np.concatenate([values, np.repeat(values[:, -1:], more, axis=1)], axis=1)

    @cached_property
    def combinations(self) -> IntArray:
        """All combinations (S, V, tasks); a structure without a replacement keeps those that are not served."""
        combinations = self._widened(self.fast.combinations)
        for row, rates in zip(self.rows.tolist(), self.rates, strict=True):
            if len(rates):
                combinations[row, : len(rates)], combinations[row, len(rates) :] = rates, rates[-1]
        return combinations

    @property
    def legal(self) -> BoolArray:
        """Which combinations are legal, (S, V)."""
        legal = np.zeros((len(self.fast.legal), self._wide), np.bool_)
        legal[:, : self.fast.legal.shape[1]] = self.fast.legal
        for row, rates in zip(self.rows.tolist(), self.rates, strict=True):
            legal[row] = np.arange(self._wide) < len(rates)
        return legal

    def time(self, name: str) -> IntArray:
        """The cycles (S, V) of latency or of a frame."""
        cycles = self._widened(self.fast.time(name))
        cycles[self.rows] = variant_cycles(self.tables.steps.only(self.rows), self.combinations[self.rows], name)
        return cycles
