"""Affine forms of expressions, and substitution against plain evaluation."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from loading import spec_of
from strategies_nests import DATA, index_expressions, typed_expressions, value

from arrayol.ir import expressions
from arrayol.ir.affine import AffineExpr, affine, expression_of, non_affine_part
from arrayol.ir.syntax import NOWHERE
from arrayol.ir.types import Weak
from arrayol.language.emitter import written
from arrayol.language.syntax.printer import expression
from arrayol.transforms.substitute import substitute

VALUES = st.fixed_dictionaries({"i": st.integers(-20, 20), "j": st.integers(-20, 20)})


def form_value(form: AffineExpr, names: Mapping[str, int]) -> int:
    terms = (names[term] if isinstance(term, str) else value(term, names) for term, _ in form.terms)
    return form.constant + sum(factor * term for (_, factor), term in zip(form.terms, terms, strict=True))


@given(index_expressions(), VALUES)
def test_a_form_has_the_value_of_its_expression(expr: expressions.Expr, names: dict[str, int]) -> None:
    form = affine(expr)
    assert form_value(form, names) == value(expr, names)
    assert value(expression_of(form, NOWHERE), names) == value(expr, names)
    assert all(factor for _, factor in form.terms)


@given(index_expressions(), st.tuples(index_expressions(), index_expressions()), VALUES)
def test_substitution(
    expr: expressions.Expr, others: tuple[expressions.Expr, expressions.Expr], names: dict[str, int]
) -> None:
    inner = {"i": value(others[0], names), "j": value(others[1], names)}
    found = substitute(expr, {"i": others[0], "j": others[1]})
    assert value(found, names) == value(expr, inner)


@given(index_expressions(), VALUES)
def test_numbers_fold_to_a_number(expr: expressions.Expr, names: dict[str, int]) -> None:
    bindings = {name: expressions.Constant(number, Weak.INTEGER, NOWHERE) for name, number in names.items()}
    found = substitute(expr, bindings)
    assert isinstance(found, expressions.Constant)
    assert found.value == value(expr, names)


@given(typed_expressions(), DATA)
def test_nothing_that_may_wrap_is_taken_apart(expr: expressions.Expr, data: dict[str, int]) -> None:
    assert form_value(affine(expr), data) == value(expr, data)


@pytest.mark.parametrize(
    ("subscript", "factors", "offset"),
    [
        ("2 * i + 4 * j + 1", {"i": 2, "j": 4}, 1),
        ("(6 * i + 4) // 2", {"i": 3}, 2),
        ("(6 * i + j + 4) // 3", {"i": 2, "(j + 4) // 3": 1}, 0),
        ("(6 * i + 4) % 3", {}, 1),
        ("4 * j * i", {"j * i": 4}, 0),
        ("(2 * i + 2) * (3 * j)", {"(i + 1) * j": 6}, 0),
        ("3 * i32(b[j]) + 2", {"b[j]": 3}, 2),
        ("3 * b[j]", {"3 * b[j]": 1}, 0),  # u8: it may wrap
        ("i - 2 * (i - j) + 2", {"i": -1, "j": 2}, 2),
    ],
)
def test_forms(subscript: str, factors: dict[str, int], offset: int) -> None:
    loops = "for i in 0..2, j in 0..2"
    spec = spec_of(f"elementary e(x: f32[900], b: u8[2]) -> (y: f32[2, 2]) {{ y[i, j] = x[{subscript}] {loops} }}")
    assign = spec.elementaries["e"].body[0]
    form = affine(assign.value.subscripts[0])
    rest = {expression(written(expr)): factor for expr, factor in non_affine_part(form)}
    assert {term: factor for term, factor in form.terms if isinstance(term, str)} | rest == factors
    assert form.constant == offset
