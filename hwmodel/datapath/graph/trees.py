"""Chains of integer additions, of min and of max as trees balanced by arrival time.

Modulo 2**w sums may be regrouped: the value of a sum is that of its leaves, each with its sign, wrapped in the number
of the root, whatever the intermediate sums are, as long as they keep its bits. A sum is an inner one of the chain if
nothing else needs it, and it is exact or wraps in no fewer bits than the root. Leaves are joined two at a time, those
that arrive first, counted in operators from the inputs. Floats are never regrouped.
"""

from __future__ import annotations

import heapq

from hwmodel.datapath.graph.graph import CONSTANT, FREE
from hwmodel.datapath.graph.integers import Integers, number_bits
from hwmodel.datapath.graph.nodes import Nodes, Outputs
from hwmodel.datapath.numbers import F32

_SUMS = frozenset({"add", "sub", "neg"})
_EXTREMES = frozenset({"min", "max"})
_CHAINS = _SUMS | _EXTREMES


def with_trees(nodes: Nodes, outputs: Outputs) -> tuple[Nodes, Outputs]:
    """The nodes with chains as trees; the same object if there is no chain."""
    if not any(record[2] < F32 and record[0] in _CHAINS for record in nodes.records):
        return nodes, outputs
    uses, user = _live(nodes, outputs)
    inner = _inner_nodes(nodes, uses, user)
    if not inner:
        return nodes, outputs
    regrouped = _Regrouped(nodes, inner, uses)
    places = regrouped.run()
    return regrouped.target, {port: [places[node] for node in listed] for port, listed in outputs.items()}


def _live(nodes: Nodes, outputs: Outputs) -> tuple[list[int], dict[int, int]]:
    """The number of uses of each node by nodes that outputs need, and its last user."""
    records = nodes.records
    uses = [0] * len(records)
    user: dict[int, int] = {}
    for listed in outputs.values():
        for node in listed:
            uses[node] += 2  # its own value is needed
    for node in range(len(records) - 1, -1, -1):
        if uses[node]:
            for operand in records[node][1]:
                uses[operand] += 1
                user[operand] = node
    return uses, user


def _inner_nodes(nodes: Nodes, uses: list[int], user: dict[int, int]) -> set[int]:
    """Sums, minima and maxima that are only intermediate results of another of their kind."""
    inner: set[int] = set()
    root_bits: dict[int, int] = {}
    for node in range(len(nodes.records) - 1, -1, -1):  # users first
        operator, _, code, _, _ = nodes.records[node]
        if not uses[node] or code >= F32 or not (operator in _SUMS or operator in _EXTREMES):
            continue
        root_bits[node] = number_bits(code)
        parent = user.get(node, node)
        if uses[node] != 1 or parent not in root_bits:
            continue
        if operator in _EXTREMES:
            is_inner = nodes.records[parent][0] == operator
        else:
            keeps_bits = node not in nodes.wrapping or number_bits(code) >= root_bits[parent]
            is_inner = keeps_bits and nodes.records[parent][0] in _SUMS
        if is_inner:
            inner.add(node)
            root_bits[node] = root_bits[parent]
    return inner


