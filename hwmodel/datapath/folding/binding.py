"""Which operator does which operation of a shared class, and the multiplexers that its inputs need.

An input with one source needs no multiplexer, so operations are bound one by one to those that need the fewest
(one_by_one.py). In bodies of many operations each slot takes its operators in one order instead, by the roots of
chains, which is found with sorts alone.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hwmodel.datapath.folding.one_by_one import bind_one_by_one
from hwmodel.datapath.folding.wires import Wires
from hwmodel.datapath.graph.sorts import Ints
from hwmodel.datapath.schedule.dataflow import distinct_of
from hwmodel.datapath.schedule.place import Placed, Problem

FEW_GROUPS = 1 << 16
ONE_BY_ONE = 500  # shared operations up to which each looks for its own operator
Fed = Counter[tuple[int, int]]  # by (position of an input, how many sources it has): how many inputs


@dataclass(frozen=True, eq=False)
class Bound:
    """`units` has for each operation the number of its operator within its class, -1 where the class is not shared.

    `positions` has for each operand, as in the wires, the input that it comes to: operands that may change places have
    done so where that saves multiplexers. `fed` has the inputs of each shared class.
    """

    units: Ints
    positions: Ints
    fed: dict[int, Fed]


def bind(problem: Problem, placed: Placed, wires: Wires) -> Bound:
    """Operators for the operations of shared classes: each does one operation a cycle."""
    shared = problem.shared
    if not shared.any():
        return Bound(np.full(len(shared), -1, np.int64), wires.positions, {})
    slots = placed.ticks // problem.room % problem.interval
    slots[~shared] = 0
    units = _by_rank(problem, wires, slots)
    positions = wires.positions
    if np.count_nonzero(shared) <= ONE_BY_ONE:
        units[shared], swapped = bind_one_by_one(problem, placed, wires, slots, shared)
        positions = np.where(np.isin(wires.users, swapped), 1 - positions, positions)
    sources, operators = wires.sources(problem.sharing, units)
    return Bound(np.where(shared, units, -1), positions, fed_by(wires, operators, shared, positions, sources))


def _by_rank(problem: Problem, wires: Wires, slots: Ints) -> Ints:
    """The place of each operation among those of its class and slot, in the order of the wires."""
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
    """How many of the sources, a number for each operand, the inputs of shared operators have."""
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
