"""Group designs of the front at other rates, which take less logic: what fits a device and what slack is spent on.

A search that compares times and memory keeps the fastest rates of each structure. Here the structures of designs that
it has found are priced at all their rates, in columns that have logic too.

The steps of a group are as long as the longest of its port and processors. So what one processor may be slowed by does
not depend on the others as a rule: each task is slowed by itself, by lower bounds, and then the tasks together, those
first that save most.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, product
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from dse.pareto.fronts import Rows, evenly, front_of
from dse.search.context import SearchContext
from dse.search.figures import columns_of
from dse.search.pricing import Evaluator, RateChoices
from dse.space.mappings import table_of
from dse.space.options import is_plain
from dse.space.study import parse_constraint
from hwmodel.cost_model.metrics import Metrics
from hwmodel.design import GroupDesign, Scan, rates_of, structure_of

COMBINATIONS_AT_MOST = 2048  # of the rates of a group's tasks
SEVERAL = 6  # that seem to beat one
DESIGNS_AT_ONCE = 1 << 16  # that are priced, of several structures
TURNS = 3  # in which such are priced, where some are beyond their limits
LOGIC = (
    "lut",
    "area",
    "ff",
    "dsp",
    "memory_blocks",
)  # figures that a device bounds; the first that is there counts most
Priceds = dict[GroupDesign, tuple[int, ...]]  # with the figures of each


def with_logic(context: SearchContext, names: Sequence[str]) -> SearchContext:
    """The context with columns of more figures behind those of objectives, and without a further limit on these."""
    space, columns = context.space, context.columns
    bounds = [parse_constraint(f"{name} <= 1e15") for name in names]
    wide = columns_of(
        columns.names,
        (*bounds, *columns.constraints),
        space.model,
        reuse_memory=space.study.reuse_memory,
        known=space.figures,
    )
    return SearchContext(space, wide)


def slower(
    context: SearchContext,
    groups: Iterable[GroupDesign],
    most: int,
    within: Mapping[tuple[str, ...], IntArray] | None = None,
) -> Priceds:
    """Designs of these groups' structures, at most so many of each structure, none beaten in the context's columns.

    Streams, whose rates follow from their pace, are left out.
    With `within` they keep one of some limits of the first columns (limits, columns), those of groups of their tasks,
    and logic is the next column.
    """
    found: Priceds = {}
    for key, family in families(context, groups).items():
        tasks = family[0].tasks
        combinations = _combinations([context.space.rates(task) for task in tasks])
        pricer = Evaluator(context, tasks, RateChoices(chosen=combinations))
        limits = None if within is None else within[tasks]
        every = np.arange(len(combinations))
        for structures, priced in priced_structures(pricer, key, family):
            leanest = leanest_designs(pricer, priced, [every] * len(structures), most, limits)
            for structure, designs in zip(structures, leanest, strict=True):
                found |= {structure.at_rates(combinations[place]): values for place, values in designs}
    return found


Key = GroupDesign | tuple[tuple[str, ...], Scan]


def families(context: SearchContext, groups: Iterable[GroupDesign]) -> dict[Key, list[GroupDesign]]:
    """The structures of the groups, those together that are priced together: plain ones of one scan."""
    families: dict[Key, list[GroupDesign]] = {}
    for structure in dict.fromkeys(structure_of(group) for group in groups if group.stream is None):
        together = is_plain(structure) and context.space.model.is_separable(structure.tasks)
        families.setdefault((structure.tasks, structure.blocks.scan) if together else structure, []).append(structure)
    return families


def _combinations(offered: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    """Combinations of the rates of some tasks: all, or of fewer rates of those that have most."""
    kept = [list(rates) for rates in offered]
    while prod(map(len, kept)) > COMBINATIONS_AT_MOST:
        longest = max(range(len(kept)), key=lambda place: len(kept[place]))
        if len(kept[longest]) <= 2:
            break
        kept[longest] = evenly(kept[longest], len(kept[longest]) - 1)
    return tuple(product(*kept))


def priced_structures(
    pricer: Evaluator, key: Key, family: Sequence[GroupDesign]
) -> Iterator[tuple[Sequence[GroupDesign], Metrics]]:
    """The structures, some at a time, with their prices, one row each."""
    if isinstance(key, GroupDesign):
        yield [key], pricer.structure(key)
        return
    for rows, priced in pricer.plain(key[1], table_of([structure.blocks.shape for structure in family])):
        yield [family[row] for row in rows.tolist()], priced


@dataclass(frozen=True)
class BoundedDesigns:
    """Legal designs of a structure, the `row` of some prices, by their combinations of rates.

    `bounds` (places, figures) are what they have no less of.
    """

    row: int
    places: Rows
    bounds: IntArray

    def only(self, kept: NDArray[Any]) -> BoundedDesigns:
        """Rows of a mask, or of some numbers."""
        return BoundedDesigns(self.row, self.places[kept], self.bounds[kept])


def bounded_designs(pricer: Evaluator, priced: Metrics, asked: Sequence[Rows]) -> Iterator[list[BoundedDesigns]]:
    """The legal designs of each row of prices among some combinations of rates, of many structures at a time."""
    for rows in _batches(list(map(len, asked))):
        places = np.concatenate([asked[row] for row in rows])
        sizes = [len(asked[row]) for row in rows]
        least = priced.at(np.repeat(np.array(rows, np.intp), sizes), places, least=True)
        whole, ends = BoundedDesigns(-1, places, pricer.values(least, (slice(None), 0))), np.cumsum(sizes)
        parts = np.split(np.arange(len(places)), ends[:-1])
        legal = least.legal[:, 0]
        yield [replace(whole.only(part[legal[part]]), row=row) for row, part in zip(rows, parts, strict=True)]


def _batches(sizes: Sequence[int]) -> Iterator[list[int]]:
    """Numbers of structures in their order, each time twice as many, unless these have too many designs.

    What is evaluated of one structure narrows the bounds of those behind it.
    """
    batch: list[int] = []
    count, most = 0, 1
    for number, size in enumerate(sizes):
        if batch and (count + size > DESIGNS_AT_ONCE or len(batch) == most):
            yield batch
            batch, count, most = [], 0, 8 * most
        batch.append(number)
        count += size
    if batch:
        yield batch


Figured = list[tuple[int, tuple[int, ...]]]  # combinations of rates, by their places, with figures


def leanest_designs(
    pricer: Evaluator, priced: Metrics, asked: Sequence[Rows], most: int, limits: IntArray | None
) -> Iterator[Figured]:
    """Combinations of rates, among some, that nothing beats, with their figures, for each row of prices.

    They are chosen by what none has less of, since that is told soon.
    """
    for batch in bounded_designs(pricer, priced, asked):
        if limits is None:
            yield from _exact(pricer, priced, [own.only(_evenly_spaced(own.bounds, most)) for own in batch])
        else:
            yield from _leanest_within(pricer, priced, batch, most, limits)


def _leanest_within(
    pricer: Evaluator, priced: Metrics, batch: Sequence[BoundedDesigns], most: int, limits: IntArray
) -> list[Figured]:
    """Designs that take the least logic within limits, for each structure."""
    found: list[Figured] = [[] for _ in batch]
    tried = {number: own.only(are_within(own.bounds, limits)) for number, own in enumerate(batch)}
    for _ in range(TURNS):
        tried = {number: own for number, own in tried.items() if len(own.places)}
        chosen = {n: _leanest(own.bounds[:, 0], own.bounds[:, limits.shape[1]], most) for n, own in tried.items()}
        exact = _exact(pricer, priced, [own.only(chosen[number]) for number, own in tried.items()])
        for number, designs in zip(chosen, exact, strict=True):
            found[number] += designs
            # What seemed to beat others, and is beyond the limits, gives way to these.
            good = [one for one in (np.array([values]) for _, values in designs) if are_within(one, limits)[0]]
            own = tried.pop(number)
            if len(good) < len(chosen[number]):
                left = ~np.isin(np.arange(len(own.places)), chosen[number])
                for one in good:
                    left &= ~(one <= own.bounds).all(axis=1)
                tried[number] = own.only(left)
    return found


def are_within(values: IntArray, limits: IntArray) -> NDArray[np.bool_]:
    """Which points (n, figures) keep one of some limits (limits, leading figures) at least."""
    cells = values[:, None, : limits.shape[1]] <= limits
    kept: NDArray[np.bool_] = np.logical_or.reduce(np.logical_and.reduce(cells, axis=2), axis=1)
    return kept


def _exact(pricer: Evaluator, priced: Metrics, chosen: Sequence[BoundedDesigns]) -> list[Figured]:
    """The legal ones of some combinations of each structure within the constraints, with their figures."""
    sizes = [len(own.places) for own in chosen]
    if not sum(sizes):
        return [[] for _ in chosen]
    places = np.concatenate([own.places for own in chosen])
    exact = priced.at(np.repeat(np.array([own.row for own in chosen], np.intp), sizes), places)
    values = pricer.values(exact, (slice(None), 0))
    legal = exact.legal[:, 0] & pricer.columns.combination.within(values)
    cells = list(zip(places.tolist(), map(tuple, values.tolist()), legal.tolist(), strict=True))
    ends = np.cumsum(sizes).tolist()
    return [[cell[:2] for cell in cells[end - size : end] if cell[2]] for size, end in zip(sizes, ends, strict=True)]


def _leanest(times: IntArray, logic: IntArray, most: int) -> Rows:
    """Some of the points with these first figures and logic, evenly by the former.

    They are bounds, so that one which is beaten by another need not be in truth; but what takes no less of the first
    figure and of logic than several others is left out.
    """
    order = np.lexsort((logic, times))
    least: list[int] = []  # of the logic of those so far
    kept = []
    for row in order.tolist():
        amount = int(logic[row])
        if sum(one <= amount for one in least) < SEVERAL:
            kept.append(row)
            least = sorted([*least, amount])[:SEVERAL]
    return np.array(evenly(kept, most), np.intp)


def _evenly_spaced(values: IntArray, most: int) -> Rows:
    """Some of the front of some points, evenly in the order of their first figure."""
    front = front_of(values, np.zeros(len(values), np.int64)).origin
    return np.array(evenly(front.tolist(), most), np.intp)


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
