"""Exact questions about the order inside bodies and of repetitions: what carries a dependence, what a new order breaks.

A level carries a dependence where two instances that differ there, and agree at all levels around it, touch the same
element, and one of them writes it. Instances of a level that carries none need no order. Where only data decide an
access, every access that may happen counts; a question beyond isl's bounded effort is answered on the safe side.

A new order is a time for each instance. It breaks a dependence where one instance runs before another, their times are
the other way round, and both touch one element: an intersection of relations, empty or with a point to show.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import islpy as isl

from arrayol.ir import expressions
from arrayol.ir.spec import Elementary, Shape
from arrayol.polyhedral.isl import Point, TooHardError, bounded_effort, box, coordinates, tidied
from arrayol.polyhedral.nests import NestAccess, NestStatement, earlier_instances, statements_of
from arrayol.polyhedral.pieces import value_pieces

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
        """Outputs that are written whole, and locals: those that are read only where they surely have been written."""
        shapes = {port.name: tuple(extent or 0 for extent in port.shape) for port in self.elementary.outputs}
        arrays = {name: box(shape) for name, shape in shapes.items()}
        for local in self.elementary.locals:  # they need not be written
            arrays[local.name] = isl.Set.empty(box((None,) * local.rank).get_space())
        return frozenset(name for name, elements in arrays.items() if self._is_settled(name, elements))

    def _conflict(self, level: Level, *, writes: bool) -> bool:
        inside = [statement for statement in self.statements if _places(statement)[: len(level.places)] == level.places]
        pairs = [pair for first in inside for second in inside for pair in _pairs(first, second, writes=writes)]
        if len(pairs) > _MAXIMUM_PAIRS:
            return True
        depth = _depth(inside[0], level) if inside else 0
        try:
            return any(_meet(first, second, depth) for first, second in pairs)
        except TooHardError:
            return True

    def _is_settled(self, port: str, elements: isl.Set) -> bool:
        writes = [statement for statement in self.statements if statement.assign.port == port and _is_sure(statement)]
        try:
            missing = elements
            for statement in writes:
                with bounded_effort():
                    missing = missing.subtract(statement.write.relation.range())
                missing = tidied(missing)
            with bounded_effort():
                if not missing.is_empty():
                    return False
            return all(
                _is_served(statement, access, writes)
                for statement in self.statements
                for access in statement.reads
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
    """Accesses of the two to one port, a write among them; without `writes` not two writes."""
    pairs = [(first.write, second.write)] if writes and first.assign.port == second.assign.port else []
    pairs += [(first.write, read) for read in second.reads if read.port == first.assign.port]
    return pairs + [(read, second.write) for read in first.reads if read.port == second.assign.port]


def _meet(first: NestAccess, second: NestAccess, depth: int) -> bool:
    with bounded_effort():
        together = first.relation.apply_range(second.relation.reverse())
        return not together.intersect(_later(together, depth)).is_empty()


def _later(pairs: isl.Map, depth: int) -> isl.Map:
    """Instances that agree at the first `depth` levels, and the later one is higher at the next."""
    names: Sequence[str] = [f"a{place}" for place in range(pairs.dim(isl.dim_type.in_))]
    others: Sequence[str] = [f"b{place}" for place in range(pairs.dim(isl.dim_type.out))]
    conditions = [f"{name} = {other}" for name, other in zip(names[:depth], others[:depth], strict=True)]
    conditions.append(f"{names[depth]} < {others[depth]}")
    return isl.Map(f"{{ [{', '.join(names)}] -> [{', '.join(others)}] : {' and '.join(conditions)} }}")


# May the instances of statements run in another order? Not where two of them touch one element and one writes it.

_OPERATIONS = 200_000  # for one pair of accesses; `//` of the block numbers takes isl longer than plain order


@dataclass(frozen=True, slots=True)
class BlockOf:
    """One entry of a new time: floor((index - low) / factor) of the range variable at a place."""

    index: int
    low: expressions.Expr
    factor: int


@dataclass(frozen=True, slots=True)
class WithinBlock:
    """One entry of a new time: (index - low) modulo factor."""

    index: int
    low: expressions.Expr
    factor: int


Time = Sequence[int | BlockOf | WithinBlock]  # compared entry by entry


@dataclass(frozen=True, slots=True)
class Swapped:
    """Two instances that touch one element in an order that would be turned round."""

    element: Point
    port: str
    first: NestStatement
    first_instance: Point
    first_writes: bool
    second: NestStatement
    second_instance: Point
    second_writes: bool


def find_swapped(statements: Sequence[NestStatement], times: Sequence[Time]) -> Swapped | None:
    """Two dependent instances that the new times put in the other order, or None.

    `times` has one for each statement; the times of any two instances differ. Where only data decide which element an
    access touches it may be any. Raises TooHardError beyond isl's bounded effort.
    """
    length = max((len(time) for time in times), default=0)
    maps = [
        _time_map(statement, [*time, *[0] * (length - len(time))])
        for statement, time in zip(statements, times, strict=True)
    ]
    for place, first in enumerate(statements):
        for other, second in enumerate(statements):
            pairs = _pairs(first, second, writes=True)
            if pairs:
                turned = _turned(first, second, maps[place], maps[other])
                for access, later in pairs:
                    swapped = _swapped(first, access, second, later, turned)
                    if swapped:
                        return swapped
    return None


def find_swapped_delay(
    repetition: Shape, vector: Sequence[int], factors: Sequence[int], directions: Sequence[int]
) -> tuple[Point, Point] | None:
    """Repetitions (r - vector, r) that blocks of `factors` repetitions, walked row by row, would swap, or None.

    Inside a block repetitions keep their order; a direction of -1 walks a dimension downwards.
    """
    rank = len(repetition)
    names = [f"r{axis}" for axis in range(rank)]
    forward = [
        name if sign > 0 else f"({extent} - 1 - {name})"
        for name, sign, extent in zip(names, directions, repetition, strict=True)
    ]
    blocks = [f"floor(({text}) / {factor})" for text, factor in zip(forward, factors, strict=True)]
    copies = [f"({text}) mod {factor}" for text, factor in zip(forward, factors, strict=True)]
    time = isl.Map(f"{{ [{', '.join(names)}] -> [{', '.join([*blocks, *copies])}] }}")
    later = ", ".join(f"{name} + ({step})" for name, step in zip(names, vector, strict=True))
    space = box(repetition)
    depends = isl.Map(f"{{ [{', '.join(names)}] -> [{later}] }}").intersect_domain(space).intersect_range(space)
    with bounded_effort(_OPERATIONS):
        wrong = depends.intersect(time.lex_ge_map(time))
        if wrong.is_empty():
            return None
        swapped = wrong.wrap() if None in repetition else wrong.wrap().lexmin()
        point = coordinates(swapped.sample_point())
    return point[:rank], point[rank:]


def _time_map(statement: NestStatement, time: Time) -> isl.Map:
    names = {name: f"i{place}" for place, name in enumerate(statement.indices)}
    entries = ", ".join(_entry(entry, names) for entry in time)
    return isl.Map(f"{{ [{', '.join(names.values())}] -> [{entries}] }}")


def _entry(entry: int | BlockOf | WithinBlock, names: dict[str, str]) -> str:
    if isinstance(entry, int):
        return str(entry)
    index = f"i{entry.index}"
    if entry.factor == 1:
        return index if isinstance(entry, BlockOf) else "0"
    pieces = value_pieces(entry.low, names)
    if pieces is None or len(pieces) > 1:
        raise TooHardError
    shifted = f"({index} - {pieces[0][1]})"
    return f"floor({shifted} / {entry.factor})" if isinstance(entry, BlockOf) else f"{shifted} mod {entry.factor}"


def _turned(first: NestStatement, second: NestStatement, time: isl.Map, other: isl.Map) -> isl.Map:
    """Instances of `first` that run before those of `second`, and no longer would."""
    before = earlier_instances(first, second).reverse()
    with bounded_effort(_OPERATIONS):
        return before.intersect(time.lex_gt_map(other))


def _swapped(
    first: NestStatement, access: NestAccess, second: NestStatement, other: NestAccess, turned: isl.Map
) -> Swapped | None:
    with bounded_effort(_OPERATIONS):
        wrong = access.relation.apply_range(other.relation.reverse()).intersect(turned)
        if wrong.is_empty():
            return None
        point = coordinates(wrong.wrap().lexmin().sample_point())
        cut = len(first.indices)
        instances = point[:cut], point[cut:]
        touched = [
            relation.intersect_domain(_single(instance))
            for relation, instance in zip((access.relation, other.relation), instances, strict=True)
        ]
        element = coordinates(touched[0].range().intersect(touched[1].range()).sample_point())
    writes = access is first.write, other is second.write
    return Swapped(
        element,
        first.assign.port if writes[0] else access.port,
        first,
        instances[0],
        writes[0],
        second,
        instances[1],
        writes[1],
    )


def _single(point: Point) -> isl.Set:
    return isl.Set(f"{{ [{', '.join(map(str, point))}] }}")
