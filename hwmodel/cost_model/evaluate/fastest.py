"""Combinations of rates that may be the fastest, among those at which memories can serve their ports.

The idea. In a family of rates (one initiation interval and fill) more units are never slower. So the legal rate with
the most units stands for its family, and of these only rates stay that are faster than all others in some step. The
combinations of what is left are few, mostly one. Each then gets the fewest units that leave its times unchanged.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import BoolArray, IntArray
from hwmodel.cost_model.evaluate.times import columns_of, cycles_of_each, least_cycles
from hwmodel.cost_model.issue.datapaths import Datapaths
from hwmodel.cost_model.memories.figures import at_rates
from hwmodel.cost_model.memories.organised import Builder
from hwmodel.cost_model.tables.steps import Candidates, Offered, StepTable
from hwmodel.design import units_of
from hwmodel.figures import FRAME, LATENCY

CYCLIC = {LATENCY: False, FRAME: True}  # which steps a time is the sum of


@dataclass(frozen=True, eq=False)
class FastestRates:
    """The combinations of rates (S, V, tasks) that no others dominate in time, and which of them are legal (S, V).

    `numbers` (S, pipelines) is the number of legal combinations of each pipeline's rates. `spare` (S, V, tasks) is the
    fewest units that a task may have by rates of beaten families, if no family that is kept has as many. `cycles` (S,
    V) caches times by name.
    """

    steps: StepTable
    combinations: IntArray
    legal: BoolArray
    numbers: IntArray
    spare: IntArray
    cycles: dict[str, IntArray]

    @staticmethod
    def of(steps: StepTable, offered: Sequence[Sequence[int]], times: Collection[str]) -> FastestRates:
        """The fastest rates of structures whose tasks have one of the rates `offered` to each (ascending)."""
        families = {
            task: Offered.of(rates, partial(steps.paths.fill, task))
            for task, rates in zip(steps.tasks, offered, strict=True)
        }
        candidates = steps.candidates(families)
        count, variants = _variants(steps.tasks, candidates)
        cycles: dict[str, list[IntArray]] = {name: [] for name in times}
        chosen = []
        for rates, least_units, _ in variants:
            fewest = least_units
            for name in times:
                least, needed = least_cycles(steps, rates, families, cyclic=CYCLIC[name])
                cycles[name].append(least)
                fewest = np.maximum(fewest, needed)
            columns = zip(families.values(), fewest.T, rates.T, strict=True)
            chosen.append(np.stack([candidate.at_least(units, like) for candidate, units, like in columns], axis=1))
        return FastestRates(
            steps,
            np.stack(chosen, axis=1),
            np.arange(len(chosen)) < count[:, None],
            np.stack([candidate.number for candidate in candidates], axis=1),
            np.stack([spare for _, _, spare in variants], axis=1),
            {name: np.stack(values, axis=1) for name, values in cycles.items()},
        )

    @property
    def fewest(self) -> IntArray:
        """A lower bound (S,) of the units of designs that have all of the least times.

        A task has at least the fewest units of its family, or a rate of a beaten family. The latter is at best as fast,
        so it has fewer units only if no rate of the family has as many.
        """
        units = np.minimum(units_of(self.combinations), self.spare).sum(axis=2)
        fewest: IntArray = np.where(self.legal, units, np.iinfo(np.int64).max).min(axis=1)
        return fewest

    def time(self, name: str) -> IntArray:
        """The cycles (S, V) of latency or of a frame."""
        if name not in self.cycles:
            self.cycles[name] = variant_cycles(self.steps, self.combinations, name)
        return self.cycles[name]


def variant_cycles(steps: StepTable, combinations: IntArray, name: str) -> IntArray:
    """The cycles (S, V) of a time, under combinations (S, V, tasks) of each structure."""
    each = combinations.transpose(1, 0, 2)
    return np.stack([cycles_of_each(steps, rates, cyclic=CYCLIC[name]) for rates in each], axis=1)


def count_combinations(choices: IntArray) -> int:
    """The sum, over rows (S, parts) of numbers of choices, of the number of combinations."""
    rows, times = np.unique(choices, axis=0, return_counts=True)
    return sum(math.prod(row) * number for row, number in zip(rows.tolist(), times.tolist(), strict=True))


def _variants(
    tasks: Sequence[str], candidates: Sequence[Candidates]
) -> tuple[IntArray, list[tuple[IntArray, IntArray, IntArray]]]:
    """The number of combinations of candidates in each structure, (S,), and V of them: rates, fewest and spare units.

    Each is (S, tasks). A structure with fewer combinations repeats its last one; a structure with a pipeline without
    candidates has a combination that is not legal.
    """
    numbers = np.stack([own.kept.sum(axis=1) for own in candidates], axis=1)
    count = numbers.prod(axis=1)
    places = [np.argsort(~own.kept, axis=1, kind="stable") for own in candidates]
    structure, variants = np.arange(len(count)), []
    for variant in range(max(1, int(count.max(initial=1)))):
        code = np.minimum(variant, np.maximum(count - 1, 0))
        rates, fewest, spare = np.zeros((3, len(count), len(tasks)), np.int64)
        for number, own in enumerate(candidates):
            digit = code % np.maximum(numbers[:, number], 1)
            code = code // np.maximum(numbers[:, number], 1)
            chosen, columns = places[number][structure, digit], columns_of(tasks, own.tasks)
            for found, values in ((rates, own.rates), (fewest, own.fewest), (spare, own.spare)):
                found[:, columns] = values[structure, chosen]
        variants.append((rates, fewest, spare))
    return count, variants


COMBINATIONS = 1 << 18  # of rates that are tried of one structure


def served(
    builder: Builder, paths: Datapaths, tasks: Sequence[str], combinations: IntArray, bits: Mapping[str, IntArray]
) -> tuple[NDArray[np.bool_], str | None]:
    """Whether S structures have all their memories at U combinations of rates, (S, U), and a reason if not all do.

    `combinations` are (1, U, tasks) or (S, U, tasks); `bits` (S,) are those of the words of each array's buffer.
    """
    structures = max((len(buffer_bits) for buffer_bits in bits.values()), default=len(combinations))
    is_served, why = np.ones((structures, combinations.shape[1]), np.bool_), None
    for array, buffer_bits in bits.items():
        touching = builder.ports.touching(array)
        most = at_rates(paths, tasks, combinations, touching, partial(builder.most_bits, array))
        there = buffer_bits[:, None] <= most
        if why is None and not there.all():
            row, column = np.argwhere(~there)[0].tolist()
            rates = dict(zip(tasks, combinations[min(row, len(combinations) - 1), column].tolist(), strict=True))
            why = builder.refusal(array, paths.at_rates(rates), int(buffer_bits[row]))
        is_served &= there
    for task, array in builder.residents:
        there = at_rates(paths, tasks, combinations, (task,), partial(builder.is_served, task, array)).astype(np.bool_)
        why = why or (None if there.all() else f"no memory of '{array}' serves as many reads of '{task}' in a cycle")
        is_served &= there
    return is_served, why


def all_rates(offered: Sequence[Sequence[int]]) -> tuple[IntArray, int]:
    """All combinations of the rates offered to tasks (U, tasks), and the number of those that are not tried.

    Of more than COMBINATIONS, those with the most units are not tried.
    """
    tried = [sorted(rates, key=units_of) for rates in offered]
    while math.prod(map(len, tried)) > COMBINATIONS:
        max(tried, key=len).pop()
    untried = math.prod(map(len, offered)) - math.prod(map(len, tried))
    return np.array(list(product(*tried)), np.int64).reshape(-1, len(tried)), untried


def unbeaten(times: Sequence[IntArray], units: IntArray, legal: NDArray[np.bool_]) -> IntArray:
    """The legal ones of U combinations that no other dominates in one or two times, (U,) each.

    Of equal ones, that with the fewest units stays.
    """
    order = np.lexsort((units, *reversed(times)))
    order = order[legal[order]]
    if not times:
        return order[:1]
    last = times[-1][order]
    best = np.minimum.accumulate(last)
    first = np.ones(len(order), np.bool_)
    first[1:] = last[1:] < best[:-1]
    return order[first]
