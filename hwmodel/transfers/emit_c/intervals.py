"""Intervals of integer constants and range variables, so that C computes them in int64_t without overflow."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from arrayol.errors import ArrayolError, error
from arrayol.ir.body import Constant, Convert, Expr, Function, Index, Operation, Range, Select
from arrayol.ir.types import Weak

Interval = tuple[int, int]
Variables = Mapping[str, Interval]

_LIMIT = (1 << 63) - 1


def interval(expr: Expr, variables: Variables) -> Interval:
    """Bounds on an integer expression that has no element type yet.

    Raises ArrayolError (`too-wide-for-c`) where they, or those of a part, are beyond 64 bits.
    """
    low, high = _interval(expr, variables)
    if low < -_LIMIT or high > _LIMIT:
        raise _too_wide(expr)
    return low, high


def range_interval(one: Range, variables: Variables) -> Interval:
    """Bounds on a range variable; those of an empty range hold its first index."""
    first, _ = interval(one.low, variables)
    _, end = interval(one.high, variables)
    return first, max(first, end - 1)


def _interval(expr: Expr, variables: Variables) -> Interval:
    match expr:
        case Constant(value=value):
            return int(value), int(value)
        case Index(name=name):
            return variables[name]
        case Select(then=then, otherwise=otherwise):
            return _hull(interval(then, variables), interval(otherwise, variables))
        case Function(name=name, arguments=arguments) if expr.type is Weak.INTEGER:
            return _function(name, [interval(one, variables) for one in arguments])
        case Operation(operator=sign, operands=operands):
            return _operation(expr, sign, [interval(one, variables) for one in operands])
        case Convert(operand=operand):
            return interval(operand, variables)
        case _:
            raise _too_wide(expr)


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


def _operation(expr: Expr, sign: str, operands: list[Interval]) -> Interval:  # noqa: PLR0911  a case per operator
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
            raise _too_wide(expr)
        return _over_corners(lambda a, b: a << max(0, b), operands)
    size = max(abs(bound) for one in operands for bound in one)
    whole = (1 << size.bit_length()) - 1
    return (0 if min(low, least) >= 0 else -1 - whole), whole


def _over_corners(apply: Callable[[int, int], int], operands: list[Interval]) -> Interval:
    values = [apply(one, other) for one in operands[0] for other in operands[1]]
    return min(values), max(values)


def _hull(one: Interval, other: Interval) -> Interval:
    return min(one[0], other[0]), max(one[1], other[1])


def _too_wide(expr: Expr) -> ArrayolError:
    return error(
        "too-wide-for-c",
        "this integer may be beyond 64 bits, which C has no type for",
        expr.span,
        hint="convert to f64 first, as in f64(k) * f64(k)",
    )
