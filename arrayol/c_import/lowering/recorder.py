"""The statements that a function makes, and what its scalars are at the place that is being run.

A scalar's value is a graph that may read arrays. Before a store changes what such a graph reads, the value is kept in a
local of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from arrayol.c_import.arithmetic import Arithmetic
from arrayol.c_import.forms import as_data, rounded
from arrayol.c_import.lowering.symbols import Address, CArray, Cell, Content, Pending, PointerCell, Undefined
from arrayol.c_import.model import (
    COperation,
    Dynamic,
    ElementAccess,
    ElementGuard,
    ForLoop,
    Form,
    Rounded,
    Statement,
    Variable,
    data_of,
    not_negative,
)
from arrayol.errors import Diagnostic
from arrayol.ir.affine import Affine
from arrayol.source import Span

MOST_STATEMENTS = 2000


class TooLongError(Exception):
    """The function makes more statements than can be compared with each other."""


@dataclass
class Recorder:
    """Where the run stands, and all that it has made so far."""

    arithmetic: Arithmetic
    taken: set[str]  # names that are words of the language, or that something has
    arrays: dict[str, CArray] = field(default_factory=dict)
    statements: list[Statement] = field(default_factory=list)
    refusals: list[Diagnostic] = field(default_factory=list)
    contents: dict[Cell | PointerCell, Content] = field(default_factory=dict)
    memories: dict[tuple[int, ...], CArray] = field(default_factory=dict)  # of scalars that are memory, by their keys
    loops: tuple[ForLoop, ...] = ()
    position: list[int] = field(default_factory=lambda: [0])
    conditions: tuple[ElementGuard, ...] = ()
    predicates: list[COperation] = field(default_factory=list)  # what must hold of data for a store to happen

    def content(self, cell: Cell | PointerCell) -> Content:
        """The content of a scalar or pointer here. Raises NumberNeededError."""
        content = self.contents.get(cell, Undefined())
        if isinstance(content, Pending):
            content = self.contents[cell] = content.content()
        return content

    # Names.

    def fresh(self, name: str) -> str:
        """A name that nothing else has."""
        base, number = name, 2
        while name in self.taken:
            name, number = (f"{base}_" if number == 2 else f"{base}_{number - 1}"), number + 1
        self.taken.add(name)
        return name

    def local(self, name: str, kind: str, span: Span) -> CArray:
        """A local of one element."""
        array = CArray(self.fresh(name), kind, [], True, span, origin=name)
        self.arrays[array.name] = array
        return array

    # Places.

    @contextmanager
    def inside(self, loop: ForLoop) -> Iterator[None]:
        """Run the body of a loop."""
        before = self.loops
        self.loops = (*before, loop)
        self.position.append(0)
        self.arithmetic.ranges.loops[loop.name] = loop
        try:
            yield
        finally:
            del self.arithmetic.ranges.loops[loop.name]
            self.loops = before
            self.position.pop()
            self.position[-1] += 1

    @contextmanager
    def where(self, *conditions: ElementGuard) -> Iterator[None]:
        """Run where conditions hold too."""
        before, ranges = self.conditions, self.arithmetic.ranges
        self.conditions = ranges.conditions = (*before, *conditions)
        try:
            yield
        finally:
            self.conditions = ranges.conditions = before

    # Reads and stores.

    def read(self, array: CArray, subscripts: tuple[Form, ...], span: Span) -> COperation:
        """An element as a value."""
        subscripts = tuple(map(as_data, array.element(subscripts)))
        if array.table is not None:
            self.arithmetic.ranges.tables[array.name] = array.table
            known = self._table_value(array, subscripts)
            if known is not None:
                return known
        value = COperation("read", array.type, access=ElementAccess(array.name, subscripts, span, self.conditions))
        return self.arithmetic.converted(value, array.view) if array.view else value

    def _table_value(self, array: CArray, subscripts: tuple[Form, ...]) -> COperation | None:
        """The number that a const array has where the subscripts are numbers."""
        place = 0
        for form, dim in zip(subscripts, array.extents, strict=True):
            if form.number is None or dim is None or dim.number is None or not 0 <= form.number < dim.number:
                return None
            place = place * dim.number + form.number
        assert array.table is not None
        text = array.table[place]
        number: Form | None = None if array.type[0] == "f" else Affine(constant=int(text))
        return COperation("literal", array.type, text=text, form=number)

    def store(self, array: CArray, subscripts: tuple[Form, ...], value: COperation, span: Span) -> None:
        """An assignment to an element, where all predicates hold."""
        self.keep_what_reads(array, subscripts)
        value, subscripts = self.arithmetic.converted(value, array.view or array.type), array.element(subscripts)
        value = self.arithmetic.converted(value, array.type)
        if self.predicates:
            subscripts = tuple(map(self._where_held, subscripts, array.extents))
        loops, conditions, target = self._target(array, subscripts, span)
        for predicate in reversed(self.predicates):
            old = COperation("read", array.type, access=replace(target, guards=self.conditions))
            value = self.arithmetic.choice(predicate, value, old)
        accumulate, value = _accumulation(target, value)
        position = (*self.position, *(0 for _ in loops))
        number = len(self.statements)
        if number >= MOST_STATEMENTS:
            raise TooLongError
        self.statements.append(
            Statement(
                number, (*self.loops, *loops), position, (*self.conditions, *conditions), target, value, accumulate
            )
        )
        self.position[-1] += 1

    def _where_held(self, form: Form, extent: Form | None) -> Form:
        """A subscript whose data may mean nothing where the predicates do not hold: there it is 0."""
        if not any(isinstance(term, Dynamic) for term, _ in form.terms):
            return form
        least, greatest = self.arithmetic.ranges.least(form), self.arithmetic.ranges.greatest(form)
        size = None if extent is None else extent.number
        if least is not None and greatest is not None and size is not None and least >= 0 and greatest < size:
            return form
        value = self.arithmetic.of_form(form, "i64")
        for predicate in reversed(self.predicates):
            value = self.arithmetic.choice(predicate, value, self.arithmetic.of_form(Affine(), "i64"))
        return Affine(((Dynamic(value), 1),))

    def _target(
        self, array: CArray, subscripts: tuple[Form, ...], span: Span
    ) -> tuple[tuple[ForLoop, ...], tuple[ElementGuard, ...], ElementAccess]:
        """The element that is written; what is rounded in its subscripts is found by a loop with a condition."""
        loops: list[ForLoop] = []
        conditions: list[ElementGuard] = []
        forms: list[Form] = []
        for form in subscripts:
            result: Form = Affine(constant=form.constant)
            for term, factor in form.terms:
                if isinstance(term, Rounded):
                    loop = self._searching(term, span)
                    own: Form = Affine(((loop.name, 1),))
                    loops.append(loop)
                    conditions += _is_rounded(term, own)
                    result += own.scaled(factor)
                else:
                    result += Affine(((term, factor),))
            forms.append(result)
        return tuple(loops), tuple(conditions), ElementAccess(array.name, tuple(forms), span)

    def _searching(self, term: Rounded, span: Span) -> ForLoop:
        """A loop over all that a rounded form can be."""
        ranges = self.arithmetic.ranges
        form: Form = Affine(((term, 1),))
        low, high = ranges.least(form), ranges.greatest(form)
        return ForLoop(self.fresh("part"), Affine(constant=low or 0), Affine(constant=(high or 0) + 1), span)

    def keep_what_reads(self, array: CArray, subscripts: tuple[Form, ...]) -> None:
        """Keep values of scalars, and predicates, whose graphs read what a store may change."""
        kept, subscripts = dict[int, COperation](), array.element(subscripts)
        for cell, content in list(self.contents.items()):
            if isinstance(content, COperation) and self._may_change(content, array, subscripts):
                self.contents[cell] = self._kept(content, cell.name, kept)
        for place, predicate in enumerate(self.predicates):
            if self._may_change(predicate, array, subscripts):
                self.predicates[place] = self._kept(predicate, "holds", kept)

    def has_reads(self) -> bool:
        """Whether a scalar's value, or a predicate, depends on what arrays hold now."""
        values = [*(one for one in self.contents.values() if isinstance(one, COperation)), *self.predicates]
        return any(True for value in values for _ in value.reads())

    def keep_before(self, names: set[str]) -> None:
        """Keep what reads arrays that a loop is about to change."""
        kept: dict[int, COperation] = {}
        for cell, content in list(self.contents.items()):
            if isinstance(content, COperation) and self._reads_other(content, cell, names):
                self.contents[cell] = self._kept(content, cell.name, kept)
        for place, predicate in enumerate(self.predicates):
            if any(access.array in names for access in predicate.reads()):
                self.predicates[place] = self._kept(predicate, "holds", kept)

    def _reads_other(self, value: COperation, cell: Cell | PointerCell, names: set[str]) -> bool:
        """Whether a value depends on arrays of these names; a scalar that is memory itself stays what it is."""
        own = self.memories.get(cell.key)
        is_itself = (
            own is not None and value.kind == "read" and value.access is not None and value.access.array == own.name
        )
        return not is_itself and any(access.array in names for access in value.reads())

    def _may_change(self, value: COperation, array: CArray, subscripts: tuple[Form, ...]) -> bool:
        return any(
            access.array == array.name and not _never_equal(access.subscripts, subscripts) for access in value.reads()
        )

    def _kept(self, value: COperation, name: str, kept: dict[int, COperation]) -> COperation:
        """The value of a local that has it from here on."""
        if id(value) not in kept:
            span = next(access.span for access in value.reads())
            local = self.local(name, value.type, span)
            position = (*self.position,)
            target = ElementAccess(local.name, (), span)
            statement = Statement(len(self.statements), self.loops, position, self.conditions, target, value, False)
            self.statements.append(statement)
            self.position[-1] += 1
            kept[id(value)] = COperation(
                "read", local.type, access=ElementAccess(local.name, (), span, self.conditions)
            )
        return kept[id(value)]

    def address_plus(self, address: Address, form: Form) -> Address:
        """The address that lies some elements further."""
        *outer, last = address.subscripts
        return Address(address.array, (*outer, last + form))


