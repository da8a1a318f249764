"""Expressions of bodies with other expressions for range variables, folded as the language folds constants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from arrayol.ir import expressions
from arrayol.ir.affine import affine, expression_of
from arrayol.ir.types import ElementType, Kind, Weak
from arrayol.language import constants
from arrayol.language.typing.expressions import saturated, settle
from arrayol.operators.record import Gives
from arrayol.operators.registry import FUNCTIONS

Bindings = Mapping[str, expressions.Expr]


def substitute(expr: expressions.Expr, bindings: Bindings) -> expressions.Expr:
    """The expression with weak integer expressions for range variables, and reads of other locals for locals of loops.

    A local of loops is bound to a read that has the subscripts of the loops around the other one.

    Integer expressions of range variables become affine forms; what is constant is computed; of a conditional whose
    condition is constant only the branch it takes is left, so that nothing is computed that it guards.
    """
    substituted = _inside(expr, bindings)
    return expression_of(affine(substituted), substituted.span) if substituted.type is Weak.INTEGER else substituted


def _inside(expr: expressions.Expr, bindings: Bindings) -> expressions.Expr:  # noqa: PLR0911, one case per node
    match expr:
        case expressions.Constant():
            return expr
        case expressions.Index():
            return bindings.get(expr.name, expr)
        case expressions.Read():
            return replace(expr, **element(expr, bindings))
        case expressions.Operation():
            return _chain(expr, bindings)
        case expressions.Function():
            return _function(expr, bindings)
        case expressions.Convert():
            return _convert(expr, substitute(expr.operand, bindings))
        case expressions.Select():
            return _select(expr, bindings)


def element(access: expressions.Read | expressions.Assign, bindings: Bindings) -> dict[str, Any]:
    """What is other in a read, or in the target of an assignment, under the bindings."""
    subscripts = tuple(substitute(item, bindings) for item in access.subscripts)
    local = bindings.get(access.port) if access.around else None
    if not isinstance(local, expressions.Read):
        return {"subscripts": subscripts}
    own = subscripts[access.around :]
    return {"port": local.port, "subscripts": (*local.subscripts, *own), "around": local.around}


def _part(expr: expressions.Expr, parent: expressions.Expr, bindings: Bindings) -> expressions.Expr:
    """An operand; inside one integer expression it is left to the whole to become an affine form."""
    return _inside(expr, bindings) if parent.type is Weak.INTEGER else substitute(expr, bindings)


def _chain(expr: expressions.Operation, bindings: Bindings) -> expressions.Expr:
    """A chain of left operands by a loop, since it may be longer than any stack."""
    left, chain = expressions.chain_of(expr)
    value = _part(left, chain[0], bindings)
    for node in chain:
        value = _operation(node, value, bindings)
    return value


def _operation(node: expressions.Operation, left: expressions.Expr, bindings: Bindings) -> expressions.Expr:
    if len(node.operands) == 1:
        if isinstance(left, expressions.Constant) and (isinstance(left.type, Weak) or left.type is ElementType.BOOL):
            return replace(left, value=constants.unary(node.operator, left.value, node.span))
        return replace(node, operands=(left,))
    decides = expressions.decides_of(node)
    if decides is not None and isinstance(left, expressions.Constant):
        return left if bool(left.value) is decides else _part(node.operands[1], node, bindings)
    if left.type is Weak.INTEGER and node.type is not Weak.INTEGER:
        left = expression_of(affine(left), left.span)
    right = _part(node.operands[1], node, bindings)
    if _weak_constant(left) and _weak_constant(right):
        assert isinstance(left, expressions.Constant)
        assert isinstance(right, expressions.Constant)
        value = constants.binary(node.operator, left.value, right.value, node.span)
        return expressions.Constant(value, node.type, node.span)
    return replace(node, operands=(left, right))


def _function(expr: expressions.Function, bindings: Bindings) -> expressions.Expr:
    arguments = tuple(_part(item, expr, bindings) for item in expr.arguments)
    folded = [expression_of(affine(item), item.span) if item.type is Weak.INTEGER else item for item in arguments]
    if all(_weak_constant(item) for item in folded):
        if FUNCTIONS[expr.name].gives is Gives.NAMED:
            assert isinstance(expr.type, ElementType)
            return saturated(expr.type, folded[0], expr.span)
        values = [item.value for item in folded if isinstance(item, expressions.Constant)]
        return expressions.Constant(constants.apply(expr.name, values, expr.span), expr.type, expr.span)
    return replace(expr, arguments=tuple(folded))


def _convert(expr: expressions.Convert, operand: expressions.Expr) -> expressions.Expr:
    if not isinstance(operand, expressions.Constant) or not isinstance(operand.type, Weak):
        return replace(expr, operand=operand)
    if expr.type.kind is Kind.COMPLEX:
        return settle(replace(operand, span=expr.span), expr.type)
    return expressions.Constant(
        expr.type.held(constants.convert(expr.type, operand.value, expr.span)), expr.type, expr.span
    )


def _select(expr: expressions.Select, bindings: Bindings) -> expressions.Expr:
    condition = substitute(expr.condition, bindings)
    if isinstance(condition, expressions.Constant):
        return _part(expr.then if condition.value else expr.otherwise, expr, bindings)
    then, otherwise = (substitute(branch, bindings) for branch in (expr.then, expr.otherwise))
    return replace(expr, condition=condition, then=then, otherwise=otherwise)


def _weak_constant(expr: expressions.Expr) -> bool:
    return isinstance(expr, expressions.Constant) and isinstance(expr.type, Weak)


def is_bool_constant(expr: expressions.Expr | None, *, value: bool) -> bool:
    """Whether a condition is known to be `value`."""
    return isinstance(expr, expressions.Constant) and expr.type in (Weak.BOOL, ElementType.BOOL) and expr.value is value
