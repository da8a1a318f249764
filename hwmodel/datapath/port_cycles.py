"""In which cycles of its interval a datapath takes what it reads, and its results leave it (docs/cost.md).

What is read comes as soon as a bus for an even share of it may hold it: element e of p in cycle e div ceil(p / I) of
the repetition. Results leave as late as they still do so evenly, at the rate at which a FIFO takes them, so that there
is time to compute them: element e of k in cycle latency + ceil((e + 1) I / k) - 1. In a cycle these are at most
ceil(p / I) and ceil(k / I) elements. Where I does not divide k the two differ: the only element of a port is taken in
the first cycle of the interval, and leaves in the last one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


def read_cycles(element: Ints, elements: int | Ints, interval: int) -> Ints:
    """The cycles from the start of the repetition to those in which elements, by number, are read."""
    return element // -(-elements // interval)


def result_cycles(element: Ints, elements: int | Ints, interval: int) -> Ints:
    """The cycles from the latency on to those at whose ends results are written; a cycle later they can be read."""
    return -(-(element + 1) * interval // elements) - 1
