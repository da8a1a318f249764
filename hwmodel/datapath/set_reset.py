"""Multiplexers with a constant that registers replace: a register takes a constant by its synchronous set or reset.

That needs a register after the multiplexer, which follows from the schedule, and before it a value that is not logic
itself: otherwise its LUTs would be there all the same. Multiplexers before outputs have no LUTs already (packing.py).
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from hwmodel.datapath.folding.fold import Folded, Priced
from hwmodel.datapath.schedule.place import FAR


def done_by_registers(priced: Priced, folded: Folded) -> Counter[tuple[int, int]]:
    """The number of multiplexers that registers replace, by class and kind."""
    dataflow = priced.dataflow
    settable = dataflow.settable
    if not len(settable):
        return Counter()
    values, users = dataflow.edges
    starts = folded.placed.ticks // folded.problem.room
    first_start = np.full(len(dataflow.widths), FAR, np.int64)
    np.minimum.at(first_start, values, starts[users])
    is_registered = (first_start >= folded.lifetimes.born)[dataflow.first :]
    done = settable[is_registered[settable]].tolist()
    return Counter([(priced.by_operation[operation], dataflow.kind[operation]) for operation in done])
