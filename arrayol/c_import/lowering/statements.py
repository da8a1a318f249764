"""Statements of C, run on symbols: declarations, assignments, choices; see `loops` and `calls` for the others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from pycparser import c_ast

from arrayol.c_import.arithmetic import RefusalError, integer, truth_of
from arrayol.c_import.lowering.changes import assigned_names, cells_of
from arrayol.c_import.lowering.context import Context, base_name
from arrayol.c_import.lowering.symbols import (
    Address,
    Cell,
    CellAddress,
    ChosenCell,
    PointerCell,
    Poison,
    PoisonedError,
    Refused,
)
from arrayol.c_import.model import COperation, Dynamic
from arrayol.c_import.reading.syntax import has_steps
from arrayol.c_import.reading.trees import Chosen, RunsOnce, assigns, names_unordered
from arrayol.ir.affine import Affine

_IDLE = (c_ast.EmptyStatement, c_ast.Pragma, c_ast.Typedef)
_REFUSED = {
    c_ast.Break: ("this 'break' leaves no loop that counts", "use it in a for loop with a fixed number of iterations"),
    c_ast.Continue: (
        "this 'continue' is in no loop that counts",
        "use it in a for loop, or put what follows into an if",
    ),
    c_ast.Goto: ("'goto' is not read", "write loops and choices, or a function with return"),
    c_ast.Switch: ("this 'switch' has statements in front of its cases, or cases in blocks", "write if and else"),
}


class Statements:
    """Runs statements; what is refused is recorded with its place, and the rest is read on."""

    def __init__(self, run: Context) -> None:
        self.run = run
        self.whole: Any = None  # the expression that is run

    def block(self, nodes: Sequence[Any]) -> None:
        """Statements with names of their own."""
        with self.scope():
            for node in nodes:
                self.statement(node)

    @contextmanager
    def scope(self) -> Iterator[None]:
        """A block of names."""
        frame = self.run.scopes.frames[-1]
        frame.append({})
        try:
            yield
        finally:
            shared = {id(one) for one in self.run.statics.values()}
            for symbol in frame.pop().values():
                for cell in cells_of(symbol) if id(symbol) not in shared else ():
                    if isinstance(cell, Cell | PointerCell):
                        self.run.recorder.contents.pop(cell, None)

    def statement(self, node: Any) -> None:
        """Run one statement; a refusal is recorded, and what it would have assigned is poisoned."""
        try:
            self.run_one(node)
        except RefusalError as refusal:
            self.run.refuse(refusal, node)
            self._poison(node)
        except PoisonedError:
            self._poison(node)

    def run_one(self, node: Any) -> None:
        """Run one statement. Raises RefusalError, PoisonedError."""
        if isinstance(node, _IDLE):
            return
        if type(node) in _REFUSED:
            raise RefusalError(*_REFUSED[type(node)], node)
        if isinstance(node, c_ast.Decl | c_ast.Return | Chosen):
            self.whole = node
        runners: dict[type, Callable[[Any], object]] = {
            c_ast.Compound: lambda one: self.block(one.block_items or []),
            c_ast.Label: lambda one: self.statement(one.stmt),
            c_ast.DeclList: lambda one: self._several(one.decls),
            c_ast.Decl: self.run.declarations.declare,
            Chosen: self.run.declarations.choose,
            c_ast.If: self._if,
            c_ast.For: self.run.loops.loop,
            RunsOnce: self.run.loops.loop,
            c_ast.Return: self.run.calls.returned,
        }
        runners.get(type(node), self.expression)(node)

    def _several(self, nodes: Sequence[Any]) -> None:
        """Statements in the block that is open."""
        for node in nodes:
            self.statement(node)

    def expression(self, node: Any) -> None:
        """An expression that stands for what it does."""
        self.whole = node
        match node:
            case c_ast.Assignment():
                self.assign(node)
            case c_ast.UnaryOp() if node.op in {"++", "--", "p++", "p--"}:
                self._step(node)
            case c_ast.ExprList():
                for one in node.exprs:
                    self.expression(one)
            case c_ast.FuncCall():
                self.run.calls.statement(node)
            case c_ast.Cast():
                self.expression(node.expr)
            case c_ast.ID():  # as `(void)unused`
                self.run.scopes.find(node.name, node)
            case c_ast.Constant() | c_ast.ArrayRef() | c_ast.StructRef() | c_ast.UnaryOp() | c_ast.BinaryOp():
                self.run.expressions.value(node)
            case c_ast.TernaryOp():
                self._if(c_ast.If(node.cond, node.iftrue, node.iffalse, node.coord))
            case _:
                raise RefusalError(
                    f"a statement of kind '{type(node).__name__}' is not read", "write assignments", node
                )

    # Assignments.

    def assign(self, node: Any) -> COperation | None:
        """`place = value`, also with an operator, and chains of these; the value of a scalar or element."""
        run = self.run
        if node.op == "=" and run.pointers.is_pointer(node.lvalue) and self._is_pointer_place(node.lvalue):
            place = run.expressions.place(node.lvalue)
            run.recorder.contents[place] = run.pointers.pointer_or_memory(node.rvalue, place.type, place.name)
            return None
        if node.op in {"+=", "-="} and self._is_pointer_place(node.lvalue):
            sign = c_ast.BinaryOp(node.op[0], node.lvalue, node.rvalue, node.coord)
            run.recorder.contents[run.expressions.place(node.lvalue)] = run.pointers.pointer(sign)
            return None
        if node.op == "=" and self._is_struct(node.lvalue):
            run.structs.assign(run.expressions.place(node.lvalue), node.rvalue, node)
            return None
        if isinstance(node.rvalue, c_ast.Assignment):
            value = self.assign(node.rvalue)
            if value is None:
                raise RefusalError("this chain of assignments is not read", "write one assignment a line", node)
        else:
            value = run.expressions.value(node.rvalue)
        place = run.expressions.place(node.lvalue)
        if node.op != "=":
            value = run.arithmetic.binary(node.op[:-1], run.expressions.load(place, node.lvalue), value)
        return self.put(place, value, node)

    def _is_pointer_place(self, node: Any) -> bool:
        if isinstance(node, c_ast.ArrayRef | c_ast.StructRef) and not has_steps(node):
            return isinstance(self.run.expressions.place(node), PointerCell)
        return isinstance(node, c_ast.ID) and isinstance(self.run.scopes.find(node.name, node), PointerCell)

    def _is_struct(self, node: Any) -> bool:
        if not isinstance(node, c_ast.ID | c_ast.ArrayRef | c_ast.UnaryOp | c_ast.StructRef) or has_steps(node):
            return False
        return bool(self.run.structs.is_struct(self.run.expressions.place(node)))

    def put(self, place: Any, value: COperation, node: Any) -> COperation:
        """Give a place a value; what is there then."""
        run = self.run
        if isinstance(place, Cell):
            value = run.arithmetic.converted(value, place.type)
            run.recorder.contents[place] = value
            return value
        if isinstance(place, ChosenCell):
            for condition, cell in place.choices:
                run.branches.both(condition, partial(self.put, cell, value, node), lambda: None)
            stored: COperation = run.expressions.load(place, node)
            return stored
        if isinstance(place, Address) and len(place.subscripts) == len(place.array.dims):
            if place.array.table is not None:
                raise RefusalError(f"'{place.array.name}' is const", "leave the word const out", node)
            value = run.arithmetic.converted(value, place.array.type)
            if any(isinstance(term, Dynamic) for form in place.subscripts for term, _ in form.terms):
                run.declarations.clear(place.array)
            pieces = list(run.pieces.of(place.subscripts))
            for _, subscripts in pieces:  # in all of them, and not where one is stored alone
                run.recorder.keep_what_reads(place.array, subscripts)
            for conditions, subscripts in pieces:
                with run.recorder.where(*conditions):
                    run.recorder.store(place.array, subscripts, value, run.span(getattr(node, "lvalue", node)))
            return run.expressions.load(place, node)
        raise RefusalError("this is no scalar and no element", "assign to one element", node)

    def _step(self, node: Any) -> None:
        """`++` and `--` as statements."""
        if self._is_pointer_place(node.expr):
            self.step_pointer(node)
            return
        sign = "+" if "+" in node.op else "-"
        place = self.run.expressions.place(node.expr)
        value = self.run.arithmetic.binary(sign, self.run.expressions.load(place, node.expr), integer(1))
        self.put(place, value, c_ast.Assignment("=", node.expr, node.expr, node.coord))

    def step_pointer(self, node: Any) -> Any:
        """`p++` of a pointer: where it pointed before."""
        place = self.run.expressions.place(node.expr)
        before = self.run.pointers.pointer(node.expr)
        if not isinstance(place, PointerCell) or isinstance(before, CellAddress):
            raise RefusalError(f"'{node.op}' of this pointer is not read", "use a subscript", node)
        after = self.run.recorder.address_plus(before, Affine(constant=1 if "+" in node.op else -1))
        self.run.recorder.contents[place] = after
        return before if node.op.startswith("p") else after

    def step_value(self, node: Any) -> COperation:
        """`k++` inside an expression that does not name k beside it: C leaves that order to the compiler."""
        if base_name(node.expr) is None or names_unordered(self.whole, node, node.expr):
            message = f"'{node.op.strip('p')}' is not read in an expression that names its variable again"
            raise RefusalError(message, "make it a statement of its own", node)
        before: COperation = self.run.expressions.value(node.expr)
        cell, contents = self.run.cell(node, "before", before.type), self.run.recorder.contents
        contents[cell] = before  # so that it is kept if the step changes what it reads
        self._step(node)
        kept = contents.pop(cell)
        assert isinstance(kept, COperation)
        return kept if node.op.startswith("p") else self.run.expressions.value(node.expr)

    def assigned_value(self, node: Any) -> COperation:
        """An assignment inside an expression, which must not name what is assigned beside it."""
        if base_name(node.lvalue) is None or names_unordered(self.whole, node, node.lvalue):
            message = "an assignment is not read in an expression that names its variable again"
            raise RefusalError(message, "make it a statement of its own", node)
        value = self.assign(node)
        if value is None:
            raise RefusalError("the value of this assignment is no number", "make it a statement of its own", node)
        return value

    # Choices.

    def _if(self, node: Any) -> None:
        self.whole = node.cond
        condition = self.run.expressions.condition(node.cond)
        known = truth_of(condition)
        if known is not None:
            branch = node.iftrue if known else node.iffalse
            if branch is not None:
                self.statement(branch)
            return
        self.run.branches.both(condition, lambda: self._branch(node.iftrue), lambda: self._branch(node.iffalse))

    def _branch(self, node: Any) -> None:
        if node is not None:
            self.statement(node)

    # What a refused statement leaves behind.

    def _poison(self, node: Any) -> None:
        """Mark all scalars that a refused statement may assign."""
        for name in assigned_names(node):
            try:
                symbol = self.run.scopes.find(name, node)
            except RefusalError:
                self.run.scopes.enter(name, Refused())
                continue
            except PoisonedError:
                continue
            for cell in cells_of(symbol):
                if isinstance(cell, Cell) or assigns(node, name):
                    self.run.recorder.contents[cell] = Poison()
