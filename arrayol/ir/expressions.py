"""Resolved bodies of elementary tasks: names bound, consts replaced by values, every expression typed; their traversal.

The typer makes promotions explicit: the operands of an `Operation` have one and the same element type, except where
all of them are still weak (integer expressions of range variables, as in subscripts). So an executor never decides
about types.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import assert_never

from arrayol.ir.types import ElementType, ValueType, Weak
from arrayol.operators.registry import operator_of
from arrayol.source import Span


@dataclass(frozen=True, slots=True)
class Constant:
    """A number or truth value; `type` is weak until it meets an element type, and of fixed point `value` is stored."""

    value: int | float | bool
    type: ValueType
    span: Span = field(compare=False, repr=False)

    @property
    def number(self) -> int | float | bool:
        """The value, the point of a fixed-point number in its place."""
        if isinstance(self.type, ElementType) and self.type.is_fixed:
            return self.type.value(int(self.value))
        return self.value


@dataclass(frozen=True, slots=True)
class Index:
    """A range variable: an exact integer."""

    name: str
    span: Span = field(compare=False, repr=False)
    type: ValueType = Weak.INTEGER


@dataclass(frozen=True, slots=True)
class Read:
    """An element of a port or local; a scalar has no subscripts.

    The first `around` subscripts of a local are those of the loops around its declaration, which are not written.
    """

    port: str
    subscripts: tuple[Expr, ...]
    type: ValueType
    span: Span = field(compare=False, repr=False)
    around: int = 0


@dataclass(frozen=True, slots=True)
class Operation:
    """One or two operands of the same type.

    `operator` is as written, a name of `PREFIX` or `INFIX` in operators/registry.py.
    """

    operator: str
    operands: tuple[Expr, ...]
    type: ValueType
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Function:
    """A function of operators/registry.py, or `c64` and `c128` of two parts.

    The arguments have the result's type, but for abs, real and imag of complex numbers and c64 and c128 of their parts.
    `round` has the number of bits after the point as a second argument, a weak constant; `sat` has an argument of any
    real type, and gives the nearest value of its own.
    """

    name: str
    arguments: tuple[Expr, ...]
    type: ValueType
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Convert:
    """A conversion to `type`, written by the user or made by promotion."""

    operand: Expr
    type: ElementType
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Select:
    """`then if condition else otherwise`; only the branch taken is evaluated."""

    condition: Expr
    then: Expr
    otherwise: Expr
    type: ValueType
    span: Span = field(compare=False, repr=False)


Expr = Constant | Index | Read | Operation | Function | Convert | Select


@dataclass(frozen=True, slots=True)
class Range:
    """Half open; the bounds are weak integers and may use earlier range variables."""

    name: str
    low: Expr
    high: Expr
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Assign:
    """`port[subscripts] = value`, or `+=` with `accumulate`; `value` has the port's type.

    `target_span` is the place of `port[subscripts]`; `around` is that of a `Read`.
    """

    port: str
    subscripts: tuple[Expr, ...]
    value: Expr
    ranges: tuple[Range, ...]
    condition: Expr | None
    accumulate: bool
    target_span: Span = field(compare=False, repr=False)
    span: Span = field(compare=False, repr=False)
    around: int = 0


@dataclass(frozen=True, slots=True)
class Loop:
    """`loop ranges { body }`: statements run in order for each value of the ranges."""

    ranges: tuple[Range, ...]
    body: tuple[Statement, ...]
    span: Span = field(compare=False, repr=False)


Statement = Assign | Loop


def operands_of(expr: Expr) -> tuple[Expr, ...]:
    """The expressions that an expression is made of, in the order of its text; subscripts count."""
    match expr:
        case Constant() | Index():
            return ()
        case Read():
            return expr.subscripts
        case Operation():
            return expr.operands
        case Function():
            return expr.arguments
        case Convert():
            return (expr.operand,)
        case Select():
            return (expr.then, expr.condition, expr.otherwise)
    assert_never(expr)


def inside(expr: Expr) -> Iterator[Expr]:
    """An expression and all expressions in it, by a loop: a chain of operands may be longer than any stack."""
    stack = [expr]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(operands_of(node)))


def chain_of(node: Operation) -> tuple[Expr, list[Operation]]:
    """The leftmost operand of a + b + c + ..., and the operations on it in order, those with one operand too."""
    chain: list[Operation] = []
    left: Expr = node
    while isinstance(left, Operation):
        chain.append(left)
        left = left.operands[0]
    return left, chain[::-1]


def decides_of(node: Operation) -> bool | None:
    """The truth value of the left operand that leaves the right one out: False of `and`; None of other operators."""
    return operator_of(node.operator, len(node.operands)).decides


def mentions(expr: Expr, name: str) -> bool:
    """Whether a range variable occurs in an expression."""
    return any(isinstance(node, Index) and node.name == name for node in inside(expr))


def depends_on_data(expr: Expr) -> bool:
    return any(isinstance(node, Read) for node in inside(expr))


def assigns(statements: Sequence[Statement]) -> Iterator[Assign]:
    """The assignments of a body, those inside loops singly, in textual order."""
    for statement in statements:
        if isinstance(statement, Loop):
            yield from assigns(statement.body)
        else:
            yield statement


def arrays(statement: Assign) -> Iterator[str]:
    """Names of the ports and locals that an assignment touches, that of its target first."""
    yield statement.port
    yield from arrays_read(statement)


def arrays_read(statement: Assign) -> Iterator[str]:
    """Names of the ports and locals that an assignment reads; what `+=` adds to is not among them."""
    for part in expressions(statement):
        yield from (node.port for node in inside(part) if isinstance(node, Read))


def reads_by_data(statements: Sequence[Statement], port: str) -> bool:
    """Whether some reference reads a port or local at a subscript that depends on data."""
    nodes = (node for assign in assigns(statements) for part in expressions(assign) for node in inside(part))
    return any(
        isinstance(node, Read) and node.port == port and any(map(depends_on_data, node.subscripts)) for node in nodes
    )


def mentioned(statements: Sequence[Statement]) -> list[str]:
    """Names of all ports and locals that statements touch, each once, in textual order."""
    return list(dict.fromkeys(name for assign in assigns(statements) for name in arrays(assign)))


def ranges(statements: Sequence[Statement]) -> Iterator[Range]:
    """Every range of the statements and of those inside them."""
    for statement in statements:
        yield from statement.ranges
        if isinstance(statement, Loop):
            yield from ranges(statement.body)


def expressions(statement: Assign) -> Iterator[Expr]:
    """The expressions that a statement evaluates, its target's subscripts included."""
    yield from statement.subscripts
    yield statement.value
    if statement.condition is not None:
        yield statement.condition
