"""Values that loops only hand on, as line buffers and shifted windows: what reads them reads where they come from.

`win[0] = win[1]; win[1] = line[x]; line[x] = in[y][x]` moves pixels through three memories. Which pixel a read gets is
known from the flow of values, where a statement reads it. What the memories hold at the ends of lines, where no result
needs it, does not matter then.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from arrayol.c_import.forms import renamed
from arrayol.c_import.graphs import mapped
from arrayol.c_import.model import COperation, ElementAccess, Form, Statement, data_of
from arrayol.ir.affine import Affine
from arrayol.polyhedral.flow import OrderedStatements, Origin


def with_forwarded_values(statements: Sequence[Statement], program: OrderedStatements) -> list[Statement]:
    """The statements with elements of arrays that stay as they are in place of copies of them."""
    written = {one.target.array for one in statements}
    by_name = {f"S{one.number}": one for one in statements}
    copies = {name: access for name, one in by_name.items() if (access := _copied(one)) is not None}
    if all(access.array in written for access in copies.values()):
        return list(statements)
    return [_forwarded(one, program, by_name, copies, written) for one in statements]


def _copied(statement: Statement) -> ElementAccess | None:
    """The element that a statement only gives to another one; None where it computes something."""
    access = statement.value.access
    if access is None or statement.accumulate or data_of(access) or data_of(statement.target):
        return None
    return access


def _forwarded(
    statement: Statement,
    program: OrderedStatements,
    by_name: Mapping[str, Statement],
    copies: Mapping[str, ElementAccess],
    written: set[str],
) -> Statement:
    name = f"S{statement.number}"
    if name in copies or not any(access.array in written for access in statement.value.reads()):
        return statement
    places = {id(access): place for place, access in enumerate(statement.reads)}
    known: dict[int, COperation] = {}
    for node in statement.value.nodes():
        access = node.access
        if access is None or access.array not in written or data_of(access):
            continue
        for origin in program.copied(name, places[id(access)], set(copies)):
            source = copies[origin.statement]
            if source.array not in written and by_name[origin.statement].value.type == node.type:
                known[id(node)] = replace(node, access=_moved(source, origin, by_name, access))
    return replace(statement, value=mapped(statement.value, lambda node: node, known)) if known else statement


def _moved(
    source: ElementAccess, origin: Origin, by_name: Mapping[str, Statement], reader: ElementAccess
) -> ElementAccess:
    """The element that a copy took in the instance that a reader sees."""
    loops = [loop.name for loop in by_name[origin.statement].loops]
    values: dict[str, Form] = {
        loop: Affine(tuple(form.terms), form.constant) for loop, form in zip(loops, origin.instance, strict=True)
    }
    subscripts = tuple(renamed(form, values) for form in source.subscripts)
    return replace(source, subscripts=subscripts, guards=reader.guards)
