"""Pulses of repetitions, births and reads, as NumPy arrays."""

from __future__ import annotations

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.streamed import Firing


def along(firing: Firing, dimension: int, indices: IntArray) -> IntArray:
    """What indices of one dimension add to the pulse of a firing."""
    steps = indices // firing.units if dimension == firing.shared else indices
    return steps * firing.strides[dimension]


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
    return repetitions[:, firing.shared] % firing.units


def born_after(firing: Firing, places: IntArray, size: int) -> IntArray:
    """Pulses from a firing to the births of elements of a port of `size` elements."""
    return -(-(places + 1) * firing.interval // size) + firing.latency


def read_after(firing: Firing, places: IntArray, size: int) -> IntArray:
    """Pulses from a firing to the reads of elements of a port of `size` elements."""
    return places // -(-size // firing.interval)
