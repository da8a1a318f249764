"""May the instances of statements run in another order? Not where two of them touch one element and one writes it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import islpy as isl

from arrayol.ir import expressions
from arrayol.ir.spec import Shape
from arrayol.polyhedral.isl import TooHardError, bounded_effort
from arrayol.polyhedral.nests import NestAccess, NestStatement, earlier_instances
from arrayol.polyhedral.pieces import value_pieces
from arrayol.polyhedral.points import Point, box, coordinates

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
    maps = [_time_map(one, [*time, *[0] * (length - len(time))]) for one, time in zip(statements, times, strict=True)]
    for place, first in enumerate(statements):
        for other, second in enumerate(statements):
            pairs = list(_pairs(first, second))
            if pairs:
                turned = _turned(first, second, maps[place], maps[other])
                for one, two in pairs:
                    found = _swapped(first, one, second, two, turned)
                    if found:
                        return found
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
        found = coordinates(
            wrong.wrap().lexmin().sample_point() if _bounded(repetition) else wrong.wrap().sample_point()
        )
    return found[:rank], found[rank:]


def _bounded(shape: Shape) -> bool:
    return None not in shape


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


def _pairs(first: NestStatement, second: NestStatement) -> Iterator[tuple[NestAccess, NestAccess]]:
    """Accesses of the two to one port, a write among them."""
    if first.assign.port == second.assign.port:
        yield first.write, second.write
    yield from ((first.write, read) for read in second.reads if read.port == first.assign.port)
    yield from ((read, second.write) for read in first.reads if read.port == second.assign.port)


def _turned(first: NestStatement, second: NestStatement, time: isl.Map, other: isl.Map) -> isl.Map:
    """Instances of `first` that run before those of `second`, and no longer would."""
    before = earlier_instances(first, second).reverse()
    with bounded_effort(_OPERATIONS):
        return before.intersect(time.lex_gt_map(other))


def _swapped(
    first: NestStatement, one: NestAccess, second: NestStatement, two: NestAccess, turned: isl.Map
) -> Swapped | None:
    with bounded_effort(_OPERATIONS):
        wrong = one.relation.apply_range(two.relation.reverse()).intersect(turned)
        if wrong.is_empty():
            return None
        found = coordinates(wrong.wrap().lexmin().sample_point())
        cut = len(first.indices)
        instances = found[:cut], found[cut:]
        touched = [
            access.relation.intersect_domain(_single(instance))
            for access, instance in ((one, instances[0]), (two, instances[1]))
        ]
        element = coordinates(touched[0].range().intersect(touched[1].range()).sample_point())
    writes = one is first.write, two is second.write
    return Swapped(
        element,
        first.assign.port if writes[0] else one.port,
        first,
        instances[0],
        writes[0],
        second,
        instances[1],
        writes[1],
    )


def _single(point: Point) -> isl.Set:
    return isl.Set(f"{{ [{', '.join(map(str, point))}] }}")
