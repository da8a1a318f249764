"""A body whose accesses go to memories of a layout: of a custom one with renamed subscripts (fig. 5 of paper B)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from math import prod
from typing import Protocol

from arrayol.ir import expressions
from arrayol.ir.affine import Affine, AffineExpr, affine, expression_of
from arrayol.ir.spec import Port
from arrayol.ir.types import ElementType, Weak
from arrayol.source import Span
from arrayol.transforms.unroll import StatementCopy, Unrolled
from hwmodel.banks.custom import Custom, VirtualMemory
from hwmodel.banks.partition import Lattice, residue


@dataclass(frozen=True, slots=True)
class Seat:
    """A virtual memory in a port: in one of its own, or row by row from address `base` on (None: its own port)."""

    port: str
    shape: tuple[int, ...]
    base: int | None

    def subscripts(self, place: Sequence[expressions.Expr], span: Span) -> tuple[expressions.Expr, ...]:
        """The subscripts of the port for a place in the memory."""
        if self.base is None:
            return tuple(place)
        strides = [prod(self.shape[axis + 1 :]) for axis in range(len(self.shape))]
        if all(item.type is Weak.INTEGER for item in place):
            address: AffineExpr = Affine(constant=self.base)
            for item, stride in zip(place, strides, strict=True):
                address += affine(item).scaled(stride)
            return (expression_of(address, span),)
        total: expressions.Expr = expressions.Constant(self.base, ElementType.I64, span)
        for item, stride in zip(place, strides, strict=True):
            scaled = expressions.Operation(
                "*", (wide(item), expressions.Constant(stride, ElementType.I64, span)), ElementType.I64, span
            )
            total = expressions.Operation("+", (total, scaled), ElementType.I64, span)
        return (total,)


@dataclass(frozen=True, slots=True)
class Seating:
    """The seats of all memories by their number, and the ports that hold those of inputs and of outputs."""

    seats: tuple[Seat, ...]
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]


def wide(expr: expressions.Expr) -> expressions.Expr:
    """An integer expression as i64, in which no address wraps."""
    if expr.type is ElementType.I64:
        return expr
    if isinstance(expr, expressions.Constant):
        return expressions.Constant(int(expr.value), ElementType.I64, expr.span)
    return expressions.Convert(expr, ElementType.I64, expr.span)


_Key = tuple[str, int, int, tuple[int, ...], int]  # array, body, statement, copy, number


def renamed_body(unrolled: Unrolled, custom: Custom, seating: Seating) -> tuple[expressions.Statement, ...]:
    """The statements of an unrolled body on the memories of its references (fig. 5).

    A remainder's accesses go to the memory whose elements they name: that of the same copy in a full block.
    """
    keys = {
        (each.array, each.body, each.statement, each.copy, each.number): number
        for number, memory in enumerate(custom.memories)
        for each in memory.references
    }
    return with_accesses(unrolled, _ToMemories(keys, custom.memories, seating))


class BodyAccesses(Protocol):
    """Where the accesses of a body go."""

    def to(
        self,
        copy: StatementCopy,
        array: str,
        written: Sequence[expressions.Expr],
        inner: Sequence[expressions.Expr],
        number: int,
    ) -> tuple[str, tuple[expressions.Expr, ...]]:
        """The port and subscripts for an access: `inner` are those `written`, the reads in them renamed."""


def with_accesses(unrolled: Unrolled, accesses: BodyAccesses) -> tuple[expressions.Statement, ...]:
    """The statements of an unrolled body, each access of an array where `accesses` say."""
    copies = iter(unrolled.copies)

    def renamed(statements: Sequence[expressions.Statement]) -> tuple[expressions.Statement, ...]:
        return tuple(
            replace(statement, body=renamed(statement.body))
            if isinstance(statement, expressions.Loop)
            else _Renaming(next(copies), accesses).assign(statement)
            for statement in statements
        )

    return renamed(unrolled.elementary.body or ())


class _Renaming:
    """Renames the accesses of one assignment in the order of their numbers."""

    def __init__(self, copy: StatementCopy, accesses: BodyAccesses) -> None:
        self.copy = copy
        self.accesses = accesses
        self.numbers = count()

    def assign(self, assign: expressions.Assign) -> expressions.Assign:
        """The assignment on the memories; arrays that are written have no replicas, so `+=` works in one memory."""
        if assign.accumulate and assign.subscripts:
            next(self.numbers)
        value = self.expr(assign.value)
        inner = tuple(self.expr(item) for item in assign.subscripts)
        condition = None if assign.condition is None else self.expr(assign.condition)
        if not assign.subscripts:
            return replace(assign, value=value, condition=condition)
        number = next(self.numbers)
        port, subscripts = self.accesses.to(self.copy, assign.port, assign.subscripts, inner, number)
        return replace(assign, port=port, subscripts=subscripts, value=value, condition=condition)

    def expr(self, expr: expressions.Expr) -> expressions.Expr:
        match expr:
            case expressions.Read() if expr.subscripts:
                number = next(self.numbers)
                inner = tuple(self.expr(item) for item in expr.subscripts)
                port, subscripts = self.accesses.to(self.copy, expr.port, expr.subscripts, inner, number)
                return replace(expr, port=port, subscripts=subscripts)
            case expressions.Operation():
                return self._chain(expr)
            case expressions.Function():
                return replace(expr, arguments=tuple(self.expr(item) for item in expr.arguments))
            case expressions.Convert():
                return replace(expr, operand=self.expr(expr.operand))
            case expressions.Select():
                then, condition, otherwise = (self.expr(item) for item in expressions.operands_of(expr))
                return replace(expr, then=then, condition=condition, otherwise=otherwise)
            case _:
                return expr

    def _chain(self, expr: expressions.Operation) -> expressions.Expr:
        """A chain of left operands by a loop, since it may be longer than any stack."""
        left, chain = expressions.chain_of(expr)
        value = self.expr(left)
        for node in chain:
            value = replace(node, operands=(value, *(self.expr(item) for item in node.operands[1:])))
        return value


@dataclass(frozen=True, slots=True)
class _ToMemories:
    """To the virtual memories of a custom layout; other arrays stay."""

    keys: Mapping[_Key, int]
    memories: Sequence[VirtualMemory]
    seating: Seating

    def to(
        self,
        copy: StatementCopy,
        array: str,
        written: Sequence[expressions.Expr],
        inner: Sequence[expressions.Expr],
        number: int,
    ) -> tuple[str, tuple[expressions.Expr, ...]]:
        if all(memory.array != array for memory in self.memories):
            return array, tuple(inner)
        chosen = self._memory(copy, array, written, number)
        memory, seat = self.memories[chosen], self.seating.seats[chosen]
        dimensions = zip(inner, memory.suffix, memory.strides, strict=True)
        place = [_place(item, suffix, stride) for item, suffix, stride in dimensions]
        return seat.port, seat.subscripts(place, written[0].span)

    def _memory(self, copy: StatementCopy, array: str, written: Sequence[expressions.Expr], number: int) -> int:
        if copy.full:
            return self.keys[array, copy.body, copy.statement, copy.copy, number]
        lattice = tuple(_residues(item) for item in written)
        return next(
            place
            for place, memory in enumerate(self.memories)
            if memory.array == array and any(_within(lattice, whole) for whole in memory.lattices)
        )


def _place(expr: expressions.Expr, suffix: int, stride: int) -> expressions.Expr:
    """(e - suffix) / stride, which is exact; 0 where all references share the coordinate."""
    span = expr.span
    if stride == 0:
        return expressions.Constant(0, Weak.INTEGER, span)
    if stride == 1:
        return expr
    if expr.type is Weak.INTEGER:
        form = affine(expr) - suffix
        if form.step % stride == 0:
            return expression_of(form.divided(stride), span)
        return _quotient(expression_of(form, span), stride, Weak.INTEGER)
    if expr.type is ElementType.U64:
        return _quotient(_minus(expr, suffix, ElementType.U64), stride, ElementType.U64)
    return _quotient(_minus(wide(expr), suffix, ElementType.I64), stride, ElementType.I64)


def _minus(expr: expressions.Expr, suffix: int, type_: ElementType) -> expressions.Expr:
    if not suffix:
        return expr
    return expressions.Operation("-", (expr, expressions.Constant(suffix, type_, expr.span)), type_, expr.span)


def _quotient(expr: expressions.Expr, stride: int, type_: ElementType | Weak) -> expressions.Expr:
    return expressions.Operation("//", (expr, expressions.Constant(stride, type_, expr.span)), type_, expr.span)


def _residues(expr: expressions.Expr) -> tuple[int, int]:
    form = affine(expr)
    return form.step, residue(form.constant, form.step)


def _within(lattice: Lattice, whole: Lattice) -> bool:
    """Whether all elements of a lattice belong to another one."""
    return all(
        (stride % step == 0 if step else stride == 0) and residue(offset, step) == first
        for (stride, offset), (step, first) in zip(lattice, whole, strict=True)
    )
