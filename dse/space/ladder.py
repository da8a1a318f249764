"""Sides of blocks along one extent, coarse or fine: a ladder, which serves an extent of few divisors too.

A side ceil(e / n) makes n nearly equal blocks, so what decides is their number; numbers that grow by a fixed ratio
stand evenly on a logarithmic axis, as costs do.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from arrayol.ir.divisors import divisors

FINEST = 2**0.5  # the ratio of the finest ladder
FINE = 2  # a side may be so many times the next smaller one: of a ladder none is more


@lru_cache(maxsize=1024)
def ladder(extent: int, ratio: float) -> tuple[int, ...]:
    """The sides ceil(extent / n) for n = 1, ratio, ratio^2, ... (rounded up), down to 1; ascending."""
    sides, blocks = {1, extent}, 1.0
    while blocks < extent:
        sides.add(-(-extent // int(blocks)))
        blocks = max(blocks * ratio, float(int(blocks) + 1))
    return tuple(sorted(sides))


@lru_cache(maxsize=1024)
def finest_ladder(extent: int) -> tuple[int, ...]:
    """The finest ladder with all divisors; ascending."""
    return tuple(sorted({*ladder(extent, FINEST), *divisors(extent)}))


def gap(sides: Sequence[int]) -> float:
    """How many times the next smaller one a side is at most, of sides in ascending order."""
    return max((large / small for small, large in pairwise(sides)), default=1.0)


@lru_cache(maxsize=1024)
def has_coarse_divisors(extent: int) -> bool:
    """Whether the divisors of an extent leave a gap that a ladder does not: prime ones have two, 1918 has eight."""
    return gap(divisors(extent)) > FINE


def near(sides: tuple[int, ...], wanted: tuple[int, ...]) -> tuple[int, ...]:
    """The sides (of ascending ones) nearest to each wanted one by their ratio; ascending."""
    return tuple(sorted({min(sides, key=lambda side: max(side, one) / min(side, one)) for one in wanted}))
