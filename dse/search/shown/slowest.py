"""Processors of found designs slowed down as far as nothing that is compared changes, whatever method found them.

Where costs are not compared a search keeps the fastest rates. But where the port or another processor ends the steps, a
larger interval takes no more time and fewer operators. So each processor gets the largest interval that the study
offers with its number of units and that leaves all compared figures of its group as they are.

Step by step a group is as long as the longest of its port and processors, so what one processor may lose does not
depend on the others: all are asked for in one call of the model, and what they give together is checked. It is not so
where FIFOs join processors; there one after the other is slowed, in dataflow order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, pairwise

import numpy as np

from dse.search.context import SearchContext
from dse.search.pricing import Evaluator, RateChoices
from dse.space.mappings import table_of
from dse.space.options import is_plain
from hwmodel.cost_model.metrics import Metrics
from hwmodel.design import Design, GroupDesign, Scan, structure_of, units_of

Rates = tuple[int, ...]
Group = tuple[str, ...]


def slowed(context: SearchContext, designs: Iterable[Design]) -> tuple[Design, ...]:
    """The designs with each processor at the largest interval that changes nothing; groups that they share once."""
    found = tuple(designs)
    known = _slowed_groups(context, list(dict.fromkeys(group for design in found for group in design.groups)))
    return tuple(replace(design, groups=tuple(known[group] for group in design.groups)) for design in found)


def _slowed_groups(context: SearchContext, groups: Sequence[GroupDesign]) -> dict[GroupDesign, GroupDesign]:
    blocks = [group for group in groups if group.stream is None]  # the rates of streams follow from their pace
    slower = {group: rates for group in blocks if any(rates := _slower_rates(context, group))}
    own = {group: tuple(processor.rate for processor in group.processors) for group in slower}
    alone = {
        group: [_with(own[group], place, rate) for place, rates in enumerate(each) for rate in rates]
        for group, each in slower.items()
    }
    same = _which_are_as_good(context, own, alone)
    together = {group: _together(own[group], alone[group], same[group]) for group in slower}
    several = {group: [rates] for group, rates in together.items() if rates not in (own[group], *alone[group])}
    checked = _which_are_as_good(context, own, several)
    known = {group: group for group in groups}
    for group, slow in together.items():
        is_good = group not in several or checked[group][0]  # of one processor alone it is known
        kept = slow if is_good else _slowed_in_turn(context, group, own[group], slower[group])
        known[group] = group.at_rates(kept)
    return known


def _slower_rates(context: SearchContext, group: GroupDesign) -> list[Rates]:
    return [_slower(context.space.rates(processor.task), processor.rate) for processor in group.processors]


def _together(own: Rates, alone: Sequence[Rates], same: Sequence[bool]) -> Rates:
    """The slowest that each processor may be alone, for all at once."""
    together = list(own)
    for rates, is_same in zip(alone, same, strict=True):
        if is_same:  # of each processor's the last is the slowest
            together = [new if new != old else kept for new, old, kept in zip(rates, own, together, strict=True)]
    return tuple(together)


def _slowed_in_turn(context: SearchContext, group: GroupDesign, own: Rates, slower: Sequence[Rates]) -> Rates:
    """The rates with one processor after the other slowed as far as it goes."""
    kept = own
    for place, rates in enumerate(slower):
        tried = [_with(kept, place, rate) for rate in rates]
        same = _as_good(context, group, own, tried)
        kept = next((one for one, is_same in zip(reversed(tried), reversed(same), strict=True) if is_same), kept)
    return kept


def _slower(offered: Iterable[int], own: int) -> Rates:
    """The rates with as many units and larger intervals, ascending."""
    rates = np.array(sorted(offered), np.int64)
    return tuple(rates[(units_of(rates) == units_of(own)) & (rates > own)].tolist())


def _with(rates: Rates, place: int, rate: int) -> Rates:
    return (*rates[:place], rate, *rates[place + 1 :])


def _as_good(context: SearchContext, group: GroupDesign, own: Rates, others: Sequence[Rates]) -> list[bool]:
    """Whether the group has at other rates the figures that it has at its own, of those that are compared."""
    return _which_are_as_good(context, {group: own}, {group: others})[group]


def _which_are_as_good(
    context: SearchContext, own: Mapping[GroupDesign, Rates], others: Mapping[GroupDesign, Sequence[Rates]]
) -> dict[GroupDesign, list[bool]]:
    """Whether groups keep their figures at other rates; one structure, or plain ones of a scan, at a time."""
    families: dict[GroupDesign | tuple[Group, Scan], list[GroupDesign]] = {}
    for group in others:
        structure = structure_of(group)
        together = is_plain(structure) and context.space.model.is_separable(group.tasks)
        families.setdefault((group.tasks, group.blocks.scan) if together else structure, []).append(group)
    found: dict[GroupDesign, list[bool]] = {}
    for key, family in families.items():
        asked = {group: [own[group], *others[group]] for group in family}
        place = {rates: number for number, rates in enumerate(dict.fromkeys(chain.from_iterable(asked.values())))}
        pricer = Evaluator(context, family[0].tasks, RateChoices(chosen=tuple(place)))
        for some, rows, priced in _priced(pricer, key, family):
            cells = [[(row, place[rates]) for rates in asked[group]] for row, group in zip(rows, some, strict=True)]
            for group, good in zip(some, _are_as_the_first(pricer, priced, cells), strict=True):
                found[group] = good[1:]
    return found


def _priced(
    pricer: Evaluator, key: GroupDesign | tuple[Group, Scan], family: Sequence[GroupDesign]
) -> Iterator[tuple[Sequence[GroupDesign], Sequence[int], Metrics]]:
    """Groups of one structure, or plain ones of one scan, with the rows of their prices."""
    if isinstance(key, GroupDesign):
        yield family, [0] * len(family), pricer.structure(key)
        return
    for rows, priced in pricer.plain(key[1], table_of([group.blocks.shape for group in family])):
        yield [family[row] for row in rows.tolist()], range(len(rows)), priced


def _are_as_the_first(
    pricer: Evaluator, priced: Metrics, families: Sequence[Sequence[tuple[int, int]]]
) -> Iterator[list[bool]]:
    """Which designs of each family, by structure and combination of rates, are legal with the values of its first.

    What memories are built of takes long to tell: so first by what designs have no less of, which times are.
    """
    starts = np.cumsum([0, *map(len, families)])
    rows, columns = np.array(list(chain.from_iterable(families)), np.intp).T
    first = np.repeat(starts[:-1], np.diff(starts))  # of each design its family's
    own = pricer.values(priced.at(rows[starts[:-1]], columns[starts[:-1]]), (slice(None), 0))
    values = np.repeat(own, np.diff(starts), axis=0)
    least = priced.at(rows, columns, least=True)
    good = least.legal[:, 0] & (pricer.values(least, (slice(None), 0)) <= values).all(axis=1)
    asked = np.flatnonzero(good & (np.arange(len(rows)) != first))
    if len(asked):
        designs = priced.at(rows[asked], columns[asked])
        good[asked] = designs.legal[:, 0] & (pricer.values(designs, (slice(None), 0)) == values[asked]).all(axis=1)
    for start, end in pairwise(starts.tolist()):
        yield good[start:end].tolist()
