"""The bits of integer nodes that take logic: those that something needs, and that are not the bits of an operand.

If all users of a node are wires that drop bits, only the remaining bits are needed. Sums, products and bit operations
need no higher bits of their operands than are needed of them. And if an operand of a sum ends in zeros, the other's low
bits are those of the sum.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from hwmodel.datapath.graph.sorts import Ints, NodeClasses
from hwmodel.datapath.numbers import Number

SHIFT, RESIZE, CONSTANT = "shift", "resize", "constant"
_RING = frozenset({"add", "sub", "neg", "mul", "mulc", "shl"})  # no bit depends on higher ones of the operands
_BITWISE = frozenset({"and", "or", "xor", "not"})
_PARTIAL = _RING | _BITWISE | {SHIFT, RESIZE, "mux"}  # of which some bits may need some bits of the operands only

Range = tuple[int, int]  # bits from the first to before the last


def needed_ranges(
    sorts: NodeClasses,
    operands: Sequence[tuple[int, ...]],
    numbers: Sequence[Number],
    details: Sequence[object],
    outputs: Sequence[int],
) -> tuple[Ints, Ints]:
    """For each node the first bit that something needs, and the one after the last.

    Only nodes before wires that drop bits need fewer than all bits, so these are processed one by one, users first.
    """
    low, high = np.zeros_like(sorts.bits), sorts.bits.copy()
    if not len(sorts.nodes_of(frozenset({SHIFT, RESIZE}))):
        return low, high
    used = np.zeros(len(high), bool)
    used[sorts.operands] = used[list(outputs)] = True
    high[~used] = 0
    takes = _Takes(sorts, operands, numbers, details)
    waiting = [-node for node in takes.with_less()]
    heapq.heapify(waiting)
    users, begins = takes.users
    less: dict[int, Range] = {}
    known = set(outputs)
    while waiting:
        node = -heapq.heappop(waiting)
        if node in known:
            continue
        known.add(node)
        ranges = [
            takes.of(user, less.get(user, (0, numbers[user].bits)))[position]
            for user in users[begins[node] : begins[node + 1]]
            for position, operand in enumerate(operands[user])
            if operand == node
        ]
        first, last = min(first for first, _ in ranges), max(last for _, last in ranges)
        if (first, last) != (0, numbers[node].bits):
            low[node], high[node] = less[node] = first, last
            if sorts.operators[node] in _PARTIAL:
                for operand in operands[node]:
                    heapq.heappush(waiting, -operand)
    return low, high


@dataclass(slots=True)
class _Takes:
    """The bits that nodes take of their operands, cached by sort and by the bits that are needed of a node."""

    sorts: NodeClasses
    operands: Sequence[tuple[int, ...]]
    numbers: Sequence[Number]
    details: Sequence[object]
    known: dict[tuple[int, Range], list[Range]] = field(default_factory=dict)

    @property
    def users(self) -> tuple[list[int], list[int]]:
        """The users of the nodes, one after another, and where those of each begin."""
        users, begins = self.sorts.users
        return users.tolist(), begins.tolist()

    def of(self, user: int, needed: Range) -> list[Range]:
        """The bits that a node takes of each operand, if some of its own bits are needed."""
        key = int(self.sorts.of[user]), needed
        ranges = self.known.get(key)
        if ranges is None:
            operator, detail = self.sorts.operators[user], self.details[user]
            ranges = self.known[key] = [
                _needed_operand_bits(operator, position, detail, needed, self.numbers[operand])
                if operator in _PARTIAL
                else (0, self.numbers[operand].bits)
                for position, operand in enumerate(self.operands[user])
            ]
        return ranges

    def with_less(self) -> set[int]:
        """The nodes of which some user takes fewer than all bits, although all of the user's bits are needed."""
        sorts = self.sorts
        less = np.array([self._takes_less(node) for node in sorts.first.tolist()], bool)
        users = np.flatnonzero(less[sorts.of]).tolist()
        return {operand for user in users for operand in self.operands[user]}

    def _takes_less(self, user: int) -> bool:
        full = [(0, self.numbers[operand].bits) for operand in self.operands[user]]
        return self.of(user, (0, self.numbers[user].bits)) != full


def _needed_operand_bits(operator: str, position: int, detail: object, needed: Range, number: Number) -> Range:
    """The bits that a node takes of an operand, if some of its own bits are needed."""
    if operator in _RING and not (operator == "shl" and position):
        return 0, min(number.bits, max(1, needed[1]))
    if operator in (SHIFT, RESIZE) or operator in _BITWISE or (operator == "mux" and position):
        distance = detail if operator == SHIFT and isinstance(detail, int) else 0
        first, last = needed[0] - distance, max(1, needed[1] - distance)
        if last > number.bits and number.is_signed:
            last = number.bits  # the sign is repeated
        last = min(last, number.bits)
        return min(max(0, first), last - 1), last
    return 0, number.bits


def zeros_at_the_end(operator: str, detail: object, inner: Callable[[], int]) -> int:
    """The number of low bits of a node that are always zero; `inner` gives that of its first operand."""
    if operator == CONSTANT and isinstance(detail, int):
        return (detail & -detail).bit_length() - 1 if detail else 64
    if operator == SHIFT and isinstance(detail, int):
        return detail + inner() if detail > 0 else max(0, inner() + detail)
    if operator == "mulc" and isinstance(detail, int):
        return (detail & -detail).bit_length() - 1 + inner()
    return 0


def logic_bits(operator: str, needed: Range, operands: Sequence[Number], zeros: Sequence[int]) -> int:
    """The bits of a sum or a bit operation that take logic; `zeros` are those at the operands' ends."""
    passed = zeros[-1] if operator in ("sub", "neg", "not") else max(zeros)
    last = needed[1]
    if operator in _BITWISE:
        passed = max(passed, needed[0])
        narrow = [number.bits for number in operands if not number.is_signed]
        last = min([last, *narrow])
    return max(0, last - passed)
