"""Which lanes take one port of a bank: lanes that meet there in no cycle."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray


def ports_of_lanes(meet: NDArray[np.bool_]) -> IntArray:
    """The port of each lane, from 0 on, where `meet` (lanes, lanes) says which two may not take one.

    Ports are two at most if two do: lanes are looked at along the pairs that meet, and each takes the first free port.
    """
    port = np.full(len(meet), -1)
    for first in range(len(meet)):
        waiting = [first] if port[first] < 0 else []
        for lane in waiting:
            if port[lane] < 0:
                known = set(port[meet[lane]].tolist())
                port[lane] = next(number for number in range(len(meet)) if number not in known)
                waiting += np.flatnonzero(meet[lane] & (port < 0)).tolist()
    return port
