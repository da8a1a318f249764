"""LUTs of four inputs that hold the logic of a graph, bit by bit (docs/cost.md).

The idea. Bit operations, multiplexers, shifts, equalities, and sums and comparisons of few bits become gates of one bit
(gates.py): constants fold, inversions are free. Longer sums and comparisons, and products, stay operators, and LUTs end
at them. A cover of the gates by cuts of at most four leaves is chosen by area flow, the area of a gate divided evenly
among its users (Manohararajah, Brown and Vranesic, 2006). A LUT belongs to the node of its gate.

A multiplexer with a constant whose only user is an output costs nothing: the register takes the constant by its
synchronous set or reset.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain

from hwmodel.datapath.graph.bits import CONSTANT, RESIZE, SHIFT, Range
from hwmodel.datapath.graph.gates import FALSE, TRUE, Gates
from hwmodel.datapath.numbers import Number, common_bits

INPUTS = 4  # of a LUT
CUTS = 6  # of a gate that are kept
LARGEST = 60_000  # bits of a graph; logic of larger ones is priced operation by operation
FEW = 4  # bits of a sum or a comparison that take no carry chain

SUMS = frozenset({"add", "sub", "neg"})
PACKED = frozenset({"and", "or", "xor", "not", "mux", "select", "shl", "shr", "eq", "lt", "min", "max", "abs"})
_LOGIC = PACKED | {CONSTANT, SHIFT, RESIZE}
Bits = list[int]  # literals, the least significant first


def packed_luts(
    operators: Sequence[str],
    operands: Sequence[tuple[int, ...]],
    numbers: Sequence[Number],
    details: Sequence[object],
    needed: Sequence[Range],
    small_sums: frozenset[int],
    outputs: Sequence[int],
) -> list[int] | None:
    """The LUTs of each node; None if the graph is too large, or has none of these operators."""
    if not (small_sums or PACKED.intersection(operators)) or sum([number.bits for number in numbers]) > LARGEST:
        return None
    packing = Packing(operators, operands, numbers, details, needed, small_sums)
    for node in packing.of_logic():
        packing.add(node)
    packing.end(outputs)
    return packing.covered()


def _seen(operators: Sequence[str], operands: Sequence[tuple[int, ...]], small_sums: frozenset[int]) -> set[int]:
    """The nodes whose bits are inputs of logic or wires."""
    return set(
        chain.from_iterable(
            [
                inputs
                for node, (operator, inputs) in enumerate(zip(operators, operands, strict=True))
                if operator in PACKED or operator in (SHIFT, RESIZE) or node in small_sums
            ]
        )
    )


@dataclass(slots=True)
class Packing:
    """A graph as gates of one bit: the literals of each node's bits; none for leaves that are not `seen`."""

    operators: Sequence[str]
    operands: Sequence[tuple[int, ...]]
    numbers: Sequence[Number]
    details: Sequence[object]
    needed: Sequence[Range]
    small_sums: frozenset[int]
    gates: Gates = field(default_factory=Gates)
    bits: list[Bits] = field(init=False)
    roots: set[int] = field(default_factory=set)  # gates whose value something that is no gate takes
    constants: dict[int, tuple[int, int, int]] = field(default_factory=dict)  # multiplexer: condition, constant, other
    inverted: dict[int, int] = field(default_factory=dict)  # leaves that an output takes inverted: by node
    seen: set[int] = field(init=False)

    def __post_init__(self) -> None:
        self.seen = _seen(self.operators, self.operands, self.small_sums)
        self.bits = [[]] * len(self.operators)

    def of_logic(self) -> list[int]:
        """The nodes that have bits, or take some: all others change nothing."""
        with_bits = {node for node, operator in enumerate(self.operators) if operator in _LOGIC}
        with_bits |= self.seen | self.small_sums
        return [
            node for node, inputs in enumerate(self.operands) if node in with_bits or not with_bits.isdisjoint(inputs)
        ]

    def add(self, node: int) -> None:
        """Add the gates of a node, and the roots that a node without logic takes."""
        self.gates.owner = node
        operator, number = self.operators[node], self.numbers[node]
        sources = self.operands[node]
        if operator not in _LOGIC and node not in self.small_sums:
            self._end_at(node)
            return
        real = number.is_float or any(self.numbers[source].is_float for source in sources)
        if operator == CONSTANT and not real:
            detail = self.details[node]
            assert isinstance(detail, int)
            self.bits[node] = [detail >> place & 1 for place in range(number.bits)]
        elif operator in (SHIFT, RESIZE) and not real:
            self.bits[node] = self._wires(node, sources[0])
        elif operator == "mux" and sources:
            self.bits[node] = self._mux(node)
        elif operator == "select" and not self.numbers[sources[0]].is_float:
            self.bits[node] = self._select(node)
        elif node in self.small_sums:
            self.bits[node] = self._sum(node)
        elif operator in ("shl", "shr"):
            self.bits[node] = self._shifted(operator, sources, number)
        elif operator in PACKED and not real:
            self.bits[node] = self._logic(operator, sources, number)
        else:
            self._end_at(node)

    def _end_at(self, node: int) -> None:
        """End LUTs at a node without logic: it takes bits, and its own are leaves."""
        self._takes(self.operands[node])
        if node in self.seen:
            self.bits[node] = self.gates.leaves(self.numbers[node].bits)

    def _takes(self, sources: Sequence[int]) -> None:
        """Make the bits of some nodes roots."""
        for source in sources:
            if bits := self.bits[source]:
                first, last = self.needed[source]
                self.roots.update([literal >> 1 for literal in bits[first:last]])

    def _extended(self, node: int, width: int) -> Bits:
        """The bits of a node in a width: with the sign repeated, or zeros."""
        bits = self.bits[node]
        above = bits[-1] if self.numbers[node].is_signed else FALSE
        return [*bits[:width], *[above] * (width - len(bits))]

    def _wires(self, node: int, source: int) -> Bits:
        detail, width = self.details[node], self.numbers[node].bits
        distance = detail if self.operators[node] == SHIFT and isinstance(detail, int) else 0
        if distance >= 0:
            return [*[FALSE] * min(distance, width), *self._extended(source, max(0, width - distance))]
        return self._extended(source, width - distance)[-distance:]

    def _mux(self, node: int) -> Bits:
        condition, then, otherwise = self.operands[node]
        (chosen,) = self.bits[condition][:1]
        width, results = self.numbers[node].bits, []
        for bit, other in zip(self._extended(then, width), self._extended(otherwise, width), strict=True):
            result = self.gates.mux(chosen, bit, other)
            if other <= TRUE < bit:
                self.constants.setdefault(result, (chosen ^ 1, other, bit))
            elif bit <= TRUE < other:
                self.constants.setdefault(result, (chosen, bit, other))
            results.append(result)
        return results

    def _select(self, node: int) -> Bits:
        """The values at the leaves of a tree of multiplexers; leaves beyond the last repeat it."""
        index, *values = self.operands[node]
        width, first = self.numbers[node].bits, self.details[node]
        assert isinstance(first, int)
        places = (first + len(values) - 1).bit_length()
        listed = [self._extended(value, width) for value in values]
        level = [listed[min(max(0, place - first), len(listed) - 1)] for place in range(1 << places)]
        for chosen in self._extended(index, places):
            pairs = zip(level[::2], level[1::2], strict=True)
            level = [list(map(self.gates.mux, [chosen] * width, high, low)) for low, high in pairs]
        return level[0]

    def _sum(self, node: int) -> Bits:
        """The bits of a small sum as logic; bits that nothing needs are unknown."""
        gates, last, width = self.gates, self.needed[node][1], self.numbers[node].bits
        bits = [self._extended(source, last) for source in self.operands[node]]
        left, right = bits if len(bits) == 2 else ([FALSE] * last, bits[0])
        carry = flip = int(self.operators[node] != "add")
        result = []
        for bit, other in zip(left, right, strict=True):
            half = gates.differ(bit, other ^ flip)
            result.append(gates.differ(half, carry))
            carry = gates.mux(half, carry, bit)
        return [*result, *gates.leaves(width - last)]

    def _shifted(self, operator: str, sources: tuple[int, ...], number: Number) -> Bits:
        """A level of multiplexers for each bit of the distance."""
        wide = max(number.bits, self.numbers[sources[0]].bits)
        above = self._extended(sources[0], wide + 1)[-1] if operator == "shr" else FALSE
        bits = self._extended(sources[0], number.bits if operator == "shl" else wide)
        for place, chosen in enumerate(self.bits[sources[1]]):
            step = min(1 << place, len(bits))
            moved = [*[FALSE] * step, *bits][: len(bits)] if operator == "shl" else [*bits[step:], *[above] * step]
            bits = [self.gates.mux(chosen, bit, other) for bit, other in zip(moved, bits, strict=True)]
        return bits[: number.bits]

    def _logic(self, operator: str, sources: tuple[int, ...], number: Number) -> Bits:
        gates = self.gates
        if operator == "eq":
            return [gates.equal(*self._pair(sources))]
        if operator == "lt":
            return [self._less(sources)]
        if operator in ("min", "max"):
            less = self._less(sources)
            left, right = (self._extended(source, number.bits) for source in sources)
            chosen = less if operator == "min" else less ^ 1
            return [gates.mux(chosen, bit, other) for bit, other in zip(left, right, strict=True)]
        bits = [self._extended(source, number.bits) for source in sources]
        if operator == "abs":
            self._takes(sources)
            negative, sign = gates.leaves(number.bits), self.bits[sources[0]][-1]
            return [gates.mux(sign, bit, other) for bit, other in zip(negative, bits[0], strict=True)]
        if operator == "not":
            return [literal ^ 1 for literal in bits[0]]
        apply = {"and": gates.both, "or": gates.either, "xor": gates.differ}[operator]
        return [apply(bit, other) for bit, other in zip(*bits, strict=True)]

    def _pair(self, sources: tuple[int, ...]) -> tuple[Bits, Bits]:
        width = 1 + max(self.numbers[source].bits for source in sources)
        left, right = (self._extended(source, width) for source in sources)
        return left, right

    def _less(self, sources: tuple[int, ...]) -> int:
        left, right = sources
        if common_bits(self.numbers[left], self.numbers[right]) > FEW:
            self._takes(sources)
            return self.gates.leaves(1)[0]
        return self.gates.less(*self._pair(sources))

    # What the LUTs end at.

    def end(self, outputs: Sequence[int]) -> None:
        """Make the bits of outputs roots, with constants as set or reset of their registers."""
        users = self.gates.users()
        resets: set[frozenset[int]] = set()
        for node in outputs:
            self.gates.owner = node
            for literal in self.bits[node]:
                conditions, value, bit = set(), -1, literal
                while bit in self.constants and bit >> 1 not in self.roots and not users[bit >> 1]:
                    condition, constant, other = self.constants[bit]
                    if value not in (-1, constant):
                        break
                    conditions.add(condition)
                    users[other >> 1] -= 1
                    value, bit = constant, other
                if conditions:
                    resets.add(frozenset(conditions))
                if bit & 1 and bit > TRUE and not self.gates.is_gate(bit >> 1):
                    self.inverted[bit >> 1] = node
                self.roots.add(bit >> 1)
        for group in resets:
            some = FALSE
            for condition in sorted(group):
                some = self.gates.either(some, condition)
            self.roots.add(some >> 1)

    def covered(self) -> list[int]:
        """The LUTs of each node."""
        luts = [0] * len(self.operators)
        for gate in self.gates.cover(self.roots, INPUTS, CUTS):
            luts[self.gates.owners[gate]] += 1
        for node in self.inverted.values():
            luts[node] += 1
        return luts
