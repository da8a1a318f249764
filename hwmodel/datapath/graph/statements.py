"""Statements of a body, executed symbolically: ranges and loops unrolled, outputs and locals as memory.

A statement is evaluated at many points of its ranges together. It may read what it writes: then the points are divided
into runs, by the longest chain of dependences to a point, and no point of a run reads what another one of it writes.
Iterations of a loop are points, too, if each accesses elements of its own: every array that the loop writes has a
dimension whose subscript is the loop's variable, in all accesses. All other loops run one iteration after another.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from arrayol.ir.expressions import (
    Assign,
    Expr,
    Index,
    Loop,
    Range,
    Read,
    Statement,
    assigns,
    depends_on_data,
    expressions,
    inside,
)
from hwmodel.datapath.graph.arrays import Layout
from hwmodel.datapath.graph.bins import BinCells
from hwmodel.datapath.graph.expressions import Expressions, Points, at
from hwmodel.datapath.graph.operations import Value
from hwmodel.datapath.numbers import F32


@dataclass(slots=True)
class Statements:
    """Runs statements over the arrays of `expressions`. `summed` are the arrays to which some statement adds."""

    expressions: Expressions
    summed: frozenset[str]

    def run(self, body: Sequence[Statement], points: Points) -> None:
        """Execute statements in order, at all points of the enclosing loops."""
        for statement in body:
            inner = self.spread(statement.ranges, points)
            if not inner.count:
                continue
            if isinstance(statement, Assign):
                self._assign(statement, inner)
            elif inner.count == 1 or is_independent(statement):
                self.run(statement.body, inner)
            else:
                for place in range(inner.count):
                    self.run(statement.body, inner.single(place))

    def spread(self, ranges: Sequence[Range], points: Points) -> Points:
        """The points of ranges at each enclosing point, the last range fastest."""
        for loop_range in ranges:
            low, high = (self.expressions.value(bound, points) for bound in (loop_range.low, loop_range.high))
            points = spread_along(loop_range.name, low, high, points)
        return points

    def _assign(self, statement: Assign, points: Points) -> None:
        reads = [
            part
            for expression in expressions(statement)
            for part in inside(expression)
            if isinstance(part, Read) and part.port == statement.port
        ]
        if points.count == 1 or not reads:
            self._assign_where(statement, points)
            return
        for run in self._runs(statement, reads, points):
            part = points.single(run[0]) if len(run) == 1 else points.take(np.array(run))
            self._assign_where(statement, part)

    def _assign_where(self, statement: Assign, points: Points) -> None:
        """Write at those points of a run at which the condition holds, or may hold."""
        condition: Any = None
        if statement.condition is not None:
            condition = self.expressions.value(statement.condition, points)
            known = self._known_condition(condition)
            if known is not None:
                if not known.any():
                    return
                if not known.all():
                    points = points.take(known)
                condition = None
        self._assign_together(statement, points, condition)

    def _known_condition(self, condition: Value) -> Any:
        """Mask of the points at which a condition holds; None if it depends on data."""
        if not isinstance(condition, list):
            return np.atleast_1d(np.asarray(condition, bool))
        nodes = self.expressions.nodes
        if any(nodes.low[node] != nodes.high[node] for node in condition):
            return None
        return np.array([bool(nodes.low[node]) for node in condition])

    def _runs(self, statement: Assign, reads: Sequence[Read], points: Points) -> Iterator[list[int]]:
        """The points in runs that can be evaluated together, one run after another."""
        layout = self.expressions.arrays.layouts[statement.port]
        places = [
            self._place(subscripts, layout, points)
            for subscripts in (statement.subscripts, *(read.subscripts for read in reads))
        ]
        if any(isinstance(place, list) for place in places):
            yield from ([point] for point in range(points.count))
            return
        target, *others = (_listed(place, points) for place in places)
        yield from _runs_in_order(target, others)

    def _place(self, subscripts: tuple[Expr, ...], layout: Layout, points: Points) -> Any:
        """The element of an access at each point; an empty list if it depends on data."""
        if any(depends_on_data(subscript) for subscript in subscripts):
            return []
        return self.expressions.place(layout, subscripts, points)

    def _assign_together(self, statement: Assign, points: Points, condition: Any) -> None:
        """Write at points of which none reads what another writes."""
        evaluate = self.expressions
        layout = evaluate.arrays.layouts[statement.port]
        place = evaluate.place(layout, statement.subscripts, points)
        value = evaluate.data(statement.value, points)
        bins = evaluate.arrays.cells[layout.name][0]
        if isinstance(bins, BinCells):
            self._write_to_bins(statement, bins, points, value, condition)
            return
        parts = list(value) if isinstance(value, tuple) else [value]
        if isinstance(place, list):
            for point in range(points.count):
                is_active = None if condition is None else condition[point]
                self._write_by_data(statement, layout, place, point, [part[point] for part in parts], is_active)
            return
        elements = place.tolist() if isinstance(place, np.ndarray) else [place] * points.count
        for part, values in enumerate(parts):
            self._write(statement, layout, part, elements, values, condition)

    def _write_to_bins(
        self, statement: Assign, bins: BinCells, points: Points, values: list[int], condition: list[int] | None
    ) -> None:
        """Add to words of a memory; what all of them are before is one constant."""
        evaluate, nodes = self.expressions, self.expressions.nodes
        if not statement.accumulate:
            bins.start = nodes.value(values[0])
            return
        nodes.span = statement.span
        subscripts = [evaluate.value(own, points) for own in statement.subscripts]
        for point in range(points.count):
            index = evaluate.index(bins.layout, subscripts, point)
            bins.add(index, values[point], nodes.constant(1) if condition is None else condition[point])

    def _write(
        self,
        statement: Assign,
        layout: Layout,
        part: int,
        elements: list[int],
        values: list[int],
        condition: list[int] | None,
    ) -> None:
        """Write elements given by the subscripts; an element that occurs several times is written in turn."""
        cells = self.expressions.arrays.cells[layout.name][part]
        if condition is None and not statement.accumulate:
            cells.update(zip(elements, values, strict=True))
            cells.pop(-1, None)
            return
        for turn in _turns(elements):
            own = [elements[place] for place in turn]
            new = [values[place] for place in turn]
            old = [cells[element] for element in own]
            if statement.accumulate:
                self.expressions.nodes.span = statement.span
                new = self._sums(layout, old, new)
            if condition is not None:
                new = [
                    self._if_written(statement, element in cells, condition[place], value, before)
                    for place, element, value, before in zip(turn, own, new, old, strict=True)
                ]
            cells.update(zip(own, new, strict=True))
        cells.pop(-1, None)

    def _sums(self, layout: Layout, old: list[int], new: list[int]) -> list[int]:
        operations = self.expressions.operations
        if layout.code >= F32:
            return operations.floats.each("add", old, new, layout.code)
        add = operations.integers.add
        return [add(a, b, layout.code) for a, b in zip(old, new, strict=True)]

    def _if_written(self, statement: Assign, has_value: bool, condition: int, value: int, before: int) -> int:
        """The value of an element after a conditional write; an element without a value must be written."""
        if not has_value and statement.port not in self.summed:
            return value
        return self.expressions.operations.integers.mux(condition, value, before)

    def _write_by_data(
        self, statement: Assign, layout: Layout, place: list[Any], point: int, values: list[int], condition: int | None
    ) -> None:
        """Write an element that data choose: each candidate takes the value if it is the chosen one."""
        evaluate, nodes = self.expressions, self.expressions.nodes
        integers = evaluate.operations.integers
        nodes.span = statement.target_span
        elements, index = evaluate.chosen(layout, place, point)
        for part, value in enumerate(values):
            cells = evaluate.arrays.cells[layout.name][part]
            new = value
            if statement.accumulate and elements:
                old = integers.select(index, 0, [cells[element] for element in elements])
                new = self._sums(layout, [old], [value])[0]
            for number, element in enumerate(elements):
                is_this = integers.equal(index, nodes.constant(number))
                if condition is not None:
                    is_this = integers.bit("and", is_this, condition, 1)
                cells[element] = integers.mux(is_this, new, cells[element])


def _listed(place: Any, points: Points) -> list[int]:
    return place.tolist() if isinstance(place, np.ndarray) else [int(place)] * points.count


def _runs_in_order(target: list[int], reads: list[list[int]]) -> Iterator[list[int]]:
    """Points by the first run that keeps their order.

    A point comes behind the writers of what it reads, and not before those who read or wrote what it writes: a run
    reads all before it writes, and writes in order.
    """
    written: dict[int, int] = {}  # the last run that writes an element
    free: dict[int, int] = {}  # the first run that may write it
    runs: list[list[int]] = []
    for point, element in enumerate(target):
        own = free.get(element, 0)
        for places in reads:
            own = max(own, written.get(places[point], -1) + 1)
        for places in reads:
            if free.get(places[point], 0) < own:
                free[places[point]] = own
        written[element] = own
        free[element] = max(own, free.get(element, 0))
        if own == len(runs):
            runs.append([])
        runs[own].append(point)
    yield from runs


def _turns(elements: list[int]) -> Iterator[Sequence[int]]:
    """Places of a list, such that no element comes twice in a turn, and its places in order over the turns."""
    if len(set(elements)) == len(elements):
        yield range(len(elements))
        return
    seen: dict[int, int] = {}
    turns: list[list[int]] = []
    for place, element in enumerate(elements):
        turn = seen.get(element, 0)
        seen[element] = turn + 1
        if turn == len(turns):
            turns.append([])
        turns[turn].append(place)
    yield from turns


def spread_along(name: str, low: Any, high: Any, points: Points) -> Points:
    """Add a variable to points: at each, all its values from low to below high."""
    if not isinstance(low, np.ndarray) and not isinstance(high, np.ndarray):
        length = max(0, int(high) - int(low))
        indices: Any = np.arange(int(low), int(low) + length, dtype=np.int64)
        if points.count == 1:
            count = length
            values = points.values if length == 1 else {key: at(value, 0) for key, value in points.values.items()}
            return Points(count, {**values, name: int(low) if length == 1 else indices})
        values = {key: _repeated(value, length) for key, value in points.values.items()}
        return Points(points.count * length, {**values, name: np.tile(indices, points.count)})
    lows = np.broadcast_to(np.asarray(low, np.int64), (points.count,))
    lengths = np.maximum(np.broadcast_to(np.asarray(high, np.int64), (points.count,)) - lows, 0)
    starts = np.cumsum(lengths) - lengths
    indices = np.arange(int(lengths.sum())) - np.repeat(starts - lows, lengths)
    values = {key: _repeated(value, lengths) for key, value in points.values.items()}
    return Points(len(indices), {**values, name: indices})


def _repeated(value: Any, times: Any) -> Any:
    return np.repeat(value, times) if isinstance(value, np.ndarray) else value


def is_independent(loop: Loop) -> bool:
    """Whether the iterations of a loop access disjoint elements of all arrays that it writes."""
    accesses: dict[str, list[tuple[Expr, ...]]] = {}
    for statement in assigns(loop.body):
        accesses.setdefault(statement.port, []).append(statement.subscripts)
    for statement in assigns(loop.body):
        for expression in expressions(statement):
            for part in inside(expression):
                if isinstance(part, Read) and part.port in accesses:
                    accesses[part.port].append(part.subscripts)
    return all(_has_variable(loop_range.name, listed) for loop_range in loop.ranges for listed in accesses.values())


def _has_variable(name: str, accesses: list[tuple[Expr, ...]]) -> bool:
    """Whether some subscript is the variable, in all accesses."""
    first = [{place for place, subscript in enumerate(access) if _is_index(subscript, name)} for access in accesses]
    return bool(set.intersection(*first))


def _is_index(node: Expr, name: str) -> bool:
    return isinstance(node, Index) and node.name == name
