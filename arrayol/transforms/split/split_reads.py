"""Statements of one part of a body: accesses with other names, and reads that shrink to one block of a range."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from arrayol.ir import expressions
from arrayol.ir.affine import affine, expression_of
from arrayol.ir.expressions import Assign, Constant, Expr, Index, Loop, Operation, Range, Read, Statement
from arrayol.ir.intervals import UnboundedError, interval
from arrayol.ir.spec import Port
from arrayol.ir.types import Weak
from arrayol.operators.record import Interval
from arrayol.source import Span
from arrayol.transforms.rewrite import FreeNames, refused
from arrayol.transforms.substitute import substitute

Vector = tuple[int, ...]
NO_NAMES: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class BodyArray:
    """An output or local of a body as an array: over the loops around it, counted from their lows."""

    name: str
    port: Port  # as which it leaves a part
    lows: Vector

    @property
    def extents(self) -> Vector:
        return tuple(extent or 0 for extent in self.port.shape)


@dataclass(frozen=True, slots=True)
class Shrunk:
    """An input port of a block: the part of `source`, another port or array, that the block reads.

    Block b reads the elements low + step b + f of the pattern.
    """

    port: Port
    source: str
    low: Vector
    step: Vector


def mapped(expr: Expr, change: Callable[[Read], Expr], variables: Mapping[str, str] = NO_NAMES) -> Expr:  # noqa: PLR0911, one case per node
    """The expression with other reads, and other names for variables; subscripts of a read are for `change` to map."""
    match expr:
        case Constant():
            return expr
        case Index():
            return replace(expr, name=variables.get(expr.name, expr.name))
        case Read():
            return change(expr)
        case Operation():
            left, chain = expressions.chain_of(expr)
            value = mapped(left, change, variables)
            for node in chain:
                value = replace(
                    node, operands=(value, *(mapped(item, change, variables) for item in node.operands[1:]))
                )
            return value
        case expressions.Function():
            return replace(expr, arguments=tuple(mapped(item, change, variables) for item in expr.arguments))
        case expressions.Convert():
            return replace(expr, operand=mapped(expr.operand, change, variables))
        case expressions.Select():
            parts = (mapped(item, change, variables) for item in (expr.condition, expr.then, expr.otherwise))
            condition, then, otherwise = parts
            return replace(expr, condition=condition, then=then, otherwise=otherwise)


def renamed(body: Iterable[Statement], variables: Mapping[str, BodyArray]) -> tuple[Statement, ...]:
    """The statements with the arrays that variables are in their places."""

    def change(read: Read) -> Read:
        return replace(read, **_element(read, variables, change))

    made: list[Statement] = []
    for item in body:
        if isinstance(item, Loop):
            made.append(replace(item, body=renamed(item.body, variables)))
            continue
        condition = None if item.condition is None else mapped(item.condition, change)
        target = _element(item, variables, change)
        made.append(replace(item, **target, value=mapped(item.value, change), condition=condition))
    return tuple(made)


def _element(
    access: Read | Assign, variables: Mapping[str, BodyArray], change: Callable[[Read], Expr]
) -> dict[str, Any]:
    subscripts = tuple(mapped(item, change) for item in access.subscripts)
    variable = variables.get(access.port)
    if variable is None:
        return {"subscripts": subscripts}
    moved = tuple(less(item, low) for item, low in zip(subscripts, variable.lows, strict=True))
    return {"port": variable.port.name, "subscripts": moved, "around": 0}


def less(subscript: Expr, low: int) -> Expr:
    """The subscript counted from `low`."""
    return expression_of(affine(subscript) - low, subscript.span) if low else subscript


def only(body: Iterable[Statement], chosen: set[int]) -> tuple[Statement, ...]:
    """The assignments of those identities, in their loops."""
    made: list[Statement] = []
    for item in body:
        if not isinstance(item, Loop):
            made += [item] if id(item) in chosen else []
        elif inner := only(item.body, chosen):
            made.append(replace(item, body=inner))
    return tuple(made)


def filled(variable: BodyArray, value: Callable[[tuple[Expr, ...]], Expr], names: Sequence[str], span: Span) -> Assign:
    """The assignment of every element of a variable, by its subscripts."""
    ranges = tuple(
        Range(name, weak(0, span), weak(extent, span), span)
        for name, extent in zip(names, variable.extents, strict=True)
    )
    indices = tuple(Index(name, span) for name in names)
    return Assign(variable.port.name, indices, value(indices), ranges, None, False, span, span)


def weak(value: int, span: Span) -> Constant:
    """An integer of no type."""
    return Constant(value, Weak.INTEGER, span)


@dataclass(frozen=True, slots=True)
class Shrinking:
    """The reads of one block of a range, grouped by port and by what a step of the range moves them.

    Reads of one port that move alike become one port of the block, as large as what they touch.
    """

    name: str  # of the range
    low: int
    size: int
    blocks: int
    ranges: tuple[Range, ...]  # of the block
    sources: Mapping[str, Port]
    names: FreeNames
    used: Sequence[str]
    hidden: frozenset[str]
    groups: dict[tuple[str, Vector], list[Read]] = field(default_factory=dict)

    def collect(self, expr: Expr) -> None:
        """Enter the reads of an expression. Raises ArrayolError (`step-refused`) for what no block can tell."""
        if any(isinstance(node, Index) and node.name == self.name for node in _outside_reads(expr)):
            message = (
                f"'{self.name}' is used otherwise than in subscripts: a block does not know which iterations it has"
            )
            raise refused(message, expr.span, "read its value from a const array, [k for k in 0..K]")
        for read in _reads(expr):
            self.groups.setdefault((read.port, self._steps(read)), []).append(read)
            for item in read.subscripts:
                for inner in _reads(item):
                    self.collect(inner)

    def _steps(self, read: Read) -> Vector:
        steps = []
        for item in read.subscripts:
            form = affine(item)
            rest = [term for term, _ in form.terms if not isinstance(term, str)]
            hard = any(
                isinstance(node, Index) and node.name == self.name for term in rest for node in _outside_reads(term)
            )
            if hard:
                message = (
                    f"'{read.port}' is read at a place that is not affine in '{self.name}': its pattern does not shrink"
                )
                raise refused(message, read.span, "split another range, or read single elements")
            steps.append(form.factor(self.name))
        return tuple(steps)

    def inputs(self) -> dict[tuple[str, Vector], Shrunk]:
        """One port for each group."""
        made: dict[tuple[str, Vector], Shrunk] = {}
        taken = list(self.used)
        places = {name: place for place, name in enumerate(self.sources)}
        for (source, steps), reads in sorted(self.groups.items(), key=lambda item: places[item[0][0]]):
            port = self.sources[source]
            lows, extents = self._box(port, steps, reads)
            whole = not any(steps)
            keeps = whole or (source not in self.hidden and sum(other == source for other, _ in self.groups) == 1)
            name = source if keeps else self.names.local(f"{source}_part", taken)
            taken.append(name)
            jumps = tuple(step * self.size for step in steps)
            made[source, steps] = Shrunk(replace(port, name=name, shape=extents), source, lows, jumps)
        return made

    def _box(self, port: Port, steps: Vector, reads: Sequence[Read]) -> tuple[Vector, Vector]:
        """The first element and the size of what the first block touches; whole axes where the range moves nothing."""
        bounds = self._bounds()
        lows, extents = [], []
        for axis, (step, extent) in enumerate(zip(steps, port.shape, strict=True)):
            size = extent or 0
            if not step:
                lows.append(0)
                extents.append(size)
                continue
            try:
                ends = [interval(self._moved(read.subscripts[axis]), bounds) for read in reads]
            except UnboundedError:
                message = f"data decide where '{port.name}' is read along the range '{self.name}'"
                raise refused(message, reads[0].span, "split another range") from None
            low, high = min(end for end, _ in ends), max(end for _, end in ends)
            far = step * self.size * (self.blocks - 1)
            if low + min(0, far) < 0 or high + max(0, far) >= size:
                message = f"a condition keeps '{port.name}' from being read outside; a whole block would reach there"
                raise refused(message, reads[0].span, "split another range, or pad the input")
            lows.append(low)
            extents.append(high - low + 1)
        return tuple(lows), tuple(extents)

    def _bounds(self) -> dict[str, Interval]:
        bounds: dict[str, Interval] = {}
        for one in self.ranges:
            bounds[one.name] = interval(one.low, bounds)[0], max(interval(one.high, bounds)[1] - 1, 0)
        return bounds

    def _moved(self, expr: Expr) -> Expr:
        """With the range counted from the first iteration of a block."""
        index = expression_of(affine(Index(self.name, expr.span)) + self.low, expr.span)
        return substitute(expr, {self.name: index}) if self.low else expr

    def shrunk(self, expr: Expr, inputs: Mapping[tuple[str, Vector], Shrunk]) -> Expr:
        """The expression of a block."""

        def change(read: Read) -> Read:
            found = inputs[read.port, self._steps(read)]
            places = (mapped(item, change) for item in read.subscripts)
            subscripts = tuple(less(item, low) for item, low in zip(places, found.low, strict=True))
            return replace(read, port=found.port.name, subscripts=subscripts)

        return mapped(self._moved(expr), change)


def _outside_reads(expr: Expr) -> Iterable[Expr]:
    """The nodes of an expression that no read holds."""
    stack = [expr]
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, Read):
            stack.extend(expressions.operands_of(node))


def _reads(expr: Expr) -> Iterable[Read]:
    return (node for node in _outside_reads(expr) if isinstance(node, Read))
