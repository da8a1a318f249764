"""Bodies of elementary tasks: no access outside a port, no read before the write, every output element written."""

from __future__ import annotations

from collections.abc import Iterator

from arrayol.checks.check import shown_extents, shown_point
from arrayol.errors import Diagnostic
from arrayol.ir.spec import Elementary
from arrayol.polyhedral.coverage import BodyPoint, find_early_reads, find_misfit, find_outside_port, find_unwritten
from arrayol.polyhedral.nests import NestStatement, statements_of


def check_body(elementary: Elementary, *, whole: bool = True) -> Iterator[Diagnostic]:
    """The mistakes of a body. What only data decide is left to the execution, which checks it.

    Accesses outside a port are told first, and alone: the order of reads and writes is then beside the point, as it is
    where the body is not whole.
    """
    if elementary.body is None:
        return
    statements = statements_of(elementary)
    yield from _check_conversions(statements)
    outside = list(_check_bounds(elementary, statements))
    yield from outside
    if whole and not outside:
        yield from _check_order(elementary, statements)


def _shapes(elementary: Elementary) -> dict[str, tuple[int, ...]]:
    ports = (*elementary.inputs, *elementary.outputs)
    return {port.name: tuple(extent for extent in port.shape if extent is not None) for port in ports}


def _check_bounds(elementary: Elementary, statements: list[NestStatement]) -> Iterator[Diagnostic]:
    shapes = _shapes(elementary)
    for statement in statements:
        for access in (statement.write, *statement.reads):
            found = find_outside_port(statement, access, shapes[access.port])
            if found:
                yield Diagnostic(
                    "subscript-out-of-range",
                    f"{_shown(found)} lies outside '{access.port}' of {shown_extents(shapes[access.port])}{_at(found)}",
                    found.access.span,
                    "subscripts count from 0; narrow the range, or guard the access with 'if' or 'where'",
                )


def _check_conversions(statements: list[NestStatement]) -> Iterator[Diagnostic]:
    for statement in statements:
        for conversion in statement.conversions:
            found = find_misfit(statement, conversion)
            if found:
                instance, value = found
                low, high = conversion.target.integer_range
                yield Diagnostic(
                    "constant-does-not-fit",
                    f"{value} does not fit {conversion.target}, which holds {low} to {high}"
                    f"{_shown_indices(statement, instance)}",
                    conversion.span,
                    "narrow the range, or convert what it meets to a wider type first",
                )


def _check_order(elementary: Elementary, statements: list[NestStatement]) -> Iterator[Diagnostic]:
    """At most one mistake per output port: what is read too early is often what was forgotten to be written."""
    outputs = {port.name: _shapes(elementary)[port.name] for port in elementary.outputs}
    told: set[str] = set()
    for found in find_early_reads(statements, outputs):
        if found.access.port not in told:
            told.add(found.access.port)
            yield Diagnostic(
                "read-before-write",
                f"{_shown(found)} is read before anything is written there{_at(found)}",
                found.access.span,
                "statements run in the order of the text, ranges upwards: write the element first",
            )
    for port in elementary.outputs:
        hole = None if port.name in told else find_unwritten(statements, port.name, outputs[port.name])
        if hole is not None:
            element = f"{port.name}{shown_point(hole)}" if hole else port.name
            yield Diagnostic(
                "never-written",
                f"'{element}' is never written in '{elementary.name}'",
                port.span,
                "a body writes every element of its outputs",
            )


def _shown(found: BodyPoint) -> str:
    element = shown_point(found.element) if found.element else ""
    return f"'{found.access.port}{element}'"


def _at(found: BodyPoint) -> str:
    return _shown_indices(found.statement, found.instance)


def _shown_indices(statement: NestStatement, instance: tuple[int, ...]) -> str:
    text = ", ".join(f"{name} = {value}" for name, value in zip(statement.indices, instance, strict=True))
    return f" (at {text})" if text else ""
