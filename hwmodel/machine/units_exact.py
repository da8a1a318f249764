"""One structure that is planned by itself under many combinations of rates (units and intervals).

Rates change nothing but how long a pipeline (tasks joined by FIFOs; mostly one) takes in each step, and only its own
rates do. So each pipeline is computed once for each combination of its own rates (`Variants`), and the length of a
step under a combination of all is the longest of the port and of one variant of each pipeline. Steps that are equal
under all variants are one kind (`StepTable`): their sum is taken over kinds, each times how often it occurs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product

import numpy as np
from numpy.typing import NDArray

from hwmodel.accesses import Accesses
from hwmodel.design import GroupDesign, interval_of, structure_of
from hwmodel.machine.bounded import Bounded, LeastRates
from hwmodel.machine.built.local_ports import LocalPorts
from hwmodel.machine.built.resident_figures import resident_figures
from hwmodel.machine.built.served import all_rates, fastest_served, served
from hwmodel.machine.energy import PlanEnergy, energy_prices, repetition_fj, with_residents
from hwmodel.machine.estimate import MemoryUse
from hwmodel.machine.exact_memories import built_memories
from hwmodel.machine.group import Elements
from hwmodel.machine.group_plan import GroupPlan
from hwmodel.machine.int64 import require_energy
from hwmodel.machine.memories import kept_memories
from hwmodel.machine.pipeline_variants import Variants, variants_of
from hwmodel.machine.plan import plan_group
from hwmodel.machine.priced import (
    FRAME,
    LATENCY,
    TIMES,
    Figures,
    Offered,
    Priced,
    PricedEnergy,
    unit_figures,
)
from hwmodel.machine.schedule.processors import Pipeline
from hwmodel.machine.step_table import StepTable
from hwmodel.platform import Platform


@dataclass(frozen=True)
class PlannedStructure:
    """A structure with its plan, and the memories that it has whatever the rates; tasks as in the structure."""

    structure: GroupDesign
    plan: GroupPlan
    kept: tuple[MemoryUse, ...]

    @staticmethod
    def of(
        accesses: Accesses, platform: Platform, structure: GroupDesign, ports: LocalPorts | None = None
    ) -> PlannedStructure:
        """Planned element by element; `ports` are the local ones, where they are known.

        Raises ArrayolError for what docs/machine.md, section 6, refuses whatever the units.
        """
        plan = plan_group(accesses, platform, structure_of(structure), ports)
        return PlannedStructure(structure, plan, kept_memories(plan))

    @property
    def tasks(self) -> tuple[str, ...]:
        """The columns of rates."""
        return self.structure.tasks

    def price(self, rates: Elements) -> Priced:
        """The figures under combinations of rates (U, tasks)."""
        return self._priced(self._variants(rates), rates)

    def _variants(self, rates: Elements) -> list[Variants]:
        """What each pipeline does under combinations of rates (U, tasks)."""
        pipelines = self.plan.processors.pipelines
        return [variants_of(self.plan.processors, own, rates[:, self._columns(own)]) for own in pipelines]

    def _columns(self, pipeline: Pipeline) -> list[int]:
        return [self.tasks.index(task) for task in pipeline]

    def fastest(self, offered: Sequence[Sequence[int]], *, times: Collection[str] = (LATENCY,)) -> Priced:
        """The same of the combinations that nothing beats, of rates offered to each task: see `GroupBatch.fastest`.

        Rounds that wait for data of several repetitions may come later with more units. So of processors with FIFOs all
        combinations stay, each with the fewest units of the others that make no step longer.
        """
        processors = self.plan.processors
        rates_of = {task: Offered.of(rates).rates for task, rates in zip(self.tasks, offered, strict=True)}
        variants = [
            variants_of(processors, pipeline, np.array(list(product(*(rates_of[task] for task in pipeline)))))
            for pipeline in processors.pipelines
        ]
        chosen = _fastest(self.plan, variants, times)
        rates = np.zeros((len(chosen[0]), len(self.tasks)), np.int64)
        for pipeline, variant, of in zip(processors.pipelines, variants, chosen, strict=True):
            rates[:, self._columns(pipeline)] = variant.rates[of]
        own = [replace(variant, of=of) for variant, of in zip(variants, chosen, strict=True)]
        priced = self._priced(own, rates)
        legal = math.prod(int(variant.legal.sum()) for variant in variants)
        if legal and not priced.legal.all():
            return self._fastest_served(offered, times)
        return replace(priced, left_out=legal - int(priced.legal.sum()))

    def _fastest_served(self, offered: Sequence[Sequence[int]], times: Collection[str]) -> Priced:
        """The same where the fastest rates have ports that no memory serves: of all rates."""
        rates, untried = all_rates(offered)
        priced = self.price(rates)
        chosen = fastest_served([priced.objective(name)[0] for name in times], priced.units[0], priced.legal[0])
        found = self.price(rates[chosen] if len(chosen) else rates[:1])
        return replace(found, left_out=int(priced.legal.sum()) - int(found.legal.sum()), untried=untried)

    def bounded(self, offered: Sequence[Sequence[int]], *, times: Collection[str] = (LATENCY,)) -> Bounded:
        """What no design has less of, of times those named, and its prices under all rates offered.

        Tasks with FIFOs between them are scheduled under each combination of rates, which takes long. None of them is
        faster than it is alone, without waiting for the others. So each design is bounded by tasks that stand alone and
        FIFOs that take nothing, and scheduled where it is asked for (`Priced.exact`).
        """
        plan, tasks, platform = self.plan, self.tasks, self.plan.platform
        accesses, kept = plan.group.accesses, self.kept
        rates = np.array(list(product(*offered)), np.int64).reshape(-1, len(tasks))
        apart = [variants_of(plan.processors, (task,), rates[:, [tasks.index(task)]]) for task in tasks]
        is_legal = all(own.legal.any() for own in apart)
        fastest = _fastest(plan, apart, times)
        least = LeastRates(accesses, plan.processors.paths, tasks, offered)

        def time(name: str) -> Figures:
            is_known = name in times and is_legal
            cycles = StepTable.of(plan, apart, name).sums(fastest) if is_known else np.zeros(1, np.int64)
            return np.full((1, 1), cycles.min())

        prices = energy_prices(platform, accesses.network)
        priced = least.priced(
            np.full((1, 1), is_legal),
            {name: time(name) for name in TIMES},
            _least_memory(kept),
            plan.builder,
            (np.full((1, 1), plan.traffic_bytes), lambda: np.full((1, 1), plan.port_bytes)),
            prices
            if prices is None
            else least.energy(prices, plan.runs, lambda: np.full((1, 1), PlanEnergy.of(plan, prices).outside_fj)),
        )
        known = priced, priced.units[0], np.ones(1, np.bool_)
        if not self.structure.fifos:
            return Bounded(*known, lambda _: self._priced(apart, rates))
        return Bounded(
            *known, lambda _: replace(self._priced(apart, rates), exact=lambda some: self.price(rates[some]))
        )

    def _priced(self, variants: Sequence[Variants], rates: Elements) -> Priced:
        """Figures at some rates."""
        plan, tasks, kept = self.plan, self.tasks, self.kept

        def memory(size: Callable[[MemoryUse], int]) -> Figures:
            data = np.full(len(rates), sum(map(size, kept)))
            for pipeline in variants:
                data += np.array([sum(map(size, fifos)) for fifos in pipeline.fifos], np.int64)[pipeline.of]
            return data[None, :]

        def time(name: str) -> Figures:
            return StepTable.of(plan, variants, name).sums([variant.of for variant in variants])[None, :]

        number, costs = unit_figures(plan.group.accesses, plan.processors.paths, tasks, rates[None, :, :])
        there, refusal = self._served(rates)
        return Priced(
            legal=there & np.all([own.legal[own.of] for own in variants], axis=0),
            combinations=rates[None, :, :],
            latency_cycles=time(LATENCY),
            addressed_data=memory(lambda use: use.addressed),
            addressed_bits=memory(lambda use: use.addressed_bits),
            counted_blocks=memory(lambda use: use.blocks or 0) if plan.platform.local.block_bits is not None else None,
            traffic_bytes=np.full((1, 1), plan.traffic_bytes),
            units=number,
            unit_costs=costs,
            frame=lambda: time(FRAME),
            port=lambda: np.full((1, 1), plan.port_bytes),
            energy=self._energy(variants, rates),
            built=built_memories(plan, tasks, variants, rates, kept),
            refusal=refusal,
            resident=partial(resident_figures, plan.builder, plan.processors.paths, tasks, rates[None, :, :]),
        )

    def _served(self, rates: Elements) -> tuple[NDArray[np.bool_], str | None]:
        """At which rates all memories are served, (1, U), and why not at all."""
        plan = self.plan
        if plan.builder is None:
            return np.ones((1, 1), np.bool_), None
        bits = {use.name: np.array([use.addressed_bits]) for use in self.kept if use.kind == "buffer"}
        return served(plan.builder, plan.processors.paths, self.tasks, rates[None, :, :], bits)

    def _energy(self, variants: Sequence[Variants], rates: Elements) -> PricedEnergy | None:
        """Energies (1, U) of combinations of rates, without what memories take that are built; None without prices."""
        plan, tasks, kept = self.plan, self.tasks, self.kept
        prices = energy_prices(plan.platform, plan.group.network)
        if prices is None:
            return None

        def femtojoules() -> Figures:
            energy, paths = PlanEnergy.of(plan, prices), plan.processors.paths
            total = np.full(len(rates), energy.outside_fj)
            if plan.builder is None:
                total += energy.of_memories(with_residents(plan.group.accesses, plan.platform, tasks, kept))
                for pipeline in variants:
                    total += np.array([energy.of_memories(fifos) for fifos in pipeline.fifos], np.int64)[pipeline.of]
            for place, task in enumerate(tasks):
                intervals, of = np.unique(interval_of(rates[:, place]), return_inverse=True)
                each = [energy.runs[task] * sum(repetition_fj(paths.at(task, one))) for one in intervals.tolist()]
                require_energy(max(each, default=0))
                total += np.array(each, np.int64)[of.ravel()]
            return total[None, :]

        return PricedEnergy(femtojoules, prices.leaking)


def _least_memory(kept: Sequence[MemoryUse]) -> tuple[Figures, Figures]:
    """What is live at once at the least, in data and bits (1, 1), FIFOs left out."""
    data, bits = sum(use.live for use in kept), sum(use.live_bits for use in kept)
    return np.full((1, 1), data), np.full((1, 1), bits)


@dataclass(frozen=True)
class _Family:
    """Legal variants of a pipeline, ascending, of which each makes no step longer than the one before."""

    variants: Elements

    @staticmethod
    def all_of(plan: GroupPlan, variants: Variants) -> list[_Family]:
        """Each variant by itself; where a formula holds, more units at the same interval and fill are one family.

        Of the latter one is left out whose last variant has no step shorter than that of another.
        """
        intervals = interval_of(variants.rates[:, 0])
        pipeline, alone = variants.tasks, plan.processors.has_formula(variants.tasks)
        families: dict[tuple[int, ...], list[int]] = {}
        for number in np.flatnonzero(variants.legal).tolist():
            fill = plan.processors.paths.fill(pipeline[0], int(variants.rates[number, 0])) if alone else number
            families.setdefault((int(intervals[number]), fill), []).append(number)
        kept: list[_Family] = []
        for members in families.values():
            cycles = variants.cycles[members[-1]]
            rivals = [other.variants[-1] for other in kept if alone]
            if not any((variants.cycles[rival] <= cycles).all() for rival in rivals):
                kept.append(_Family(np.array(members)))
        return kept


def _fastest(plan: GroupPlan, variants: Sequence[Variants], times: Collection[str]) -> list[Elements]:
    """The variants of each pipeline in the combinations that nothing beats; in one that is illegal where all are."""
    families = [_Family.all_of(plan, variant) for variant in variants]
    if not all(families):
        return [np.zeros(1, np.int64) for _ in variants]
    sizes = [len(own) for own in families]
    places = np.unravel_index(np.arange(math.prod(sizes)), sizes)
    most, fewest = (
        [np.array([one.variants[end] for one in own])[at] for own, at in zip(families, places, strict=True)]
        for end in (-1, 0)
    )
    for name in times:
        table = StepTable.of(plan, variants, name)
        for part, longest in table.lengths(most):
            for number, own in enumerate(families):
                for place, family in enumerate(own):
                    rows = part.start + np.flatnonzero(places[number][part] == place)
                    cycles = table.pipelines[number][family.variants]
                    needed = family.variants[_first_within(cycles, longest[rows - part.start])]
                    fewest[number][rows] = np.maximum(fewest[number][rows], needed)
    return fewest


def _first_within(cycles: Elements, longest: Elements) -> Elements:
    """The first of rows (V, kinds), each nowhere above the one before, that is nowhere above `longest` (U, kinds)."""
    first = np.full(len(longest), len(cycles) - 1)
    for row in reversed(range(len(cycles) - 1)):
        first[(cycles[row] <= longest).all(axis=1)] = row
    return first
