"""Multiplexers with a constant that registers do: a register takes a constant by its synchronous set or reset.

That needs a register behind the multiplexer, which the schedule says, and before it a value that is not logic itself:
else its LUTs would be there all the same. Those before outputs have no LUTs already (packing.py).
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from hwmodel.datapath.folding.fold import Folded, Priced
from hwmodel.datapath.graph.graph import CONSTANT, RESIZE, SHIFT, Graph
from hwmodel.datapath.graph.packing import PACKED
from hwmodel.datapath.schedule.place import FAR


def done_by_registers(priced: Priced, folded: Folded) -> Counter[tuple[int, int]]:
    """How many multiplexers registers do, by class and kind."""
    dataflow = priced.dataflow
    kinds = {kind for kind, each in enumerate(dataflow.kinds) if each.operator == "mux" and each.luts}
    if not kinds:
        return Counter()
    values, users = dataflow.edges
    starts = np.array(folded.placed.starts, np.int64) // folded.problem.room
    first_start = np.full(len(dataflow.bits), FAR, np.int64)
    np.minimum.at(first_start, values, starts[users])
    is_registered = (first_start >= folded.lifetimes.born)[dataflow.first :]
    return Counter(
        (priced.by_operation[operation], kind)
        for operation, kind in enumerate(dataflow.kind)
        if kind in kinds and is_registered[operation] and _sets(dataflow.graph, dataflow.nodes[operation])
    )


def _sets(graph: Graph, node: int) -> bool:
    """Whether a multiplexer is one of a constant and of a value that is no logic."""
    others = [operand for operand in graph.operands[node][1:] if graph.operators[operand] != CONSTANT]
    if len(others) != 1:
        return False
    (other,) = others
    while graph.operators[other] in (SHIFT, RESIZE):
        (other,) = graph.operands[other]
    return graph.operators[other] not in PACKED
