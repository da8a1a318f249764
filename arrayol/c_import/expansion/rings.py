"""Ring buffers: an array that a loop writes round and round, as one with an element for each iteration.

`line[pos] = x[n]; ... line[(pos - k) % N] ...; pos = (pos + 1) % N` keeps the last N values. What is read is what
another iteration has written, k before: with an array of all values that is plain to see, and becomes a window of x
or a delay. The first iterations read what the ring was filled with.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from arrayol.c_import.expansion.copies import without_copies
from arrayol.c_import.forms import extreme, names_of, renamed
from arrayol.c_import.graphs import mapped
from arrayol.c_import.model import (
    COperation,
    Dynamic,
    ElementAccess,
    ForLoop,
    Form,
    Rounded,
    Statement,
    Variable,
    data_of,
    not_negative,
)
from arrayol.ir.affine import Affine


@dataclass(frozen=True)
class _Ring:
    """A ring of `extent` elements, the one statement that writes it, and what fills it before.

    An iteration writes the element at the rest of `place`, which moves by one, up or down, with the innermost loop.
    """

    name: str
    extent: int
    write: Statement
    place: Form
    fill: COperation | None
    starts: tuple[Statement, ...]
    is_copy: bool  # whether it only holds on to an array that stays as it is

    @property
    def loops(self) -> tuple[ForLoop, ...]:
        """The loops around the write; the innermost goes round."""
        return self.write.loops[:-1]

    @property
    def sign(self) -> int:
        """Whether places go up or down."""
        return self.place.factor(self.loops[-1].name)

    def element(self, back: Form) -> tuple[Form, ...]:
        """The subscripts of what was written so many iterations before."""
        counters: list[Form] = [Affine(((loop.name, 1),)) for loop in self.loops]
        return (*counters[:-1], counters[-1] - back)


def with_rings(
    variables: dict[str, Variable], statements: Sequence[Statement], consts: Mapping[str, object]
) -> tuple[dict[str, Variable], list[Statement]]:
    """Variables and statements with an element for each iteration in place of a ring."""
    rings = {
        name: ring
        for name, one in variables.items()
        if one.local and len(one.dims) == 1 and (ring := _ring_of(one, statements, consts)) is not None
    }
    if not rings:
        return variables, list(statements)
    variables = dict(variables)
    for name, ring in rings.items():
        variables[name] = replace(variables[name], dims=tuple(loop.high for loop in ring.loops))
    idle = {id(one) for ring in rings.values() for one in ring.starts}
    idle |= {id(ring.write) for ring in rings.values() if ring.is_copy}
    changed = [_changed(one, rings) for one in statements if id(one) not in idle]
    return variables, without_copies(variables, changed, set(rings))


def _ring_of(variable: Variable, statements: Sequence[Statement], consts: Mapping[str, object]) -> _Ring | None:
    """The ring that an array is; None for another array."""
    name, extent = variable.name, variable.dims[0].number
    writes = [one for one in statements if one.target.array == name]
    place = _place_of(writes[-1]) if writes and extent is not None else None
    if place is None or extent is None or place.divisor != extent:
        return None
    write, starts = writes[-1], writes[:-1]
    loops = write.loops[:-1]
    fixed = all(names_of(form) <= set(consts) for loop in loops for form in (loop.low, loop.high))
    if not fixed or any(loop.low.number != 0 for loop in loops) or abs(place.form.factor(loops[-1].name)) != 1:
        return None
    if any(place.form.factor(loop.name) for loop in loops[:-1]):
        return None
    if not starts and len(loops) > 1:
        return None  # it may hold what an outer iteration has left
    values = {one.value.text if one.value.kind == "literal" else None for one in map(_plain, starts)}
    before = all(one.loops[: len(loops) - 1] == loops[:-1] and one.position < write.position for one in starts)
    if len(values) > 1 or None in values or not before or any(loops[-1] in one.loops for one in starts):
        return None
    fill = starts[0].value if starts else None
    copied, written = write.value.access, {one.target.array for one in statements}
    is_copy = copied is not None and copied.array not in written and not data_of(copied)
    ring = _Ring(name, extent, write, place.form, fill, tuple(starts), is_copy)
    return ring if all(_is_followed(ring, one) for one in statements) else None


def _plain(statement: Statement) -> Statement:
    """A statement with its number where a type is all that its value adds to it."""
    value = statement.value
    return replace(statement, value=value.operands[0]) if value.kind == "convert" else statement


def _place_of(write: Statement) -> Rounded | None:
    """The rest at which a statement writes, which it searches in its innermost loop; None for another statement."""
    if len(write.loops) < 2 or len(write.conditions) != 1 or write.accumulate:
        return None
    part, condition = write.loops[-1], write.conditions[0]
    if write.target.subscripts != (Affine(((part.name, 1),)),) or condition.kind != "==" or condition.form is None:
        return None
    rest = condition.form.terms[0][0] if len(condition.form.terms) == 1 else None
    if not isinstance(rest, Rounded) or rest.operator != "%" or rest.form.factor(part.name) != -1:
        return None
    return Rounded("%", rest.form.without(part.name), rest.divisor)


def _is_followed(ring: _Ring, statement: Statement) -> bool:
    """Whether each element of a ring that a statement reads is known by how many iterations ago it was written."""
    if any(access.array == ring.name for value in data_of(statement.target) for access in value.reads()):
        return False
    reads = [access for access in statement.value.reads() if access.array == ring.name]
    return all(_age(ring, statement, access) is not None for access in reads)


def _age(ring: _Ring, reader: Statement, access: ElementAccess) -> Form | None:
    """How many iterations before a read its element was written; None where that is not known."""
    if reader.loops[: len(ring.loops)] != ring.loops:
        return None
    form = access.subscripts[0]
    term = form.terms[0][0] if len(form.terms) == 1 and form.constant == 0 else None
    inner = term.value.form if isinstance(term, Dynamic) else None
    rest = inner.terms[0][0] if inner is not None and len(inner.terms) == 1 else None
    if not isinstance(rest, Rounded) or rest.operator != "%" or rest.divisor != ring.extent:
        return None
    if inner != Affine(((rest, 1),)) or form.terms[0][1] != 1:
        return None
    back = (ring.place - rest.form).scaled(ring.sign)
    if any(not isinstance(name, str) for name, _ in back.terms):
        return None
    first = 0 if ring.write.position < reader.position and reader is not ring.write else 1
    least, most = (extreme(back, reader.loops, greatest=end).number for end in (False, True))
    if least is None or most is None or most - least >= ring.extent:
        return None
    turns = -((least - first) // ring.extent)  # the same element, as many turns later
    moved = back + turns * ring.extent
    return moved if most + turns * ring.extent < first + ring.extent else None


def _changed(statement: Statement, rings: Mapping[str, _Ring]) -> Statement:
    """A statement that writes and reads the array of all values."""

    def change(node: COperation) -> COperation:
        ring = rings.get(node.access.array) if node.access is not None else None
        return node if ring is None else _read(ring, statement, node)

    value = mapped(statement.value, change)
    ring = rings.get(statement.target.array)
    if ring is None:
        return replace(statement, value=value)
    return replace(
        statement,
        loops=ring.loops,
        position=statement.position[:-1],
        conditions=(),
        target=replace(statement.target, subscripts=ring.element(Affine())),
        value=value,
    )


def _read(ring: _Ring, reader: Statement, node: COperation) -> COperation:
    """The value that an iteration reads: of one before it, in the first ones what the ring was filled with."""
    assert node.access is not None
    back = _age(ring, reader, node.access)
    assert back is not None
    loop = ring.loops[-1]
    counter: Form = Affine(((loop.name, 1),))
    subscripts, source = ring.element(back), node.access
    if ring.is_copy:
        assert ring.write.value.access is not None
        source = ring.write.value.access
        subscripts = tuple(renamed(form, {loop.name: counter - back}) for form in source.subscripts)
    guards = (*node.access.guards, not_negative(counter - back))
    value = replace(node, access=replace(source, subscripts=subscripts, guards=guards))
    if back.number == 0:
        return value
    fill = ring.fill or COperation("literal", "i32", text="0")
    if fill.type != node.type:
        fill = COperation("convert", node.type, (fill,))
    sides = (COperation("form", "i32", form=counter), COperation("form", "i32", form=back))
    return COperation("choice", node.type, (COperation(">=", "bool", sides), value, fill))
