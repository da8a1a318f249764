"""Declarations in a function: variables with their first values."""

from __future__ import annotations

from typing import Any

from pycparser import c_ast

from arrayol.c_import.arithmetic import RefusalError, integer
from arrayol.c_import.lowering.context import Context
from arrayol.c_import.lowering.ctypes import NumberType, Pointer, Struct, Void
from arrayol.c_import.lowering.ctypes import Sequence as ArrayType
from arrayol.c_import.lowering.symbols import (
    Content,
    PointerCell,
    Poison,
    PoisonedError,
    Undefined,
)
from arrayol.c_import.reading.trees import Chosen


class Declarations:
    """Runs declarations."""

    def __init__(self, run: Context) -> None:
        self.run = run

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
            case NumberType():
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

    def choose(self, node: Chosen) -> None:
        """The scalar that a `switch` asks."""
        run = self.run
        value = run.arithmetic.promoted(run.expressions.value(node.expr))
        cell = run.cell(node, node.name, value.type)
        run.scopes.enter(node.name, cell)
        run.recorder.contents[cell] = value

    def _declare_number(self, node: Any, kind: NumberType, *, is_static: bool) -> None:
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
