"""The fixed layouts: all in one memory, and modulo unrolling, cyclic in the lowest dimension (paper B, section 2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import gcd

import numpy as np
from numpy.typing import NDArray

from hwmodel.banks.cost import AccessGraph, Busy, CycleRule
from hwmodel.banks.references import Body, NormalisedLoop, Reference

_PHASES_AT_ONCE = 1 << 20  # banks computed at a time: iterations x references


def naive_banks(references: Sequence[Reference]) -> list[Busy]:
    """One memory for everything."""
    return [frozenset({0})] * len(references)


def static_banks(references: Sequence[Reference], banks: int) -> list[Busy]:
    """The banks that each reference may touch in some iteration, all of them busy: the paper's static view.

    Element [.., j] is in bank j mod N, so a b-offset reference of stride s touches the banks b modulo gcd(s, N).
    """
    return [_reachable(reference, banks) for reference in references]


def _reachable(reference: Reference, banks: int) -> Busy:
    lowest = reference.subscripts[-1]
    common = gcd(lowest.stride, banks)
    return frozenset(range(lowest.offset % common, banks, common))


def true_cycles(graph: AccessGraph, body: Body, banks: int, rule: CycleRule) -> int:
    """Cycles where only the bank that an access really touches is busy: the largest over all iterations.

    Banks repeat with period N / gcd(coefficient, N) in each loop, so few iterations stand for all. An access that is
    not affine in the lowest dimension occupies all banks that it may touch.
    """
    return max((rule(graph, busy) for busy in _phases(graph.accesses, body.loops, banks)), default=0)


def _phases(references: Sequence[Reference], loops: Sequence[NormalisedLoop], banks: int) -> Iterator[list[Busy]]:
    """The banks of all accesses in each iteration, iterations alike but for the banks' numbers taken once."""
    if not references:
        return
    lowest = [reference.subscripts[-1] for reference in references]
    coefficients = np.array([[factor % banks for factor in part.coefficients] for part in lowest], dtype=np.int64)
    coefficients = coefficients.reshape(len(references), len(loops))
    offsets = np.array([part.offset % banks for part in lowest], dtype=np.int64)
    fixed = {place: _reachable(references[place], banks) for place, part in enumerate(lowest) if part.unknown}
    seen: set[bytes] = set()
    for indices in _iterations(coefficients, loops, banks, len(references)):
        for row in (indices @ coefficients.T + offsets) % banks:
            canonical = row if fixed else _renumbered(row)
            if canonical.tobytes() not in seen:
                seen.add(canonical.tobytes())
                yield [fixed.get(place, frozenset({int(bank)})) for place, bank in enumerate(canonical)]


def _renumbered(row: NDArray[np.int64]) -> NDArray[np.int64]:
    """Banks numbered in the order of their first access."""
    _, first, inverse = np.unique(row, return_index=True, return_inverse=True)
    order = np.empty(len(first), dtype=np.int64)
    order[np.argsort(first)] = np.arange(len(first))
    return order[inverse]


def _iterations(
    coefficients: NDArray[np.int64], loops: Sequence[NormalisedLoop], banks: int, width: int
) -> Iterator[NDArray[np.int64]]:
    """Every combination of loop indices that differs in banks, in parts of (n, loops)."""
    counts = []
    for loop, column in zip(loops, coefficients.T, strict=True):
        period = banks // gcd(banks, *(int(factor) for factor in column))
        counts.append(period if loop.extent is None else min(period, loop.extent))
    total, step = int(np.prod(counts, dtype=np.int64)), max(1, _PHASES_AT_ONCE // width)
    for start in range(0, total, step):
        numbers = np.arange(start, min(start + step, total))
        parts = np.unravel_index(numbers, counts) if counts else ()
        yield np.stack(parts, axis=1) if counts else np.zeros((len(numbers), 0), dtype=np.int64)
