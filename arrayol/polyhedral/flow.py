"""Exact order and flow between statements of a program with affine loops: who must follow whom, who reads whose value.

Statements come as plain data, their conditions and subscripts as isl's text. A question about sizes that are not known
is answered for all of them: what may happen at some size counts.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import islpy as isl

from arrayol.ir.affine import Affine
from arrayol.polyhedral.isl import coordinates


@dataclass(frozen=True, slots=True)
class Element:
    """An array and subscripts in the dimensions of a statement, touched where conditions hold.

    A subscript that is none of these dimensions is any that the conditions allow. One that `is_certain` touches all
    of these; another one, as where data decide the subscript, only one of them.
    """

    array: str
    subscripts: tuple[str, ...]
    conditions: tuple[str, ...] = ()
    is_certain: bool = True


@dataclass(frozen=True, slots=True)
class Instances:
    """A statement: its dimensions in order, where it runs, and what it touches.

    `position` are its textual places, one more than dimensions; dimensions and places alternate in the order of time.
    """

    name: str
    dims: tuple[str, ...]
    conditions: tuple[str, ...]
    position: tuple[int, ...]
    write: Element
    reads: tuple[Element, ...]


_MOST_HANDS = 80  # that a value is followed through


class OrderedStatements:
    """Statements in one order; `sizes` are names of numbers that do not change."""

    def __init__(self, statements: Sequence[Instances], sizes: Sequence[str]) -> None:
        self.statements = {one.name: one for one in statements}
        self._sizes = f"[{', '.join(sizes)}] -> "
        self._depth = max((len(one.dims) for one in statements), default=0)
        self._times, self._accesses = dict[str, isl.Map](), dict[tuple[str, Element], isl.Map]()  # each read but once

    def runs(self, name: str) -> bool:
        """Whether a statement has an instance."""
        return not self._time(self.statements[name]).is_empty()

    def reads(self, name: str, read: int) -> bool:
        """Whether a statement's read number `read` ever happens."""
        one = self.statements[name]
        return not self._access(one, one.reads[read]).is_empty()

    def follows(self, first: str, second: str) -> bool:
        """Whether an instance of the one must run before one of the other: both touch an element, one writes it."""
        one, other = self.statements[first], self.statements[second]
        pairs = [(one.write, other.write)]
        pairs += [(one.write, read) for read in other.reads] + [(read, other.write) for read in one.reads]
        pairs = [(left, right) for left, right in dict.fromkeys(pairs) if _may_meet(left, right)]
        if not pairs:
            return False
        if not one.dims and not other.dims and one.position >= other.position:
            return False
        before = self._time(one).lex_lt_map(self._time(other))
        return any(
            not self._access(one, left).apply_range(self._access(other, right).reverse()).intersect(before).is_empty()
            for left, right in pairs
        )

    def sources(self, reader: str, read: int, writers: Sequence[str]) -> Sources:
        """Which of these statements have written what a statement's read number `read` gets."""
        statement = self.statements[reader]
        element = statement.reads[read]
        sink = isl.UnionMap.from_map(self._access(statement, element))
        certain = isl.UnionMap(f"{self._sizes}{{ }}")
        possible = certain
        schedule = isl.UnionMap.from_map(self._time(statement))
        for one in self._last_writers(statement, element, writers):
            schedule = schedule.union(isl.UnionMap.from_map(self._time(one)))
            write = isl.UnionMap.from_map(self._access(one, one.write))
            if one.write.is_certain:
                certain = certain.union(write)
            else:
                possible = possible.union(write)
        info = isl.UnionAccessInfo.from_sink(sink).set_must_source(certain).set_may_source(possible)
        flow = info.set_schedule_map(schedule).compute_flow()
        return Sources(flow.get_may_dependence(), flow.get_may_no_source(), self)

    def handed_on(
        self, reader: str, read: int, copies: Collection[str], numbers: Collection[str]
    ) -> list[ElementOrigin] | None:
        """The elements that a read gets its values from in the end, each with where that is.

        `copies` are the statements that only copy the one element that they read, and `numbers` those that write a
        number. None where others made a value, where data decide who wrote it, or where no forms say which element it
        is; empty where it is no copy.
        """
        written = {one.write.array for one in self.statements.values()}
        statement = self.statements[reader]
        everywhere = self._read_by(statement, read)
        found: dict[tuple[str, bool], isl.Map] = {}
        waiting = [(reader, read, everywhere.identity())]
        for _ in range(_MOST_HANDS):
            if not waiting:
                return self._element_origins(found, everywhere, statement.dims)
            name, place, reached = waiting.pop()
            ends, maps = self._handed_to(name, place, reached)
            for one in maps:
                writer = self.statements[one.get_tuple_name(isl.dim_type.out)]
                if writer.name not in {*copies, *numbers} or not writer.write.is_certain:
                    return None
                if writer.name in numbers:
                    dims = one.dim(isl.dim_type.out)
                    ends.append((writer.name, False, one.project_out(isl.dim_type.out, 0, dims)))
                elif writer.reads[0].array in written:
                    waiting.append((writer.name, 0, one))
                else:
                    source = writer.reads[0]
                    ends.append((source.array, False, one.apply_range(self._access(writer, source))))
            for source_name, is_old, end in ends:
                key = source_name, is_old
                found[key] = found[key].union(end) if key in found else end
        return None

    def _handed_to(
        self, name: str, place: int, reached: isl.Map
    ) -> tuple[list[tuple[str, bool, isl.Map]], list[isl.Map]]:
        """What instances that are reached read: elements from before the program, and instances that write them."""
        sources = self.sources(name, place, list(self.statements))
        ends: list[isl.Map] = []
        sources.before.foreach_map(ends.append)
        maps: list[isl.Map] = []
        sources.inside.reverse().foreach_map(maps.append)
        both = ([reached.apply_range(one) for one in them] for them in (ends, maps))
        before, inside = ([one for one in them if not one.is_empty()] for them in both)
        return [(one.get_tuple_name(isl.dim_type.out), True, one) for one in before], inside

    def _element_origins(
        self, found: Mapping[tuple[str, bool], isl.Map], everywhere: isl.Set, dims: Sequence[str]
    ) -> list[ElementOrigin] | None:
        origins: list[ElementOrigin] = []
        for (array, is_old), one in found.items():
            for where, form in _pieces_of(one.coalesce()):
                subscripts, conditions = _forms_of(form), _conditions_of(where.gist(everywhere), dims)
                if subscripts is None or conditions is None:
                    return None
                origins += [ElementOrigin(array, is_old, subscripts, together) for together in conditions]
        return origins

    def runs_once(self, name: str, dim: str) -> bool:
        """Whether a dimension of a statement has one value wherever the conditions without it hold."""
        one = self.statements[name]
        place = one.dims.index(dim)
        domain = self._time(one).domain()
        free = [text for text in one.conditions if not re.search(rf"\b{re.escape(dim)}\b", text)]
        held = f" : {' and '.join(free)}" if free else ""
        wider = isl.Set(f"{self._sizes}{{ {self._domain(one)}{held} }}").project_out(isl.dim_type.set, place, 1)
        if not domain.project_out(isl.dim_type.set, place, 1).is_equal(wider):
            return False
        chosen = isl.Map.from_domain(domain).insert_dims(isl.dim_type.out, 0, 1)
        chosen = chosen.equate(isl.dim_type.in_, place, isl.dim_type.out, 0).project_out(isl.dim_type.in_, place, 1)
        return bool(chosen.is_single_valued())

    def origins(
        self, reader: str, read: int, writers: Sequence[str], idle: Mapping[str, Collection[str]]
    ) -> list[Origin] | None:
        """All instances of these statements that a read gets its values from, each with where that is.

        `idle` are dimensions, by statement, that instances are told without. None where no forms say that, or where
        data decide who writes.
        """
        statement = self.statements[reader]
        sources = self.sources(reader, read, writers)
        maps: list[isl.Map] = []
        sources.inside.reverse().foreach_map(maps.append)
        if any(not self.statements[one.get_tuple_name(isl.dim_type.out)].write.is_certain for one in maps):
            return None
        everywhere = _without(self._read_by(statement, read), isl.dim_type.set, statement.dims, idle[reader])
        dims = [dim for dim in statement.dims if dim not in idle[reader]]
        found: list[Origin] = []
        for one in maps:
            name = one.get_tuple_name(isl.dim_type.out)
            told = _without(one, isl.dim_type.out, self.statements[name].dims, idle[name])
            told = _without(told, isl.dim_type.in_, statement.dims, idle[reader])
            for where, instance in _forms_by_piece(told, dims):
                conditions = _conditions_of(where.gist(everywhere), dims)
                if instance is None or conditions is None:
                    return None
                found += [Origin(name, instance, together) for together in conditions]
        return found

    def unwritten(
        self, reader: str, read: int, writers: Sequence[str], idle: Collection[str]
    ) -> tuple[Condition, ...] | None:
        """Where a read gets what was there before these statements; None where one list of conditions cannot say it."""
        statement = self.statements[reader]
        domain = self.sources(reader, read, writers).before.domain()
        parts: list[isl.Set] = []
        domain.foreach_set(parts.append)
        if len(parts) != 1:
            return None
        dims = [dim for dim in statement.dims if dim not in idle]
        where, everywhere = (
            _without(one, isl.dim_type.set, statement.dims, idle) for one in (parts[0], self._read_by(statement, read))
        )
        conditions = _conditions_of(where.coalesce().gist(everywhere), dims)
        return conditions[0] if conditions is not None and len(conditions) == 1 else None

    def distance(self, name: str, read: int, place: int, dim: str) -> int | None:
        """How far a subscript of a read always is from a dimension of its statement; None where that varies."""
        one = self.statements[name]
        pairs = self._access(one, one.reads[read]).wrap()
        space = isl.LocalSpace.from_space(pairs.get_space())
        ends = len(one.dims) + place, one.dims.index(dim)
        subscript, own = (isl.Aff.var_on_domain(space, isl.dim_type.set, at) for at in ends)
        return _only_value(pairs, subscript.sub(own))

    def _read_by(self, statement: Instances, read: int) -> isl.Set:
        return self._access(statement, statement.reads[read]).domain()

    def _last_writers(self, reader: Instances, element: Element, writers: Sequence[str]) -> list[Instances]:
        """The statements among these whose values an element may have.

        Of statements without loops that surely write this element before it is read, the last one leaves the others
        nothing.
        """
        found = [self.statements[name] for name in writers if _may_meet(self.statements[name].write, element)]
        if reader.dims or any(one.dims for one in found):
            return found
        before = sorted((one for one in found if one.position < reader.position), key=lambda one: one.position)
        sure = [place for place, one in enumerate(before) if _is_sure(one, element)]
        return before[sure[-1] :] if sure else before

    def fills(self, array: str, writers: Sequence[str], extents: Sequence[str]) -> bool:
        """Whether these statements write each element of an array, which has these extents."""
        names = [f"x{place}" for place in range(len(extents))]
        inside = " and ".join(f"0 <= {name} < {extent}" for name, extent in zip(names, extents, strict=True))
        box = isl.Set(f"{self._sizes}{{ {array}[{', '.join(names)}] : {inside or 'true'} }}")
        for one in (self.statements[name] for name in writers):
            box = box.subtract(self._access(one, one.write).range())
        return bool(box.is_empty())

    def outside(
        self, name: str, subscript: str, extent: str, values: Sequence[str], where: Sequence[str] = ()
    ) -> dict[str, int] | None:
        """An instance whose subscript is none of an extent, where sizes have these values; None where there is none.

        `where` are conditions of the access beside those of its statement.
        """
        one = self.statements[name]
        held = " and ".join([*one.conditions, *where, *values, f"({subscript} < 0 or {subscript} >= {extent})"])
        found = isl.Set(f"{self._sizes}{{ {self._domain(one)} : {held} }}")
        if found.is_empty():
            return None
        return dict(zip(one.dims, coordinates(found.sample_point()), strict=True))

    def _domain(self, one: Instances) -> str:
        return f"{one.name}[{', '.join(one.dims)}]"

    def _where(self, one: Instances) -> str:
        return f" : {' and '.join(one.conditions)}" if one.conditions else ""

    def _access(self, one: Instances, element: Element) -> isl.Map:
        known = self._accesses.get((one.name, element))
        if known is None:
            where = [*one.conditions, *element.conditions]
            held = f" : {' and '.join(where)}" if where else ""
            text = f"{self._domain(one)} -> {element.array}[{', '.join(element.subscripts)}]{held}"
            known = self._accesses[one.name, element] = isl.Map(f"{self._sizes}{{ {text} }}")
        return known

    def _time(self, one: Instances) -> isl.Map:
        known = self._times.get(one.name)
        if known is None:
            times = [part for pair in zip(map(str, one.position), (*one.dims, ""), strict=True) for part in pair][:-1]
            times += ["0"] * (2 * self._depth + 1 - len(times))
            text = f"{self._domain(one)} -> [{', '.join(times)}]{self._where(one)}"
            known = self._times[one.name] = isl.Map(f"{self._sizes}{{ {text} }}")
        return known


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on dimensions: a form is 0, or at least 0."""

    is_equality: bool
    form: Affine[str]


@dataclass(frozen=True)
class Origin:
    """The instance of a statement that a value comes from: for each dimension a form of the reader's dimensions.

    It is this one where all conditions hold.
    """

    statement: str
    instance: tuple[Affine[str], ...]
    conditions: tuple[Condition, ...] = ()


@dataclass(frozen=True)
class ElementOrigin:
    """The element that a value comes from: one that nothing writes, or what was in it before the program.

    For a number it has the name of the statement that writes it in place of an array.

    Its subscripts are forms of the reader's dimensions. It is this one where all conditions hold.
    """

    array: str
    is_old: bool
    subscripts: tuple[Affine[str], ...]
    conditions: tuple[Condition, ...]


def _pieces_of(instances: isl.Map) -> list[tuple[isl.Set, isl.MultiAff]]:
    """A map that has one value for each point: where it is which form."""
    pieces: list[tuple[isl.Set, isl.MultiAff]] = []
    isl.PwMultiAff.from_map(instances).foreach_piece(lambda where, form: pieces.append((where, form)))
    return pieces


def _forms_by_piece(instances: isl.Map, dims: Sequence[str]) -> list[tuple[isl.Set, tuple[Affine[str], ...] | None]]:
    """Where a map has which forms; at constant distances of its own dimensions wherever it can be told so."""
    count = instances.dim(isl.dim_type.out)
    pairs, own = instances.wrap(), len(dims)
    space = isl.LocalSpace.from_space(pairs.get_space())
    apart = []
    for place in range(min(count, own)):
        theirs, mine = (isl.Aff.var_on_domain(space, isl.dim_type.set, at) for at in (own + place, place))
        distance = _only_value(pairs, theirs.sub(mine))
        if distance is not None:
            apart.append(Affine(((dims[place], 1),), distance))
    if len(apart) == count:
        return [(instances.domain().coalesce(), tuple(apart))]
    return [(where, _forms_of(form)) for where, form in _pieces_of(instances)]


def _only_value(points: isl.Set, form: isl.Aff) -> int | None:
    """The integer that a form is at all of these points; None where there are several or none."""
    ends = points.min_val(form), points.max_val(form)
    return ends[0].to_python() if ends[0].is_int() and ends[0].eq(ends[1]) else None


def _without(one: Any, kind: isl.dim_type, dims: Sequence[str], idle: Collection[str]) -> Any:
    """A set or map without some of its dimensions."""
    for place in reversed(range(len(dims))):
        if dims[place] in idle:
            one = one.project_out(kind, place, 1)
    return one


def _forms_of(values: isl.MultiAff) -> tuple[Affine[str], ...] | None:
    """Each value as a form of the domain's dimensions; None where one is rounded."""
    forms = []
    for place in range(values.dim(isl.dim_type.out)):
        value = values.get_aff(place)
        terms = [
            (str(value.get_dim_name(kind, at)), value.get_coefficient_val(kind, at))
            for kind in (isl.dim_type.in_, isl.dim_type.param)
            for at in range(value.dim(kind))
        ]
        constant = value.get_constant_val()
        if value.dim(isl.dim_type.div) or not all(one.is_int() for one in (constant, *(one for _, one in terms))):
            return None
        forms.append(Affine[str].of(((name, one.to_python()) for name, one in terms), constant.to_python()))
    return tuple(forms)


