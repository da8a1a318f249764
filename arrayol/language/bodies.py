"""Statements of bodies: targets, ranges, conditions, and values that the target's type can hold."""

from __future__ import annotations

from arrayol.ir import expressions, syntax
from arrayol.ir.spec import MAXIMUM_RANK, Port
from arrayol.ir.types import ElementType, Weak
from arrayol.language.constants import check_stored
from arrayol.language.diagnose import Mistake, Mistakes, did_you_mean, mistake, shown_port
from arrayol.language.namespace import Definitions
from arrayol.language.tasks import Signature
from arrayol.language.typing import Scope, meet, settle, shown
from arrayol.text import listed


def resolve_body(
    statements: tuple[syntax.Statement, ...], signature: Signature, definitions: Definitions, mistakes: Mistakes
) -> tuple[tuple[expressions.Statement, ...], bool]:
    """The typed statements of a body that are sound, and whether all of them are; mistakes are noted."""
    scope = Scope({port.name: port for port in signature.ports}, (), definitions)
    return resolve_statements(statements, signature, scope, mistakes)


def resolve_statements(
    statements: tuple[syntax.Statement, ...], signature: Signature, scope: Scope, mistakes: Mistakes
) -> tuple[tuple[expressions.Statement, ...], bool]:
    """The same in a scope that says what names mean."""
    inner_whole: list[bool] = []

    def step(statement: syntax.Statement) -> expressions.Statement:
        if isinstance(statement, syntax.Assign):
            return _assign(statement, signature, scope, mistakes)
        ranges, inner = _ranges(statement.ranges, scope)
        statements, whole = resolve_statements(statement.body, signature, inner, mistakes)
        inner_whole.append(whole)
        return expressions.Loop(ranges, statements, statement.span)

    sound = mistakes.sound_of(statements, step)
    return sound, len(sound) == len(statements) and all(inner_whole)


def _assign(statement: syntax.Assign, signature: Signature, scope: Scope, mistakes: Mistakes) -> expressions.Assign:
    """One assignment; its target, value and condition are judged separately."""
    ranges, inner = _ranges(statement.ranges, scope)
    target = mistakes.attempt(lambda: _target(statement.target, signature, inner))
    value = mistakes.attempt(lambda: inner.typed(statement.value))
    written = statement.condition
    condition = mistakes.attempt(lambda: inner.truth(written, "where")) if written else None
    if target is None or value is None or (written and condition is None):
        raise Mistake
    port, subscripts = target
    if statement.accumulate and port.type is ElementType.BOOL:
        raise mistake("wrong-operand", "'+=' adds numbers; this port holds bool", statement.target.span)
    stored = _stored(value, port, statement.value)
    return expressions.Assign(
        port.name, subscripts, stored, ranges, condition, statement.accumulate, statement.target.span, statement.span
    )


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


def _target(ref: syntax.Ref, signature: Signature, scope: Scope) -> tuple[Port, tuple[expressions.Expr, ...]]:
    name = ref.name.text
    port = next((port for port in signature.outputs if port.name == name), None)
    if port is None:
        if any(port.name == name for port in signature.inputs):
            raise mistake("input-written", f"'{name}' is an input; a body writes outputs only", ref.span)
        outputs = [port.name for port in signature.outputs]
        what = f"a body has no variables of its own: it writes its outputs, here {listed(outputs)}"
        sums = f"; a sum grows in one of them, as in {outputs[0]} += ..." if outputs else ""
        hint = did_you_mean(name, outputs) or what + sums
        raise mistake("unknown-name", f"no output port is named '{name}'", ref.name.span, hint)
    return port, scope.subscripts(ref, port)


def _stored(value: expressions.Expr, port: Port, written: syntax.Expr) -> expressions.Expr:
    """The value in the port's type. Raises where that type cannot hold it."""
    if isinstance(value, expressions.Constant) and isinstance(value.type, Weak):
        check_stored(value.value, port.type, written.span)
    if meet(value.type, port.type) is port.type:
        return settle(value, port.type)
    what = value.type.value if isinstance(value.type, ElementType) else shown(value.type)
    raise mistake(
        "narrowing",
        f"'{shown_port(port)}' cannot hold every value of {what}",
        written.span,
        f"convert it: {port.type}(...)",
    )
