"""A component resolved anew with some of its consts left symbolic, and the schedules and tile sizes written for it.

Symbols stand where range variables may stand, as weak integers, so typing needs no rules of its own. Consts that are
made of symbols are replaced by their definitions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from arrayol.errors import ArrayolError, error
from arrayol.ir import expressions, syntax, trusted
from arrayol.ir.spec import (
    Component,
    CompoundTask,
    ConstValue,
    Delay,
    Elementary,
    Link,
    Local,
    Port,
    RepetitiveTask,
    SymbolicComponent,
    SymbolicShape,
    TiledDefault,
    Tiler,
    callees,
    port_named,
)
from arrayol.ir.types import Weak
from arrayol.language.bodies import Body, resolve_statements
from arrayol.language.loader import Loaded
from arrayol.language.namespace import Definitions
from arrayol.language.parameters.substitution import substituted
from arrayol.language.repetitions import border_of
from arrayol.language.syntax.diagnose import Mistake, Mistakes, did_you_mean, mistake
from arrayol.language.syntax.parser import expressions_of
from arrayol.language.syntax.tree import names_in, nodes_in
from arrayol.language.tasks import TaskSignature
from arrayol.language.typing.expressions import Scope, constant
from arrayol.limits import AT_MOST, LARGEST
from arrayol.source import Span
from arrayol.text import rounded


def symbolic_component(loaded: Loaded, name: str, symbols: Sequence[str] = ()) -> SymbolicComponent:
    """An elementary with a body, or a repetitive task, of a sound specification, with the consts `symbols` symbolic.

    Raises ArrayolError (`unknown-symbol`, `not-symbolic`, `no-nest`).
    """
    values = _values(loaded, symbols)
    try:
        scope = replace(_scope(loaded.definitions, tuple(values)), symbols=values)
        return _symbolic(loaded.spec.components[name], loaded, scope, values)
    except Mistake as failure:
        raise _cannot_stay(symbols, failure, loaded.spec.name) from None


def symbolic_expression(
    text: syntax.Expr, indices: Sequence[str], loaded: Loaded, symbols: Sequence[str]
) -> expressions.Expr:
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
class _SymbolicScope(Scope):
    """A scope in which symbols are indices, and consts made of them stand for their definitions."""

    derived: Mapping[str, syntax.Expr] = field(default_factory=dict)
    all_known: Definitions | None = None
    divisible: list[tuple[expressions.Expr, int]] = field(default_factory=list)

    @property
    def known(self) -> Definitions:
        """The definitions with a number for each const, those that stay symbolic among them."""
        assert self.all_known is not None
        return self.all_known

    def typed(self, expr: syntax.Expr) -> expressions.Expr:
        """The typed form of an expression. Raises Mistake."""
        if isinstance(expr, syntax.Ref) and not expr.subscripts and expr.name.text in self.derived:
            return self.typed(self.derived[expr.name.text])
        return Scope.typed(self, expr)

    def operation(self, sign: str, left: expressions.Expr, right: expressions.Expr, span: Span) -> expressions.Expr:
        """Two operands joined; what divides exactly under the consts' values is assumed to divide exactly."""
        if (
            sign == "/"
            and left.type is Weak.INTEGER
            and isinstance(right, expressions.Constant)
            and right.type is Weak.INTEGER
        ):
            self.divisible.append((left, int(right.value)))
            sign = "//"
        return Scope.operation(self, sign, left, right, span)


def _scope(definitions: Definitions, symbols: tuple[str, ...]) -> _SymbolicScope:
    """What names mean outside of bodies, symbols and consts made of them taken from the known values."""
    consts = {name: item.value for name, item in definitions.by_name.items() if isinstance(item, syntax.Const)}
    derived: dict[str, syntax.Expr] = {}
    changed = bool(symbols)
    while changed:
        more = {
            name: value
            for name, value in consts.items()
            if name not in symbols and name not in derived and names_in(value) & {*symbols, *derived}
        }
        derived |= more
        changed = bool(more)
    values = {
        name: value
        for name, value in definitions.constants.values.items()
        if name not in symbols and name not in derived
    }
    constants = replace(definitions.constants, values=values)
    return _SymbolicScope(
        {}, symbols, replace(definitions, constants=constants), derived=derived, all_known=definitions
    )