def _conditions_of(where: isl.Set, dims: Sequence[str]) -> list[tuple[Condition, ...]] | None:
    """The convex parts of a set, each as its conditions; None where one of them is rounded."""
    found: list[tuple[Condition, ...]] = []
    for part in where.get_basic_sets():
        if part.dim(isl.dim_type.div):
            return None
        conditions = []
        for one in part.get_constraints():
            terms = [(name, one.get_coefficient_val(isl.dim_type.set, at)) for at, name in enumerate(dims)]
            sizes = range(one.dim(isl.dim_type.param))
            terms += [
                (str(one.get_dim_name(isl.dim_type.param, at)), one.get_coefficient_val(isl.dim_type.param, at))
                for at in sizes
            ]
            form = Affine[str].of(
                ((name, value.to_python()) for name, value in terms), one.get_constant_val().to_python()
            )
            conditions.append(Condition(one.is_equality(), form))
        found.append(tuple(conditions))
    return found


@dataclass(frozen=True)
class Sources:
    """Where the values of one read come from: instances inside, or what was there before."""

    inside: isl.UnionMap
    before: isl.UnionMap
    program: OrderedStatements

    @property
    def statements(self) -> set[str]:
        """The statements that write what is read."""
        return {one.get_tuple_name(isl.dim_type.in_) for one in self._maps()}

    @property
    def always_inside(self) -> bool:
        """Whether no instance reads what was there before."""
        return bool(self.before.is_empty())

    def same(self, writer_dim: int, reader_dim: int) -> bool:
        """Whether writer and reader agree in a dimension of each, always."""
        return all(self._agrees(one, writer_dim, reader_dim) for one in self._maps())

    def _agrees(self, one: isl.Map, writer_dim: int, reader_dim: int) -> bool:
        if writer_dim >= one.dim(isl.dim_type.in_) or reader_dim >= one.dim(isl.dim_type.out):
            return False
        equal = isl.Map.universe(one.get_space()).equate(isl.dim_type.in_, writer_dim, isl.dim_type.out, reader_dim)
        return bool(one.is_subset(equal))

    def _maps(self) -> list[isl.Map]:
        found: list[isl.Map] = []
        self.inside.foreach_map(found.append)
        return found


