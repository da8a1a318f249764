"""Statements of an elementary or a repetitive task before anybody schedules them: instances, accesses, order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

import islpy as isl

from arrayol.errors import error
from arrayol.ir import body
from arrayol.ir.model import Elementary, Port
from arrayol.ir.opened import OpenBody, OpenComponent, OpenDelay, OpenLink, OpenRepetition, OpenShape, OpenTiler
from arrayol.polyhedral.nests import NestAccess, NestStatement, Parameters, earlier_instances, statements_of
from arrayol.polyhedral.tiles.nest import NestArray, NestReach, Role
from arrayol.polyhedral.tiles.parameters import (
    affine_text,
    context_of,
    not_affine,
    parameters_of,
    product_text,
)
from arrayol.polyhedral.tiles.relations import union

_MOST_CASES = 16  # of a wrap


@dataclass(frozen=True, slots=True)
class Dependence:
    """Pairs of instances that must keep their order: from one of statement `source` to one of `target` after it.

    Both touch an element of `array`, and at least one of them may write it.
    """

    source: int
    target: int
    array: str
    pairs: isl.Map


@dataclass(frozen=True, slots=True)
class ProgramStatement:
    """A statement as written: see ScheduledStatement, which is one with a schedule."""

    number: int
    indices: tuple[str, ...]
    domain: isl.Set
    reads: tuple[NestReach, ...]
    writes: tuple[NestReach, ...]
    assign: body.Assign | None


@dataclass(frozen=True, slots=True)
class Program:
    """All statements of a component, counted from 1 in textual order, its arrays and what is known of its symbols."""

    component: OpenComponent
    statements: tuple[ProgramStatement, ...]
    arrays: Mapping[str, NestArray]
    context: isl.Set
    dependences: tuple[Dependence, ...]


def program_of(component: OpenComponent) -> Program:
    """The program of a component. Raises ArrayolError (`not-symbolic`, `infinite-nest`)."""
    if isinstance(component.content, OpenBody):
        return _of_body(component, component.content)
    return _of_repetition(component, component.content)


# Bodies


def _of_body(component: OpenComponent, content: OpenBody) -> Program:
    elementary = Elementary(
        component.name, component.inputs, component.outputs, content.statements, None, component.span
    )
    nest = statements_of(elementary, parameters_of(component))
    context = context_of(component)
    statements = tuple(_statement(number, found, context) for number, found in enumerate(nest, 1))
    orders = _Orders(nest, context)
    dependences = tuple(found for one in statements for other in statements for found in orders.between(one, other))
    return Program(component, statements, _ports(component), context, dependences)


def _ports(component: OpenComponent) -> dict[str, NestArray]:
    roles: list[tuple[Sequence[Port], Role]] = [(component.inputs, "input"), (component.outputs, "output")]
    return {
        port.name: NestArray(port.name, port.type, port.shape, role, _texts(component.extents[port.name], component))
        for ports, role in roles
        for port in ports
    }


def _texts(shape: OpenShape, component: OpenComponent) -> tuple[str, ...]:
    return tuple(affine_text(extent, component) for extent in shape if extent is not None)


def _statement(number: int, found: NestStatement, context: isl.Set) -> ProgramStatement:
    write = _reach(found.write, context)
    reads = [_reach(access, context) for access in found.reads]
    if found.assign.accumulate:
        reads.append(write)
    domain = found.domain.intersect_params(context)
    return ProgramStatement(number, found.indices, domain, tuple(reads), (write,), found.assign)


def _reach(access: NestAccess, context: isl.Set) -> NestReach:
    may = access.relation.intersect_params(context)
    sure = may if access.certain and access.affine else isl.Map.empty(may.get_space())
    return NestReach(access.port, may, sure)


@dataclass(frozen=True, slots=True)
class _Orders:
    """The order of the text between two statements."""

    nest: Sequence[NestStatement]
    context: isl.Set

    def between(self, source: ProgramStatement, target: ProgramStatement) -> Iterator[Dependence]:
        """Dependences of `target` on earlier instances of `source`, one for each pair of accesses."""
        pairs = [(one, other) for one in source.writes for other in (*target.reads, *target.writes)]
        pairs += [(one, other) for one in source.reads for other in target.writes]
        same = {(id(one.may), id(other.may)): (one, other) for one, other in pairs}  # `+=` reads what it writes
        touching = [(one, other) for one, other in same.values() if one.array == other.array]
        if not touching:
            return
        earlier = earlier_instances(self.nest[source.number - 1], self.nest[target.number - 1])
        order = earlier.intersect_params(self.context).reverse()
        for one, other in touching:
            met = one.may.apply_range(other.may.reverse()).intersect(order)
            yield Dependence(source.number, target.number, one.array, met)


# Repetitions


def _of_repetition(component: OpenComponent, content: OpenRepetition) -> Program:
    if None in content.space:
        message = f"'{component.name}' repeats without end: a nest to tile is finite"
        hint = "name the task or elementary that it repeats, or give the dimension an extent"
        raise error("infinite-nest", message, component.span, hint=hint)
    context = context_of(component, content.space)
    links = _Repetition(component, content, parameters_of(component), context)
    return links.program()


@dataclass(frozen=True, slots=True)
class _Repetition:
    """The one statement of a repetitive task: an instance is a repetition, which reads and writes through tilers."""

    component: OpenComponent
    content: OpenRepetition
    parameters: Parameters
    context: isl.Set

    def program(self) -> Program:
        """The statement with its accesses, and the delays as dependences between repetitions."""
        arrays, names = _ports(self.component), {}
        for delay in self.content.delays:
            if delay.output.name not in names:
                name = _free(delay.output.name, arrays)
                names[delay.output.name] = name
                shape = (*self.content.shape, *delay.output.shape)
                extents = _texts((*self.content.space, *delay.pattern), self.component)
                arrays[name] = NestArray(name, delay.output.type, shape, "delayed", extents)
        reads = [_touch(link.array, self._access(link)) for link in self.content.reads]
        writes = [_touch(link.array, self._access(link)) for link in self.content.writes]
        for delay in self.content.delays:
            reads += self._delayed(delay, names[delay.output.name])
        for output, name in names.items():
            pattern = next(delay.pattern for delay in self.content.delays if delay.output.name == output)
            writes.append(_touch(name, self._carried([], pattern)))
        indices = tuple(f"r{axis}" for axis in range(len(self.content.space)))
        statement = ProgramStatement(1, indices, self._domain(), tuple(reads), tuple(writes), None)
        dependences = [
            Dependence(1, 1, names[delay.output.name], self._steps(delay).reverse()) for delay in self.content.delays
        ]
        return Program(self.component, (statement,), arrays, self.context, tuple(dependences))

    @property
    def _names(self) -> list[str]:
        return [f"i{axis}" for axis in range(len(self.content.space))]

    def _box(self, names: Sequence[str], shape: OpenShape) -> list[str]:
        return [
            f"0 <= {name} < {affine_text(extent, self.component)}"
            for name, extent in zip(names, shape, strict=True)
            if extent is not None
        ]

    def _domain(self) -> isl.Set:
        text = f"[{', '.join(self._names)}] : {' and '.join(self._box(self._names, self.content.space)) or 'true'}"
        return isl.Set(f"{self.parameters.prefix}{{ {text} }}").intersect_params(self.context)

    def _map(self, image: Sequence[str], conditions: Sequence[str], inner: Sequence[str] = ()) -> isl.Map:
        """A relation from repetitions, with further unknowns that exist."""
        conditions = [*self._box(self._names, self.content.space), *conditions]
        joined = " and ".join(conditions) or "true"
        joined = f"exists ({', '.join(inner)} : {joined})" if inner else joined
        text = f"[{', '.join(self._names)}] -> [{', '.join(image)}] : {joined}"
        return isl.Map(f"{self.parameters.prefix}{{ {text} }}").intersect_params(self.context)

    def _access(self, link: OpenLink) -> isl.Map:
        """Repetitions and the elements of their patterns; a wrap by its quotients, case by case where they are few."""
        tiler = link.tiler
        patterns = [f"f{axis}" for axis in range(len(tiler.pattern))]
        elements = [f"e{axis}" for axis in range(len(tiler.array))]
        conditions, inner = self._box(patterns, tiler.pattern), list(patterns)
        for axis, element in enumerate(elements):
            factors = [*tiler.paving[axis], *tiler.fitting[axis]]
            terms = [affine_text(tiler.origin[axis], self.component)]
            terms += [
                product_text(factor, name, self.component)
                for factor, name in zip(factors, [*self._names, *patterns], strict=True)
            ]
            extent = tiler.array[axis]
            if tiler.wrap and extent is not None:
                inner.append(f"q{axis}")
                terms.append(product_text(self._fixed(extent), f"q{axis}", self.component))
                conditions += self._box([element], (extent,))
            conditions.append(f"{element} = {' + '.join(terms)}")
        rounds = [self._rounds(tiler, axis) for axis in range(len(elements)) if f"q{axis}" in inner]
        if None in rounds or prod(len(values) for values in rounds if values is not None) > _MOST_CASES:
            return self._map(elements, conditions, inner)
        quotients = [name for name in inner if name.startswith("q")]
        cases = product(*(values for values in rounds if values is not None))
        fixed = [[f"{name} = {value}" for name, value in zip(quotients, case, strict=True)] for case in cases]
        return union([self._map(elements, [*conditions, *case], inner) for case in fixed])

    def _rounds(self, tiler: OpenTiler, axis: int) -> range | None:
        """How often an axis may be left, downwards and upwards, as multiples to add; None where symbols decide it."""
        shape = (*self.content.space, *tiler.pattern)
        parts = [tiler.origin[axis], tiler.array[axis], *tiler.paving[axis], *tiler.fitting[axis], *shape]
        numbers = [int(part.value) for part in parts if isinstance(part, body.Constant)]
        if len(numbers) < len(parts):
            return None
        origin, extent, *rest = numbers
        factors, extents = rest[: len(shape)], rest[len(shape) :]
        ends = [factor * (end - 1) for factor, end in zip(factors, extents, strict=True)]
        least = origin + sum(min(end, 0) for end in ends)
        most = origin + sum(max(end, 0) for end in ends)
        return range(-(most // extent), -(least // extent) + 1)

    def _fixed(self, extent: body.Expr) -> body.Expr:
        if not isinstance(extent, body.Constant):
            raise not_affine(self.component, extent.span, "a tiler wraps around this extent")
        return extent

    def _steps(self, delay: OpenDelay) -> isl.Map:
        """From a repetition r to r - d, where that is one."""
        earlier = [f"e{axis}" for axis in range(len(self._names))]
        conditions = self._box(earlier, self.content.space)
        for one, name, step in zip(earlier, self._names, delay.vector, strict=True):
            conditions.append(f"{one} = {name} - ({affine_text(step, self.component)})")
        return self._map(earlier, conditions)

    def _carried(self, steps: Sequence[str], pattern: OpenShape) -> isl.Map:
        """From a repetition to the elements [r - steps, f] of what a delay carries."""
        rank = len(self._names)
        elements = [f"e{axis}" for axis in range(rank + len(pattern))]
        shifts = steps or ["0"] * rank
        conditions = self._box(elements, (*self.content.space, *pattern))
        conditions += [
            f"{one} = {name} - ({step})" for one, name, step in zip(elements, self._names, shifts, strict=False)
        ]
        return self._map(elements, conditions)

    def _delayed(self, delay: OpenDelay, name: str) -> Iterator[NestReach]:
        """What a delayed port reads: an earlier repetition's output, or its default outside the space."""
        steps = [affine_text(step, self.component) for step in delay.vector]
        yield _touch(name, self._carried(steps, delay.pattern))
        if delay.default is not None:
            served = self._steps(delay).domain()
            yield _touch(delay.default.array, self._access(delay.default).subtract_domain(served))


def _touch(array: str, relation: isl.Map) -> NestReach:
    return NestReach(array, relation, relation)


def _free(name: str, taken: Mapping[str, NestArray]) -> str:
    while name in taken:
        name += "'"
    return name
