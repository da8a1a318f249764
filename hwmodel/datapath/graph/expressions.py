"""Expressions of a body at many points of its ranges at once: numbers if they do not depend on data, else nodes.

A value of a weak type is a number, or an array of one number for each point. Any other value, and a weak one that
depends on data, is a list with a node for each point (operations.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np

from arrayol.execute import arithmetic
from arrayol.execute.environment import DTYPES
from arrayol.ir.expressions import Constant, Convert, Expr, Function, Index, Operation, Read, Select, chain_of
from arrayol.ir.types import ElementType, Kind, Weak
from arrayol.operators.record import Gives
from arrayol.operators.registry import FUNCTIONS
from hwmodel.datapath.graph.arrays import Arrays, Layout, access, constants
from hwmodel.datapath.graph.nodes import Nodes
from hwmodel.datapath.graph.operations import Operations, Value
from hwmodel.datapath.numbers import SIGNED

_STANDS_FOR = {Weak.INTEGER: ElementType.I64, Weak.FLOAT: ElementType.F64, Weak.BOOL: ElementType.BOOL}
_INDEX = SIGNED + 64  # the number in which places are computed


@dataclass(frozen=True, slots=True)
class Points:
    """Points of the ranges, in order: each variable's value at all of them, or its single value."""

    count: int
    values: dict[str, Any]

    def take(self, chosen: Any) -> Points:
        """The points at some positions, or in a mask."""
        values = {
            name: value[chosen] if isinstance(value, np.ndarray) else value for name, value in self.values.items()
        }
        return Points(int(np.count_nonzero(chosen)) if chosen.dtype == bool else len(chosen), values)

    def single(self, place: int) -> Points:
        """The point at a position."""
        return Points(1, {name: int(at(value, place)) for name, value in self.values.items()})


def at(value: Any, place: int) -> Any:
    """The value of a number, or of an array of numbers, at a point."""
    return value[place] if isinstance(value, np.ndarray) else value


