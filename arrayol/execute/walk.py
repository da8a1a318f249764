"""Questions about expressions and statements of a body."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from arrayol.ir.body import (
    Assign,
    Constant,
    Convert,
    Expr,
    Function,
    Index,
    Loop,
    Operation,
    Range,
    Read,
    Select,
    Statement,
)


def children(node: Expr) -> tuple[Expr, ...]:
    """The expressions directly inside another, in the order written."""
    match node:
        case Constant() | Index():
            return ()
        case Read():
            return node.subscripts
        case Operation():
            return node.operands
        case Function():
            return node.arguments
        case Convert():
            return (node.operand,)
        case Select():
            return (node.condition, node.then, node.otherwise)


def inside(node: Expr) -> Iterator[Expr]:
    """An expression and all expressions in it, by a loop: a chain of operands may be longer than any stack."""
    stack = [node]
    while stack:
        found = stack.pop()
        yield found
        stack.extend(reversed(children(found)))


def chain_of(node: Operation) -> tuple[Expr, list[Operation]]:
    """The leftmost operand of a + b + c + ..., and the operations on it in order; a unary one is a chain by itself."""
    chain: list[Operation] = []
    left: Expr = node
    while isinstance(left, Operation) and len(left.operands) == 2:
        chain.append(left)
        left = left.operands[0]
    return left, chain[::-1]


def mentions(node: Expr, name: str) -> bool:
    """Whether a range variable occurs in an expression."""
    return any(isinstance(one, Index) and one.name == name for one in inside(node))


def depends_on_data(node: Expr) -> bool:
    return any(isinstance(one, Read) for one in inside(node))


def assigns(statements: Sequence[Statement]) -> Iterator[Assign]:
    """The assignments of a body, those inside loops singly, in textual order."""
    for statement in statements:
        if isinstance(statement, Loop):
            yield from assigns(statement.body)
        else:
            yield statement


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
