"""Scalars that a loop hands from one iteration to the next while it writes an array: an array of their values.

`z = 0.5f * z + x[n]; y[n] = z` makes a value for each n. As memory of one element, z would put the whole loop into one
body. With an array of its values, an iteration reads that of the iteration before: a delay. Sums that are only read
after their loop stay scalars. (A scan is such a scalar with its array, as in a prefix sum, not an order of blocks.)
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from arrayol.c_import.expansion.copies import without_copies
from arrayol.c_import.forms import names_of
from arrayol.c_import.graphs import mapped
from arrayol.c_import.model import COperation, ElementAccess, ForLoop, Form, Statement, Variable, data_of, not_negative
from arrayol.c_import.words import free_name
from arrayol.ir.affine import Affine


@dataclass(frozen=True)
class _Scan:
    """A scalar with its one update in `loops`, and the statement that starts it before the innermost of them."""

    name: str
    update: Statement
    start: Statement
    order: tuple[int, ...]  # of the loops, as the arrays that the update's loops write have them in their subscripts
    downwards: bool  # whether these arrays count the innermost loop the other way

    def element(self, back: int = 0) -> tuple[Form, ...]:
        """The subscripts of the value of an iteration, or of one so many before it."""
        inner = self.loops[-1]
        counter: Form = Affine(((inner.name, 1),), -back)
        last = inner.high - 1 - counter if self.downwards else counter
        return self.in_order((*_scan_parts(self.loops[:-1]), last))

    def in_order(self, forms: tuple[Form, ...]) -> tuple[Form, ...]:
        """Forms of the loops in the order of the array's dimensions."""
        return tuple(forms[place] for place in self.order)

    @property
    def loops(self) -> tuple[ForLoop, ...]:
        """The loops around the update; the innermost hands the scalar on."""
        return self.update.loops


def with_scans(
    variables: dict[str, Variable], statements: Sequence[Statement], consts: Mapping[str, object]
) -> tuple[dict[str, Variable], list[Statement]]:
    """Variables and statements with arrays in place of scalars that a loop hands on while it writes an array."""
    scans = {
        name: scan
        for name, one in variables.items()
        if one.local and not one.dims and (scan := _scan_of(name, statements, consts)) is not None
    }
    scans = _feeding(scans, statements)
    if not scans:
        return variables, list(statements)
    variables = dict(variables)
    starts: dict[str, str] = {}
    for name, scan in scans.items():
        dims = tuple(loop.high for loop in scan.loops)
        if scan.start.value.kind != "literal":
            starts[name] = free_name(f"{name}_first", variables)
            variables[starts[name]] = replace(variables[name], name=starts[name], dims=dims[:-1])
        variables[name] = replace(variables[name], dims=scan.in_order(dims))
    changed = [_changed(one, scans, starts) for one in statements]
    return variables, without_copies(variables, [one for one in changed if one], set(scans))


def _scan_of(name: str, statements: Sequence[Statement], consts: Mapping[str, object]) -> _Scan | None:
    """A scalar that is started, then updated in each iteration of one loop; None for others."""
    writes = [one for one in statements if one.target.array == name]
    if len(writes) != 2:
        return None
    start, update = writes
    loops = update.loops
    if not loops or start.loops != loops[:-1] or start.conditions != update.conditions[: len(start.conditions)]:
        return None
    if start.conditions or update.conditions or start.accumulate or _precedes(update, start):
        return None
    fixed = all(names_of(form) <= set(consts) for loop in loops for form in (loop.low, loop.high))
    if not fixed or any((loop.low.number or 0) < 0 for loop in loops):
        return None
    scan = _Scan(name, update, start, *_layout(loops, statements))
    readers = [one for one in statements if _reads(one, name)]
    if any(access.array == name for one in statements for value in data_of(one.target) for access in value.reads()):
        return None  # it is part of a subscript that is written
    return scan if all(_is_known_reader(scan, one) for one in readers) else None


def _layout(loops: tuple[ForLoop, ...], statements: Sequence[Statement]) -> tuple[tuple[int, ...], bool]:
    """The order of loops in the subscripts of an array that they write, and whether it counts the last one down."""
    names = [loop.name for loop in loops]
    for statement in statements:
        held = [[name for name in names if form.factor(name)] for form in statement.target.subscripts]
        if statement.loops == loops and sorted(name for each in held for name in each) == sorted(names):
            order = tuple(names.index(name) for each in held for name in each)
            factors = [form.factor(names[-1]) for form in statement.target.subscripts]
            return order, -1 in factors
    return tuple(range(len(loops))), False


def _precedes(one: Statement, other: Statement) -> bool:
    """Whether a statement stands before another in the text."""
    return one.position < other.position


