"""A component resolved anew with some of its consts left symbolic.

Symbols stand where range variables may stand, as weak integers, so typing needs no rules of its own. Consts that are
made of symbols are replaced by their definitions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from arrayol.errors import ArrayolError, error
from arrayol.ir import body, syntax
from arrayol.ir.model import Component, CompoundTask, Elementary, Port, RepetitiveTask, callees
from arrayol.ir.opened import (
    OpenBody,
    OpenComponent,
    OpenDelay,
    OpenLink,
    OpenRepetition,
    OpenShape,
    OpenTiler,
)
from arrayol.ir.types import Weak
from arrayol.language.bodies import resolve_statements
from arrayol.language.definitions import Definitions
from arrayol.language.expressions import Scope
from arrayol.language.hints import did_you_mean
from arrayol.language.loader import Loaded
from arrayol.language.mistake import Mistake, Mistakes
from arrayol.language.signatures import Signature
from arrayol.language.walk import names_in
from arrayol.source import Span


def open_component(loaded: Loaded, name: str, symbols: Sequence[str] = ()) -> OpenComponent:
    """An elementary with a body, or a repetitive task, of a sound specification, with the consts `symbols` symbolic.

    Raises ArrayolError (`unknown-symbol`, `not-symbolic`, `no-nest`).
    """
    values = _values(loaded, symbols)
    component = loaded.spec.components[name]
    scope = _scope(loaded.definitions, tuple(values))
    try:
        content, extents = _opened(component, loaded, scope)
    except Mistake as failure:
        raise _cannot_stay(symbols, failure, loaded.spec.name) from None
    return OpenComponent(
        name,
        component.inputs,
        component.outputs,
        extents,
        content,
        tuple(values),
        values,
        tuple(scope.divisible),
        component.span,
    )


def open_expression(text: syntax.Expr, indices: Sequence[str], loaded: Loaded, symbols: Sequence[str]) -> body.Expr:
    """An expression over indices, consts and symbols. Raises Mistake."""
    return replace(_scope(loaded.definitions, tuple(symbols)), indices=(*symbols, *indices)).typed(text)


def _values(loaded: Loaded, symbols: Iterable[str]) -> dict[str, int]:
    values: dict[str, int] = {}
    known = loaded.definitions.constants.values
    for name in symbols:
        if name not in known:
            hint = did_you_mean(name, known) or f"its consts are {', '.join(known) or 'none'}"
            raise error(
                "unknown-symbol", f"there is no const '{name}' to keep symbolic", hint=hint, file=loaded.spec.name
            )
        value = known[name]
        if isinstance(value, (bool, float)):
            message = f"const '{name}' cannot stay symbolic: it is no integer"
            raise error("not-symbolic", message, hint="only integers stay symbolic", file=loaded.spec.name)
        values[name] = value
    return values


@dataclass(frozen=True, slots=True)
class _OpenScope(Scope):
    """A scope in which symbols are indices, and consts made of them stand for their definitions."""

    derived: Mapping[str, syntax.Expr] = field(default_factory=dict)
    divisible: list[tuple[body.Expr, int]] = field(default_factory=list)

    def typed(self, expr: syntax.Expr) -> body.Expr:
        """The typed form of an expression. Raises Mistake."""
        if isinstance(expr, syntax.Ref) and not expr.subscripts and expr.name.text in self.derived:
            return self.typed(self.derived[expr.name.text])
        return Scope.typed(self, expr)

    def operation(self, sign: str, left: body.Expr, right: body.Expr, span: Span) -> body.Expr:
        """Two operands joined; what divides exactly under the consts' values is assumed to divide exactly."""
        if (
            sign == "/"
            and left.type is Weak.INTEGER
            and isinstance(right, body.Constant)
            and right.type is Weak.INTEGER
        ):
            self.divisible.append((left, int(right.value)))
            sign = "//"
        return Scope.operation(self, sign, left, right, span)


def _scope(definitions: Definitions, symbols: tuple[str, ...]) -> _OpenScope:
    """What names mean outside of bodies, symbols and consts made of them taken from the known values."""
    consts = {name: item.value for name, item in definitions.by_name.items() if isinstance(item, syntax.Const)}
    derived: dict[str, syntax.Expr] = {}
    changed = bool(symbols)
    while changed:
        found = {
            name: value
            for name, value in consts.items()
            if name not in symbols and name not in derived and names_in(value) & {*symbols, *derived}
        }
        derived |= found
        changed = bool(found)
    values = {
        name: value
        for name, value in definitions.constants.values.items()
        if name not in symbols and name not in derived
    }
    constants = replace(definitions.constants, values=values)
    return _OpenScope({}, symbols, replace(definitions, constants=constants), derived, [])


