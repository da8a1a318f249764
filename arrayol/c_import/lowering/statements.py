"""Statements of C, run on symbols: declarations, assignments, choices; see `loops` and `calls` for the others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from pycparser import c_ast

from arrayol.c_import.arithmetic import RefusalError, affine_condition, integer, truth_of
from arrayol.c_import.graphs import mapped
from arrayol.c_import.lowering.context import Context
from arrayol.c_import.lowering.ctypes import Number, Pointer, Struct, Void
from arrayol.c_import.lowering.ctypes import Sequence as ArrayType
from arrayol.c_import.lowering.symbols import (
    Address,
    Array,
    Cell,
    CellAddress,
    Content,
    Deferred,
    Pending,
    PointerCell,
    Poison,
    PoisonedError,
    Refused,
    RestartError,
    StructCell,
    Undefined,
    Unusable,
)
from arrayol.c_import.model import Condition, Value
from arrayol.c_import.reading.jumps import Chosen, RunsOnce, assigns
from arrayol.c_import.reading.syntax import has_steps, nodes_of
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
            for symbol in frame.pop().values():
                for cell in cells_of(symbol):
                    if isinstance(cell, Cell | PointerCell) and cell not in self.run.states.cells:
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
            c_ast.Decl: self.declare,
            Chosen: self._choose,
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
            case (
                c_ast.ID()
                | c_ast.Constant()
                | c_ast.ArrayRef()
                | c_ast.StructRef()
                | c_ast.UnaryOp()
                | c_ast.BinaryOp()
            ):
                self.run.expressions.value(node)
            case c_ast.TernaryOp():
                self._if(c_ast.If(node.cond, node.iftrue, node.iffalse, node.coord))
            case _:
                raise RefusalError(
                    f"a statement of kind '{type(node).__name__}' is not read", "write assignments", node
                )

    # Declarations.

    def declare(self, node: Any) -> None:
        """A variable of a block, with its first value."""
        run = self.run
        run.scopes.frames[-1][-1].pop(node.name, None)
        if isinstance(node.type, c_ast.FuncDecl):
            return
        kind = run.types.of(node.type)
        storage = set(node.storage or []) - {"auto", "register"}
        if "extern" in storage:
            raise RefusalError(f"'{node.name}' is extern: its value comes from elsewhere", "make it a parameter", node)
        is_static = "static" in storage
        match kind:
            case Number():
                self._declare_number(node, kind, is_static=is_static)
            case Struct():
                struct = run.structs.declare(node, node.name, kind)
                run.scopes.enter(node.name, struct)
                if node.init is not None:
                    run.structs.assign(struct, node.init, node)
            case Pointer():
                pointer = PointerCell(node.name, run.key(node))
                run.scopes.enter(node.name, pointer)
                run.recorder.contents[pointer] = Poison()
                run.recorder.contents[pointer] = (
                    Undefined() if node.init is None else run.expressions.pointer(node.init)
                )
            case ArrayType():
                self._declare_array(node, kind, is_static=is_static)
            case Void():
                raise RefusalError(f"'{node.name}' has no type", "declare it as a number or an array", node)

    def _choose(self, node: Chosen) -> None:
        """The scalar that a `switch` asks."""
        run = self.run
        value = run.arithmetic.promoted(run.expressions.value(node.expr))
        cell = run.cell(node, node.name, value.type)
        run.scopes.enter(node.name, cell)
        run.recorder.contents[cell] = value

    def _declare_number(self, node: Any, kind: Number, *, is_static: bool) -> None:
        run = self.run
        cell = run.cell(node, node.name, kind.name)
        if is_static and "const" not in (node.quals or []):
            run.scopes.enter(node.name, cell)
            run.states.enter_state(cell, node)
            return
        value: Content = Undefined()
        if node.init is not None:
            try:
                value = run.arithmetic.converted(run.expressions.value(self._plain(node.init)), kind.name)
            except (RefusalError, PoisonedError):
                run.scopes.enter(node.name, cell)
                run.recorder.contents[cell] = Poison()
                raise
        run.scopes.enter(node.name, cell)
        run.recorder.contents[cell] = value

    def _plain(self, init: Any) -> Any:
        return init.exprs[0] if isinstance(init, c_ast.InitList) and len(init.exprs) == 1 else init

    def _declare_array(self, node: Any, kind: ArrayType, *, is_static: bool) -> None:
        run = self.run
        array = run.states.array_of(node, kind, local=not is_static, state=is_static)
        run.scopes.enter(node.name, array)
        run.unrolling.declare(array, node)
        if node.init is None:
            return
        values = run.states.initial_values(array, node.init)
        if run.states.is_constant(node) and all(one is not None for one in values):
            array.table = run.states.table(array, values, node)
            return
        if is_static:
            run.states.remark_first(array, values, node)
            return
        for place, value in enumerate(values):
            if array.cells is not None:
                run.recorder.contents[list(array.cells.values())[place]] = value or Undefined()
                continue
            run.recorder.store(array, run.states.subscripts(array, place), value or integer(0, "i32"), run.span(node))

    # Assignments.

    def assign(self, node: Any) -> Value | None:
        """`place = value`, also with an operator, and chains of these; the value of a scalar or element."""
        run = self.run
        if node.op == "=" and run.expressions.is_pointer(node.lvalue) and self._is_pointer_place(node.lvalue):
            place = run.expressions.place(node.lvalue)
            run.recorder.contents[place] = run.expressions.pointer(node.rvalue)
            return None
        if node.op in {"+=", "-="} and self._is_pointer_place(node.lvalue):
            sign = c_ast.BinaryOp(node.op[0], node.lvalue, node.rvalue, node.coord)
            run.recorder.contents[run.expressions.place(node.lvalue)] = run.expressions.pointer(sign)
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
        return isinstance(node, c_ast.ID) and isinstance(self.run.scopes.find(node.name, node), PointerCell)

    def _is_struct(self, node: Any) -> bool:
        if not isinstance(node, c_ast.ID | c_ast.ArrayRef | c_ast.UnaryOp | c_ast.StructRef) or has_steps(node):
            return False
        return bool(self.run.structs.is_struct(self.run.expressions.place(node)))

    def put(self, place: Any, value: Value, node: Any) -> Value:
        """Give a place a value; what is there then."""
        run = self.run
        if isinstance(place, Cell):
            value = run.arithmetic.converted(value, place.type)
            run.recorder.contents[place] = value
            return value
        if isinstance(place, Address) and len(place.subscripts) == len(place.array.dims):
            if place.array.table is not None:
                raise RefusalError(f"'{place.array.name}' is const", "leave the word const out", node)
            value = run.arithmetic.converted(value, place.array.type)
            for conditions, subscripts in run.pieces.of(place.subscripts):
                with run.recorder.where(*conditions):
                    run.recorder.store(place.array, subscripts, value, run.span(getattr(node, "lvalue", node)))
            stored: Value = run.expressions.load(place, node)
            return stored
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
        before = self.run.expressions.pointer(node.expr)
        if not isinstance(place, PointerCell) or isinstance(before, CellAddress):
            raise RefusalError(f"'{node.op}' of this pointer is not read", "use a subscript", node)
        after = self.run.recorder.address_plus(before, Affine(constant=1 if "+" in node.op else -1))
        self.run.recorder.contents[place] = after
        return before if node.op.startswith("p") else after

    def step_value(self, node: Any) -> Value:
        """`k++` inside an expression that names k once; else C leaves the order to the compiler."""
        names = [one.name for one in nodes_of(self.whole, c_ast.ID)]
        if not isinstance(node.expr, c_ast.ID) or names.count(node.expr.name) != 1:
            message = f"'{node.op.strip('p')}' is not read in an expression that names its variable again"
            raise RefusalError(message, "make it a statement of its own", node)
        before: Value = self.run.expressions.value(node.expr)
        self._step(node)
        return before if node.op.startswith("p") else self.run.expressions.value(node.expr)

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
        self.branches(condition, lambda: self._branch(node.iftrue), lambda: self._branch(node.iffalse))

    def _branch(self, node: Any) -> None:
        if node is not None:
            self.statement(node)

    def branches(self, condition: Value, first: Any, second: Any) -> Value:
        """Run one thing where a condition holds and another where not, and merge scalars; the condition as kept."""
        recorder, arithmetic = self.run.recorder, self.run.arithmetic
        affine, data = _split(condition, arithmetic)
        before = dict(recorder.contents)
        if data is not None:
            recorder.predicates.append(data)
        with recorder.where(*affine):
            first()
        then = recorder.contents
        recorder.contents = dict(before)
        if data is None:
            negated = [one.negated() for one in affine]
            with recorder.where(negated[0] if len(negated) == 1 else Condition("or", parts=tuple(negated))):
                second()
        else:
            kept = recorder.predicates.pop()
            if kept is not data:
                condition = kept if not affine else _rebuilt(condition, kept)
            recorder.predicates.append(arithmetic.inverse(condition))
            second()
            kept = recorder.predicates.pop()
            condition = kept.operands[0] if kept.kind == "not" else arithmetic.inverse(kept)
        recorder.contents = self._merged(condition, then, recorder.contents)
        return condition

    def _merged(self, condition: Value, then: dict[Any, Content], other: dict[Any, Content]) -> dict[Any, Content]:
        merged: dict[Any, Content] = {}
        for cell in {**then, **other}:
            merged[cell] = self._merge(condition, then.get(cell, Undefined()), other.get(cell, Undefined()))
        return merged

    def _merge(self, condition: Value, one: Content, other: Content) -> Content:
        if one is other:
            return one
        one, other = (side.content() if isinstance(side, Pending) else side for side in (one, other))
        if isinstance(other, Undefined):
            return one
        if isinstance(one, Undefined):
            return other
        lost = self._lost(one, other)
        if lost is not None:
            return lost
        return self._either(condition, one, other)

    def _lost(self, *sides: Content) -> Content | None:
        """The side that has no value. Raises RestartError where a loop before must hand one on."""
        for side in sides:
            if isinstance(side, Poison | Unusable):
                return side
            if isinstance(side, Deferred):
                self.run.carried.add(side.key)
                raise RestartError
        return None

    def _either(self, condition: Value, one: Content, other: Content) -> Content:
        """A choice between two values; of pointers only where both sides are the same."""
        if isinstance(one, Value) and isinstance(other, Value):
            if one.form is not None and other.form is not None and (one.form - other.form).number == 0:
                return one
            known = affine_condition(condition)
            if known is not None:
                one, other = guarded(one, known), guarded(other, known.negated())
            return self.run.arithmetic.choice(condition, one, other)
        if isinstance(one, Address) and isinstance(other, Address) and _is_same(one, other):
            return one
        return Unusable("this pointer depends on a choice", "choose between the values that it points to")

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


def guarded(value: Value, condition: Condition) -> Value:
    """A value that is only asked for where a condition holds: its reads happen there alone."""
    if not any(True for _ in value.reads()):
        return value

    def change(node: Value) -> Value:
        if node.access is None:
            return node
        return replace(node, access=replace(node.access, guards=(*node.access.guards, condition)))

    return mapped(value, change)


def _split(condition: Value, arithmetic: Any) -> tuple[list[Condition], Value | None]:
    """The affine parts of a condition, and the rest that depends on data."""
    affine: list[Condition] = []
    data: Value | None = None
    for part in _conjuncts(condition):
        known = affine_condition(part)
        if known is not None:
            affine.append(known)
        else:
            data = part if data is None else arithmetic.both("and", data, part)
    return affine, data


def _conjuncts(condition: Value) -> list[Value]:
    if condition.kind == "and" and condition.type == "bool":
        return [one for side in condition.operands for one in _conjuncts(side)]
    return [condition]


def _rebuilt(condition: Value, kept: Value) -> Value:
    """A condition with its data part as it was kept."""
    parts = [one for one in _conjuncts(condition) if affine_condition(one) is not None]
    result = kept
    for part in reversed(parts):
        result = Value("and", "bool", (part, result))
    return result


def _is_same(one: Address, other: Address) -> bool:
    return (
        one.array is other.array
        and len(one.subscripts) == len(other.subscripts)
        and all((left - right).number == 0 for left, right in zip(one.subscripts, other.subscripts, strict=True))
    )


def cells_of(symbol: Any) -> list[Cell | PointerCell]:
    """The scalars and pointers that a name stands for."""
    if isinstance(symbol, StructCell):
        return [cell for one in symbol.cells.values() for cell in cells_of(one)]
    if isinstance(symbol, Array):
        return list((symbol.cells or {}).values())
    return [symbol] if isinstance(symbol, Cell | PointerCell) else []


def assigned_names(node: Any) -> set[str]:
    """Names of scalars and pointers of outer blocks that a statement may assign, also by their address."""
    if isinstance(node, c_ast.Compound | c_ast.For):
        names: set[str] = set()
        declared: set[str] = set()
        for _, child in node.children():
            declared |= _declared(child)
            names |= assigned_names(child) - declared
        return names
    own = {target} if (target := _assigned(node)) is not None else set()
    return own.union(*(assigned_names(child) for _, child in node.children()))


def _declared(node: Any) -> set[str]:
    """The names that a statement of a block declares."""
    if isinstance(node, c_ast.DeclList):
        return {one.name for one in node.decls}
    return {node.name} if isinstance(node, c_ast.Decl | Chosen) and node.name else set()


def _assigned(node: Any) -> str | None:
    """The name that a node itself may assign; of a declaration, which a refused one leaves without a value."""
    if isinstance(node, c_ast.Decl | Chosen):
        return None if node.name is None else str(node.name)
    target = None
    if isinstance(node, c_ast.Assignment):
        target = node.lvalue
    elif isinstance(node, c_ast.UnaryOp) and node.op in {"++", "--", "p++", "p--", "&"}:
        target = node.expr
    while isinstance(target, c_ast.StructRef | c_ast.Cast | c_ast.ArrayRef):
        target = target.expr if isinstance(target, c_ast.Cast) else target.name
    return str(target.name) if isinstance(target, c_ast.ID) else None
