"""Exact questions about bodies: accesses outside a port, reads before any write, elements that stay unwritten.

Each answer is a concrete point, or None where there is none. None too where the question is beyond isl's bounded effort
(subscripts with large moduli in several dimensions): the execution checks every access anyway.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import islpy as isl

from arrayol.polyhedral.isl import TooHardError, bounded_effort, tidied
from arrayol.polyhedral.nests import NestAccess, NestConversion, NestStatement, earlier_instances
from arrayol.polyhedral.points import Point, box, coordinates

Shapes = dict[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class BodyPoint:
    """An element of a port, and the values of the range variables at which a statement touches it."""

    access: NestAccess
    statement: NestStatement
    instance: Point
    element: Point


def find_outside_port(statement: NestStatement, access: NestAccess, shape: tuple[int, ...]) -> BodyPoint | None:
    """An instance that surely makes the access, to an element outside the port; None where there is none."""
    if not access.certain:
        return None
    inside = box(shape)
    try:
        with bounded_effort():
            return _body_point(statement, access, access.relation.subtract_range(inside))
    except TooHardError:
        return None


def find_misfit(statement: NestStatement, conversion: NestConversion) -> tuple[Point, int] | None:
    """An instance that surely makes the conversion, and a value that its type cannot hold."""
    low, high = conversion.target.integer_range
    held = isl.Set(f"{{ [v] : {low} <= v <= {high} }}")
    try:
        with bounded_effort():
            left = conversion.relation.subtract_range(held)
            if not conversion.certain or left.is_empty():
                return None
            *instance, value = coordinates(left.wrap().sample_point())
            return tuple(instance), value
    except TooHardError:
        return None


def find_early_reads(statements: Sequence[NestStatement], outputs: Shapes) -> Iterator[BodyPoint]:
    """For each read that no earlier write can have served: an instance that surely makes it.

    Writes that only data decide count as made: whether they were is for the execution to find out.
    """
    before = {port: isl.Set.empty(box(shape).get_space()) for port, shape in outputs.items()}
    pending: list[NestStatement] = []
    for statement in statements:
        if pending and pending[0].path[0] != statement.path[0]:
            for done in pending:
                before[done.assign.port] = before[done.assign.port].union(done.write.relation.range()).coalesce()
            pending = []
        pending.append(statement)
        same = [other for other in statements if other.path[0] == statement.path[0]]
        for access in statement.reads:
            if access.port in outputs and access.certain and access.affine:
                found = _early(statement, access, before[access.port], same)
                if found:
                    yield found


def _early(
    statement: NestStatement, access: NestAccess, before: isl.Set, same: Sequence[NestStatement]
) -> BodyPoint | None:
    try:
        with bounded_effort():
            left = access.relation.subtract_range(before)
            done = left.is_empty()
        for write in () if done else same:
            if write.assign.port == access.port:
                earlier = earlier_instances(write, statement)
                with bounded_effort():
                    left = left.subtract(earlier.apply_range(write.write.relation))
        with bounded_effort():
            return _body_point(statement, access, left)
    except TooHardError:
        return None


def find_unwritten(statements: Sequence[NestStatement], port: str, shape: tuple[int, ...]) -> Point | None:
    """An element of an output port that no statement can write."""
    missing = box(shape)
    try:
        for statement in statements:
            if statement.assign.port == port:
                with bounded_effort():
                    missing = missing.subtract(statement.write.relation.range())
                missing = tidied(missing)
        with bounded_effort():
            return None if missing.is_empty() else coordinates(missing.lexmin().sample_point())
    except TooHardError:
        return None


def _body_point(statement: NestStatement, access: NestAccess, pairs: isl.Map) -> BodyPoint | None:
    if pairs.is_empty():
        return None
    values = coordinates(pairs.wrap().sample_point())
    cut = len(statement.indices)
    return BodyPoint(access, statement, values[:cut], values[cut:])