def _symbolic(
    component: Component, loaded: Loaded, scope: _SymbolicScope, values: Mapping[str, int]
) -> SymbolicComponent:
    item, tables = _written(component.name, loaded, scope), frozenset(loaded.definitions.tables)
    if isinstance(component, Elementary) and isinstance(item, syntax.Elementary) and item.body is not None:
        body = _body(item.body, component, scope)
        elementary = replace(component, body=body.statements, locals=body.locals)
        shapes = _shapes(item, component, scope) | _local_shapes(item.body, body.locals, scope)
        return SymbolicComponent(elementary, shapes, {}, {}, values, tuple(scope.divisible), tables)
    if isinstance(component, RepetitiveTask) and isinstance(item, syntax.Task):
        assert isinstance(item.content, syntax.Repeat)
        callee, repeated = _written(component.callee, loaded, scope), loaded.spec.components[component.callee]
        links = _Links(scope, _shapes(item, component, scope), _shapes(callee, repeated, scope))
        task = links.symbolic(item.content, component)
        carried = {delay.output: _carried(delay, component, loaded) for delay in component.delays}
        return SymbolicComponent(task, links.arrays, links.patterns, carried, values, tuple(scope.divisible), tables)
    if isinstance(component, CompoundTask):
        called = ", ".join(dict.fromkeys(callees(component)))
        what, hint = "a composition of calls", f"name one of the tasks it calls: {called}"
    else:
        what, hint = "without a body", "write its body, or name a task that repeats it"
    raise error("no-nest", f"'{component.name}' is {what}: it has no loop nest to tile", component.span, hint=hint)


def _written(name: str, loaded: Loaded, scope: _SymbolicScope) -> syntax.Elementary | syntax.Task:
    """The definition of a component; that of a copy has the values of its parameters by consts of the file.

    Raises Mistake where its uses give them by the symbols in several ways.
    """
    definitions = loaded.definitions
    if name not in definitions.copies:
        return definitions.component(trusted.Name(name, loaded.spec.components[name].span))
    copied = definitions.copies[name]
    first, *others = copied.copy.uses
    named = {*scope.symbols, *scope.derived}
    if not scope.symbols or not any(use is None or names_in(use) & named for use in copied.copy.uses):
        return copied.item
    if others or first is None:
        message = f"'{copied.copy}' is used with several expressions, or long ones, that this const takes part in"
        raise mistake("not-symbolic", message, copied.item.name.span)
    item = definitions.by_name[copied.copy.definition]
    assert isinstance(item, (syntax.Elementary, syntax.Task))
    return substituted(item, {parameter.text: value for parameter, value in zip(item.parameters, first, strict=True)})


def _carried(delay: Delay, task: RepetitiveTask, loaded: Loaded) -> Port:
    """The array over all repetitions of the output that a delay passes on."""
    output = port_named(loaded.spec.components[task.callee].outputs, delay.output)
    return replace(output, shape=(*task.repetition, *output.shape))


def _shapes(
    item: syntax.Elementary | syntax.Task, component: Component, scope: _SymbolicScope
) -> dict[str, SymbolicShape]:
    """The shapes of a component's ports; const arrays are as large as they are."""
    ports = (*item.signature.inputs, *item.signature.outputs)
    written = {port.name.text: _shape(port.shape, scope) for port in ports}
    hidden = [port for port in component.inputs if port.name not in written]
    return written | {
        port.name: tuple(constant(extent, port.span) for extent in port.shape if extent is not None) for port in hidden
    }


def _shape(dims: Iterable[syntax.Dim], scope: _SymbolicScope) -> SymbolicShape:
    return tuple(None if isinstance(dim, syntax.Infinite) else scope.typed(dim) for dim in dims)


def _local_shapes(
    written: tuple[syntax.Statement, ...], locals_: Sequence[Local], scope: _SymbolicScope
) -> dict[str, SymbolicShape]:
    dims = {node.name.span: node.shape for node in nodes_in(written) if isinstance(node, syntax.Local)}
    return {local.name: _shape(dims[local.span], scope) for local in locals_}


