"""References of the unrolled body of an elementary task, and how often that body runs.

Runs are counted, not estimated: loops on whose index an inner bound depends are walked, the others multiplied.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import groupby
from math import prod
from types import MappingProxyType

from arrayol.ir import expressions
from arrayol.ir.affine import AffineExpr, affine, expression_of, non_affine_part
from arrayol.ir.spec import Elementary
from arrayol.ir.types import Weak
from arrayol.language.emitter import written
from arrayol.language.syntax.printer import expression
from arrayol.source import Span
from arrayol.transforms.substitute import substitute
from arrayol.transforms.unroll import BlockLoop, StatementCopy, Unrolled, unroll
from arrayol.transforms.unroll_legality import loop_depth, no_nest
from hwmodel.banks.references import ArrayInfo, Body, NormalisedLoop, Reference, Subscript, Unknown, UnrolledNest


@dataclass(frozen=True, slots=True)
class Trips:
    """`runs` full unrolled bodies and `iterations` of the original loops; per loop the most blocks in one go."""

    runs: int
    iterations: int
    extents: tuple[int, ...]


def count_trips(loops: Sequence[BlockLoop], outer: Mapping[str, int] = MappingProxyType({})) -> Trips:
    """Count by walking the loops on which inner bounds depend, inside given indices of `outer` loops."""
    if not loops:
        return Trips(1, 1, ())
    first, rest = loops[0], loops[1:]
    extent = max(0, _value(first.extent, outer, first.range.span))
    full = extent // first.factor
    if not any(expressions.mentions(expression_of(loop.extent, loop.range.span), first.name) for loop in rest):
        inner = count_trips(rest, outer)
        return Trips(full * inner.runs, extent * inner.iterations, (full, *inner.extents))
    if not extent:
        return Trips(0, 0, (0,) * len(loops))
    turns = [count_trips(rest, {**outer, first.name: index}) for index in range(extent)]  # its factor is 1
    extents = (max(column) for column in zip(*(turn.extents for turn in turns), strict=True))
    return Trips(sum(turn.runs for turn in turns), sum(turn.iterations for turn in turns), (full, *extents))


def _value(form: AffineExpr, outer: Mapping[str, int], span: Span) -> int:
    bindings = {name: expressions.Constant(value, Weak.INTEGER, span) for name, value in outer.items()}
    value = affine(substitute(expression_of(form, span), bindings)).number
    assert value is not None  # bounds use range variables and constants only
    return value


# A read, or an assignment as its target; whether it surely happens.
Accessed = tuple[expressions.Read | expressions.Assign, bool]


def nest_of_elementary(
    elementary: Elementary, factors: Sequence[int] | None, tables: Set[str] = frozenset()
) -> UnrolledNest:
    """The references of an elementary's body, but for locals and const arrays, which are in no memory that is shared.

    Raises ArrayolError as `unroll` does.
    """
    if elementary.body is None:
        raise no_nest(elementary)
    unrolled = unroll(elementary, [1] * loop_depth(elementary) if factors is None else factors)
    ports = (*elementary.inputs, *elementary.outputs)
    arrays = {
        port.name: ArrayInfo(port.name, port.shape, port in elementary.inputs, port in elementary.outputs)
        for port in ports
        if port.shape and port.name not in tables
    }
    return UnrolledNest(elementary.name, arrays, tuple(_bodies(unrolled, tables)))


def accesses(assign: expressions.Assign) -> Iterator[Accessed]:
    """The accesses of an assignment to arrays, in the order of their numbers.

    First the target where `+=` reads it, then the reads of the value, of the subscripts, of the condition, each before
    those in its own subscripts; the write comes last.
    """
    sure = assign.condition is None
    if assign.accumulate and assign.subscripts:
        yield assign, sure
    for part in (assign.value, *assign.subscripts):
        yield from _reads(part, sure=sure)
    if assign.condition is not None:
        yield from _reads(assign.condition, sure=True)
    if assign.subscripts:
        yield assign, sure


def _reads(expr: expressions.Expr, *, sure: bool) -> Iterator[Accessed]:
    stack = [(expr, sure)]
    while stack:
        node, certain = stack.pop()
        if isinstance(node, expressions.Read) and node.subscripts:
            yield node, certain
        parts = [(part, certain) for part in expressions.operands_of(node)]
        if isinstance(node, expressions.Select):
            parts = [(node.then, False), (node.condition, certain), (node.otherwise, False)]
        elif isinstance(node, expressions.Operation) and expressions.decides_of(node) is not None:
            parts = [(node.operands[0], certain), (node.operands[1], False)]
        stack += reversed(parts)


def _bodies(unrolled: Unrolled, tables: Set[str]) -> Iterator[Body]:
    """The innermost bodies in the order of their numbers: the copies of their full blocks."""
    apart = {local.name for local in unrolled.elementary.locals} | tables
    placed = list(zip(unrolled.copies, expressions.assigns(unrolled.elementary.body or ()), strict=True))
    full = sorted((pair for pair in placed if pair[0].full), key=lambda pair: pair[0].body)
    for _, group in groupby(full, key=lambda pair: pair[0].body):
        copies = list(group)
        loops = copies[0][0].loops
        trips = count_trips(loops)
        references = tuple(each for copy, assign in copies for each in _references(copy, assign, loops, apart))
        yield Body(
            tuple(NormalisedLoop(loop.name, extent) for loop, extent in zip(loops, trips.extents, strict=True)),
            tuple(loop.factor for loop in loops),
            references,
            trips.runs,
            trips.iterations - trips.runs * prod(loop.factor for loop in loops),
        )


def _references(
    copy: StatementCopy, assign: expressions.Assign, loops: Sequence[BlockLoop], apart: Set[str]
) -> Iterator[Reference]:
    names = [loop.name for loop in loops]
    accessed = list(accesses(assign))
    for number, (node, certain) in enumerate(accessed):
        if node.port in apart:
            continue
        yield Reference(
            node.port,
            number == len(accessed) - 1 and node is assign,
            tuple(subscript_of(item, names) for item in node.subscripts),
            copy.body,
            copy.statement,
            copy.copy,
            number,
            certain,
        )


def subscript_of(expr: expressions.Expr, names: Sequence[str]) -> Subscript:
    """A subscript by the loop indices of these names."""
    form = affine(expr)
    unknown = sorted(
        (
            Unknown(abs(factor), _text(part, factor), _arrays(part), None if factor < 0 else part)
            for part, factor in non_affine_part(form)
        ),
        key=lambda part: part.text,
    )
    return Subscript(tuple(form.factor(name) for name in names), form.constant, tuple(unknown))


def _text(expr: expressions.Expr, factor: int) -> str:
    text = expression(written(expr))
    return text if factor > 0 else f"-({text})"


def _arrays(expr: expressions.Expr) -> tuple[str, ...]:
    return tuple(dict.fromkeys(node.port for node, _ in _reads(expr, sure=True)))