@dataclass(slots=True)
class Expressions:
    """Evaluates expressions over arrays of nodes."""

    nodes: Nodes
    operations: Operations
    arrays: Arrays
    handlers: dict[type, Callable[[Any, Points], Value]] = field(init=False)

    def __post_init__(self) -> None:
        self.handlers = {
            Constant: self._constant,
            Index: lambda node, points: points.values[node.name],
            Read: self._read,
            Operation: self._operation,
            Function: self._function,
            Convert: self._convert,
            Select: self._select,
        }

    def value(self, node: Expr, points: Points) -> Value:
        """The value of an expression at all points."""
        return self.handlers[type(node)](node, points)

    def data(self, node: Expr, points: Points) -> Value:
        """The value of an expression at all points, as nodes."""
        return self._lifted(self.value(node, points), node, points)

    def numbers(self, node: Expr, points: Points) -> Any:
        """The value of an integer or boolean expression as numbers, if it is known at all points; else None."""
        return self._known(self.value(node, points))

    def _known(self, value: Value) -> Any:
        if not isinstance(value, list):
            return value
        low, high = self.nodes.low, self.nodes.high
        if any(low[node] != high[node] for node in value):
            return None
        return low[value[0]] if len(value) == 1 else np.array([low[node] for node in value], object)

    def _lifted(self, value: Value, node: Expr, points: Points) -> Value:
        """Numbers of a weak type as constants of the type that it defaults to."""
        if isinstance(value, list | tuple):
            return value
        kind = node.type if isinstance(node.type, ElementType) else _STANDS_FOR[node.type]
        return self._constants(value, node.type, kind, points)

    def _constants(self, value: Any, source: Any, kind: ElementType, points: Points) -> Value:
        """Numbers as constants, converted as `run` converts them."""
        try:
            with np.errstate(all="ignore"):
                converted = arithmetic.conversion(source, kind)[0](value) if source is not kind else value
        except OverflowError:  # a number that the type has not: `run` refuses to convert it
            converted = np.zeros(np.shape(value), DTYPES[kind])
        parts = (np.real(converted), np.imag(converted)) if kind.kind is Kind.COMPLEX else (converted,)
        lists = [self._spread(constants(self.nodes, part), points) for part in parts]
        return tuple(lists) if len(lists) == 2 else lists[0]

    @staticmethod
    def _spread(listed: list[int], points: Points) -> list[int]:
        return listed if len(listed) == points.count else listed * points.count

    # Leaves.

    def _constant(self, node: Constant, points: Points) -> Value:
        if isinstance(node.type, Weak):
            return node.value
        return self._constants(np.array(node.value, DTYPES[node.type]), node.type, node.type, points)

    def _read(self, node: Read, points: Points) -> Value:
        layout, cells = self.arrays.layouts[node.port], self.arrays.cells[node.port]
        place = self.place(layout, node.subscripts, points)
        if isinstance(place, list):
            return self._read_by_data(layout, place, points)
        if isinstance(place, np.ndarray):
            flat = place.tolist()
            parts = [[cell[element] for element in flat] for cell in cells]
        else:
            parts = [[cell[place]] * points.count for cell in cells]
        return parts[0] if len(parts) == 1 else tuple(parts)

    def place(self, layout: Layout, subscripts: Sequence[Expr], points: Points) -> Any:
        """The element of subscripts, a number or an array; a list of the subscripts' values if it depends on data."""
        values = [self.handlers[type(subscript)](subscript, points) for subscript in subscripts]
        known = [value if type(value) is int else self._known(value) for value in values]
        if not any(value is None for value in known):
            flat = layout.flat(known)
            return flat.astype(np.int64) if isinstance(flat, np.ndarray) else flat
        return [value if number is None else number for value, number in zip(values, known, strict=True)]

    def chosen(self, layout: Layout, place: list[Any], point: int) -> tuple[list[int], int]:
        """The candidate elements at a point with subscripts that depend on data, in order, and the node of the index.

        Candidates are the elements that the known subscripts allow; there is none if one of those is out of range.
        """
        ranges, nodes, lengths = [], [], []
        for subscript, low, length in zip(place, layout.lows, layout.lengths, strict=True):
            if isinstance(subscript, list):
                ranges.append(range(length))
                nodes.append(subscript[point])
                lengths.append(length)
            else:
                offset = int(at(subscript, point)) - low
                ranges.append(range(offset, offset + 1) if 0 <= offset < length else range(0))
        elements = []
        for index in product(*ranges):
            flat = 0
            for own, length in zip(index, layout.lengths, strict=True):
                flat = flat * length + own
            elements.append(flat)
        return elements, self._combined(nodes, lengths)

    def _combined(self, nodes: list[int], lengths: list[int]) -> int:
        """The row-major index of several subscripts."""
        integers = self.operations.integers
        total = nodes[0]
        for node, length in zip(nodes[1:], lengths[1:], strict=True):
            total = integers.add(integers.times(total, length, _INDEX), node, _INDEX)
        return total

    def index(self, layout: Layout, place: Sequence[Any], point: int) -> int:
        """The node of the row-major index of subscripts at a point, of an array whose subscripts begin at 0."""
        nodes = [
            subscript[point] if isinstance(subscript, list) else self.nodes.constant(int(at(subscript, point)))
            for subscript in place
        ]
        return self._combined(nodes, list(layout.lengths))

    def _read_by_data(self, layout: Layout, place: list[Any], points: Points) -> Value:
        parts = [
            [self._element(layout, place, point, part) for point in range(points.count)] for part in range(layout.parts)
        ]
        return parts[0] if len(parts) == 1 else tuple(parts)

    def _element(self, layout: Layout, place: list[Any], point: int, part: int) -> int:
        cells = self.arrays.cells[layout.name][part]
        if layout.is_looked_up:
            return access(self.nodes, layout, part, self.index(layout, place, point))
        elements, index = self.chosen(layout, place, point)
        if not elements:
            return cells.zero
        return self.operations.integers.select(index, 0, [cells[element] for element in elements])

    # Operators.

    def _operation(self, node: Operation, points: Points) -> Value:
        first, chain = chain_of(node)
        value = self.value(first, points)
        for link in chain:
            self.nodes.span = link.span
            others = [self.value(other, points) for other in link.operands[1:]]
            value = self._operated(link, [value, *others], points)
        return value

    def _operated(self, node: Operation, operands: list[Value], points: Points) -> Value:
        if not any(isinstance(operand, list | tuple) for operand in operands):
            return _weak(arithmetic.operation(node.operator, len(operands), _exact_type(node.operands)), operands)
        lifted = [self._lifted(value, operand, points) for value, operand in zip(operands, node.operands, strict=True)]
        kind = _standing_for(node.operands[0].type)
        self.nodes.span = node.span
        return self.operations.operation(node.operator, lifted, kind, _standing_for(node.type))

    def _function(self, node: Function, points: Points) -> Value:
        source = node.arguments[0].type
        if node.name in FUNCTIONS and FUNCTIONS[node.name].numpy is None:
            return self._rounding(node, points)
        values = [self.value(argument, points) for argument in node.arguments]
        if not any(isinstance(value, list | tuple) for value in values):
            return _weak(arithmetic.function(node.name, source, exact=node.type is Weak.INTEGER), values)
        lifted = [self._lifted(value, argument, points) for value, argument in zip(values, node.arguments, strict=True)]
        kind, result = _standing_for(source), _standing_for(node.type)
        self.nodes.span = node.span
        if result.kind is Kind.FLOAT and kind.wraps:  # of an integer constant that data decide
            lifted, kind = [self.operations.converted(value, kind, result) for value in lifted], result
        return self.operations.function(node.name, lifted, kind, result)

    def _rounding(self, node: Function, points: Points) -> Value:
        operand, source = node.arguments[0], node.arguments[0].type
        value = self.value(operand, points)
        self.nodes.span = node.span
        if not isinstance(value, list):
            if FUNCTIONS[node.name].gives is Gives.ROUNDED:
                last = node.arguments[-1]
                assert isinstance(last, Constant)
                return arithmetic.rounding(source, node.type, int(last.value))(value)
            assert isinstance(node.type, ElementType)
            with np.errstate(all="ignore"):
                nearest = arithmetic.saturation(source, node.type)(value)
            return self._spread(constants(self.nodes, nearest), points)
        kind, result = _standing_for(source), _standing_for(node.type)
        if FUNCTIONS[node.name].gives is Gives.NAMED:
            return self.operations.saturated(value, kind, result)
        last = node.arguments[-1]
        assert isinstance(last, Constant)
        return self.operations.rounded(value, int(last.value), kind, result)

    def _convert(self, node: Convert, points: Points) -> Value:
        value = self.value(node.operand, points)
        if isinstance(value, list | tuple):
            self.nodes.span = node.span
            return self.operations.converted(value, _standing_for(node.operand.type), node.type)
        return self._constants(value, node.operand.type, node.type, points)

    def _select(self, node: Select, points: Points) -> Value:
        condition = self.value(node.condition, points)
        known = self._known(condition)
        if known is None:
            then, otherwise = self.data(node.then, points), self.data(node.otherwise, points)
            self.nodes.span = node.span
            return self.operations.mux(condition, then, otherwise)
        if not isinstance(known, np.ndarray):
            return self.value(node.then if known else node.otherwise, points)
        mask = known.astype(bool)
        if mask.all() or not mask.any():
            return self.value(node.then if mask.all() else node.otherwise, points)
        branches = [
            (own, branch, points.take(own), self.value(branch, points.take(own)))
            for own, branch in ((mask, node.then), (~mask, node.otherwise))
        ]
        if not any(isinstance(value, list | tuple) for *_, value in branches):
            numbers: Any = np.empty(points.count, DTYPES[_standing_for(node.type)])
            for own, *_, value in branches:
                numbers[own] = value
            return numbers
        lifted = [(own, self._lifted(value, branch, taken)) for own, branch, taken, value in branches]
        return _merged(lifted, points.count)


