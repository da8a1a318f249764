"""Which unroll factors a body takes: one for each loop, none beyond its range, and no order of accesses changed.

Iterations that touch one element, where one of them writes it, must stay in their order. Unroll-and-jam gives each
assignment a new time: the textual places and block numbers of the loops around it, then the iterations inside the
blocks, then its own place; isl decides whether two such accesses swap under it, and names a pair that does.
"""

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
from arrayol.text import counted

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
    for looped, run in groupby(statements, key=lambda item: isinstance(item, expressions.Loop) or bool(item.ranges)):
        if not looped:
            yield Straight(tuple(item for item in run if isinstance(item, expressions.Assign)))
            continue
        for item in run:
            inner = item.body if isinstance(item, expressions.Loop) else (replace(item, ranges=()),)
            yield Looped(item.ranges, inner, item.span)


def loop_depth(elementary: Elementary) -> int:
    """How many loops are around the innermost statement of a body."""
    return _depth(elementary.body or ())


def _depth(statements: Sequence[expressions.Statement]) -> int:
    return max(
        (len(item.ranges) + (_depth(item.body) if isinstance(item, expressions.Loop) else 0) for item in statements),
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
        loops = counted(depth, "loop", "nested loops") if depth else "no loops"
        verb = "is" if len(factors) == 1 else "are"
        hint = f"give one factor per loop, outermost first, as in {shown((2,) * depth)}" if depth else "give none"
        message = f"'{name}' has {loops}, and there {verb} {counted(len(factors), 'unroll factor')}"
        raise error("bad-unroll", message, span, hint=hint)
    if any(factor < 1 for factor in factors):
        hint = "1 leaves a loop as it is"
        raise error("bad-unroll", f"an unroll factor is at least 1, not {min(factors)}", span, hint=hint)


def beyond_range(name: str, loop: str, factor: int, extent: int, span: Span) -> ArrayolError:
    """The error for a factor larger than the number of iterations."""
    runs = "runs once" if extent == 1 else f"runs {extent:,} times"
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
        swapped = find_swapped(statements, times)
    except TooHardError:
        message = f"it could not be decided whether '{elementary.name}' keeps its meaning unrolled by {shown(factors)}"
        hint = "simplify its subscripts and ranges, or leave outer loops at factor 1"
        raise error("unroll-refused", message, elementary.span, hint=hint) from None
    if swapped is not None:
        raise _refusal(swapped, factors)


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
            # Jamming puts copies of an assignment next to each other: the index within a block varies inside `place`.
            within = [WithinBlock(index, one.low, factors[index]) for index, one in enumerate(around)]
            yield from ((*time, place, *within, number) for number in range(len(item.assigns)))


def _refusal(swapped: Swapped, factors: Sequence[int]) -> ArrayolError:
    element = f"{swapped.port}[{shown(swapped.element, ', ')}]" if swapped.element else swapped.port
    iterations = [
        f"({', '.join(f'{name} = {value}' for name, value in zip(statement.indices, instance, strict=True))})"
        for statement, instance in ((swapped.first, swapped.first_instance), (swapped.second, swapped.second_instance))
    ]
    does = ["writes" if writes else "reads" for writes in (swapped.first_writes, swapped.second_writes)]
    message = (
        f"unrolled by {shown(factors)}, iteration {iterations[1]} would run before iteration {iterations[0]}, "
        f"which {does[0]} '{element}' before the other {does[1]} it"
    )
    hint = "unroll the innermost loop alone, or choose factors that keep the two in order"
    return error("unroll-refused", message, swapped.second.assign.span, hint=hint)
