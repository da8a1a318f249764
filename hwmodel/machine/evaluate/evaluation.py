"""Figures of structures under rates, by their tables: at given rates, at those that nothing beats, or lower bounds."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import product

import numpy as np

from arrayol.arrays import BoolArray, IntArray
from hwmodel.design import units_of
from hwmodel.figures import FRAME, LATENCY
from hwmodel.machine.built.served import all_rates, served, unbeaten
from hwmodel.machine.costs import cost_names, costs_at_rates
from hwmodel.machine.evaluate.additive import additive_figures
from hwmodel.machine.evaluate.energy import addressed_fj, datapaths_fj, outside_fj
from hwmodel.machine.evaluate.fastest import CYCLIC, FastestRates, count_combinations, variant_cycles
from hwmodel.machine.evaluate.lower_bounds import Bounded, LeastFigures, least_of
from hwmodel.machine.evaluate.memories import MemoryFigures, built_memories, fifo_data, resident_figures
from hwmodel.machine.evaluate.times import total_cycles
from hwmodel.machine.priced import TIMES, Figures, Priced, PricedEnergy
from hwmodel.machine.tables.group_tables import GroupTables
from hwmodel.machine.tables.memories import memory_blocks

Time = Callable[[str], Figures]


def price(tables: GroupTables, rates: IntArray) -> Priced:
    """The figures of structures under combinations of rates (U, tasks)."""
    return Evaluation.of(tables.complete).price(rates)


def fastest(tables: GroupTables, offered: Sequence[Sequence[int]], *, times: Collection[str] = (LATENCY,)) -> Priced:
    """The figures at the rates that nothing beats, (S, V): of the fastest of their families those of fewest units.

    Each task has one of the rates `offered` to it (ascending). Of a family of rates (`Offered`) no more is tried than
    the most units, and none that is never faster than another, so that V is mostly 1. Of processors with FIFOs all are
    tried. Fastest of some families is what has the least of all `times` that are named (of `priced.TIMES`) at once;
    without a name, all are. That is enough where only figures with `units_are_free` are compared. The other legal
    combinations are `left_out`. Where none is legal, one that is not stands for all.
    """
    return Evaluation.of(tables.complete).fastest(offered, times)


def bounded(tables: GroupTables, offered: Sequence[Sequence[int]], *, times: Collection[str] = (LATENCY,)) -> Bounded:
    """What no design of the structures has less of, of times those named; and their prices under all rates offered.

    Tasks with FIFOs between them are scheduled under each combination of rates, which takes long. So each such design
    is bounded by tasks on their own and FIFOs that take nothing, and scheduled where it is asked for (`Priced.exact`).
    """
    evaluation = Evaluation.of(tables.apart)
    rates = np.array(list(product(*offered)), np.int64).reshape(-1, len(offered))

    def exact(some: IntArray) -> Priced:
        return price(tables, rates[some])

    def price_rows(rows: IntArray) -> Priced:
        if tables.fifos:
            return replace(evaluation.price(rates), exact=exact)
        return evaluation.only(rows).price(rates)

    return Bounded(*evaluation.least(offered, times), ~tables.missing, price_rows)


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What is computed from tables; `memories` are those of its buffers, None without a technology."""

    tables: GroupTables
    memories: MemoryFigures | None

    @staticmethod
    def of(tables: GroupTables) -> Evaluation:
        """Of tables."""
        builder = tables.builder
        return Evaluation(tables, None if builder is None else MemoryFigures(builder, tables.buffers))

    def only(self, rows: IntArray) -> Evaluation:
        """Of some of the structures, with the tables of those that are missing."""
        tables = self.tables.only(rows).complete
        return replace(self, tables=tables) if tables.buffers is self.tables.buffers else Evaluation.of(tables)

    def price(self, rates: IntArray) -> Priced:
        """All figures under combinations of rates (U, tasks)."""
        steps = self.tables.steps
        longest = steps.longest[:, None, :]
        legal = ((units_of(rates)[None] <= longest) | (longest == 0)).all(axis=2) & steps.in_order(rates)
        return self._priced(legal, rates[None], lambda name: total_cycles(steps, rates, cyclic=CYCLIC[name]))

    def fastest(self, offered: Sequence[Sequence[int]], times: Collection[str]) -> Priced:
        """The figures at the rates that nothing beats."""
        fast = FastestRates.of(self.tables.steps, offered, times)
        priced = self._priced(fast.legal, fast.combinations, fast.time)
        unserved = np.flatnonzero((fast.legal & ~priced.legal).any(axis=1))
        served_ = np.ones(len(fast.legal), np.bool_)
        served_[unserved] = False
        left_out = count_combinations(fast.numbers[served_]) - int(fast.legal[served_].sum())
        if not len(unserved):
            return replace(priced, left_out=left_out)
        found = [self.only(np.array([row])).fastest_served(offered, times) for row in unserved.tolist()]
        mixed = _Mixed(self.tables, fast, unserved, [rates for rates, *_ in found])
        mixed_priced = self._priced(mixed.legal, mixed.combinations, mixed.time)
        return replace(
            mixed_priced,
            left_out=left_out + sum(number for _, number, _ in found),
            untried=sum(untried for *_, untried in found),
            refusal=priced.refusal,
        )

    def fastest_served(self, offered: Sequence[Sequence[int]], times: Collection[str]) -> tuple[IntArray, int, int]:
        """The fastest of all rates of one structure whose ports some memory serves, (V, tasks).

        How many legal ones are left out, and of how many nothing is known.
        """
        rates, untried = all_rates(offered)
        priced = self.price(rates)
        units = units_of(rates).sum(axis=1)
        chosen = unbeaten([priced.objective(name)[0] for name in times], units, priced.legal[0])
        return rates[chosen], int(priced.legal.sum()) - len(chosen), untried

    def least(self, offered: Sequence[Sequence[int]], times: Collection[str]) -> tuple[Priced, IntArray]:
        """What no design has less of, (S, 1), and the fewest units of those with all of the least times, (S,)."""
        fast = FastestRates.of(self.tables.steps, offered, times)
        nothing = np.zeros((1, 1), np.int64)
        priced = LeastFigures(self.tables, offered).priced(
            np.asarray(fast.legal.any(axis=1, keepdims=True)),
            {name: least_of(fast.time(name), fast.legal) if name in times else nothing for name in TIMES},
            self.tables.prices,
        )
        return priced, fast.fewest

    def _priced(self, legal: BoolArray, combinations: IntArray, time: Time) -> Priced:
        """All figures under combinations of rates, (1, U, tasks) of all structures or (S, U, tasks) of each."""
        tables = self.tables
        memories, words = tables.buffers.memories, tables.buffers.addressed(tables.rows)
        bits = np.array([memory.bits for memory in memories], np.int64)
        fifos = [(fifo_data(tables, fifo, combinations), fifo.bits) for fifo in tables.fifos]
        there, refusal = self._served(words, combinations)
        units, costs = self._unit_figures(combinations)
        return Priced(
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
        """Blocks of buffers and states of so many words (S, memories), and of FIFOs of so much data (1|S, U) each."""
        platform = self.tables.platform
        if platform.local.block_bits is None:
            return None
        blocks: IntArray = memory_blocks(platform, self.tables.buffers.memories, words).sum(axis=1, keepdims=True)
        for fifo, data in zip(self.tables.fifos, fifos, strict=True):
            blocks = blocks + memory_blocks(platform, [fifo], data[..., None])[..., 0]
        return blocks

    def _served(self, words: IntArray, combinations: IntArray) -> tuple[BoolArray, str | None]:
        """Which structures have all their memories at which rates, (S, U), and why not all."""
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
        """Units and costs by name, each (1|S, U)."""
        accesses, paths, shape = self.tables.group.accesses, self.tables.steps.paths, combinations.shape[:2]
        names = cost_names(accesses, paths.platform)
        costs: dict[str, Figures] = {name: np.zeros(shape, np.int64) for name in names}
        for place, task in enumerate(self.tables.steps.tasks):
            distinct, of = np.unique(combinations[:, :, place], return_inverse=True)
            each = costs_at_rates(accesses, paths, task, distinct.tolist())
            for name in names:
                costs[name] = costs[name] + np.array([own.get(name, 0) for own in each])[of.reshape(shape)]
        return units_of(combinations).sum(axis=2), costs

    def _energy(self, combinations: IntArray) -> PricedEnergy | None:
        """Energies, when they are first asked for; None where the platform does not give them."""
        tables, prices = self.tables, self.tables.prices
        if prices is None:
            return None

        def femtojoules() -> Figures:
            own = outside_fj(tables, prices) + datapaths_fj(tables, combinations)
            return own if tables.builder is not None else own + addressed_fj(tables, prices, combinations)

        return PricedEnergy(femtojoules, prices.leaking)


@dataclass(frozen=True, eq=False)
class _Mixed:
    """The fastest combinations, of structures `rows` with other ones in their place, (V, tasks) of each."""

    tables: GroupTables
    fast: FastestRates
    rows: IntArray
    rates: Sequence[IntArray]

    @property
    def _wide(self) -> int:
        return max(int(self.fast.legal.shape[1]), *map(len, self.rates))

    def _widened(self, values: IntArray) -> IntArray:
        """With the last of the variants (S, V, ...) again."""
        more = self._wide - values.shape[1]
        return np.concatenate([values, np.repeat(values[:, -1:], more, axis=1)], axis=1)

    @cached_property
    def combinations(self) -> IntArray:
        """All of them, (S, V, tasks); where there is no other one, those that are not served stay."""
        found = self._widened(self.fast.combinations)
        for row, own in zip(self.rows.tolist(), self.rates, strict=True):
            if len(own):
                found[row, : len(own)], found[row, len(own) :] = own, own[-1]
        return found

    @property
    def legal(self) -> BoolArray:
        """Which are there, (S, V)."""
        found = np.zeros((len(self.fast.legal), self._wide), np.bool_)
        found[:, : self.fast.legal.shape[1]] = self.fast.legal
        for row, own in zip(self.rows.tolist(), self.rates, strict=True):
            found[row] = np.arange(self._wide) < len(own)
        return found

    def time(self, name: str) -> IntArray:
        """The cycles (S, V) of latency or of a frame."""
        found = self._widened(self.fast.time(name))
        found[self.rows] = variant_cycles(self.tables.steps.only(self.rows), self.combinations[self.rows], name)
        return found
