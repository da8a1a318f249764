"""Which operator does which operation of a shared class, and the multiplexers that its inputs need.

What feeds an input is a source: a port, whatever its element, one operator of a class that is shared, one operation of
another one, a constant. An input with one source needs no multiplexer. Of two operands that may change places, the
result of the same class comes first, then those of others, ports and constants.

As time goes, an operation takes the operator that made its operand or last had the same source, if it is free, so that
a sum in an accumulator stays where it is; else the first that is free. In bodies of many operations each slot takes its
operators in one order instead, by the roots of chains, which is found with sorts alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from hwmodel.datapath.folding.classes import OperatorClass
from hwmodel.datapath.schedule.dataflow import Dataflow, Ints
from hwmodel.datapath.schedule.place import Placed, Problem, Sharing

ONE_BY_ONE = 500  # shared operations up to which each looks for its own operator
Fed = Counter[tuple[int, int]]  # by (position of an input, how many sources it has): how many inputs


@dataclass(frozen=True, eq=False)
class Bound:
    """`units` has for each operation the number of its operator within its class, -1 where the class is not shared.

    `fed` has the inputs of each shared class.
    """

    units: Ints
    fed: dict[int, Fed]


@dataclass(frozen=True, eq=False)
class Wires:
    """What the operands of a body come from, an entry for each operand: its user, its position, its value.

    Those that may change places stand in their order.
    """

    dataflow: Dataflow
    classes: Ints
    users: Ints
    positions: Ints
    values: Ints

    @cached_property
    def order(self) -> Ints:
        """The operations as slots take them: by what feeds the root of their chain, by root, and as in the body."""
        count, first = len(self.classes), self.dataflow.first
        parents = np.arange(count)
        made = self.values >= first
        within = made.copy()
        within[made] = self.classes[self.values[made] - first] == self.classes[self.users[made]]
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
        """The values that each operation takes, in order."""
        ends = np.cumsum(np.bincount(self.users, minlength=len(self.classes))).tolist()
        values = self.values.tolist()
        return [values[start:end] for start, end in pairwise([0, *ends])]

    @cached_property
    def ports(self) -> Ints:
        """The number of the port of each value that is an input."""
        return _port_numbers(self.dataflow)

    @cached_property
    def _kinds(self) -> Ints:
        return _kinds(self.dataflow, self.classes, self.values)

    def sources(self, sharing: Sequence[Sharing | None], units: Ints) -> tuple[Ints, Ints]:
        """For each operand its source as a number, and for each operation the number of its operator."""
        wanted = np.bincount(self.classes, minlength=len(sharing))
        sizes = [int(wanted[place]) if each is None else each.units for place, each in enumerate(sharing)]
        base = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        operators = base[self.classes] + units
        dataflow = self.dataflow
        ports = len(dataflow.inputs)
        by_value = np.concatenate([self.ports, ports + operators])
        constants = ports + base[-1] - 1 - self.values
        return np.where(self.values >= 0, by_value[np.maximum(self.values, 0)], constants), operators


def wires_of(dataflow: Dataflow, classes: Sequence[OperatorClass], by_operation: Sequence[int]) -> Wires:
    """The operands of a body with its classes."""
    values = np.array([value for operands in dataflow.operands for value in operands], np.int64)
    sizes = np.array([len(operands) for operands in dataflow.operands], np.int64)
    users = np.repeat(np.arange(len(sizes)), sizes)
    starts = np.cumsum(sizes) - sizes
    positions = np.arange(len(values)) - np.repeat(starts, sizes)
    of_class = np.array(by_operation, np.int64)
    free = np.array([each.commutative for each in classes], bool)
    pairs = starts[(sizes == 2) & free[of_class]] if len(classes) else starts[:0]
    rank = _ranks(dataflow, of_class, values, users)
    swapped = pairs[rank[pairs] > rank[pairs + 1]]
    values[swapped], values[swapped + 1] = values[swapped + 1], values[swapped]
    return Wires(dataflow, of_class, users, positions, values)


def _kinds(dataflow: Dataflow, classes: Ints, values: Ints) -> Ints:
    """What sort of source a value is: a class, a port or a constant, as numbers in this order."""
    most = int(classes.max(initial=0)) + 1
    by_value = np.concatenate([most + _port_numbers(dataflow), classes])
    return np.where(values >= 0, by_value[np.maximum(values, 0)], most + len(dataflow.inputs))


def _ranks(dataflow: Dataflow, classes: Ints, values: Ints, users: Ints) -> Ints:
    kinds = _kinds(dataflow, classes, values)
    return np.where(kinds == classes[users], -1, kinds)


def bind(problem: Problem, placed: Placed, wires: Wires) -> Bound:
    """Operators for the operations of shared classes: each does one operation a cycle."""
    shared = np.array([sharing is not None for sharing in problem.sharing], bool)[wires.classes]
    if not shared.any():
        return Bound(np.full(len(shared), -1, np.int64), {})
    slots = np.array(placed.starts, np.int64) // problem.room % problem.interval
    slots[~shared] = 0
    units = _by_rank(problem, wires, slots)
    if np.count_nonzero(shared) <= ONE_BY_ONE:
        units[shared] = _one_by_one(placed, wires, slots, shared)
    return Bound(np.where(shared, units, -1), _fed(problem, wires, units, shared))


def _by_rank(problem: Problem, wires: Wires, slots: Ints) -> Ints:
    """The place of each operation among those of its class and slot, in the order of the wires."""
    count = len(slots)
    groups = wires.classes * problem.interval + slots
    order = wires.order[np.argsort(groups[wires.order], kind="stable")]
    ordered = groups[order]
    begins = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    units = np.empty(count, np.int64)
    units[order] = np.arange(count) - np.repeat(begins, np.diff(np.append(begins, count)))
    return units


def _one_by_one(placed: Placed, wires: Wires, slots: Ints, shared: Ints) -> list[int]:
    """Operators by what they had before; of the shared operations in the body's order."""
    first, classes, operands = wires.dataflow.first, wires.classes.tolist(), wires.operands
    ports = wires.ports.tolist()
    busy: dict[tuple[int, int], int] = {}  # by class and slot: its operators, as bits
    preferred: dict[tuple[int, object], int] = {}
    units: dict[int, int] = {}
    for operation in sorted(np.flatnonzero(shared).tolist(), key=placed.starts.__getitem__):
        place, slot = classes[operation], int(slots[operation])
        taken = busy.get((place, slot), 0)
        sources: list[tuple[int, object]] = []
        unit = None
        for value in operands[operation]:
            maker = value - first
            if maker in units:
                source: object = (classes[maker], units[maker])
                own = units[maker] if classes[maker] == place else None
            else:
                source, own = ((-1, ports[value]) if 0 <= value < first else value), None
            sources.append((place, source))
            wanted = own if own is not None else preferred.get((place, source))
            if unit is None and wanted is not None and not taken >> wanted & 1:
                unit = wanted
        if unit is None:
            unit = (~taken & (taken + 1)).bit_length() - 1
        busy[place, slot] = taken | 1 << unit
        units[operation] = unit
        for key in sources:
            preferred[key] = unit
    return [units[operation] for operation in sorted(units)]


