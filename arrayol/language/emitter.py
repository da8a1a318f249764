"""A resolved specification as text: what transformations and mapped designs are written with."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import merge

from arrayol.ir import syntax
from arrayol.ir.spec import (
    Component,
    CompoundTask,
    ConstValue,
    Delay,
    Elementary,
    IntMatrix,
    Link,
    Port,
    RepetitiveTask,
    Shape,
    Spec,
    TiledDefault,
    Tiler,
)
from arrayol.language.parser import Parsed
from arrayol.language.printer import print_file
from arrayol.language.untype import NOWHERE, name, number, statements


def spec_text(spec: Spec) -> str:
    """Canonical .aol text of a specification: imports inlined, consts and named tilers as their numbers.

    Definitions stand in the order of `spec.components`, a blank line between two. Loading the text gives equal
    components in this order; the consts are gone, and calls of a compound task come back in the loader's order of the
    dataflow. Printing what was loaded gives the same text.
    """
    return "\n".join(component_text(spec, found.name) for found in spec.components.values())


def component_text(spec: Spec, which: str) -> str:
    """The canonical text of one elementary or task of a specification."""
    file = syntax.File((_component(spec, spec.components[which]),), NOWHERE)
    return print_file(Parsed(file, (), (), frozenset()))


def _component(spec: Spec, component: Component) -> syntax.Item:
    match component:
        case Elementary():
            types = {port.name: port.type for port in component.outputs}
            body = None if component.body is None else statements(component.body, types)
            return syntax.Elementary(name(component.name), _signature(component), body, component.extern, NOWHERE)
        case RepetitiveTask():
            return syntax.Task(name(component.name), _signature(component), _repeat(spec, component), NOWHERE)
        case CompoundTask():
            calls = tuple(
                syntax.Call(_names(call.results), name(call.callee), _names(call.arguments), NOWHERE)
                for call in component.calls
            )
            return syntax.Task(name(component.name), _signature(component), calls, NOWHERE)


def _names(texts: tuple[str, ...]) -> tuple[syntax.Name, ...]:
    return tuple(map(name, texts))


def _signature(component: Component) -> syntax.Signature:
    return syntax.Signature(tuple(map(_port, component.inputs)), tuple(map(_port, component.outputs)), NOWHERE)


def _port(port: Port) -> syntax.Port:
    return syntax.Port(name(port.name), name(str(port.type)), _dims(port.shape), NOWHERE)


def _dims(shape: Shape) -> tuple[syntax.Dim, ...]:
    return tuple(syntax.Infinite(NOWHERE) if extent is None else number(extent) for extent in shape)


def _repeat(spec: Spec, task: RepetitiveTask) -> syntax.Repeat:
    """The repetition; links and delays stand in the order of the callee's ports as far as their own orders allow."""
    places = {port.name: place for place, port in enumerate(spec.components[task.callee].inputs)}
    both: list[Sequence[Link | Delay]] = [task.input_links, task.delays]
    links = (*map(_input, merge(*both, key=lambda link: places[link.port])), *map(_output, task.output_links))
    return syntax.Repeat(_dims(task.repetition), name(task.callee), links, NOWHERE)


def _input(link: Link | Delay) -> syntax.Link:
    if isinstance(link, Link):
        return syntax.InputLink(name(link.port), name(link.array), _tiler(link.tiler), NOWHERE)
    return syntax.DelayLink(name(link.port), name(link.output), _vector(link.vector), _default(link.default), NOWHERE)


def _output(link: Link) -> syntax.Link:
    return syntax.OutputLink(name(link.port), name(link.array), _tiler(link.tiler), NOWHERE)


def _default(default: ConstValue | TiledDefault) -> syntax.Expr | syntax.TiledDefault:
    if isinstance(default, TiledDefault):
        return syntax.TiledDefault(name(default.array), _tiler(default.tiler), NOWHERE)
    return number(default)


def _tiler(tiler: Tiler) -> syntax.Tiler:
    return syntax.Tiler(_vector(tiler.origin), _matrix(tiler.paving), _matrix(tiler.fitting), tiler.wrap, NOWHERE)


def _vector(items: tuple[int, ...]) -> syntax.Vector:
    return syntax.Vector(tuple(map(number, items)), NOWHERE)


def _matrix(rows: IntMatrix) -> syntax.Matrix:
    """The matrix; one without entries is `[]`, whatever its number of rows."""
    return syntax.Matrix(tuple(tuple(map(number, row)) for row in rows if row), NOWHERE)
