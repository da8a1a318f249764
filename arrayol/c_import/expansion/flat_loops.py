"""Loops that run through a picture as if it were one row, as `for (i = 0; i < H * W; i++) d[i] = 0`: two loops.

Where others keep to rows, as `d[y * W + x]` does, the picture has two dimensions only if this loop has two as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from arrayol.c_import.forms import names_of, renamed, renamed_condition
from arrayol.c_import.graphs import mapped, with_values
from arrayol.c_import.model import COperation, ElementAccess, ElementGuard, ForLoop, Form, Statement, data_of
from arrayol.c_import.words import free_name
from arrayol.ir.affine import Affine

LEAST_ROW = 4  # shorter ones are steps along one dimension


def with_rows(statements: Sequence[Statement]) -> list[Statement]:
    """The statements with a loop over rows and one along them in place of each that runs through an array of rows."""
    found = list(statements)
    loops = list(dict.fromkeys(loop for one in found for loop in one.loops))
    names = {loop.name for loop in loops}
    for loop in loops:
        inside = [one for one in found if loop in one.loops]
        row = _row_of(loop, inside, _rows(one for one in found if loop not in one.loops))
        if row is None:
            continue
        outer = ForLoop(free_name(f"{loop.name}_row", names), Affine(), (loop.high - loop.low).divided(row), loop.span)
        inner = ForLoop(loop.name, Affine(), Affine(constant=row), loop.span)
        names.add(outer.name)
        split = _Split(loop, outer, inner, {loop.name: Affine(((outer.name, row), (inner.name, 1)))})
        found = [split.statement(one) if loop in one.loops else one for one in found]
    return found


def _rows(statements: Iterable[Statement]) -> dict[str, set[int]]:
    """By array of one dimension, how long the rows are that its subscripts step over."""
    found: dict[str, set[int]] = {}
    for one in statements:
        for access in (one.target, *one.reads):
            if len(access.subscripts) == 1:
                factors = {factor for _, factor in access.subscripts[0].terms if factor >= LEAST_ROW}
                found.setdefault(access.array, set()).update(factors)
    return found


def _row_of(loop: ForLoop, inside: Sequence[Statement], rows: Mapping[str, set[int]]) -> int | None:
    """The row of the arrays that a loop runs through from their first element on; None where it does anything else."""
    own: Form = Affine(((loop.name, 1),))
    found: set[int] = set()
    for one in inside:
        bounds = [form for other in one.loops for form in (other.low, other.high)]
        accesses = [access for access in (one.target, *one.reads) if access.subscripts != (own,)]
        forms = [form for access in accesses for form in access.subscripts]
        if any(loop.name in names_of(form) for form in (*bounds, *forms)):
            return None
        for access in (one.target, *one.reads):
            if access.subscripts == (own,):
                found |= rows.get(access.array, set())
    count = loop.high.number
    if len(found) != 1 or loop.low.number != 0 or count is None:
        return None
    (row,) = found
    return row if count % row == 0 and count > row else None


@dataclass
class _Split:
    """A loop as two: one over rows, and one along them."""

    loop: ForLoop
    outer: ForLoop
    inner: ForLoop
    values: Mapping[str, Form]
    guards: dict[int, ElementGuard] = field(default_factory=dict)  # each changed once, since identity counts

    def statement(self, statement: Statement) -> Statement:
        """The statement in both loops."""
        at = statement.loops.index(self.loop)
        known: dict[int, COperation] = {}
        for value in data_of(statement.target):
            mapped(value, self._node, known)
        return replace(
            statement,
            loops=(*statement.loops[:at], self.outer, self.inner, *statement.loops[at + 1 :]),
            position=(*statement.position[: at + 1], 0, *statement.position[at + 1 :]),
            conditions=tuple(map(self._guard, statement.conditions)),
            target=self._access(with_values(statement.target, known)),
            value=mapped(statement.value, self._node, known),
        )

    def _node(self, node: COperation) -> COperation:
        form = None if node.form is None else renamed(node.form, self.values)
        return replace(node, form=form, access=None if node.access is None else self._access(node.access))

    def _access(self, access: ElementAccess) -> ElementAccess:
        subscripts = tuple(renamed(form, self.values) for form in access.subscripts)
        return replace(access, subscripts=subscripts, guards=tuple(map(self._guard, access.guards)))

    def _guard(self, guard: ElementGuard) -> ElementGuard:
        if id(guard) not in self.guards:
            self.guards[id(guard)] = renamed_condition(guard, self.values)
        return self.guards[id(guard)]
