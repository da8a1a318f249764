"""Delinearisation: arrays of C that are addressed as one row, `x[i * W + j]`, get the dimensions that are meant.

A row of length s is a dimension of its own where, in every access, the part of the subscript that is no multiple of s
stays in 0..s. That is decided exactly, from the bounds of the loops and the conditions around an access.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from arrayol.c_import.expansion.flat_loops import LEAST_ROW, with_rows
from arrayol.c_import.expansion.quotients import with_quotients
from arrayol.c_import.forms import (
    as_data,
    as_forms,
    isl_condition,
    isl_text,
    names_of,
    renamed,
    renamed_condition,
    without_data,
)
from arrayol.c_import.graphs import mapped, with_values
from arrayol.c_import.model import (
    Bordered,
    COperation,
    Dynamic,
    ElementAccess,
    Form,
    Rounded,
    Statement,
    Variable,
    data_of,
    not_negative,
)
from arrayol.c_import.ranges import NumberNeededError, Ranges
from arrayol.errors import error
from arrayol.ir.affine import Affine
from arrayol.polyhedral.flow import ends_of

_ANY = 1 << 64
_MOST_BY_DATA = 1 << 16  # elements of an array of which only data say the size


@dataclass(frozen=True)
class _Use:
    """One access, where it happens."""

    access: ElementAccess
    statement: Statement
    is_write: bool
    tables: dict[str, Sequence[str]] = field(default_factory=dict)

    def fixed(self, values: Mapping[str, Form]) -> _Use:
        """It with numbers in place of consts."""
        loops = tuple(
            replace(loop, low=renamed(loop.low, values), high=renamed(loop.high, values))
            for loop in self.statement.loops
        )
        conditions = tuple(renamed_condition(one, values) for one in self.statement.conditions)
        guards = tuple(renamed_condition(one, values) for one in self.access.guards)
        forms = tuple(renamed(form, values) for form in self.access.subscripts)
        access = replace(self.access, subscripts=forms, guards=guards)
        return _Use(access, replace(self.statement, loops=loops, conditions=conditions), self.is_write)

    def leaves(self, form: Form, extent: Form) -> bool:
        """Whether a subscript that no data decide is ever outside of 0..extent."""
        exact = without_data(form)
        loops = {loop.name: loop for loop in self.statement.loops}
        if exact is None or extent.number is None or not names_of(exact) <= set(loops):
            return False
        ranges = Ranges({}, loops)
        least, greatest = ranges.least(exact), ranges.greatest(exact)
        if least is not None and greatest is not None and least >= 0 and greatest < extent.number:
            return False
        ends = self.ends(exact, {})
        return ends is not None and (ends[0] < 0 or ends[1] >= extent.number)

    def ends(self, form: Form, consts: Mapping[str, int | float]) -> tuple[int, int] | None:
        """The least and greatest that a form is where the access happens; None where it never does.

        Raises NumberNeededError for a form or a place that depends on a const. Data may be all that their types say.
        """
        if any(isinstance(term, Dynamic) for term, _ in form.terms):
            ranges = Ranges(consts, {loop.name: loop for loop in self.statement.loops}, self.tables)
            least, greatest = ranges.least(form), ranges.greatest(form)
            return (-_ANY if least is None else least), (_ANY if greatest is None else greatest)
        conditions = [*self.statement.conditions, *self.access.guards]
        for loop in self.statement.loops:
            own: Form = Affine(((loop.name, 1),))
            conditions += [not_negative(own - loop.low), not_negative(loop.high - 1 - own)]
        for one in (form, *(inner for condition in conditions for inner in condition.forms())):
            for name in names_of(one):
                if name in consts:
                    raise NumberNeededError(name)
        names = {loop.name for loop in self.statement.loops}
        held = [one for one in conditions if all(names_of(inner) <= names for inner in one.forms())]
        return ends_of([loop.name for loop in self.statement.loops], list(map(isl_condition, held)), isl_text(form))


def delinearised(
    variables: dict[str, Variable],
    statements: Sequence[Statement],
    consts: Mapping[str, int | float],
    sizes: Mapping[str, tuple[int, ...]],
    pointers: Collection[str],
) -> tuple[dict[str, Variable], list[Statement]]:
    """Variables and statements with rows as dimensions; `pointers` are arrays whose first extent is not given.

    Raises NumberNeededError, and ArrayolError for arrays without a size.
    """
    statements = with_rows(with_quotients(statements), sizes)
    uses: dict[str, list[_Use]] = {}
    tables: dict[str, Sequence[str]] = {name: one.table for name, one in variables.items() if one.table}
    for statement in statements:
        uses.setdefault(statement.target.array, []).append(_Use(statement.target, statement, True, tables))
        for value in (*data_of(statement.target), statement.value):
            for access in value.reads():
                uses.setdefault(access.array, []).append(_Use(access, statement, False, tables))
    shapes: dict[str, tuple[int, ...]] = {}
    for name, given in variables.items():
        own, variable = uses.get(name, []), given
        if name in pointers:
            variables[name] = variable = replace(given, dims=_open_dims(given, own, consts, tables))
        if len(variable.dims) != 1 or not own or variable.table:
            continue
        shape = _shape(variable, own, consts, sizes.get(name), is_open=name in pointers)
        if shape is not None:
            shapes[name] = shape
            variables[name] = replace(variable, dims=tuple(Affine(constant=one) for one in shape))
    return variables, [_rewritten(one, variables, shapes, consts, tables) for one in statements]


def rows_left(
    statements: Sequence[Statement], rows: Mapping[str, Sequence[Form | None]], consts: Mapping[str, int | float]
) -> set[str]:
    """The arrays of these extents whose rows some access leaves, as `p[i * W]` does with a pointer to an element.

    Raises NumberNeededError for one of which a const is an extent.
    """
    values: dict[str, Form] = {name: Affine(constant=int(value)) for name, value in consts.items()}
    found: set[str] = set()
    for statement in statements:
        accesses = [access for value in (*data_of(statement.target), statement.value) for access in value.reads()]
        for access in (statement.target, *accesses):
            dims = rows.get(access.array, ())
            if access.array not in found and len(dims) == len(access.subscripts):
                use = _Use(access, statement, False).fixed(values)
                inner = zip(use.access.subscripts[1:], dims[1:], strict=True)
                if any(dim is not None and use.leaves(form, renamed(dim, values)) for form, dim in inner):
                    found.add(access.array)
    for name in found:
        for dim in rows[name]:
            if dim is not None and dim.number is None:
                raise NumberNeededError(min(names_of(dim)))
    return found


def _open_dims(
    variable: Variable,
    uses: Sequence[_Use],
    consts: Mapping[str, int | float],
    tables: dict[str, Sequence[str]],
) -> tuple[Form, ...]:
    """The extents of an array whose first is not given: as far as accesses reach."""
    last, is_filled, by_data = -1, False, list[_Use]()
    for use in uses:
        form = without_data(use.access.subscripts[0])
        if form is None:
            by_data.append(use)
            continue
        ends = use.ends(form, consts)
        if ends is not None:
            last, is_filled = max(last, ends[1]), is_filled or (use.is_write and ends[0] < ends[1])
    if by_data and not is_filled:  # what a loop fills is all of it
        ranges = Ranges(consts, tables=tables)
        last = max(last, *(_reach(variable, use, ranges) for use in by_data))
    return (Affine(constant=last + 1), *variable.dims)


def _reach(variable: Variable, use: _Use, ranges: Ranges) -> int:
    """The greatest subscript that data can choose, as 255 for a byte. Raises ArrayolError where that is too much."""
    ranges.loops = {loop.name: loop for loop in use.statement.loops}
    greatest = ranges.greatest(use.access.subscripts[0])
    if greatest is None or greatest >= _MOST_BY_DATA:
        message, hint = f"'{variable.name}' has no size", f"give --size {variable.name}=480,640"
        raise error("no-value", message, variable.span, hint=hint)
    return greatest


def _shape(
    variable: Variable,
    uses: Sequence[_Use],
    consts: Mapping[str, int | float],
    given: tuple[int, ...] | None,
    *,
    is_open: bool,
) -> tuple[int, ...] | None:
    """The extents of the dimensions that all accesses keep to; None for one dimension.

    An open array, whose size the C does not say, has whole rows. Data choose places in rows that are given only.
    """
    forms = [as_forms(use.access.subscripts[0]) for use in uses]
    by_data = any(isinstance(term, Dynamic) for form in forms for term, _ in form.terms)
    if (by_data and given is None) or any(map(_is_divided, forms)):
        return None
    rows = _rows(forms)
    if not any(use.is_write for use in uses):
        borders = {factor for form in forms for term, factor in form.terms if isinstance(term, Bordered | Rounded)}
        rows = _with_apart([one for one in rows if one >= LEAST_ROW or one in borders], forms)
    if given is not None and len(given) > 1:
        rows = [_product(given[place:]) for place in range(1, len(given))]
    if not rows:
        return None
    size = variable.dims[0].number
    if size is None:
        for name in names_of(variable.dims[0]):
            raise NumberNeededError(name)
        return None
    if is_open and given is None:
        size = -(-size // rows[0]) * rows[0]
    kept = [  # rows that no access leaves, whatever others there are
        row
        for row in rows
        if size % row == 0 and all(_subscripts(use, (size // row, row), consts) is not None for use in uses)
    ]
    if not kept or (given is not None and kept != rows and not by_data):
        return None
    shape = (size // kept[0], *(one // other for one, other in zip(kept, [*kept[1:], 1], strict=True)))
    return shape if all(_subscripts(use, shape, consts) is not None for use in uses) else None


def _is_divided(form: Form) -> bool:
    return any(isinstance(term, Rounded) and term.operator == "//" for term, _ in form.terms)


def _product(extents: Sequence[int]) -> int:
    product = 1
    for one in extents:
        product *= one
    return product


def _rows(forms: Sequence[Form]) -> list[int]:
    """Lengths of rows, longest first, each a multiple of the next: factors of iterators beside smaller ones."""
    found: set[int] = set()
    for form in forms:
        factors = sorted({abs(factor) for _, factor in form.terms})
        found.update(factors[1:])
        if len(factors) == 1 and factors[0] > 1 and form.constant % factors[0]:
            found.update(factors)
    for form in forms:  # a row whose own column is a number
        found.update(factor for _, factor in form.terms if abs(factor) in found)
    rows: list[int] = []
    for one in sorted({abs(row) for row in found}, reverse=True):
        if one > 1 and (not rows or rows[-1] % one == 0):
            rows.append(one)
    return rows


def _with_apart(rows: list[int], forms: Sequence[Form]) -> list[int]:
    """The lengths of rows, with how far reads lie apart that move alike, as `p[x]` and `p[x + W]`."""
    alike: dict[Form, set[int]] = {}
    for form in forms:
        alike.setdefault(form - form.constant, set()).add(form.constant)
    found = {one - other for constants in alike.values() for one in constants for other in constants}
    for one in sorted(found, reverse=True):
        if rows and LEAST_ROW <= one < rows[-1] and rows[-1] % one == 0:
            rows.append(one)
    return rows


def _subscripts(use: _Use, shape: Sequence[int], consts: Mapping[str, int | float]) -> tuple[Form, ...] | None:
    """The subscripts of an access in these dimensions; None where a part of it leaves its row."""
    form, result = as_forms(use.access.subscripts[0]), list[Form]()
    row = _product(shape)
    for extent in shape[:-1]:
        row //= extent
        outer: Form = Affine(tuple((term, factor // row) for term, factor in form.terms if factor % row == 0))
        inner: Form = Affine(tuple(item for item in form.terms if item[1] % row))
        ends = use.ends(inner, consts)
        if ends is None:
            return tuple(Affine() for _ in shape)  # it never happens
        low, high = ends
        constant = (form.constant + low) % row - low
        if high + constant >= row:
            return None
        result.append(outer + (form.constant - constant) // row)
        form = inner + constant
    return (*result, form)


def _fitted(use: _Use, form: Form, dim: Form, consts: Mapping[str, int | float]) -> Form:
    """A subscript with a border of which only the lower end shows, with the extent that its dimension has."""
    exact = without_data(form)
    border = exact.terms[0][0] if exact is not None and len(exact.terms) == 1 else None
    if not isinstance(border, Bordered) or exact != Affine(((border, 1),)) or border.extent == dim:
        return form
    if border.extent.number is None or dim.number is None or border.extent.number > dim.number:
        return form
    ends = use.ends(border.form, consts)
    is_low = ends is not None and (border.mode == "nearest" or ends[0] > -border.extent.number)
    if ends is None or not is_low or ends[1] >= border.extent.number:
        return form
    return as_data(Affine(((replace(border, extent=dim), 1),)))


def _rewritten(
    statement: Statement,
    variables: Mapping[str, Variable],
    shapes: Mapping[str, tuple[int, ...]],
    consts: Mapping[str, int | float],
    tables: dict[str, Sequence[str]],
) -> Statement:
    """The statement with the subscripts that its arrays have now; statements that shared values have their own."""
    known: dict[int, COperation] = {}

    def access_of(access: ElementAccess, *, is_write: bool) -> ElementAccess:
        use, forms = _Use(access, statement, is_write, tables), access.subscripts
        if access.array in shapes:
            found = _subscripts(use, shapes[access.array], consts)
            assert found is not None
            forms = tuple(map(as_data, found))
        dims = variables[access.array].dims
        fitted = tuple(_fitted(use, form, dim, consts) for form, dim in zip(forms, dims, strict=True))
        return replace(access, subscripts=fitted)

    def change(node: COperation) -> COperation:
        return node if node.access is None else replace(node, access=access_of(node.access, is_write=False))

    for form in statement.target.subscripts:
        for term, _ in form.terms:
            if isinstance(term, Dynamic):
                mapped(term.value, change, known)
    value = mapped(statement.value, change, known)
    return replace(statement, target=access_of(with_values(statement.target, known), is_write=True), value=value)
