"""The dataflow graph of one repetition of an elementary task (docs/cost.md).

Nodes are numbered so that operands come before their users. A graph is a structure of arrays: entry i of each tuple
belongs to node i, so that graphs of 100,000 nodes are built and traversed quickly.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from arrayol.ir.types import ElementType, Kind
from arrayol.source import Span
from hwmodel.datapath.graph.bits import logic_bits, needed_ranges, zeros_at_the_end
from hwmodel.datapath.graph.digits import plan_of
from hwmodel.datapath.graph.packing import FEW, PACKED, SUMS, packed_luts
from hwmodel.datapath.graph.sorts import Ints, NodeClasses, sorts_of
from hwmodel.datapath.numbers import Number, common_bits
from hwmodel.datapath.operators.bins import BIN_NODES, bins_in
from hwmodel.datapath.operators.registry import NODES

# Operators that are no hardware: data that come from outside, and wires.
INPUT, CONSTANT = "input", "constant"
SHIFT, RESIZE = "shift", "resize"  # by a constant, left where positive; to another number, keeping its low bits
FREE = frozenset({INPUT, CONSTANT, SHIFT, RESIZE})
ACCESS = "access"  # a read of the local memory, mostly at a place that data decide

_BITS_ONLY = frozenset({"mux", "select", ACCESS})  # the same hardware for floats and integers of as many bits


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation as technologies price it: an operator (with its type, if it is no integer), and formula variables.

    `w` is the bits of the widest operand or result, `a` and `b` those of the first two operands, `n` those of the
    result, `k` the nonzero signed digits of a constant or the inputs of a selection. For a product with a constant or a
    quotient by one, `adders` is the number of its adders and `adder_bits` their bits (digits.py). `luts` is the number
    of four-input LUTs with its logic, beside carry chains, after packing with the operators around it (packing.py).
    `chain` is the bits of its carry chain, 0 without one.
    """

    operator: str
    w: int
    a: int
    b: int
    n: int
    k: int
    adders: int = 0
    adder_bits: int = 0
    luts: int = 0
    chain: int = 0