def _body(written: tuple[syntax.Statement, ...], component: Elementary, scope: _SymbolicScope) -> Body:
    mistakes = Mistakes()
    signature = TaskSignature(component.inputs, component.outputs)
    inside = replace(scope, ports={port.name: port for port in signature.ports})
    body = resolve_statements(written, signature, inside, mistakes)
    if mistakes:
        raise Mistake(mistakes[0])
    return body


@dataclass(frozen=True, slots=True)
class _Links:
    """What the links of one repetition refer to: shapes of its arrays, and of the repeated task's ports."""

    scope: _SymbolicScope
    arrays: dict[str, SymbolicShape]
    patterns: dict[str, SymbolicShape]

    def symbolic(self, repeat: syntax.Repeat, task: RepetitiveTask) -> RepetitiveTask[expressions.Expr]:
        """The repetition with every link and delay; `task` is the same under the consts' values."""
        space = _shape(repeat.shape, self.scope)
        inputs = [link for link in repeat.links if isinstance(link, syntax.InputLink)]
        outputs = [link for link in repeat.links if isinstance(link, syntax.OutputLink)]
        delays = [link for link in repeat.links if isinstance(link, syntax.DelayLink)]
        return RepetitiveTask(
            task.name,
            task.inputs,
            task.outputs,
            space,
            task.callee,
            tuple(map(self._link, [*inputs, *(None for _ in task.input_links[len(inputs) :])], task.input_links)),
            tuple(map(self._output, outputs, task.output_links)),
            tuple(map(self._delay, delays, task.delays)),
            task.span,
        )

    def _delay(self, link: syntax.DelayLink, delay: Delay) -> Delay[expressions.Expr]:
        default: ConstValue | TiledDefault[expressions.Expr]
        if isinstance(delay.default, TiledDefault):
            assert isinstance(link.default, syntax.TiledDefault)
            default = TiledDefault(
                delay.default.array, self._tiler(link.default.tiler, link.default.array), delay.default.span
            )
        else:
            default = delay.default
        vector = tuple(self.scope.typed(entry) for entry in link.vector.items)
        return Delay(delay.port, delay.output, vector, default, delay.acts, delay.span)

    def _link(self, written: syntax.InputLink | syntax.OutputLink | None, link: Link) -> Link[expressions.Expr]:
        """The link as written; a plain one, or one to a const array that the repeated task reads, by its numbers."""
        tiled = written is not None and written.tiler is not None
        tiler = self._tiler(written.tiler, written.array) if tiled else _of_numbers(link.tiler)  # type: ignore[union-attr, arg-type]
        if isinstance(written, syntax.InputLink) and written.border is not None:
            # also one that never acts under the consts' values
            tiler = replace(tiler, border=link.tiler.border or border_of(written.border, self.scope.definitions))
        return Link(link.port, link.array, tiler, link.span)

    def _output(self, written: syntax.OutputLink, link: Link) -> Link[expressions.Expr]:
        """The link; where an exit lets every instance write at the consts' values, others may let fewer."""
        vector = None if written.delay is None else tuple(self.scope.typed(entry) for entry in written.delay.items)
        return replace(self._link(written, link), exit=vector)

    def _tiler(self, reference: syntax.TilerRef, array: syntax.Name) -> Tiler[expressions.Expr]:
        tiler = self.scope.definitions.tiler(reference) if isinstance(reference, syntax.Name) else reference
        origin = tuple(self.scope.typed(entry) for entry in tiler.origin.items)
        rank = len(self.arrays[array.text])
        paving, fitting = (self._matrix(part, rank) for part in (tiler.paving, tiler.fitting))
        return Tiler(origin, paving, fitting, tiler.wrap, reference.span)

    def _matrix(self, written: syntax.Matrix, rank: int) -> tuple[tuple[expressions.Expr, ...], ...]:
        return tuple(tuple(self.scope.typed(entry) for entry in row) for row in written.rows) or ((),) * rank


