"""A time for each repetition that its delays allow: the wavefronts of the reference execution."""

from __future__ import annotations

from collections.abc import Sequence

import islpy as isl


def find_schedule(delays: Sequence[Sequence[int]], extents: Sequence[int]) -> tuple[int, ...] | None:
    """An integer vector tau with tau . d >= 1 for every delay d, or None where there is none.

    A unit vector (or its negative) where one serves, along the shortest extent, so that wavefronts are few and long;
    else the one of least sum of |tau_k|, found by isl. An emptiness test: complete, and never a sample.
    """
    units = [
        tuple(sign if axis == other else 0 for other in range(len(extents)))
        for axis in sorted(range(len(extents)), key=lambda axis: extents[axis])
        for sign in (1, -1)
    ]
    return next((unit for unit in units if _orders(unit, delays)), None) or _least(delays, len(extents))


def _orders(tau: Sequence[int], delays: Sequence[Sequence[int]]) -> bool:
    return all(sum(factor * step for factor, step in zip(tau, delay, strict=True)) >= 1 for delay in delays)


def _least(delays: Sequence[Sequence[int]], rank: int) -> tuple[int, ...] | None:
    """The lexicographically least (sum of sizes, sizes, tau), where |tau_k| <= size_k."""
    taus, sizes = [f"t{axis}" for axis in range(rank)], [f"a{axis}" for axis in range(rank)]
    conditions = [f"total = {' + '.join(sizes)}"]
    conditions += [f"-{size} <= {tau} <= {size}" for tau, size in zip(taus, sizes, strict=True)]
    conditions += [
        f"{' + '.join(f'{step} * {tau}' for step, tau in zip(delay, taus, strict=True))} >= 1" for delay in delays
    ]
    least = isl.Set(f"{{ [{', '.join(['total', *sizes, *taus])}] : {' and '.join(conditions)} }}").lexmin()
    if least.is_empty():
        return None
    point = least.sample_point()
    values = [point.get_coordinate_val(isl.dim_type.set, 1 + rank + axis) for axis in range(rank)]
    return tuple(int(value.to_python()) for value in values)
