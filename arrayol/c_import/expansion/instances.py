"""Statements that write an array of their own, so that no memory is used again: a value for each instance.

Error diffusion adds parts of an error to pixels that come later: several statements write one array, at several
places, and read what all of them have left there. Who wrote a value last is known from the flow of values, piece by
piece. With an array for each statement a read is a choice between their elements, at constant distances: delays.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Sequence
from dataclasses import dataclass, replace

from arrayol.c_import.arithmetic import constant_of
from arrayol.c_import.forms import hangs_on_data, names_of
from arrayol.c_import.graphs import mapped, truth_of, zero_of
from arrayol.c_import.model import (
    COperation,
    ElementAccess,
    ElementGuard,
    ForLoop,
    Form,
    Scop,
    Statement,
    Variable,
    data_of,
    not_negative,
)
from arrayol.c_import.plans import name_of, program_of
from arrayol.c_import.words import free_name
from arrayol.ir.affine import Affine
from arrayol.polyhedral.origins import AffineCondition, Origin, ValueOrigins

_MOST_STATEMENTS = 24
_MOST_ORIGINS = 6  # of a read


def with_instances(scop: Scop, group: Sequence[Statement]) -> Scop | None:
    """The scop in which each statement of a group writes an array of its own.

    What others read of the group's arrays is stored behind it. None where the flow of values is not known piece by
    piece, or has too many pieces.
    """
    place = group[0].position[0]
    read = {access.array for one in group for access in one.reads}
    scalars = {name for name, one in scop.variables.items() if one.local and not one.dims}
    targets = {one.target.array for one in group if one.target.array in read} - _kept_in_instances(scop, group, scalars)
    together = [one for one in scop.statements if one.position[0] == place and one.target.array in targets]
    if not 0 < len(together) <= _MOST_STATEMENTS or not all(_is_plain(one, scop) for one in together):
        return None
    return _Expansion(scop, together).scop()


def _kept_in_instances(scop: Scop, group: Sequence[Statement], names: set[str]) -> set[str]:
    """The names of scalars of which each instance reads only what it has written itself."""
    program, written = program_of(scop.statements, scop.consts, scop.variables), [name_of(one) for one in group]
    loops = {one.target.array: one.loops for one in group}
    handed_on = {one.target.array for one in group if one.loops != loops[one.target.array]}
    for one in scop.statements:
        for place, access in enumerate(one.reads):
            if access.array not in loops.keys() & names - handed_on:
                continue
            own, sources = loops[access.array], program.sources(name_of(one), place, written)
            is_own = one.loops[: len(own)] == own and all(sources.same(depth, depth) for depth in range(len(own)))
            if sources.statements and not is_own:
                handed_on.add(access.array)
    return names - handed_on


def _is_plain(statement: Statement, scop: Scop) -> bool:
    """Whether data decide nothing of what it writes, and its loops end at numbers and consts."""
    bounds = [form for loop in statement.loops for form in (loop.low, loop.high)]
    fixed = all(names_of(form) <= set(scop.consts) for form in bounds)
    return fixed and not hangs_on_data(statement.target)


@dataclass
class _Expansion:
    """All statements of one outermost loop that write certain arrays, and the arrays that they write instead."""

    old: Scop
    group: Sequence[Statement]

    def scop(self) -> Scop | None:
        """The changed scop; None where a read is not known piece by piece."""
        self.variables = dict(self.old.variables)
        numbers = {one.number for one in self.group}
        stores = self._stores()
        scop = replace(self.old, statements=tuple(self._in_order(stores)))
        self.program = program_of(scop.statements, scop.consts, scop.variables)
        self.origins = ValueOrigins(self.program)
        self.by_name = {name_of(one): one for one in scop.statements if one.number in numbers}
        targets = {one.target.array for one in self.group}
        numbers_of_others = {one.target.array for one in self.old.statements if one.number not in numbers}
        self.undefined = {name for name in targets - numbers_of_others if scop.variables[name].local}
        self.idle = {name_of(one): self._idle(one, targets) for one in scop.statements}
        self.own = {name: self._own_array(one) for name, one in self.by_name.items()}
        statements: list[Statement] = []
        first, last = (2 * self.group[0].position[0] + behind for behind in (0, 1))
        for one in scop.statements:
            changed: Statement | None = one
            if first <= one.position[0] <= last:
                changed = self._changed(one, targets)
            if changed is None:
                return None
            statements.append(changed)
        return replace(scop, variables=self.variables, statements=tuple(statements))

    def _changed(self, statement: Statement, targets: set[str]) -> Statement | None:
        """The statement with what it reads and writes of the arrays; None where that is not known piece by piece."""
        if not any(access.array in targets for access in (statement.target, *statement.reads)):
            return statement
        if any(hangs_on_data(access) for access in statement.reads if access.array in targets):
            return None
        if any(access.array in targets for value in data_of(statement.target) for access in value.reads()):
            return None  # it is part of a subscript that is written
        value = self._value(statement, targets)
        if value is None:
            return None
        if name_of(statement) in self.own:
            statement = replace(statement, target=self._element(statement), accumulate=False)
        return _without_loops(replace(statement, value=value), self.idle[name_of(statement)])

    def _idle(self, statement: Statement, targets: set[str]) -> set[str]:
        """Loops that run once, as over the part of a memory that this line uses, of which nothing else is asked."""
        if statement.target.array not in targets:
            return set()
        nodes = list(statement.value.nodes())
        forms = [node.form for node in nodes if node.form is not None]
        accesses = [node.access for node in nodes if node.access is not None]
        forms += [form for one in (*accesses, *statement.reads[: statement.accumulate]) for form in one.subscripts]
        forms += [form for one in accesses for guard in one.guards for form in guard.forms()]
        asked = set[str]().union(
            *map(names_of, forms), *(names_of(form) for loop in statement.loops for form in (loop.low, loop.high))
        )
        names = [loop.name for loop in statement.loops if loop.name not in asked]
        return {name for name in names if self.origins.runs_once(name_of(statement), name)}

    def _own_array(self, statement: Statement) -> str:
        variable = self.variables[statement.target.array]
        name = free_name(f"{variable.name}_{statement.number}", self.variables)
        dims = tuple(loop.high - start for loop, start in self._axes(statement))
        self.variables[name] = replace(variable, name=name, dims=dims, local=True, state=False)
        return name

    def _element(self, statement: Statement) -> ElementAccess:
        subscripts = tuple(plain_form(Affine(((loop.name, 1),))) - start for loop, start in self._axes(statement))
        return replace(statement.target, array=self.own[name_of(statement)], subscripts=subscripts)

    def _axes(self, statement: Statement) -> list[tuple[ForLoop, Form]]:
        """The loops that have an axis of a statement's own array, each with what its first element stands for."""
        loops = [loop for loop in statement.loops if loop.name not in self.idle[name_of(statement)]]
        return [(loop, loop.low if _may_be_negative(loop.low) else Affine()) for loop in loops]

    # What the group leaves in its arrays.

    def _stores(self) -> list[Statement]:
        """A statement for each array that is read later: it reads all elements, and writes them."""
        last = max(self.group, key=lambda one: one.position)
        number = max(one.number for one in self.old.statements) + 1
        behind = [one for one in self.old.statements if one.position[0] > last.position[0]]
        outside = {access.array for one in behind for access in one.reads}
        found: list[Statement] = []
        for name in dict.fromkeys(one.target.array for one in self.group):
            variable = self.old.variables[name]
            if variable.local and name not in outside:
                continue
            place = 2 * last.position[0] + 1
            found.append(copied_array(name, name, variable, number + len(found), place, self.old.consts))
        return found

    def _in_order(self, stores: Sequence[Statement]) -> list[Statement]:
        """All statements, with room behind each outermost one for the stores."""
        moved = [replace(one, position=(2 * one.position[0], *one.position[1:])) for one in self.old.statements]
        return sorted([*moved, *stores], key=lambda one: one.position)

    # Reads.

    def _value(self, statement: Statement, targets: set[str]) -> COperation | None:
        """The value of a statement with reads of the arrays that the group writes instead."""
        places = {id(access): place for place, access in enumerate(statement.reads)}
        value = statement.value
        if statement.accumulate and name_of(statement) in self.own:
            before = COperation("read", value.type, access=statement.target)
            value = COperation("+", value.type, (before, value))
        known: dict[int, COperation] = {}
        for node in value.nodes():
            access = node.access
            if access is None or access.array not in targets:
                continue
            read = self._read(statement, places[id(access)], node)
            if read is None:
                return None
            known[id(node)] = read
        return mapped(value, lambda node: node, known)

    def _read(self, statement: Statement, place: int, node: COperation) -> COperation | None:
        assert node.access is not None
        names = list(self.own)
        origins = self.origins.origins(name_of(statement), place, names, self.idle)
        if origins is None or len(origins) > _MOST_ORIGINS:
            return None
        sources = self.program.sources(name_of(statement), place, names)
        reads = [(guards_of_conditions(one.conditions), self._origin(one, node, statement)) for one in origins]
        if not sources.always_inside and node.access.array not in self.undefined:
            where = self.origins.unwritten(name_of(statement), place, names, self.idle[name_of(statement)])
            own = (*node.access.guards, *guards_of_conditions(where or ()))
            chosen = replace(node, access=replace(node.access, guards=own))
        elif sources.always_inside and reads:
            chosen = reads.pop()[1]
        else:  # it never runs, or reads what nothing wrote
            chosen = zero_of(node.type)
        for guards, read in reversed(reads):
            condition = truth_of(ElementGuard("and", parts=guards)) if guards else None
            chosen = read if condition is None else COperation("choice", node.type, (condition, read, chosen))
        return chosen

    def _origin(self, origin: Origin, node: COperation, reader: Statement) -> COperation:
        """The element that an instance of the group wrote."""
        assert node.access is not None
        equal = [one.form for one in origin.conditions if one.is_equality]
        names = [loop.name for loop in reader.loops if loop.name not in self.idle[name_of(reader)]]
        names = names[: len(origin.instance)]
        names += [""] * (len(origin.instance) - len(names))
        forms = [_at_distance(form, name, equal) for form, name in zip(origin.instance, names, strict=True)]
        guards = (*node.access.guards, *guards_of_conditions(origin.conditions))
        source = self.by_name[origin.statement]
        if constant_of(source.value) is not None and not source.accumulate:
            return source.value
        starts = [start for _, start in self._axes(source)]
        subscripts = tuple(plain_form(form) - start for form, start in zip(forms, starts, strict=True))
        access = ElementAccess(self.own[origin.statement], subscripts, node.access.span, guards)
        return COperation("read", node.type, access=access)