def _opened(
    component: Component, loaded: Loaded, scope: _OpenScope
) -> tuple[OpenBody | OpenRepetition, dict[str, OpenShape]]:
    item = loaded.definitions.by_name[component.name]
    if isinstance(component, Elementary) and isinstance(item, syntax.Elementary) and item.body is not None:
        return OpenBody(_statements(item.body, component, scope)), _extents(item, scope)
    if isinstance(component, RepetitiveTask) and isinstance(item, syntax.Task):
        assert isinstance(item.content, syntax.Repeat)
        callee = loaded.definitions.component(item.content.callee)
        outputs = {port.name: port for port in loaded.spec.components[component.callee].outputs}
        links = _Links(scope, _extents(item, scope), _extents(callee, scope), outputs)
        return links.opened(item.content, component), links.arrays
    if isinstance(component, CompoundTask):
        called = ", ".join(dict.fromkeys(callees(component)))
        what, hint = "a composition of calls", f"name one of the tasks it calls: {called}"
    else:
        what, hint = "without a body", "write its body, or name a task that repeats it"
    raise error("no-nest", f"'{component.name}' is {what}: it has no loop nest to tile", component.span, hint=hint)


def _extents(item: syntax.Elementary | syntax.Task, scope: _OpenScope) -> dict[str, OpenShape]:
    ports = (*item.signature.inputs, *item.signature.outputs)
    return {port.name.text: _shape(port.dims, scope) for port in ports}


def _shape(dims: Iterable[syntax.Dim], scope: _OpenScope) -> OpenShape:
    return tuple(None if isinstance(dim, syntax.Infinite) else scope.typed(dim) for dim in dims)


def _statements(
    written: tuple[syntax.Statement, ...], component: Elementary, scope: _OpenScope
) -> tuple[body.Statement, ...]:
    mistakes = Mistakes()
    signature = Signature(component.inputs, component.outputs)
    inside = replace(scope, ports={port.name: port for port in signature.ports})
    statements, _ = resolve_statements(written, signature, inside, mistakes)
    if mistakes:
        raise Mistake(mistakes[0])
    return statements


@dataclass(frozen=True, slots=True)
class _Links:
    """What the links of one repetition refer to: its arrays, and the patterns and outputs of the repeated task."""

    scope: _OpenScope
    arrays: dict[str, OpenShape]
    patterns: dict[str, OpenShape]
    outputs: Mapping[str, Port]

    def opened(self, repeat: syntax.Repeat, task: RepetitiveTask) -> OpenRepetition:
        """The repetition with every link and delay."""
        reads = [link for link in repeat.links if isinstance(link, syntax.InputLink)]
        writes = [link for link in repeat.links if isinstance(link, syntax.OutputLink)]
        delays = [link for link in repeat.links if isinstance(link, syntax.DelayLink)]
        return OpenRepetition(
            _shape(repeat.shape, self.scope),
            task.repetition,
            tuple(self._link(link.array, link.tiler, link.port) for link in reads),
            tuple(self._link(link.array, link.tiler, link.port) for link in writes),
            tuple(self._delay(link) for link in delays),
        )

    def _delay(self, link: syntax.DelayLink) -> OpenDelay:
        default = None
        if isinstance(link.default, syntax.TiledDefault):
            default = self._link(link.default.array, link.default.tiler, link.port)
        vector = tuple(self.scope.typed(entry) for entry in link.vector.items)
        return OpenDelay(self.outputs[link.output.text], self.patterns[link.port.text], vector, default)

    def _link(self, array: syntax.Name, reference: syntax.TilerRef, port: syntax.Name) -> OpenLink:
        tiler = self.scope.definitions.tiler(reference) if isinstance(reference, syntax.Name) else reference
        shape, pattern = self.arrays[array.text], self.patterns[port.text]
        origin = tuple(self.scope.typed(entry) for entry in tiler.origin.items)
        paving, fitting = (self._matrix(part, len(shape)) for part in (tiler.paving, tiler.fitting))
        return OpenLink(array.text, OpenTiler(origin, paving, fitting, tiler.wrap, shape, pattern, reference.span))

    def _matrix(self, written: syntax.Matrix, rank: int) -> tuple[tuple[body.Expr, ...], ...]:
        return tuple(tuple(self.scope.typed(entry) for entry in row) for row in written.rows) or ((),) * rank


def _cannot_stay(symbols: Sequence[str], failure: Mistake, file: str) -> ArrayolError:
    names = ", ".join(f"'{name}'" for name in symbols)
    found = failure.diagnostic
    reason, span = (found.message, found.span) if found else ("the specification has mistakes", None)
    hint = "give it a value, or write what it takes part in with +, -, and multiplication by numbers"
    return error(
        "not-symbolic", f"{names} cannot stay symbolic: {reason}", span, hint=hint, file=None if span else file
    )
