"""Operators, functions and conversions of the language on lists of nodes, by the type of their operands.

A value is a list with a node for each point; a complex value is a pair of lists. The record of an operator
(hwmodel/datapath/operators/) says which nodes it becomes.

`x + 0` is no wire, since -0 + 0 is 0: it is `fpos0`, which clears the sign of a zero, unless x is never -0. A sum is
never -0 if one of its operands is not. `x * 2**k` is `fscale`, which changes the exponent. The bits of NaN are not
guaranteed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from arrayol.errors import error
from arrayol.ir.types import ElementType, Kind
from arrayol.operators.registry import FUNCTIONS
from hwmodel.datapath.graph.arrays import code_of
from hwmodel.datapath.graph.integers import Integers
from hwmodel.datapath.graph.nodes import Nodes, scalar
from hwmodel.datapath.numbers import BOOL, F32, F64, NUMBERS
from hwmodel.datapath.operators.record import OperatorNodes
from hwmodel.datapath.operators.registry import DATAPATHS, NODES

_LARGEST = {F32: 24, F64: 53}  # bits of a mantissa: floats from 2**bits on are integers


@dataclass(slots=True)
class Floats:
    """Builds float nodes. `code` is that of the type (numbers.py)."""

    nodes: Nodes
    integers: Integers

    def each(self, operator: str, left: Sequence[int], right: Sequence[int], code: int) -> list[int]:
        """A binary operation on each pair of nodes."""
        nodes = self.nodes
        table, constants, positive = nodes.table, nodes.floats, nodes.positive_zero
        records, low, high, span = nodes.records, nodes.low, nodes.high, nodes.span
        commutes, sums = NODES[operator].commutes_real, operator == "add"
        results = []  # the hot loop of bodies of floats: what Nodes.real does stands here
        for a, b in zip(left, right, strict=True):
            if a in constants or b in constants or operator == "sub":
                results.append(self.binary(operator, a, b, code))
                continue
            operands = (b, a) if commutes and b < a else (a, b)
            key = (operator, code, operands, None)
            known = table.get(key)
            if known is None:
                above = (positive[a] or positive[b]) if sums else (a == b and operator == "mul")
                known = table[key] = len(records)
                records.append((operator, operands, code, None, span))
                low.append(0)
                high.append(1)
                positive.append(above)
            results.append(known)
        return results

    def binary(self, operator: str, a: int, b: int, code: int) -> int:
        """A binary operation on two nodes."""
        nodes = self.nodes
        first, second = nodes.floats.get(a), nodes.floats.get(b)
        if first is not None and second is not None:
            with np.errstate(all="ignore"):
                return nodes.real_constant(_on_floats(operator)(first, second))
        if operator in _RULES and (first is not None or second is not None):
            known = getattr(self, _RULES[operator])(a, b, code)
            if known is not None:
                return int(known)
        operands = (b, a) if NODES[operator].commutes_real and b < a else (a, b)
        return nodes.real(operator, operands, code, positive=self._is_positive_zero(operator, a, b))

    def _is_positive_zero(self, operator: str, a: int, b: int) -> bool:
        """Whether the result is never -0."""
        positive = self.nodes.positive_zero
        match operator:
            case "add":
                return positive[a] or positive[b]
            case "sub":
                return positive[a]
            case "mul":
                return a == b
            case "min" | "max":
                return positive[a] and positive[b]
        return False

    def _sum(self, a: int, b: int, code: int) -> int | None:
        x, constant = (a, self.nodes.floats[b]) if b in self.nodes.floats else (b, self.nodes.floats[a])
        if constant != 0:
            return None
        return x if np.signbit(constant) else self.without_negative_zero(x, code)

    def _difference(self, a: int, b: int, code: int) -> int | None:
        if b in self.nodes.floats:
            constant = self.nodes.floats[b]
            if constant != 0:
                return None
            return self.without_negative_zero(a, code) if np.signbit(constant) else a
        constant = self.nodes.floats[a]
        if constant != 0:
            return None
        negative = self.unary("neg", b, code)
        return negative if np.signbit(constant) else self.without_negative_zero(negative, code)

    def without_negative_zero(self, a: int, code: int) -> int:
        """The node of x + 0."""
        if self.nodes.positive_zero[a]:
            return a
        return self.nodes.real("fpos0", (a,), code, positive=True)

    def _product(self, a: int, b: int, code: int) -> int:
        x, c = (a, b) if b in self.nodes.floats else (b, a)
        exponent = _power(self.nodes.floats[c])
        if exponent is not None:
            return self._scaled(x, self.nodes.floats[c] < 0, exponent, code)
        return self.nodes.real("mulc", (x, c), code)

    def _quotient(self, a: int, b: int, code: int) -> int | None:
        if b not in self.nodes.floats:
            return None
        exponent = _power(self.nodes.floats[b])
        return None if exponent is None else self._scaled(a, self.nodes.floats[b] < 0, -exponent, code)

    def _scaled(self, a: int, negative: bool, exponent: int, code: int) -> int:
        return self.scale(self.unary("neg", a, code) if negative else a, exponent, code)

    def scale(self, a: int, exponent: int, code: int) -> int:
        """A float times 2**exponent, rounded once where it becomes subnormal."""
        nodes = self.nodes
        if exponent == 0:
            return a
        if a in nodes.floats:
            with np.errstate(all="ignore"):
                return nodes.real_constant(np.ldexp(nodes.floats[a], exponent))
        above = exponent > 0 and nodes.positive_zero[a]  # a small negative number may become -0
        return nodes.real("fscale", (a,), code, positive=above, detail=exponent)

    def unary(self, operator: str, a: int, code: int) -> int:
        nodes = self.nodes
        if a in nodes.floats:
            with np.errstate(all="ignore"):
                return nodes.real_constant(_on_floats(operator)(nodes.floats[a].reshape(1)).reshape(())[()])
        inner, operands = nodes.records[a][0], nodes.records[a][1]
        if operator == "neg" and inner == "neg":
            return operands[0]
        if operator == "abs" and inner in ("neg", "abs"):
            return self.unary("abs", operands[0], code)
        positive = operator in ("abs", "exp", "cos") or (operator in ("sqrt", "log") and nodes.positive_zero[a])
        return nodes.real(operator, (a,), code, positive=positive)

    def compared(self, sign: str, a: int, b: int) -> int:
        """One of == != < <= > >=; of these only != holds for NaN."""
        integers = self.integers
        match sign:
            case "<":
                return self._decided("lt", a, b)
            case ">":
                return self._decided("lt", b, a)
            case "==":
                return self._decided("eq", a, b)
            case "!=":
                return integers.opposite(self._decided("eq", a, b))
        if sign == ">=":
            a, b = b, a
        return integers.bit("or", self._decided("lt", a, b), self._decided("eq", a, b), BOOL)

    def _decided(self, operator: str, a: int, b: int) -> int:
        nodes = self.nodes
        if a in nodes.floats and b in nodes.floats:
            x, y = nodes.floats[a], nodes.floats[b]
            return nodes.constant(int(x < y if operator == "lt" else x == y))
        operands = (b, a) if operator == "eq" and b < a else (a, b)
        return nodes.typed(operator, operands, BOOL, (0, 1))

    # Conversions.

    def from_integer(self, a: int, fraction: int, code: int) -> int:
        """A stored integer as a float: rounded once, then scaled."""
        nodes = self.nodes
        if nodes.is_constant(a):
            value = _rounded(nodes.low[a], code)
            return nodes.real_constant(np.ldexp(value, -fraction) if fraction else value)
        return self.scale(nodes.real("cvt", (a,), code, positive=True), -fraction, code)

    def to_integer(self, a: int, fraction: int, code: int, low: int, high: int) -> int:
        """A float times 2**fraction as an integer low..high, truncated."""
        nodes = self.nodes
        scaled = self.scale(a, fraction, nodes.code(a))
        if scaled in nodes.floats:
            value = nodes.floats[scaled]
            whole = int(value) if np.isfinite(value) else low
            return nodes.constant(whole if low <= whole <= high else low)  # out of range: `run` refuses to
        return nodes.typed("cvt", (scaled,), code, (low, high))

    def to_float(self, a: int, code: int) -> int:
        """A float converted to another float type."""
        nodes = self.nodes
        if nodes.code(a) == code:
            return a
        if a in nodes.floats:
            with np.errstate(all="ignore"):
                return nodes.real_constant(scalar(nodes.floats[a], code))
        above = code == F64 and nodes.positive_zero[a]
        return nodes.real("cvt", (a,), code, positive=above)

    def constant(self, value: float, code: int) -> int:
        return self.nodes.real_constant(scalar(value, code))

    def rounded(self, a: int, bits: int, code: int) -> int:
        """The value floor(x 2**bits + 1/2) / 2**bits; from 2**mantissa on each float is an integer, and stays."""
        scaled = self.scale(a, bits, code)
        whole = self.unary("floor", scaled, code)
        remainder = self.binary("sub", scaled, whole, code)
        upwards = self.compared(">=", remainder, self.constant(0.5, code))
        step = self.integers.mux(upwards, self.constant(1, code), self.constant(0, code))
        nearest = self.scale(self.binary("add", whole, step, code), -bits, code)
        small = self.compared("<", self.unary("abs", a, code), self.constant(2.0 ** _LARGEST[code], code))
        return self.integers.mux(small, nearest, a)


_RULES = {"add": "_sum", "sub": "_difference", "mul": "_product", "div": "_quotient"}  # with a constant operand


def _on_floats(operator: str) -> Callable[..., Any]:
    compute = NODES[operator].floats
    assert compute is not None
    return compute


def _power(value: Any) -> int | None:
    """The k for a float that is 2**k or -2**k; None for others."""
    if not np.isfinite(value) or value == 0:
        return None
    mantissa, exponent = math.frexp(float(value))
    return exponent - 1 if abs(mantissa) == 0.5 else None


def _rounded(value: int, code: int) -> Any:
    """The NumPy float nearest to a 64-bit integer."""
    stored = np.uint64(value) if value >= 1 << 63 else np.int64(value)
    return stored.astype(f"f{NUMBERS[code].bits // 8}")


Value = Any  # list[int], or a pair of them where complex


@dataclass(slots=True)
class Operations:
    """Builds the nodes of operators on values of one type."""

    nodes: Nodes
    integers: Integers = field(init=False)
    floats: Floats = field(init=False)

    def __post_init__(self) -> None:
        self.integers = Integers(self.nodes)
        self.floats = Floats(self.nodes, self.integers)

    def operation(self, name: str, operands: Sequence[Value], kind: ElementType, result: ElementType) -> Value:
        """An operator with one or two operands of type `kind`. Raises ArrayolError (`missing-operator`)."""
        return self._built(DATAPATHS.get((name, len(operands))), name, operands, kind, result)

    def function(self, name: str, arguments: Sequence[Value], kind: ElementType, result: ElementType) -> Value:
        """A function of the language except round and sat; `kind` is the type of the arguments.

        Raises ArrayolError (`missing-operator`).
        """
        if name not in FUNCTIONS:  # c64 and c128 of their parts
            return tuple(arguments)
        return self._built(DATAPATHS.get((name, 0)), name, arguments, kind, result)

    def _built(
        self,
        datapath: OperatorNodes | None,
        name: str,
        operands: Sequence[Value],
        kind: ElementType,
        result: ElementType,
    ) -> Value:
        build, code = None, code_of(kind)
        if datapath is not None:
            if kind.kind is Kind.COMPLEX:
                build = datapath.complex
            elif kind.kind is Kind.FLOAT:
                build = datapath.floats
            else:
                build, code = datapath.integers, code_of(result)
        if build is None:
            message, hint = f"no datapath of '{name}' of {kind} is known", "give the task an entry in the platform"
            raise error("missing-operator", message, self.nodes.span, hint=hint)
        return build(self, operands, code)

    def mux(self, condition: Sequence[int], then: Value, otherwise: Value) -> Value:
        """`then` where the condition holds, for each point."""
        if isinstance(then, tuple):
            return tuple(self.mux(condition, *parts) for parts in zip(then, otherwise, strict=True))
        apply = self.integers.mux
        return [apply(*three) for three in zip(condition, then, otherwise, strict=True)]

    # Conversions.

    def converted(  # noqa: PLR0911  a case per pair of kinds
        self, value: Value, source: ElementType, target: ElementType
    ) -> Value:
        """Values of one type as those of another."""
        if source is target:
            return value
        code = code_of(target)
        if source.kind is Kind.COMPLEX:
            if target.kind is Kind.COMPLEX:
                return tuple([self.floats.to_float(node, code) for node in part] for part in value)
            return self.converted(value[0], _component(source), target)
        if target.kind is Kind.COMPLEX:
            part = self.converted(value, source, _component(target))
            return part, [self.floats.constant(0, code)] * len(part)
        if source.kind is Kind.FLOAT:
            return self._of_floats(value, source, target)
        if target.kind is Kind.FLOAT:
            return [self._as_float(node, source.fraction, code) for node in value]
        if target is ElementType.BOOL:
            zero = self.nodes.constant(0)
            return [self.integers.opposite(self.integers.equal(node, zero)) for node in value]
        places = target.fraction - source.fraction
        return [self.integers.shifted(node, places, code) for node in value]

    def _as_float(self, node: int, fraction: int, code: int) -> int:
        if (self.nodes.low[node], self.nodes.high[node]) == (0, 1):
            scale, zero = (self.floats.constant(value, code) for value in (2.0**-fraction, 0))
            return self.integers.mux(node, scale, zero)
        return self.floats.from_integer(node, fraction, code)

    def _of_floats(self, value: Value, source: ElementType, target: ElementType) -> Value:
        code = code_of(target)
        if target.kind is Kind.FLOAT:
            return [self.floats.to_float(node, code) for node in value]
        if target is ElementType.BOOL:
            zero = self.floats.constant(0, code_of(source))
            return [self.floats.compared("!=", node, zero) for node in value]
        low, high = target.integer_range
        return [self.floats.to_integer(node, target.fraction, code, low, high) for node in value]

    def rounded(self, value: Value, bits: int, source: ElementType, target: ElementType) -> Value:
        """Numbers to so many bits after the point, halves upwards: floor(x 2**bits + 1/2) / 2**bits."""
        code = code_of(target)
        if source.kind is Kind.FLOAT:
            return [self.floats.rounded(node, bits, code) for node in value]
        places, integers = bits - source.fraction, self.integers
        if places >= 0:
            return [integers.shifted(node, places, code) for node in value]
        results = []
        for node in value:
            half = integers.resize(integers.shifted(node, places + 1, self.nodes.code(node)), BOOL)
            results.append(integers.add(integers.shifted(node, places, code), half, code))
        return results

    def saturated(self, value: Value, source: ElementType, target: ElementType) -> Value:
        """The nearest values that a type has."""
        low, high = target.integer_range
        if source.kind is Kind.FLOAT:
            return [self._saturated_float(node, target) for node in value]
        integers, constant, code = self.integers, self.nodes.constant, code_of(target)
        places = target.fraction - source.fraction
        results = []
        for node in value:
            if places <= 0:
                kept = integers.shifted(node, places, self.nodes.code(node))
                results.append(integers.extreme("max", integers.extreme("min", kept, constant(high)), constant(low)))
                continue
            below = integers.less(node, constant(-(-low >> places)))
            above = integers.less(constant(high >> places), node)
            kept = integers.mux(below, constant(low), integers.shifted(node, places, code))
            results.append(integers.mux(above, constant(high), kept))
        return results

    def _saturated_float(self, node: int, target: ElementType) -> int:
        """Ends are compared before the fraction is cut off: what lies between an end and the next float is that end."""
        low, high = target.integer_range
        floats, integers, own = self.floats, self.integers, self.nodes.code(node)
        scaled = floats.scale(node, target.fraction, own)
        below = floats.compared("<", scaled, floats.constant(low, own))
        inside = floats.compared("<", scaled, floats.constant(high + 1, own))
        kept = floats.to_integer(scaled, 0, code_of(target), low, high)
        kept = integers.mux(inside, kept, self.nodes.constant(high))
        return integers.mux(below, self.nodes.constant(low), kept)


def _component(kind: ElementType) -> ElementType:
    return ElementType.F32 if kind is ElementType.C64 else ElementType.F64
