"""Expressions of bodies with other expressions for range variables, folded as the language folds constants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from arrayol.ir import expressions as body
from arrayol.ir.affine import affine, expression_of
from arrayol.ir.types import ElementType, Kind, Weak
from arrayol.language import constants
from arrayol.language.typing import settle

Bindings = Mapping[str, body.Expr]


def substitute(expr: body.Expr, bindings: Bindings) -> body.Expr:
    """The expression with weak integer expressions for range variables.

    Integer expressions of range variables become affine forms; what is constant is computed; of a conditional whose
    condition is constant only the branch it takes is left, so that nothing is computed that it guards.
    """
    found = _inside(expr, bindings)
    return expression_of(affine(found), found.span) if found.type is Weak.INTEGER else found


def _inside(expr: body.Expr, bindings: Bindings) -> body.Expr:  # noqa: PLR0911, one case per node
    match expr:
        case body.Constant():
            return expr
        case body.Index():
            return bindings.get(expr.name, expr)
        case body.Read():
            return replace(expr, subscripts=tuple(substitute(item, bindings) for item in expr.subscripts))
        case body.Operation():
            return _chain(expr, bindings)
        case body.Function():
            return _function(expr, bindings)
        case body.Convert():
            return _convert(expr, substitute(expr.operand, bindings))
        case body.Select():
            return _select(expr, bindings)


def _part(expr: body.Expr, parent: body.Expr, bindings: Bindings) -> body.Expr:
    """An operand; inside one integer expression it is left to the whole to become an affine form."""
    return _inside(expr, bindings) if parent.type is Weak.INTEGER else substitute(expr, bindings)


def _chain(expr: body.Operation, bindings: Bindings) -> body.Expr:
    """A chain of left operands by a loop, since it may be longer than any stack."""
    left, chain = body.chain_of(expr)
    value = _part(left, chain[0], bindings)
    for node in chain:
        value = _operation(node, value, bindings)
    return value


def _operation(node: body.Operation, left: body.Expr, bindings: Bindings) -> body.Expr:
    if len(node.operands) == 1:
        if isinstance(left, body.Constant) and (isinstance(left.type, Weak) or left.type is ElementType.BOOL):
            return replace(left, value=constants.unary(node.operator, left.value, node.span))
        return replace(node, operands=(left,))
    if node.operator in ("and", "or") and isinstance(left, body.Constant):
        decided = bool(left.value) is (node.operator == "or")
        return left if decided else _part(node.operands[1], node, bindings)
    if left.type is Weak.INTEGER and node.type is not Weak.INTEGER:
        left = expression_of(affine(left), left.span)
    right = _part(node.operands[1], node, bindings)
    if _weak_constant(left) and _weak_constant(right):
        assert isinstance(left, body.Constant)
        assert isinstance(right, body.Constant)
        value = constants.binary(node.operator, left.value, right.value, node.span)
        return body.Constant(value, node.type, node.span)
    return replace(node, operands=(left, right))


def _function(expr: body.Function, bindings: Bindings) -> body.Expr:
    arguments = tuple(_part(item, expr, bindings) for item in expr.arguments)
    folded = [expression_of(affine(item), item.span) if item.type is Weak.INTEGER else item for item in arguments]
    if all(_weak_constant(item) for item in folded):
        values = [item.value for item in folded if isinstance(item, body.Constant)]
        return body.Constant(constants.apply(expr.name, values, expr.span), expr.type, expr.span)
    return replace(expr, arguments=tuple(folded))


def _convert(expr: body.Convert, operand: body.Expr) -> body.Expr:
    if not isinstance(operand, body.Constant) or not isinstance(operand.type, Weak):
        return replace(expr, operand=operand)
    if expr.type.kind is Kind.COMPLEX:
        return settle(replace(operand, span=expr.span), expr.type)
    return body.Constant(constants.convert(expr.type, operand.value, expr.span), expr.type, expr.span)


def _select(expr: body.Select, bindings: Bindings) -> body.Expr:
    condition = substitute(expr.condition, bindings)
    if isinstance(condition, body.Constant):
        return _part(expr.then if condition.value else expr.otherwise, expr, bindings)
    then, otherwise = (substitute(branch, bindings) for branch in (expr.then, expr.otherwise))
    return replace(expr, condition=condition, then=then, otherwise=otherwise)


def _weak_constant(expr: body.Expr) -> bool:
    return isinstance(expr, body.Constant) and isinstance(expr.type, Weak)


def is_bool_constant(expr: body.Expr | None, *, value: bool) -> bool:
    """Whether a condition is known to be `value`."""
    return isinstance(expr, body.Constant) and expr.type in (Weak.BOOL, ElementType.BOOL) and expr.value is value
