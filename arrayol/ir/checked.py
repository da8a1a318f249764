"""Nodes that whoever builds one in Python has validated: frozen dataclasses whose call is checked by pydantic.

What builds nodes inside, such as the parser, takes `trusted` constructors, which check nothing. pydantic, and all that
describes the nodes to it (`arrayol.ir.node_schemas`), is loaded when a node is first built from outside: a command
that reads a specification as text never loads it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from importlib import import_module
from typing import Any, ParamSpec, TypeVar

Node = TypeVar("Node")
Arguments = ParamSpec("Arguments")

_plain: dict[Any, Callable[..., None]] = {}  # the constructors that dataclasses wrote


def checked(cls: type[Node]) -> type[Node]:
    """Let calls of a dataclass validate their arguments, and what stands for them: `3` for a number, a list for a row.

    A call raises ArrayolError with every mistake.
    """
    plain = _plain[cls] = cls.__init__

    @wraps(plain)
    def validated(self: Any, *args: Any, **kwargs: Any) -> None:
        _schemas().build(self, args, kwargs)

    cls.__init__ = validated  # type: ignore[method-assign]
    cls.__get_pydantic_core_schema__ = classmethod(_core_schema)  # type: ignore[attr-defined]
    cls.__get_pydantic_json_schema__ = classmethod(_json_schema)  # type: ignore[attr-defined]
    cls.__pydantic_config__ = {"extra": "forbid"}  # type: ignore[attr-defined]
    return cls


def trusted(cls: Callable[Arguments, Node]) -> Callable[Arguments, Node]:
    """A constructor of a checked dataclass that checks nothing, for what is known to be sound."""
    plain, new = _plain[cls], object.__new__

    def build(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Node:
        node = new(cls)  # type: ignore[arg-type]
        plain(node, *args, **kwargs)
        return node

    return build


def _core_schema(cls: type, source: Any, handler: Any) -> Any:
    return _schemas().node_schema(cls, source, handler)


def _json_schema(cls: type, schema: Any, handler: Any) -> Any:
    return _schemas().node_json_schema(cls, schema, handler)


@dataclass(frozen=True, slots=True)
class Form:
    """What a field takes that has several forms, or one that is no node: by its name in `arrayol.ir.node_schemas`."""

    name: str

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        return _schemas().form_schema(self.name, source, handler)


def _schemas() -> Any:
    """All that needs pydantic, by its name: it knows the nodes, so they cannot know it."""
    return import_module("arrayol.ir.node_schemas")
