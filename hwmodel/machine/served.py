"""Rates at which some memory serves its ports, and the fastest of them (docs/machine.md, sections 6 and 13)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from hwmodel.design import units_of
from hwmodel.machine.local_ports import Rates
from hwmodel.machine.organised import Builder, Figures, Ints, at_rates
from hwmodel.machine.schedule.datapaths import Datapaths

COMBINATIONS = 1 << 18  # of rates that are tried of one structure


def served(
    builder: Builder, paths: Datapaths, tasks: Sequence[str], combinations: Ints, bits: Mapping[str, Ints]
) -> NDArray[np.bool_]:
    """Which of S structures have all their memories at U combinations of rates, (S, U).

    `combinations` are (1, U, tasks) or (S, U, tasks); `bits` (S,) by array those of the words of its buffer.
    """
    structures = max((len(own) for own in bits.values()), default=len(combinations))
    found = np.ones((structures, combinations.shape[1]), np.bool_)
    for array, own in bits.items():

        def most(rates: Rates, which: Ints, array: str = array) -> Figures:
            return np.full((1, len(which)), builder.most_bits(array, rates))

        touching = builder.touching("buffer", array)
        found &= own[:, None] <= at_rates(paths, tasks, combinations, structures, touching, most)[0]
    for task, array in builder.residents:

        def there(rates: Rates, which: Ints, task: str = task, array: str = array) -> Figures:
            return np.full((1, len(which)), float(builder.is_served(task, array, rates)))

        found &= at_rates(paths, tasks, combinations, structures, (task,), there)[0] > 0
    return found


def all_rates(offered: Sequence[Sequence[int]]) -> Ints:
    """All combinations of rates offered to tasks (U, tasks); where there are too many, without those of most units."""
    left = [sorted(rates, key=units_of) for rates in offered]
    while math.prod(map(len, left)) > COMBINATIONS:
        max(left, key=len).pop()
    return np.array(list(product(*left)), np.int64).reshape(-1, len(left))


def fastest_served(times: Sequence[Ints], units: Ints, legal: NDArray[np.bool_]) -> Ints:
    """Those of U legal combinations that none beats in one or two times, (U,) each; of equal ones the fewest units."""
    order = np.lexsort((units, *reversed(times)))
    order = order[legal[order]]
    if not times:
        return order[:1]
    last = times[-1][order]
    best = np.minimum.accumulate(last)
    first = np.ones(len(order), np.bool_)
    first[1:] = last[1:] < best[:-1]
    return order[first]
