"""Intervals of integer expressions: what their values may be, from the bounds of their range variables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from arrayol.ir.expressions import Constant, Convert, Expr, Function, Index, Operation, Select
from arrayol.ir.types import ElementType, Weak
from arrayol.operators.record import Interval, Operator
from arrayol.operators.registry import FUNCTIONS, operator_of

Variables = Mapping[str, Interval]

_WEAK_RANGE = (-(1 << 63) + 1, (1 << 63) - 1)  # its negatives are 64 bits wide too


class UnboundedError(Exception):
    """`part` of an expression may wrap in its type, be beyond 64 bits without one, or has no known bounds."""

    def __init__(self, part: Expr) -> None:
        super().__init__(part)
        self.part = part


def interval(expr: Expr, variables: Variables) -> Interval:
    """Bounds on an integer expression in which nothing wraps; data may have any value of their type.

    Raises UnboundedError, for the innermost part without bounds.
    """
    if isinstance(expr.type, ElementType) and expr.type.is_fixed:
        raise UnboundedError(expr)
    if isinstance(expr.type, ElementType) and expr.type.is_integer:
        least, most = expr.type.integer_range
        low, high = _typed(expr, expr.type, variables)
    elif expr.type is Weak.INTEGER or isinstance(expr, Constant):
        least, most = _WEAK_RANGE
        low, high = _weak(expr, variables)
    else:
        raise UnboundedError(expr)
    if low < least or high > most:
        raise UnboundedError(expr)
    return low, high


def reached(start: int, reaches: Iterable[int]) -> Interval:
    """Bounds on `start` plus a value from 0 to each reach, which may be negative."""
    ends = tuple(reaches)
    return start + sum(min(0, end) for end in ends), start + sum(max(0, end) for end in ends)


def fits(expr: Expr, kind: ElementType, variables: Variables) -> bool:
    """Whether an expression surely has a value of an integer type, and nothing in it wraps."""
    least, most = kind.integer_range
    try:
        low, high = interval(expr, variables)
    except UnboundedError:
        return False
    return least <= low and high <= most


def _weak(expr: Expr, variables: Variables) -> Interval:
    match expr:
        case Constant(value=value):
            return int(value), int(value)
        case Index(name=name) if name in variables:
            return variables[name]
        case Select(then=then, otherwise=otherwise):
            (low, high), (least, most) = interval(then, variables), interval(otherwise, variables)
            return min(low, least), max(high, most)
        case Function(name=name, arguments=arguments):
            return _bounds(FUNCTIONS[name], expr, arguments, variables)
        case Operation(operator=name, operands=operands):
            return _bounds(operator_of(name, len(operands)), expr, operands, variables)
        case _:
            raise UnboundedError(expr)


def _typed(expr: Expr, kind: ElementType, variables: Variables) -> Interval:
    if isinstance(expr, Constant):
        return int(expr.value), int(expr.value)
    if isinstance(expr, Convert) and fits(expr.operand, kind, variables):
        return interval(expr.operand, variables)
    if isinstance(expr, Operation):
        operator = operator_of(expr.operator, len(expr.operands))
        if operator.ring:
            return _bounds(operator, expr, expr.operands, variables)
        return _inside(kind, operator, expr, expr.operands, variables)
    if isinstance(expr, Function) and expr.name in FUNCTIONS:
        return _inside(kind, FUNCTIONS[expr.name], expr, expr.arguments, variables)
    return kind.integer_range


def _inside(
    kind: ElementType, operator: Operator, expr: Expr, operands: Sequence[Expr], variables: Variables
) -> Interval:
    """Bounds on what an operator leaves in a type, whose whole range it is where nothing else is known."""
    least, most = kind.integer_range
    try:
        low, high = _bounds(operator, expr, operands, variables)
    except UnboundedError:
        return kind.integer_range
    return (low, high) if least <= low and high <= most else kind.integer_range


def _bounds(operator: Operator, expr: Expr, operands: Sequence[Expr], variables: Variables) -> Interval:
    """Bounds on the exact result of an operator or a function. Raises UnboundedError where it has none."""
    known = [interval(operand, variables) for operand in operands]
    bounds = operator.bounds(*known) if operator.bounds is not None else None
    if bounds is None:
        raise UnboundedError(expr)
    return bounds
