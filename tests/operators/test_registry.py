"""Records of operators: values, arrays and intervals say one thing, and the grammar reads operators as they bind."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from many_cases import case_count

from arrayol.ir import syntax
from arrayol.language.syntax.grammar import grammar
from arrayol.language.syntax.parser import expressions_of
from arrayol.language.syntax.printer import expression
from arrayol.operators.record import Gives, Guard, Notation, Operands, Operator
from arrayol.operators.registry import FUNCTIONS, INFIX, OPERATORS, PREFIX

OF_INTEGERS = [
    operator for operator in OPERATORS if Operands.INTEGER in operator.domain.defined and operator.bounds is not None
]


def name_of(operator: Operator) -> str:
    return f"{operator.notation.name} {operator.name}"


def operands_of(operator: Operator, data: st.DataObject) -> list[tuple[int, int, int]]:
    """Of each operand the least and the greatest value, and one between them; what has no value is left out."""
    least, most = operator.arguments
    drawn = []
    for place in range(data.draw(st.integers(least, most or least + 2))):
        numbers = st.integers(-4, 4) | st.integers(-(1 << 20), 1 << 20)
        if place and operator.guard is Guard.AMOUNT:
            numbers = st.integers(0, 30)
        elif place and operator.guard is not Guard.NONE:
            numbers = numbers.filter(bool)
        low, value, high = sorted(data.draw(st.tuples(numbers, numbers, numbers)))
        drawn.append((low, high, data.draw(st.sampled_from((low, value, high)))))
    return drawn


@pytest.mark.parametrize("operator", OF_INTEGERS, ids=name_of)
@settings(max_examples=case_count(400))
@given(data=st.data())
def test_integers_lie_within_the_bounds_and_arrays_have_the_same(operator: Operator, data: st.DataObject) -> None:
    drawn = operands_of(operator, data)
    values = [value for *_, value in drawn]
    assert operator.bounds is not None
    low, high = operator.bounds(*((low, high) for low, high, _ in drawn)) or (0, -1)
    result = operator.exact(*values)
    assert low <= result <= high
    first, *others = (np.array([value]) for value in values)
    apply = operator.arrays(np)
    if not others:
        first = apply(first)
    for other in others:
        first = apply(first, other)
    assert first.tolist() == [result]


@pytest.mark.parametrize("operator", [each for each in OPERATORS if each.gives is Gives.TRUTH], ids=name_of)
@given(values=st.tuples(st.floats(), st.floats()))
def test_comparisons_of_numbers_and_arrays_agree(operator: Operator, values: tuple[float, float]) -> None:
    assert operator.arrays(np)(*values) == operator.exact(*values)


@pytest.mark.parametrize("operator", [each for each in OPERATORS if each.exact_complex is not None], ids=name_of)
@given(parts=st.tuples(*[st.floats(-1e3, 1e3).filter(lambda part: abs(part) > 1e-3)] * 4))
def test_complex_numbers_and_arrays_agree(operator: Operator, parts: tuple[float, ...]) -> None:
    operands = [complex(*parts[:2]), complex(*parts[2:])][: operator.arguments[0] or 2]
    assert operator.exact_complex is not None
    assert operator.numpy_complex is not None
    exact = operator.exact_complex(*operands)
    assert operator.numpy_complex(np)(*(np.array([operand]) for operand in operands)).tolist() == [exact]
    assert abs(exact - operator.exact(*operands)) <= 1e-9 * abs(exact)


def grouped(text: str) -> syntax.Binary:
    (found,) = expressions_of(text) or (None,)
    assert isinstance(found, syntax.Binary), text
    return found


@pytest.mark.parametrize("first", INFIX)
def test_the_grammar_reads_operators_as_they_bind(first: str) -> None:
    for second in INFIX:
        one, other = INFIX[first], INFIX[second]
        if one.is_comparison and other.is_comparison:
            assert expressions_of(f"a {first} b {second} c") is None  # comparisons do not chain
            continue
        outer = grouped(f"a {first} b {second} c")
        left_first = one.binding >= other.binding
        assert outer.operator == (second if left_first else first)
        assert isinstance(outer.left if left_first else outer.right, syntax.Binary)


@pytest.mark.parametrize(("sign", "infix"), list(product(PREFIX, INFIX)))
def test_prefix_operators_bind_as_they_say(sign: str, infix: str) -> None:
    (found,) = expressions_of(f"{sign} a {infix} b") or (None,)
    inner = PREFIX[sign].binding > INFIX[infix].binding
    assert isinstance(found, syntax.Binary if inner else syntax.Unary)
    assert expression(found).replace(" ", "") == f"{sign}a{infix}b".replace(" ", "")


@pytest.mark.parametrize(("rule", "known"), [("binary", INFIX), ("unary", PREFIX)])
def test_the_grammar_has_each_operator_and_no_other(rule: str, known: dict[str, Operator]) -> None:
    tables = grammar().lark
    names = {symbol.name for each in tables.rules if each.alias == rule for symbol in each.expansion if symbol.is_term}
    assert {terminal.pattern.value for terminal in tables.terminals if terminal.name in names} == known.keys()


def test_every_operator_has_a_text_in_c() -> None:
    for operator in OPERATORS:
        form = operator.c
        written = form.sign or form.helper or form.call or form.complex_call
        assert written or operator.numpy is None, operator.name
        assert not form.sign or form.level, operator.name


def test_only_functions_take_other_numbers_of_operands() -> None:
    for operator in OPERATORS:
        expected = {Notation.PREFIX: (1, 1), Notation.INFIX: (2, 2)}
        assert operator.arguments == expected.get(operator.notation, operator.arguments), operator.name
    assert len(OPERATORS) == len(FUNCTIONS) + len(INFIX) + len(PREFIX)
