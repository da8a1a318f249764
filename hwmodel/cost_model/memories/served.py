"""Rates at which memories can serve their ports, and the fastest of them (docs/machine.md, sections 6 and 13)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import product

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from hwmodel.cost_model.issue.datapaths import Datapaths
from hwmodel.cost_model.memories.figures import at_rates
from hwmodel.cost_model.memories.organised import Builder
from hwmodel.design import units_of

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
