"""Slack: a design is shown with the least logic that keeps its compared figures within a share of what they are.

A search that compares times and memory is blind to logic: the last ten-thousandth of the cycles may take ten times the
LUT. So each design of the front gives up as much as the slack allows. It may take other rates, other structures of its
groups that the front has, neighbouring block shapes, or the place of another design. Logic are LUT, or um2 where the
technology counts these.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from arrayol.arrays import IntArray
from dse.pareto.combine import Stock, fusion_front
from dse.pareto.fronts import Front, front_of
from dse.search.batch_pricer import BatchEvaluator
from dse.search.context import SearchContext
from dse.search.exact.exact import in_order, ordered_design
from dse.search.group_front import Counts, GroupFront
from dse.search.shown.slower_rates import LOGIC, slower, stepped, with_logic
from dse.space.mappings import MappingSpace
from dse.space.options import is_plain
from dse.space.outer_blocks import neighbouring_shapes
from dse.space.task_graph import Mask
from hwmodel.design import Design, GroupDesign, structure_of

SLOWER_AT_MOST = 64  # designs of each structure
POINTS_OF_GROUP = 240  # of the front of a group,
POINTS_OF_WHOLE = 600  # and of what groups make together
_LOGIC = LOGIC[:2]  # the figures of which one is made as small as may be


def least_logic(contexts: Sequence[SearchContext], designs: Sequence[Design], slack: float) -> tuple[Design, ...]:
    """The front with the least logic within a slack, a share, of each design's compared figures; it may be shorter.

    The designs are as they were where the slack is 0, nothing counts logic, or logic is compared itself; also where a
    figure of whole designs, as an energy, is compared or bounded, of which groups have parts alone.
    """
    columns, figures = contexts[0].columns, contexts[0].space.figures
    name = next((name for name in _LOGIC if name in figures), None)
    of_wholes = bool(columns.bounds) or any(figure.parts for figure in columns.objectives)
    if not slack or name is None or of_wholes or any(figure.name == name for figure in columns.objectives):
        return tuple(designs)
    wholes: list[_Whole] = []
    for context in contexts:
        own = [design for design in designs if design.choice == context.space.choice]
        wholes += _Lean(with_logic(context, (name,)), name, own, slack).wholes() if own else ()
    return _chosen(wholes, contexts[0].columns.leading, slack)


@dataclass(frozen=True)
class _Whole:
    """A design with its compared figures and its logic, the last; `asked` are those of the one that it stands for.

    What may take the place of any has none.
    """

    design: Design
    values: IntArray
    asked: IntArray | None = None


class _Lean:
    """The designs of a front under one choice of loads and splits, and how lean their groups may be."""

    def __init__(self, context: SearchContext, name: str, designs: Sequence[Design], slack: float) -> None:
        self._context, self._designs, self._slack = context, designs, slack
        self._leading, graph = context.columns.leading, context.space.graph
        self._number = {task: place for place, task in enumerate(graph.names)}
        (self._logic,) = context.columns.of_figure(context.space.figures[name])
        groups = dict.fromkeys(group for design in designs for group in design.groups)
        pricer = BatchEvaluator(context)
        pricer.price(groups)
        self._own = {group: np.array(pricer.figures[group], np.int64) for group in groups}
        self._pool: dict[Mask, dict[GroupDesign, IntArray]] = {}
        self._rows: dict[Mask, IntArray] = {}
        self._take(self._own)
        blocks = [structure_of(group) for group in groups if group.stream is None]
        structures, limits = with_neighbours(context.space, blocks), self._limits()
        self._slow(structures, limits)
        # What one group gains by a neighbour, another one may give up.
        wider = self._limits()
        moved = {tasks for tasks, rows in wider.items() if not np.array_equal(rows, limits[tasks])}
        self._slow([one for one in structures if one.tasks in moved], wider)

    def _slow(self, structures: Sequence[GroupDesign], limits: Mapping[tuple[str, ...], IntArray]) -> None:
        """Add designs of structures at other rates, within limits by tasks."""
        self._take(slower(self._context, structures, SLOWER_AT_MOST, limits))
        known = {group: tuple(values.tolist()) for groups in self._pool.values() for group, values in groups.items()}
        self._take(stepped(self._context, structures, known, SLOWER_AT_MOST, limits))

    def _take(self, priced: Mapping[GroupDesign, Sequence[int] | IntArray]) -> None:
        """Add designs of groups to those that may stand in a design of the front."""
        for group, values in priced.items():
            self._pool.setdefault(self._mask(group), {})[group] = np.array(values, np.int64)
        self._rows.clear()

    def _figures(self, mask: Mask) -> IntArray:
        """The figures of all designs that may stand for a group, one row each."""
        if mask not in self._rows:
            self._rows[mask] = np.array(list(self._pool[mask].values()))
        return self._rows[mask]

    def wholes(self) -> list[_Whole]:
        """Each design of the front, and what it becomes."""
        found = []
        for design in self._designs:
            asked = self._whole(design)
            found.append(_Whole(design, self._described(asked), asked[: self._leading]))
            if (lean := self._lean(design, asked)) is not None:
                found.append(_Whole(*lean, asked[: self._leading]))
        return [*found, *self._anew()]

    def _anew(self) -> Iterator[_Whole]:
        """What the groups make together, of whatever fusions."""
        space = self._context.space
        stock = Stock(space.graph, space.fusions, self._context.columns.combination)
        stock.points_of_group, stock.points_of_whole = POINTS_OF_GROUP, POINTS_OF_WHOLE
        stock.add(
            {
                mask: {group: tuple(values.tolist()) for group, values in groups.items()}
                for mask, groups in self._pool.items()
            }
        )
        for whole in stock.wholes():
            yield _Whole(in_order(space, whole.groups), self._described(np.array(whole.values, np.int64)))

    def _described(self, values: IntArray) -> IntArray:
        return np.append(values[: self._leading], values[self._logic])

    def _mask(self, group: GroupDesign) -> Mask:
        return sum(1 << self._number[task] for task in group.tasks)

    def _whole(self, design: Design) -> IntArray:
        values = np.zeros(len(self._context.columns.figures), np.int64)
        for group in design.groups:
            values = self._context.columns.combination.whole(values, self._own[group])
        return values

    def _slack_of(self, values: IntArray) -> IntArray:
        """What a whole design may give up in each compared column."""
        return np.floor(np.abs(values[: self._leading]) * self._slack).astype(np.int64)

    def _limits(self) -> dict[tuple[str, ...], IntArray]:
        """By the tasks of groups, up to which figures one is of use to some design of the front: rows of limits."""
        rows: dict[tuple[str, ...], list[IntArray]] = {}
        for design in self._designs:
            for group, most in self._limits_of(design).items():
                rows.setdefault(group.tasks, []).append(most)
        return {tasks: _largest(np.array(each)) for tasks, each in rows.items()}

    def _limits_of(self, design: Design) -> dict[GroupDesign, IntArray]:
        """Up to which figures others may stand in place of each group: the slack, and what the other groups gain."""
        more = self._slack_of(self._whole(design))
        gains = {group: self._gain(group, self._own[group][: self._leading] + more) for group in design.groups}
        total = sum(gains.values(), np.zeros_like(more))
        return {group: self._own[group][: self._leading] + more + total - gain for group, gain in gains.items()}

    def _gain(self, group: GroupDesign, most: IntArray) -> IntArray:
        """How much less of each figure the designs within some limits have that may stand in place of a group."""
        pool = self._figures(self._mask(group))[:, : self._leading]
        least: IntArray = pool[(pool <= most).all(axis=1)].min(axis=0)
        gain: IntArray = np.maximum(0, self._own[group][: self._leading] - least)
        return gain

    def _lean(self, design: Design, asked: IntArray) -> tuple[Design, IntArray] | None:
        """The design of its fusion with the least logic within the slack; None where that is the one it is."""
        more = self._slack_of(asked)
        fronts = {self._mask(group): self._fitting(group, most) for group, most in self._limits_of(design).items()}
        limits: list[int | None] = [None] * len(self._context.columns.figures)
        limits[: self._leading] = (asked[: self._leading] + more).tolist()
        combination = replace(self._context.columns.combination, limits=self._narrow(limits))
        whole = fusion_front(self._context.space.graph, lambda mask: fronts[mask].front, combination, [*fronts])
        if not len(whole.front):
            return None
        best = int(np.argmin(whole.front.values[:, self._logic]))
        if whole.front.values[best, self._logic] >= asked[self._logic]:
            return None
        lean = ordered_design(self._context.space, fronts, whole.choices(best))
        return lean, self._described(whole.front.values[best])

    def _narrow(self, limits: Sequence[int | None]) -> tuple[int | None, ...]:
        """The limits, and those of constraints."""
        pairs = zip(limits, self._context.columns.combination.limits, strict=True)
        return tuple(min((one for one in pair if one is not None), default=None) for pair in pairs)

    def _fitting(self, group: GroupDesign, most: IntArray) -> GroupFront:
        """The designs of a group's tasks within limits, which may stand in its place."""
        designs, pool = list(self._pool[self._mask(group)]), self._figures(self._mask(group))
        kept = np.flatnonzero((pool[:, : self._leading] <= most).all(axis=1))
        found, values = [designs[row] for row in kept.tolist()], pool[kept]
        units = np.array([sum(processor.units for processor in one.processors) for one in found], np.int64)
        front = front_of(values, units, trade_units=self._context.columns.combination.trades_units)
        front_designs = tuple(found[row] for row in front.origin.tolist())
        return GroupFront(Front(front.values, front.units, np.arange(len(front))), front_designs, Counts())


