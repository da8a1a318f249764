"""The order of iterations that touch one element, which unroll-and-jam must keep."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from arrayol.errors import ArrayolError, error
from arrayol.ir import expressions
from arrayol.ir.spec import Elementary
from arrayol.polyhedral.dependences import BlockOf, Swapped, Time, WithinBlock, find_swapped
from arrayol.polyhedral.isl import TooHardError
from arrayol.polyhedral.nests import statements_of
from arrayol.source import Span

# Bodies as trees: each level holds straight runs of assignments, and loops.


@dataclass(frozen=True, slots=True)
class Straight:
    """Assignments without ranges of their own, one after the other."""

    assigns: tuple[expressions.Assign, ...]


@dataclass(frozen=True, slots=True)
class Looped:
    """The ranges of a loop, or of an assignment, and what they are around."""

    ranges: tuple[expressions.Range, ...]
    inner: tuple[expressions.Statement, ...]
    span: Span


def items_of(statements: Sequence[expressions.Statement]) -> Iterator[Straight | Looped]:
    """What stands at one level of a body, in textual order."""
    for looped, run in groupby(statements, key=lambda one: isinstance(one, expressions.Loop) or bool(one.ranges)):
        if not looped:
            yield Straight(tuple(one for one in run if isinstance(one, expressions.Assign)))
            continue
        for one in run:
            inner = one.body if isinstance(one, expressions.Loop) else (replace(one, ranges=()),)
            yield Looped(one.ranges, inner, one.span)


def loop_depth(elementary: Elementary) -> int:
    """How many loops are around the innermost statement of a body."""
    return _depth(elementary.body or ())


def _depth(statements: Sequence[expressions.Statement]) -> int:
    return max(
        (len(one.ranges) + (_depth(one.body) if isinstance(one, expressions.Loop) else 0) for one in statements),
        default=0,
    )


# Which unroll factors a nest of loops takes, and what is said of others.


def no_nest(elementary: Elementary) -> ArrayolError:
    """The error for an elementary task whose loops cannot be seen."""
    what = "is a Python function" if elementary.extern else "is a black box"
    return error(
        "no-nest",
        f"'{elementary.name}' {what}, so there are no loops and no references to look at",
        elementary.span,
        hint="give it a body, as in { y[i] = x[i] for i in 0..8 }",
    )


def check_factors(name: str, factors: Sequence[int], depth: int, span: Span) -> None:
    """Raise `bad-unroll` where there is not one factor of at least 1 per loop."""
    if len(factors) != depth:
        loops = "no loops" if depth == 0 else "1 loop" if depth == 1 else f"{depth} nested loops"
        given = "is 1 unroll factor" if len(factors) == 1 else f"are {len(factors)} unroll factors"
        hint = f"give one factor per loop, outermost first, as in {','.join(['2'] * depth)}" if depth else "give none"
        raise error("bad-unroll", f"'{name}' has {loops}, and there {given}", span, hint=hint)
    if any(factor < 1 for factor in factors):
        hint = "1 leaves a loop as it is"
        raise error("bad-unroll", f"an unroll factor is at least 1, not {min(factors)}", span, hint=hint)


def beyond_range(name: str, loop: str, factor: int, extent: int, span: Span) -> ArrayolError:
    """The error for a factor larger than the number of iterations."""
    runs = "runs once" if extent == 1 else f"runs {extent} times"
    hint = f"a factor of at most {extent} leaves a full body" if extent else "it runs over nothing"
    return error(
        "bad-unroll", f"loop '{loop}' of '{name}' {runs}, so it cannot be unrolled by {factor}", span, hint=hint
    )


def shown(numbers: Sequence[int], separator: str = ",") -> str:
    """Numbers as a command takes them: 2,2."""
    return separator.join(map(str, numbers))


def refuse_swapped(elementary: Elementary, factors: Sequence[int]) -> None:
    """Raise `unroll-refused` where two iterations that touch one element would change places, or none can tell."""
    statements = statements_of(elementary)
    times = list(_times(elementary.body or (), factors, (), ()))
    try:
        found = find_swapped(statements, times)
    except TooHardError:
        message = f"it could not be decided whether '{elementary.name}' keeps its meaning unrolled by {shown(factors)}"
        hint = "simplify its subscripts and ranges, or leave outer loops at factor 1"
        raise error("unroll-refused", message, elementary.span, hint=hint) from None
    if found is not None:
        raise _swapped(found, factors)


def _times(
    statements: Sequence[expressions.Statement],
    factors: Sequence[int],
    time: tuple[int | BlockOf | WithinBlock, ...],
    around: tuple[expressions.Range, ...],
) -> Iterator[Time]:
    """When each assignment runs after unroll-and-jam, in textual order."""
    for place, item in enumerate(items_of(statements)):
        if isinstance(item, Looped):
            ranges = (*around, *item.ranges)
            blocks = [BlockOf(index, ranges[index].low, factors[index]) for index in range(len(around), len(ranges))]
            yield from _times(item.inner, factors, (*time, place, *blocks), ranges)
        else:
            within = [WithinBlock(index, one.low, factors[index]) for index, one in enumerate(around)]
            yield from ((*time, place, *within, number) for number in range(len(item.assigns)))


def _swapped(found: Swapped, factors: Sequence[int]) -> ArrayolError:
    element = f"{found.port}[{shown(found.element, ', ')}]" if found.element else found.port
    iterations = [
        f"({', '.join(f'{name} = {value}' for name, value in zip(statement.indices, instance, strict=True))})"
        for statement, instance in ((found.first, found.first_instance), (found.second, found.second_instance))
    ]
    does = ["writes" if writes else "reads" for writes in (found.first_writes, found.second_writes)]
    message = (
        f"unrolled by {shown(factors)}, iteration {iterations[1]} would run before iteration {iterations[0]}, "
        f"which {does[0]} '{element}' before the other {does[1]} it"
    )
    hint = "unroll the innermost loop alone, or choose factors that keep the two in order"
    return error("unroll-refused", message, found.second.assign.span, hint=hint)
