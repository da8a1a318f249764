"""Statements of an elementary or a repetitive task before anybody schedules them: instances, accesses, order.

A body has its own statements, and their dependences follow from the accesses and the order of the text. A repetitive
task is one statement with the repetitions as instances: it reads and writes whole patterns through tilers. Only delays
order repetitions, so they are its dependences; what they carry is an array of its own, one element for each repetition
and pattern index.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

import islpy as isl

from arrayol.errors import error
from arrayol.ir import expressions
from arrayol.ir.intervals import reached
from arrayol.ir.spec import (
    Delay,
    Elementary,
    Link,
    Local,
    Port,
    RepetitiveTask,
    SymbolicComponent,
    SymbolicShape,
    TiledDefault,
    Tiler,
)
from arrayol.polyhedral.nests import NestAccess, NestStatement, Parameters, earlier_instances, statements_of
from arrayol.tiling.nest import (
    NestArray,
    NestReach,
    ProgramStatement,
    Role,
    affine_text,
    context_of,
    not_affine,
    parameters_of,
    product_text,
)
from arrayol.tiling.relations import union

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
class Program:
    """All statements of a component, counted from 1 in textual order, its arrays and what is known of its symbols."""

    symbolic: SymbolicComponent
    statements: tuple[ProgramStatement, ...]
    arrays: Mapping[str, NestArray]
    context: isl.Set
    dependences: tuple[Dependence, ...]


def program_of(symbolic: SymbolicComponent) -> Program:
    """The program of a component. Raises ArrayolError (`not-symbolic`, `infinite-nest`)."""
    if isinstance(symbolic.component, Elementary):
        return _of_body(symbolic, symbolic.component)
    return _of_repetition(symbolic, symbolic.component)


# Bodies


def _of_body(symbolic: SymbolicComponent, elementary: Elementary) -> Program:
    nest = statements_of(elementary, parameters_of(symbolic))
    context = context_of(symbolic)
    statements = tuple(
        _statement(number, statement, context, symbolic.tables) for number, statement in enumerate(nest, 1)
    )
    orders = _Orders(nest, context)
    arrays = _ports(symbolic) | {local.name: _local(local) for local in elementary.locals}
    dependences = tuple(
        dependence for source in statements for target in statements for dependence in orders.between(source, target)
    )
    return Program(symbolic, statements, arrays, context, dependences)


def _ports(symbolic: SymbolicComponent) -> dict[str, NestArray]:
    task = symbolic.component
    roles: list[tuple[Sequence[Port], Role]] = [(task.inputs, "input"), (task.outputs, "output")]
    return {
        port.name: NestArray(port.name, port.type, port.shape, role, _texts(symbolic.shapes[port.name], symbolic))
        for ports, role in roles
        for port in ports
        if port.name not in symbolic.tables
    }


def _local(local: Local) -> NestArray:
    """A local as the array over the loops around that it stands for."""
    shape = (*(outer.high - outer.low for outer in local.around), *local.shape)
    return NestArray(local.name, local.type, shape, "local", (), local.around)


def _texts(shape: SymbolicShape, symbolic: SymbolicComponent) -> tuple[str, ...]:
    return tuple(affine_text(extent, symbolic) for extent in shape if extent is not None)


def _statement(number: int, statement: NestStatement, context: isl.Set, tables: Collection[str]) -> ProgramStatement:
    """A statement and what it touches; const arrays are on chip, and never move."""
    write = _reach(statement.write, context)
    reads = [_reach(access, context) for access in statement.reads if access.port not in tables]
    if statement.assign.accumulate:
        reads.append(write)
    domain = statement.domain.intersect_params(context)
    return ProgramStatement(number, statement.indices, statement.path, domain, tuple(reads), (write,), statement.assign)


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
        pairs = [(first, second) for first in source.writes for second in (*target.reads, *target.writes)]
        pairs += [(first, second) for first in source.reads for second in target.writes]
        # `+=` reads what it writes: that relation counts once.
        same = {(id(first.may), id(second.may)): (first, second) for first, second in pairs}
        touching = [(first, second) for first, second in same.values() if first.array == second.array]
        if not touching:
            return
        earlier = earlier_instances(self.nest[source.number - 1], self.nest[target.number - 1])
        order = earlier.intersect_params(self.context).reverse()
        for first, second in touching:
            met = first.may.apply_range(second.may.reverse()).intersect(order)
            yield Dependence(source.number, target.number, first.array, met)


# Repetitions


def _of_repetition(symbolic: SymbolicComponent, task: RepetitiveTask[expressions.Expr]) -> Program:
    if None in task.repetition:
        message = f"'{task.name}' repeats without end: a nest to tile is finite"
        hint = "name the task or elementary that it repeats, or give the dimension an extent"
        raise error("infinite-nest", message, task.span, hint=hint)
    return _Repetition(symbolic, task, parameters_of(symbolic), context_of(symbolic)).program()


@dataclass(frozen=True, slots=True)
class _Repetition:
    """The one statement of a repetitive task: an instance is a repetition, which reads and writes through tilers."""

    symbolic: SymbolicComponent
    task: RepetitiveTask[expressions.Expr]
    parameters: Parameters
    context: isl.Set

    def program(self) -> Program:
        """The statement with its accesses, and the delays as dependences between repetitions."""
        arrays, names = _ports(self.symbolic), {}
        for output, port in self.symbolic.carried.items():
            name = names[output] = _free(output, arrays)
            extents = _texts((*self.task.repetition, *self.symbolic.patterns[output]), self.symbolic)
            arrays[name] = NestArray(name, port.type, port.shape, "delayed", extents)
        moving = [link for link in self.task.input_links if link.array not in self.symbolic.tables]
        reads = [_touch(link.array, self._access(link)) for link in moving]
        writes = [_touch(link.array, self._leaving(link)) for link in self.task.output_links]
        for delay in self.task.delays:
            reads += self._delayed(delay, names[delay.output])
        for output, name in names.items():
            writes.append(_touch(name, self._carried([], self.symbolic.patterns[output])))
        indices = tuple(f"r{axis}" for axis in range(len(self.task.repetition)))
        domain = self._map([], []).domain()
        statement = ProgramStatement(1, indices, ((0, len(indices)),), domain, tuple(reads), tuple(writes), None)
        dependences = [
            Dependence(1, 1, names[delay.output], self._steps(delay.vector).reverse()) for delay in self.task.delays
        ]
        return Program(self.symbolic, (statement,), arrays, self.context, tuple(dependences))

    @property
    def _names(self) -> list[str]:
        return [f"i{axis}" for axis in range(len(self.task.repetition))]

    def _box(self, names: Sequence[str], shape: SymbolicShape) -> list[str]:
        return [
            f"0 <= {name} < {affine_text(extent, self.symbolic)}"
            for name, extent in zip(names, shape, strict=True)
            if extent is not None
        ]

    def _map(self, image: Sequence[str], conditions: Sequence[str], inner: Sequence[str] = ()) -> isl.Map:
        """A relation from repetitions, with further unknowns that exist."""
        conditions = [*self._box(self._names, self.task.repetition), *conditions]
        joined = " and ".join(conditions) or "true"
        joined = f"exists ({', '.join(inner)} : {joined})" if inner else joined
        text = f"[{', '.join(self._names)}] -> [{', '.join(image)}] : {joined}"
        return isl.Map(f"{self.parameters.prefix}{{ {text} }}").intersect_params(self.context)

    def _access(self, link: Link[expressions.Expr]) -> isl.Map:
        """Repetitions and the elements of their patterns; a wrap by its quotients, case by case where they are few.

        A border has at most three affine pieces along each axis.
        """
        tiler, array, pattern = link.tiler, self.symbolic.shapes[link.array], self.symbolic.patterns[link.port]
        patterns = [f"f{axis}" for axis in range(len(pattern))]
        elements = [f"e{axis}" for axis in range(len(array))]
        conditions, inner = self._box(patterns, pattern), list(patterns)
        for axis, element in enumerate(elements):
            factors = [*tiler.paving[axis], *tiler.fitting[axis]]
            terms = [affine_text(tiler.origin[axis], self.symbolic)]
            terms += [
                product_text(factor, name, self.symbolic)
                for factor, name in zip(factors, [*self._names, *patterns], strict=True)
            ]
            extent = array[axis]
            if tiler.wrap and extent is not None:
                inner.append(f"q{axis}")
                terms.append(product_text(self._fixed(extent), f"q{axis}", self.symbolic))
                conditions += self._box([element], (extent,))
            if tiler.border is not None and extent is not None:
                coordinate, size = f"({' + '.join(terms)})", affine_text(extent, self.symbolic)
                conditions.append(tiler.border.cases(element, coordinate, f"({size})"))
            else:
                conditions.append(f"{element} = {' + '.join(terms)}")
        rounds = [
            self._rounds(tiler, axis, array[axis], pattern) for axis in range(len(elements)) if f"q{axis}" in inner
        ]
        if None in rounds or prod(len(values) for values in rounds if values is not None) > _MOST_CASES:
            return self._map(elements, conditions, inner)
        quotients = [name for name in inner if name.startswith("q")]
        cases = product(*(values for values in rounds if values is not None))
        fixed = [[f"{name} = {value}" for name, value in zip(quotients, case, strict=True)] for case in cases]
        return union([self._map(elements, [*conditions, *case], inner) for case in fixed])

    def _leaving(self, link: Link[expressions.Expr]) -> isl.Map:
        """The access of those repetitions that write: with an exit, where r + d leaves the space."""
        access = self._access(link)
        if link.exit is None:
            return access
        return access.subtract_domain(self._steps(link.exit, "+").domain())

    def _rounds(
        self, tiler: Tiler[expressions.Expr], axis: int, size: expressions.Expr | None, pattern: SymbolicShape
    ) -> range | None:
        """How often an axis may be left, downwards and upwards, as multiples to add; None where symbols decide it."""
        shape = (*self.task.repetition, *pattern)
        parts = [tiler.origin[axis], size, *tiler.paving[axis], *tiler.fitting[axis], *shape]
        numbers = [int(part.value) for part in parts if isinstance(part, expressions.Constant)]
        if len(numbers) < len(parts):
            return None
        origin, extent, *rest = numbers
        factors, extents = rest[: len(shape)], rest[len(shape) :]
        least, most = reached(origin, (factor * (end - 1) for factor, end in zip(factors, extents, strict=True)))
        return range(-(most // extent), -(least // extent) + 1)

    def _fixed(self, extent: expressions.Expr) -> expressions.Expr:
        if not isinstance(extent, expressions.Constant):
            raise not_affine(self.symbolic, extent.span, "a tiler wraps around this extent")
        return extent

    def _steps(self, vector: Sequence[expressions.Expr], sign: str = "-") -> isl.Map:
        """From a repetition r to r - d, or r + d, where that is one."""
        earlier = [f"e{axis}" for axis in range(len(self._names))]
        conditions = self._box(earlier, self.task.repetition)
        for element, name, step in zip(earlier, self._names, vector, strict=True):
            conditions.append(f"{element} = {name} {sign} ({affine_text(step, self.symbolic)})")
        return self._map(earlier, conditions)

    def _carried(self, steps: Sequence[str], pattern: SymbolicShape) -> isl.Map:
        """From a repetition to the elements [r - steps, f] of what a delay carries."""
        rank = len(self._names)
        elements = [f"e{axis}" for axis in range(rank + len(pattern))]
        shifts = steps or ["0"] * rank
        conditions = self._box(elements, (*self.task.repetition, *pattern))
        conditions += [
            f"{element} = {name} - ({step})" for element, name, step in zip(elements, self._names, shifts, strict=False)
        ]
        return self._map(elements, conditions)

    def _delayed(self, delay: Delay[expressions.Expr], name: str) -> Iterator[NestReach]:
        """What a delayed port reads: an earlier repetition's output, or its default outside the space."""
        steps = [affine_text(step, self.symbolic) for step in delay.vector]
        yield _touch(name, self._carried(steps, self.symbolic.patterns[delay.port]))
        if isinstance(default := delay.default, TiledDefault) and default.array not in self.symbolic.tables:
            link = Link(delay.port, default.array, default.tiler, default.span)
            yield _touch(link.array, self._access(link).subtract_domain(self._steps(delay.vector).domain()))


def _touch(array: str, relation: isl.Map) -> NestReach:
    return NestReach(array, relation, relation)


def _free(name: str, taken: Mapping[str, NestArray]) -> str:
    while name in taken:
        name += "'"
    return name