def _largest(limits: IntArray) -> IntArray:
    """The rows of some limits that no other row allows as much as."""
    return -front_of(-limits, np.zeros(len(limits), np.int64)).values


def with_neighbours(space: MappingSpace, structures: Iterable[GroupDesign]) -> tuple[GroupDesign, ...]:
    """Structures, and the plain ones with the next smaller or larger side of blocks in one dimension.

    Those that are evaluated element by element have no neighbours, as each would take long.
    """
    known = dict.fromkeys(structures)
    for structure in tuple(known):
        tasks, blocks = structure.tasks, structure.blocks
        if not is_plain(structure) or not space.model.is_separable(tasks):
            continue
        for shape in neighbouring_shapes(space, tasks[-1], blocks.shape, space.sides):
            other = replace(structure, schedule=replace(blocks, shape=shape))
            if blocks.scan in space.scans(tasks[-1], shape) and space.model.takes_by_counts(other):
                known[other] = None
    return tuple(known)


def _chosen(wholes: Sequence[_Whole], leading: int, slack: float) -> tuple[Design, ...]:
    """For each design that was asked for the leanest of all within its slack; of these the front, ascending.

    Logic counts in that front: what another one beats in all compared figures may take less of it.
    """
    values = np.array([one.values for one in wholes])
    kept: dict[int, None] = {}
    for asked in {tuple(one.asked.tolist()): one.asked for one in wholes if one.asked is not None}.values():
        most = asked + np.floor(np.abs(asked) * slack).astype(np.int64)
        within = np.flatnonzero((values[:, :leading] <= most).all(axis=1))
        order = np.lexsort((*(values[within, column] for column in reversed(range(leading))), values[within, leading]))
        kept[int(within[order[0]])] = None
    rows = np.array(list(kept), np.intp)
    front = front_of(values[rows], np.zeros(len(rows), np.int64))
    return tuple(wholes[int(rows[row])].design for row in front.origin)
