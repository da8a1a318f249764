"""Every whole design of a space, one by one: for small spaces, and to test the other methods against.

Independent of them: no front is taken before the whole designs are there, every group design is priced by itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from arrayol.arrays import IntArray
from arrayol.errors import ArrayolError
from arrayol.text import counted, rounded
from dse.jobs.jobs import SEARCHING, SearchProgress
from dse.jobs.runner import JobRunner, TimeOverError
from dse.pareto.fronts import Rows, front_of
from dse.search.context import EXHAUSTIVE, SearchContext, Searched, SearchRequest, refused
from dse.search.exact.exact import bounds_text, in_order
from dse.search.figures import Columns, values_of
from dse.search.group_front import Counts, total_units
from dse.search.integer_partitions import coverage
from dse.search.pricing import RateChoices, plain_structure
from dse.search.streams.stream_search import price_streams
from dse.space.mappings import SEVERAL_LAST, MappingSpace
from dse.space.options import mapping_options
from dse.space.remarks import all_fusions
from dse.space.task_graph import Mask
from hwmodel.cost_model.streaming.stream_groups import metrics_of_streams
from hwmodel.design import Design, GroupDesign

WHOLES_AT_MOST = 20_000_000  # whole designs; more are refused
_AT_ONCE = 1 << 18  # whole designs whose figures are held


@dataclass(frozen=True)
class _Group:
    """All designs of a group: the figures of the legal ones, and how many there are with the others.

    Of the others so many streams may have been better, which are not priced: those `uncounted`.
    """

    designs: list[GroupDesign]
    values: IntArray
    units: IntArray
    size: int
    refusal: str | None
    uncounted: int = 0


def search_exhaustively(context: SearchContext, request: SearchRequest, runner: JobRunner) -> Searched:
    """Price every whole design, in this process, or those of the groups that are priced when the time is over.

    Raises ArrayolError (`method-refused`) where the study makes too many.
    """
    space, columns = context.space, context.columns
    groups: dict[Mask, _Group] = {}
    looked, is_over = 0, False
    # First single tasks and the whole, which make whole designs.
    for group in sorted(space.groups, key=lambda one: 1.5 if one == space.graph.all else one.bit_count()):
        request.report(SearchProgress(SEARCHING, len(groups), len(space.groups), "groups", designs=looked))
        groups[group], is_over = _all_designs(space, columns, group, runner)
        looked += groups[group].size
        if is_over:
            break
    fusions = all_fusions(space)
    assert fusions is not None, "more fusions are refused before"
    known = tuple(fusion for fusion in fusions if all(group in groups for group in fusion))
    total = sum(math.prod(groups[group].size for group in fusion) for fusion in known)
    if total > WHOLES_AT_MOST:
        reason = f"it evaluates every whole design, at most {WHOLES_AT_MOST:,}, and there are {rounded(total)}"
        raise refused(EXHAUSTIVE, reason, "take --method exact, or narrow the space in a study")
    wholes = _Wholes(columns)
    priced = wholes.add_all(known, groups, runner if not is_over else JobRunner())
    searched = _searched(space, known, groups, wholes, total)
    if not is_over and priced == len(fusions):
        return searched
    left = f"whole designs of {priced:,} of {counted(len(fusions), 'fusion')}, of {len(groups):,} groups"
    left += ", the last of them in part" if is_over else ""
    left += (
        f" of {len(space.groups):,}, {request.clock_text}; the others are left out{bounds_text(space, epsilon=False)}"
    )
    return replace(searched, exact=False, complete=False, whole_designs=None, description=left)


def _searched(
    space: MappingSpace, fusions: tuple[tuple[Mask, ...], ...], groups: dict[Mask, _Group], wholes: _Wholes, total: int
) -> Searched:
    front = front_of(wholes.values, wholes.units)
    missed = Counts(uncounted=sum(group.uncounted for group in groups.values())).missed

    def design(row: int) -> Design:
        number, flat = wholes.codes[front.origin[row]].tolist()
        fusion = fusions[number]
        rows = np.unravel_index(flat, [len(groups[group].units) for group in fusion])
        return in_order(space, {group: groups[group].designs[int(at)] for group, at in zip(fusion, rows, strict=True)})

    return Searched(
        front=front,
        design=design,
        counts=Counts(wholes.feasible, total - wholes.feasible),
        exact=not space.study.longest_group and not missed,
        description="every whole design of all fusions, one by one" + missed + bounds_text(space, epsilon=False),
        group_designs=sum(group.size for group in groups.values()),
        whole_designs=total,
        counts_wholes=True,
        coverage=coverage(space, [mask for mask, group in groups.items() if group.designs], is_whole=True),
        refusal=next(((space.tasks(mask), group.refusal) for mask, group in groups.items() if group.refusal), None),
    )


class _Wholes:
    """The whole designs that nothing dominates so far, each as the number of its fusion and its place in there."""

    def __init__(self, columns: Columns) -> None:
        self.combination = columns.combination
        self.feasible = 0
        self.values: IntArray = np.zeros((0, len(columns.figures)), np.int64)
        self.units: IntArray = np.zeros(0, np.int64)
        self.codes: Rows = np.zeros((0, 2), np.intp)

    def add_all(self, fusions: Sequence[Sequence[Mask]], groups: Mapping[Mask, _Group], runner: JobRunner) -> int:
        """Take the whole designs of fusions, as many as there is time for, and say of how many it was."""
        for number, fusion in enumerate(fusions):
            try:
                runner.heed_time()
            except TimeOverError:
                return number
            self.add(number, [groups[group] for group in fusion])
        return len(fusions)

    def add(self, fusion: int, groups: list[_Group]) -> None:
        """Take all whole designs of a fusion: every choice of one design for each of its groups."""
        shape = [len(group.units) for group in groups]
        total = math.prod(shape)
        for start in range(0, total, _AT_ONCE):
            flat = np.arange(start, min(start + _AT_ONCE, total))
            rows = np.unravel_index(flat, shape)
            values = groups[0].values[rows[0]]
            units = groups[0].units[rows[0]]
            for group, row in zip(groups[1:], rows[1:], strict=True):
                values = self.combination.whole(values, group.values[row])
                units = units + group.units[row]
            self._keep(values, units, np.stack([np.full(len(flat), fusion), flat], axis=1))

    def _keep(self, values: IntArray, units: IntArray, codes: Rows) -> None:
        within = self.combination.within(values)
        self.feasible += int(np.count_nonzero(within))
        values = np.concatenate([self.values, values[within]])
        units = np.concatenate([self.units, units[within]])
        front = front_of(values, units)
        self.codes = np.concatenate([self.codes, codes[within]])[front.origin]
        self.values, self.units = front.values, front.units


def _all_designs(space: MappingSpace, columns: Columns, group: Mask, runner: JobRunner) -> tuple[_Group, bool]:
    """Every design of a group, structure by structure under all combinations of rates; and whether the time is over.

    Then it has those that were priced before.
    """
    tasks, last = space.tasks(group), space.last(group)
    empty: IntArray = np.zeros((0, len(columns.figures)), np.int64)
    streams = _streams(space, columns, tasks) if space.study.has_streams else _Group([], empty, empty[:, 0], 0, None)
    if not space.study.has_blocks:
        return streams, False
    if last is None:
        return replace(streams, size=streams.size + 1, refusal=streams.refusal or SEVERAL_LAST), False
    rates = RateChoices(tuple(map(space.rates, tasks))).combinations
    designs: list[GroupDesign] = [*streams.designs]
    parts: list[tuple[IntArray, IntArray]] = [(streams.values, streams.units)]
    size, refusal, is_over = streams.size, streams.refusal, False
    for structure in _structures(space, tasks, last):
        try:
            runner.heed_time()
        except TimeOverError:
            is_over = True
            break
        size += len(rates)
        try:
            priced = space.model.price_structure(structure, rates)
        except ArrayolError as error:
            refusal = refusal or error.diagnostics[0].message
            continue
        legal = np.flatnonzero(priced.legal[0])
        values = [column[0] for column in values_of(columns, priced, space, tasks)]
        parts.append((np.stack(values, axis=1)[legal], total_units(rates)[legal]))
        designs.extend(structure.at_rates(rates[row].tolist()) for row in legal)
    all_values, all_units = (np.concatenate(column) for column in zip(*parts, strict=True))
    return _Group(designs, all_values, all_units, size, refusal, streams.uncounted), is_over


def _streams(space: MappingSpace, columns: Columns, tasks: tuple[str, ...]) -> _Group:
    """Every stream of a group that is priced, each by its own estimate."""
    streams = price_streams(space, tasks)
    values = []
    for pair in streams.designs:
        metrics = metrics_of_streams([pair], space.model.energy_prices)
        values.append([int(column[0, 0]) for column in values_of(columns, metrics, space, tasks)])
    table = np.array(values, np.int64).reshape(len(values), len(columns.figures))
    designs = [design for design, _ in streams.designs]
    units = [sum(processor.units for processor in design.processors) for design in designs]
    size = len(designs) + streams.refused + streams.uncounted
    return _Group(designs, table, np.array(units, np.int64), size, streams.refusal, streams.uncounted)


def _structures(space: MappingSpace, tasks: tuple[str, ...], last: str) -> Iterator[GroupDesign]:
    """Every structure of a group: plain ones where the study holds them, and all mapping options on them."""
    for blocks in space.blocks(last):
        plain = plain_structure(tasks, blocks)
        if space.study.holds_plain:
            yield plain
        yield from mapping_options(space, plain)
