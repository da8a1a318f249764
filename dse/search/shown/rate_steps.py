"""Rates of many tasks that take less logic, reached from known ones: where there are too many combinations to try all.

The steps of a group are as long as the longest of its port and processors. So what one processor may be slowed by does
not depend on the others as a rule: each task is slowed by itself, by lower bounds, and then the tasks together, those
first that save most.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import prod

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from dse.pareto.fronts import Rows
from dse.search.context import SearchContext
from dse.search.pricing import Evaluator, RateChoices
from dse.search.shown.slower_rates import (
    COMBINATIONS_AT_MOST,
    Key,
    Priceds,
    are_within,
    bounded_designs,
    families,
    leanest_designs,
    priced_structures,
)
from hwmodel.cost_model.metrics import Metrics
from hwmodel.design import GroupDesign, rates_of, structure_of

STEPS = 3  # from known rates to others, from those again, and so on
_NONE = np.iinfo(np.int64).max
BASES = 4  # designs of a structure from which a step goes
Rates = tuple[int, ...]


def stepped(
    context: SearchContext,
    structures: Iterable[GroupDesign],
    known: Priceds,
    most: int,
    within: Mapping[tuple[str, ...], IntArray],
) -> Priceds:
    """Designs of structures whose tasks have more combinations of rates than are tried, from those of `known` designs.

    At most so many of each structure and step, each within one of the limits of its tasks, as in `slower`.
    """
    found: Priceds = {}
    for key, family in families(context, structures).items():
        tasks = family[0].tasks
        offered = tuple(tuple(context.space.rates(task)) for task in tasks)
        if prod(map(len, offered)) <= COMBINATIONS_AT_MOST:
            continue
        steps = _Steps(context, key, offered, within[tasks], most)
        own = {group: values for group, values in known.items() if group.tasks == tasks}
        shared, known_of = steps.leanest(own), _by_structure(own)
        bases = {
            structure: list(dict.fromkeys((*steps.leanest(known_of.get(structure, {})), *shared)))
            for structure in family
        }
        for _ in range(STEPS):
            new = {group: values for group, values in steps.designs_after(bases).items() if group not in found}
            found |= new
            new_of = _by_structure(new)
            bases = {structure: rates for structure in family if (rates := steps.leanest(new_of.get(structure, {})))}
            if not bases:
                break
    return found


def _by_structure(known: Priceds) -> dict[GroupDesign, Priceds]:
    """Designs with their figures, by structure."""
    found: dict[GroupDesign, Priceds] = {}
    for group, values in known.items():
        found.setdefault(structure_of(group), {})[group] = values
    return found


@dataclass(frozen=True)
class _Steps:
    """Steps from rates to others, of structures that are priced together, by tasks and within limits."""

    context: SearchContext
    key: Key
    offered: tuple[Rates, ...]
    limits: IntArray
    most: int

    def leanest(self, known: Priceds) -> list[Rates]:
        """The rates of the leanest of some designs."""
        logic = self.limits.shape[1]
        kept = [group for group, values in known.items() if are_within(np.array([values]), self.limits)[0]]
        leanest = sorted(kept, key=lambda group: known[group][logic])[:BASES]
        return [tuple(rates_of(group).values()) for group in leanest]

    def designs_after(self, bases: Mapping[GroupDesign, Sequence[Rates]]) -> Priceds:
        """The designs that one step from some rates of each structure finds, with their figures."""
        singles = {structure: self._singles(rates) for structure, rates in bases.items()}
        wanted = {
            structure: dict.fromkeys(chain(singles[structure], self._together(bases[structure], *bounds)))
            for structure, bounds in self._bounds(singles)
        }
        found: Priceds = {}
        for structures, asked, every, pricer, priced in self._priced(wanted):
            leanest = leanest_designs(pricer, priced, asked, self.most, self.limits)
            for structure, designs in zip(structures, leanest, strict=True):
                found |= {structure.at_rates(every[place]): values for place, values in designs}
        return found

    def _singles(self, bases: Iterable[Rates]) -> list[Rates]:
        """Each base, and it with another rate of one task."""
        return list(
            dict.fromkeys(
                (*base[:place], rate, *base[place + 1 :])
                for base in bases
                for place, rates in enumerate(self.offered)
                for rate in (base[place], *rates)
            )
        )

    def _bounds(
        self, wanted: Mapping[GroupDesign, Collection[Rates]]
    ) -> Iterator[tuple[GroupDesign, tuple[list[Rates], IntArray]]]:
        """By structure its legal ones of some rates, and what these have no less of."""
        for structures, asked, every, pricer, priced in self._priced(wanted):
            bounded = chain.from_iterable(bounded_designs(pricer, priced, asked))
            for structure, own in zip(structures, bounded, strict=True):
                yield structure, ([every[place] for place in own.places.tolist()], own.bounds)

    def _together(self, bases: Sequence[Rates], singles: Sequence[Rates], bounds: IntArray) -> Iterator[Rates]:
        """Each base with what saves most of one task, then of the next one as well, and so on, by limits."""
        leading = self.limits.shape[1]
        fitting = np.logical_and.reduce(bounds[:, None, :leading] <= self.limits, axis=2).T
        row = {rates: number for number, rates in enumerate(singles)}
        savings = [self._savings(base, row, bounds[:, leading], fitting) for base in bases]
        for of_limit in zip(*savings, strict=True):
            for base, slower in zip(bases, of_limit, strict=True):
                rates = base
                for place, rate in slower:
                    rates = (*rates[:place], rate, *rates[place + 1 :])
                    yield rates

    def _savings(
        self, base: Rates, row: Mapping[Rates, int], logic: IntArray, fitting: NDArray[np.bool_]
    ) -> list[list[tuple[int, int]]]:
        """By limit (limits, singles) and task, as its place, the rate that takes the least logic.

        Tasks are in the order of what they save.
        """
        best: list[list[tuple[int, int, int]]] = [[] for _ in fitting]
        for place, offered in enumerate(self.offered):
            singles = [(rate, (*base[:place], rate, *base[place + 1 :])) for rate in sorted(offered)]
            rates = [rate for rate, single in singles if single in row]
            if not rates:
                continue
            own = np.array([row[single] for _, single in singles if single in row], np.intp)
            least = np.where(fitting[:, own], logic[own], _NONE).argmin(axis=1)
            fits = fitting[np.arange(len(fitting)), own[least]]
            for limit in np.flatnonzero(fits).tolist():
                best[limit].append((int(logic[own[least[limit]]]), place, rates[least[limit]]))
        return [[(place, rate) for _, place, rate in sorted(each)] for each in best]

    def _priced(
        self, wanted: Mapping[GroupDesign, Collection[Rates]]
    ) -> Iterator[tuple[Sequence[GroupDesign], list[Rows], list[Rates], Evaluator, Metrics]]:
        """Structures with the places of their rates among all, these rates, and prices with a row for each."""
        every = list(dict.fromkeys(chain.from_iterable(wanted.values())))
        number = {rates: place for place, rates in enumerate(every)}
        family = [structure for structure, rates in wanted.items() if rates]
        if not family:
            return
        pricer = Evaluator(self.context, family[0].tasks, RateChoices(chosen=tuple(every)))
        for structures, priced in priced_structures(pricer, self.key, family):
            asked = [np.array([number[rates] for rates in wanted[one]], np.intp) for one in structures]
            yield structures, asked, every, pricer, priced
