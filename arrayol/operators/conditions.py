"""The operators of conditions: comparisons, and the words that join and negate them."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from arrayol.operators.record import NUMBERS, CForm, Domain, Gives, Notation, Operands, Operator

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
