"""Whether delays admit an order of the instances, and which of them contradict each other where they do not."""

from __future__ import annotations

from collections.abc import Sequence

import islpy as isl

from arrayol.ir.spec import Shape


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
        total = " + ".join(f"{delay[axis]} * {name}" for delay, name in zip(delays, times, strict=True))
        conditions.append(f"{total} {'<=' if extent is None else '='} 0")
    circles = isl.Set(f"{{ [{', '.join(times)}] : {' and '.join(conditions)} }}")
    if circles.is_empty():
        return None
    total = ", ".join([" + ".join(times), *times])
    least = circles.apply(isl.Map(f"{{ [{', '.join(times)}] -> [{total}] }}")).lexmin().sample_point()
    return tuple(int(least.get_coordinate_val(isl.dim_type.set, 1 + place).to_python()) for place in range(len(delays)))
