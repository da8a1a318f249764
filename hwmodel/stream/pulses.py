"""Pulses of repetitions, births and reads, as NumPy arrays."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.accesses import Touch
from hwmodel.streamed import Firing


def places(firing: Firing, dimension: int, indices: IntArray) -> IntArray:
    """How many indices of one dimension fire before each of these."""
    if not firing.first or not firing.first[dimension]:
        return indices
    return (indices - firing.first[dimension]) % firing.extents[dimension]


def counted_on(firing: Firing, dimension: int, indices: IntArray) -> IntArray:
    """Indices of one dimension in the order of firing: after the last one come extent, extent + 1, ... for 0, 1, ..."""
    return places(firing, dimension, indices) + firing.first[dimension] if firing.first else indices


def all_counted_on(firing: Firing, repetitions: IntArray) -> IntArray:
    """Repetitions (n, rank) with `counted_on` of each dimension."""
    if not firing.first:
        return repetitions
    return np.stack([counted_on(firing, at, indices) for at, indices in enumerate(repetitions.T)], axis=1)


def along(firing: Firing, dimension: int, indices: IntArray) -> IntArray:
    """The pulses that indices of one dimension add to that of a firing."""
    steps = places(firing, dimension, indices)
    if dimension == firing.shared:
        steps = steps // firing.units
    return steps * firing.strides[dimension]


def unit_along(firing: Firing, dimension: int, indices: IntArray) -> IntArray:
    """The unit that takes each of some indices of one dimension: 0 of one that units do not share."""
    if dimension != firing.shared:
        return np.zeros_like(indices)
    return places(firing, dimension, indices) % firing.units


def fired(firing: Firing, repetitions: IntArray) -> IntArray:
    """The pulses (n,) in which repetitions (n, rank) fire."""
    pulses = np.full(len(repetitions), firing.start, np.int64)
    for dimension in range(len(firing.extents)):
        pulses += along(firing, dimension, repetitions[:, dimension])
    return pulses


def unit(firing: Firing, repetitions: IntArray) -> IntArray:
    """The unit (n,) that takes each repetition (n, rank)."""
    if firing.shared is None:
        return np.zeros(len(repetitions), np.int64)
    return unit_along(firing, firing.shared, repetitions[:, firing.shared])


def born_after(firing: Firing, places: IntArray, size: int) -> IntArray:
    """Pulses from a firing to the births of elements of a port of `size` elements."""
    return -(-(places + 1) * firing.interval // size) + firing.latency


def read_after(firing: Firing, places: IntArray, size: int) -> IntArray:
    """Pulses from a firing to the reads of elements of a port of `size` elements."""
    return places // -(-size // firing.interval)


def taken_after(firing: Firing, read: Touch, place: int) -> int:
    """Pulses from a firing to the read of one place of a tiler, counted in the frame of the element.

    If the element is of a later frame than the reader, this is so many frames less.
    """
    pulses = int(read_after(firing, np.array([place]), prod(read.pattern))[0])
    return pulses - read.ahead[place] * firing.frame if read.ahead else pulses


def states_taken(firing: Firing, vector: Sequence[int], repetitions: IntArray) -> tuple[IntArray, IntArray]:
    """Which repetitions (n, rank) of a frame take the state of a delay, and which make it, both as row-major numbers.

    Those that make it may do so some frames before (`Firing.frames_back`).
    """
    steps = [0 if extent == 1 else step for step, extent in zip(vector, firing.extents, strict=True)]
    before = repetitions - np.array(steps, np.int64)
    inside = np.flatnonzero(((before >= 0) & (before < np.array(firing.extents))).all(axis=1))
    return inside, np.ravel_multi_index(tuple(before[inside].T), firing.extents)
