"""Operators, functions and conversions of the language on lists of nodes, by the type of their operands.

A value is a list with a node for each point; a complex value is a pair of lists. The record of an operator
(hwmodel/datapath/operators/) says which nodes it becomes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from arrayol.errors import error
from arrayol.ir.types import ElementType, Kind
from arrayol.operators.registry import FUNCTIONS
from hwmodel.datapath.graph.arrays import code_of
from hwmodel.datapath.graph.floats import Floats
from hwmodel.datapath.graph.integers import Integers
from hwmodel.datapath.graph.nodes import Nodes
from hwmodel.datapath.numbers import BOOL
from hwmodel.datapath.operators.record import OperatorNodes
from hwmodel.datapath.operators.registry import DATAPATHS

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
