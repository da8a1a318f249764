"""The rates that are offered to one task, by families in which more units are never slower."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.design import interval_of, rate_of, units_of


@dataclass(frozen=True, eq=False)
class Offered:
    """The rates that a task may have, in families of equal initiation interval and fill of lines.

    In a family more units are never slower. `rates` are sorted by family, ascending in each. `family` is the family of
    each rate, `intervals` and `fills` are those of the families, and `first` and `end` their ranges of rates.
    """

    rates: IntArray
    family: IntArray
    intervals: IntArray
    fills: IntArray
    first: IntArray
    end: IntArray

    @staticmethod
    def of(rates: Sequence[int], fill: Callable[[int], int] = lambda _: 0) -> Offered:
        """Sort rates into families; `fill` gives the fill of a rate.

        Raises ValueError unless rates ascend and have a unit.
        """
        numbers = np.array(rates, np.int64)
        if not len(numbers) or (units_of(numbers) < 1).any() or not (np.diff(numbers) > 0).all():
            raise ValueError(f"rates are of 1 unit or more, ascending: {list(rates)}")
        kinds = np.stack([interval_of(numbers), [fill(rate) for rate in numbers.tolist()]])
        families, family = np.unique(kinds, axis=1, return_inverse=True)
        order = np.argsort(family.ravel(), kind="stable")
        first = np.searchsorted(family.ravel()[order], np.arange(families.shape[1]))
        return Offered(
            numbers[order], family.ravel()[order], families[0], families[1], first, np.append(first[1:], len(numbers))
        )

    def suiting(self, most: IntArray) -> IntArray:
        """How many rates of each family (S, families) have at most so many units (S,): its first ones."""
        within = (units_of(self.rates) <= most[:, None]) | (most[:, None] == 0)
        return np.asarray(np.add.reduceat(within, self.first, axis=1, dtype=np.int64))

    def at_least(self, units: IntArray, like: IntArray) -> IntArray:
        """The first rate with at least so many units in the family of another rate; there must be one."""
        order = np.argsort(self.rates)
        family = self.family[order][np.searchsorted(self.rates[order], like)]
        return self.rates[np.searchsorted(rate_of(units_of(self.rates), self.family), rate_of(units, family))]
