"""How many data of a chain's state a memory has side by side, if it brings them in the cycles in which units take them.

A repetition reads its state chunk by chunk, and its results leave at the rate of the interval. If each datum is in the
memory before the next repetition of the chain reads it, whenever that begins, the data of a chain may be words that lie
one after another: as many are side by side as pass in a cycle (docs/machine.md, section 13).
"""

from __future__ import annotations

import numpy as np

from hwmodel.datapath.figures import read_cycles, result_cycles


def data_together(data: int, interval: int, latency: int) -> int | None:
    """The least divisor of the number of data that is at least a chunk; None where all have to be there at once.

    `latency` contains the cycles of the local memory. The next repetition of a chain begins no earlier than `interval`
    cycles after the one before.
    """
    if data == 1 or interval == 1:
        return None
    element = np.arange(data)
    wait = latency + int((result_cycles(element, data, interval) - read_cycles(element, data, interval)).max()) + 1
    if wait > interval:
        return None
    chunk = -(-data // interval)
    together = next(number for number in range(chunk, data + 1) if data % number == 0)
    return together if together < data else None
