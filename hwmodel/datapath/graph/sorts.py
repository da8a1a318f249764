"""Nodes as arrays, and classes of like nodes: a property of every node is computed once for each class (sort).

Bodies repeat their work: 40,000 nodes are of a dozen sorts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, TypeAlias

import numpy as np

from hwmodel.datapath.numbers import Number

Ints: TypeAlias = np.ndarray[Any, np.dtype[np.int64]]

_SHORT = 3  # operands that a key of numbers holds


@dataclass(frozen=True, eq=False)
class NodeClasses:
    """The sort of each node, `of`: nodes of one sort have one operator, one number, and operands with equal numbers.

    For operators whose details matter, the details are equal too. `first` has the first node of each sort. The operands
    of all nodes stand one after the other in `operands`, those of a node from its position in `starts`, as many as
    `sizes` says. `bits` are those of the nodes' numbers.
    """

    operators: Sequence[str]
    of: Ints
    first: Ints
    operands: Ints
    sizes: Ints
    starts: Ints
    bits: Ints

    def nodes_of(self, operators: frozenset[str]) -> Ints:
        """The nodes with one of these operators, ascending."""
        wanted = np.array([self.operators[node] in operators for node in self.first.tolist()], bool)
        return np.flatnonzero(wanted[self.of])

    @cached_property
    def users(self) -> tuple[Ints, Ints]:
        """The users of the nodes, one after another, and where those of each begin; the last entry is the end."""
        owners = np.repeat(np.arange(len(self.of)), self.sizes)[np.argsort(self.operands, kind="stable")]
        return owners, np.concatenate([[0], np.cumsum(np.bincount(self.operands, minlength=len(self.of)))])


def sorts_of(
    operators: Sequence[str],
    operands: Sequence[tuple[int, ...]],
    numbers: Sequence[Number],
    details: Sequence[object],
    with_detail: frozenset[str],
) -> NodeClasses:
    """The sorts of nodes; operators in `with_detail` are split by their details."""
    count = len(operators)
    names = {operator: place for place, operator in enumerate(dict.fromkeys(operators))}
    operator = np.fromiter(map(names.__getitem__, operators), np.int64, count)
    objects = list({id(number): number for number in numbers}.values())  # few, and faster to compare by their identity
    codes = {id(number): place for place, number in enumerate(objects, 1)}
    code = np.fromiter(map(codes.__getitem__, map(id, numbers)), np.int64, count)
    sizes = np.fromiter(map(len, operands), np.int64, count)
    flat = np.fromiter(chain.from_iterable(operands), np.int64, int(sizes.sum()))
    starts = np.cumsum(sizes) - sizes
    known: dict[object, int] = {None: 0}
    extra = np.zeros(count, np.int64)
    has_detail = np.array([name in with_detail for name in names], bool)
    for node in np.flatnonzero((sizes > _SHORT) | has_detail[operator]).tolist():
        longer = code[flat[starts[node] : starts[node] + sizes[node]]].tobytes() if sizes[node] > _SHORT else b""
        extra[node] = known.setdefault((longer, details[node] if has_detail[operator[node]] else None), len(known))
    key = (operator * (len(codes) + 1) + code) * len(known) + extra
    taken = code[flat]
    for place in range(_SHORT):
        own = np.zeros(count, np.int64)
        has = sizes > place
        own[has] = taken[starts[has] + place]
        key = key * (len(codes) + 1) + own
    _, first, of = np.unique(key, return_index=True, return_inverse=True)
    return NodeClasses(
        operators, of, first, flat, sizes, starts, np.array([0, *[entry.bits for entry in objects]], np.int64)[code]
    )
