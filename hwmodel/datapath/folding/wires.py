"""The sources of a body's operands, whatever the schedule.

A source feeds an input of an operator: a port, at any element; one operator of a shared class; one operation of another
class; a constant. Of two commutative operands, the result of the same class comes first, then those of others, ports
and constants.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from hwmodel.datapath.folding.classes import OperatorClass
from hwmodel.datapath.graph.sorts import Ints
from hwmodel.datapath.schedule.dataflow import Dataflow, distinct_of
from hwmodel.datapath.schedule.place import Sharing


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