def _is_rounded(term: Rounded, own: Form) -> list[ElementGuard]:
    """That a loop's number is what a rounded form is."""
    if term.operator == "%":
        return [ElementGuard("==", rounded("%", term.form - own, term.divisor))]
    rest = term.form - own.scaled(term.divisor)
    return [not_negative(rest), not_negative(rest.scaled(-1) + (term.divisor - 1))]


def _never_equal(left: tuple[Form, ...], right: tuple[Form, ...]) -> bool:
    """Whether two elements differ by a number in some subscript."""
    return any((one - other).number not in {None, 0} for one, other in zip(left, right, strict=True))


def _accumulation(target: ElementAccess, value: COperation) -> tuple[bool, COperation]:
    """Whether a value is what was there plus something, and that something."""
    if value.kind != "+" or value.type == "bool":
        return False, value
    first, second = value.operands
    access = first.access
    if access is None or access.array != target.array or access.subscripts != target.subscripts:
        return False, value
    if any(one.array == target.array for one in second.reads()):
        return False, value
    return True, second


def variables_of(arrays: Mapping[str, CArray]) -> dict[str, Variable]:
    """The variables of a scop."""
    found: dict[str, Variable] = {}
    for array in arrays.values():
        dims = tuple(dim for dim in array.extents if dim is not None)
        table = tuple(array.table or ())
        found[array.name] = Variable(
            array.name,
            array.type,
            dims,
            array.local,
            array.span,
            table,
            array.state,
            array.origin or array.name,
            hidden=array.hidden,
            first=array.first,
        )
    return found


def live(statements: list[Statement], arrays: Mapping[str, CArray]) -> list[Statement]:
    """The statements without dead ones, which write locals that nobody reads; they are numbered anew."""
    while True:
        values = [value for one in statements for value in (*data_of(one.target), one.value)]  # subscripts read, too
        read = {access.array for value in values for access in value.reads()}
        kept = [one for one in statements if one.target.array in read or not arrays[one.target.array].local]
        if len(kept) == len(statements):
            return [replace(one, number=number) for number, one in enumerate(kept)]
        statements = kept
