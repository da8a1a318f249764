"""The operators on bits and of conditions: & | ^ ~, shifts, comparisons, and those that join and negate conditions."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from arrayol.operators.arithmetic import over_corners
from arrayol.operators.record import (
    NUMBERS,
    CForm,
    CHelper,
    CType,
    Domain,
    Fixed,
    Gives,
    Guard,
    Interval,
    Notation,
    Operands,
    Operator,
)

_BITS = Domain(frozenset({Operands.TRUTH, Operands.INTEGER}), "it works on integers and bool")
_INTEGERS = Domain(frozenset({Operands.INTEGER}), "it works on integers")
_LONGEST = 63  # bits of a shift that intervals follow
_SHIFT, _SIGN = 8, 11
_C_SIGN = 90


def _of_two(left: Interval, right: Interval) -> Interval:
    """All numbers of as many bits; without a sign where no operand has one."""
    size = max(abs(bound) for operand in (left, right) for bound in operand)
    whole = (1 << size.bit_length()) - 1
    return (0 if min(left[0], right[0]) >= 0 else -1 - whole), whole


def _shifted_left(value: Interval, amount: Interval) -> Interval | None:
    if amount[1] > _LONGEST:
        return None
    return over_corners(lambda number, places: number << max(0, places))(value, amount)


def _in_both(left: Interval, right: Interval) -> Interval:
    """What two numbers have in common is no larger than one without a sign."""
    known = [high for low, high in (left, right) if low >= 0]
    return (0, min(known)) if known else _of_two(left, right)


def _shifted_right(value: Interval, amount: Interval) -> Interval:
    places = (max(0, amount[0]), min(max(0, amount[1]), _LONGEST + 1))
    return over_corners(operator.rshift)(value, places)


def _shift_lines(sign: str) -> Callable[[CType], Sequence[str]]:
    def lines(kind: CType) -> Sequence[str]:
        unfit = f"n < 0 || n >= {kind.bits}" if kind.signed else f"n >= {kind.bits}"
        value = "a" if sign == ">>" else "(uint64_t)a"
        return [
            f'if ({unfit}) fail("a shift outside 0..{kind.bits}");',
            f"return ({kind.name})({value} {sign} n);",
        ]

    return lines


def _bitwise(
    name: str,
    binding: int,
    level: int,
    apply: Callable[[int, int], int],
    ufunc: str,
    bounds: Callable[[Interval, Interval], Interval] = _of_two,
) -> Operator:
    return Operator(
        name=name,
        notation=Notation.INFIX,
        binding=binding,
        arguments=(2, 2),
        domain=_BITS,
        exact=apply,
        numpy=operator.attrgetter(ufunc),
        bounds=bounds,
        c=CForm(sign=name, level=level, confusing=True, modular=True),
    )


def _shift(
    name: str,
    apply: Callable[[int, int], int],
    ufunc: str,
    bounds: Callable[[Interval, Interval], Interval | None],
    *,
    leaves: bool,
) -> Operator:
    return Operator(
        name=name,
        notation=Notation.INFIX,
        binding=_SHIFT,
        arguments=(2, 2),
        domain=_INTEGERS,
        fixed=Fixed.SHIFT,
        guard=Guard.AMOUNT,
        exact=apply,
        numpy=operator.attrgetter(ufunc),
        leaves=leaves,
        bounds=bounds,
        c=CForm(helper=CHelper("shift_" + ufunc.partition("_")[0], ("a", "n"), _shift_lines(name))),
    )


BITS = (
    Operator(
        name="~",
        notation=Notation.PREFIX,
        binding=_SIGN,
        domain=_BITS,
        exact=operator.invert,
        numpy=lambda numpy: numpy.invert,
        leaves=True,
        bounds=lambda value: (-1 - value[1], -1 - value[0]),
        c=CForm(sign="~", level=_C_SIGN, modular=True),
    ),
    _bitwise("|", 5, 40, operator.or_, "bitwise_or"),
    _bitwise("^", 6, 45, operator.xor, "bitwise_xor"),
    _bitwise("&", 7, 50, operator.and_, "bitwise_and", _in_both),
    _shift("<<", operator.lshift, "left_shift", _shifted_left, leaves=True),
    _shift(">>", operator.rshift, "right_shift", _shifted_right, leaves=False),
)


_ANY = Domain(NUMBERS | {Operands.TRUTH})
_ORDERED = Domain(frozenset(Operands) - {Operands.COMPLEX}, "it works on real numbers")
_CONDITIONS = Domain(frozenset({Operands.TRUTH}), "compare numbers first, as in x != 0")
_OR, _AND, _NOT, COMPARISON = 1, 2, 3, 4  # how tightly they bind
_C_ORDER, _C_EQUAL, _C_NOT = 60, 55, 90


def _comparison(
    name: str, apply: Callable[[Any, Any], bool], ufunc: str, domain: Domain, level: int, isl: str
) -> Operator:
    return Operator(
        name=name,
        notation=Notation.INFIX,
        binding=COMPARISON,
        arguments=(2, 2),
        domain=domain,
        gives=Gives.TRUTH,
        exact=apply,
        numpy=operator.attrgetter(ufunc),
        c=CForm(sign=name, level=level, bare=True),
        isl=lambda left, right: f"{left} {isl} {right}",
    )


def _connective(name: str, binding: int, *, decides: bool, ufunc: str, c: CForm) -> Operator:
    return Operator(
        name=name,
        notation=Notation.INFIX,
        binding=binding,
        arguments=(2, 2),
        domain=_CONDITIONS,
        decides=decides,
        exact=lambda left, right: left if left is decides else right,
        numpy=operator.attrgetter(ufunc),
        c=c,
        isl=lambda *parts: f"({f' {name} '.join(parts)})",
    )


CONDITIONS = (
    _comparison("==", operator.eq, "equal", _ANY, _C_EQUAL, "="),
    _comparison("!=", operator.ne, "not_equal", _ANY, _C_EQUAL, "!="),
    _comparison("<", operator.lt, "less", _ORDERED, _C_ORDER, "<"),
    _comparison("<=", operator.le, "less_equal", _ORDERED, _C_ORDER, "<="),
    _comparison(">", operator.gt, "greater", _ORDERED, _C_ORDER, ">"),
    _comparison(">=", operator.ge, "greater_equal", _ORDERED, _C_ORDER, ">="),
    Operator(
        name="not",
        notation=Notation.PREFIX,
        binding=_NOT,
        domain=_CONDITIONS,
        exact=operator.not_,
        numpy=lambda numpy: numpy.logical_not,
        c=CForm(sign="!", level=_C_NOT),
        isl=lambda condition: f"(not {condition})",
    ),
    _connective("and", _AND, decides=False, ufunc="logical_and", c=CForm(sign="&&", level=35, bare=True)),
    _connective("or", _OR, decides=True, ufunc="logical_or", c=CForm(sign="||", level=30, bare=True)),
)
