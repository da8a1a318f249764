"""Where values come from, in forms: instances that wrote them, elements that copies took, and where that is so."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import islpy as isl

from arrayol.ir.affine import Affine
from arrayol.polyhedral.flow import Instances, OrderedStatements

_MOST_HANDS = 80  # that a value is followed through


@dataclass(frozen=True, slots=True)
class AffineCondition:
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
    conditions: tuple[AffineCondition, ...] = ()


@dataclass(frozen=True)
class ElementOrigin:
    """The element that a value comes from: one that nothing writes, or what was in it before the program.

    For a number it has the name of the statement that writes it in place of an array. Its subscripts are forms of the
    reader's dimensions. It is this one where all conditions hold.
    """

    array: str
    is_old: bool
    subscripts: tuple[Affine[str], ...]
    conditions: tuple[AffineCondition, ...]


class ValueOrigins:
    """The origins of all that the statements of a program read."""

    def __init__(self, program: OrderedStatements) -> None:
        self.program = program

    def handed_on(
        self, reader: str, read: int, copies: Collection[str], numbers: Collection[str]
    ) -> list[ElementOrigin] | None:
        """The elements that a read gets its values from in the end, each with where that is.

        `copies` are the statements that only copy the one element that they read, and `numbers` those that write a
        number. None where others made a value, where data decide who wrote it, or where no forms say which element it
        is; empty where it is no copy.
        """
        written = {one.write.array for one in self.program.statements.values()}
        statement = self.program.statements[reader]
        everywhere = self._read_by(statement, read)
        found: dict[tuple[str, bool], isl.Map] = {}
        waiting = [(reader, read, everywhere.identity())]
        for _ in range(_MOST_HANDS):
            if not waiting:
                return self._element_origins(found, everywhere, statement.dims)
            name, place, reached = waiting.pop()
            ends, maps = self._handed_to(name, place, reached)
            for one in maps:
                writer = self.program.statements[one.get_tuple_name(isl.dim_type.out)]
                if writer.name not in {*copies, *numbers} or not writer.write.is_certain:
                    return None
                if writer.name in numbers:
                    dims = one.dim(isl.dim_type.out)
                    ends.append((writer.name, False, one.project_out(isl.dim_type.out, 0, dims)))
                elif writer.reads[0].array in written:
                    waiting.append((writer.name, 0, one))
                else:
                    source = writer.reads[0]
                    ends.append((source.array, False, one.apply_range(self.program.access(writer, source))))
            for source_name, is_old, end in ends:
                key = source_name, is_old
                found[key] = found[key].union(end) if key in found else end
        return None

    def _handed_to(
        self, name: str, place: int, reached: isl.Map
    ) -> tuple[list[tuple[str, bool, isl.Map]], list[isl.Map]]:
        """What instances that are reached read: elements from before the program, and instances that write them."""
        sources = self.program.sources(name, place, list(self.program.statements))
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
        one = self.program.statements[name]
        place = one.dims.index(dim)
        domain = self.program.time(one).domain()
        free = [text for text in one.conditions if not re.search(rf"\b{re.escape(dim)}\b", text)]
        held = f" : {' and '.join(free)}" if free else ""
        wider = isl.Set(f"{self.program.sizes}{{ {self.program.domain(one)}{held} }}")
        wider = wider.project_out(isl.dim_type.set, place, 1)
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
        statement = self.program.statements[reader]
        sources = self.program.sources(reader, read, writers)
        maps: list[isl.Map] = []
        sources.inside.reverse().foreach_map(maps.append)
        if any(not self.program.statements[one.get_tuple_name(isl.dim_type.out)].write.is_certain for one in maps):
            return None
        everywhere = _without(self._read_by(statement, read), isl.dim_type.set, statement.dims, idle[reader])
        dims = [dim for dim in statement.dims if dim not in idle[reader]]
        found: list[Origin] = []
        for one in maps:
            name = one.get_tuple_name(isl.dim_type.out)
            told = _without(one, isl.dim_type.out, self.program.statements[name].dims, idle[name])
            told = _without(told, isl.dim_type.in_, statement.dims, idle[reader])
            for where, instance in _forms_by_piece(told, dims):
                conditions = _conditions_of(where.gist(everywhere), dims)
                if instance is None or conditions is None:
                    return None
                found += [Origin(name, instance, together) for together in conditions]
        return found

    def unwritten(
        self, reader: str, read: int, writers: Sequence[str], idle: Collection[str]
    ) -> tuple[AffineCondition, ...] | None:
        """Where a read gets what was there before these statements; None where one list of conditions cannot say it."""
        statement = self.program.statements[reader]
        domain = self.program.sources(reader, read, writers).before.domain()
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
        one = self.program.statements[name]
        pairs = self.program.access(one, one.reads[read]).wrap()
        space = isl.LocalSpace.from_space(pairs.get_space())
        ends = len(one.dims) + place, one.dims.index(dim)
        subscript, own = (isl.Aff.var_on_domain(space, isl.dim_type.set, at) for at in ends)
        return _only_value(pairs, subscript.sub(own))

    def _read_by(self, statement: Instances, read: int) -> isl.Set:
        return self.program.access(statement, statement.reads[read]).domain()


def form_of(dims: Sequence[str], conditions: Sequence[str], dim: str) -> Affine[str] | None:
    """One dimension as the form of the others that the conditions say it is; None where they leave it open."""
    others = [one for one in dims if one != dim]
    where = f" : {' and '.join(conditions)}" if conditions else ""
    values = isl.Map(f"{{ [{', '.join(others)}] -> [{dim}]{where} }}")
    pieces = _pieces_of(values) if values.is_single_valued() else []
    forms = _forms_of(pieces[0][1]) if len(pieces) == 1 else None
    return None if forms is None else forms[0]


def _pieces_of(instances: isl.Map) -> list[tuple[isl.Set, isl.MultiAff]]:
    """A map that has one value for each point: where it is which form."""
    pieces: list[tuple[isl.Set, isl.MultiAff]] = []
    isl.PwMultiAff.from_map(instances).foreach_piece(lambda where, form: pieces.append((where, form)))
    return pieces


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


def _conditions_of(where: isl.Set, dims: Sequence[str]) -> list[tuple[AffineCondition, ...]] | None:
    """The convex parts of a set, each as its conditions; None where one of them is rounded."""
    found: list[tuple[AffineCondition, ...]] = []
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
            conditions.append(AffineCondition(one.is_equality(), form))
        found.append(tuple(conditions))
    return found
