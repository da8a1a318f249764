"""Expressions of C as values: names, elements, operators, calls."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from pycparser import c_ast

from arrayol.c_import import constants
from arrayol.c_import.arithmetic import (
    COMPARISONS,
    EXACT,
    NEAR,
    RefusalError,
    affine_condition,
    integer,
    literal,
    truth,
    truth_of,
)
from arrayol.c_import.library import COMPOSED, composed
from arrayol.c_import.lowering.borders import with_borders
from arrayol.c_import.lowering.changes import has_assignments, has_effects
from arrayol.c_import.lowering.context import Context
from arrayol.c_import.lowering.ctypes import BYTES, CType, NumberType, Pointer, Sequence, Struct
from arrayol.c_import.lowering.storage import allocation_of
from arrayol.c_import.lowering.symbols import (
    Address,
    CArray,
    Cell,
    CellAddress,
    ChosenCell,
    Content,
    Deferred,
    NamedValue,
    PointerCell,
    Poison,
    PoisonedError,
    RestartError,
    Unusable,
)
from arrayol.c_import.model import COperation, Dynamic, Form
from arrayol.ir.affine import Affine


class Expressions:
    """The values in one run of a function."""

    def __init__(self, run: Context) -> None:
        self.run = run
        self.arithmetic = run.arithmetic
        self._readers: dict[type, Callable[[Any], COperation]] = {
            c_ast.Constant: self._constant,
            c_ast.ID: self._element,
            c_ast.ArrayRef: self._element,
            c_ast.StructRef: self._element,
            c_ast.Cast: self._cast,
            c_ast.TernaryOp: self._choice,
            c_ast.FuncCall: self._call,
            c_ast.UnaryOp: self._unary,
            c_ast.BinaryOp: self._binary,
            c_ast.ExprList: self._comma,
            c_ast.Assignment: self._assignment,
        }

    def value(self, node: Any) -> COperation:
        """The value of an expression. Raises RefusalError at the innermost node that is refused."""
        read = self._readers.get(type(node))
        try:
            if read is None:
                what = type(node).__name__
                raise RefusalError(
                    f"an expression of kind '{what}' is not read", "write it as a statement of its own", node
                )
            return read(node)
        except RefusalError as refusal:
            if refusal.node is None:
                refusal.node = node
            raise

    def condition(self, node: Any) -> COperation:
        """The truth value of an expression; of a pointer it is true, as no array is missing here."""
        return self._present(node) if self._is_array_name(node) else self.arithmetic.condition(self.value(node))

    def _present(self, node: Any) -> COperation:
        """That a pointer is not null, which is assumed and said."""
        self.run.remark(self.run.span(node), "no pointer is null here: this check is left out")
        return truth(True)

    def _is_array_name(self, node: Any) -> bool:
        return isinstance(node, c_ast.ID) and self.run.pointers.is_pointer(node)

    def _is_null(self, node: Any) -> bool:
        """Whether an expression is C's null pointer."""
        if isinstance(node, c_ast.Cast):
            return isinstance(self.run.types.of(node.to_type), Pointer) and self._is_null(node.expr)
        return isinstance(node, c_ast.Constant) and node.value.rstrip("uUlL") == "0"

    def form(self, node: Any, what: str) -> Form:
        """An integer that is affine in iterators and consts. Raises RefusalError."""
        value = self.value(node)
        if value.form is None:
            size = self.size_without_value(value)
            if size is not None:
                raise size
            hint = "use sums of iterators and consts times numbers, as 2 * i + N - 1"
            raise RefusalError(f"{what} is not affine in the iterators", hint, node)
        return value.form

    def size_without_value(self, value: COperation, node: Any = None) -> RefusalError | None:
        """The refusal of a value that depends on a size which no setting gives; None where it depends on none."""
        for access in value.reads():
            array = self.run.recorder.arrays[access.array]
            is_given = not array.local and (not array.state or array.name in self.run.states.given)
            if is_given and not array.dims and array.type[0] != "f":
                hint = f"give --set {array.name}=8"
                return RefusalError(f"'{array.name}' is a size without a value", hint, node, "no-value")
        return None

    # Leaves.

    def _constant(self, node: Any) -> COperation:
        try:
            if node.type == "char":
                return literal(constants.character(node.value))
            if not node.type.endswith(("int", "float", "double")):
                raise RefusalError(f"a text is no number: {node.value[:20]}", "use numbers")
            return literal(constants.literal(node.value))
        except ArithmeticError as wrong:
            raise RefusalError(str(wrong), "write a number of at most 64 bits") from None

    def _element(self, node: Any) -> COperation:
        place = self.place(node)
        return self.load(place, node)

    def load(self, place: Any, node: Any) -> COperation:
        """The value at a place."""
        recorder = self.run.recorder
        if isinstance(place, COperation):
            return place
        if isinstance(place, Cell):
            return self._content(place, recorder.content(place), node)
        if isinstance(place, ChosenCell):
            return self._of_chosen(place, node)
        if isinstance(place, Address):
            if len(place.subscripts) != place.array.rank:
                counts = f"{place.array.rank} dimensions, and {len(place.subscripts)} subscripts here"
                message = f"'{place.array.name}' has {counts}"
                raise RefusalError(message, "name one element", node)
            if place.array.is_struct:
                raise RefusalError(f"'{place.array.name}' has elements that are structs", "name one field", node)
            return self._piecewise(place, node)
        raise RefusalError("this is no number", "name a scalar or an element", node)

    def _of_chosen(self, place: ChosenCell, node: Any) -> COperation:
        *others, (_, last) = place.choices
        value = self.load(last, node)
        for condition, cell in reversed(others):
            value = self.arithmetic.choice(condition, self.load(cell, node), value)
        return value

    def _piecewise(self, place: Address, node: Any) -> COperation:
        """An element whose subscripts may be choices between affine ones, as at a border: a choice between elements."""
        recorder, span = self.run.recorder, self.run.span(node)
        result: COperation | None = None
        pieces = list(self.run.pieces.of(with_borders(self.run, place.array, place.subscripts)))
        for conditions, subscripts in reversed(pieces):
            with recorder.where(*conditions):
                element = recorder.read(place.array, subscripts, span)
            result = (
                element
                if result is None
                else self.arithmetic.choice(self.run.pieces.value(conditions), element, result)
            )
        assert result is not None
        return result

    def _content(self, cell: Cell, content: Content, node: Any) -> COperation:
        if isinstance(content, COperation):
            return content
        if isinstance(content, Deferred):
            self.run.carried.add(content.key)
            raise RestartError
        if isinstance(content, Poison):
            raise PoisonedError
        if isinstance(content, Unusable):
            raise RefusalError(content.message, content.hint, node)
        raise RefusalError(f"'{cell.name}' has no value here", "give it one where it is declared", node)

    # Places.

    def place(self, node: Any) -> Any:
        """The place that an expression names (Cell, CArray, PointerCell, StructCell, Address), or a named value."""
        match node:
            case c_ast.ID():
                return self._named(node)
            case c_ast.ArrayRef():
                pointers = self.run.pointers
                return self._item(pointers.moved(pointers.pointer(node.name), node.subscript, node), node)
            case c_ast.UnaryOp() if node.op == "*":
                return self._item(self.run.pointers.pointer(node.expr), node)
            case c_ast.StructRef():
                return self._field(node)
            case c_ast.Cast():
                return self.place(node.expr)
            case c_ast.FuncCall() | c_ast.CompoundLiteral():
                return self._object(node)
            case _:
                raise RefusalError("this names no element", "name a scalar or an element", node)

    def _object(self, node: Any) -> Any:
        """The struct that a call returns, or that is written with its values."""
        if isinstance(node, c_ast.CompoundLiteral):
            kind = self.run.types.of(node.type)
            if not isinstance(kind, Struct):
                raise RefusalError("an object of this type is not read", "declare a variable", node)
            struct = self.run.structs.declare(node, "object", kind)
            self.run.structs.fill(struct, node.init)
            return struct
        if allocation_of(node) is not None:
            raise RefusalError("memory without a name is not read", "give it to a pointer that is declared here", node)
        return self.run.calls.inlined_struct(node)

    def _named(self, node: Any) -> Any:
        symbol = self.run.scopes.find(node.name, node)
        return symbol.value if isinstance(symbol, NamedValue) else symbol

    def _item(self, address: Address | CellAddress, node: Any) -> Any:
        """The place that a pointer points to."""
        if isinstance(address, CellAddress):
            return address.cell
        if address.array.cells is not None and len(address.subscripts) == len(address.array.dims):
            return self.run.unrolling.element(address)
        return address

    def _field(self, node: Any) -> Any:
        place = self._item(self.run.pointers.pointer(node.name), node) if node.type == "->" else self.place(node.name)
        name = node.field.name
        return self.run.structs.field(place, name)

    # Operators.

    def _cast(self, node: Any) -> COperation:
        kind = self.run.types.of(node.to_type)
        if not isinstance(kind, NumberType):
            raise RefusalError("a cast to this type is not read", "convert to a type of numbers", node)
        return self.arithmetic.converted(self.value(node.expr), kind.name)

    def _binary(self, node: Any) -> COperation:
        points = [self.run.pointers.is_pointer(one) for one in (node.left, node.right)]
        if (node.op == "-" or node.op in COMPARISONS) and all(points):
            return self._distance(node)
        if node.op in {"==", "!="} and any(
            self.run.pointers.is_pointer(one) and self._is_null(other)
            for one, other in ((node.left, node.right), (node.right, node.left))
        ):
            present = self._present(node)
            return present if node.op == "!=" else self.arithmetic.inverse(present)
        if node.op in {"&&", "||"}:
            return self._lazily(node, self.condition(node.left))
        left = self.value(node.left)
        before = len(self.run.recorder.statements)
        right = self.value(node.right)
        self._check_order(left, before, node)
        return self.arithmetic.binary(node.op, left, right)

    def _distance(self, node: Any) -> COperation:
        """How far two pointers into one array lie apart, or how they compare."""
        left, right = self.run.pointers.pointer(node.left), self.run.pointers.pointer(node.right)
        if isinstance(left, CellAddress) or isinstance(right, CellAddress):
            raise RefusalError("pointers to scalars are not compared", "compare what they point to", node)
        apart = [one - other for one, other in zip(left.subscripts, right.subscripts, strict=False)]
        same = left.array.name == right.array.name and len(left.subscripts) == len(right.subscripts)
        if not same or any(one.number != 0 for one in apart[:-1]):
            raise RefusalError("these pointers do not point into one row", "compare subscripts", node)
        sides = [self.arithmetic.of_form(one.subscripts[-1], "i64") for one in (left, right)]
        return self.arithmetic.binary(node.op, *sides)

    def _check_order(self, left: COperation, before: int, node: Any) -> None:
        """Refuse an operand that changes an array which the one before it has read."""
        changed = {one.target.array for one in self.run.recorder.statements[before:]}
        if changed and any(access.array in changed for access in left.reads()):
            raise RefusalError(
                "this call changes what the same expression reads", "call it in a statement of its own", node
            )

    def _lazily(self, node: Any, left: COperation) -> COperation:
        """`&&` and `||`: the right side is asked where the left one does not decide."""
        if self._changes(node.right):
            sides = (node.right, None) if node.op == "&&" else (None, node.right)
            left, right = self._run_chosen(left, sides, node)
            return self.arithmetic.binary(node.op, left, self.arithmetic.condition(right))
        known = affine_condition(left)
        with self.run.recorder.where(*self._path(known, holds=node.op == "&&")):
            return self.arithmetic.binary(node.op, left, self.condition(node.right))

    def _path(self, condition: Any, *, holds: bool) -> tuple[Any, ...]:
        return () if condition is None else (condition if holds else condition.negated(),)

    def _changes(self, node: Any) -> bool:
        return has_assignments(node) or any(map(has_effects, self.run.functions_below(node)))

    def _run_chosen(self, condition: COperation, sides: tuple[Any, Any], node: Any) -> tuple[COperation, COperation]:
        """The condition as kept, and the value of a choice whose sides call what changes something."""
        known = truth_of(condition)
        if known is not None:
            side = sides[0 if known else 1]
            return condition, condition if side is None else self.value(side)
        cell = self.run.cell(node, "chosen", "i32")

        def run(side: Any) -> None:
            if side is not None:
                self.run.recorder.contents[cell] = self.value(side)

        condition = self.run.branches.both(condition, lambda: run(sides[0]), lambda: run(sides[1]))
        content = self.run.recorder.contents.pop(cell)
        return condition, self._content(cell, content, node)

    def _choice(self, node: Any) -> COperation:
        condition = self.condition(node.cond)
        if self._changes(node.iftrue) or self._changes(node.iffalse):
            return self._run_chosen(condition, (node.iftrue, node.iffalse), node)[1]
        known = affine_condition(condition)
        sides = []
        for side, holds in ((node.iftrue, True), (node.iffalse, False)):
            with self.run.recorder.where(*self._path(known, holds=holds)):
                sides.append(self.value(side))
        form = self._same_form(sides)
        return form if form is not None else self.arithmetic.choice(condition, *sides)

    def _same_form(self, sides: list[COperation]) -> COperation | None:
        """A choice between the same forms is that form."""
        forms = [one.form for one in sides]
        if sides[0].type == sides[1].type and forms[0] is not None and forms[1] is not None:
            return sides[0] if (forms[0] - forms[1]).number == 0 else None
        return None

    def _unary(self, node: Any) -> COperation:
        operators = {
            "-": self.arithmetic.negative,
            "+": self.arithmetic.promoted,
            "~": self.arithmetic.inverted,
        }
        if node.op in operators:
            return operators[node.op](self.value(node.expr))
        match node.op:
            case "!":
                return self.arithmetic.inverse(self.condition(node.expr))
            case "*":
                return self._element(node)
            case "sizeof":
                return integer(self.size_of(node.expr), "u64")
            case "&":
                raise RefusalError("an address is no number", "name an element", node)
            case _:
                stepped: COperation = self.run.statements.step_value(node)
                return stepped

    def _assignment(self, node: Any) -> COperation:
        assigned: COperation = self.run.statements.assigned_value(node)
        return assigned

    def _comma(self, node: Any) -> COperation:
        *first, last = node.exprs
        for one in first:
            self.run.statements.expression(one)
        return self.value(last)

    def size_of(self, node: Any) -> int:
        """The bytes of a type or an expression."""
        if isinstance(node, c_ast.Typename):
            return self.bytes_of(self.run.types.of(node), node)
        if (
            isinstance(node, c_ast.UnaryOp) and node.op == "*" and isinstance(node.expr, c_ast.ID)
        ):  # as in malloc(sizeof *p)
            pointer = self._named(node.expr)
            if isinstance(pointer, PointerCell) and isinstance(pointer.type, Pointer):
                return self.bytes_of(pointer.type.target, node)
        base, depth = node, 0
        while isinstance(base, c_ast.ArrayRef):
            base, depth = base.name, depth + 1
        if isinstance(base, c_ast.ID):
            symbol = self._named(base)
            if base is node and isinstance(symbol, PointerCell) and isinstance(symbol.type, Sequence):
                return self.bytes_of(symbol.type, node)  # a row of another array
            if isinstance(symbol, CArray):
                return self._size_of_elements(symbol, depth, node)
        place = self.place(node) if isinstance(node, c_ast.StructRef) else None
        row = Address(place, ()) if isinstance(place, CArray) else place
        if not isinstance(row, Address) or len(row.subscripts) == len(row.array.dims):
            return BYTES[self.value(node).type]
        return self._size_of_elements(row.array, len(row.subscripts), node)

    def _size_of_elements(self, array: CArray, depth: int, node: Any) -> int:
        """The bytes of what stands behind some subscripts of an array. Raises RefusalError."""
        count = self._layout(array, node)[0] if array.parts else BYTES[array.type]
        for extent in map(self.run.number_of, array.dims[depth:]):
            if extent is None:
                raise RefusalError(f"'{array.name}' has no size here", "write the number of bytes", node)
            count *= extent
        return count

    def _layout(self, array: CArray, node: Any) -> tuple[int, int]:
        """The bytes of one element of an array of structs whose fields differ, and what it is aligned to."""
        end, most = 0, 1
        for part in array.parts.values():
            width = self._layout(part, node)[1] if part.parts else BYTES[part.type]
            end = -(-end // width) * width + self._size_of_elements(part, len(array.dims), node)
            most = max(most, width)
        return -(-end // most) * most, most

    def bytes_of(self, kind: CType, node: Any) -> int:
        """The bytes of a type. Raises RefusalError."""
        match kind:
            case NumberType():
                return BYTES[kind.name]
            case Struct() if kind.common is not None:
                return BYTES[kind.common] * len(kind.fields)
            case Sequence():
                number = self.run.number_of(self.form(kind.size, "a size"))
                if number is not None:
                    return number * self.bytes_of(kind.element, node)
        raise RefusalError("the size of this type is not known", "write the number of bytes", node)

    def _call(self, node: Any) -> COperation:
        name = node.name.name if isinstance(node.name, c_ast.ID) else None
        if name in self.run.unit.functions:
            before = len(self.run.recorder.refusals)
            value: COperation | None = self.run.calls.inlined(node)
            if value is None and len(self.run.recorder.refusals) > before:
                raise PoisonedError
            if value is None:
                raise RefusalError(f"'{name}' returns no value", "use it as a statement", node)
            return value
        if name is None:
            raise RefusalError("a call of a computed function is not read", "call a function by its name", node)
        with suppress(RefusalError):  # a pointer whose declaration was refused has been named there
            self.run.scopes.find(name, node)
        arguments = [self.value(one) for one in (node.args.exprs if node.args else [])]
        if name in COMPOSED:
            return composed(self.arithmetic, name, arguments)
        value = self.arithmetic.call(name, arguments)
        if value is None:
            known = ", ".join(sorted({*EXACT, *NEAR, *COMPOSED, "fmin", "fmax", "fminf", "fmaxf"}))
            raise RefusalError(f"'{name}' is not known", f"define it in this file; known are {known}", node)
        return value

    def subscript(self, value: COperation) -> Form:
        """A value as a subscript."""
        return value.form if value.form is not None else Affine(((Dynamic(value), 1),))