class _Regrouped:
    """Rebuilds the nodes, chains as trees."""

    def __init__(self, source: Nodes, inner: set[int], uses: list[int]) -> None:
        self.source, self.inner, self.uses = source, inner, uses
        self.alike = self._alike()
        self.target = source.first(self.alike)
        self.integers = Integers(self.target)
        self.levels: list[int] = []
        self.places = [*range(self.alike), *[-1] * (len(uses) - self.alike)]

    def run(self) -> list[int]:
        """The node of the target for each node of the source; -1 for none."""
        for node in range(self.alike, len(self.uses)):
            if not self.uses[node] or node in self.inner:
                continue
            record = self.source.records[node]
            self.target.span = record[4]
            if record[0] in _SUMS and record[2] < F32 and self._has_chain(record[1]):
                self.places[node] = self._sum(node)
            elif record[0] in _EXTREMES and record[2] < F32 and self._has_chain(record[1]):
                self.places[node] = self._extreme(node)
            else:
                self.places[node] = self._copy(node)
        return self.places

    def _alike(self) -> int:
        """The number of nodes at the start that stay as they are; unused constants may stay too."""
        source, end = self.source, min(self.inner)
        for node in range(end):
            is_constant = source.records[node][0] == CONSTANT
            if not is_constant and (not self.uses[node] or source.low[node] == source.high[node]):
                return node
        return end

    def _has_chain(self, operands: tuple[int, ...]) -> bool:
        return any(operand in self.inner for operand in operands)

    def _copy(self, node: int) -> int:
        operator, operands, code, detail, _ = self.source.records[node]
        source, target = self.source, self.target
        if source.low[node] == source.high[node]:
            return target.constant(source.low[node])
        moved = tuple([self.places[operand] for operand in operands])
        if code >= F32:
            place = target.real(operator, moved, code, positive=source.positive_zero[node], detail=detail)
            if node in source.floats:
                target.floats[place] = source.floats[node]
            return place
        place = target.typed(operator, moved, code, (source.low[node], source.high[node]), detail)
        if node in source.wrapping:
            target.wrapping.add(place)
        return place

    def _level(self, node: int) -> int:
        """The number of operators on the longest path to a node."""
        levels, records = self.levels, self.target.records
        for place in range(len(levels), node + 1):
            record = records[place]
            before = 0
            for operand in record[1]:
                if levels[operand] > before:  # noqa: PLR1730  a call takes longer, and there are many operands
                    before = levels[operand]
            levels.append(before + (record[0] not in FREE))
        return levels[node]

    def _leaves(self, node: int) -> list[tuple[int, bool]]:
        """The leaves of a chain from the left, and whether each is subtracted."""
        leaves = []
        stack = [(node, False)]
        while stack:
            own, negative = stack.pop()
            if own != node and own not in self.inner:
                leaves.append((self.places[own], negative))
                continue
            record = self.source.records[own]
            operands = record[1]
            if len(operands) == 2:
                stack += [(operands[1], negative != (record[0] == "sub")), (operands[0], negative)]
            else:
                stack.append((operands[0], not negative))
        return leaves

    def _sum(self, node: int) -> int:
        """Join leaves two at a time, with a difference if their signs differ."""
        code = self.source.records[node][2]
        heap = [
            (self._level(leaf), number, leaf, negative) for number, (leaf, negative) in enumerate(self._leaves(node))
        ]
        heapq.heapify(heap)
        number = len(heap)
        while len(heap) > 1:
            _, _, a, a_negative = heapq.heappop(heap)
            _, _, b, b_negative = heapq.heappop(heap)
            if a_negative == b_negative:
                joined, negative = self.integers.add(a, b, code), a_negative
            else:
                positive, other = (b, a) if a_negative else (a, b)
                joined, negative = self.integers.sub(positive, other, code), False
            heapq.heappush(heap, (self._level(joined), number, joined, negative))
            number += 1
        _, _, total, negative = heap[0]
        if negative:
            total = self.integers.neg(total, code)
        return self.integers.resize(total, code)

    def _extreme(self, node: int) -> int:
        operator = self.source.records[node][0]
        heap = [(self._level(leaf), number, leaf) for number, leaf in enumerate(self._extreme_leaves(node))]
        heapq.heapify(heap)
        number = len(heap)
        while len(heap) > 1:
            _, _, a = heapq.heappop(heap)
            _, _, b = heapq.heappop(heap)
            joined = self.integers.extreme(operator, a, b)
            heapq.heappush(heap, (self._level(joined), number, joined))
            number += 1
        return heap[0][2]

    def _extreme_leaves(self, node: int) -> list[int]:
        leaves = []
        stack = [node]
        while stack:
            own = stack.pop()
            if own == node or own in self.inner:
                stack.extend(reversed(self.source.records[own][1]))
            else:
                leaves.append(self.places[own])
        return leaves
