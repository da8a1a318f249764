"""Values that loops only hand on, as line buffers and shifted windows: what reads them reads where they come from.

`win[0] = win[1]; win[1] = line[x]; line[x] = in[y][x]` moves pixels through three memories. Which pixel a read gets is
known from the flow of values, where a statement reads it. What the memories hold at the ends of lines, where no result
needs it, does not matter then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from arrayol.c_import.arithmetic import constant_of
from arrayol.c_import.expansion.instances import copied_array, guards_of_conditions, plain_form
from arrayol.c_import.forms import hangs_on_data, names_of
from arrayol.c_import.graphs import mapped, truth_of
from arrayol.c_import.model import COperation, ElementGuard, Scop, Statement, Variable
from arrayol.c_import.plans import name_of, program_of
from arrayol.c_import.words import free_name
from arrayol.polyhedral.flow import OrderedStatements
from arrayol.polyhedral.origins import ElementOrigin, ValueOrigins

_MOST_ORIGINS = 4  # of a read


def with_forwarded_values(scop: Scop, statements: Sequence[Statement]) -> Scop:
    """The scop of these statements with elements of arrays that stay as they are in place of copies of them.

    What an array held before the first write is in an array of its own then.
    """
    program = program_of(statements, scop.consts, scop.variables)
    statements = _with_numbers(statements, program)
    copies = {name_of(one) for one in statements if _is_copy(one)}
    if not copies:
        return replace(scop, statements=tuple(statements))
    ends = _last_copies(scop, statements)
    statements = [*statements, *ends]
    program = program_of(statements, scop.consts, scop.variables)
    return _Forwarding(replace(scop, statements=tuple(statements)), ValueOrigins(program), copies, ends).scop()


@dataclass
class _Forwarding:
    """One scop with the names of the statements that only copy an element."""

    old: Scop
    origins: ValueOrigins
    copies: set[str]
    ends: Sequence[Statement]

    def scop(self) -> Scop:
        """The scop in which reads take what the copies have taken."""
        self.numbers = {
            name_of(one): one.value
            for one in self.old.statements
            if constant_of(one.value) is not None and not one.accumulate
        }
        self.written = {one.target.array for one in self.old.statements}
        self.first: dict[str, Variable] = {}  # by array: what it held before
        statements = self._without_copies([self._forwarded(one) for one in self.old.statements])
        variables = {**self.old.variables, **{one.name: one for one in self.first.values()}}
        number = max(one.number for one in statements) + 1
        kept = [self._kept(name, number + place) for place, name in enumerate(self.first)]
        return replace(self.old, variables=variables, statements=(*kept, *statements))

    def _without_copies(self, statements: Sequence[Statement]) -> list[Statement]:
        """The statements with the last copies alone in place of all of them, where nobody else needs the others."""
        ends = {one.target.array: one.number for one in self.ends}
        for array, number in ends.items():
            end = next(one for one in statements if one.number == number)
            copies = [one for one in statements if one.target.array == array and one is not end]
            others = [one for one in statements if not any(one is copy for copy in copies)]
            is_needed = any(access.array == array for one in others for access in one.reads)
            statements = [one for one in statements if one is not end] if is_needed else others
        return list(statements)

    def _forwarded(self, statement: Statement) -> Statement:
        name = name_of(statement)
        if name in self.copies:
            return statement
        places = {id(access): place for place, access in enumerate(statement.reads)}
        known: dict[int, COperation] = {}
        for node in statement.value.nodes():
            access = node.access
            if access is None or access.array not in self.written or hangs_on_data(access):
                continue
            origins = self.origins.handed_on(name, places[id(access)], self.copies, self.numbers)
            value = None if origins is None else self._value(origins, node)
            if value is not None:
                known[id(node)] = value
        return replace(statement, value=mapped(statement.value, lambda node: node, known)) if known else statement

    def _value(self, origins: Sequence[ElementOrigin], node: COperation) -> COperation | None:
        """The elements that a read gets, as a choice by where; None for too many, and for what is no copy."""
        variables = self.old.variables
        seen = [one for one in origins if not (one.is_old and _is_undefined(variables[one.array]))]
        if not 0 < len(seen) <= _MOST_ORIGINS or all(one.is_old or one.array in self.numbers for one in seen):
            return None
        if any(self._type(one) != node.type for one in seen):
            return None
        seen.sort(key=lambda one: (one.is_old, one.array in self.numbers))
        *others, last = seen
        others = [one for one in others if not self._is_number(one, last)]
        value = self._read(last, node)
        for one in reversed(others):
            guards = guards_of_conditions(one.conditions)
            read = self._read(one, node)
            value = (
                COperation("choice", node.type, (truth_of(ElementGuard("and", parts=guards)), read, value))
                if guards
                else read
            )
        return value

    def _read(self, origin: ElementOrigin, node: COperation) -> COperation:
        assert node.access is not None
        if origin.array in self.numbers:
            return self.numbers[origin.array]
        array = self._first_of(origin.array) if origin.is_old and origin.array in self.written else origin.array
        guards = (*node.access.guards, *guards_of_conditions(origin.conditions))
        access = replace(node.access, array=array, subscripts=tuple(map(plain_form, origin.subscripts)), guards=guards)
        return replace(node, access=access)

    def _is_number(self, origin: ElementOrigin, other: ElementOrigin) -> bool:
        """Whether both are the same number."""
        one, two = (self.numbers.get(each.array) for each in (origin, other))
        return one is not None and two is not None and _is_same(one, two)

    def _type(self, origin: ElementOrigin) -> str:
        number = self.numbers.get(origin.array)
        return self.old.variables[origin.array].type if number is None else number.type

    def _first_of(self, array: str) -> str:
        if array not in self.first:
            variable = self.old.variables[array]
            name = free_name(f"{array}_before", self.old.variables)
            self.first[array] = replace(variable, name=name, local=True, state=False, hidden=False)
        return self.first[array].name

    def _kept(self, array: str, number: int) -> Statement:
        """The statement that keeps what an array holds before the first write."""
        variable = self.old.variables[array]
        place = min(one.position[0] for one in self.old.statements) - 1
        return copied_array(array, self.first[array].name, variable, number, place, self.old.consts)


def _is_undefined(variable: Variable) -> bool:
    """Whether a variable holds nothing that the program may use before it writes it."""
    return variable.local and not variable.is_const


def _with_numbers(statements: Sequence[Statement], program: OrderedStatements) -> list[Statement]:
    """The statements with a number in place of each read that gets no other value, whoever wrote it."""
    names, found = [name_of(one) for one in statements], list[Statement]()
    numbers: dict[str, COperation] = {}  # by statement
    filled: set[str] = set()  # the arrays that one of them writes
    for one in statements:
        places = {id(access): place for place, access in enumerate(one.reads)}
        known: dict[int, COperation] = {}
        for node in one.value.nodes():
            access = node.access
            if access is None or access.array not in filled or hangs_on_data(access):
                continue
            sources = program.sources(name_of(one), places[id(access)], names)
            values = [numbers.get(name) for name in sources.statements]
            first = values[0] if values and sources.always_inside else None
            if first is not None and all(value is not None and _is_same(value, first) for value in values):
                known[id(node)] = first
        value = mapped(one.value, lambda node: node, known) if known else one.value
        if constant_of(value) is not None and not one.accumulate:
            numbers[name_of(one)] = value
            filled.add(one.target.array)
        found.append(replace(one, value=value))
    return found


def _is_same(one: COperation, other: COperation) -> bool:
    return one.type == other.type and constant_of(one) == constant_of(other)


def _last_copies(scop: Scop, statements: Sequence[Statement]) -> list[Statement]:
    """A statement that copies an array to itself, for each that copies alone write, and again and again."""
    found: list[Statement] = []
    number = max(one.number for one in statements) + 1
    place = max(one.position[0] for one in statements) + 1
    for name, variable in scop.variables.items():
        writers = [one for one in statements if one.target.array == name]
        repeated = [one for one in writers if not {loop.name for loop in one.loops} <= _names(one)]
        if not variable.local and variable.dims and repeated and all(map(_is_copy, writers)):
            found.append(copied_array(name, name, variable, number + len(found), place, scop.consts))
    return found


def _names(statement: Statement) -> set[str]:
    return set[str]().union(*map(names_of, statement.target.subscripts))


def _is_copy(statement: Statement) -> bool:
    """Whether a statement only gives an element to another one."""
    access = statement.value.access
    return access is not None and not (statement.accumulate or hangs_on_data(access) or hangs_on_data(statement.target))
