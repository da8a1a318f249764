"""Histograms: sums at places that data choose, as counts of each row of the outer loop, and their sum.

`hist[image[y][x]] += 1` is one chain of all pixels. The counts of a row need none of another row, so each row has bins
of its own; a second repetition adds them row by row. Integers give the same sums in any order. A single loop is
cut into rows of at least one element for each bin, so that the sums are no more work than the counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from arrayol.c_import.expansion.renaming import Renaming
from arrayol.c_import.forms import names_of
from arrayol.c_import.model import COperation, Dynamic, ElementAccess, ForLoop, Form, Statement, Variable, not_negative
from arrayol.c_import.words import free_name
from arrayol.ir.affine import Affine

_LEAST_ROWS = 8  # of a loop that is cut; fewer are not worth their bins
_PLACES = 4  # so many textual places for each of before: two more behind the loop of the counts


@dataclass(frozen=True)
class _Histogram:
    """A statement that counts, in at least two loops, and the statements that give all bins one number before."""

    statement: Statement  # as the C has it
    count: Statement
    starts: tuple[Statement, ...]
    variable: Variable

    @property
    def rows(self) -> ForLoop:
        """The outermost loop."""
        return self.count.loops[0]


def with_histograms(
    variables: dict[str, Variable], statements: Sequence[Statement], consts: Mapping[str, object]
) -> tuple[dict[str, Variable], list[Statement]]:
    """Variables and statements with bins for each row, and their sums, in place of histograms."""
    found = [one for each in statements if (one := _histogram(each, variables, statements, consts)) is not None]
    if not found:
        return variables, list(statements)
    variables, by_count = dict(variables), {id(one.statement): one for one in found}
    idle = {id(start) for one in found for start in one.starts}
    changed: list[Statement] = []
    for statement in statements:
        if id(statement) in idle:
            continue
        histogram = by_count.get(id(statement))
        own = statement if histogram is None else histogram.count
        moved = replace(own, position=(own.position[0] * _PLACES, *own.position[1:]))
        changed += [moved] if histogram is None else _parts(replace(histogram, count=moved), variables)
    return variables, [replace(one, number=number) for number, one in enumerate(changed)]


def _histogram(
    count: Statement, variables: Mapping[str, Variable], statements: Sequence[Statement], consts: Mapping[str, object]
) -> _Histogram | None:
    """The histogram that a statement counts; None for another statement."""
    variable = variables[count.target.array]
    statement, count = count, _in_rows(count, variable, statements)
    form, loops = count.target.subscripts[0] if count.target.subscripts else None, count.loops
    if not count.accumulate or len(loops) < 2 or len(variable.dims) != 1 or form is None or variable.type[0] == "f":
        return None
    is_chosen = len(form.terms) == 1 and isinstance(form.terms[0][0], Dynamic)
    fixed = all(names_of(one) <= set(consts) for one in (loops[0].low, loops[0].high))
    if not is_chosen or not fixed or loops[0].low.number != 0 or variable.dims[0].number is None:
        return None
    touching = [one for one in statements if one is not statement and _touches(one, variable.name)]
    _, *own = count.reads  # beside the bin itself
    if any(one.loops[:1] == statement.loops[:1] for one in touching) or any(one.array == variable.name for one in own):
        return None
    before = [one for one in touching if one.position < count.position]
    return _Histogram(statement, count, tuple(before) if _gives_one_number(before, variable) else (), variable)


def _in_rows(count: Statement, variable: Variable, statements: Sequence[Statement]) -> Statement:
    """A statement of a single loop in a loop over rows and one along them; as it is where that makes no sense."""
    loop, bins = count.loops[0] if len(count.loops) == 1 else None, variable.dims[0].number if variable.dims else None
    length = None if loop is None or loop.low.number != 0 else loop.high.number
    if loop is None or not bins or not length:
        return count
    read = {access.array for access in count.reads}
    if any(one.target.array in read for one in statements if one.loops[:1] == (loop,) and one is not count):
        return count
    rows = max((one for one in range(1, length // bins + 1) if length % one == 0), default=1)
    if rows < _LEAST_ROWS:
        return count
    outer = ForLoop(free_name(f"{loop.name}_row", {loop.name}), Affine(), Affine(constant=rows), loop.span)
    inner = ForLoop(loop.name, Affine(), Affine(constant=length // rows), loop.span)
    renaming = Renaming({loop.name: Affine(((outer.name, length // rows), (inner.name, 1)))})
    return renaming.statement(count, (outer, inner), (count.position[0], 0, count.position[1]))


def _touches(statement: Statement, name: str) -> bool:
    return statement.target.array == name or any(access.array == name for access in statement.reads)


def _gives_one_number(starts: Sequence[Statement], variable: Variable) -> bool:
    """Whether statements do nothing but give each element of an array the same number."""
    if len(starts) != 1 or starts[0].conditions or starts[0].accumulate or len(starts[0].loops) != 1:
        return False
    (start,), loop = starts, starts[0].loops[0]
    covers = start.target.subscripts == (Affine(((loop.name, 1),)),) and loop.low.number == 0
    return covers and loop.high == variable.dims[0] and _number(start.value) is not None


def _number(value: COperation) -> str | None:
    inner = value.operands[0] if value.kind == "convert" else value
    return inner.text if inner.kind == "literal" else None


def _parts(histogram: _Histogram, variables: dict[str, Variable]) -> list[Statement]:
    """The counts of each row, their sums from row to row, and the last of them."""
    count, variable = histogram.count, histogram.variable
    names = [free_name(f"{variable.name}_{part}", variables) for part in ("rows", "sums")]
    for name in names:
        dims = (histogram.rows.high, *variable.dims)
        variables[name] = replace(variable, name=name, dims=dims, local=True, state=False, origin=name)
    counts, sums = names
    row: Form = Affine(((histogram.rows.name, 1),))
    taken = {*variables, *(loop.name for loop in count.loops)}
    inner = ForLoop(free_name("bin", taken), Affine(), variable.dims[0], count.target.span)
    bin_: Form = Affine(((inner.name, 1),))
    outer = ForLoop(histogram.rows.name, histogram.rows.low, histogram.rows.high, histogram.rows.span)
    place, span, kind = count.position[0], count.target.span, variable.type

    def element(array: str, *subscripts: Form, where: Form | None = None) -> COperation:
        guards = () if where is None else (not_negative(where),)
        return COperation("read", kind, access=ElementAccess(array, subscripts, span, guards))

    first = histogram.starts[0].value if histogram.starts else element(variable.name, bin_, where=row.scaled(-1))
    is_first = COperation("==", "bool", (COperation("form", "i32", form=row), COperation("form", "i32", form=Affine())))
    before = COperation("choice", kind, (is_first, first, element(sums, row - 1, bin_, where=row - 1)))
    total = COperation("+", kind, (before, element(counts, row, bin_)))
    added = Statement(0, (outer, inner), (place + 1, 0, 0), (), ElementAccess(sums, (row, bin_), span), total, False)
    last = ForLoop(inner.name, inner.low, inner.high, inner.span)
    value = element(sums, histogram.rows.high - 1, bin_)
    result = Statement(0, (last,), (place + 2, 0), (), ElementAccess(variable.name, (bin_,), span), value, False)
    own = replace(count, target=ElementAccess(counts, (row, *count.target.subscripts), span))
    return [own, added, result]
