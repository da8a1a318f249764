"""Small local arrays that are registers: a scalar for each element, and loops over them unrolled.

Where the elements of an array are written one by one, as in a sorting network or a shift register, its subscripts show
no order. As scalars its elements are values like any other.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial, reduce
from math import prod
from typing import Any, NoReturn

from pycparser import c_ast

from arrayol.c_import.arithmetic import RefusalError, integer
from arrayol.c_import.forms import names_of, number_at
from arrayol.c_import.lowering.context import Context, base_name, pointers_to
from arrayol.c_import.lowering.ctypes import Pointer
from arrayol.c_import.lowering.symbols import (
    Address,
    CArray,
    Cell,
    CellAddress,
    ChosenCell,
    Deferred,
    OpenLoop,
    PointerCell,
    RestartError,
    Undefined,
)
from arrayol.c_import.model import COperation, Dynamic, ElementAccess, Form, Rounded
from arrayol.c_import.reading.syntax import has_steps, nodes_of
from arrayol.ir.affine import Affine

MOST_ELEMENTS = 64
MOST_REGISTERS = 32
MOST_CHOSEN = 8  # registers that data choose among
MOST_ITERATIONS = 64
_MOST_OFFSETS = 32  # that a table has, as those of a neighbourhood


class Unrolling:
    """Which arrays are scalars, and which loops are unrolled, in one run."""

    def __init__(self, run: Context) -> None:
        self.run = run
        self.cells: list[Cell | PointerCell] = []
        self.handed_over: list[CArray] = []  # that are scalars while the function runs
        self.keys: dict[str, tuple[int, ...]] = {}

    def declare(self, array: CArray, node: Any) -> None:
        """Make an array a scalar for each element, if it is small and its elements are written one by one."""
        key = self.run.key(node)
        if key in self.run.known.memory or array.parts or not array.dims:
            return
        by_number = array.local and self._is_written_by_number(node.name)
        if not by_number and not (self.run.known.keeps_state and self._is_handed_on(node.name)):
            return
        most = MOST_ELEMENTS if by_number else MOST_REGISTERS
        sizes = [0 if dim is None else number_at(dim, self.run.values) or 0 for dim in array.dims]
        if not 0 < prod(sizes) <= most:
            return
        extents = [self.run.number_of(dim) for dim in array.dims]
        count = prod(extent or 0 for extent in extents)
        if not by_number:
            self.run.known.registers.add(key)
        cells = dict[tuple[int, ...], Cell]()
        array.cells = cells
        self.keys[array.name] = key
        for place in range(count):
            subscripts: tuple[int, ...] = ()
            rest = place
            for extent in reversed(extents):
                rest, own = divmod(rest, extent or 1)
                subscripts = (own, *subscripts)
            name = f"{array.origin}{'_'.join(map(str, subscripts))}"
            cell = self.run.cell(node, name, array.type, place)
            cells[subscripts] = cell
            self.run.recorder.contents[cell] = Undefined() if array.local else self._element_of(array, subscripts)
        self.cells += cells.values()
        if not array.local:
            self.handed_over.append(array)

    def declare_pointers(self, node: Any, kind: Pointer, count: int) -> None:
        """Make each element of an array of pointers one of its own. Raises RefusalError if data choose between them."""
        key = self.run.key(node)
        if key in self.run.known.memory or not 0 < count <= MOST_ELEMENTS:
            hint = "choose between them by numbers, or make them rows of one array"
            raise RefusalError(f"'{node.name}' is an array of pointers", hint, node)
        cells = dict[tuple[int, ...], Cell | PointerCell]()
        for place in range(count):
            cells[place,] = PointerCell(f"{node.name}{place}", kind, self.run.key(node, place))
        dims: list[Form | None] = [Affine(constant=count)]
        array = CArray(node.name, "", dims, True, self.run.span(node), key=key, cells=cells)
        self.keys[array.name] = key
        self.run.scopes.enter(node.name, array)
        self.run.recorder.contents.update(dict.fromkeys(cells.values(), Undefined()))
        self.cells += cells.values()

    def _element_of(self, array: CArray, subscripts: tuple[int, ...]) -> COperation:
        """The first value of an element of an array that is handed over."""
        return COperation("read", array.type, access=ElementAccess(array.name, _forms(subscripts), array.span))

    def finish(self) -> None:
        """Store the elements of arrays that are handed over, where they have changed."""
        recorder, span = self.run.recorder, self.run.span(self.run.function)
        elements = [(array, *one) for array in self.handed_over for one in (array.cells or {}).items()]
        for _, _, cell in elements:
            content = recorder.content(cell)
            if isinstance(content, Deferred):
                self.run.carried.add(content.key)
                raise RestartError
        for array, subscripts, cell in elements:
            content, forms = recorder.content(cell), _forms(subscripts)
            recorder.contents[cell] = Undefined()  # what it was is of no use any more
            if not isinstance(content, COperation):
                continue
            access = content.access
            if access is None or (access.array, access.subscripts) != (array.name, forms):
                recorder.store(array, forms, content, span)

    def _is_written_by_number(self, name: str) -> bool:
        """Whether the function writes an element at a place that is a number in the text."""
        targets = [one.lvalue for one in nodes_of(self.run.function, c_ast.Assignment)]
        for place in targets:
            target = place
            is_number = isinstance(target, c_ast.ArrayRef)
            while isinstance(target, c_ast.ArrayRef):
                is_number = is_number and isinstance(target.subscript, c_ast.Constant)
                target = target.name
            if is_number and getattr(target, "name", None) == name:
                return True
        return False

    def _is_handed_on(self, name: str) -> bool:
        """Whether a loop writes an array from outside, and no iterator of it or of those around is a subscript.

        So does an array of a loop's body, such as the next state, of whose elements those of such an array are made.
        """
        return self._is_kept(name) or any(
            base_name(one.lvalue) != name and self._is_kept(base_name(one.lvalue))
            for one in nodes_of(self.run.function, c_ast.Assignment)
            if isinstance(one.rvalue, c_ast.ArrayRef) and base_name(one.rvalue) == name
        )

    def _is_kept(self, name: str | None) -> bool:
        names = {name, *pointers_to(self.run.function, {name})} if name is not None else set[str]()
        return _hands_on(self.run.function.body, names, set())

    def element(self, address: Address) -> Cell | PointerCell | ChosenCell:
        """The scalar at an address. Raises RestartError where loops must be unrolled for that, or the array be one."""
        array, known = address.array, self.run.known
        assert array.cells is not None
        numbers = tuple(form.number for form in address.subscripts)
        if all(one is not None for one in numbers):
            cell = array.cells.get(tuple(one for one in numbers if one is not None))
            if cell is not None:
                return cell
        chosen = self._chosen(address)
        if chosen is not None:
            return chosen
        names = set[str]().union(*map(names_of, address.subscripts))
        loops = [self.run.loops.open[name] for name in names if name in self.run.loops.open]
        if not names or len(loops) < len(names) or any(not self._may_unroll(one) for one in loops):
            known.memory.add(self.keys[array.name])
        else:
            known.unrolled |= {one.key for one in loops}
        raise RestartError

    def _chosen(self, address: Address) -> ChosenCell | None:
        """The scalar that data choose among the few of an array that a loop hands on; None if they do not."""
        array, arithmetic, contents = address.array, self.run.arithmetic, self.run.recorder.contents
        cells = {place: cell for place, cell in (array.cells or {}).items() if isinstance(cell, Cell)}
        is_state = self.keys[array.name] in self.run.known.registers and len(cells) <= MOST_CHOSEN
        by_data = [any(isinstance(term, Dynamic) for term, _ in form.terms) for form in address.subscripts]
        known = all(form.number is not None or data for form, data in zip(address.subscripts, by_data, strict=True))
        if not is_state or not known or any(isinstance(contents[cell], Undefined) for cell in cells.values()):
            return None
        choices = list[tuple[COperation, Cell]]()
        for subscripts, cell in cells.items():
            pairs = list(zip(address.subscripts, subscripts, strict=True))
            if any(form.number not in {None, own} for form, own in pairs):
                continue
            chosen = [(arithmetic.of_form(form, "i32"), integer(own)) for form, own in pairs if form.number is None]
            same = [arithmetic.binary("==", *pair) for pair in chosen]
            choices.append((arithmetic.condition(reduce(partial(arithmetic.binary, "&&"), same)), cell))
        return ChosenCell(tuple(choices))

    def keep_array(self, pointer: Address | CellAddress) -> None:
        """Leave the array as it is that a pointer points into. Raises RestartError where its elements are scalars."""
        cell = pointer.cell if isinstance(pointer, CellAddress) else None
        for name, array in self.run.recorder.arrays.items():
            cells = array.cells or {}
            if name in self.keys and cells and (array is getattr(pointer, "array", None) or cell in cells.values()):
                self.run.known.memory.add(self.keys[name])
                raise RestartError

    def _may_unroll(self, loop: OpenLoop) -> bool:
        return loop.count is not None and loop.count <= MOST_ITERATIONS and loop.key not in self.run.known.memory

    def unroll(self, loop: OpenLoop) -> bool:
        """Unroll a loop from the start of the next run, if it is short; whether it will be."""
        if not self._may_unroll(loop):
            return False
        self.run.known.unrolled.add(loop.key)
        return True

    def unroll_offsets(self, place: Address, by: COperation) -> None:
        """Unroll the loops that look up in const tables how far from its own place an iteration of others reads.

        Raises RestartError where it does.
        """
        reads, around = list(by.reads()), self.run.loops.open
        if not reads or any(self.run.recorder.arrays[one.array].table is None for one in reads):
            return
        chosen = set[str]().union(*(names_of(form) for one in reads for form in one.subscripts))
        forms = [*place.subscripts, *(node.form for node in by.nodes() if node.form is not None)]
        moving = set[str]().union(*map(names_of, forms)) & set(around)
        if not moving - chosen or not chosen <= set(around):
            return
        self._unroll_choosing(chosen)

    def unroll_quotients(self, array: CArray, form: Form) -> None:
        """Unroll the loops of whose counters quotients and remainders say how far from its own place one reads.

        As `k / 2` and `k % 2` do in a block of 2 x 2. Raises RestartError where it does.
        """
        around = self.run.loops.open
        chosen, moving = set[str](), set[str]()
        for term, _ in form.terms:
            own = names_of(Affine(((term, 1),))) & set(around)
            chosen, moving = (chosen | own, moving) if isinstance(term, Rounded) else (chosen, moving | own)
        if array.table is None and chosen and moving - chosen:
            self._unroll_choosing(chosen)

    def _unroll_choosing(self, names: set[str]) -> None:
        """Unroll short loops of these counters, unless one fills an array."""
        loops = [self.run.loops.open[name] for name in names]
        is_short = all((one.count or 0) <= _MOST_OFFSETS and self._may_unroll(one) for one in loops)
        if is_short and not any(_fills(one.node) for one in loops):
            self.run.known.unrolled |= {one.key for one in loops}
            raise RestartError

    def is_unrolled(self, node: Any) -> bool:
        """Whether a loop is run iteration by iteration."""
        return self.run.key(node) in self.run.known.unrolled

    def give_up(self, node: Any) -> NoReturn:
        """Leave a loop as it is: how often it runs is no number. Raises RestartError."""
        self.run.known.unrolled.discard(self.run.key(node))
        self.run.known.memory.add(self.run.key(node))
        raise RestartError


def _hands_on(node: Any, names: set[str], around: set[str]) -> bool:
    """Whether a loop below a node writes an array, or through a pointer to it, and subscripts it by none `around`."""
    is_loop = isinstance(node, c_ast.For)
    counters = {one.name for one in nodes_of(node.next, c_ast.ID)} if is_loop and node.next is not None else set[str]()
    around = around | counters
    declares = any(one.name in names and not isinstance(one.type, c_ast.PtrDecl) for one in nodes_of(node, c_ast.Decl))
    if not is_loop or declares:
        return any(_hands_on(child, names, around) for _, child in node.children())
    places = [one for one in nodes_of(node.stmt, c_ast.ArrayRef) if base_name(one) in names]
    held = {name.name for place in places for name in _plain_names(place.subscript)}
    changed = [one.lvalue for one in nodes_of(node.stmt, c_ast.Assignment)]
    changed += [one.expr for one in nodes_of(node.stmt, c_ast.UnaryOp) if "++" in one.op or "--" in one.op]
    is_written = any(base_name(place) in names and not isinstance(place, c_ast.ID) for place in changed)
    return is_written and bool(counters) and not around & held


def _fills(node: Any) -> bool:
    """Whether a loop's iterator subscripts what the loop writes, beside const tables."""
    counters = {one.name for one in nodes_of(node.next, c_ast.ID)} if node.next is not None else set[str]()
    written = [one.lvalue for one in nodes_of(node.stmt, c_ast.Assignment)]
    subscripts = [one.subscript for place in written for one in nodes_of(place, c_ast.ArrayRef)]
    names = {one.name for each in subscripts for one in _plain_names(each)}
    return bool(names & counters) or any(map(has_steps, written))


def _plain_names(node: Any) -> Iterator[Any]:
    """The names in an expression that subscript nothing inside it."""
    if isinstance(node, c_ast.ID):
        yield node
    elif not isinstance(node, c_ast.ArrayRef):
        for _, child in node.children():
            yield from _plain_names(child)


def _forms(subscripts: tuple[int, ...]) -> tuple[Form, ...]:
    return tuple(Affine(constant=one) for one in subscripts)
