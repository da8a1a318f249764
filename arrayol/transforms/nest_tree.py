"""Bodies as trees: each level holds straight runs of assignments, and loops."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from arrayol.ir import expressions
from arrayol.ir.spec import Elementary
from arrayol.source import Span


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
