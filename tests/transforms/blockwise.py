"""Unroll-and-jam by direct execution: the events of a body in the order of its text and in that of its blocks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from types import CodeType

from arrayol.ir import expressions
from arrayol.language.emitter import written
from arrayol.language.syntax.printer import expression

Env = dict[str, int]


@dataclass(frozen=True)
class Event:
    """One run of an assignment: which, at which indices, and what it touches of outputs and inputs."""

    assign: int
    indices: tuple[tuple[str, int], ...]
    reads: tuple[tuple[str, tuple[int, ...]], ...]
    write: tuple[str, tuple[int, ...]]


def number(expr: expressions.Expr, env: Env) -> int:
    """An expression of range variables: its text means the same in Python."""
    return int(eval(_code(expr), {"min": min, "max": max}, env))


@cache
def _code(expr: expressions.Expr) -> CodeType:
    return compile(expression(written(expr)), "body", "eval")


def events(statements: Sequence[expressions.Statement], factors: Sequence[int]) -> list[Event]:
    """The events in the order of blocks of `factors` iterations; factors of 1 give the order of the text."""
    numbers = {id(assign): place for place, assign in enumerate(_assigns(statements))}
    return list(_run(statements, [{}], 0, factors, numbers))


def turned(first: list[Event], second: list[Event]) -> bool:
    """Whether two events that touch one element, one of them writing, stand in the other order in `second`."""
    place = {event: position for position, event in enumerate(second)}
    assert place.keys() == set(first)
    touching: dict[object, list[tuple[Event, bool]]] = defaultdict(list)
    for event in first:
        for element in event.reads:
            touching[element].append((event, False))
        touching[event.write].append((event, True))
    return any(
        (writes or also) and place[one] > place[other]
        for found in touching.values()
        for position, (one, writes) in enumerate(found)
        for other, also in found[position + 1 :]
    )


def _assigns(statements: Sequence[expressions.Statement]) -> Iterator[expressions.Assign]:
    for one in statements:
        if isinstance(one, expressions.Loop):
            yield from _assigns(one.body)
        else:
            yield one


def _run(
    statements: Sequence[expressions.Statement],
    lanes: list[Env],
    depth: int,
    factors: Sequence[int],
    numbers: dict[int, int],
) -> Iterator[Event]:
    """Statements for all lanes: straight runs lane by lane, loops block by block for all lanes at once."""
    for looped, run in groupby(statements, key=lambda one: bool(one.ranges)):
        group = list(run)
        if looped:
            for one in group:
                inner = one.body if isinstance(one, expressions.Loop) else (one,)
                yield from _blocks(one.ranges, inner, lanes, depth, factors, numbers)
        else:
            for lane in lanes:
                for one in group:
                    yield from _event(one, lane, numbers)


def _blocks(ranges, inner, lanes, depth, factors, numbers):  # type: ignore[no-untyped-def]
    if not ranges:
        if len(inner) == 1 and isinstance(inner[0], expressions.Assign):
            for lane in lanes:
                yield from _event(inner[0], lane, numbers)
        else:
            yield from _run(inner, lanes, depth, factors, numbers)
        return
    low, high = (number(bound, lanes[0]) for bound in (ranges[0].low, ranges[0].high))
    for start in range(low, high, factors[depth]):
        block = [
            {**lane, ranges[0].name: index}
            for lane in lanes
            for index in range(start, min(start + factors[depth], high))
        ]
        yield from _blocks(ranges[1:], inner, block, depth + 1, factors, numbers)


def _event(assign: expressions.Assign, lane: Env, numbers: dict[int, int]) -> Iterator[Event]:
    if assign.condition is not None and not number(assign.condition, lane):
        return
    write = (assign.port, tuple(number(item, lane) for item in assign.subscripts))
    reads, stack = [write] * assign.accumulate, [assign.value]
    while stack:
        node = stack.pop()
        if isinstance(node, expressions.Read):
            reads.append((node.port, tuple(number(item, lane) for item in node.subscripts)))
        stack += expressions.operands_of(node)
    yield Event(numbers[id(assign)], tuple(lane.items()), tuple(reads), write)
