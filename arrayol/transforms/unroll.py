"""Unroll-and-jam of the loops of an elementary task.

Loops are normalised to unit steps from 0. A loop of depth k unrolled by factors[k] runs over blocks of that many
iterations; their copies stand side by side in the innermost bodies, in lexicographic order:

    loop i in 1..6, j in 0..4 { y[i] += x[i, j] }              before, with factors 2, 2

    loop i in 0..2, j in 0..2 {                                after: full blocks,
      y[2 * i + 1] += x[2 * i + 1, 2 * j]
      y[2 * i + 1] += x[2 * i + 1, 2 * j + 1]
      y[2 * i + 2] += x[2 * i + 2, 2 * j]
      y[2 * i + 2] += x[2 * i + 2, 2 * j + 1]
    }
    loop j in 0..2 {                                           and the remainder, a block with fewer copies
      y[5] += x[5, 2 * j]
      y[5] += x[5, 2 * j + 1]
    }

Where the number of iterations depends on outer loops a block may lack its last copies: `where` guards them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import reduce

from arrayol.errors import error
from arrayol.ir import expressions
from arrayol.ir.affine import Affine, AffineExpr, affine, expression_of
from arrayol.ir.spec import Elementary, Local, OuterRange, written_name
from arrayol.ir.types import ElementType, Weak
from arrayol.source import Span
from arrayol.transforms.substitute import element, is_bool_constant, substitute
from arrayol.transforms.unroll_legality import (
    Looped,
    Straight,
    beyond_range,
    check_factors,
    items_of,
    loop_depth,
    no_nest,
    refuse_swapped,
    shown,
)

MAXIMUM_STATEMENTS = 20_000  # of an unrolled body: what can still be read, checked and executed


@dataclass(frozen=True, slots=True)
class BlockLoop:
    """A loop over the blocks of a range: its index counts blocks from 0.

    `extent` is the number of iterations before unrolling, where outer loops decide in terms of their block indices;
    `range` is the loop as it stands in the unrolled body.
    """

    name: str
    factor: int
    extent: AffineExpr
    range: expressions.Range

    @property
    def trips(self) -> int | None:
        """How many full blocks there are, None where outer loops decide."""
        return None if self.extent.number is None else self.extent.number // self.factor


@dataclass(frozen=True, slots=True)
class StatementCopy:
    """What an assignment of the unrolled body is a copy of.

    `body` numbers the innermost bodies of the nest, `statement` the assignments of such a body, both in textual order;
    `copy` is the place among the copies, one number per loop around. `full` is false in a remainder.
    `loops` are those around a full block.
    """

    body: int
    statement: int
    copy: tuple[int, ...]
    full: bool
    loops: tuple[BlockLoop, ...]


@dataclass(frozen=True, slots=True)
class Unrolled:
    """An unrolled elementary task, and for each assignment of its body, in textual order, what it is a copy of."""

    elementary: Elementary
    copies: tuple[StatementCopy, ...]


def unroll(elementary: Elementary, factors: Sequence[int], taken: Set[str] = frozenset()) -> Unrolled:
    """Unroll and jam the loops of a body, loops of depth k by factors[k]; where a body is less deep it takes the first.

    Each copy of a loop's block has locals of its own, with names other than `taken`. Raises ArrayolError: `no-nest`
    without a body, `bad-unroll` where the factors do not fit the loops, `unroll-refused` where two iterations that
    touch one element would change places, or the reordering cannot be told to be safe.
    """
    if elementary.body is None:
        raise no_nest(elementary)
    depth = loop_depth(elementary)
    check_factors(elementary.name, factors, depth, elementary.span)
    builder = _Builder(factors, elementary, taken)
    statements, copies = builder.statements(elementary.body, (_Lane({}, (), full=True),), ())
    if any(factor > 1 for factor in factors):
        refuse_swapped(elementary, factors)
    locals_ = tuple(sorted(builder.locals.values(), key=lambda local: local.name))
    return Unrolled(replace(elementary, body=statements, locals=locals_), copies)


@dataclass(frozen=True, slots=True)
class _Lane:
    """One of the copies side by side: what its range variables are, its numbers, and the guards it needs."""

    bindings: Mapping[str, expressions.Expr]
    copy: tuple[int, ...]
    full: bool
    guards: tuple[expressions.Expr, ...] = ()

    def within(
        self, name: str, value: expressions.Expr, number: int, *, full: bool, guard: expressions.Expr | None = None
    ) -> _Lane:
        guards = self.guards if guard is None else (*self.guards, guard)
        return _Lane({**self.bindings, name: value}, (*self.copy, number), self.full and full, guards)


_Built = tuple[tuple[expressions.Statement, ...], tuple[StatementCopy, ...]]
_Rest = tuple[Callable[[tuple[_Lane, ...], tuple[BlockLoop, ...]], _Built], tuple[BlockLoop, ...], Span]


class _Builder:
    """Builds the unrolled statements; counts the innermost bodies as they are met first."""

    def __init__(self, factors: Sequence[int], elementary: Elementary, taken: Set[str]) -> None:
        self.factors = factors
        self.elementary = elementary
        self.taken = {*taken, *(port.name for port in (*elementary.inputs, *elementary.outputs))}
        self.taken |= {written_name(local.name) for local in elementary.locals}
        self.taken |= {item.name for item in expressions.ranges(elementary.body or ())}
        self.locals: dict[tuple[str, tuple[int, ...], tuple[str, ...]], Local] = {}
        self.numbers: dict[tuple[int, ...], int] = {}
        self.count = 0

    def statements(
        self,
        statements: Sequence[expressions.Statement],
        lanes: tuple[_Lane, ...],
        loops: tuple[BlockLoop, ...],
        places: tuple[int, ...] = (),
    ) -> _Built:
        built: list[expressions.Statement] = []
        copies: list[StatementCopy] = []
        lanes = tuple(self._with_locals(lane, loops, statements) for lane in lanes)
        for place, item in enumerate(items_of(statements)):
            if isinstance(item, Straight):
                unrolled = self._straight(item, lanes, loops, (*places, place))
            else:
                unrolled = self._nest(item.ranges, item, lanes, loops, (*places, place))
            built += unrolled[0]
            copies += unrolled[1]
        return tuple(built), tuple(copies)

    def _with_locals(
        self, lane: _Lane, loops: tuple[BlockLoop, ...], statements: Sequence[expressions.Statement]
    ) -> _Lane:
        """The lane with a local of its own for each one of this block."""
        depth = len(lane.copy)
        mentioned = {name for assign in expressions.assigns(statements) for name in expressions.arrays(assign)}
        for local in self.elementary.locals:
            if len(local.around) == depth and local.name in mentioned:
                own = self._local_of_copy(local, lane, loops)
                outer = tuple(expressions.Index(around.name, local.span) for around in own.around)
                read = expressions.Read(own.name, outer, local.type, local.span, len(outer))
                lane = replace(lane, bindings={**lane.bindings, local.name: read})
        return lane

    def _local_of_copy(self, local: Local, lane: _Lane, loops: tuple[BlockLoop, ...]) -> Local:
        """A copy's local, inside those loops over blocks that are left around it."""
        around = tuple(
            OuterRange(outer.name, 0, -((outer.low - outer.high) // loop.factor) if loop.trips is None else loop.trips)
            for outer, loop in zip(local.around, loops, strict=False)
            if expressions.mentions(lane.bindings[outer.name], outer.name)
        )
        key = local.name, lane.copy, tuple(outer.name for outer in around)
        if key not in self.locals:
            name = local.name
            if any(lane.copy) or not lane.full:
                name = "_".join([written_name(name), *map(str, lane.copy), *([] if lane.full else ["rest"])])
                while name in self.taken:
                    name += "_"
                self.taken.add(name)
            self.locals[key] = replace(local, name=name, around=around)
        return self.locals[key]

    def _straight(
        self, item: Straight, lanes: tuple[_Lane, ...], loops: tuple[BlockLoop, ...], places: tuple[int, ...]
    ) -> _Built:
        number = self.numbers.setdefault(places, len(self.numbers))
        built: list[expressions.Statement] = []
        copies: list[StatementCopy] = []
        for lane in lanes:
            for statement, assign in enumerate(item.assigns):
                copied = _copied(assign, lane)
                if copied is not None:
                    built.append(copied)
                    copies.append(StatementCopy(number, statement, lane.copy, lane.full, loops))
        self.count += len(built)
        self._require_few(self.count)
        return tuple(built), tuple(copies)

    def _require_few(self, count: int) -> None:
        if count > MAXIMUM_STATEMENTS:
            hint = f"at most {MAXIMUM_STATEMENTS:,} statements are made; choose smaller factors"
            message = f"unrolled by {shown(self.factors)}, '{self.elementary.name}' has too many statements"
            raise error("bad-unroll", message, self.elementary.span, hint=hint)

    def _nest(
        self,
        ranges: Sequence[expressions.Range],
        item: Looped,
        lanes: tuple[_Lane, ...],
        loops: tuple[BlockLoop, ...],
        places: tuple[int, ...],
    ) -> _Built:
        if not ranges:
            return self.statements(item.inner, lanes, loops, places)
        written, rest, factor = ranges[0], ranges[1:], self.factors[len(lanes[0].copy)]
        low, extent = self._bounds(written, lanes)

        def inside(inner: tuple[_Lane, ...], around: tuple[BlockLoop, ...]) -> _Built:
            return self._nest(rest, item, inner, around, places)

        self._require_few(len(lanes) * min(factor, max(1, extent.number or factor)))
        if extent.number is None:
            return self._guarded(written, low, extent, lanes, (inside, loops, item.span))
        trips, left = divmod(max(extent.number, 0), factor)
        if trips == 0:
            if extent.number > 0:
                raise beyond_range(self.elementary.name, written.name, factor, extent.number, written.span)
            return (), ()
        loop = _block_loop(written, factor, extent, Affine(constant=trips))
        block = tuple(_lane(lane, written, low, factor, number) for lane in lanes for number in range(factor))
        statements, copies = inside(block, (*loops, loop))
        full = self._looped(loop.range, statements, item.span)
        if not left:
            return full, copies
        last = tuple(_last_lane(lane, written, low, factor * trips, number) for lane in lanes for number in range(left))
        remaining, others = inside(last, (*loops, loop))
        return (*full, *remaining), (*copies, *others)

    def _looped(
        self, range_: expressions.Range, statements: tuple[expressions.Statement, ...], span: Span
    ) -> tuple[expressions.Statement, ...]:
        """Statements in a loop; loops directly in one another become one, but for the block that a local is in."""
        if not statements:
            return ()
        first, *others = statements
        own = {local.name for local in self.locals.values() if range_.name in (around.name for around in local.around)}
        if others or (isinstance(first, expressions.Assign) and first.port in own):
            return (expressions.Loop((range_,), statements, span),)
        return (replace(first, ranges=(range_, *first.ranges)),)

    def _guarded(
        self, written: expressions.Range, low: AffineExpr, extent: AffineExpr, lanes: tuple[_Lane, ...], rest: _Rest
    ) -> _Built:
        """A loop whose number of iterations depends on outer ones: its last block may lack copies."""
        inside, loops, span = rest
        factor = self.factors[len(lanes[0].copy)]
        rounded = expression_of(extent + (factor - 1), written.span)
        divisor = expressions.Constant(factor, Weak.INTEGER, written.span)
        blocks = affine(expressions.Operation("//", (rounded, divisor), Weak.INTEGER, written.span))
        loop = _block_loop(written, factor, extent, extent if factor == 1 else blocks)
        block = tuple(
            _lane(lane, written, low, factor, number, extent if number else None)
            for lane in lanes
            for number in range(factor)
        )
        statements, copies = inside(block, (*loops, loop))
        return self._looped(loop.range, statements, span), copies

    def _bounds(self, written: expressions.Range, lanes: tuple[_Lane, ...]) -> tuple[AffineExpr, AffineExpr]:
        """Where a range starts and how long it is: the same for all copies that are to run side by side."""
        bounds = {
            (affine(substitute(written.low, lane.bindings)), affine(substitute(written.high, lane.bindings)))
            for lane in lanes
        }
        if len(bounds) > 1:
            message = (
                f"the range of '{written.name}' is not the same in the copies of a loop around it that is unrolled"
            )
            hint = f"leave the loops that '{written.name}' depends on at factor 1"
            raise error("unroll-refused", message, written.span, hint=hint)
        low, high = bounds.pop()
        return low, high - low


def _block_loop(written: expressions.Range, factor: int, extent: AffineExpr, blocks: AffineExpr) -> BlockLoop:
    low = expressions.Constant(0, Weak.INTEGER, written.low.span)
    high = expression_of(blocks, written.high.span)
    return BlockLoop(written.name, factor, extent, expressions.Range(written.name, low, high, written.span))


def _lane(
    lane: _Lane, written: expressions.Range, low: AffineExpr, factor: int, number: int, extent: AffineExpr | None = None
) -> _Lane:
    """Copy `number` of a full block: low + factor x block + number; below `extent` where that is given."""
    within: AffineExpr = Affine(((written.name, factor),), number)
    value = expression_of(low + within, written.span)
    if extent is None:
        return lane.within(written.name, value, number, full=True)
    bounds = (expression_of(within, written.span), expression_of(extent, written.span))
    guard = expressions.Operation("<", bounds, Weak.BOOL, written.span)
    return lane.within(written.name, value, number, full=True, guard=guard)


def _last_lane(lane: _Lane, written: expressions.Range, low: AffineExpr, start: int, number: int) -> _Lane:
    """Copy `number` of the remainder."""
    value = expression_of(low + (start + number), written.span)
    return lane.within(written.name, value, number, full=False)


def _copied(assign: expressions.Assign, lane: _Lane) -> expressions.Assign | None:
    """The copy of an assignment, None where its condition never holds."""
    condition = None if assign.condition is None else substitute(assign.condition, lane.bindings)
    if is_bool_constant(condition, value=False):
        return None
    conditions = [*lane.guards, *([] if condition is None or is_bool_constant(condition, value=True) else [condition])]
    joined = reduce(lambda first, second: _both(first, second, assign.span), conditions) if conditions else None
    value = substitute(assign.value, lane.bindings)
    return replace(assign, value=value, condition=joined, **element(assign, lane.bindings))


def _both(first: expressions.Expr, second: expressions.Expr, span: Span) -> expressions.Expr:
    """`first and second`; a condition on range variables takes the type of one on data."""
    if first.type is not second.type:
        first, second = (
            expressions.Convert(side, ElementType.BOOL, side.span) if isinstance(side.type, Weak) else side
            for side in (first, second)
        )
    return expressions.Operation("and", (first, second), first.type, span)
