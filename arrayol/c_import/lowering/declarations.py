"""Declarations in a function: variables with their first values."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from pycparser import c_ast

from arrayol.c_import.arithmetic import RefusalError, constant_of, integer
from arrayol.c_import.lowering.context import Context
from arrayol.c_import.lowering.ctypes import NumberType, Pointer, Struct, Void
from arrayol.c_import.lowering.ctypes import Sequence as ArrayType
from arrayol.c_import.lowering.symbols import (
    Address,
    CArray,
    Cell,
    Content,
    PointerCell,
    Poison,
    PoisonedError,
    RestartError,
    StructCell,
    Undefined,
)
from arrayol.c_import.model import COperation
from arrayol.c_import.reading.syntax import nodes_of
from arrayol.c_import.reading.trees import Chosen
from arrayol.ir.affine import Affine

# Structs: variables with a symbol for each field, elements of arrays with a last dimension or an array for each.


class Structs:
    """The structs of one run."""

    def __init__(self, run: Context) -> None:
        self.run = run

    def declare(self, node: Any, name: str, kind: Struct, *more: int) -> StructCell:
        """A variable whose fields have no values yet; `more` tells it from others of the same node."""
        run = self.run
        cells: dict[str, Cell | CArray | PointerCell | StructCell] = {}
        for place, (field, inner) in enumerate(kind.fields):
            own = f"{name}_{field}"
            if isinstance(inner, NumberType):
                cell = cells[field] = run.cell(node, own, inner.name, *more, place)
                run.recorder.contents[cell] = Undefined()
            elif isinstance(inner, Struct):
                cells[field] = self.declare(node, own, inner, *more, place)
            elif isinstance(inner, Pointer):
                pointer = cells[field] = PointerCell(own, inner, run.key(node, *more, place))
                run.recorder.contents[pointer] = Undefined()
            else:
                cells[field] = run.states.array_named(own, inner, node, local=True)
        return StructCell(name, cells)

    def is_struct(self, place: Any) -> bool:
        """Whether a place is a whole struct."""
        if isinstance(place, Address):
            return place.array.is_struct and len(place.subscripts) == place.array.rank
        return isinstance(place, StructCell)

    def field(self, place: Any, name: str) -> Any:
        """A field of a struct: a Cell, Array, StructCell or Address."""
        found: Any = None
        if isinstance(place, StructCell):
            found = place.cells.get(name)
        elif isinstance(place, Address):
            found = place.field(name)
        if found is None:
            raise RefusalError(f"there is no field '{name}' here", "name a field of the struct")
        if isinstance(found, Address) and found.array.cells is not None:
            return self.run.unrolling.element(found)
        return found

    def _names(self, place: Any) -> tuple[str, ...]:
        return tuple(place.cells) if isinstance(place, StructCell) else place.array.fields or tuple(place.array.parts)

    def assign(self, place: Any, value: Any, node: Any) -> None:
        """Give all fields those of another struct, or the values of a list."""
        if isinstance(value, c_ast.InitList):
            self.fill(place, value)
        else:
            self.copy(place, self.run.expressions.place(value), node)

    def copy(self, place: Any, source: Any, node: Any) -> None:
        """Give all fields those of another struct."""
        run = self.run
        if not self.is_struct(source) or self._names(source) != self._names(place):
            raise RefusalError("these structs have different fields", "assign field by field", node)
        values: list[tuple[Any, Any]] = []
        for name in self._names(place):
            target, origin = self.field(place, name), self.field(source, name)
            if self.is_struct(target):
                self.copy(target, origin, node)
            elif isinstance(target, PointerCell):
                run.recorder.contents[target] = run.recorder.content(origin)
            elif isinstance(target, CArray) or (
                isinstance(target, Address) and len(target.subscripts) < len(target.array.dims)
            ):
                run.calls.copy_array(target, origin, node)
            else:
                values.append((target, run.expressions.load(origin, node)))
        for target, one in values:
            run.statements.put(target, one, node)

    def fill(self, place: Any, init: Any, *, is_constant: bool = False) -> None:
        """The values of a list, in the order of the fields or by their names; 0 for those that it leaves out."""
        names = self._names(place)
        given: dict[str, Any] = {}
        at = 0
        for item in init.exprs:
            one = item
            if isinstance(one, c_ast.NamedInitializer):
                name = getattr(one.name[0], "name", None)
                if name not in names or len(one.name) != 1:
                    raise RefusalError("this field in a list is not read", "write all values in order", one)
                at, one = names.index(name), one.expr
            if at >= len(names):
                raise RefusalError("this list has more values than the struct has fields", "leave some out", one)
            given[names[at]], at = one, at + 1
        for name in names:
            self._fill_field(self.field(place, name), given.get(name), init, is_constant=is_constant)

    def _fill_field(self, target: Any, value: Any, init: Any, *, is_constant: bool) -> None:
        run, zeros = self.run, c_ast.InitList([], init.coord)
        if isinstance(target, StructCell) and (value is None or isinstance(value, c_ast.InitList)):
            self.fill(target, value or zeros, is_constant=is_constant)
        elif self.is_struct(target):
            self.assign(target, zeros if value is None else value, init)
        elif isinstance(target, PointerCell):
            if value is not None:
                run.recorder.contents[target] = run.pointers.pointer_or_memory(value, target.type, target.name)
        elif isinstance(target, CArray):
            run.declarations.fill_array(target, value or zeros, value or init, is_constant=is_constant)
        elif isinstance(target, Address) and len(target.subscripts) < len(target.array.dims):
            raise RefusalError("an array in a list of fields is not read", "assign its elements", value or init)
        else:
            run.statements.put(target, integer(0) if value is None else run.expressions.value(value), value or init)


class Declarations:
    """Runs declarations."""

    def __init__(self, run: Context) -> None:
        self.run = run
        self._without_values: dict[str, tuple[int, ...]] = {}  # arrays that loops declare, with their keys

    def clear(self, array: CArray) -> None:
        """Let an array that a loop's body declares be new in each iteration, since data choose what it writes.

        Raises RestartError where it is not yet.
        """
        key = self._without_values.get(array.name)
        if key is not None and key not in self.run.known.cleared:
            self.run.known.cleared.add(key)
            raise RestartError

    def declare(self, node: Any) -> None:
        """A variable of a block, with its first value."""
        run = self.run
        run.scopes.frames[-1][-1].pop(node.name, None)
        if id(node) in run.statics:
            run.scopes.enter(node.name, run.statics[id(node)])
            return
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
                self.declare_struct(node, kind, is_kept=is_static)
            case Pointer():
                pointer = PointerCell(node.name, kind, run.key(node))
                run.scopes.enter(node.name, pointer)
                run.recorder.contents[pointer] = Poison()
                run.recorder.contents[pointer] = (
                    Undefined() if node.init is None else run.pointers.pointer_or_memory(node.init, kind, node.name)
                )
            case ArrayType() if isinstance(kind.element, Pointer):
                self._declare_pointers(node, kind, kind.element)
            case ArrayType():
                self._declare_array(node, kind, is_static=is_static)
            case Void():
                raise RefusalError(f"'{node.name}' has no type", "declare it as a number or an array", node)

    def _declare_pointers(self, node: Any, kind: ArrayType, element: Pointer) -> None:
        """A small array of pointers: a pointer for each element, all of which numbers choose."""
        run = self.run
        given = [] if node.init is None else list(node.init.exprs)
        size = (
            None if kind.size is None else run.number_of(run.expressions.form(kind.size, f"the size of '{node.name}'"))
        )
        run.unrolling.declare_pointers(node, element, len(given) if size is None else size)
        array = run.scopes.find(node.name, node)
        assert isinstance(array, CArray)
        for cell, one in zip((array.cells or {}).values(), given, strict=False):
            run.recorder.contents[cell] = run.pointers.pointer_or_memory(one, element, node.name)

    def declare_statics(self) -> None:
        """The static variables of blocks, before any block runs: all calls of a function share them."""
        run = self.run
        for node in (
            one
            for function in (run.function, *run.functions_below(run.function))
            for one in nodes_of(function, c_ast.Decl)
        ):
            if "static" not in (node.storage or []) or isinstance(node.type, c_ast.PtrDecl):
                continue
            run.scopes.frames.append([{}])
            with suppress(RefusalError, PoisonedError):  # the block will say it, too
                if not (isinstance(run.types.of(node.type), ArrayType) and run.states.is_constant(node)):
                    self.declare(node)
                    run.statics[id(node)] = run.scopes.frames[-1][-1][node.name]
            run.scopes.frames.pop()

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

    def declare_struct(self, node: Any, kind: Struct, *, is_kept: bool) -> None:
        """A struct with its first values; the fields of one that is kept from call to call are inputs and outputs."""
        run = self.run
        struct = run.structs.declare(node, node.name, kind)
        run.scopes.enter(node.name, struct)
        is_constant = run.states.is_constant(node)
        first = c_ast.InitList([], node.coord) if is_kept and node.init is None else node.init
        if isinstance(first, c_ast.InitList):
            run.structs.fill(struct, first, is_constant=is_constant)
        elif first is not None:
            run.structs.assign(struct, first, node)
        if is_kept and not is_constant:
            self._keep_fields(struct, node)

    def _keep_fields(self, struct: StructCell, node: Any) -> None:
        """Make each field an input and an output."""
        for name, field in struct.cells.items():
            if isinstance(field, StructCell):
                self._keep_fields(field, node)
            elif isinstance(field, CArray):
                hint = "declare a static array beside the struct"
                raise RefusalError(f"array '{name}' of struct '{struct.name}' keeps its values", hint, node)
            elif isinstance(field, PointerCell):
                hint = "hand over the array that it points to"
                raise RefusalError(f"pointer '{name}' of struct '{struct.name}' keeps its value", hint, node)
            else:
                content = self.run.recorder.content(field)
                self.run.states.keep(field, content if isinstance(content, COperation) else None, node)

    def _plain(self, init: Any) -> Any:
        return init.exprs[0] if isinstance(init, c_ast.InitList) and len(init.exprs) == 1 else init

    def _declare_array(self, node: Any, kind: ArrayType, *, is_static: bool) -> None:
        run = self.run
        row = None if is_static else run.states.joined(node.name, node, kind)
        if row is not None:
            self._declare_row(node, kind, row)
            return
        array = run.states.array_of(node, kind, local=not is_static, state=is_static)
        array.hidden = is_static
        run.scopes.enter(node.name, array)
        run.unrolling.declare(array, node)
        if node.init is not None:
            self.fill_array(array, node.init, node, is_constant=run.states.is_constant(node))
        elif array.local and run.recorder.loops and not array.parts:
            self._without_values[array.name] = run.key(node)
            if run.key(node) in run.known.cleared and array.cells is None:
                run.calls.zero(Address(array, (Affine(),)), node)

    def _declare_row(self, node: Any, kind: ArrayType, row: Address) -> None:
        """An array that is a row of another one: a pointer to it."""
        run = self.run
        pointer = PointerCell(node.name, kind, run.key(node))
        run.scopes.enter(node.name, pointer)
        run.recorder.contents[pointer] = row
        if node.init is not None:
            like = replace(row.array, dims=row.array.dims[1:])
            values = run.states.initial_values(like, node.init)
            if _are_zeros(values):
                run.calls.zero(row, node)
                return
            for place, value in enumerate(values):
                subscripts = (row.subscripts[0], *run.states.subscripts(like, place))
                run.recorder.store(row.array, subscripts, value or integer(0, "i32"), run.span(node))

    def fill_array(self, array: CArray, init: Any, node: Any, *, is_constant: bool) -> None:
        """The first values of an array; those of a constant one are a table."""
        run = self.run
        if array.parts:
            self._fill_parts(array, init, node, is_constant=is_constant)
            return
        values = run.states.initial_values(array, init)
        if is_constant and all(one is not None for one in values):
            array.table = run.states.table(array, values, node)
            return
        if array.state:
            run.states.start(array, values, node)
            return
        if array.cells is None and _are_zeros(values):
            run.calls.zero(Address(array, (Affine(),)), node)
            return
        for place, value in enumerate(values):
            if array.cells is not None:
                run.recorder.contents[list(array.cells.values())[place]] = value or Undefined()
                continue
            run.recorder.store(array, run.states.subscripts(array, place), value or integer(0, "i32"), run.span(node))

    def _fill_parts(self, array: CArray, init: Any, node: Any, *, is_constant: bool) -> None:
        """The first values of an array of structs whose fields differ: those of each field. Raises RefusalError."""
        items = init.exprs if isinstance(init, c_ast.InitList) else []
        is_list = all(isinstance(one, c_ast.InitList) for one in items)
        if len(array.dims) != 1 or not is_list or not isinstance(init, c_ast.InitList):
            hint = "write each struct between braces of its own, in the order of the elements"
            raise RefusalError(f"these values of '{array.name}' are not read", hint, init)
        for place, (name, part) in enumerate(array.parts.items()):
            values = [_value_of_field(one, name, place) for one in items]
            self.fill_array(part, c_ast.InitList(values, init.coord), node, is_constant=is_constant)


def _value_of_field(init: Any, name: str, place: int) -> Any:
    """What a struct's list of values says of a field: in the order of the fields, or by their names."""
    named = [one for one in init.exprs if isinstance(one, c_ast.NamedInitializer)]
    if named and len(named) < len(init.exprs):
        raise RefusalError("this list names some fields only", "name all of them, or none", init)
    for one in named:
        if len(one.name) == 1 and getattr(one.name[0], "name", None) == name:
            return one.expr
    return init.exprs[place] if not named and place < len(init.exprs) else c_ast.InitList([], init.coord)


def _are_zeros(values: Sequence[COperation | None]) -> bool:
    """Whether all values are 0 in the text, and none is -0.0."""
    numbers = [None if one is None else constant_of(one) for one in values]
    return all(one is not None and str(one.value) in {"0", "0.0"} for one in numbers)
