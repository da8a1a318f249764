"""Structs: variables with a symbol for each field, elements of arrays with a last dimension or an array for each."""

from __future__ import annotations

from typing import Any

from pycparser import c_ast

from arrayol.c_import.arithmetic import RefusalError, integer
from arrayol.c_import.lowering.context import Context
from arrayol.c_import.lowering.ctypes import NumberType, Struct
from arrayol.c_import.lowering.symbols import Address, CArray, Cell, StructCell, Undefined


class Structs:
    """The structs of one run."""

    def __init__(self, run: Context) -> None:
        self.run = run

    def declare(self, node: Any, name: str, kind: Struct, *more: int) -> StructCell:
        """A variable whose fields have no values yet; `more` tells it from others of the same node."""
        run = self.run
        cells: dict[str, Cell | CArray | StructCell] = {}
        for place, (field, inner) in enumerate(kind.fields):
            own = f"{name}_{field}"
            if isinstance(inner, NumberType):
                cell = cells[field] = run.cell(node, own, inner.name, *more, place)
                run.recorder.contents[cell] = Undefined()
            elif isinstance(inner, Struct):
                cells[field] = self.declare(node, own, inner, *more, place)
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
            else:
                values.append((target, run.expressions.load(origin, node)))
        for target, one in values:
            run.statements.put(target, one, node)

    def fill(self, place: Any, init: Any) -> None:
        """The values of a list, in the order of the fields or by their names; 0 for those that it leaves out."""
        run, names = self.run, self._names(place)
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
            self._fill_field(self.field(place, name), given.get(name), run, init)

    def _fill_field(self, target: Any, value: Any, run: Context, init: Any) -> None:
        if self.is_struct(target):
            self.assign(target, c_ast.InitList([], init.coord) if value is None else value, init)
        elif isinstance(target, CArray):
            raise RefusalError("an array in a list of fields is not read", "assign its elements", value or init)
        else:
            run.statements.put(target, integer(0) if value is None else run.expressions.value(value), value or init)
