"""Bodies as loop nests: each statement's instances, what they read and write, and their order, as isl relations.

The questions of `check` are emptiness tests on these relations: accesses outside a port, reads before any write,
elements that stay unwritten. Each answer is a concrete point, or None where there is none. None too where the question
is beyond isl's bounded effort (subscripts with large moduli in several dimensions): the execution checks every access.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import islpy as isl

from arrayol.ir import expressions
from arrayol.ir.expressions import decides_of
from arrayol.ir.spec import Elementary
from arrayol.ir.types import ElementType, Weak
from arrayol.polyhedral.isl import Point, TooHardError, bounded_effort, box, coordinates, tidied
from arrayol.polyhedral.pieces import Pieces, split_condition, value_pieces
from arrayol.source import Span


@dataclass(frozen=True, slots=True)
class NestAccess:
    """What a statement's instances touch of one port: a relation from instances to elements.

    `certain` is false where only data decide whether the access happens, `affine` where they decide which element it
    touches; the relation then holds every access that may happen.
    """

    port: str
    relation: isl.Map
    certain: bool
    affine: bool
    span: Span


@dataclass(frozen=True, slots=True)
class NestConversion:
    """An integer expression of range variables where it takes an element type: a relation from instances to [value]."""

    target: ElementType
    relation: isl.Map
    certain: bool
    span: Span


@dataclass(frozen=True, slots=True)
class NestStatement:
    """One assignment: its instances [i0, i1, ...] with the range variables' names, its accesses, and its place.

    `path` gives, from the outermost level inwards, the textual place there and how many range variables the statement
    or loop at that place brings. `exact` is false where ranges or conditions could not be told exactly: `domain` then
    holds every instance that may run.
    """

    assign: expressions.Assign
    indices: tuple[str, ...]
    path: tuple[tuple[int, int], ...]
    domain: isl.Set
    exact: bool
    write: NestAccess
    reads: tuple[NestAccess, ...]
    conversions: tuple[NestConversion, ...]


@dataclass(frozen=True, slots=True)
class Parameters:
    """Consts that stay symbolic: `names` gives isl's name of each, `extents` the shapes of ports as isl's texts."""

    names: Mapping[str, str] = field(default_factory=dict)
    extents: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def prefix(self) -> str:
        """What isl reads before a set with these parameters."""
        return f"[{', '.join(self.names.values())}] -> " if self.names else ""


def statements_of(elementary: Elementary, parameters: Parameters | None = None) -> list[NestStatement]:
    """Every assignment of a body in textual order; of a body with symbols under its parameters."""
    shapes = {
        port.name: tuple(str(extent) for extent in port.shape) for port in (*elementary.inputs, *elementary.outputs)
    }
    # What data may decide of a local is which of its own elements is meant, never which of the loops around it.
    shapes |= {local.name: (*("?" for _ in local.around), *map(str, local.shape)) for local in elementary.locals}
    parameters = parameters or Parameters()
    return list(_walk(elementary.body or (), _Context((), (), (), True, parameters), {**shapes, **parameters.extents}))


def earlier_instances(write: NestStatement, read: NestStatement) -> isl.Map:
    """Relation from the instances of `read` to those instances of `write` that run before them."""
    shared = 0
    for level, other in zip(write.path, read.path, strict=False):
        if level != other:
            break
        shared += level[1]
    cases = [
        " and ".join([*(f"w{same} = r{same}" for same in range(depth)), f"w{depth} < r{depth}"])
        for depth in range(shared)
    ]
    if write.path < read.path:
        cases.append(" and ".join(f"w{same} = r{same}" for same in range(shared)) or "true")
    readers = ", ".join(f"r{place}" for place in range(len(read.indices)))
    writers = ", ".join(f"w{place}" for place in range(len(write.indices)))
    order = isl.Map(f"{{ [{readers}] -> [{writers}] : {' or '.join(f'({case})' for case in cases) or 'false'} }}")
    return order.intersect_domain(read.domain).intersect_range(write.domain)


@dataclass(frozen=True, slots=True)
class _Context:
    """Where a walk stands: the range variables so far, the path, the conditions on the variables."""

    indices: tuple[str, ...]
    path: tuple[tuple[int, int], ...]
    conditions: tuple[str, ...]
    exact: bool
    parameters: Parameters

    @property
    def names(self) -> dict[str, str]:
        """Isl's names of range variables and symbols; the user's could be words of isl."""
        return {**self.parameters.names, **{name: f"i{place}" for place, name in enumerate(self.indices)}}

    @property
    def tuple_text(self) -> str:
        """The instances' dimensions."""
        return ", ".join(f"i{place}" for place in range(len(self.indices)))

    def relation(self, image: Sequence[str], conditions: Sequence[str]) -> isl.Map:
        """A relation from instances to what conditions on their variables and those of the image say."""
        text = f"[{self.tuple_text}] -> [{', '.join(image)}] : {' and '.join(conditions) or 'true'}"
        return isl.Map(f"{self.parameters.prefix}{{ {text} }}")

    def within(self, place: int, ranges: Sequence[expressions.Range]) -> _Context:
        """The context inside the ranges of the statement or loop at a textual place."""
        indices, conditions, exact = self.indices, list(self.conditions), self.exact
        for item in ranges:
            outer = {**self.parameters.names, **{name: f"i{number}" for number, name in enumerate(indices)}}
            name = f"i{len(indices)}"
            for bound, form in ((item.low, f"{name} >= {{}}"), (item.high, f"{name} < {{}}")):
                pieces = value_pieces(bound, outer)
                exact = exact and pieces is not None
                conditions += [_under(pieces, form)] if pieces is not None else []
            indices = (*indices, item.name)
        return _Context(indices, (*self.path, (place, len(ranges))), tuple(conditions), exact, self.parameters)

    def where(self, condition: expressions.Expr | None) -> _Context:
        """The context under a condition; its affine part counts."""
        text, whole = split_condition(condition, self.names)
        return _Context(self.indices, self.path, (*self.conditions, text), self.exact and whole, self.parameters)

    @property
    def domain(self) -> isl.Set:
        conditions = " and ".join(self.conditions) or "true"
        return isl.Set(f"{self.parameters.prefix}{{ [{self.tuple_text}] : {conditions} }}")


