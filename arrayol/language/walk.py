"""One traversal of syntax trees, by a loop: chains of operands may be longer than any stack."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from arrayol.ir import syntax


def nodes_in(root: Any) -> Iterator[Any]:
    """Every node below and including `root`, names and numbers too, in textual order."""
    stack = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, tuple):
            stack.extend(reversed(node))
        elif is_dataclass(node):
            yield node
            stack.extend(getattr(node, part.name) for part in reversed(fields(node)) if part.name != "span")


def names_in(root: Any) -> set[str]:
    """The texts of all references in an expression; names of functions are none."""
    return {node.name.text for node in nodes_in(root) if isinstance(node, syntax.Ref)}
