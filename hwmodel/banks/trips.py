"""How often the innermost body of unrolled loops runs, also where outer loops bound inner ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from arrayol.ir import expressions
from arrayol.ir.affine import AffineExpr, affine, expression_of
from arrayol.ir.types import Weak
from arrayol.source import Span
from arrayol.transforms.substitute import substitute
from arrayol.transforms.unroll import BlockLoop


@dataclass(frozen=True, slots=True)
class Trips:
    """`runs` full unrolled bodies and `iterations` of the original loops; per loop the most blocks in one go."""

    runs: int
    iterations: int
    extents: tuple[int, ...]


def count_trips(loops: Sequence[BlockLoop]) -> Trips:
    """Count by walking the loops on which inner bounds depend; the others are multiplied."""
    return _count(loops, {})


def _count(loops: Sequence[BlockLoop], outer: Mapping[str, int]) -> Trips:
    if not loops:
        return Trips(1, 1, ())
    first, rest = loops[0], loops[1:]
    extent = max(0, _value(first.extent, outer, first.range.span))
    full = extent // first.factor
    if not any(expressions.mentions(expression_of(loop.extent, loop.range.span), first.name) for loop in rest):
        inner = _count(rest, outer)
        return Trips(full * inner.runs, extent * inner.iterations, (full, *inner.extents))
    found = [_count(rest, {**outer, first.name: index}) for index in range(extent)]  # its factor is 1
    extents = (max(column) for column in zip(*(one.extents for one in found), strict=True))
    if not found:
        return Trips(0, 0, (0,) * len(loops))
    return Trips(sum(one.runs for one in found), sum(one.iterations for one in found), (full, *extents))


def _value(form: AffineExpr, outer: Mapping[str, int], span: Span) -> int:
    bindings = {name: expressions.Constant(value, Weak.INTEGER, span) for name, value in outer.items()}
    value = affine(substitute(expression_of(form, span), bindings)).number
    assert value is not None  # bounds use range variables and constants only
    return value
