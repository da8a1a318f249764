"""Ports: element types and shapes of elementaries and tasks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from arrayol.ir import syntax
from arrayol.ir.spec import Port, Shape
from arrayol.ir.types import ElementType
from arrayol.language.diagnose import Mistake, Mistakes, mistake
from arrayol.language.hints import did_you_mean
from arrayol.language.namespace import Definitions


@dataclass(frozen=True, slots=True)
class Signature:
    """The resolved ports of a component."""

    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]

    @property
    def ports(self) -> tuple[Port, ...]:
        return self.inputs + self.outputs


def resolve_signature(item: syntax.Elementary | syntax.Task, definitions: Definitions, mistakes: Mistakes) -> Signature:
    """The ports of a component. Raises a silent Mistake after noting what is wrong with them."""
    names = [port.name for port in (*item.signature.inputs, *item.signature.outputs)]
    check_fresh(names, "port", definitions, mistakes)
    inputs, outputs = (
        mistakes.attempt(lambda ports=ports: mistakes.all_of(ports, lambda port: _port(port, item, definitions)))  # type: ignore[misc]
        for ports in (item.signature.inputs, item.signature.outputs)
    )
    if inputs is None or outputs is None:
        raise Mistake
    return Signature(inputs, outputs)


def _port(port: syntax.Port, item: syntax.Elementary | syntax.Task, definitions: Definitions) -> Port:
    element_type = _element_type(port.type)
    shape = resolve_shape(port.dims, definitions)
    infinite = [dim for dim in port.dims if isinstance(dim, syntax.Infinite)]
    if infinite and isinstance(item, syntax.Elementary):
        raise mistake(
            "infinite-pattern",
            f"port '{port.name.text}' of an elementary task cannot be infinite",
            infinite[0].span,
            "give it a finite pattern and repeat the elementary along the infinite dimension",
        )
    if len(infinite) > 1:
        raise mistake("two-infinite", "an array has at most one infinite dimension", infinite[1].span)
    return Port(port.name.text, element_type, shape, port.span)


def _element_type(name: syntax.Name) -> ElementType:
    known = [str(member) for member in ElementType]
    if name.text not in known:
        hint = did_you_mean(name.text, known) or f"element types are {', '.join(known)}"
        raise mistake("unknown-type", f"no element type is named '{name.text}'", name.span, hint)
    return ElementType(name.text)


def resolve_shape(dims: Iterable[syntax.Dim], definitions: Definitions) -> Shape:
    """The extents of an array or repetition space; None is infinite. Raises Mistake."""
    return tuple(None if isinstance(dim, syntax.Infinite) else _extent(dim, definitions) for dim in dims)


def _extent(dim: syntax.Expr, definitions: Definitions) -> int:
    extent = definitions.constants.integer(dim, "a dimension")
    if extent < 1:
        raise mistake("empty-dimension", f"a dimension must be at least 1, not {extent}", dim.span)
    if extent >= 1 << 63:
        raise mistake("huge-dimension", "a dimension must be below 2**63", dim.span)
    return extent


def check_fresh(names: Iterable[syntax.Name], what: str, definitions: Definitions, mistakes: Mistakes) -> None:
    """Note local names that repeat each other or a file-level name: a name has one meaning."""
    seen: set[str] = set()
    for name in names:
        if name.text in definitions.by_name:
            message = f"'{name.text}' is already {definitions.kind(name.text)} of this file"
            mistakes.report("name-reused", message, name.span, f"choose another name for the {what}")
        elif name.text in seen:
            mistakes.report("defined-twice", f"two {what}s are named '{name.text}'", name.span, "rename one of them")
        seen.add(name.text)
