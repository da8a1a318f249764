"""How many units can work at once (docs/machine.md, section 6)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from arrayol.errors import error


def require_units(most: Mapping[str, int], units: Mapping[str, int]) -> None:
    """Raises ArrayolError (`too-many-units`) where a processor has more than can ever work at once.

    `most` is by task the largest number of repetitions that run at once; 0 for one that never runs, which any number
    of units suits.
    """
    for task, number in most.items():
        if units[task] < 1:
            raise ValueError(f"'{task}' has {units[task]} units")
        if units[task] > number > 0:
            raise error(
                "too-many-units",
                f"processor '{task}' has {units[task]} units, but never more than {number} of its repetitions can run "
                "at once",
                hint=f"give it at most {number}, or larger blocks",
            )


def offered_units(offered: Sequence[int]) -> NDArray[np.int64]:
    """Numbers of units that a processor may have, as an array. Raises ValueError where they do not ascend from 1 on."""
    found = np.array(offered, np.int64)
    if not len(found) or found[0] < 1 or not (np.diff(found) > 0).all():
        raise ValueError(f"numbers of units are 1 or more, ascending: {list(offered)}")
    return found


def how_many_suit(most: NDArray[np.int64], offered: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many of the offered numbers of units, ascending, suit each of `most`: the first so many do."""
    return np.where(most == 0, len(offered), np.searchsorted(offered, most, side="right"))


def count_combinations(choices: NDArray[np.int64]) -> int:
    """The sum over rows (S, parts) of how many combinations of one choice of each part there are."""
    rows, times = np.unique(choices, axis=0, return_counts=True)
    return sum(math.prod(row) * number for row, number in zip(rows.tolist(), times.tolist(), strict=True))
