"""Pointers: where an expression points, and where it does as a pointer of another type."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import Any

from pycparser import c_ast

from arrayol.c_import import constants
from arrayol.c_import.arithmetic import RefusalError, truth_of
from arrayol.c_import.lowering.context import Context
from arrayol.c_import.lowering.ctypes import CType, NumberType, Pointer, Sequence, Void
from arrayol.c_import.lowering.storage import allocation_of
from arrayol.c_import.lowering.symbols import (
    Address,
    CArray,
    Cell,
    CellAddress,
    PointerCell,
    Poison,
    PoisonedError,
    StructCell,
    Unusable,
)
from arrayol.c_import.model import COperation, Dynamic
from arrayol.c_import.reading.syntax import has_steps
from arrayol.ir.affine import Affine


class Pointers:
    """Runs expressions that point."""

    def __init__(self, run: Context) -> None:
        self.run = run

    def pointer(self, node: Any) -> Address | CellAddress:
        """Where an expression points. Raises RefusalError."""
        match node:
            case c_ast.UnaryOp() if node.op == "&":
                return self._address_of(node)
            case c_ast.UnaryOp() if node.op in {"p++", "p--"}:
                stepped: Address | CellAddress = self.run.statements.step_pointer(node)
                return stepped
            case c_ast.BinaryOp() if node.op in {"+", "-"}:
                return self._sum(node)
            case c_ast.Cast():
                return self.pointer_as(node.expr, self.run.types.of(node.to_type))
            case c_ast.TernaryOp() | c_ast.FuncCall():
                return self._chosen(node) if isinstance(node, c_ast.TernaryOp) else self.run.calls.inlined_pointer(node)
        return self._pointed(self.run.expressions.place(node), node)

    def _chosen(self, node: Any) -> Address | CellAddress:
        """Where a choice between two pointers points."""
        condition = self.run.expressions.condition(node.cond)
        holds = truth_of(condition)
        if holds is not None:
            return self.pointer(node.iftrue if holds else node.iffalse)
        place = self.run.branches.either(condition, self.pointer(node.iftrue), self.pointer(node.iffalse))
        if isinstance(place, Unusable):
            raise RefusalError(place.message, place.hint, node)
        assert isinstance(place, Address)
        return place

    def pointer_or_memory(self, node: Any, kind: CType, name: str) -> Address | CellAddress:
        """Where a pointer of a name and type points that is given this value. Raises RefusalError."""
        call = allocation_of(node)
        return self.pointer_as(node, kind) if call is None else self.run.states.allocated(call, kind, name)

    def pointer_as(self, node: Any, kind: CType) -> Address | CellAddress:
        """Where an expression points as a pointer of a type, to elements of an array of rows or to rows of elements.

        Raises RefusalError for a type that makes other numbers of the same bits.
        """
        address = self.pointer(node)
        if not isinstance(kind, Pointer):
            return address
        target, rows = kind.target, list[Sequence]()
        while isinstance(target, Sequence):
            rows.append(target)
            target = target.element
        if isinstance(target, NumberType):
            address = self._seen_as(address, target.name, node)
        if not isinstance(address, Address) or isinstance(target, Void):
            return address
        if isinstance(target, NumberType) and address.array.fields:
            address = Address(replace(address.array, fields=()), address.subscripts)
        missing = address.array.rank - len(rows) - len(address.subscripts)
        if missing < 0 and address.array.rank == 1:
            return self._by_rows(address, rows, node)
        return Address(address.array, (*address.subscripts, *(Affine() for _ in range(missing))))

    def _seen_as(self, address: Address | CellAddress, kind: str, node: Any) -> Address | CellAddress:
        """A pointer to numbers of a type, which may be the other integers of the same width."""
        own = (
            address.array.view or address.array.type
            if isinstance(address, Address)
            else getattr(address.cell, "type", kind)
        )
        if own == kind:
            return address
        if isinstance(address, Address) and {own[0], kind[0]} == {"i", "u"} and own[1:] == kind[1:]:
            return Address(replace(address.array, view=kind), address.subscripts)
        raise RefusalError(f"this makes {kind} of the bits of {own}", "convert each element where it is read", node)

    def _by_rows(self, address: Address, rows: list[Sequence], node: Any) -> Address:
        """A pointer to rows of an array that is declared without any."""
        extents = [self.run.expressions.form(one.size, "the length of a row") for one in rows]
        numbers = [self.run.number_of(one) for one in extents]
        length = prod(one or 0 for one in numbers)
        start = address.subscripts[0]
        if not length or start.constant % length or any(factor % length for _, factor in start.terms):
            raise RefusalError("these rows do not begin where rows of the array do", "point to its start", node)
        array = replace(address.array, dims=[None, *(Affine(constant=one or 0) for one in numbers)], is_flat=True)
        return Address(array, (start.divided(length),))

    def _pointed(self, place: Any, node: Any) -> Address | CellAddress:
        """Where something that has a name points: a pointer, an array, a row of one."""
        if isinstance(place, PointerCell):
            content = self.run.recorder.content(place)
            if isinstance(content, Address | CellAddress):
                return content
            if isinstance(content, Poison):
                raise PoisonedError
            if isinstance(content, Unusable):
                raise RefusalError(content.message, content.hint, node)
            raise RefusalError(f"pointer '{place.name}' points nowhere here", "set it before it is used", node)
        if isinstance(place, CArray):
            return self._decayed(Address(place, ()))
        if isinstance(place, Address) and len(place.subscripts) < place.array.rank:
            return self._decayed(place)
        raise RefusalError("this is no array and no pointer", "name an array", node)

    def _decayed(self, address: Address) -> Address:
        return Address(address.array, (*address.subscripts, Affine()))

    def _address_of(self, node: Any) -> Address | CellAddress:
        place = self.run.expressions.place(node.expr)
        if isinstance(place, Cell | StructCell):
            return CellAddress(place)
        if isinstance(place, Address):
            return place
        if isinstance(place, CArray):
            return self._decayed(Address(place, ()))
        raise RefusalError("this address is not read", "hand over an array or a scalar", node)

    def _sum(self, node: Any) -> Address | CellAddress:
        sides = [node.left, node.right]
        if node.op == "+" and not self.is_pointer(node.left):
            sides.reverse()
        return self.moved(self.pointer(sides[0]), sides[1], node, -1 if node.op == "-" else 1)

    def moved(self, address: Address | CellAddress, by: Any, node: Any, sign: int = 1) -> Address | CellAddress:
        value = self.run.arithmetic.number(self.run.expressions.value(by))
        form = value.form
        if isinstance(address, CellAddress):
            if form is not None and form.number == 0:
                return address
            raise RefusalError("this pointer leaves its scalar", "use an array", node)
        if value.type in constants.FLOATS:
            raise RefusalError("a subscript is an integer", "convert it to int", by)
        if form is None:
            size = self.run.expressions.size_without_value(value, by)
            if size is not None and address.array.dims[0] is None:
                raise size
            self._factors_as_numbers(value)
            self.run.unrolling.unroll_offsets(address, value)
            form = Affine(((Dynamic(self.run.arithmetic.converted(value, "i64")), 1),))
        else:
            self.run.unrolling.unroll_quotients(address.array, form)
        return self.run.recorder.address_plus(address, form.scaled(sign))

    def _factors_as_numbers(self, value: COperation) -> None:
        """Make numbers of the consts that iterators choose multiples of, as a row does of its length."""
        if any(True for _ in value.reads()):
            return
        for node in value.nodes():
            if node.kind == "*":
                for operand in node.operands:
                    self.run.number_of(operand.form)

    def is_pointer(self, node: Any) -> bool:
        """Whether an expression is an array or a pointer."""
        match node:
            case c_ast.ID() | c_ast.StructRef() if not has_steps(node):
                return isinstance(self.run.expressions.place(node), CArray | PointerCell)
            case c_ast.BinaryOp(op="+" | "-", left=one, right=other) | c_ast.TernaryOp(iftrue=one, iffalse=other):
                return self.is_pointer(one) or self.is_pointer(other)
            case c_ast.UnaryOp() if node.op in {"&", "p++", "p--"}:
                return node.op == "&" or self.is_pointer(node.expr)
            case c_ast.ArrayRef() | c_ast.UnaryOp(op="*") if not has_steps(node):
                place = self.run.expressions.place(node)
                is_row = isinstance(place, Address) and len(place.subscripts) < len(place.array.dims)
                return is_row or isinstance(place, PointerCell)
            case c_ast.Cast():
                return isinstance(self.run.types.of(node.to_type), Pointer)
            case _:
                return isinstance(node, c_ast.FuncCall) and self.run.calls.returns_pointer(node)
