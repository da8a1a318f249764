"""Syntax in which names of consts stand for expressions, and names of types for other types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, TypeVar

from arrayol.ir import syntax, trusted
from arrayol.language.syntax.tree import chain_of

Node = TypeVar("Node")


def substituted(node: Node, values: Mapping[str, syntax.Expr]) -> Node:
    """The node with values in the place of these names, and itself where it has none of them.

    A type is a reference to its name; it takes the place of a name where types stand, that of a conversion too.
    """
    if not values:
        return node
    made: Node = _substituted(node, values)
    return made


def _substituted(node: Any, values: Mapping[str, syntax.Expr]) -> Any:
    if isinstance(node, tuple):
        made = tuple(_substituted(item, values) for item in node)
        return made if any(new is not old for new, old in zip(made, node, strict=True)) else node
    if isinstance(node, syntax.Ref) and not node.subscripts:
        return trusted.replace(values[node.name.text], span=node.span) if node.name.text in values else node
    if isinstance(node, syntax.Binary):
        return _chain(node, values)
    if not is_dataclass(node) or isinstance(node, syntax.Name):
        return node
    changes: dict[str, Any] = {}
    for part in _parts(node.__class__):
        old = getattr(node, part)
        new = _type_name(old, values) if isinstance(old, syntax.Name) and part in _TYPES else _substituted(old, values)
        if new is not old:
            changes[part] = new
    return trusted.replace(node, **changes) if changes else node


_TYPES = ("type", "function")  # the parts of nodes in which a type stands


@cache
def _parts(kind: type[Any]) -> tuple[str, ...]:
    return tuple(part.name for part in fields(kind) if part.name not in ("span", "name"))


def _type_name(name: syntax.Name, values: Mapping[str, syntax.Expr]) -> syntax.Name:
    value = values.get(name.text)
    return trusted.Name(value.name.text, name.span) if isinstance(value, syntax.Ref) else name


def _chain(expr: syntax.Binary, values: Mapping[str, syntax.Expr]) -> syntax.Expr:
    """A chain of operands, which may be longer than any stack."""
    left, chain = chain_of(expr)
    old, new = left, _substituted(left, values)
    for node in chain:
        right = _substituted(node.right, values)
        new = node if new is old and right is node.right else trusted.replace(node, left=new, right=right)
        old = node
    made: syntax.Expr = new
    return made
