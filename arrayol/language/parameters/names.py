"""Names in an elementary or task with parameters that nothing uses: without values it is all that can be checked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from arrayol.ir import syntax
from arrayol.ir.spec import Port
from arrayol.ir.types import ElementType
from arrayol.language.constants import check_function
from arrayol.language.namespace import Definitions
from arrayol.language.parameters.kinds import Definition, uses_in
from arrayol.language.repetitions import check_names, check_port
from arrayol.language.syntax.diagnose import Mistake, Mistakes, did_you_mean
from arrayol.language.syntax.tree import nodes_in
from arrayol.language.tasks import TaskSignature, check_fresh, resolve_element_type
from arrayol.language.typing.expressions import Scope


def check_unused(item: Definition, definitions: Definitions, mistakes: Mistakes) -> None:
    """Note names in a definition that mean nothing, or that have a meaning already."""
    _Names(item, {name.text for name in item.parameters}, definitions, mistakes).check()


def _signature(item: Definition, definitions: Definitions) -> TaskSignature:
    """The ports by their names; the const arrays that may be read are inputs."""
    inputs, outputs = (
        tuple(Port(port.name.text, ElementType.U8, (), port.span) for port in ports)
        for ports in (item.signature.inputs, item.signature.outputs)
    )
    tables = tuple(table.port for table in definitions.tables.values())
    return TaskSignature((*inputs, *tables), outputs, len(tables))


@dataclass(frozen=True, slots=True)
class _Names:
    item: Definition
    parameters: set[str]
    definitions: Definitions
    mistakes: Mistakes

    def check(self) -> None:
        """The signature, then what stands below it."""
        ports = (*self.item.signature.inputs, *self.item.signature.outputs)
        check_fresh([port.name for port in ports], "port", self.definitions, self.mistakes)
        for port in ports:
            self._declaration(port)
        own = _signature(self.item, self.definitions)
        if isinstance(self.item, syntax.Elementary):
            scope = Scope({port.name: port for port in own.ports}, tuple(self.parameters), self.definitions)
            self._block(self.item.body or (), scope)
        elif isinstance(self.item.content, syntax.Repeat):
            self._repeat(self.item.content, own)
        else:
            self._calls(self.item.content, own)
        for use in uses_in(self.item):
            self._constants(use.values)

    def _declaration(self, declared: syntax.Port | syntax.Local | syntax.Array) -> None:
        if declared.type.text not in self.parameters:
            self.mistakes.attempt(lambda: resolve_element_type(declared.type))
        self._constants(declared.shape)

    def _constants(self, root: Any) -> None:
        """Expressions of consts, parameters and types."""
        for node in nodes_in(root or ()):
            if isinstance(node, syntax.Apply):
                self._function(node)
            elif isinstance(node, syntax.Ref) and node.name.text not in self.parameters and not _is_type(node.name):
                self.mistakes.attempt(lambda node=node: self.definitions.constants.value(node.name))  # type: ignore[misc]

    def _function(self, node: syntax.Apply) -> None:
        if node.function.text not in self.parameters:
            self.mistakes.attempt(lambda: check_function(node))

    # Tasks

    def _repeat(self, repeat: syntax.Repeat, own: TaskSignature) -> None:
        callee = self.mistakes.attempt(lambda: self.definitions.component(repeat.callee))
        check_names(self.item.name.text, own, repeat, self.definitions, self.mistakes)
        self._constants(repeat.shape)
        for link in repeat.links:
            if callee is not None:
                ports = _signature(callee, self.definitions)
                self.mistakes.attempt(lambda link=link, ports=ports: check_port(link, ports, repeat.callee.text))  # type: ignore[misc]
            for part in _parts(link):
                if not isinstance(part, syntax.Name):
                    self._constants(part)

    def _calls(self, content: Iterable[syntax.Call | syntax.Array], own: TaskSignature) -> None:
        content = tuple(content)
        made = [part.name for part in _results(content)]
        declared = [item for item in content if isinstance(item, syntax.Array)]
        arrays = {port.name for port in own.ports}
        fresh = {name.text: name for name in (*made, *(item.name for item in declared)) if name.text not in arrays}
        check_fresh(fresh.values(), "array", self.definitions, self.mistakes)
        for item in declared:
            self._declaration(item)
        known = {port.name for port in own.inputs} | {name.text for name in made}
        for call in uses_in(self.item):
            assert isinstance(call, syntax.Call)
            self.mistakes.attempt(lambda call=call: self.definitions.component(call.callee))  # type: ignore[misc]
            for part in (*call.results, *call.arguments):
                self._constants(part.slices)
            for part in call.arguments:
                if part.name.text not in known:
                    hint = did_you_mean(part.name.text, known)
                    message = f"array '{part.name.text}' is read but never produced"
                    self.mistakes.report("unknown-name", message, part.name.span, hint)

    # Bodies

    def _block(self, statements: Iterable[syntax.Statement], scope: Scope) -> None:
        for statement in statements:
            match statement:
                case syntax.Local():
                    self.mistakes.attempt(lambda scope=scope, local=statement: scope.check_free(local.name))  # type: ignore[misc]
                    self._declaration(statement)
                    self._values(statement.initial, scope)
                    scope = _with(scope, statement.name)
                case syntax.Loop():
                    self._block(statement.body, self._ranges(statement.ranges, scope))
                case syntax.Assign():
                    inner = self._ranges(statement.ranges, scope)
                    self._target(statement.target, scope)
                    self._values((statement.target.subscripts, statement.value), inner)
                    self._values(statement.condition, inner)

    def _ranges(self, ranges: Iterable[syntax.Range], scope: Scope) -> Scope:
        for item in ranges:
            self._values((item.low, item.high), scope)
            self.mistakes.attempt(lambda scope=scope, item=item: scope.check_free(item.name))  # type: ignore[misc]
            scope = replace(scope, indices=(*scope.indices, item.name.text))
        return scope

    def _target(self, target: syntax.Ref, scope: Scope) -> None:
        outputs = {port.name.text for port in self.item.signature.outputs} | scope.locals.keys()
        if target.name.text not in outputs:
            name = target.name.text
            hint = did_you_mean(name, outputs) or f"declare a variable before it, as in {name}: i32 = 0"
            message = f"no output port or local is named '{name}'"
            self.mistakes.report("unknown-name", message, target.name.span, hint)

    def _values(self, root: Any, scope: Scope) -> None:
        """Expressions of a body."""
        known = {*scope.ports, *scope.indices, *scope.locals, *self.definitions.constants.values}
        for node in nodes_in(root or ()):
            if isinstance(node, syntax.Apply):
                self._function(node)
            elif isinstance(node, syntax.Ref) and node.name.text not in known and not _is_type(node.name):
                self.mistakes.attempt(lambda node=node: self._raise_unknown(node.name, known))  # type: ignore[misc]

    def _raise_unknown(self, name: syntax.Name, known: set[str]) -> None:
        raise self.definitions.unknown(name, "port, range variable or const", known)


def _with(scope: Scope, name: syntax.Name) -> Scope:
    return replace(scope, locals={**scope.locals, name.text: None})


def _is_type(name: syntax.Name) -> bool:
    try:
        resolve_element_type(name)
    except Mistake:
        return False
    return True


def _parts(link: syntax.Link) -> Iterator[Any]:
    match link:
        case syntax.InputLink():
            yield from (link.tiler, link.border)
        case syntax.OutputLink():
            yield from (link.tiler, link.delay)
        case syntax.DelayLink(default=syntax.TiledDefault(tiler=tiler)):
            yield from (link.vector, tiler)
        case syntax.DelayLink():
            yield from (link.vector, link.default)


def _results(content: Iterable[syntax.Call | syntax.Array]) -> Iterator[syntax.Part]:
    for item in content:
        if isinstance(item, syntax.Call):
            yield from item.results
