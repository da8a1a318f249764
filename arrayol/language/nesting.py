"""A bound on how deep expressions nest, so that every later pass may recurse over them.

A chain of left operands (a + b + c + ...) is walked by a loop wherever expressions are read, so it may be any length.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from arrayol.errors import Diagnostic
from arrayol.ir import syntax

MAXIMUM_DEPTH = 100


def too_deep(item: syntax.Item | None) -> Diagnostic | None:
    """The first expression or loop of a definition that nests deeper than `MAXIMUM_DEPTH`, as a mistake."""
    stack: list[tuple[Any, int]] = [(item, 0)]
    while stack:
        node, depth = stack.pop()
        if depth > MAXIMUM_DEPTH and not isinstance(node, tuple):
            return Diagnostic(
                "nested-too-deep",
                f"this nests deeper than {MAXIMUM_DEPTH} levels",
                node.span,
                "split it: give parts of it a const or an output of their own",
            )
        stack += _children(node, depth)
    return None


def _children(node: Any, depth: int) -> list[tuple[Any, int]]:
    if isinstance(node, tuple):
        return [(child, depth) for child in node]
    if isinstance(node, syntax.Binary):
        return [(node.left, depth), (node.right, depth + 1)]
    if not is_dataclass(node) or isinstance(node, syntax.Name):
        return []
    deeper = depth + isinstance(node, (syntax.Unary, syntax.Conditional, syntax.Apply, syntax.Ref, syntax.Loop))
    return [(getattr(node, part.name), deeper) for part in fields(node) if part.name != "span"]
