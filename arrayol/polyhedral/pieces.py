"""Index expressions of bodies as isl's text: piecewise quasi-affine, or None where they are not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product

from arrayol.ir import expressions
from arrayol.ir.types import Weak
from arrayol.operators.record import Guard, Operator
from arrayol.operators.registry import FUNCTIONS, INFIX, operator_of

Pieces = list[tuple[str, str]]  # where each holds, and its value there

MAXIMUM_PIECES = 16
MAXIMUM_TEXT = 10_000  # characters; what stands twice in a text that stands twice in another one doubles each time


def value_pieces(expr: expressions.Expr, names: Mapping[str, str]) -> Pieces | None:
    """The pieces of an integer expression of range variables; `names` gives isl's names of those."""
    match expr:
        case expressions.Constant(value=value) if expr.type is Weak.INTEGER or isinstance(value, int):
            return [("", f"({int(value)})")]
        case expressions.Index(name=name):
            return [("", names[name])]
        case expressions.Operation():
            return _chain(expr, names)
        case expressions.Function() if expr.type is Weak.INTEGER and FUNCTIONS[expr.name].isl is not None:
            return _function(expr, names)
        case expressions.Select():
            return _select(expr, names)
        case _:
            return None


def condition_text(expr: expressions.Expr, names: Mapping[str, str]) -> str | None:
    """A condition on range variables, or None where it depends on data or is not affine."""
    if isinstance(expr, expressions.Constant):
        return "true" if expr.value else "false"
    if isinstance(expr, expressions.Convert) and expr.operand.type is Weak.BOOL:
        return condition_text(expr.operand, names)
    if not isinstance(expr, expressions.Operation):
        return None
    operator = operator_of(expr.operator, len(expr.operands))
    return _connective(operator, expr, names) if operator.is_connective else _comparison(operator, expr, names)


def _connective(operator: Operator, expr: expressions.Operation, names: Mapping[str, str]) -> str | None:
    operands = _flat(expr)
    if len(operands) > MAXIMUM_PIECES:
        return None  # isl would take minutes over it
    parts = [condition_text(operand, names) for operand in operands]
    if None in parts or operator.isl is None:
        return None
    return operator.isl(*(part for part in parts if part))


def split_condition(expr: expressions.Expr | None, names: Mapping[str, str]) -> tuple[str, bool]:
    """The affine part of a condition, and whether that is the whole of it: `k > 0 and x[k] > t` gives `k > 0`."""
    if expr is None:
        return "true", True
    whole = condition_text(expr, names)
    if whole is not None:
        return whole, True
    if isinstance(expr, expressions.Operation) and len(expr.operands) == 2 and INFIX[expr.operator].decides is False:
        parts = [split_condition(operand, names)[0] for operand in _flat(expr)[:MAXIMUM_PIECES]]
        return f"({' and '.join(parts)})", False
    return "true", False


def _flat(expr: expressions.Operation) -> list[expressions.Expr]:
    """The operands of a chain of one and the same `and` or `or`."""
    operands: list[expressions.Expr] = []
    left: expressions.Expr = expr
    while isinstance(left, expressions.Operation) and left.operator == expr.operator and len(left.operands) == 2:
        operands.append(left.operands[1])
        left = left.operands[0]
    return [left, *reversed(operands)] if operands else list(expr.operands)


def _comparison(operator: Operator, expr: expressions.Operation, names: Mapping[str, str]) -> str | None:
    weak = all(operand.type is Weak.INTEGER for operand in expr.operands)
    text_of = operator.isl if operator.is_comparison and weak else None
    if text_of is None:
        return None
    left, right = (value_pieces(operand, names) for operand in expr.operands)
    if left is None or right is None:
        return None
    cases = [_both(_both(where, other), text_of(text, bound)) for (where, text), (other, bound) in product(left, right)]
    text = f"({' or '.join(f'({case})' for case in cases)})"
    return text if len(cases) == 1 or len(text) <= MAXIMUM_TEXT else None


def _chain(expr: expressions.Operation, names: Mapping[str, str]) -> Pieces | None:
    """A chain of left operands by a loop, since it may be longer than any stack."""
    left, chain = expressions.chain_of(expr)
    pieces = value_pieces(left, names)
    for node in chain:
        pieces = _operation(node, pieces, names) if pieces is not None else None
    return pieces


def _operation(expr: expressions.Operation, left: Pieces, names: Mapping[str, str]) -> Pieces | None:
    if expr.type is not Weak.INTEGER:
        return None
    operator = operator_of(expr.operator, len(expr.operands))
    if operator.isl is not None:
        return _combine([left, *(value_pieces(operand, names) for operand in expr.operands[1:])], operator.isl)
    form = operator.isl_by_number
    if form is None:
        return None
    factor, scaled = _constant(expr.operands[1]), left
    if operator.guard is Guard.NONE and factor is None:  # a product: the number may stand first
        factor, pieces = _constant(expr.operands[0]), value_pieces(expr.operands[1], names)
        scaled = pieces or []
    if factor is None or not scaled or (factor == 0 and operator.guard is Guard.DIVISOR):
        return None
    number = factor
    return _combine([scaled], lambda text: form(text, number))


def _function(expr: expressions.Function, names: Mapping[str, str]) -> Pieces | None:
    text_of = FUNCTIONS[expr.name].isl
    assert text_of is not None
    pieces = _combine([value_pieces(item, names) for item in expr.arguments], text_of)
    return None if pieces is None else _few(pieces)


def _select(expr: expressions.Select, names: Mapping[str, str]) -> Pieces | None:
    condition = condition_text(expr.condition, names)
    then, otherwise = value_pieces(expr.then, names), value_pieces(expr.otherwise, names)
    if condition is None or then is None or otherwise is None:
        return None
    pieces = [(_both(condition, where), text) for where, text in then]
    pieces += [(_both(f"(not {condition})", where), text) for where, text in otherwise]
    return _few(pieces)


def _few(pieces: Pieces) -> Pieces | None:
    """The pieces, where they are not too many or too long for isl."""
    length = sum(len(where) + len(text) for where, text in pieces)
    return pieces if len(pieces) <= MAXIMUM_PIECES and length <= MAXIMUM_TEXT else None


def _combine(operands: list[Pieces | None], text_of: Callable[..., str]) -> Pieces | None:
    """Every combination of the operands' pieces, with the text of their texts."""
    known = [operand for operand in operands if operand is not None]
    if len(known) < len(operands):
        return None
    pieces = []
    for combination in product(*known):
        where = ""
        for condition, _ in combination:
            where = _both(where, condition)
        pieces.append((where, text_of(*(text for _, text in combination))))
    return pieces if len(pieces) <= MAXIMUM_PIECES else None


def _both(first: str, second: str) -> str:
    return f"{first} and {second}" if first and second else first or second


def _constant(expr: expressions.Expr) -> int | None:
    return int(expr.value) if isinstance(expr, expressions.Constant) else None
