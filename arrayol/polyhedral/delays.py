"""Questions about delays: whether they leave an order of the instances, which one, and whether blocks keep them.

Each is an emptiness test on integer points, so the answers are exact: an order is a time vector, and where none exists
the delays that contradict each other are named.
"""

from __future__ import annotations

from collections.abc import Sequence

import islpy as isl

from arrayol.ir.spec import IntMatrix, Shape
from arrayol.polyhedral.accesses import combination
from arrayol.polyhedral.isl import Point, box_conditions, coordinates


def find_circle(delays: Sequence[Sequence[int]], repetition: Shape) -> tuple[int, ...] | None:
    """How often to take each delay to come back to where one started or later, or None where an order exists.

    An order is an integer vector tau with tau . d >= 1 for each delay d, and tau_k >= 1 in an infinite dimension. By
    Farkas' lemma there is none just where some delays, taken so many times, sum to zero in every finite dimension and
    to zero or less in every infinite one.
    """
    if not delays:
        return None
    times = [f"n{number}" for number in range(len(delays))]
    conditions = [f"{name} >= 0" for name in times] + [f"{' + '.join(times)} >= 1"]
    for axis, extent in enumerate(repetition):
        total = combination([delay[axis] for delay in delays], times)
        conditions.append(f"{total} {'<=' if extent is None else '='} 0")
    circles = isl.Set(f"{{ [{', '.join(times)}] : {' and '.join(conditions)} }}")
    if circles.is_empty():
        return None
    shortest = isl.Map(f"{{ [{', '.join(times)}] -> [{' + '.join(times)}, {', '.join(times)}] }}")
    return coordinates(circles.apply(shortest).lexmin().sample_point())[1:]


# A time for each repetition that its delays allow: the wavefronts of the reference execution.


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
    conditions += [f"{combination(delay, taus)} >= 1" for delay in delays]
    least = isl.Set(f"{{ [{', '.join(['total', *sizes, *taus])}] : {' and '.join(conditions)} }}").lexmin()
    return None if least.is_empty() else coordinates(least.sample_point())[1 + rank :]


# Whether blocks of repetitions hand on what their delays need: exact questions, answered with a repetition.


def find_unserved(
    origin: Sequence[int],
    paving: IntMatrix,
    spaces: tuple[Shape, Shape],
    places: tuple[Sequence[int], Sequence[int]],
    delay: Sequence[int],
    step: Sequence[int] | None,
) -> tuple[Point, Point] | None:
    """A block R and a place g in it whose earlier repetition exists but comes from no block, or None.

    The repetition at R, g is r = origin + paving R + g in the first of `spaces`, blocks R are in the second, `places`
    bounds g from below and above. Its earlier repetition r - delay is to come from block R - `step`, or from none.
    """
    blocks, inner = [f"R{axis}" for axis in range(len(spaces[1]))], [f"g{axis}" for axis in range(len(spaces[0]))]
    conditions = box_conditions(blocks, spaces[1])
    conditions += [f"{low} <= {name} < {high}" for name, low, high in zip(inner, *places, strict=True)]
    for axis, extent in enumerate(spaces[0]):
        if not delay[axis]:
            continue  # as far inside as r itself, also where blocks go round a torus
        earlier = f"{origin[axis] - delay[axis]} + {combination(paving[axis], blocks)} + {inner[axis]}"
        conditions += [f"{earlier} >= 0", *([] if extent is None else [f"{earlier} < {extent}"])]
    if step is not None:
        outside = [f"{name} < {back}" for name, back in zip(blocks, step, strict=True)]
        outside += [
            f"{name} >= {extent + back}"
            for name, back, extent in zip(blocks, step, spaces[1], strict=True)
            if extent is not None
        ]
        conditions.append(f"({' or '.join(outside)})")
    unserved = isl.Set(f"{{ [{', '.join([*blocks, *inner])}] : {' and '.join(conditions) or 'true'} }}")
    if unserved.is_empty():
        return None
    point = coordinates(unserved.sample_point())
    return point[: len(blocks)], point[len(blocks) :]
