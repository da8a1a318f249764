"""The operator of each operation of a shared class, and the multiplexers before its inputs.

An input with one source needs no multiplexer, so operations are bound one by one to operators that need the fewest
(below). In bodies with many operations each slot instead takes its operators in one order, by the roots of
chains, which needs only sorts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hwmodel.datapath.folding.wires import Wires
from hwmodel.datapath.graph.sorts import Ints
from hwmodel.datapath.schedule.dataflow import distinct_of
from hwmodel.datapath.schedule.place import PlacedOperations, Problem

# Greedy binding of shared operations, in order of their starts, to the operators with the fewest new sources.
#
# So a sum in an accumulator stays on its operator, and a chain that needs several operators goes from one to the next.


CANDIDATES = 8  # operators with a source that are looked at
Source = tuple[int, int]


def bind_greedily(
    problem: Problem, placed: PlacedOperations, wires: Wires, slots: Ints, shared: Ints
) -> tuple[list[int], list[int]]:
    """The operators of the shared operations, in the body's order, and the operations with exchanged operands."""
    first, classes, operands = wires.dataflow.first, wires.classes.tolist(), wires.operands
    ports, commutative = wires.dataflow.ports.tolist(), wires.commutative.tolist()
    occupied: dict[tuple[int, int], int] = {}  # by class and slot: its operators that are taken, as bits
    used: dict[int, int] = {}  # by class: how many operators were taken at all
    inputs = _Inputs()
    units: dict[int, int] = {}
    swapped: list[int] = []
    for operation in sorted(np.flatnonzero(shared).tolist(), key=placed.starts.__getitem__):
        place, slot = classes[operation], int(slots[operation])
        sources: list[Source] = []
        for value in operands[operation]:
            maker = value - first
            if maker in units:
                sources.append((classes[maker], units[maker]))
            else:
                sources.append((-1, ports[value]) if 0 <= value < first else (-2, value))
        busy = occupied.get((place, slot), 0)
        sharing = problem.sharing[place]
        assert sharing is not None
        others = {(~busy & (busy + 1)).bit_length() - 1, min(used.get(place, 0), sharing.units - 1)}
        best = inputs.best(place, sources, busy, others)
        if commutative[operation]:
            turned = inputs.best(place, sources[::-1], busy, others)
            if turned < best:
                best = turned
                sources.reverse()
                swapped.append(operation)
        unit = units[operation] = best[1]
        occupied[place, slot] = busy | 1 << unit
        used[place] = max(used.get(place, 0), unit + 1)
        inputs.add(place, unit, sources)
    return [units[operation] for operation in sorted(units)], swapped


class _Inputs:
    """The sources of the inputs of operators so far."""

    def __init__(self) -> None:
        self.sources: dict[tuple[int, int, int], set[Source]] = {}  # by class, operator and position
        self.operators: dict[tuple[int, int, Source], list[int]] = {}  # by class, position and source

    def best(self, place: int, sources: Sequence[Source], busy: int, others: set[int]) -> tuple[int, int]:
        """The fewest new sources, and the operator that gets them, among free ones with a known source and `others`.

        A first source does not count, since it needs no multiplexer. `others` includes one without any source yet,
        unless all are in use.
        """
        known = {
            unit
            for position, source in enumerate(sources)
            for unit in self.operators.get((place, position, source), ())[:CANDIDATES]
            if not busy >> unit & 1
        }
        return min((self._new(place, unit, sources), unit) for unit in known | others if not busy >> unit & 1)

    def _new(self, place: int, unit: int, sources: Sequence[Source]) -> int:
        """The number of new sources of an operator that has some already."""
        count = 0
        for position, source in enumerate(sources):
            own = self.sources.get((place, unit, position))
            if own is not None and source not in own:
                count += 1
        return count

    def add(self, place: int, unit: int, sources: Sequence[Source]) -> None:
        """Record the sources of an operation on an operator."""
        for position, source in enumerate(sources):
            own = self.sources.setdefault((place, unit, position), set())
            if source not in own:
                own.add(source)
                self.operators.setdefault((place, position, source), []).append(unit)


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