def _fed(problem: Problem, wires: Wires, units: Ints, shared: Ints) -> dict[int, Fed]:
    """How many sources the inputs of shared operators have."""
    sources, operators = wires.sources(problem.sharing, units)
    counted = shared[wires.users]
    if not counted.any():
        return {}
    users, positions, sources = wires.users[counted], wires.positions[counted], sources[counted]
    width, most = int(positions.max()) + 1, int(sources.max()) + 1
    inputs = operators[users] * width + positions
    distinct = np.unique(inputs * most + sources) // most
    found, sizes = np.unique(distinct, return_counts=True)
    classes = np.zeros(int(operators.max()) + 1, np.int64)
    classes[operators] = wires.classes
    fed: dict[int, Fed] = {}
    rows = np.stack([classes[found // width], found % width, sizes], axis=1)
    for (place, position, size), many in zip(*_counted(rows), strict=True):
        fed.setdefault(place, Counter())[position, size] = many
    return fed


def _counted(rows: Ints) -> tuple[list[list[int]], list[int]]:
    """Different rows, and how often each occurs."""
    different, many = np.unique(rows, axis=0, return_counts=True)
    return different.tolist(), many.tolist()


def most_sources(wires: Wires, sharing: Sequence[Sharing | None], interval: int) -> list[int]:
    """For each class an upper bound of the sources of an input of its operators, before any is bound.

    An operator has no more sources than operations, and no more than there are different ones: ports, operators of the
    classes that feed it, constants.
    """
    kinds = len(sharing)
    bounds = [1] * kinds
    shared = np.array([each is not None for each in sharing], bool)
    counted = shared[wires.classes][wires.users]
    if not counted.any():
        return bounds
    first, values = wires.dataflow.first, wires.values[counted]
    users, positions = wires.classes[wires.users[counted]], wires.positions[counted]
    makers = np.where(values >= first, wires.classes[np.maximum(values - first, 0)], 0)
    weights = np.array([each.units if each is not None else 1 for each in sharing], np.int64)
    of_shared = (values >= first) & shared[makers]
    low = int(values.min(initial=0))
    elements = wires.ports
    inputs = (values >= 0) & (values < first)
    source = np.where(of_shared, makers, kinds + values - low)
    source = np.where(inputs, -1 - elements[np.where(inputs, values, 0)] if len(elements) else 0, source)
    source -= int(source.min())
    width, most = int(positions.max()) + 1, int(source.max()) + 1
    keys, where = np.unique((users * width + positions) * most + source, return_index=True)
    totals = np.bincount(keys // most, np.where(of_shared, weights[makers], 1)[where], minlength=kinds * width)
    for place, each in enumerate(sharing):
        if each is not None:
            largest = int(totals[place * width : (place + 1) * width].max(initial=1))
            bounds[place] = max(1, min(largest, interval // each.every))
    return bounds


def _port_numbers(dataflow: Dataflow) -> Ints:
    ports = {port: number for number, port in enumerate(dataflow.inputs)}
    return np.array([ports[port] for port, _ in dataflow.elements], np.int64)
