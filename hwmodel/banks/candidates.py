"""Bank layouts worth trying for a buffer of the machine model: fewer banks than pattern elements, few conflicts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from hwmodel.accesses import Accesses, Touch, subscripts
from hwmodel.design import BankLayout

_VECTORS = 1 << 14  # mappings tried for one number of banks

Subscripts = NDArray[np.int64]


def layout_candidates(accesses: Accesses, array: str, tasks: Sequence[str], most: int) -> tuple[BankLayout, ...]:
    """Linear layouts of an array for these tasks on at most `most` banks, by the number of banks.

    For each number of banks the vector with the fewest accesses to one bank in a repetition; of equals only the one
    with the fewest banks, from all in one bank up to none in conflict. Judged by the first repetition of each task, as
    a linear mapping treats all alike but where patterns wrap; what they cost is for the model to say.
    """
    patterns = [pattern for pattern in _patterns(accesses, array, tasks) if len(pattern) > 1]
    if not patterns:
        return ()
    found: list[BankLayout] = []
    least = max(len(pattern) for pattern in patterns) + 1
    for banks in range(1, min(most, least - 1) + 1):
        vector, conflicts = _best(patterns, banks)
        if conflicts < least:
            least = conflicts
            found.append(BankLayout(array, banks, vector))
        if least == 1:
            break
    return tuple(found)


def _patterns(accesses: Accesses, array: str, tasks: Sequence[str]) -> list[Subscripts]:
    """For each task and side the distinct elements that its first repetition touches, as subscripts (n, rank)."""
    found = []
    for task in tasks:
        for side in (accesses.reads, accesses.writes):
            touches = [touch for touch in side[task] if touch.array == array]
            if touches:
                found.append(_first_elements(accesses, touches))
    return found


def _first_elements(accesses: Accesses, touches: Sequence[Touch]) -> Subscripts:
    first = accesses.repetitions(touches[0].process)[:1]
    elements = np.unique(np.concatenate([accesses.elements(touch, first)[0] for touch in touches]))
    return subscripts(elements, accesses.shape(touches[0].array)).T


def _best(patterns: Sequence[Subscripts], banks: int) -> tuple[tuple[int, ...], int]:
    """The first vector with the fewest accesses to one bank, and that number."""
    rank = patterns[0].shape[1]
    vectors = np.array(list(product(range(banks), repeat=rank))[:_VECTORS], np.int64).reshape(-1, rank)
    worst = np.zeros(len(vectors), np.int64)
    for pattern in patterns:
        places = vectors @ pattern.T % banks
        counts = np.stack([(places == bank).sum(axis=1) for bank in range(banks)], axis=1)
        worst = np.maximum(worst, counts.max(axis=1))
    chosen = int(worst.argmin())
    return tuple(int(entry) for entry in vectors[chosen]), int(worst[chosen])