def _of_numbers(tiler: Tiler) -> Tiler[expressions.Expr]:
    """A tiler that no const takes part in, as that of a plain link."""

    def row(entries: tuple[int, ...]) -> tuple[expressions.Expr, ...]:
        return tuple(constant(entry, tiler.span) for entry in entries)

    paving, fitting = (tuple(map(row, rows)) for rows in (tiler.paving, tiler.fitting))
    return Tiler(row(tiler.origin), paving, fitting, tiler.wrap, tiler.span)


def _cannot_stay(symbols: Sequence[str], failure: Mistake, file: str) -> ArrayolError:
    names = ", ".join(f"'{name}'" for name in symbols)
    diagnostic = failure.diagnostic
    reason, span = (diagnostic.message, diagnostic.span) if diagnostic else ("the specification has mistakes", None)
    hint = "give it a value, or write what it takes part in with +, -, and multiplication by numbers"
    return error(
        "not-symbolic", f"{names} cannot stay symbolic: {reason}", span, hint=hint, file=None if span else file
    )


# Schedules and tile sizes as people write them on the command line: "N - j, i" and "2 * S".

_SCHEDULE_HINT = 'write one affine expression of range variables per dimension, as in "N - j, i"'
_SIZE_HINT = "write a number of iterations, as 10, or a name that stays symbolic"


def read_schedule(
    text: str, indices: Sequence[str], loaded: Loaded, symbols: Sequence[str]
) -> tuple[tuple[expressions.Expr, ...], tuple[str, ...]]:
    """The expressions of a schedule over a statement's indices, and the text of each.

    Raises ArrayolError (`bad-schedule`).
    """
    items = expressions_of(text)
    if items is None:
        raise error("bad-schedule", f"'{text}' is not a schedule", hint=_SCHEDULE_HINT)
    names = f"the range variables here are {', '.join(indices)}" if indices else "there are no range variables here"
    times = []
    for item in items:
        try:
            time = symbolic_expression(item, indices, loaded, symbols)
        except Mistake as failure:
            raise _mistaken(f"'{text}' is not a schedule", failure, names) from None
        if time.type is not Weak.INTEGER:
            message = f"'{text}' is not a schedule: '{_text(item)}' is no integer"
            raise error("bad-schedule", message, hint=_SCHEDULE_HINT)
        times.append(time)
    return tuple(times), tuple(_text(item) for item in items)


def read_size(text: str, loaded: Loaded, symbols: Sequence[str]) -> int | str:
    """A tile size: a positive integer, or the name of a symbol or of nothing yet, which stays symbolic.

    Raises ArrayolError (`bad-tile`).
    """
    items = expressions_of(text)
    if items is None or len(items) != 1:
        raise error("bad-tile", f"'{text}' is not a tile size", hint=_SIZE_HINT)
    item = items[0]
    if isinstance(item, syntax.Ref) and not item.subscripts:
        name = item.name.text
        if name in symbols or name not in {*loaded.definitions.by_name, *loaded.definitions.constants.values}:
            return name
    try:
        size = symbolic_expression(item, (), loaded, symbols)
    except Mistake as failure:
        raise _mistaken(f"'{text}' is not a tile size", failure, _SIZE_HINT, "bad-tile") from None
    if not isinstance(size, expressions.Constant) or size.type is not Weak.INTEGER:
        raise error("bad-tile", f"'{text}' is not a tile size: it is no integer number", hint=_SIZE_HINT)
    if size.value < 1:
        message = f"a tile has at least one iteration along each dimension, not {size.value}"
        raise error("bad-tile", message, hint=_SIZE_HINT)
    if size.value > LARGEST:
        message = f"a tile has {AT_MOST} iterations along each dimension, not {rounded(int(size.value))}"
        raise error("bad-tile", message, hint=_SIZE_HINT)
    return int(size.value)


def _text(item: syntax.Expr) -> str:
    return item.span.file.text[item.span.start : item.span.end]


def _mistaken(what: str, failure: Mistake, hint: str, code: str = "bad-schedule") -> ArrayolError:
    diagnostic = failure.diagnostic
    return error(
        code,
        f"{what}: {diagnostic.message}" if diagnostic else what,
        hint=(diagnostic.hint if diagnostic else None) or hint,
    )
