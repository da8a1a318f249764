"""Group designs of the front at other rates, which take less logic: what fits a device and what slack is spent on.

A search that compares times and memory keeps the fastest rates of each structure. Here the structures of designs that
it has found are priced at all their rates, in columns that have logic too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from math import prod

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
from hwmodel.design import GroupDesign, Scan, structure_of

COMBINATIONS_AT_MOST = 2048  # of the rates of a group's tasks
SEVERAL = 6  # that seem to beat one
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
        for structure, row, priced in priced_structures(pricer, key, family):
            limits = None if within is None else within[tasks]
            for place, values in leanest_designs(pricer, priced, row, np.arange(len(combinations)), most, limits):
                found[structure.at_rates(combinations[place])] = values
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
) -> Iterator[tuple[GroupDesign, int, Metrics]]:
    """Each structure with its row in some prices."""
    if isinstance(key, GroupDesign):
        yield key, 0, pricer.structure(key)
        return
    for rows, priced in pricer.plain(key[1], table_of([structure.blocks.shape for structure in family])):
        yield from ((family[row], place, priced) for place, row in enumerate(rows.tolist()))


def leanest_designs(
    pricer: Evaluator, priced: Metrics, row: int, places: Rows, most: int, limits: IntArray | None
) -> Iterator[tuple[int, tuple[int, ...]]]:
    """The combinations of rates at some places that nothing beats, with their figures.

    They are chosen by what none has less of, since that is told soon.
    """
    least = priced.at(np.full(len(places), row), places, least=True)
    bounds, fine = pricer.values(least, (slice(None), 0)), least.legal[:, 0]
    if limits is not None:
        fine = fine & are_within(bounds, limits)
    places, bounds = places[fine], bounds[fine]
    if limits is None:
        yield from _exact(pricer, priced, row, places[_evenly_spaced(bounds, most)])
        return
    for _ in range(TURNS):
        if not len(places):
            return
        chosen = _leanest(bounds[:, 0], bounds[:, limits.shape[1]], most)
        found = list(_exact(pricer, priced, row, places[chosen]))
        yield from found
        # What seemed to beat others, and is beyond the limits, gives way to these.
        good = [one for one in (np.array([values]) for _, values in found) if are_within(one, limits)[0]]
        if len(good) == len(chosen):
            return
        left = ~np.isin(np.arange(len(places)), chosen)
        for one in good:
            left &= ~(one <= bounds).all(axis=1)
        places, bounds = places[left], bounds[left]


def are_within(values: IntArray, limits: IntArray) -> NDArray[np.bool_]:
    """Which points (n, figures) keep one of some limits (limits, leading figures) at least."""
    cells = values[:, None, : limits.shape[1]] <= limits
    kept: NDArray[np.bool_] = np.logical_or.reduce(np.logical_and.reduce(cells, axis=2), axis=1)
    return kept


def _exact(pricer: Evaluator, priced: Metrics, row: int, places: Rows) -> Iterator[tuple[int, tuple[int, ...]]]:
    """The legal ones of some combinations within the constraints, with their figures."""
    if not len(places):
        return
    exact = priced.at(np.full(len(places), row), places)
    values = pricer.values(exact, (slice(None), 0))
    legal = exact.legal[:, 0] & pricer.columns.combination.within(values)
    for place, figures in zip(places[legal].tolist(), values[legal].tolist(), strict=True):
        yield place, tuple(figures)


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
