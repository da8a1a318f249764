"""Delays as pairs of repetitions, and the chains they form."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from arrayol.ir.spec import Delay, Shape
from hwmodel.accesses import Extents, flat, points

Ints = NDArray[np.int64]


def delay_pairs(delay: Delay, extents: Extents) -> tuple[Ints, Ints]:
    """The repetitions r with r - d in the space, and those r - d, by row-major number."""
    now = points(extents)
    before = now - np.array(delay.vector, np.int64)
    inside = ((before >= 0) & (before < np.array(extents, np.int64))).all(axis=1)
    return flat(now[inside], extents), flat(before[inside], extents)


def chain_positions(delay: Delay, extents: Extents) -> Ints:
    """For every repetition the number of repetitions before it in its chain r, r - d, r - 2 d, ..."""
    index = points(extents)
    found = np.full(len(index), np.iinfo(np.int64).max)
    for axis, step in enumerate(delay.vector):
        if step:
            room = index[:, axis] if step > 0 else extents[axis] - 1 - index[:, axis]
            found = np.minimum(found, room // abs(step))
    return found


def levels(keys: Ints, *, descending: bool = False) -> Iterator[NDArray[np.intp]]:
    """The rows of each distinct key, in the order of the keys."""
    if not len(keys):
        return
    order = np.argsort(keys, kind="stable")
    cuts = np.flatnonzero(np.diff(keys[order])) + 1
    parts = np.split(order, cuts)
    yield from reversed(parts) if descending else parts


def same_frame(delay: Delay, repetition: Shape) -> Delay:
    """The delay without its step along infinite dimensions: where in its own frame an earlier one is read."""
    steps = zip(delay.vector, repetition, strict=True)
    return replace(delay, vector=tuple(0 if extent is None else step for step, extent in steps))
