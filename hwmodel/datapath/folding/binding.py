"""The operator of each operation of a shared class, and the multiplexers before its inputs.

An input with one source needs no multiplexer, so operations are bound one by one to operators that need the fewest
(below). In bodies with many operations each slot instead takes its operators in one order, by the roots of
chains, which needs only sorts.

A source feeds an input of an operator: a port, at any element; one operator of a shared class; one operation of another
class; a constant. Of two commutative operands, the result of the same class comes first, then those of others, ports
and constants.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hwmodel.datapath.folding.classes import OperatorClass
from hwmodel.datapath.graph.sorts import Ints
from hwmodel.datapath.schedule.dataflow import Dataflow, distinct_of
from hwmodel.datapath.schedule.place import PlacedOperations, Problem, Sharing


@dataclass(frozen=True, eq=False)
class Wires:
    """The operands of a body, an entry for each: its user, its position and its value.

    Operands that may be exchanged (`commutative` operations) are in canonical order.
    """

    dataflow: Dataflow
    classes: Ints
    commutative: Ints
    users: Ints
    positions: Ints
    values: Ints

    @cached_property
    def order(self) -> Ints:
        """The operations in the order in which slots take them: by the source of their chain's root, then by root."""
        count, first = len(self.classes), self.dataflow.first
        parents = np.arange(count)
        is_result = self.values >= first
        within = is_result.copy()
        within[is_result] = self.classes[self.values[is_result] - first] == self.classes[self.users[is_result]]
        parents[self.users[within][::-1]] = self.values[within][::-1] - first
        while True:
            further = parents[parents]
            if np.array_equal(further, parents):
                break
            parents = further
        feeds = np.zeros(count, np.int64)
        leading = self.positions == 0
        feeds[self.users[leading]] = self._kinds[leading]
        return np.lexsort((np.arange(count), parents, feeds[parents]))

    @cached_property
    def operands(self) -> list[list[int]]:
        """The values of each operation's operands, in order."""
        ends = np.cumsum(np.bincount(self.users, minlength=len(self.classes))).tolist()
        values = self.values.tolist()
        return [values[start:end] for start, end in pairwise([0, *ends])]

    @cached_property
    def width(self) -> int:
        """The most operands of an operation."""
        return int(self.positions.max(initial=0)) + 1

    @cached_property
    def feeds(self) -> tuple[Ints, Ints, Ints]:
        """The classes that feed inputs of classes: input (class x `width` + position), class, number of its operations.

        The class is -1 for ports and constants together, which count as single sources.
        """
        first, values = self.dataflow.first, self.values
        makers = np.where(values >= first, self.classes[np.maximum(values - first, 0)], -1) if len(values) else values
        inside = (values >= 0) & (values < first)
        source = values.copy()
        source[inside] = self.dataflow.ports[values[inside]]  # a port is one source, whatever its element
        source -= int(source.min(initial=0))
        inputs, most = self.classes[self.users] * self.width + self.positions, int(source.max(initial=0)) + 1
        kinds = int(self.classes.max(initial=0)) + 2
        distinct = distinct_of((inputs * kinds + makers + 1) * most + source) // most
        begins = np.flatnonzero(np.diff(distinct, prepend=-1))
        sources, counts = distinct[begins], np.diff(np.append(begins, len(distinct)))
        return sources // kinds, sources % kinds - 1, counts

    @cached_property
    def circular(self) -> frozenset[int]:
        """The classes that feed themselves."""
        inputs, makers, _ = self.feeds
        return frozenset(makers[inputs // self.width == makers].tolist())

    @cached_property
    def _kinds(self) -> Ints:
        """The kind of each operand's source, as `_kinds` numbers it."""
        return _kinds(self.dataflow, self.classes, self.values)

    def sources(self, sharing: Sequence[Sharing | None], units: Ints) -> tuple[Ints, Ints]:
        """The source of each operand, as a number, and the operator of each operation, as a number."""
        operators, ports = self.operators(sharing, units), len(self.dataflow.inputs)
        by_value = np.concatenate([self.dataflow.ports, ports + operators])
        return np.where(self.values >= 0, by_value[np.maximum(self.values, 0)], self.values), operators

    def operators(self, sharing: Sequence[Sharing | None], units: Ints) -> Ints:
        """The number of each operation's operator; each operation of a class that is not shared has its own."""
        wanted = np.bincount(self.classes, minlength=len(sharing))
        sizes = [int(wanted[place]) if each is None else each.units for place, each in enumerate(sharing)]
        base = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        unshared = np.array([each is None for each in sharing], bool)
        order = np.argsort(self.classes, kind="stable")
        rank = np.empty(len(order), np.int64)
        rank[order] = np.arange(len(order)) - (np.cumsum(wanted) - wanted)[self.classes[order]]
        return np.asarray(base[self.classes] + np.where(unshared[self.classes], rank, units), np.int64)


def wires_of(dataflow: Dataflow, classes: Sequence[OperatorClass], by_operation: Sequence[int]) -> Wires:
    """The operands of a body with its classes."""
    values, users = dataflow.operand_values
    values = values.copy()
    sizes = dataflow.arities
    starts = np.cumsum(sizes) - sizes
    positions = np.arange(len(values)) - np.repeat(starts, sizes)
    of_class = np.array(by_operation, np.int64)
    free = np.array([each.commutative for each in classes], bool)
    pairs = starts[(sizes == 2) & free[of_class]] if len(classes) else starts[:0]
    rank = _ranks(dataflow, of_class, values, users)
    swapped = pairs[rank[pairs] > rank[pairs + 1]]
    values[swapped], values[swapped + 1] = values[swapped + 1], values[swapped]
    commutative = (sizes == 2) & free[of_class] if len(classes) else sizes == 2
    return Wires(dataflow, of_class, commutative, users, positions, values)


def _kinds(dataflow: Dataflow, classes: Ints, values: Ints) -> Ints:
    """The kind of source of each value: a class, a port or a constant, as numbers in this order."""
    most = int(classes.max(initial=0)) + 1
    by_value = np.concatenate([most + dataflow.ports, classes])
    return np.where(values >= 0, by_value[np.maximum(values, 0)], most + len(dataflow.inputs))


def _ranks(dataflow: Dataflow, classes: Ints, values: Ints, users: Ints) -> Ints:
    """The rank of each operand's source among commutative operands."""
    kinds = _kinds(dataflow, classes, values)
    return np.where(kinds == classes[users], -1, kinds)


def most_sources(wires: Wires, sharing: Sequence[Sharing | None], interval: int) -> list[list[int]]:
    """For each class, by position, an upper bound of the sources of an input of its operators, before any is bound.

    An operator has at most as many sources as operations, and at most as many as there are distinct ones: ports,
    operators of the classes that feed it, constants. The bound holds if no operands are exchanged.
    """
    kinds = len(sharing)
    units = np.array([each.units if each is not None else 0 for each in sharing], np.int64)
    slots = np.array([interval // each.every if each is not None else 1 for each in sharing], np.int64)
    inputs, makers, counts = wires.feeds
    of_shared = makers >= 0
    of_shared[of_shared] = units[makers[of_shared]] > 0
    totals = np.bincount(inputs, np.where(of_shared, units[makers], counts), wires.width * kinds).astype(np.int64)
    most: list[list[int]] = np.clip(totals.reshape(kinds, wires.width), 1, slots[:, None]).tolist()
    return most


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
