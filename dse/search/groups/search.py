"""The front of one group: its designs in the plain space priced in batches, those beyond it one structure at a time."""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypeVar

import numpy as np

from dse.jobs.jobs import JobPlan
from dse.pareto.fronts import Front, front_of, thinned
from dse.search.context import SearchContext
from dse.search.figures import Columns
from dse.search.group_front import Counts, GroupFront, GroupPart, joined, nothing, total_units
from dse.search.groups.job_cost import JobCost, Seconds, in_jobs, runs_of
from dse.search.groups.jobs import GroupJob, KeepsJob, OptionsJob, PlainJob, StructuresJob
from dse.search.groups.keep_search import searches_keeps
from dse.search.incumbents.incumbents import Incumbents
from dse.search.pricing import RateChoices, has_bounds, plain_structure
from dse.search.streams.stream_search import StreamJob
from dse.space.mappings import SEVERAL_LAST, MappingSpace, ScanShapes, ShapeTable
from dse.space.options import (
    count_mapping_options,
    is_plain,
    mapping_options,
    one_more,
    opens_only_keeps,
    spread,
)
from dse.space.task_graph import Mask
from hwmodel.design import Blocks, GroupDesign, Scan, structure_of

Job = TypeVar("Job", bound=GroupJob)

SLOW_SECONDS = 6.0  # that a structure may take which is priced element by element, where not all are priced
OPTIONS_LISTED, OPTIONS_LOOKED_AT = 1024, 64  # of all options of a structure, to tell how long one takes
TYPICAL = tuple(0.618034 * number % 1 for number in range(8))  # shares of all structures: these stand for all
PRUNED_TO = 10  # of so many structures one is priced under all rates, as a rule, where there are bounds;
PRUNED_AT_MOST = 4096  # combinations of rates: of more, one of nearly each structure is within its bounds


def search_group(
    context: SearchContext, group: Mask, *, all_options: bool, wholes: Incumbents | None = None
) -> JobPlan[GroupFront]:
    """The front of a group's designs; with `wholes` those of it that the front of whole designs may need.

    Mapping options (cuts, FIFOs, layouts, policies, recomputing) are tried in all combinations on every structure with
    `all_options`, else one at a time on those of the plain front (if the study holds plain designs), and of those that
    the model prices slowly only some. There streams do not prune blocks, whose options may be better than they are.
    """
    space, columns = context.space, context.columns
    last, tasks = space.last(group), space.tasks(group)
    streams = nothing(columns, len(tasks))
    if space.study.has_streams:
        streams = joined((yield [StreamJob.of(space, tasks)]), columns)
    if not space.study.has_blocks:
        return group_front(streams, context)
    if last is None:
        return _without_blocks(context, streams, SEVERAL_LAST)
    part = streams if all_options else nothing(columns, len(tasks))
    jobs = GroupJobs(space, columns, tasks, RateChoices(tuple(map(space.rates, tasks))), wholes=wholes)
    if space.study.holds_plain:
        part = joined([part, *(yield jobs.plain(part, space.structures(last)))], columns)
        if jobs.searches_keeps:
            kept = yield jobs.keeps(space.structures(last), part, products_only=not all_options)
            part = joined([part, *kept], columns)
        if space.study.has_options and not all_options:
            start = [part.structures[place] for place in dict.fromkeys(part.place.tolist())]
            variants = jobs.one_option_each(part, start, keeps=not jobs.searches_keeps)
            parts = yield variants.jobs
            part = joined([part, *parts, nothing(columns, len(jobs.tasks), Counts(pruned=variants.pruned))], columns)
    done = jobs.searches_keeps and opens_only_keeps(space, last)
    if space.study.has_options and not done and (all_options or not space.study.holds_plain):
        part = joined([part, *(yield jobs.everywhere(part, last))], columns)
    whole = part if all_options else joined([streams, part], columns)
    return replace(group_front(whole, context), of_wholes=wholes is not None)


def group_front(part: GroupPart, context: SearchContext) -> GroupFront:
    """The front of a part, with its designs."""
    trade_units = context.columns.combination.trades_units
    front = front_of(part.values, total_units(part.rates), trade_units=trade_units)
    front = thinned(front, context.columns.epsilon(context.space.study.epsilon))
    return GroupFront(front, part.designs(front.origin), part.counts, part.refusal)


