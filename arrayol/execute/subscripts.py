"""Subscripts that depend on counters, taken apart into an integer and a step along one axis computed at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from arrayol.execute.elements import MovingSubscript
from arrayol.execute.environment import Axis, Environment
from arrayol.execute.scope import MovingAxis, Scope
from arrayol.ir.body import Constant, Expr, Index, Operation, depends_on_data, inside

Number = Callable[[Environment], int]
Compile = Callable[[Expr, Scope], Number | None]


@dataclass(frozen=True, slots=True)
class _Form:
    """base + step * (the index along axis `axis`)."""

    base: Number
    axis: int | None
    step: int


def moving_subscript(node: Expr, length: int, scope: Scope, number: Compile) -> MovingSubscript | None:
    """The subscript's form; None where it is not affine in one axis, or data decides it.

    `number` compiles an integer expression without axes, or gives None where it may fail.
    """
    form = None if depends_on_data(node) else _form(node, scope, number)
    return None if form is None else MovingSubscript(form.base, form.axis, form.step, length)


def _form(node: Expr, scope: Scope, number: Compile) -> _Form | None:
    if not _mentions_axis(node, scope):
        base = number(node, scope)
        return None if base is None else _Form(base, None, 0)
    if isinstance(node, Index):
        bound = scope.bindings[node.name]
        assert isinstance(bound, Axis | MovingAxis)
        return _Form(lambda _: 0, bound.position, 1)
    if not isinstance(node, Operation):
        return None
    if node.operator == "*":
        return _product(node, scope, number)
    forms = [_form(operand, scope, number) for operand in node.operands]
    known = [form for form in forms if form is not None]
    return _combined(node.operator, known) if len(known) == len(forms) else None


def _mentions_axis(node: Expr, scope: Scope) -> bool:
    return any(
        isinstance(one, Index) and isinstance(scope.bindings[one.name], Axis | MovingAxis) for one in inside(node)
    )


def _product(node: Operation, scope: Scope, number: Compile) -> _Form | None:
    left, right = node.operands
    factor, other = (left, right) if isinstance(left, Constant) else (right, left)
    form = _form(other, scope, number)
    if not isinstance(factor, Constant) or form is None or not factor.value:
        return None
    scale, base = int(factor.value), form.base
    return _Form(lambda env: scale * base(env), form.axis, scale * form.step)


def _combined(operator: str, forms: list[_Form]) -> _Form | None:
    """A sum, a difference, or a negative."""
    if operator not in ("+", "-") or (len(forms) == 1 and operator == "+"):
        return None
    sign = 1 if operator == "+" else -1
    if len(forms) == 1:
        only = forms[0]
        return _Form(lambda env: -only.base(env), only.axis, -only.step)
    left, right = forms
    if left.axis is not None and right.axis is not None:
        return None
    axis, step = (left.axis, left.step) if left.axis is not None else (right.axis, sign * right.step)
    return _Form(lambda env: left.base(env) + sign * right.base(env), axis, step)