def _is_known_reader(scan: _Scan, reader: Statement) -> bool:
    """Whether it is known which value a statement reads: in the loop, or after it if the loop surely ran."""
    if reader.loops[: len(scan.loops)] == scan.loops:
        return True
    depth = len(scan.loops) - 1
    if reader.loops[:depth] != scan.loops[:depth] or not _precedes(scan.update, reader):
        return False
    inner = scan.loops[-1]
    count = (inner.high - inner.low).number
    return inner.low.number == 0 or (count is not None and count > 0)  # no array has the extent 0


def _feeding(scans: Mapping[str, _Scan], statements: Sequence[Statement]) -> dict[str, _Scan]:
    """The scans of which each iteration writes something into an array, directly or through other scalars."""
    inside = {name: scan.loops for name, scan in scans.items()}
    for one in statements:
        if not one.target.subscripts and one.loops:
            inside.setdefault(one.target.array, one.loops)
    kept: set[str] = set()
    while True:
        more = {
            name
            for name, loops in inside.items()
            if name not in kept and any(_writes_an_array(loops, one, kept) for one in statements if _reads(one, name))
        }
        if not more:
            return {name: scan for name, scan in scans.items() if name in kept}
        kept |= more


def _reads(statement: Statement, name: str) -> bool:
    return any(access.array == name for access in statement.value.reads())


def _writes_an_array(loops: Sequence[ForLoop], statement: Statement, kept: Collection[str]) -> bool:
    """Whether a reader inside the loops writes a different element in each iteration, or a scalar that feeds one."""
    if statement.loops[: len(loops)] != tuple(loops):
        return False
    target = statement.target
    return target.array in kept or any(form.factor(loops[-1].name) for form in target.subscripts)


def _changed(statement: Statement, scans: Mapping[str, _Scan], starts: Mapping[str, str]) -> Statement | None:
    """A statement with elements of these arrays in place of the scalars; None for a start that is a number."""
    value = _value(statement, scans, starts)
    scan = scans.get(statement.target.array)
    if scan is None:
        return replace(statement, value=value)
    target = statement.target
    if statement is scan.start:
        if scan.name not in starts:
            return None
        return replace(
            statement,
            value=value,
            target=replace(target, array=starts[scan.name], subscripts=_scan_parts(scan.loops[:-1])),
        )
    if statement.accumulate:
        before = _before(scan, starts, target)
        value = COperation("+", before.type, (before, value))
    return replace(statement, value=value, accumulate=False, target=replace(target, subscripts=scan.element()))


def _scan_parts(loops: Sequence[ForLoop]) -> tuple[Form, ...]:
    return tuple(Affine(((loop.name, 1),)) for loop in loops)


def _value(statement: Statement, scans: Mapping[str, _Scan], starts: Mapping[str, str]) -> COperation:
    def change(node: COperation) -> COperation:
        if node.access is None or node.access.array not in scans:
            return node
        return _read(scans[node.access.array], statement, node.access, starts)

    return mapped(statement.value, change)


def _read(scan: _Scan, reader: Statement, access: ElementAccess, starts: Mapping[str, str]) -> COperation:
    """The value of the scalar where a statement reads it."""
    kind = scan.update.value.type
    depth = len(scan.loops)
    if reader.loops[:depth] == scan.loops:
        if reader is scan.update or _precedes(reader, scan.update):
            return _before(scan, starts, access)
        return COperation("read", kind, access=replace(access, subscripts=scan.element()))
    last = scan.loops[-1].low if scan.downwards else scan.loops[-1].high - 1
    return COperation(
        "read", kind, access=replace(access, subscripts=scan.in_order((*_scan_parts(scan.loops[:-1]), last)))
    )


def _before(scan: _Scan, starts: Mapping[str, str], access: ElementAccess) -> COperation:
    """The value of the iteration before; in the first one what the scalar starts with."""
    inner = scan.loops[-1]
    own: Form = Affine(((inner.name, 1),))
    kind = scan.update.value.type
    first = scan.start.value
    if scan.name in starts:
        guards = (*access.guards, not_negative(inner.low - own))
        first = COperation(
            "read", kind, access=ElementAccess(starts[scan.name], _scan_parts(scan.loops[:-1]), access.span, guards)
        )
    guards = (*access.guards, not_negative(own - inner.low - 1))
    other = COperation("read", kind, access=ElementAccess(scan.name, scan.element(1), access.span, guards))
    condition = COperation(
        "==", "bool", (COperation("form", "i32", form=own), COperation("form", "i32", form=inner.low))
    )
    if first.kind == "literal" and first.type != kind:
        first = COperation("convert", kind, (first,))
    return COperation("choice", kind, (condition, first, other))