def _without_blocks(context: SearchContext, streams: GroupPart, why: str) -> GroupFront:
    """The front of a group that no blocks cut."""
    if not len(streams.values):
        return _refused(context.columns, why)
    refused = nothing(context.columns, streams.rates.shape[1], Counts(infeasible=1), why)
    return group_front(joined([streams, refused], context.columns), context)


def _refused(columns: Columns, why: str) -> GroupFront:
    empty = np.zeros((0, len(columns.figures)), np.int64)
    return GroupFront(Front(empty, empty[:, 0], np.zeros(0, np.intp)), (), Counts(infeasible=1), why)


@dataclass(frozen=True)
class JobSample:
    """Jobs for some of the designs that could be tried, and how many are left out."""

    jobs: Sequence[GroupJob]
    pruned: int


class GroupJobs:
    """Cuts what is to be priced of a group, under some rates, in jobs, always in the same way.

    A `part` is what has been found of the group: it need not be found again; nor what no whole design needs beside the
    known `wholes`. Jobs take so many `seconds`, or as many as jobs usually do.
    """

    def __init__(
        self,
        space: MappingSpace,
        columns: Columns,
        tasks: tuple[str, ...],
        rates: RateChoices,
        seconds: float | None = None,
        wholes: Incumbents | None = None,
    ) -> None:
        self.space, self.tasks, self.rates = space, tasks, rates
        self.seconds, self.wholes = seconds, wholes
        self.searches_keeps = searches_keeps(space, columns, tasks)
        combinations = rates.count
        if columns.units_are_free and rates.chosen is None:
            combinations = 1
        elif has_bounds(columns, rates):
            combinations = 1 + min(rates.count, PRUNED_AT_MOST) // PRUNED_TO + max(0, rates.count - PRUNED_AT_MOST)
        kinds = rates.of_tasks if columns.builds_memories and not columns.units_are_free else 0
        traded = rates.count if has_bounds(columns, rates) and columns.compares_costs else 0
        self.cost = JobCost(space, tasks, combinations, rates=rates.count, kinds=kinds, traded=traded)

    def plain(
        self, part: GroupPart, structures: Iterable[ScanShapes], *, products_only: bool = False
    ) -> list[PlainJob]:
        """Block shapes under scans; with `products_only` without those that would be enumerated."""
        return [
            self._job(PlainJob, self.cost.tables_of(_number(run)) + seconds, part, run, products_only)
            for run, seconds in self._in_jobs(structures, self.cost.blocks)
        ]

    def keeps(self, structures: Iterable[ScanShapes], part: GroupPart, *, products_only: bool) -> list[KeepsJob]:
        """What block shapes under scans may keep in other ways, as far as nothing that has been found is better."""
        return [
            self._job(KeepsJob, self.cost.tables_of(0) + seconds, part, run, products_only)
            for run, seconds in self._in_jobs(structures, self.cost.keeps_of)
        ]

    def _in_jobs(
        self, structures: Iterable[ScanShapes], cost: Callable[[Scan, ShapeTable], Seconds]
    ) -> Iterator[tuple[tuple[ScanShapes, ...], float]]:
        """The structures of each job, by scan, and their seconds."""
        listed = list(structures)
        if not listed:
            return
        ends = np.cumsum([len(shapes) for _, shapes in listed])
        for first, last, seconds in runs_of(np.concatenate([cost(*own) for own in listed]), self.seconds):
            run = list[ScanShapes]()
            touched = np.searchsorted(ends, [first, last - 1], side="right")
            for number in range(int(touched[0]), int(touched[1]) + 1):
                scan, shapes = listed[number]
                start = int(ends[number]) - len(shapes)
                run.append((scan, shapes[max(0, first - start) : last - start]))
            yield tuple(run), seconds

    def one_option_each(
        self,
        part: GroupPart,
        plain: Sequence[GroupDesign],
        seconds: float | None = None,
        *,
        keeps: bool = True,
        tried: Container[GroupDesign] = (),
    ) -> JobSample:
        """What differs from plain structures in one decision, of the slow ones as many as the arrays' size allows.

        Within some seconds only as many of the quick and of the slow ones as take those. What was `tried` is left out.
        """
        structures = [one for one in one_more(self.space, plain, keeps=keeps) if one not in tried]
        by_counts = list(map(self.space.model.takes_by_counts, structures))
        quick = [structure for structure, taken in zip(structures, by_counts, strict=True) if taken]
        slow = self.bearable(
            [structure for structure, taken in zip(structures, by_counts, strict=True) if not taken], seconds
        )
        most_slow, most_quick = self.space.slow_structures, len(quick)
        if seconds is not None:
            most_slow, most_quick = (self._within(seconds, some) for some in (slow, quick))
        chosen = [*spread(quick, most_quick), *spread(slow, most_slow)]
        return JobSample(self.structures(part, chosen), (len(structures) - len(chosen)) * self.rates.count)

    def bearable(self, slow: Sequence[GroupDesign], seconds: float | None = None) -> list[GroupDesign]:
        """Structures that take at most these seconds each; by default as long as any structure may."""
        most = SLOW_SECONDS if seconds is None else seconds
        return [structure for structure in slow if self.cost.is_bearable(structure, most)]

    def _within(self, seconds: float, structures: Sequence[GroupDesign]) -> int:
        """How many of some structures can be priced in so many seconds, if each takes as long as the longest."""
        return int(seconds / max(map(self.cost.structure, structures))) if structures else 0

    def everywhere(self, part: GroupPart, last: str) -> list[OptionsJob]:
        """All mapping options on all blocks."""
        blocks = list(self.space.blocks(last))
        if not blocks:
            return []
        keeps = not self.searches_keeps
        rows = dict.fromkeys(int(share * len(blocks)) for share in TYPICAL)
        each = self.seconds_of_options([plain_structure(self.tasks, blocks[row]) for row in rows], keeps=keeps)
        runs = in_jobs(((block, each) for block in blocks), self.seconds)
        return [replace(self.on_blocks(part, run, seconds), keeps=keeps) for run, seconds in runs]

    def seconds_of_options(self, typical: Sequence[GroupDesign], *, keeps: bool = True) -> float:
        """What all options of a structure take, by some of them, on an average over typical structures."""
        return self.cost.offers() + sum(self._options_on(one, keeps=keeps) for one in typical) / len(typical)

    def _options_on(self, structure: GroupDesign, *, keeps: bool) -> float:
        listed = list(islice(mapping_options(self.space, structure, keeps=keeps), OPTIONS_LISTED))
        some = spread(listed, OPTIONS_LOOKED_AT)
        each = sum(map(self.cost.structure, some)) / max(1, len(some))
        return each * count_mapping_options(self.space, structure, keeps=keeps)

    def on_blocks(self, part: GroupPart, blocks: Sequence[Blocks], seconds: float) -> OptionsJob:
        """All mapping options on some blocks, which take so long."""
        return self._job(OptionsJob, seconds, part, tuple(blocks))

    def structures(self, part: GroupPart, structures: Sequence[GroupDesign]) -> list[StructuresJob]:
        """Structures, whatever their options."""
        each = zip(structures, self.seconds_of_each(structures), strict=True)
        return [self._job(StructuresJob, seconds, part, tuple(run)) for run, seconds in in_jobs(each, self.seconds)]

    def seconds_of_each(self, structures: Iterable[GroupDesign]) -> Iterator[float]:
        """Seconds of structures in a job: of those that are evaluated in one batch only the first takes long."""
        begun = set[Hashable]()
        for structure in structures:
            batch = batch_of(structure) if self.cost.is_separable else None
            yield self.cost.another if batch in begun else self.cost.structure(structure)
            if batch is not None:
                begun.add(batch)

    def _job(self, kind: Callable[..., Job], seconds: float, part: GroupPart, *work: object) -> Job:
        return kind(self.tasks, self.rates, seconds, part.known, *work, wholes=self.wholes)


def batch_of(design: GroupDesign) -> Hashable:
    """What designs share whose structures are evaluated together: a scan and keeps, where they open nothing else."""
    structure = structure_of(design)
    if is_plain(replace(structure, policy="reuse", keeps=())):
        return structure.blocks.scan, structure.policy, structure.keeps
    return structure


def _number(run: Iterable[ScanShapes]) -> int:
    """How many block shapes some scans have together."""
    return sum(len(shapes) for _, shapes in run)
