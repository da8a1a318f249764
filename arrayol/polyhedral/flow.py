"""Exact order and flow between statements of a program with affine loops: who must follow whom, who reads whose value.

Statements come as plain data, their conditions and subscripts as isl's text. A question about sizes that are not known
is answered for all of them: what may happen at some size counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import islpy as isl

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


class OrderedStatements:
    """Statements in one order; `sizes` are names of numbers that do not change."""

    def __init__(self, statements: Sequence[Instances], sizes: Sequence[str]) -> None:
        self.statements = {one.name: one for one in statements}
        self.sizes = f"[{', '.join(sizes)}] -> "
        self._depth = max((len(one.dims) for one in statements), default=0)
        self._times, self._accesses = dict[str, isl.Map](), dict[tuple[str, Element], isl.Map]()  # each read but once

    def runs(self, name: str) -> bool:
        """Whether a statement has an instance."""
        return not self.time(self.statements[name]).is_empty()

    def reads(self, name: str, read: int) -> bool:
        """Whether a statement's read number `read` ever happens."""
        one = self.statements[name]
        return not self.access(one, one.reads[read]).is_empty()

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
        before = self.time(one).lex_lt_map(self.time(other))
        return any(
            not self.access(one, left).apply_range(self.access(other, right).reverse()).intersect(before).is_empty()
            for left, right in pairs
        )

    def sources(self, reader: str, read: int, writers: Sequence[str]) -> Sources:
        """Which of these statements have written what a statement's read number `read` gets."""
        statement = self.statements[reader]
        element = statement.reads[read]
        sink = isl.UnionMap.from_map(self.access(statement, element))
        certain = isl.UnionMap(f"{self.sizes}{{ }}")
        possible = certain
        schedule = isl.UnionMap.from_map(self.time(statement))
        for one in self._last_writers(statement, element, writers):
            schedule = schedule.union(isl.UnionMap.from_map(self.time(one)))
            write = isl.UnionMap.from_map(self.access(one, one.write))
            if one.write.is_certain:
                certain = certain.union(write)
            else:
                possible = possible.union(write)
        info = isl.UnionAccessInfo.from_sink(sink).set_must_source(certain).set_may_source(possible)
        flow = info.set_schedule_map(schedule).compute_flow()
        return Sources(flow.get_may_dependence(), flow.get_may_no_source(), self)

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
        box = isl.Set(f"{self.sizes}{{ {array}[{', '.join(names)}] : {inside or 'true'} }}")
        for one in (self.statements[name] for name in writers):
            box = box.subtract(self.access(one, one.write).range())
        return bool(box.is_empty())

    def outside(
        self, name: str, subscript: str, extent: str, values: Sequence[str], where: Sequence[str] = ()
    ) -> dict[str, int] | None:
        """An instance whose subscript is none of an extent, where sizes have these values; None where there is none.

        `where` are conditions of the access beside those of its statement.
        """
        one = self.statements[name]
        held = " and ".join([*one.conditions, *where, *values, f"({subscript} < 0 or {subscript} >= {extent})"])
        found = isl.Set(f"{self.sizes}{{ {self.domain(one)} : {held} }}")
        if found.is_empty():
            return None
        return dict(zip(one.dims, coordinates(found.sample_point()), strict=True))

    def domain(self, one: Instances) -> str:
        """The space of a statement's instances, as isl writes it."""
        return f"{one.name}[{', '.join(one.dims)}]"

    def _where(self, one: Instances) -> str:
        return f" : {' and '.join(one.conditions)}" if one.conditions else ""

    def access(self, one: Instances, element: Element) -> isl.Map:
        """The elements that each instance touches."""
        known = self._accesses.get((one.name, element))
        if known is None:
            where = [*one.conditions, *element.conditions]
            held = f" : {' and '.join(where)}" if where else ""
            text = f"{self.domain(one)} -> {element.array}[{', '.join(element.subscripts)}]{held}"
            known = self._accesses[one.name, element] = isl.Map(f"{self.sizes}{{ {text} }}")
        return known

    def time(self, one: Instances) -> isl.Map:
        """When each instance runs."""
        known = self._times.get(one.name)
        if known is None:
            times = [part for pair in zip(map(str, one.position), (*one.dims, ""), strict=True) for part in pair][:-1]
            times += ["0"] * (2 * self._depth + 1 - len(times))
            text = f"{self.domain(one)} -> [{', '.join(times)}]{self._where(one)}"
            known = self._times[one.name] = isl.Map(f"{self.sizes}{{ {text} }}")
        return known


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
