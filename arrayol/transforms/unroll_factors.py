"""Which unroll factors a nest of loops takes, and what is said of others."""

from __future__ import annotations

from collections.abc import Sequence

from arrayol.errors import ArrayolError, error
from arrayol.ir.spec import Elementary
from arrayol.source import Span


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
