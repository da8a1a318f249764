"""Bodies of elementary tasks as C: their statements in textual order, or those that a caller picks."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass

from arrayol.ir.expressions import Assign, Loop, Range, Statement, assigns
from arrayol.ir.spec import Elementary, Port
from arrayol.ir.types import ElementType, Kind
from hwmodel.emit.c.expressions import Helpers, Scope, plain_element
from hwmodel.emit.c.lines import Lines, block, declared, loop, loops
from hwmodel.emit.c.types import c_name, literal


def sizes(shape: Sequence[int | None]) -> tuple[int, ...]:
    """A shape without infinite dimensions as plain integers; the callers have refused those."""
    return tuple(length for length in shape if length is not None)


def body_scope(elementary: Elementary, helpers: Helpers) -> Scope:
    """A scope in which the ports are C arrays of their own names."""
    ports = (*elementary.inputs, *elementary.outputs)
    return Scope({port.name: sizes(port.shape) for port in ports}, helpers)


def function_of(elementary: Elementary, name: str, helpers: Helpers) -> Lines:
    """A C function that runs a whole body on arrays: inputs, then outputs, in the order of the signature."""
    scope = body_scope(elementary, helpers)
    lines = [*start_at_zero(elementary), *statements(elementary.body or (), scope)]
    return block(f"static void {name}({parameters(elementary.inputs, elementary.outputs)})", lines)


def parameters(inputs: Sequence[Port], outputs: Sequence[Port]) -> str:
    """The parameters of a component's C function."""
    return ", ".join(
        [
            *(f"const {declared(c_name(port.name), port.type, sizes(port.shape))}" for port in inputs),
            *(declared(c_name(port.name), port.type, sizes(port.shape)) for port in outputs),
        ]
    )


def start_at_zero(elementary: Elementary) -> Lines:
    """What `+=` adds to starts at zero."""
    summed = {one.port for one in assigns(elementary.body or ()) if one.accumulate}
    found: Lines = []
    for port in elementary.outputs:
        if port.name in summed:
            names = [f"i{axis}" for axis in range(len(port.shape))]
            line = f"{plain_element(port.name, tuple(names))} = {zero(port.type)};"
            found += loops(names, sizes(port.shape), [line])
    return found


def zero(kind: ElementType) -> str:
    """The zero of a type."""
    return literal(0, kind) if kind.kind is not Kind.COMPLEX else "0"


@dataclass(frozen=True)
class Placed:
    """An assignment and the ranges around it, outermost first."""

    assign: Assign
    ranges: tuple[Range, ...]


def placed(body: Sequence[Statement], around: tuple[Range, ...] = ()) -> list[Placed]:
    """The assignments of a body in textual order, each with all its ranges."""
    found: list[Placed] = []
    for statement in body:
        ranges = (*around, *statement.ranges)
        found += placed(statement.body, ranges) if isinstance(statement, Loop) else [Placed(statement, ranges)]
    return found


def statements(body: Sequence[Statement], scope: Scope, kept: Set[int] | None = None, first: int = 1) -> Lines:
    """Statements in textual order. With `kept`, only those of its numbers, of which the first statement has `first`."""
    lines: Lines = []
    number = first
    for statement in body:
        count = len(list(assigns((statement,))))
        if kept is None or kept & set(range(number, number + count)):
            lines += _ranged(statement, statement.ranges, scope, _Picked(kept, number))
        number += count
    return lines


@dataclass(frozen=True)
class _Picked:
    """The numbers of the statements to write (None for all), and that of the first one inside."""

    kept: Set[int] | None
    first: int


def _ranged(statement: Statement, ranges: Sequence[Range], scope: Scope, picked: _Picked) -> Lines:
    if not ranges:
        if isinstance(statement, Loop):
            return statements(statement.body, scope, picked.kept, picked.first)
        return assignment(statement, scope)
    first, *rest = ranges
    low, high = scope.text(first.low), scope.text(first.high)
    inside = _ranged(statement, rest, scope.within(first), picked)
    return loop(c_name(first.name), low.code, high.inside(61), inside)


def assignment(statement: Assign, scope: Scope) -> Lines:
    """One instance of a statement, for range variables that the scope has."""
    target, value = scope.read(statement.port, statement.subscripts), scope.text(statement.value)
    value = value.cut_later  # storing cuts
    if statement.accumulate:
        line = f"{target.code} = {target.code} + {value.inside(71)};"
    else:
        line = f"{target.code} = {value.code};"
    if statement.condition is None:
        return [line]
    return [f"if ({scope.text(statement.condition).code})", f"  {line}"]
