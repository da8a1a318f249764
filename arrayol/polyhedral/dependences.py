"""Exact questions about the order inside bodies: which loop levels carry a dependence, which outputs are settled.

A level carries a dependence where two instances that differ there, and agree at all levels around it, touch the same
element, and one of them writes it. Instances of a level that carries none need no order. Where only data decide an
access, every access that may happen counts; a question beyond isl's bounded effort is answered on the safe side.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import islpy as isl

from arrayol.ir.spec import Elementary
from arrayol.polyhedral.isl import TooHardError, bounded_effort, tidied
from arrayol.polyhedral.nests import NestAccess, NestStatement, earlier_instances, statements_of
from arrayol.polyhedral.points import box

_MAXIMUM_PAIRS = 400  # pairs of accesses to compare for one level; bodies that people write have a few


@dataclass(frozen=True, slots=True)
class Level:
    """One range: the textual places that lead to its statement or loop, and its number among the ranges there."""

    places: tuple[int, ...]
    number: int


@dataclass(frozen=True, slots=True)
class Nest:
    """The statements of a body, to be asked about."""

    elementary: Elementary
    statements: tuple[NestStatement, ...]

    def carries(self, level: Level) -> bool:
        """Whether instances of a level must keep their order."""
        return self._conflict(level, writes=True)

    def only_sums(self, level: Level) -> bool:
        """Whether all that a level carries is that one element is written several times, and never read meanwhile."""
        return not self._conflict(level, writes=False)

    def settled(self) -> frozenset[str]:
        """The outputs that are written whole, and read only where they surely have been written."""
        shapes = {port.name: tuple(extent or 0 for extent in port.shape) for port in self.elementary.outputs}
        return frozenset(port for port, shape in shapes.items() if self._is_settled(port, box(shape)))

    def _conflict(self, level: Level, *, writes: bool) -> bool:
        inside = [one for one in self.statements if _places(one)[: len(level.places)] == level.places]
        pairs = [pair for first in inside for second in inside for pair in _pairs(first, second, writes=writes)]
        if len(pairs) > _MAXIMUM_PAIRS:
            return True
        depth = _depth(inside[0], level) if inside else 0
        try:
            return any(_meet(first, second, depth) for first, second in pairs)
        except TooHardError:
            return True

    def _is_settled(self, port: str, elements: isl.Set) -> bool:
        writes = [one for one in self.statements if one.assign.port == port and _is_sure(one)]
        try:
            missing = elements
            for one in writes:
                with bounded_effort():
                    missing = missing.subtract(one.write.relation.range())
                missing = tidied(missing)
            with bounded_effort():
                if not missing.is_empty():
                    return False
            return all(
                _is_served(one, access, writes)
                for one in self.statements
                for access in one.reads
                if access.port == port
            )
        except TooHardError:
            return False


def nest_of(elementary: Elementary) -> Nest:
    """The nest of an elementary task that has a body."""
    return Nest(elementary, tuple(statements_of(elementary)))


def _is_sure(statement: NestStatement) -> bool:
    return statement.exact and statement.write.certain and statement.write.affine


def _is_served(statement: NestStatement, access: NestAccess, writes: Iterable[NestStatement]) -> bool:
    left = access.relation
    for write in reversed(list(writes)):
        with bounded_effort():
            left = left.subtract(earlier_instances(write, statement).apply_range(write.write.relation))
            if left.is_empty():
                return True
    with bounded_effort():
        return bool(left.is_empty())


def _places(statement: NestStatement) -> tuple[int, ...]:
    return tuple(place for place, _ in statement.path)


def _depth(statement: NestStatement, level: Level) -> int:
    """How many range variables are around a level."""
    return sum(count for _, count in statement.path[: len(level.places) - 1]) + level.number


def _pairs(first: NestStatement, second: NestStatement, *, writes: bool) -> list[tuple[NestAccess, NestAccess]]:
    """Accesses to one port, a write among them, by an instance of `first` and a later one of `second`."""
    found = [(first.write, second.write)] if writes and first.assign.port == second.assign.port else []
    found += [(first.write, read) for read in second.reads if read.port == first.assign.port]
    return found + [(read, second.write) for read in first.reads if read.port == second.assign.port]


def _meet(first: NestAccess, second: NestAccess, depth: int) -> bool:
    with bounded_effort():
        together = first.relation.apply_range(second.relation.reverse())
        return not together.intersect(_later(together, depth)).is_empty()


def _later(pairs: isl.Map, depth: int) -> isl.Map:
    """Instances that agree at the first `depth` levels, and the later one is higher at the next."""
    names: Sequence[str] = [f"a{place}" for place in range(pairs.dim(isl.dim_type.in_))]
    others: Sequence[str] = [f"b{place}" for place in range(pairs.dim(isl.dim_type.out))]
    conditions = [f"{one} = {other}" for one, other in zip(names[:depth], others[:depth], strict=True)]
    conditions.append(f"{names[depth]} < {others[depth]}")
    return isl.Map(f"{{ [{', '.join(names)}] -> [{', '.join(others)}] : {' and '.join(conditions)} }}")
