"""Statements of bodies: locals, targets, ranges, conditions, and values that the target's type can hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from arrayol.ir import expressions, syntax, trusted
from arrayol.ir.intervals import UnboundedError, interval
from arrayol.ir.spec import LOCAL_MARK, MAXIMUM_RANK, Local, OuterRange, Port, written_name
from arrayol.ir.types import ElementType, Weak
from arrayol.language.constants import check_stored
from arrayol.language.namespace import Definitions
from arrayol.language.syntax.diagnose import Mistake, Mistakes, did_you_mean, mistake, shown_port
from arrayol.language.syntax.tree import names_in
from arrayol.language.tasks import TaskSignature, resolve_element_type, resolve_shape
from arrayol.language.typing.expressions import Scope, settle, shown
from arrayol.language.typing.promotion import meet
from arrayol.operators.record import Interval


@dataclass(frozen=True, slots=True)
class Body:
    """The typed statements of a body that are sound, the locals that they mention, and whether nothing is left out.

    The locals are sorted by name: where in its block one is declared means nothing.
    """

    statements: tuple[expressions.Statement, ...]
    locals: tuple[Local, ...]
    whole: bool


def resolve_body(
    statements: tuple[syntax.Statement, ...], signature: TaskSignature, definitions: Definitions, mistakes: Mistakes
) -> Body:
    """A body as far as it is sound; mistakes are noted."""
    scope = Scope({port.name: port for port in signature.ports}, (), definitions)
    return resolve_statements(statements, signature, scope, mistakes)


def resolve_statements(
    statements: tuple[syntax.Statement, ...], signature: TaskSignature, scope: Scope, mistakes: Mistakes
) -> Body:
    """A body in a scope that says what names mean, as far as it is sound; mistakes are noted."""
    block = _Block(signature, scope, {}, [], mistakes)
    whole = block.resolve(statements)
    mentioned = set(expressions.mentioned(block.sound))
    used = sorted((local for local in scope.declared if local.name in mentioned), key=lambda local: local.name)
    return Body(tuple(block.sound), tuple(used), whole)


@dataclass(slots=True)
class _Block:
    """The statements of a body or loop, resolved one after the other: each sees the locals declared before it.

    `bounds` has an interval for each range variable around, None where its bounds are beyond 64 bits.
    """

    signature: TaskSignature
    scope: Scope
    bounds: Mapping[str, Interval | None]
    sound: list[expressions.Statement]
    mistakes: Mistakes

    def resolve(self, statements: tuple[syntax.Statement, ...]) -> bool:
        """Enter the sound statements in `sound`, and say whether all of them are."""
        fine = [
            self.mistakes.attempt(lambda statement=statement: self._step(statement))  # type: ignore[misc]
            for statement in statements
        ]
        return all(fine)

    def _step(self, statement: syntax.Statement) -> bool:
        match statement:
            case syntax.Assign():
                self.sound.append(_assign(statement, self.signature, self.scope, self.mistakes))
                return True
            case syntax.Local():
                return self._local(statement)
            case syntax.Loop():
                ranges, scope = _ranges(statement.ranges, self.scope)
                inner = replace(self, scope=scope, bounds=_with_bounds(self.bounds, ranges, scope.symbols), sound=[])
                whole = inner.resolve(statement.body)
                self.sound.append(expressions.Loop(ranges, tuple(inner.sound), statement.span))
                return whole

    def _local(self, written: syntax.Local) -> bool:
        """Declare a local; its first value is an assignment."""
        self.scope.check_free(written.name)
        local = self.mistakes.attempt(lambda: self._declared(written))
        self.scope = self.scope.with_local(written.name, local)
        if local is None:
            return False
        self.scope.declared.append(local)
        if written.initial is None:
            return True
        if local.shape:
            hint = f"write it on a separate line: {written.name.text}[k] = ... for k in ..."
            raise mistake("local-shape", "only a local of one element takes a value here", written.initial.span, hint)
        target = trusted.Ref(written.name, (), written.name.span)
        first = trusted.Assign(target, written.initial, False, (), None, written.span)
        self.sound.append(_assign(first, self.signature, self.scope, self.mistakes))
        return True

    def _declared(self, written: syntax.Local) -> Local:
        name, scope = written.name.text, self.scope
        kind = resolve_element_type(written.type)
        ranged = {*scope.indices} - {*scope.symbols}
        outer = next((index for dim in written.shape for index in sorted(names_in(dim)) if index in ranged), None)
        if outer is not None:
            hint = "declare it as large as it ever is"
            message = f"the shape of a local is made of consts, and '{outer}' is a range variable"
            raise mistake("local-shape", message, written.span, hint)
        shape = tuple(extent for extent in resolve_shape(written.shape, scope.known) if extent is not None)
        if len(shape) < len(written.shape):
            raise mistake("local-shape", f"local '{name}' cannot be infinite", written.span, "give it a finite shape")
        around = tuple(OuterRange(index, *self._bound(index, written)) for index in self.bounds)
        earlier = sum(written_name(local.name) == name for local in scope.declared)
        return Local(f"{name}{LOCAL_MARK}{earlier + 1}" if earlier else name, kind, around, shape, written.name.span)

    def _bound(self, index: str, written: syntax.Local) -> Interval:
        bound = self.bounds[index]
        if bound is None:
            message = f"the bounds of '{index}', in whose loop '{written.name.text}' stands, may be beyond 64 bits"
            raise mistake("local-shape", message, written.span, "bound the range by smaller numbers")
        return bound


def _with_bounds(
    bounds: Mapping[str, Interval | None], ranges: tuple[expressions.Range, ...], symbols: Mapping[str, int]
) -> dict[str, Interval | None]:
    """The bounds of range variables, and of those of more ranges: low <= value < high."""
    known = dict(bounds)
    for item in ranges:
        inside = {name: (value, value) for name, value in symbols.items()}
        inside |= {name: (bound[0], max(bound[0], bound[1] - 1)) for name, bound in known.items() if bound}
        try:
            low, high = interval(item.low, inside)[0], interval(item.high, inside)[1]
        except UnboundedError:
            known[item.name] = None
        else:
            known[item.name] = (low, max(low, high))
    return known


def _assign(statement: syntax.Assign, signature: TaskSignature, scope: Scope, mistakes: Mistakes) -> expressions.Assign:
    """One assignment; its target, value and condition are judged separately."""
    ranges, inner = _ranges(statement.ranges, scope)
    target = mistakes.attempt(lambda: _target(statement.target, signature, inner))
    value = mistakes.attempt(lambda: inner.typed(statement.value))
    written = statement.condition
    condition = mistakes.attempt(lambda: inner.truth(written, "where")) if written else None
    if target is None or value is None or (written and condition is None):
        raise Mistake
    array, subscripts = target
    if statement.accumulate and array.type is ElementType.BOOL:
        what = "local" if isinstance(array, Local) else "port"
        raise mistake("wrong-operand", f"'+=' adds numbers; this {what} holds bool", statement.target.span)
    stored = _stored(value, array, statement.value)
    around = len(array.around) if isinstance(array, Local) else 0
    spans = (statement.target.span, statement.span)
    return expressions.Assign(array.name, subscripts, stored, ranges, condition, statement.accumulate, *spans, around)


def _ranges(ranges: tuple[syntax.Range, ...], scope: Scope) -> tuple[tuple[expressions.Range, ...], Scope]:
    """The ranges in order, each seeing those before it, and the scope inside all of them."""
    resolved: list[expressions.Range] = []
    for place, item in enumerate(ranges):
        later = {other.name.text for other in ranges[place:]}
        low, high = (scope.bound(bound, later) for bound in (item.low, item.high))
        scope = scope.with_index(item.name)
        if len(scope.indices) > MAXIMUM_RANK:
            message = f"more than {MAXIMUM_RANK} ranges around one statement"
            raise mistake(
                "too-many-dimensions", message, item.span, "make one range of several, or two elementary tasks"
            )
        resolved.append(expressions.Range(item.name.text, low, high, item.span))
    return tuple(resolved), scope


def _target(
    ref: syntax.Ref, signature: TaskSignature, scope: Scope
) -> tuple[Port | Local, tuple[expressions.Expr, ...]]:
    name, array = ref.name.text, scope.array(ref.name.text)
    if array is None:
        scope.check_alive(ref.name)
        outputs = (port.name for port in signature.outputs)
        hint = did_you_mean(name, (*outputs, *scope.locals)) or f"declare a variable before it, as in {name}: i32 = 0"
        raise mistake("unknown-name", f"no output port or local is named '{name}'", ref.name.span, hint)
    if array in signature.inputs:
        what = "a const array" if array in signature.hidden else "an input"
        raise mistake("input-written", f"'{name}' is {what}; a body writes outputs and locals", ref.span)
    return array, scope.subscripts(ref, array)


def _stored(value: expressions.Expr, array: Port | Local, written: syntax.Expr) -> expressions.Expr:
    """The value in the array's type. Raises where that type cannot hold it."""
    if isinstance(value, expressions.Constant) and isinstance(value.type, Weak):
        check_stored(value.value, array.type, written.span)
    if meet(value.type, array.type) is array.type:
        return settle(value, array.type)
    what = value.type if isinstance(value.type, ElementType) else shown(value.type)
    raise mistake(
        "narrowing",
        f"'{shown_port(array)}' cannot hold every value of {what}",
        written.span,
        f"convert it: {array.type}(...)",
    )