def _merged(branches: list[tuple[Any, Value]], count: int) -> Value:
    """Merge the values of points of two complementary masks, in the order of all points."""
    if isinstance(branches[0][1], tuple):
        parts = range(len(branches[0][1]))
        return tuple(_merged([(condition, value[part]) for condition, value in branches], count) for part in parts)
    merged = [0] * count
    for condition, value in branches:
        for place, node in zip(np.flatnonzero(condition).tolist(), value, strict=True):
            merged[place] = node
    return merged


def _weak(apply: Callable[..., Any], operands: list[Any]) -> Any:
    """Arithmetic of untyped numbers; any value if it has no result, since `run` stops there."""
    try:
        if all(type(operand) is int for operand in operands):
            return apply(*operands)
        with np.errstate(all="ignore"):
            return apply(*operands)
    except (ZeroDivisionError, ValueError, OverflowError):
        return 0


def _standing_for(kind: Any) -> ElementType:
    return kind if isinstance(kind, ElementType) else _STANDS_FOR[kind]


def _exact_type(operands: Sequence[Expr]) -> ElementType | None:
    """The element type that decides the arithmetic of numbers: weak integers stay exact (None)."""
    kinds = {operand.type for operand in operands}
    if Weak.FLOAT in kinds:
        return ElementType.F64
    return ElementType.BOOL if Weak.BOOL in kinds else None
