"""Whether blocks of repetitions hand on what their delays need: exact questions, answered with a repetition."""

from __future__ import annotations

from collections.abc import Sequence

import islpy as isl

from arrayol.ir.spec import IntMatrix, Shape
from arrayol.polyhedral.lattices import combination
from arrayol.polyhedral.points import Point, box_conditions, coordinates


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
    found = isl.Set(f"{{ [{', '.join([*blocks, *inner])}] : {' and '.join(conditions) or 'true'} }}")
    if found.is_empty():
        return None
    point = coordinates(found.sample_point())
    return point[: len(blocks)], point[len(blocks) :]
