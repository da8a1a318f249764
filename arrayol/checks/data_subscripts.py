"""Subscripts that data say, by the values that they can have: types, constants, and limits such as min(x, 15) say so.

What can never be inside an array is an error. What can be outside is a warning: the execution finds it, and hardware
does not. An access behind a condition is left to the execution, and so is one by what the body has computed before or
by a const array, whose elements are known there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice

from arrayol.errors import Diagnostic, Severity
from arrayol.ir.expressions import (
    Assign,
    Expr,
    Loop,
    Operation,
    Read,
    Select,
    Statement,
    decides_of,
    depends_on_data,
    expressions,
    inside,
    operands_of,
)
from arrayol.ir.intervals import UnboundedError, Variables, interval
from arrayol.ir.spec import Elementary, written_name
from arrayol.ir.types import ElementType
from arrayol.operators.record import Interval

_DEEPEST = 100  # nodes of a subscript that are looked at
Shapes = Mapping[str, tuple[int, ...]]


def check_data_subscripts(
    elementary: Elementary, shapes: Shapes, const_arrays: Collection[str]
) -> Iterator[Diagnostic]:
    """Each access at a subscript from data that is, or may be, outside its port or local; `shapes` are theirs."""
    inputs = frozenset(port.name for port in elementary.inputs if port.name not in const_arrays)
    for statement, indices in _happening(elementary.body or (), {}):
        for access in _accesses(statement):
            for axis, subscript in enumerate(access.subscripts[access.around :]):
                size = shapes[access.port][axis]
                found = _values(subscript, indices) if depends_on_data(subscript) else None
                if found is None or 0 <= found[0] <= found[1] < size:
                    continue
                if found[1] < 0 or found[0] >= size:
                    yield _never_inside(access, axis, found, size)
                elif {node.port for node in inside(subscript) if isinstance(node, Read)} <= inputs:
                    yield _maybe_outside(access, axis, found, size)


def _happening(statements: Sequence[Statement], outer: Variables) -> Iterator[tuple[Assign, Variables]]:
    """The assignments without a condition, each with the values of its range variables."""
    for statement in statements:
        indices = dict(outer)
        for own in statement.ranges:
            low, high = _known(own.low, indices), _known(own.high, indices)
            if low is not None and high is not None:
                indices[own.name] = low[0], high[1] - 1
        if any(low > high for low, high in indices.values()):
            continue  # it never happens
        if isinstance(statement, Loop):
            yield from _happening(statement.body, indices)
        elif statement.condition is None:
            yield statement, indices


def _accesses(statement: Assign) -> Iterator[Read]:
    """The element that a statement writes, and those that it reads whatever the data are."""
    yield Read(statement.port, statement.subscripts, statement.value.type, statement.target_span, statement.around)
    yield from (node for part in expressions(statement) for node in _unguarded(part) if isinstance(node, Read))


def _values(subscript: Expr, indices: Variables) -> Interval | None:
    """The values that a subscript can have: those of its type, where it may wrap in it."""
    kind, known = subscript.type, _known(subscript, indices)
    return kind.integer_range if known is None and isinstance(kind, ElementType) and kind.is_integer else known


def _known(expr: Expr, indices: Variables) -> Interval | None:
    """The values that an expression can have; None where nothing is known, or there is too much to look at."""
    if sum(1 for _ in islice(inside(expr), _DEEPEST + 1)) > _DEEPEST:
        return None
    try:
        return interval(expr, indices)
    except UnboundedError:
        return None


def _unguarded(expr: Expr) -> Iterator[Expr]:
    """All expressions in one that are evaluated whatever the data are."""
    stack = [expr]
    while stack:
        node = stack.pop()
        yield node
        is_guarded = isinstance(node, Select) or (isinstance(node, Operation) and decides_of(node) is not None)
        stack.extend(() if is_guarded else operands_of(node))


def _never_inside(access: Read, axis: int, found: Interval, size: int) -> Diagnostic:
    return Diagnostic(
        "subscript-out-of-range",
        f"subscript {axis} of '{written_name(access.port)}' is {found[0]} to {found[1]}, and never inside 0..{size}",
        access.span,
        "subscripts count from 0",
    )


def _maybe_outside(access: Read, axis: int, found: Interval, size: int) -> Diagnostic:
    limits = ["max(..., 0)"] * (found[0] < 0) + [f"min(..., {size - 1})"] * (found[1] >= size)
    return Diagnostic(
        "subscript-may-leave",
        f"subscript {axis} of '{written_name(access.port)}' can be {found[0]} to {found[1]}, and inside is 0..{size}",
        access.span,
        f"limit it by {' and '.join(limits)}, or compute it in a type of fewer values; hardware finds no mistake",
        Severity.WARNING,
    )