def _may_be_negative(form: Form) -> bool:
    """Whether a sum of consts, which are counts, may be below 0."""
    return form.constant < 0 or any(factor < 0 for _, factor in form.terms)


def _at_distance(form: Affine[str], name: str, equal: Sequence[Affine[str]]) -> Affine[str]:
    """A form at a constant distance of a loop, where equal forms allow that: 1 where x is 0 is x + 1."""
    apart = form - Affine(((name, 1),))
    for zero in equal:
        factor = zero.factor(name)
        other = apart - zero.scaled(apart.factor(name) // factor) if factor else apart
        if other.number is not None:
            return other + Affine(((name, 1),))
    return form


def _without_loops(statement: Statement, idle: Collection[str]) -> Statement:
    kept = [place for place, loop in enumerate(statement.loops) if loop.name not in idle]
    conditions = [one for one in statement.conditions if not _names(one) & set(idle)]
    return replace(
        statement,
        loops=tuple(statement.loops[place] for place in kept),
        position=(statement.position[0], *(statement.position[place + 1] for place in kept)),
        conditions=tuple(conditions),
    )


def _names(guard: ElementGuard) -> set[str]:
    return set[str]().union(*map(names_of, guard.forms()))


def copied_array(
    source: str, target: str, like: Variable, number: int, place: int, consts: Container[str]
) -> Statement:
    """A statement that copies an array, at this place among those of the function; subscripts are the loops' own."""
    names = [free_name(f"e{axis}", consts) for axis in range(len(like.dims))]
    loops = tuple(ForLoop(own, Affine(), dim, like.span) for own, dim in zip(names, like.dims, strict=True))
    element = ElementAccess(source, tuple(Affine(((own, 1),)) for own in names), like.span)
    value = COperation("read", like.type, access=element)
    return Statement(number, loops, (place, *([0] * len(loops))), (), replace(element, array=target), value, False)


def guards_of_conditions(conditions: Sequence[AffineCondition]) -> tuple[ElementGuard, ...]:
    """Conditions as those of a read."""
    return tuple(map(_guard, conditions))


def _guard(condition: AffineCondition) -> ElementGuard:
    form = plain_form(condition.form)
    return ElementGuard("==", form) if condition.is_equality else not_negative(form)


def plain_form(form: Affine[str]) -> Form:
    """A form of names as one that may have other terms."""
    return Affine(tuple(form.terms), form.constant)
