"""Specifications with parameters: numbers and types of a text become parameters, whose values its uses give."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

from arrayol.ir import syntax
from arrayol.ir.syntax import NOWHERE, Elementary, Name, Number, Ref, Task
from arrayol.ir.trusted import replace
from arrayol.language.emitter import name, number
from arrayol.language.parameters.kinds import uses_in
from arrayol.language.syntax.parser import Parsed, parse
from arrayol.language.syntax.printer import print_file
from arrayol.language.syntax.tree import nodes_in
from arrayol.source import SourceFile

Choose = Callable[[Sequence[Any]], Any]  # one of several options
Definition = Elementary | Task


def with_parameters(choose: Choose, text: str, tops: Collection[str] = ("top",)) -> str:
    """The text with parameters in elementaries and tasks below `tops`; with their values it is what it was."""
    items = {item.name.text: item for item in parse(SourceFile("generated", text)).tree.definitions}  # type: ignore[union-attr]
    below = {which: item for which, item in items.items() if isinstance(item, Definition) and which not in tops}
    chosen = {which: _parametrised(choose, item) for which, item in below.items()}
    for which, item in items.items():
        if isinstance(item, Definition):
            items[which] = _using(choose, chosen.get(which) or _Made(item), chosen)
    return "\n".join(
        print_file(Parsed(syntax.Specification((_nowhere(item),), NOWHERE), (), (), frozenset()))
        for item in items.values()
    )


@dataclass
class _Made:
    """A definition, what its parameters are, and which of them a call can leave out."""

    item: Definition
    values: dict[str, syntax.Expr] = field(default_factory=dict)

    @property
    def is_read_off(self) -> bool:
        """Whether each parameter stands alone as a dimension or type of some input."""
        ports = self.item.signature.inputs
        alone = {port.type.text for port in ports}
        alone |= {dim.name.text for port in ports for dim in port.shape if isinstance(dim, Ref)}
        return self.values.keys() <= alone


def _parametrised(choose: Choose, item: Definition) -> _Made:
    """The definition with a type and up to two numbers of its ports as parameters, each where it is chosen to be."""
    made = _Made(item)
    types = sorted({node.type.text for node in nodes_in(item) if isinstance(node, syntax.Port)})
    if types and choose([True, False]):
        chosen = choose(types)
        made.item = _with_type(made.item, chosen)
        made.values["T"] = Ref(name(chosen), (), NOWHERE)
    for parameter in ("P", "Q")[: choose([0, 1, 2])]:
        sizes = sorted(set(_sizes(made.item)))
        if sizes:
            size = choose(sizes)
            made.item = _with_number(choose, made.item, size, parameter)
            made.values[parameter] = number(size)
    made.item = replace(made.item, parameters=tuple(map(name, choose([list(made.values), list(made.values)[::-1]]))))
    return made


def _sizes(item: Definition) -> Iterator[int]:
    for port in item.signature.inputs:
        yield from (dim.value for dim in port.shape if isinstance(dim, Number) and isinstance(dim.value, int))


def _with_type(item: Definition, kind: str) -> Definition:
    def change(node: Any) -> Any:
        for part in ("type", "function"):
            held = getattr(node, part, None)
            if isinstance(held, Name) and held.text == kind:
                return replace(node, **{part: name("T")})
        return node

    return _rebuilt(item, change)  # type: ignore[no-any-return]


def _with_number(choose: Choose, item: Definition, size: int, parameter: str) -> Definition:
    """The parameter in the place of a number, in all dimensions of inputs and elsewhere at times."""
    ref = Ref(name(parameter), (), NOWHERE)

    def change(node: Any) -> Any:
        same = isinstance(node, Number) and node.value == size and isinstance(node.value, int)
        return ref if same and choose([True, False]) else node

    def change_all(node: Any) -> Any:
        return ref if isinstance(node, Number) and node.value == size and isinstance(node.value, int) else node

    inputs = tuple(replace(port, shape=_rebuilt(port.shape, change_all)) for port in item.signature.inputs)
    return replace(_rebuilt(item, change), signature=replace(_rebuilt(item.signature, change), inputs=inputs))


def _using(choose: Choose, made: _Made, chosen: dict[str, _Made]) -> Definition:
    """The definition with the values that its uses give, by its own parameters at times."""

    def value(wanted: syntax.Expr) -> syntax.Expr:
        own = [Ref(name(parameter), (), NOWHERE) for parameter, held in made.values.items() if held == wanted]
        return choose([*own, wanted])  # type: ignore[no-any-return]

    def change(use: Any) -> Any:
        callee = chosen.get(use.callee.text)
        if callee is None or not callee.values:
            return use
        if isinstance(use, syntax.Call) and callee.is_read_off and choose([True, True, False]):
            return use
        return replace(use, values=tuple(value(callee.values[each.text]) for each in callee.item.parameters))

    item = made.item
    if isinstance(item, Elementary):
        return item
    if isinstance(item.content, syntax.Repeat):
        return replace(item, content=change(item.content))
    return replace(item, content=tuple(change(part) if part in uses_in(item) else part for part in item.content))


def _rebuilt(node: Any, change: Callable[[Any], Any]) -> Any:
    """The tree with every node changed, those below first; names stay."""
    if isinstance(node, tuple):
        return tuple(_rebuilt(part, change) for part in node)
    if not is_dataclass(node) or isinstance(node, Name):
        return node
    parts = {part.name: _rebuilt(getattr(node, part.name), change) for part in fields(node) if part.name != "span"}
    return change(replace(node, **parts))


def _nowhere(node: Any) -> Any:
    """The tree without places, to print it."""
    if isinstance(node, tuple):
        return tuple(map(_nowhere, node))
    if not is_dataclass(node):
        return node
    parts = {part.name: _nowhere(getattr(node, part.name)) for part in fields(node) if part.name != "span"}
    return replace(node, **parts, span=NOWHERE)
