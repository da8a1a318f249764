"""Intervals against plain evaluation."""

from __future__ import annotations

import operator
from collections.abc import Callable
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies_nests import DATA, index_expressions, typed_expressions, value

from arrayol.ir import expressions
from arrayol.ir.intervals import UnboundedError, fits, interval
from arrayol.ir.syntax import NOWHERE
from arrayol.ir.types import ElementType, Weak

INDEX = expressions.Index("i", NOWHERE)
SIGNS: dict[str, Callable[[int, int], int]] = {
    "<<": operator.lshift, ">>": operator.rshift, "&": operator.and_, "^": operator.xor, "|": operator.or_,
    "//": operator.floordiv, "%": operator.mod, "*": operator.mul,
}  # fmt: skip


def number(value: int) -> expressions.Constant:
    return expressions.Constant(value, Weak.INTEGER, NOWHERE)


@given(index_expressions(), *[st.tuples(st.integers(-9, 9), st.integers(0, 4))] * 2)
def test_an_interval_holds_every_value(expr: expressions.Expr, first: tuple[int, int], second: tuple[int, int]) -> None:
    bounds = {name: (low, low + size) for name, (low, size) in (("i", first), ("j", second))}
    low, high = interval(expr, bounds)
    for i, j in product(*(range(least, most + 1) for least, most in bounds.values())):
        assert low <= value(expr, {"i": i, "j": j}) <= high


@given(typed_expressions(), DATA)
def test_what_fits_its_type_does_not_wrap(expr: expressions.Expr, data: dict[str, int]) -> None:
    assert isinstance(expr.type, ElementType)
    try:
        low, high = interval(expr, {})
    except UnboundedError:
        return
    assert low <= value(expr, data) <= high
    assert fits(expr, expr.type, {})


def test_parts_without_bounds_are_named() -> None:
    wide = expressions.Operation("*", (INDEX, number(1 << 60)), Weak.INTEGER, NOWHERE)
    whole = expressions.Operation("-", (wide, wide), Weak.INTEGER, NOWHERE)
    assert interval(whole, {"i": (0, 3)}) == (-3 << 60, 3 << 60)
    with pytest.raises(UnboundedError) as raised:
        interval(whole, {"i": (0, 8)})
    assert raised.value.part is wide
    with pytest.raises(UnboundedError) as raised:
        interval(whole, {})
    assert raised.value.part is INDEX


@given(st.sampled_from(sorted(SIGNS)), *[st.tuples(st.integers(-9, 9), st.integers(0, 9))] * 2)
def test_operations_on_bits(sign: str, first: tuple[int, int], second: tuple[int, int]) -> None:
    """Shifts are by numbers that C and the language allow."""
    if sign in ("<<", ">>"):
        second = (abs(second[0]), second[1])
    bounds = {name: (low, low + size) for name, (low, size) in (("i", first), ("j", second))}
    low, high = interval(
        expressions.Operation(sign, (INDEX, expressions.Index("j", NOWHERE)), Weak.INTEGER, NOWHERE), bounds
    )
    for i, j in product(*(range(least, most + 1) for least, most in bounds.values())):
        if j or sign not in ("//", "%"):
            assert low <= SIGNS[sign](i, j) <= high
