"""Processors of found designs slowed down as far as nothing that is compared changes, whatever method found them.

Where costs are not compared a search keeps the fastest rates. But where the port or another processor ends the steps, a
larger interval takes no more time and fewer operators. So each processor gets the largest interval that the study
offers with its number of units and that leaves all compared figures of its group as they are.

Step by step a group is as long as the longest of its port and processors, so what one processor may lose does not
depend on the others: all are asked for in one call of the model, and what they give together is checked. It is not so
where FIFOs join processors; there one after the other is slowed, in dataflow order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from dse.search.context import SearchContext
from dse.search.group_front import with_rates
from dse.search.pricing import Pricer, RateChoices
from dse.space.options import structure_of
from hwmodel.design import Design, GroupDesign, units_of

Rates = tuple[int, ...]


def slowed(context: SearchContext, designs: Iterable[Design]) -> tuple[Design, ...]:
    """The designs with each processor at the largest interval that changes nothing; groups that they share once."""
    known: dict[GroupDesign, GroupDesign] = {}
    found = []
    for design in designs:
        for group in design.groups:
            if group not in known:
                known[group] = _slowed_group(context, group)
        found.append(replace(design, groups=tuple(known[group] for group in design.groups)))
    return tuple(found)


def _slowed_group(context: SearchContext, group: GroupDesign) -> GroupDesign:
    own = tuple(processor.rate for processor in group.processors)
    slower = [_slower(context.space.rates(task), rate) for task, rate in zip(group.tasks, own, strict=True)]
    if not any(slower):
        return group
    alone = [_with(own, place, rate) for place, rates in enumerate(slower) for rate in rates]
    same = _as_good(context, group, own, alone)
    together = list(own)
    for rates, is_same in zip(alone, same, strict=True):
        if is_same:  # of each processor's the last is the slowest
            together = [new if new != old else kept for new, old, kept in zip(rates, own, together, strict=True)]
    if _as_good(context, group, own, [tuple(together)])[0]:
        return with_rates(group, together)
    return with_rates(group, _one_by_one(context, group, own, slower))


def _one_by_one(context: SearchContext, group: GroupDesign, own: Rates, slower: Sequence[Rates]) -> Rates:
    """The rates with one processor after the other slowed as far as it goes."""
    kept = own
    for place, rates in enumerate(slower):
        tried = [_with(kept, place, rate) for rate in rates]
        same = _as_good(context, group, own, tried)
        kept = next((one for one, is_same in zip(reversed(tried), reversed(same), strict=True) if is_same), kept)
    return kept


def _slower(offered: Iterable[int], own: int) -> Rates:
    """The rates with as many units and larger intervals, ascending."""
    return tuple(sorted(rate for rate in offered if units_of(rate) == units_of(own) and rate > own))


def _with(rates: Rates, place: int, rate: int) -> Rates:
    return (*rates[:place], rate, *rates[place + 1 :])


def _as_good(context: SearchContext, group: GroupDesign, own: Rates, others: Sequence[Rates]) -> list[bool]:
    """Whether the group has at other rates the figures that it has at its own, of those that are compared."""
    chosen = (own, *others)
    pricer = Pricer(context, group.tasks, RateChoices(chosen=chosen))
    priced = pricer.structure(structure_of(group))
    values = pricer.values(priced, (np.zeros(len(chosen), np.intp), np.arange(len(chosen))))
    same: list[bool] = (priced.legal[0] & (values == values[0]).all(axis=1))[1:].tolist()
    return same
