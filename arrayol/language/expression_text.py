"""Expressions as text, with just the parentheses that their structure needs."""

from __future__ import annotations

from arrayol.ir import syntax

# How tightly each form binds; an operand that binds less tightly than its place asks for is put in parentheses.
_CONDITIONAL, _COMPARISON, _UNARY, _ATOM = 0, 4, 11, 12
_BINARY = {
    "or": 1,
    "and": 2,
    **dict.fromkeys(("==", "!=", "<", "<=", ">", ">="), _COMPARISON),
    "|": 5,
    "^": 6,
    "&": 7,
    **dict.fromkeys(("<<", ">>"), 8),
    **dict.fromkeys(("+", "-"), 9),
    **dict.fromkeys(("*", "/", "//", "%"), 10),
}
_NOT = 3


def expression(expr: syntax.Expr) -> str:
    """The text of an expression."""
    return _text(expr, _CONDITIONAL)


def _text(expr: syntax.Expr, least: int) -> str:
    """The text of an expression where at least the binding `least` is asked for."""
    text, binding = _chain(expr) if isinstance(expr, syntax.Binary) else _single(expr)
    return text if binding >= least else f"({text})"


def _chain(expr: syntax.Binary) -> tuple[str, int]:
    """A chain of left operands by a loop, since it may be longer than any stack."""
    chain: list[syntax.Binary] = []
    left: syntax.Expr = expr
    while isinstance(left, syntax.Binary):
        chain.append(left)
        left = left.left
    text, binding = _single(left)
    parts = [text]
    for node in reversed(chain):
        own = _BINARY[node.operator]
        if binding < own + (own == _COMPARISON):  # comparisons do not chain
            parts = ["(", *parts, ")"]
        parts += [f" {node.operator} ", _text(node.right, own + 1)]
        binding = own
    return "".join(parts), binding


def _single(expr: syntax.Expr) -> tuple[str, int]:
    """The text of an expression that is no chain, and how tightly it binds."""
    match expr:
        case syntax.Unary():
            blank, binding = (" ", _NOT) if expr.operator == "not" else ("", _UNARY)
            return f"{expr.operator}{blank}{_text(expr.operand, binding)}", binding
        case syntax.Conditional():
            then, condition = _text(expr.then, 1), _text(expr.condition, 1)
            return f"{then} if {condition} else {expression(expr.otherwise)}", _CONDITIONAL
        case _:
            return _atom(expr), _ATOM


def _atom(expr: syntax.Expr) -> str:
    match expr:
        case syntax.Number():
            return repr(expr.value)
        case syntax.Truth():
            return str(expr.value).lower()
        case syntax.Ref():
            return expr.name.text + _listed("[", expr.subscripts, "]")
        case syntax.Apply():
            return f"{expr.function.text}({', '.join(map(expression, expr.arguments))})"
        case _:
            raise TypeError(f"no text for {type(expr).__name__}")


def _listed(opening: str, items: tuple[syntax.Expr, ...], closing: str) -> str:
    return f"{opening}{', '.join(map(expression, items))}{closing}" if items else ""
