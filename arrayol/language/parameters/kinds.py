"""Parameters of elementaries and tasks: which are types and which are numbers, and what is wrong with their names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from arrayol.ir import syntax
from arrayol.language.namespace import Definitions
from arrayol.language.syntax.diagnose import Mistakes
from arrayol.language.syntax.tree import nodes_in
from arrayol.language.tasks import check_fresh
from arrayol.operators.record import Gives
from arrayol.operators.registry import FUNCTIONS

Definition = syntax.Elementary | syntax.Task
Use = syntax.Repeat | syntax.Call

Kinds = Mapping[str, tuple[bool, ...]]  # by definition: whether each parameter is a type


def uses_in(item: Definition) -> tuple[Use, ...]:
    """The repetition, or the calls, that a task consists of."""
    if isinstance(item, syntax.Elementary):
        return ()
    if isinstance(item.content, syntax.Repeat):
        return (item.content,)
    return tuple(call for call in item.content if isinstance(call, syntax.Call))


def kinds_of(items: Sequence[Definition]) -> Kinds:
    """The kinds of all parameters; the items stand after those that they use.

    A name is a type where it stands in the place of a type, as a conversion, or for such a parameter of another task.
    """
    kinds: dict[str, tuple[bool, ...]] = {}
    for item in items:
        types = set(_types_named(item, kinds))
        kinds[item.name.text] = tuple(name.text in types for name in item.parameters)
    return kinds


def _types_named(item: Definition, kinds: Kinds) -> Iterator[str]:
    for node in nodes_in(item):
        match node:
            case syntax.Port() | syntax.Local() | syntax.Array():
                yield node.type.text
            case syntax.Apply() if node.function.text not in FUNCTIONS:
                yield node.function.text
    yield from (ref.name.text for ref in _type_places(item, kinds))


def _names_type(function: str) -> bool:
    """Whether the first argument of a function is a type."""
    return function in FUNCTIONS and FUNCTIONS[function].gives is Gives.NAMED


def _type_places(item: Definition, kinds: Kinds) -> Iterator[syntax.Ref]:
    """The references that stand for types: the first argument of `sat`, and values of parameters that are types."""
    for node in nodes_in(item):
        if isinstance(node, syntax.Apply) and _names_type(node.function.text):
            yield from (ref for ref in node.arguments[:1] if isinstance(ref, syntax.Ref))
    for use in uses_in(item):
        for value, is_type in zip(use.values or (), kinds.get(use.callee.text, ()), strict=False):
            if is_type and isinstance(value, syntax.Ref):
                yield value


def check_parameters(item: Definition, kinds: Kinds, definitions: Definitions, mistakes: Mistakes) -> None:
    """Note parameters whose names have two meanings, and uses of a parameter as what it is not."""
    check_fresh(item.parameters, "parameter", definitions, mistakes)
    owner, names = item.name.text, {name.text for name in item.parameters}
    for name, what in _introduced(item):
        if name.text in names:
            message = f"'{name.text}' is already a parameter of '{owner}'"
            mistakes.report("name-reused", message, name.span, f"choose another name for the {what}")
    types = {name.text for name, is_type in zip(item.parameters, kinds[owner], strict=True) if is_type}
    allowed = {id(ref) for ref in _type_places(item, kinds)}
    for node in nodes_in(item):
        if isinstance(node, syntax.Ref) and node.name.text in names:
            text = node.name.text
            if text in types and id(node) not in allowed:
                hint = "it stands where a type stands, so it is no number; take two parameters"
                mistakes.report("not-a-const", f"'{text}' is a type here, not a number", node.span, hint)
            elif node.subscripts:
                mistakes.report("rank-mismatch", f"'{text}' is a number and takes no subscript", node.span)


def _introduced(item: Definition) -> Iterator[tuple[syntax.Name, str]]:
    """The names that a definition gives a meaning, and what to."""
    for node in nodes_in(item):
        match node:
            case syntax.Port():
                yield node.name, "port"
            case syntax.Range():
                yield node.name, "range variable"
            case syntax.Local():
                yield node.name, "local"
            case syntax.Array():
                yield node.name, "array"
            case syntax.Call():
                yield from ((part.name, "array") for part in node.results)