def _may_meet(one: Element, other: Element) -> bool:
    """Whether two elements of an array may be the same: no two numbers in one place of them differ."""
    if one.array != other.array:
        return False
    return not any(
        left != right and _is_number(left) and _is_number(right)
        for left, right in zip(one.subscripts, other.subscripts, strict=True)
    )


def _is_sure(writer: Instances, element: Element) -> bool:
    """Whether a statement without loops always writes just this element."""
    write = writer.write
    is_same = write.subscripts == element.subscripts and all(map(_is_number, write.subscripts))
    return is_same and not writer.conditions and not write.conditions


def _is_number(text: str) -> bool:
    return text.lstrip("-").isdigit()


def ends_of(dims: Sequence[str], conditions: Sequence[str], form: str) -> tuple[int, int] | None:
    """The least and greatest integer that a form is where conditions hold; None where they never do.

    Raises ArithmeticError where it has no end.
    """
    where = f" : {' and '.join(conditions)}" if conditions else ""
    values = isl.Map(f"{{ [{', '.join(dims)}] -> [{form}]{where} }}").range()
    if values.is_empty():
        return None
    ends = [values.dim_min_val(0), values.dim_max_val(0)]
    if not all(one.is_int() for one in ends):
        raise ArithmeticError("this has no end")
    return ends[0].to_python(), ends[1].to_python()
