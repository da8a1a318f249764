"""Cycles in which a datapath reads its operands, and in which its results leave it (docs/cost.md).

Operands come as soon as a bus for an even share of them allows: element e of p in cycle e div ceil(p / I) of the
repetition. Results leave evenly and as late as that allows, at the rate at which a FIFO takes them, so that there is
time to compute them: element e of k in cycle latency + ceil((e + 1) I / k) - 1. In a cycle these are at most ceil(p /
I) and ceil(k / I) elements. If I does not divide k the two differ: the only element of a port is read in the first
cycle of the interval, and leaves in the last one.
"""

from __future__ import annotations

from arrayol.arrays import IntArray


def read_cycles(element: IntArray, elements: int | IntArray, interval: int) -> IntArray:
    """The cycles, from the start of the repetition, in which elements (given by number) are read."""
    return element // -(-elements // interval)


def result_cycles(element: IntArray, elements: int | IntArray, interval: int) -> IntArray:
    """The cycles, from the latency on, at whose ends results are written; a cycle later they can be read."""
    return -(-(element + 1) * interval // elements) - 1