def _under(pieces: Pieces, form: str) -> str:
    cases = [f"{where} and {form.format(text)}" if where else form.format(text) for where, text in pieces]
    return f"({' or '.join(f'({case})' for case in cases)})"


def _walk(
    statements: Sequence[expressions.Statement], context: _Context, shapes: Mapping[str, tuple[str, ...]]
) -> Iterator[NestStatement]:
    for place, statement in enumerate(statements):
        inner = context.within(place, statement.ranges)
        if isinstance(statement, expressions.Loop):
            yield from _walk(statement.body, inner, shapes)
        else:
            acting = inner.where(statement.condition)
            write = _access(statement.port, statement.subscripts, acting, shapes, statement.target_span)
            nodes = [node for part in (statement.value, *statement.subscripts) for node in _nodes(part, acting)]
            nodes += _nodes(statement.condition, inner) if statement.condition is not None else []
            reads = [
                _access(node.port, node.subscripts, under, shapes, node.span)
                for node, under in nodes
                if isinstance(node, expressions.Read)
            ]
            conversions = [
                conversion
                for node, under in nodes
                if isinstance(node, expressions.Convert) and (conversion := _conversion(node, under)) is not None
            ]
            yield NestStatement(
                statement,
                acting.indices,
                acting.path,
                acting.domain,
                acting.exact,
                write,
                tuple(reads),
                tuple(conversions),
            )


def _conversion(node: expressions.Convert, context: _Context) -> NestConversion | None:
    if node.operand.type is not Weak.INTEGER or not node.type.is_integer:
        return None
    pieces = value_pieces(node.operand, context.names)
    if pieces is None:
        return None
    relation = context.relation(["v"], [*context.conditions, _under(pieces, "v = {}")])
    return NestConversion(node.type, relation, context.exact, node.span)


def _nodes(
    expr: expressions.Expr, context: _Context
) -> Iterator[tuple[expressions.Read | expressions.Convert, _Context]]:
    """Reads and conversions of an expression, each under what leads to it: `if`, and what `and` and `or` leave out."""
    stack: list[tuple[expressions.Expr, _Context]] = [(expr, context)]
    while stack:
        node, under = stack.pop()
        if isinstance(node, (expressions.Read, expressions.Convert)):
            yield node, under
        if isinstance(node, expressions.Select):
            stack += [(node.otherwise, under.where(_negated(node.condition))), (node.then, under.where(node.condition))]
            stack.append((node.condition, under))
        elif isinstance(node, expressions.Operation) and (decides := decides_of(node)) is not None:
            left, right = node.operands
            stack += [(right, under.where(_negated(left) if decides else left)), (left, under)]
        elif not isinstance(node, (expressions.Constant, expressions.Index)):
            stack += [(part, under) for part in reversed(expressions.operands_of(node))]


