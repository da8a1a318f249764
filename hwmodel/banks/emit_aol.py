"""The unrolled body with virtual memories for its arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import count

from arrayol.ir import expressions
from arrayol.ir.affine import affine, expression_of
from arrayol.ir.types import ElementType, Weak
from arrayol.source import Span
from arrayol.transforms.unroll import Copy, Unrolled
from hwmodel.banks.custom import Custom
from hwmodel.banks.partition import Lattice, residue
from hwmodel.banks.renaming import VirtualMemory
from hwmodel.banks.seats import Seating, wide

_Key = tuple[str, int, int, tuple[int, ...], int]  # array, body, statement, copy, number


def renamed_body(unrolled: Unrolled, custom: Custom, seating: Seating) -> tuple[expressions.Statement, ...]:
    """The statements of an unrolled body on the memories of its references (fig. 5).

    A remainder's accesses go to the memory whose elements they name: that of the same copy in a full block.
    """
    keys = {
        (found.array, found.body, found.statement, found.copy, found.number): number
        for number, memory in enumerate(custom.memories)
        for found in memory.references
    }
    copies = iter(unrolled.copies)

    def renamed(statements: Sequence[expressions.Statement]) -> tuple[expressions.Statement, ...]:
        return tuple(
            replace(one, body=renamed(one.body))
            if isinstance(one, expressions.Loop)
            else _Renaming(next(copies), keys, custom.memories, seating).assign(one)
            for one in statements
        )

    return renamed(unrolled.elementary.body or ())


class _Renaming:
    """Renames the accesses of one assignment in the order of their numbers."""

    def __init__(
        self, copy: Copy, keys: Mapping[_Key, int], memories: Sequence[VirtualMemory], seating: Seating
    ) -> None:
        self.copy = copy
        self.keys = keys
        self.memories = memories
        self.seating = seating
        self.numbers = count()

    def assign(self, one: expressions.Assign) -> expressions.Assign:
        """The assignment on the memories; arrays that are written have no replicas, so `+=` works in one memory."""
        if one.accumulate and one.subscripts:
            next(self.numbers)
        value = self.expr(one.value)
        inner = tuple(self.expr(item) for item in one.subscripts)
        condition = None if one.condition is None else self.expr(one.condition)
        if not one.subscripts:
            return replace(one, value=value, condition=condition)
        port, subscripts = self._access(one.port, one.subscripts, inner, next(self.numbers), one.target_span)
        return replace(one, port=port, subscripts=subscripts, value=value, condition=condition)

    def expr(self, expr: expressions.Expr) -> expressions.Expr:
        match expr:
            case expressions.Read() if expr.subscripts:
                number = next(self.numbers)
                inner = tuple(self.expr(item) for item in expr.subscripts)
                port, subscripts = self._access(expr.port, expr.subscripts, inner, number, expr.span)
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

    def _access(
        self,
        array: str,
        written: Sequence[expressions.Expr],
        inner: Sequence[expressions.Expr],
        number: int,
        span: Span,
    ) -> tuple[str, tuple[expressions.Expr, ...]]:
        """The port and subscripts for an access; `inner` are its subscripts, the reads in them renamed."""
        chosen = self._memory(array, written, number)
        memory, seat = self.memories[chosen], self.seating.seats[chosen]
        dimensions = zip(inner, memory.suffix, memory.strides, strict=True)
        place = [_place(item, suffix, stride) for item, suffix, stride in dimensions]
        return seat.port, seat.subscripts(place, span)

    def _memory(self, array: str, written: Sequence[expressions.Expr], number: int) -> int:
        copy = self.copy
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
