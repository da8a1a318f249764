"""Operators, functions and conversions of the language on lists of nodes, by the type of their operands.

A value is a list with a node for each point; a complex one is a pair of lists. A complex product and quotient are those
of execute/arithmetic.py, each real operation rounded:
    (a + bi) (c + di) = (ac - bd) + (ad + bc) i
    (a + bi) / (c + di) = (ac + bd) / (cc + dd) + ((bc - ad) / (cc + dd)) i
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from arrayol.ir.types import ElementType, Kind
from hwmodel.datapath.graph.arrays import code_of
from hwmodel.datapath.graph.floats import Floats
from hwmodel.datapath.graph.integers import Integers
from hwmodel.datapath.graph.nodes import Nodes
from hwmodel.datapath.graph.numbers import BOOL

Value = Any  # list[int], or a pair of them where complex

_REAL = {"+": "add", "-": "sub", "*": "mul", "/": "div", "//": "floordiv", "%": "mod"}
_BITS = {"&": "and", "|": "or", "^": "xor", "and": "and", "or": "or"}
_COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})


@dataclass(slots=True)
class Operations:
    """Builds the nodes of operators on values of one type."""

    nodes: Nodes
    integers: Integers = field(init=False)
    floats: Floats = field(init=False)

    def __post_init__(self) -> None:
        self.integers = Integers(self.nodes)
        self.floats = Floats(self.nodes, self.integers)

    def unary(self, sign: str, value: Value, kind: ElementType) -> Value:
        """- ~ not."""
        code = code_of(kind)
        if kind.kind is Kind.COMPLEX:
            return tuple([self.floats.unary("neg", node, code) for node in part] for part in value)
        if kind.kind is Kind.FLOAT:
            return [self.floats.unary("neg", node, code) for node in value]
        apply = self.integers.neg if sign == "-" else self.integers.invert
        return [apply(node, code) for node in value]

    def binary(self, sign: str, left: Value, right: Value, kind: ElementType, result: ElementType) -> Value:
        """An operator with two operands of type `kind`; of fixed-point products and shifts `result` has the bits."""
        if kind.kind is Kind.COMPLEX:
            return self._complex(sign, left, right, code_of(kind))
        if kind.kind is Kind.FLOAT:
            if sign in _COMPARISONS:
                return [self.floats.compared(sign, a, b) for a, b in zip(left, right, strict=True)]
            return self.floats.each(_REAL[sign], left, right, code_of(kind))
        if sign in _COMPARISONS:
            return self._compared(sign, left, right)
        code = code_of(result)
        apply = self._integer_operator(sign)
        return [apply(a, b, code) for a, b in zip(left, right, strict=True)]

    def _integer_operator(self, sign: str) -> Callable[[int, int, int], int]:
        integers = self.integers
        known: dict[str, Callable[[int, int, int], int]] = {
            "+": integers.add,
            "-": integers.sub,
            "*": integers.mul,
            "//": integers.div,
            "%": integers.mod,
        }
        if sign in known:
            return known[sign]
        if sign in ("<<", ">>"):
            operator = "shl" if sign == "<<" else "shr"
            return lambda a, b, code: integers.shift_by(operator, a, b, code)
        bits = _BITS[sign]
        return lambda a, b, code: integers.bit(bits, a, b, code)

    def _compared(self, sign: str, left: Value, right: Value) -> Value:
        integers = self.integers
        if sign in (">", "<="):
            left, right = right, left
        apply = integers.equal if sign in ("==", "!=") else integers.less
        results = [apply(a, b) for a, b in zip(left, right, strict=True)]
        return results if sign in ("==", "<", ">") else [integers.opposite(node) for node in results]

    def _complex(self, sign: str, left: Value, right: Value, code: int) -> Value:
        (a, b), (c, d) = left, right
        each = self.floats.each
        if sign in ("+", "-"):
            operator = _REAL[sign]
            return each(operator, a, c, code), each(operator, b, d, code)
        if sign in ("==", "!="):
            equal = self.floats.compared
            both = [
                self.integers.bit("and", equal("==", *real), equal("==", *imaginary), BOOL)
                for real, imaginary in zip(zip(a, c, strict=True), zip(b, d, strict=True), strict=True)
            ]
            return both if sign == "==" else [self.integers.opposite(node) for node in both]
        products = {pair: each("mul", one, other, code) for pair, (one, other) in _pairs(a, b, c, d)}
        if sign == "*":
            return (
                each("sub", products["ac"], products["bd"], code),
                each("add", products["ad"], products["bc"], code),
            )
        norm = each("add", each("mul", c, c, code), each("mul", d, d, code), code)
        real = each("add", products["ac"], products["bd"], code)
        imaginary = each("sub", products["bc"], products["ad"], code)
        return each("div", real, norm, code), each("div", imaginary, norm, code)

    # Functions.

    def function(self, name: str, arguments: Sequence[Value], kind: ElementType, result: ElementType) -> Value:
        """A function of the language but round and sat; `kind` is the type of the arguments."""
        if name in ("real", "imag", "conj", "c64", "c128"):
            return self._parts(name, arguments, code_of(result))
        if name in ("min", "max"):
            return self._extreme(name, arguments, kind)
        (argument,) = arguments
        if kind.kind is Kind.COMPLEX:
            return self.floats.each("hypot", argument[0], argument[1], code_of(kind))
        code = code_of(kind)
        if kind.kind is Kind.FLOAT:
            return [self.floats.unary(name, node, code) for node in argument]
        return [self.integers.abs(node, code) for node in argument]

    def _parts(self, name: str, arguments: Sequence[Value], code: int) -> Value:
        if name in ("c64", "c128"):
            return tuple(arguments)
        real, imaginary = arguments[0]
        if name == "conj":
            return real, [self.floats.unary("neg", node, code) for node in imaginary]
        return real if name == "real" else imaginary

    def _extreme(self, name: str, arguments: Sequence[Value], kind: ElementType) -> Value:
        value = arguments[0]
        for other in arguments[1:]:
            if kind.kind is Kind.FLOAT:
                value = self.floats.each(name, value, other, code_of(kind))
            else:
                value = [self.integers.extreme(name, a, b) for a, b in zip(value, other, strict=True)]
        return value

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
            one, zero = (self.floats.constant(value, code) for value in (2.0**-fraction, 0))
            return self.integers.mux(node, one, zero)
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


def _pairs(a: Value, b: Value, c: Value, d: Value) -> list[tuple[str, tuple[Value, Value]]]:
    return [("ac", (a, c)), ("bd", (b, d)), ("ad", (a, d)), ("bc", (b, c))]
