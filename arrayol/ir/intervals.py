"""Intervals of integer expressions: what their values may be, from the bounds of their range variables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from arrayol.ir.expressions import Constant, Convert, Expr, Function, Index, Operation, Select
from arrayol.ir.types import ElementType, Weak

Interval = tuple[int, int]  # least and greatest value
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
            return _function(name, [interval(argument, variables) for argument in arguments])
        case Operation(operands=operands):
            return _operation(expr, [interval(operand, variables) for operand in operands])
        case _:
            raise UnboundedError(expr)


def _typed(expr: Expr, kind: ElementType, variables: Variables) -> Interval:
    if isinstance(expr, Constant):
        return int(expr.value), int(expr.value)
    if isinstance(expr, Convert) and fits(expr.operand, kind, variables):
        return interval(expr.operand, variables)
    if isinstance(expr, Operation) and expr.operator in _CORNERS:
        return _operation(expr, [interval(operand, variables) for operand in expr.operands])
    return kind.integer_range


def _function(name: str, arguments: list[Interval]) -> Interval:
    if name == "abs":
        low, high = arguments[0]
        return (0 if low <= 0 <= high else min(abs(low), abs(high))), max(abs(low), abs(high))
    choose = min if name == "min" else max
    return choose(low for low, _ in arguments), choose(high for _, high in arguments)


_CORNERS: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
}


def _operation(expr: Operation, operands: list[Interval]) -> Interval:  # noqa: PLR0911  a case per operator
    sign = expr.operator
    if len(operands) == 1:
        low, high = operands[0]
        return (-high, -low) if sign == "-" else (-1 - high, -1 - low)
    (low, high), (least, most) = operands
    if sign in _CORNERS:
        return _over_corners(_CORNERS[sign], operands)
    if sign == "//":
        size = max(abs(low), abs(high)) + 1  # a quotient is no larger than its dividend, but for the rounding down
        return (-size, size) if low < 0 or least < 0 else (0, high)
    if sign == "%":
        return min(0, least + 1), max(0, most - 1)
    if sign == ">>":
        return min(low, 0) if low < 0 else 0, max(high, 0)
    if sign == "<<":
        if most > 63:
            raise UnboundedError(expr)
        return _over_corners(lambda a, b: a << max(0, b), operands)
    size = max(abs(bound) for operand in operands for bound in operand)
    whole = (1 << size.bit_length()) - 1
    return (0 if min(low, least) >= 0 else -1 - whole), whole


def _over_corners(apply: Callable[[int, int], int], operands: list[Interval]) -> Interval:
    values = [apply(left, right) for left in operands[0] for right in operands[1]]
    return min(values), max(values)
