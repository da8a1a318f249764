"""Index expressions of bodies as isl's text: piecewise quasi-affine, or None where they are not."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

from arrayol.ir import expressions
from arrayol.ir.types import Weak

Pieces = list[tuple[str, str]]  # where each holds, and its value there

MAXIMUM_PIECES = 16
MAXIMUM_TEXT = 10_000  # characters; what stands twice in a text that stands twice in another one doubles each time
_COMPARISONS = {"==": "=", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}


def value_pieces(expr: expressions.Expr, names: Mapping[str, str]) -> Pieces | None:
    """The pieces of an integer expression of range variables; `names` gives isl's names of those."""
    match expr:
        case expressions.Constant(value=value) if expr.type is Weak.INTEGER or isinstance(value, int):
            return [("", f"({int(value)})")]
        case expressions.Index(name=name):
            return [("", names[name])]
        case expressions.Operation():
            return _chain(expr, names)
        case expressions.Function(name="abs" | "min" | "max") if expr.type is Weak.INTEGER:
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
    return _connective(expr, names) if expr.operator in ("and", "or", "not") else _comparison(expr, names)


def _connective(expr: expressions.Operation, names: Mapping[str, str]) -> str | None:
    operands = _flat(expr)
    if len(operands) > MAXIMUM_PIECES:
        return None  # isl would take minutes over it
    parts = [condition_text(operand, names) for operand in operands]
    if None in parts:
        return None
    joined = f" {expr.operator} ".join(part for part in parts if part)
    return f"({joined})" if len(parts) > 1 else f"(not {joined})"


def split_condition(expr: expressions.Expr | None, names: Mapping[str, str]) -> tuple[str, bool]:
    """The affine part of a condition, and whether that is the whole of it: `k > 0 and x[k] > t` gives `k > 0`."""
    if expr is None:
        return "true", True
    whole = condition_text(expr, names)
    if whole is not None:
        return whole, True
    if isinstance(expr, expressions.Operation) and expr.operator == "and":
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


def _comparison(expr: expressions.Operation, names: Mapping[str, str]) -> str | None:
    if expr.operator not in _COMPARISONS or any(operand.type is not Weak.INTEGER for operand in expr.operands):
        return None
    left, right = (value_pieces(operand, names) for operand in expr.operands)
    if left is None or right is None:
        return None
    sign = _COMPARISONS[expr.operator]
    cases = [
        _both(_both(where, other), f"{text} {sign} {bound}") for (where, text), (other, bound) in product(left, right)
    ]
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
    if len(expr.operands) == 1:
        return _combine([left], "(-{})", "") if expr.operator == "-" else None
    if expr.operator in ("+", "-"):
        return _combine([left, value_pieces(expr.operands[1], names)], "({})", f" {expr.operator} ")
    factor, scaled = _constant(expr.operands[1]), left
    if expr.operator == "*" and factor is None:
        factor, pieces = _constant(expr.operands[0]), value_pieces(expr.operands[1], names)
        scaled = pieces or []
    if factor is None or not scaled or (factor == 0 and expr.operator != "*"):
        return None
    forms = {
        "*": f"({factor} * {{}})",
        "//": f"floor(({{}})/{factor})" if factor > 0 else f"floor((-{{}})/{-factor})",
        "%": f"(({{}}) mod {factor})" if factor > 0 else f"(-((-{{}}) mod {-factor}))",
    }
    return _combine([scaled], forms[expr.operator], "") if expr.operator in forms else None


def _function(expr: expressions.Function, names: Mapping[str, str]) -> Pieces | None:
    arguments = [value_pieces(item, names) for item in expr.arguments]
    if expr.name == "abs":
        inner = arguments[0]
        return None if inner is None else _few([(where, f"max({text}, -({text}))") for where, text in inner])
    return _combine(arguments, f"{expr.name}({{}})", ", ")


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


def _combine(operands: list[Pieces | None], form: str, separator: str) -> Pieces | None:
    """Every combination of the operands' pieces, joined and put into a form."""
    known = [operand for operand in operands if operand is not None]
    if len(known) < len(operands):
        return None
    pieces = []
    for combination in product(*known):
        where = ""
        for condition, _ in combination:
            where = _both(where, condition)
        pieces.append((where, form.format(separator.join(text for _, text in combination))))
    return pieces if len(pieces) <= MAXIMUM_PIECES else None


def _both(first: str, second: str) -> str:
    return f"{first} and {second}" if first and second else first or second


def _constant(expr: expressions.Expr) -> int | None:
    return int(expr.value) if isinstance(expr, expressions.Constant) else None