@dataclass(frozen=True, eq=False)
class Graph:
    """Nodes, and their connections to ports.

    The value of an integer node is that of its operator on its operands' values, wrapped into the range of its number.
    `div`, `divc` and a shift to the right round down, and `mod` is the remainder of that. `not` inverts the bits of its
    number. `mux` has condition, then, otherwise; `select` an index and the values at the indices from its detail on.

    `details` are for an input its (port, place) in `inputs`; for a constant its bits as an integer (signed ones as
    their value); for SHIFT the distance; for `mulc`, `divc` of integers the constant; for `fscale` the exponent; for
    `access` (port, part), which reads the element of its operand, row-major; for `select` the first index; else None.
    Nodes of a memory in the unit have it (operators/bins.py), those of sums and of reads with a number. A sum has an
    index, a value and a condition. All sums are operands of `bins_full`, which is that of the reads.

    `inputs` and `outputs` have for each port the node of each element, row-major; those of complex ports are real and
    imaginary part in turn, so that element j has the places `parts * j` and after. An input that nothing reads has -1.
    `types` are those of the ports.
    """

    name: str
    operators: tuple[str, ...]
    operands: tuple[tuple[int, ...], ...]
    numbers: tuple[Number, ...]
    details: tuple[object, ...]
    spans: tuple[Span | None, ...] = field(repr=False)
    inputs: Mapping[str, tuple[int, ...]]
    outputs: Mapping[str, tuple[int, ...]]
    types: Mapping[str, ElementType] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.operators)

    def parts(self, port: str) -> int:
        """The number of nodes of an element of a port: two if it is complex."""
        return 2 if port in self.types and self.types[port].kind is Kind.COMPLEX else 1

    def operation(self, node: int) -> Operation | None:
        """The operation of a node as technologies price it; None if it is free."""
        return self.operations[node]

    def lookups(self, port: str) -> int:
        """The number of elements of an input for which a repetition asks its memory."""
        nodes = zip(self.operators, self.operands, self.details, strict=True)
        asked = ((operands, detail) for operator, operands, detail in nodes if operator == ACCESS)
        return len({operands for operands, detail in asked if isinstance(detail, tuple) and detail[0] == port})

    @cached_property
    def sorts(self) -> NodeClasses:
        """The classes of like nodes."""
        details = self.details
        if not BIN_NODES.isdisjoint(self.operators):  # nodes of one memory are alike
            pairs = zip(self.operators, details, strict=True)
            details = tuple([bins_in(*pair) if pair[0] in BIN_NODES else pair[1] for pair in pairs])
        return sorts_of(self.operators, self.operands, self.numbers, details, _WITH_CONSTANT | {SHIFT} | BIN_NODES)

    @cached_property
    def _ranges(self) -> tuple[Ints, Ints]:
        outputs = [node for places in self.outputs.values() for node in places]
        return needed_ranges(self.sorts, self.operands, self.numbers, self.details, outputs)

    @cached_property
    def needed(self) -> tuple[tuple[int, int], ...]:
        """The bits of each node that something needs, from the first to before the last."""
        low, high = self._ranges
        return tuple(zip(low.tolist(), high.tolist(), strict=True))

    @cached_property
    def needed_bits(self) -> Ints:
        """The number of bits of each node that something needs.

        Fewer than its number has before wires that drop bits.
        """
        low, high = self._ranges
        return high - low

    @cached_property
    def luts(self) -> tuple[int, ...]:
        """The four-input LUTs with the logic of each node; in too large graphs, node by node without packing."""
        outputs = [node for places in self.outputs.values() for node in places]
        packed = packed_luts(
            self.operators, self.operands, self.numbers, self.details, self.needed, self.small_sums, outputs
        )
        if packed is None:
            packed = [0] * len(self)
            for node in {*self.sorts.nodes_of(PACKED).tolist(), *self.small_sums}:
                packed[node] = self._bits_of_logic(node)
        return tuple(packed)

    @cached_property
    def small_sums(self) -> frozenset[int]:
        """Sums of integers with so few bits that they take no carry chain."""
        sorts = self.sorts
        sums = sorts.nodes_of(SUMS)
        ends_in_zeros = np.zeros(len(self), bool)
        ends_in_zeros[sorts.nodes_of(_ENDS_IN_ZEROS)] = True
        operands = [ends_in_zeros[sorts.operands[sorts.starts[sums] + place]] for place in (0, sorts.sizes[sums] - 1)]
        sums = sums[(self._ranges[1][sums] <= FEW) | operands[0] | operands[1]]
        return frozenset(
            [node for node in sums.tolist() if not self.numbers[node].is_float and self._logic_bits(node) <= FEW]
        )

    def _logic_bits(self, node: int) -> int:
        """The bits of a sum or a bit operation that take logic."""
        operands = self.operands[node]
        numbers, zeros = [self.numbers[operand] for operand in operands], list(map(self._zeros, operands))
        return logic_bits(self.operators[node], self.needed[node], numbers, zeros)

    @cached_property
    def operations(self) -> tuple[Operation | None, ...]:
        """The operations of all nodes (None for free ones). Equal operations are one object."""
        different, places = self.different_operations
        return tuple(map((*different, None).__getitem__, places.tolist()))

    @cached_property
    def different_operations(self) -> tuple[tuple[Operation, ...], Ints]:
        """The distinct operations, as the nodes first need them, and the index of each node's operation, -1 if free."""
        sorts, (low, high) = self.sorts, self._ranges
        priced = np.ones(len(self), bool)
        priced[sorts.nodes_of(FREE)] = False
        nodes = np.flatnonzero(priced)
        most = int(sorts.bits.max(initial=0)) + 1
        key = (sorts.of * most + low) * most + high
        for detail in self._details():
            _, key = np.unique(key, return_inverse=True)
            key = key * (int(detail.max(initial=0)) + 2) + detail + 1
        _, first, alike = np.unique(key[nodes], return_index=True, return_inverse=True)
        order = np.argsort(first)
        known: dict[tuple[object, ...], Operation] = {}
        operations = [self._known_operation(node, known) for node in nodes[first[order]].tolist()]
        different = {id(operation): operation for operation in operations}
        listed = {identity: place for place, identity in enumerate(different)}
        places = np.full(len(self), -1, np.int64)
        ranks = np.empty(len(order), np.int64)
        ranks[order] = [listed[id(operation)] for operation in operations]
        places[nodes] = ranks[alike]
        return tuple(different.values()), places

    def _details(self) -> Iterator[Ints]:
        """Further values on which the prices of nodes depend, beside their sort and needed bits, if there are any."""
        sorts = self.sorts
        floats = np.array([self.numbers[node].is_float for node in sorts.first.tolist()], bool)[sorts.of]
        logic = np.zeros(len(self), bool)
        logic[sorts.nodes_of(PACKED)] = True
        logic[floats] = False
        logic[sorts.nodes_of(frozenset({"mux"}))] = True
        logic[list(self.small_sums)] = True
        if logic.any():
            yield np.where(logic, np.array(self.luts, np.int64), -1)
        ends_in_zeros = np.zeros(len(self), bool)
        ends_in_zeros[sorts.nodes_of(_ENDS_IN_ZEROS)] = True
        asked = np.zeros(len(self), bool)
        asked[sorts.nodes_of(_OF_OPERANDS)] = True
        asked &= ~floats
        for place in (0, 1):
            some = np.flatnonzero(asked & (sorts.sizes > place))
            operands = sorts.operands[sorts.starts[some] + place]
            ending = np.full(len(self), -1, np.int64)
            ending[some] = np.where(ends_in_zeros[operands], operands, -1)
            if (ending >= 0).any():
                yield ending

    def _known_operation(self, node: int, known: dict[tuple[object, ...], Operation]) -> Operation:
        """The operation of a node that is not free; a known one if there is an equal one."""
        operator, operands, number = self.operators[node], self.operands[node], self.numbers[node]
        detail, needed = self.details[node], self.needed[node]
        bins = bins_in(operator, detail)
        if bins is not None:
            access = Operation(operator, bins.bits, bins.address_bits, bins.bits, bins.bits, bins.words)
            return known.setdefault((operator, bins), access)
        numbers = [self.numbers[operand] for operand in operands]
        if operator == "eq" and any(self.operators[operand] == CONSTANT for operand in operands):
            numbers = [_half(each) for each in numbers]
        if operator in _OF_BITS and not number.is_float:
            own = self._logic_bits(node)
        else:
            own = needed[1] - needed[0] if operator == "mux" else needed[1]
        if operator in SUMS and not number.is_float:
            luts, chain = 0, own
        elif NODES[operator].like in PACKED | SUMS and not number.is_float:
            luts, chain = own, max(number.bits, *(each.bits for each in numbers))
        else:
            luts, chain = self._logic(node)
        if node in self.small_sums:
            luts, chain = self.luts[node], 0
        key = (
            operator,
            luts,
            chain,
            *[each.bits for each in numbers],
            own,
            number.kind,
            numbers[0].kind,
            detail if operator in _WITH_CONSTANT else number.bits,
        )
        operation = known.get(key)
        if operation is None:
            operation = self._operation(operator, numbers, number, detail, own)
            operation = known[key] = replace(operation, luts=luts, chain=chain)
        return operation

    def _logic(self, node: int) -> tuple[int, int]:
        """LUTs beside carry chains, and the bits of the carry chain of a comparison or a magnitude."""
        operator = self.operators[node]
        if self.numbers[node].is_float and NODES[operator].float_row:
            return 1, 0
        if operator not in PACKED or (self.numbers[node].is_float and operator != "mux"):
            return 0, 0
        if operator == "abs":
            return self.luts[node], self.numbers[node].bits
        if operator not in ("lt", "min", "max"):
            return self.luts[node], 0
        left, right = (self.numbers[operand] for operand in self.operands[node])
        if left.is_float or right.is_float:
            return 0, 0
        chain = common_bits(left, right)
        return self.luts[node], chain if chain > FEW else 0

    def _bits_of_logic(self, node: int) -> int:
        """An estimate of the LUTs of a node in a graph that is not packed."""
        first, last = self.needed[node]
        operator = self.operators[node]
        if operator == "eq":
            return -(-7 * self.numbers[self.operands[node][0]].bits // 10)  # two bits in a LUT, and what joins them
        if operator == "select":
            return (len(self.operands[node]) - 2) * max(0, last - first)
        if operator in ("shl", "shr"):
            return self.numbers[self.operands[node][1]].bits * max(0, last - first)
        return 0 if operator in ("lt", "not") else max(0, last - first)

    def _zeros(self, node: int) -> int:
        """The number of low bits of a node that are always zero."""
        inner = self.operands[node][0] if self.operands[node] else -1
        return zeros_at_the_end(self.operators[node], self.details[node], lambda: self._zeros(inner))

    @staticmethod
    def _operation(  # noqa: PLR0911  a case per kind of operator
        operator: str, sources: list[Number], number: Number, detail: object, own: int
    ) -> Operation:
        """The operation of a node; `own` bits of its result take logic or, if that is unknown, are needed."""
        source, bits = sources[0], [each.bits for each in sources]
        if operator in _BITS_ONLY:
            return _selection(operator, bits, own)
        if operator == "cvt":
            name = f"cvt.{_suffix(source) or 'i'}.{_suffix(number) or 'i'}"
            return Operation(name, max(source.bits, number.bits), source.bits, source.bits, number.bits, 1)
        if source.is_float:
            if row := NODES[operator].float_row:  # a gate for the sign bit
                return Operation(row, 1, 1, 1, 1, 1)
            width = source.bits
            return Operation(f"{operator}.{_suffix(source)}", width, width, width, number.bits, 1)
        if operator in _WITH_CONSTANT:
            assert isinstance(detail, int)
            return _with_constant(operator, source, detail, number, own)
        second = bits[1] if len(bits) > 1 else bits[0]
        if operator in _OF_BITS:
            return Operation(operator, max(1, own), bits[0], second, own, 1)
        return Operation(operator, max(*bits, number.bits), bits[0], second, number.bits, 1)


def _half(number: Number) -> Number:
    """The number with half the bits, since a comparison with a constant takes half the inputs."""
    return number if number.is_float else Number("unsigned", -(-number.bits // 2))


_OF_BITS = frozenset({"add", "sub", "neg", "and", "or", "xor", "not"})
_OF_OPERANDS = _OF_BITS | {"eq"}  # whose price depends on what their operands are, besides their numbers
_ENDS_IN_ZEROS = frozenset({CONSTANT, SHIFT, "mulc"})
_WITH_CONSTANT = frozenset({"mulc", "divc"})


def _selection(operator: str, bits: list[int], result: int) -> Operation:
    """Multiplexers and reads of the local memory: the bits that are carried, and the number of inputs."""
    inputs = {"mux": 2, "select": len(bits) - 1}.get(operator, 1)
    return Operation(operator, result, bits[0], bits[-1], result, inputs)


def _with_constant(operator: str, x: Number, constant: int, number: Number, own: int) -> Operation:
    """A product with a constant; a quotient by one is a product with its reciprocal."""
    factor = constant if operator == "mulc" else reciprocal(x.bits, constant)[0]
    plan, bits = plan_of(factor), own if operator == "mulc" else x.bits + factor.bit_length()
    adder_bits = plan.adder_bits(x, bits)
    width, other = max(x.bits, number.bits), abs(constant).bit_length()
    return Operation(operator, width, x.bits, other, number.bits, len(plan.digits), len(adder_bits), sum(adder_bits))


def quotient_number(bits: int, divisor: int) -> Number:
    """The number of a quotient whose dividend has so many bits."""
    return Number("unsigned", max(1, bits - divisor.bit_length() + 1))


def _suffix(number: Number) -> str:
    return f"f{number.bits}" if number.is_float else ""


def reciprocal(bits: int, divisor: int) -> tuple[int, int]:
    """The m and h such that x // divisor = x m // 2^h for all 0 <= x < 2^bits.

    m = (2^h + e) / c with 0 < e <= c, so x m / 2^h is above x / c by x e / (c 2^h) <= x / 2^h < 1 / c: the next
    multiple is not reached, since h = bits + bits of c.
    """
    shift = bits + divisor.bit_length()
    return (1 << shift) // divisor + 1, shift
