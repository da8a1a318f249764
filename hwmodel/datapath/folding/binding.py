"""The operator of each operation of a shared class, and the multiplexers before its inputs.

An input with one source needs no multiplexer, so operations are bound one by one to operators that need the fewest
(one_by_one.py). In bodies with many operations each slot instead takes its operators in one order, by the roots of
chains, which needs only sorts.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hwmodel.datapath.folding.greedy_binding import bind_greedily
from hwmodel.datapath.folding.wires import Wires
from hwmodel.datapath.graph.sorts import Ints
from hwmodel.datapath.schedule.dataflow import distinct_of
from hwmodel.datapath.schedule.place import PlacedOperations, Problem

FEW_GROUPS = 1 << 16
ONE_BY_ONE = 500  # shared operations up to which each looks for its own operator
Fed = Counter[tuple[int, int]]  # by (position of an input, how many sources it has): how many inputs


@dataclass(frozen=True, eq=False)
class Bound:
    """The binding of operations: `units` is the number of each one's operator in its class, -1 for none shared.

    `positions` is the input of each operand, as in the wires; commutative operands are exchanged if that saves
    multiplexers. `fed` has the inputs of each shared class.
    """

    units: Ints
    positions: Ints
    fed: dict[int, Fed]


def bind(problem: Problem, placed: PlacedOperations, wires: Wires) -> Bound:
    """Bind the operations of shared classes to operators, each of which performs one operation a cycle."""
    shared = problem.shared
    if not shared.any():
        return Bound(np.full(len(shared), -1, np.int64), wires.positions, {})
    slots = placed.ticks // problem.room % problem.interval
    slots[~shared] = 0
    units = _by_rank(problem, wires, slots)
    positions = wires.positions
    if np.count_nonzero(shared) <= ONE_BY_ONE:
        units[shared], swapped = bind_greedily(problem, placed, wires, slots, shared)
        positions = np.where(np.isin(wires.users, swapped), 1 - positions, positions)
    sources, operators = wires.sources(problem.sharing, units)
    return Bound(np.where(shared, units, -1), positions, fed_by(wires, operators, shared, positions, sources))


def _by_rank(problem: Problem, wires: Wires, slots: Ints) -> Ints:
    """The rank of each operation among those of its class and slot, in the order of the wires."""
    count = len(slots)
    groups = wires.classes * problem.interval + slots
    if len(problem.sharing) * problem.interval <= FEW_GROUPS:
        groups = groups.astype(np.uint16)  # of few bits, which NumPy sorts in one pass
    order = wires.order[np.argsort(groups[wires.order], kind="stable")]
    ordered = groups[order]
    begins = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    units = np.empty(count, np.int64)
    units[order] = np.arange(count) - np.repeat(begins, np.diff(np.append(begins, count)))
    return units


def fed_by(wires: Wires, operators: Ints, shared: NDArray[Any], positions: Ints, sources: Ints) -> dict[int, Fed]:
    """The number of sources of each input of shared operators, given a source number for each operand."""
    counted = shared[wires.users]
    if not counted.any():
        return {}
    users, positions, sources = wires.users[counted], positions[counted], sources[counted]
    sources = sources - min(0, int(sources.min()))
    width, most = wires.width, int(sources.max()) + 1
    distinct = distinct_of((operators[users] * width + positions) * most + sources) // most
    sizes = np.bincount(distinct)
    inputs = np.flatnonzero(sizes)
    sizes = sizes[inputs]
    classes = np.zeros(int(operators.max()) + 1, np.int64)
    classes[operators] = wires.classes
    largest = int(sizes.max()) + 1
    ordered = np.sort((classes[inputs // width] * width + inputs % width) * largest + sizes)
    begins = np.flatnonzero(np.diff(ordered, prepend=-1))
    fed: dict[int, Fed] = {}
    for row, many in zip(ordered[begins].tolist(), np.diff(np.append(begins, len(ordered))).tolist(), strict=True):
        place, position = divmod(row // largest, width)
        fed.setdefault(place, Counter())[position, row % largest] = many
    return fed