def _negated(condition: expressions.Expr) -> expressions.Expr:
    return expressions.Operation("not", (condition,), condition.type, condition.span)


def _access(
    port: str,
    subscripts: Sequence[expressions.Expr],
    context: _Context,
    shapes: Mapping[str, tuple[str, ...]],
    span: Span,
) -> NestAccess:
    elements = [f"e{axis}" for axis in range(len(subscripts))]
    conditions, affine = list(context.conditions), True
    for element, subscript, extent in zip(elements, subscripts, shapes[port], strict=True):
        pieces = value_pieces(subscript, context.names)
        if pieces is None:
            affine = False
            conditions.append(f"0 <= {element} < {extent}")
        else:
            conditions.append(_under(pieces, f"{element} = {{}}"))
    return NestAccess(port, context.relation(elements, conditions), context.exact, affine, span)


# The questions.


@dataclass(frozen=True, slots=True)
class BodyPoint:
    """An element of a port, and the values of the range variables at which a statement touches it."""

    access: NestAccess
    statement: NestStatement
    instance: Point
    element: Point


def find_outside_port(
    statement: NestStatement, access: NestAccess, shape: tuple[int, ...], around: int = 0
) -> BodyPoint | None:
    """An instance that surely makes the access, to an element outside the port; None where there is none.

    `around` is the number of subscripts before those of the shape: the loops around a local.
    """
    if not access.certain:
        return None
    inside = box(shape).insert_dims(isl.dim_type.set, 0, around)
    try:
        with bounded_effort():
            return _body_point(statement, access, access.relation.subtract_range(inside))
    except TooHardError:
        return None


def find_misfit(statement: NestStatement, conversion: NestConversion) -> tuple[Point, int] | None:
    """An instance that surely makes the conversion, and a value that its type cannot hold."""
    low, high = conversion.target.whole_range
    held = isl.Set(f"{{ [v] : {low} <= v <= {high} }}")
    try:
        with bounded_effort():
            left = conversion.relation.subtract_range(held)
            if not conversion.certain or left.is_empty():
                return None
            *instance, value = coordinates(left.wrap().sample_point())
            return tuple(instance), value
    except TooHardError:
        return None


def find_early_reads(statements: Sequence[NestStatement], ranks: Mapping[str, int]) -> Iterator[BodyPoint]:
    """For each read that no earlier write can have served: an instance that surely makes it.

    `ranks` has the ranks of the arrays that begin unwritten: outputs and locals.

    Writes that only data decide count as made: whether they were is for the execution to find out.
    """
    before = {name: isl.Set.empty(box((None,) * rank).get_space()) for name, rank in ranks.items()}
    pending: list[NestStatement] = []
    for statement in statements:
        if pending and pending[0].path[0] != statement.path[0]:
            for done in pending:
                before[done.assign.port] = before[done.assign.port].union(done.write.relation.range()).coalesce()
            pending = []
        pending.append(statement)
        same = [other for other in statements if other.path[0] == statement.path[0]]
        for access in statement.reads:
            if access.port in ranks and access.certain and access.affine:
                point = _early(statement, access, before[access.port], same)
                if point:
                    yield point


def _early(
    statement: NestStatement, access: NestAccess, before: isl.Set, same: Sequence[NestStatement]
) -> BodyPoint | None:
    try:
        with bounded_effort():
            left = access.relation.subtract_range(before)
            done = left.is_empty()
        for write in () if done else same:
            if write.assign.port == access.port:
                earlier = earlier_instances(write, statement)
                with bounded_effort():
                    left = left.subtract(earlier.apply_range(write.write.relation))
        with bounded_effort():
            return _body_point(statement, access, left)
    except TooHardError:
        return None


def find_unwritten(statements: Sequence[NestStatement], port: str, shape: tuple[int, ...]) -> Point | None:
    """An element of an output port that no statement can write."""
    missing = box(shape)
    try:
        for statement in statements:
            if statement.assign.port == port:
                with bounded_effort():
                    missing = missing.subtract(statement.write.relation.range())
                missing = tidied(missing)
        with bounded_effort():
            return None if missing.is_empty() else coordinates(missing.lexmin().sample_point())
    except TooHardError:
        return None


def _body_point(statement: NestStatement, access: NestAccess, pairs: isl.Map) -> BodyPoint | None:
    if pairs.is_empty():
        return None
    values = coordinates(pairs.wrap().sample_point())
    cut = len(statement.indices)
    return BodyPoint(access, statement, values[:cut], values[cut:])
