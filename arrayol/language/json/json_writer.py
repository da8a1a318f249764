"""From the model of a specification to JSON: what has a default and is that is left out; expressions take one line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import fields
from types import NoneType
from typing import Any

from arrayol.ir import syntax
from arrayol.ir.borders import BORDER_MODES
from arrayol.ir.node_rules import KINDS, SIGNS
from arrayol.language.syntax.tree import chain_of

MARK, FORMAT = "specification", 1
_WIDTH = 100  # columns that an object on one line may take


def document_of(specification: syntax.Specification) -> dict[str, Any]:
    """The document of a specification: dictionaries, lists, texts and numbers."""
    return {"arrayol": MARK, "format": FORMAT, "definitions": [_value(item) for item in specification.definitions]}


def _value(node: Any) -> Any:
    """What stands for a node, a tuple of nodes, or a value that is none."""
    form: Callable[[Any], Any] = _FORMS.get(type(node), _object)
    return form(node)


def _reference(node: syntax.Ref | syntax.Part) -> Any:
    """A name alone, or with what it takes of an array; where a border may stand, its words are no names alone."""
    taken = node.subscripts if isinstance(node, syntax.Ref) else node.slices
    return _object(node) if taken or node.name.text in BORDER_MODES else node.name.text


def _unary(node: syntax.Unary) -> Any:
    """A number with its sign, but for zero, of which JSON's readers lose it."""
    signed = node.operator == "-" and isinstance(node.operand, syntax.Number) and node.operand.value
    return -signed if signed else _object(node)


def _chain(node: syntax.Binary) -> Any:
    """A chain of operands by a loop, since it may be longer than any stack."""
    left, chain = chain_of(node)
    value = _value(left)
    for one in chain:
        value = {"operator": one.operator, "left": value, "right": _value(one.right)}
    return value


def _object(node: Any) -> dict[str, Any]:
    kind = {"kind": KINDS[type(node)]} if type(node) in KINDS else {}
    values = ((name, getattr(node, name), default) for name, default in _fields(type(node)))
    return {**kind, **{name: _value(value) for name, value, default in values if value != default}}


def _fields(cls: type) -> list[tuple[str, Any]]:
    """The fields that JSON has, with their defaults."""
    if cls not in _known:
        hidden = {"span", "content"} if cls is syntax.DataFile else {"span"}
        _known[cls] = [(part.name, part.default) for part in fields(cls) if part.name not in hidden]
    return _known[cls]


_known: dict[type, list[tuple[str, Any]]] = {}

# What is no object with the values of its fields.
_FORMS: dict[type, Callable[[Any], Any]] = {
    tuple: lambda parts: [_value(part) for part in parts],
    str: lambda text: text,
    bool: lambda flag: flag,
    NoneType: lambda _: None,
    **dict.fromkeys((syntax.Number, syntax.Truth), lambda node: node.value),
    **dict.fromkeys((syntax.Infinite, syntax.Whole), lambda node: SIGNS[type(node)]),
    **dict.fromkeys((syntax.Ref, syntax.Part), _reference),
    syntax.Name: lambda node: node.text,
    syntax.BorderMode: lambda node: node.mode,
    syntax.Vector: lambda node: _value(node.items),
    syntax.Matrix: lambda node: _value(node.rows),
    syntax.Binary: _chain,
    syntax.Unary: _unary,
}


# Text: like what `json.dumps` writes, but what fits into a line takes one, as rows of matrices do.


def json_text(document: Any) -> str:
    """A document as JSON text that people can read."""
    return "".join(_written(document, 0)) + "\n"


def _written(value: Any, depth: int) -> Iterator[str]:
    """A value, over several lines where it is long and no expression."""
    line = _on_one_line(value)
    if len(line) + depth <= _WIDTH or _stays_on_one_line(value):
        yield line
        return
    is_object, indent = isinstance(value, dict), "  " * (depth // 2 + 1)
    yield "{" if is_object else "["
    for place, entry in enumerate(value):
        yield f"{',' if place else ''}\n{indent}"
        if is_object:
            yield f"{json.dumps(entry)}: "
        yield from _written(value[entry] if is_object else entry, depth + 2)
    yield f"\n{'  ' * (depth // 2)}{'}' if is_object else ']'}"


def _stays_on_one_line(value: Any) -> bool:
    """Whether a value is a plain one, a list of such, or an expression: they nest as deep as chains are long."""
    if isinstance(value, dict):
        return not value.keys().isdisjoint(("operator", "function", "condition", "subscripts"))
    return not isinstance(value, list) or not any(isinstance(entry, dict | list) for entry in value)


def _on_one_line(value: Any) -> str:
    """A value on one line, by a loop."""
    parts: list[str] = []
    waiting: list[tuple[bool, Any]] = [(False, value)]  # texts that are ready, and values
    while waiting:
        ready, part = waiting.pop()
        if ready:
            parts.append(part)
        elif isinstance(part, dict | list):
            is_object = isinstance(part, dict)
            parts.append("{" if is_object else "[")
            waiting.append((True, "}" if is_object else "]"))
            for place, entry in reversed(list(enumerate(part))):
                waiting.append((False, part[entry] if is_object else entry))
                lead = ", " if place else ""
                waiting.append((True, f"{lead}{json.dumps(entry)}: " if is_object else lead))
        else:
            parts.append(json.dumps(part))
    return "".join(parts)
