"""Calls: functions of the file are inlined; memcpy and memset are loops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pycparser import c_ast

from arrayol.c_import.arithmetic import RefusalError, integer, truth_of
from arrayol.c_import.lowering.changes import MOVES
from arrayol.c_import.lowering.context import Context
from arrayol.c_import.lowering.ctypes import BYTES, NumberType, Pointer, Struct, Void
from arrayol.c_import.lowering.symbols import Address, CArray, CellAddress, PointerCell, StructCell, Unusable
from arrayol.c_import.model import COperation, ForLoop, Form
from arrayol.c_import.reading.syntax import nodes_of
from arrayol.ir.affine import Affine

MOST_DEPTH = 32  # of calls in each other


class Calls:
    """Runs calls."""

    def __init__(self, run: Context) -> None:
        self.run = run
        self.results: list[list[Any]] = []  # of the calls that are open: what each has returned
        self.kinds: list[Any] = []  # and the types that they return

    def statement(self, node: Any) -> None:
        """A call that stands alone."""
        name = getattr(node.name, "name", None)
        if name in self.run.unit.functions:
            self.inlined(node)
        elif name in MOVES:
            self._memory(name, node)
        elif name in {"printf", "fprintf", "puts", "putchar", "perror", "fflush"}:
            self.run.remark(self.run.span(node), f"'{name}' is left out: it computes nothing")
        elif name == "free":
            return
        else:
            self.run.expressions.value(node)

    # Functions of the file.

    def inlined(self, node: Any) -> COperation | None:
        """The value that a function of the file returns here, after all that it does."""
        result = self._inline(node)
        return result if isinstance(result, COperation) else None

    def inlined_struct(self, node: Any) -> StructCell:
        """The struct that a function returns."""
        name = getattr(node.name, "name", None)
        result = self._inline(node) if name in self.run.unit.functions else None
        if not isinstance(result, StructCell):
            raise RefusalError(f"'{name}' returns no struct", "assign field by field", node)
        return result

    def inlined_pointer(self, node: Any) -> Address | CellAddress:
        """Where the pointer points that a function of the file returns."""
        result = self._inline(node) if self.returns_pointer(node) else None
        if not isinstance(result, Address | CellAddress):
            raise RefusalError("this call returns no pointer that is read", "hand over the array to be written", node)
        return result

    def returns_pointer(self, node: Any) -> bool:
        """Whether a call is one of a function of the file that returns a pointer."""
        function = self.run.unit.functions.get(getattr(node.name, "name", ""))
        return function is not None and isinstance(self.run.types.of(function.decl.type.type), Pointer)

    def _inline(self, node: Any) -> Any:
        run = self.run
        function = run.unit.functions[node.name.name]
        if len(run.scopes.frames) > MOST_DEPTH or node.name.name in run.open_calls:
            raise RefusalError(f"'{node.name.name}' calls itself", "write a loop", node)
        parameters = [
            one
            for one in (function.decl.type.args.params if function.decl.type.args else [])
            if isinstance(one, c_ast.Decl)
        ]
        arguments = node.args.exprs if node.args else []
        if len(parameters) != len(arguments):
            raise RefusalError(f"'{node.name.name}' takes {len(parameters)} arguments", "hand over as many", node)
        bound = [self._argument(one, value) for one, value in zip(parameters, arguments, strict=True)]
        kind = run.types.of(function.decl.type.type)
        run.scopes.frames.append([{}])
        run.path.append(id(node))
        run.open_calls.append(node.name.name)
        whole = run.statements.whole  # of the caller, which goes on after the call
        returned = list[Any]()
        self.kinds.append(kind)
        self.results.append(returned)
        try:
            for parameter, value in zip(parameters, bound, strict=True):
                self._bind(parameter, value)
            self.run_block(function.body.block_items or [])
        finally:
            self.results.pop()
            run.scopes.frames.pop()
            run.path.pop()
            run.open_calls.pop()
            self.kinds.pop()
            run.statements.whole = whole
        return returned[0] if returned else None

    def _argument(self, parameter: Any, node: Any) -> Any:
        kind = self.run.types.of(parameter.type)
        if isinstance(kind, NumberType):
            return self.run.arithmetic.converted(self.run.expressions.value(node), kind.name)
        if isinstance(kind, Struct):
            return self.run.expressions.place(node)
        return self.run.pointers.pointer_as(node, kind)

    def _bind(self, parameter: Any, value: Any) -> None:
        run = self.run
        kind = run.types.of(parameter.type)
        if isinstance(kind, Struct):
            self._bind_struct(parameter, kind, value)
        elif isinstance(value, COperation):
            cell = run.cell(parameter, parameter.name, value.type)
            run.scopes.enter(parameter.name, cell)
            run.recorder.contents[cell] = value
        else:
            pointer = PointerCell(parameter.name, kind, run.key(parameter))
            run.scopes.enter(parameter.name, pointer)
            run.recorder.contents[pointer] = value

    def _bind_struct(self, parameter: Any, kind: Struct, value: Any) -> None:
        """A struct that is handed over: a copy of each field."""
        struct = self.run.structs.declare(parameter, parameter.name, kind)
        self.run.structs.copy(struct, value, parameter)
        self.run.scopes.enter(parameter.name, struct)

    def run_block(self, nodes: Sequence[Any]) -> None:
        """Statements up to a return; after a choice that returns, the rest runs in the branches that go on."""
        for place, node in enumerate(nodes):
            inner = node.stmt if isinstance(node, c_ast.Label) else node
            if isinstance(inner, c_ast.If) and nodes_of(inner, c_ast.Return):
                self._returning(inner, nodes[place + 1 :])
                return
            if isinstance(inner, c_ast.Compound) and nodes_of(inner, c_ast.Return):
                self.run_block([*(inner.block_items or []), *nodes[place + 1 :]])
                return
            if nodes_of(inner, c_ast.Return) and not isinstance(inner, c_ast.Return):
                raise RefusalError(
                    "'return' inside a loop is not read", "set a variable, and return it behind the loop", inner
                )
            self.run.statements.statement(node)
            if isinstance(inner, c_ast.Return):
                return

    def _returning(self, node: Any, rest: Sequence[Any]) -> None:
        run = self.run
        run.statements.whole = node.cond
        condition = run.expressions.condition(node.cond)
        branches = [[one] if one is not None else [] for one in (node.iftrue, node.iffalse)]
        known = truth_of(condition)
        if known is not None:
            self.run_block([*branches[0 if known else 1], *rest])
            return
        found: list[list[Any]] = []

        def branch(place: int) -> None:
            self.results.append([])
            self.run_block([*branches[place], *rest])
            found.append(self.results.pop())

        condition = run.branches.both(condition, lambda: branch(0), lambda: branch(1))
        sides = [one[0] if one else None for one in found]
        if isinstance(sides[0], COperation) and isinstance(sides[1], COperation):
            self.results[-1].append(run.arithmetic.choice(condition, sides[0], sides[1]))
        elif any(one is not None for one in sides):
            if run.structs.is_struct(sides[0]) and run.structs.is_struct(sides[1]):
                self.results[-1].append(self._chosen_struct(condition, sides, node))
                return
            if isinstance(sides[0], Address) and isinstance(sides[1], Address):
                place = run.branches.either(condition, sides[0], sides[1])
                if isinstance(place, Unusable):
                    raise RefusalError(place.message, place.hint, node)
                self.results[-1].append(place)
                return
            raise RefusalError("one branch returns a value, and the other does not", "return a value in both", node)

    def _chosen_struct(self, condition: COperation, sides: Sequence[Any], node: Any) -> Any:
        """The struct that one of two branches returns: a choice for each field, or both the same."""
        if sides[0] is sides[1]:
            return sides[0]
        result = self.run.structs.declare(node, "returned", self.kinds[-1])
        self._choose_fields(result, condition, sides, node)
        return result

    def _choose_fields(self, result: StructCell, condition: COperation, sides: Sequence[Any], node: Any) -> None:
        run = self.run
        for name, cell in result.cells.items():
            fields = [run.structs.field(one, name) for one in sides]
            if isinstance(cell, StructCell):
                self._choose_fields(cell, condition, fields, node)
            elif isinstance(cell, CArray):
                raise RefusalError(
                    "a struct with arrays that a choice returns is not read", "return it at the end", node
                )
            else:
                values = [run.expressions.load(one, node) for one in fields]
                run.statements.put(cell, run.arithmetic.choice(condition, *values), node)

    def returned(self, node: Any) -> None:
        """`return`, with the value in the type of the function."""
        if node.expr is None:
            return
        kind = self.kinds[-1]
        if isinstance(kind, NumberType):
            self.results[-1].append(self.run.arithmetic.converted(self.run.expressions.value(node.expr), kind.name))
        elif isinstance(kind, Struct):
            self.results[-1].append(self.run.expressions.place(node.expr))
        elif not isinstance(kind, Void):
            self.results[-1].append(self.run.pointers.pointer_as(node.expr, kind))

    # Memory.

    def _memory(self, name: str, node: Any) -> None:
        run = self.run
        arguments = node.args.exprs if node.args else []
        if len(arguments) != 3:
            raise RefusalError(f"'{name}' takes three arguments", "hand over an array, what it gets, and bytes", node)
        target = run.pointers.pointer(arguments[0])
        if name != "memset" or isinstance(target, CellAddress):
            run.unrolling.keep_array(target)
        if isinstance(target, CellAddress) and isinstance(target.cell, StructCell):
            self._whole_struct(name, target.cell, arguments[1], node)
            return
        if isinstance(target, CellAddress):
            hint = "assign it; the bits of a float are not read as an integer, so hand over the integers"
            raise RefusalError(f"'{name}' of a scalar is not read", hint, node)
        size = run.number_of(run.expressions.form(arguments[2], "the number of bytes"))
        if target.array.parts:
            raise RefusalError(f"'{name}' of structs of several types is not read", "assign field by field", node)
        width = BYTES[target.array.type]
        if size is None or size % width:
            raise RefusalError(f"'{name}' does not move whole elements of a known number", "write a loop", node)
        shape = self._shape(target, size // width, node)
        if name == "memset":
            self._fill(target, run.expressions.value(arguments[1]), shape, node)
            return
        source = run.pointers.pointer(arguments[1])
        run.unrolling.keep_array(source)
        if isinstance(source, CellAddress) or source.array.type != target.array.type:
            raise RefusalError(f"'{name}' between different types is not read", "write a loop", node)
        self._copy(target, source, shape, node, is_downwards=_is_downwards(name, target, source, shape, node))

    def _whole_struct(self, name: str, target: StructCell, given: Any, node: Any) -> None:
        """A struct that gets zeros, or the fields of another one."""
        run = self.run
        if name != "memset":
            source = run.pointers.pointer(given)
            run.structs.copy(target, source.cell if isinstance(source, CellAddress) else source, node)
        elif run.number_of(run.expressions.value(given).form) == 0:
            run.structs.fill(target, c_ast.InitList([], node.coord))
        else:
            raise RefusalError("memset of other values than 0 is read for bytes only", "assign each field", node)

    def copy_array(self, target: Any, source: Any, node: Any) -> None:
        """Give an array in a struct the elements of another one."""
        places = [Address(one, ()) if isinstance(one, CArray) else one for one in (target, source)]
        first, second = (Address(one.array, (*one.subscripts, Affine())) for one in places)
        shape = [self.run.number_of(dim) or 0 for dim in first.array.dims[len(first.subscripts) - 1 :]]
        self._copy(first, second, shape, node)

    def _shape(self, target: Address, count: int, node: Any) -> list[int]:
        """The extents of the loops that touch so many elements from an address on."""
        shape: list[int] = []
        inner = [self.run.number_of(dim) for dim in target.array.dims[len(target.subscripts) :]]
        for extent in reversed(inner):
            if extent is None or count % extent:
                raise RefusalError("this does not touch whole rows", "write loops", node)
            shape.insert(0, extent)
            count //= extent
        return [count, *shape]

    def _fill(self, target: Address, value: COperation, shape: list[int], node: Any) -> None:
        byte = self.run.arithmetic.converted(value, "u8")
        number = None if byte.form is None else byte.form.number
        if number is None or (number and BYTES[target.array.type] > 1):
            raise RefusalError("memset of other values than 0 is read for bytes only", "write a loop", node)
        is_scalars = target.array.cells is not None
        self._loops(shape, node, lambda places: (target, integer(number)), places=[], is_unrolled=is_scalars)

    def zero(self, target: Address, node: Any) -> None:
        """Give all elements from the start of an array on 0, or of a row of it."""
        shape = [self.run.number_of(dim) or 0 for dim in target.array.dims[len(target.subscripts) - 1 :]]
        self._loops(shape, node, lambda places: (target, integer(0)), places=[])

    def _copy(
        self, target: Address, source: Address, shape: list[int], node: Any, *, is_downwards: bool = False
    ) -> None:
        def element(places: list[Form]) -> tuple[Address, COperation]:
            if is_downwards:
                places[0] = places[0].scaled(-1) + (shape[0] - 1)
            return target, self.run.expressions.load(_at(source, places), node)

        self._loops(shape, node, element, places=[])

    def _loops(
        self, shape: list[int], node: Any, element: Any, places: list[Form], *, is_unrolled: bool = False
    ) -> None:
        run = self.run
        if not shape:
            address, value = element(places)
            run.statements.put(_at(address, places), value, node)
            return
        if is_unrolled:
            for place in range(shape[0]):
                own: Form = Affine(constant=place)
                self._loops(shape[1:], node, element, [*places, own], is_unrolled=True)
            return
        loop = ForLoop(run.loop_name("at"), Affine(), Affine(constant=shape[0]), run.span(node))
        with run.recorder.inside(loop):
            self._loops(shape[1:], node, element, [*places, Affine(((loop.name, 1),))])


def _is_downwards(name: str, target: Address, source: Address, shape: Sequence[int], node: Any) -> bool:
    """Whether the last element must be copied first, as what is moved up lies where it goes. Raises RefusalError."""
    if source.array is not target.array or len(source.subscripts) != len(target.subscripts):
        return False
    *rows, step = ((one - other).number for one, other in zip(target.subscripts, source.subscripts, strict=True))
    if any(rows) or (step is not None and abs(step) >= shape[0]):
        return False  # they do not meet
    if step is None or None in rows:
        raise RefusalError(f"how far '{name}' moves inside one array is not known", "write a loop", node)
    return step > 0


def _at(address: Address, places: list[Form]) -> Address:
    """The element that lies some places after an address; the fields of structs are elements, too."""
    *outer, last = address.subscripts
    array = replace(address.array, fields=()) if address.array.fields else address.array
    return Address(array, (*outer, last + places[0], *places[1:]))
