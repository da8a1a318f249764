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

from arrayol.arrays import IntArray
from dse.search.context import SearchContext
from dse.search.pricing import Evaluator, RateChoices
from dse.search.shown.slower_rates import (
    COMBINATIONS_AT_MOST,
    Key,
    Priceds,
    are_within,
    families,
    leanest_designs,
    priced_structures,
)
from hwmodel.cost_model.metrics import Metrics
from hwmodel.design import GroupDesign, rates_of, structure_of

STEPS = 3  # from known rates to others, from those again, and so on
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
            structure: dict.fromkeys(chain(singles[structure], self._together(bases[structure], bounds)))
            for structure, bounds in self._bounds(singles)
        }
        found: Priceds = {}
        for structure, chosen, pricer, row, priced in self._priced(wanted):
            places = np.array([chosen[rates] for rates in wanted[structure]], np.intp)
            at = dict(zip(places.tolist(), wanted[structure], strict=True))
            for place, values in leanest_designs(pricer, priced, row, places, self.most, self.limits):
                found[structure.at_rates(at[place])] = values
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
    ) -> Iterator[tuple[GroupDesign, dict[Rates, IntArray]]]:
        """By structure and rates what the legal ones have no less of."""
        for structure, chosen, pricer, row, priced in self._priced(wanted):
            rates = list(wanted[structure])
            places = np.array([chosen[one] for one in rates], np.intp)
            least = priced.at(np.full(len(places), row), places, least=True)
            values, legal = pricer.values(least, (slice(None), 0)), least.legal[:, 0]
            yield structure, {rates[place]: values[place] for place in np.flatnonzero(legal).tolist()}

    def _together(self, bases: Sequence[Rates], bounds: Mapping[Rates, IntArray]) -> Iterator[Rates]:
        """Each base with what saves most of one task, then of the next one as well, and so on, by limits."""
        leading = self.limits.shape[1]
        for limit in self.limits:
            fitting = {rates: int(each[leading]) for rates, each in bounds.items() if (each[:leading] <= limit).all()}
            for base in bases:
                rates = base
                for place, rate in self._savings(base, fitting):
                    rates = (*rates[:place], rate, *rates[place + 1 :])
                    yield rates

    def _savings(self, base: Rates, logic: Mapping[Rates, int]) -> list[tuple[int, int]]:
        """By task, as its place, the rate that takes the least logic, in the order of what they save."""
        best: list[tuple[int, int, int]] = []
        for place, rates in enumerate(self.offered):
            singles = [(rate, (*base[:place], rate, *base[place + 1 :])) for rate in rates]
            known = [(logic[single], place, rate) for rate, single in singles if single in logic]
            best += [min(known)] if known else []
        return [(place, rate) for _, place, rate in sorted(best)]

    def _priced(
        self, wanted: Mapping[GroupDesign, Collection[Rates]]
    ) -> Iterator[tuple[GroupDesign, dict[Rates, int], Evaluator, int, Metrics]]:
        """Each structure with the places of rates, and with its row in prices."""
        every = dict.fromkeys(chain.from_iterable(wanted.values()))
        chosen = {rates: place for place, rates in enumerate(every)}
        family = [structure for structure, rates in wanted.items() if rates]
        if not family:
            return
        pricer = Evaluator(self.context, family[0].tasks, RateChoices(chosen=tuple(every)))
        for structure, row, priced in priced_structures(pricer, self.key, family):
            yield structure, chosen, pricer, row, priced
