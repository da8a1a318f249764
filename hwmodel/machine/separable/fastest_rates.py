"""Which combinations of rates may be the fastest of a structure, of many structures at once.

Of each family of rates (an interval on offer) the one of the most units that is legal stands for all, and of these none
that another is never slower than. The combinations of what is left are few: mostly one. Each then has the fewest units
that leave its times as they are.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from hwmodel.design import units_of
from hwmodel.machine.priced import FRAME, LATENCY, Offered
from hwmodel.machine.separable.axes import Ints
from hwmodel.machine.separable.block_order import Structures
from hwmodel.machine.separable.timing import Timing, step_kinds

_CYCLIC = {LATENCY: False, FRAME: True}  # which steps a time is the sum of
_MANY = 1 << 40  # more units than there are


@dataclass(frozen=True, eq=False)
class FastestRates:
    """The combinations of rates (S, V, tasks) that nothing beats, see `GroupBatch.fastest`; which are there (S, V).

    `numbers` (S, tasks) are how many rates suit each task. `spare` (S, V, tasks) are the fewest units that a task may
    have by rates that are beaten, where it has none as many otherwise.
    """

    timing: Timing
    structures: Structures
    combinations: Ints
    legal: NDArray[np.bool_]
    numbers: Ints
    spare: Ints
    cycles: dict[str, Ints]

    @staticmethod
    def of(
        timing: Timing, structures: Structures, offered: Sequence[Sequence[int]], times: Collection[str]
    ) -> FastestRates:
        """Of structures whose tasks have one of the rates `offered` to each (ascending); see `GroupBatch.fastest`."""
        rates_of = [
            Offered.of(rates, partial(timing.paths.fill, task))
            for task, rates in zip(timing.tasks, offered, strict=True)
        ]
        most = timing.most_units(structures)
        suiting = [own.suiting(most[:, place]) for place, own in enumerate(rates_of)]
        count, variants, spare = _variants(timing, rates_of, suiting)
        cycles: dict[str, list[Ints]] = {name: [] for name in times}
        chosen = []
        for rates in variants:
            fewest = np.ones_like(rates)
            for name in times:
                least, needed = timing.least(step_kinds(timing.counts, structures, cyclic=_CYCLIC[name]), rates)
                cycles[name].append(least)
                fewest = np.maximum(fewest, needed)
            columns = zip(rates_of, fewest.T, rates.T, strict=True)
            chosen.append(np.stack([own.at_least(units, like) for own, units, like in columns], axis=1))
        return FastestRates(
            timing,
            structures,
            np.stack(chosen, axis=1),
            np.arange(len(chosen)) < count[:, None],
            np.stack([own.sum(axis=1) for own in suiting], axis=1),
            np.stack(spare, axis=1),
            {name: np.stack(own, axis=1) for name, own in cycles.items()},
        )

    @property
    def fewest(self) -> Ints:
        """What no design that has all of the least times has fewer units than, (S,).

        Of a task that is one of its rates with the fewest units of its family, or one that is beaten: as fast as those
        at best, so that it has fewer units only where none of the family has as many.
        """
        units = np.minimum(units_of(self.combinations), self.spare).sum(axis=2)
        fewest: Ints = np.where(self.legal, units, np.iinfo(np.int64).max).min(axis=1)
        return fewest

    def time(self, name: str) -> Ints:
        """The cycles (S, V) of latency or of a frame."""
        if name not in self.cycles:
            kinds = (
                step_kinds(self.timing.counts, self.structures, cyclic=_CYCLIC[name])
                for _ in range(self.legal.shape[1])
            )
            each = zip(kinds, self.combinations.transpose(1, 0, 2), strict=True)
            self.cycles[name] = np.stack([self.timing.cycles_of_each(*one) for one in each], axis=1)
        return self.cycles[name]


def _variants(
    timing: Timing, offered: Sequence[Offered], suiting: Sequence[Ints]
) -> tuple[Ints, list[Ints], list[Ints]]:
    """How many combinations of rates each structure has that none beats, (S,), and V of them, (S, tasks) each.

    Those of a structure come first, and its last for the rest. `suiting` (S, families) is by task how many rates of
    each family are legal; a structure where a task has none has a combination that is not. Last of each combination its
    `FastestRates.spare`.
    """
    columns = [_rivals(timing, *each) for each in zip(timing.tasks, offered, suiting, strict=True)]
    numbers = np.stack([kept.sum(axis=1) for _, kept in columns], axis=1)
    count = numbers.prod(axis=1)
    places = [np.argsort(~kept, axis=1, kind="stable") for _, kept in columns]
    spares = [_spare(own, kept) for own, (_, kept) in zip(offered, columns, strict=True)]
    structure = np.arange(len(count))
    variants, found = [], []
    for variant in range(max(1, int(count.max(initial=1)))):
        left, rates, spare = np.minimum(variant, np.maximum(count - 1, 0)), [], []
        for place, (column, _) in enumerate(columns):
            digit = left % np.maximum(numbers[:, place], 1)
            left = left // np.maximum(numbers[:, place], 1)
            family = places[place][structure, digit]
            rates.append(column[structure, family])
            spare.append(spares[place][structure, family])
        variants.append(np.stack(rates, axis=1))
        found.append(np.stack(spare, axis=1))
    return count, variants, found


def _spare(offered: Offered, kept: NDArray[np.bool_]) -> Ints:
    """The fewest units that beaten families (those not `kept`, (S, families)) have and another has not, (S, families).

    A great number where there are none.
    """
    units, place = np.unique(units_of(offered.rates), return_inverse=True)
    has = np.zeros((len(offered.intervals), len(units)), np.bool_)
    has[offered.family, place] = True
    apart = has[None, :, :] & ~has[:, None, :]
    least = np.where(apart.any(axis=2), units[apart.argmax(axis=2)], _MANY)
    spare: Ints = np.where(kept[:, None, :], _MANY, least).min(axis=2)
    return spare


def _rivals(timing: Timing, task: str, offered: Offered, suiting: Ints) -> tuple[Ints, NDArray[np.bool_]]:
    """Of each family the rate of the most units that is legal (S, families), and whether no other beats it.

    One beats another, in every step, if it has as many units, starts as often, is as soon done with a repetition, its
    lines take no longer to fill, and its chains wait no longer: in cycles, for all of (T - 1) o + o + latency falls
    with these (`rounds`).
    """
    rates = offered.rates[offered.first + np.maximum(suiting - 1, 0)]
    legal = suiting > 0
    if len(offered.intervals) == 1:
        return rates, legal
    paces = [timing.pace(task, rate) for rate in offered.rates[offered.first].tolist()]
    rows = [
        (
            one.occupancy,
            one.occupancy + one.latency,
            one.fill * one.occupancy,
            one.near * one.occupancy,
            one.far * one.occupancy,
        )
        for one in paces
    ]
    cycles = np.array(rows, np.int64)
    soon = (cycles[:, None, :] <= cycles[None, :, :]).all(axis=2)
    units = units_of(rates)
    beats = soon & (units[:, :, None] >= units[:, None, :]) & legal[:, :, None]
    first = np.tri(len(paces), k=-1, dtype=np.bool_).T  # of two that are alike the one of the least interval stays
    beaten = (beats & (first | ~beats.transpose(0, 2, 1))).any(axis=1)
    return rates, legal & ~beaten
