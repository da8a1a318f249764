"""Arrays and tables of C, and state that lives from call to call (`states` of a run)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pycparser import c_ast

from arrayol.c_import.arithmetic import RefusalError, constant_of
from arrayol.c_import.complex_numbers import number_text
from arrayol.c_import.lowering.context import Context
from arrayol.c_import.lowering.ctypes import CType, NumberType, Pointer, Struct, Void
from arrayol.c_import.lowering.ctypes import Sequence as ArrayType
from arrayol.c_import.lowering.symbols import Address, CArray, Cell, Deferred, RestartError
from arrayol.c_import.model import COperation, Form
from arrayol.ir.affine import Affine
from arrayol.text import few

MOST_ELEMENTS = 1 << 20  # of an array with values in the text


class Storage:
    """The arrays and states of one run."""

    def __init__(self, run: Context) -> None:
        self.run = run
        self.rows: dict[object, CArray] = {}  # arrays whose rows the C has as arrays of their own
        self.cells: dict[Cell, CArray] = {}  # state: scalars that keep their value from call to call
        self.given: set[str] = set()  # the arrays of those that a caller gives a value, as fields of its structs

    def array_of(self, node: Any, kind: CType, *, local: bool, state: bool = False) -> CArray:
        """The array that a declaration makes. Raises RefusalError."""
        array = self.array_named(node.name, kind, node, local=local, state=state)
        if array.dims and array.dims[0] is None and node.init is not None:
            for one in (array, *array.parts.values()):
                one.dims[0] = Affine(constant=len(node.init.exprs))
        return array

    def array_named(self, name: str, kind: CType, node: Any, *, local: bool, state: bool = False) -> CArray:
        """An array of a name and type. Raises RefusalError."""
        dims: list[Form | None] = []
        while isinstance(kind, ArrayType | Pointer):
            if isinstance(kind, Pointer):
                dims.append(None)
                kind = kind.target
            else:
                dims.append(
                    None if kind.size is None else self.run.expressions.form(kind.size, f"the size of '{name}'")
                )
                kind = kind.element
        if any(one is None for one in dims[1:]):
            raise RefusalError(
                f"'{name}' is an array of pointers", "declare it with its sizes, as float x[480][640]", node
            )
        like = CArray("", "", [], local, self.run.span(node), state=state, key=self.run.key(node))
        return self._array(name, dims, kind, node, like)

    def join(self, arrays: Sequence[CArray], count: int) -> bool:
        """Make arrays the rows of one from the next run on, if they can be; whether they will be."""
        first = arrays[0]
        keys = [one.key for one in arrays]
        if len(set(keys)) < count or len(arrays) < count or not all(one.local for one in arrays):
            return False
        if any(one.type != first.type or one.dims != first.dims or one.parts or one.fields for one in arrays):
            return False
        for place, key in enumerate(keys):
            self.run.known.joined[key] = (first.key, place, count)
        return True

    def joined(self, name: str, node: Any, kind: CType) -> Address | None:
        """The row of another array that an array is; None for one of its own."""
        known = self.run.known.joined.get(self.run.key(node))
        if known is None:
            return None
        group, place, count = known
        if group not in self.rows:
            array = self.array_named(name, kind, node, local=True)
            array.dims = [Affine(constant=count), *array.dims]
            self.rows[group] = array
        return Address(self.rows[group], (Affine(constant=place), Affine()))

    def _array(self, name: str, dims: list[Form | None], kind: CType, node: Any, like: CArray) -> CArray:
        """An array of numbers; of structs one with a last dimension, or with an array for each field."""
        run, origin = self.run, name
        array = replace(like, dims=dims, origin=origin, parts={}, fields=())
        while isinstance(kind, ArrayType):  # in a field
            array.dims = dims = [*dims, run.expressions.form(kind.size, f"the size of '{name}'")]
            kind = kind.element
        if isinstance(kind, Struct) and kind.common is None:
            for field, inner in kind.fields:
                if isinstance(inner, Pointer):
                    hint = "hand over the array beside the structs"
                    raise RefusalError(f"field '{field}' of an array of structs is a pointer", hint, node)
                array.parts[field] = self._array(f"{name}_{field}", list(dims), inner, node, like)
                array.parts[field].origin = f"{origin}.{field}"
            array.name = name
            return array
        if isinstance(kind, Struct):
            array.fields = tuple(field for field, _ in kind.fields)
            array.dims = [*dims, Affine(constant=len(array.fields))]
            kind = NumberType(str(kind.common))
        if not isinstance(kind, NumberType):
            raise RefusalError(f"'{name}' holds no numbers", "declare an array of numbers", node)
        array.name, array.type = run.recorder.fresh(name), kind.name
        array.is_flat = run.known.flat.get(array.key, False) and len(array.dims) > 1
        run.recorder.arrays[array.name] = array
        return array

    def allocated(self, call: Any, kind: CType, name: str) -> Address:
        """The start of an array that `malloc` or `calloc` makes for a pointer. Raises RefusalError."""
        run = self.run
        element = kind.target if isinstance(kind, Pointer) else None
        if element is None or isinstance(element, Pointer | Void):
            raise RefusalError("memory without a type is not read", "cast it, as (int *)malloc(...)", call)
        size = 1
        for argument in call.args.exprs:
            number = run.number_of(run.expressions.form(argument, "the number of bytes"))
            if number is None:
                raise RefusalError("the size of this memory is no constant", "give its size as a number", argument)
            size *= number
        width = run.expressions.bytes_of(element, call)
        if not size or size % width:
            raise RefusalError("this memory does not hold whole elements", "write a number times sizeof", call)
        count = c_ast.Constant("int", str(size // width), call.coord)
        start = self.joined(name, call, ArrayType(element, count))
        start = start or Address(self.array_named(name, ArrayType(element, count), call, local=True), (Affine(),))
        if call.name.name == "calloc":
            run.calls.zero(start, call)
        return start

    def start(self, array: CArray, values: Sequence[COperation | None], node: Any) -> None:
        """Note what an array that keeps its values from call to call starts with."""
        numbers = self.table(array, values, node) or []
        array.first = numbers[0] if len(set(numbers)) == 1 else f"{{{few(numbers)}}}"

    def enter_state(self, cell: Cell, node: Any) -> None:
        """A scalar that keeps its value from call to call: an input and an output."""
        first = None if node.init is None else self.run.expressions.value(node.init)
        self.keep(cell, None if first is None else self.run.arithmetic.converted(first, cell.type), node)

    def keep(self, cell: Cell, first: COperation | None, node: Any) -> None:
        """Make a scalar an input and an output; `first` is what it holds before the first call, if the C says that."""
        run = self.run
        if first is not None:
            value = constant_of(first)
            if value is None:
                raise RefusalError(f"'{cell.name}' starts with no constant", "start with a number", node)
            run.remark(
                run.span(node),
                f"'{cell.name}' is an input and an output: hand over {value.text} first, then what came out",
            )
        array = run.recorder.local(cell.name, cell.type, cell.span)
        array.local, array.state = False, True
        self.cells[cell] = array
        if first is None:
            self.given.add(array.name)
        run.recorder.contents[cell] = run.read_of(array, node)

    def finish(self) -> None:
        """Store the states that only scalars hold."""
        run = self.run
        for cell, array in self.cells.items():
            content = run.recorder.content(cell)
            if isinstance(content, Deferred):
                run.carried.add(content.key)
                raise RestartError
            if isinstance(content, COperation) and (content.access is None or content.access.array != array.name):
                run.recorder.store(array, (), content, run.span(run.function))

    # Values in the text.

    def initial_values(self, array: CArray, init: Any) -> list[COperation | None]:
        """The values of a list, in the order of the elements; 0 for those that it leaves out. Raises RefusalError."""
        shape = [self.run.number_of(dim) for dim in array.dims]
        count = 1
        for extent in shape:
            if extent is None:
                raise RefusalError(f"'{array.name}' has values and no fixed size", "give its size as a number", init)
            count *= extent
        if count > MOST_ELEMENTS:
            raise RefusalError(f"'{array.name}' has {count:,} values in the text", "hand it over as a parameter", init)
        zero = self.run.arithmetic.converted(_zero(), array.type)
        values: list[COperation | None] = [zero] * count
        self._fill(array, values, init, [one for one in shape if one is not None], 0)
        return values

    def _fill(self, array: CArray, values: list[COperation | None], init: Any, shape: list[int], start: int) -> None:
        if not isinstance(init, c_ast.InitList):
            raise RefusalError("this is no list of values", "write the values between braces", init)
        inner = 1
        for extent in shape[1:]:
            inner *= extent
        place = start
        for given in init.exprs:
            one = given
            if isinstance(one, c_ast.NamedInitializer):
                number = self._place(array, one.name)
                if number is None:
                    raise RefusalError("this place in a list is not read", "write all values in order", one)
                place, one = start + number * inner, one.expr
            if isinstance(one, c_ast.InitList) and len(shape) > 1:
                place = start + -(-(place - start) // inner) * inner
                self._fill(array, values, one, shape[1:], place)
                place += inner
            elif place >= len(values):
                raise RefusalError(f"'{array.name}' has more values than elements", "leave some out", one)
            else:
                item = one.exprs[0] if isinstance(one, c_ast.InitList) and one.exprs else one
                if isinstance(item, c_ast.InitList):  # no value: 0
                    place += 1
                    continue
                values[place] = self.run.arithmetic.converted(self.run.expressions.value(item), array.type)
                place += 1

    def _place(self, array: CArray, names: Sequence[Any]) -> int | None:
        """The number that `[n] =` or `.field =` says in a list; None for longer ones."""
        if len(names) != 1:
            return None
        field = getattr(names[0], "name", None)
        if field in array.fields:
            return array.fields.index(field)
        place = names[0].expr if isinstance(names[0], c_ast.ArrayDesignator) else names[0]
        return self.run.number_of(self.run.expressions.form(place, "a place in a list"))

    def is_constant(self, node: Any) -> bool:
        """Whether nothing changes an array after its declaration."""
        return "const" in _qualifiers(node.type) or "const" in (node.quals or []) or not self.run.is_written(node.name)

    def table(self, array: CArray, values: Sequence[COperation | None], node: Any) -> list[str] | None:
        """The numbers of a const array; None where one of them is none."""
        texts = [number_text(one) if one is not None else None for one in values]
        if any(one is None for one in texts):
            if array.state:
                raise RefusalError(f"'{array.name}' starts with what is no number", "write numbers", node)
            return None
        return [one for one in texts if one is not None]

    def subscripts(self, array: CArray, place: int) -> tuple[Form, ...]:
        """The subscripts of an element by its place."""
        found: list[Form] = []
        for dim in reversed(array.dims):
            assert dim is not None
            assert dim.number is not None
            place, rest = divmod(place, dim.number)
            found.insert(0, Affine(constant=rest))
        return tuple(found)


def allocation_of(node: Any) -> Any | None:
    """The call of `malloc` and the like that an expression is, below casts; None for another."""
    while isinstance(node, c_ast.Cast):
        node = node.expr
    name = getattr(getattr(node, "name", None), "name", None) if isinstance(node, c_ast.FuncCall) else None
    return node if name in {"malloc", "calloc", "alloca"} else None


def _zero() -> COperation:
    return COperation("literal", "i32", text="0", form=Affine())


def _qualifiers(node: Any) -> set[str]:
    """The qualifiers of a type, of the innermost one too."""
    found: set[str] = set()
    while node is not None:
        found |= set(getattr(node, "quals", None) or [])
        node = getattr(node, "type", None)
    return found
