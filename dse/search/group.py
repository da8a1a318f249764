"""The front of one group: its designs in the plain space priced in batches, those beyond it one structure at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

import numpy as np

from dse.jobs.jobs import JobPlan
from dse.pareto.fronts import Front, front_of, thinned
from dse.search.context import SearchContext
from dse.search.figures import Columns
from dse.search.group_front import Counts, GroupFront, GroupPart, joined, nothing, total_units
from dse.search.group_jobs import GroupJob, OptionsJob, PlainJob, StructuresJob
from dse.search.job_cost import JobCost, in_jobs
from dse.search.pricing import count_combinations, plain_structure
from dse.space.mappings import MappingSpace, Shape
from dse.space.options import count_mapping_options, mapping_options, spread, takes_exact_path
from dse.space.task_graph import Mask
from hwmodel.design import GroupDesign, Scan


def search_group(context: SearchContext, group: Mask, *, all_options: bool) -> JobPlan[GroupFront]:
    """The front of a group's designs.

    Mapping options (cuts, FIFOs, layouts, policies, recomputing) are tried in all combinations on every structure with
    `all_options`, else one at a time on those of the plain front (if the study holds plain designs), and of those that
    the model prices slowly only some.
    """
    space, columns = context.space, context.columns
    last = space.last(group)
    if last is None:
        return _refused(columns, "the group has several last tasks, and no one repetition space to cut in blocks")
    jobs = _Jobs(space, columns, space.tasks(group))
    part = nothing(columns, len(jobs.tasks))
    if space.study.holds_plain:
        part = joined([part, *(yield jobs.plain(last))], columns)
        if space.study.has_options and not all_options:
            variants = jobs.singly([part.structures[place] for place in dict.fromkeys(part.place.tolist())])
            parts = yield variants.jobs
            part = joined([part, *parts, nothing(columns, len(jobs.tasks), Counts(pruned=variants.pruned))], columns)
    if space.study.has_options and (all_options or not space.study.holds_plain):
        part = joined([part, *(yield jobs.everywhere(last))], columns)
    return _finished(part, context)


def _finished(part: GroupPart, context: SearchContext) -> GroupFront:
    """The front with its designs."""
    trade_units = context.columns.combination.trades_units
    front = front_of(part.values, total_units(part.rates), trade_units=trade_units)
    front = thinned(front, context.columns.epsilon(context.space.study.epsilon))
    return GroupFront(front, part.designs(front.origin), part.counts, part.refusal)


def _refused(columns: Columns, why: str) -> GroupFront:
    empty = np.zeros((0, len(columns.figures)), np.int64)
    return GroupFront(Front(empty, empty[:, 0], np.zeros(0, np.intp)), (), Counts(infeasible=1), why)


@dataclass(frozen=True)
class _Some:
    """Jobs for some of the designs that could be tried, and how many are left out."""

    jobs: Sequence[GroupJob]
    pruned: int


class _Jobs:
    """Cuts what is to be priced of a group in jobs, always in the same way."""

    def __init__(self, space: MappingSpace, columns: Columns, tasks: tuple[str, ...]) -> None:
        self.space, self.tasks, self.rates = space, tasks, tuple(map(space.rates, tasks))
        self.designs = count_combinations(self.rates)  # of a structure
        self.cost = JobCost(space, tasks, 1 if columns.units_are_free else self.designs)

    def plain(self, last: str) -> list[PlainJob]:
        """All block shapes under all scans and rates."""
        each, tables = self.cost.plain, self.cost.tables
        blocks = (((scan, shape), each) for scan, shapes in self.space.structures(last) for shape in shapes)
        return [PlainJob(self.tasks, self.rates, tables + seconds, _by_scan(run)) for run, seconds in in_jobs(blocks)]

    def singly(self, plain: Sequence[GroupDesign]) -> _Some:
        """What differs from plain structures in one decision; of the slow ones as many as the arrays' size allows."""
        structures = [option for start in plain for option in mapping_options(self.space, start, singly=True)]
        quick = [structure for structure in structures if not takes_exact_path(structure)]
        slow = [structure for structure in structures if takes_exact_path(structure)]
        chosen = spread(slow, self.space.slow_structures)
        jobs = [*self._structures(quick), *self._structures(chosen)]
        return _Some(jobs, (len(slow) - len(chosen)) * self.designs)

    def everywhere(self, last: str) -> list[OptionsJob]:
        """All mapping options on all blocks."""
        blocks = list(self.space.blocks(last))
        if not blocks:
            return []
        middle = plain_structure(self.tasks, blocks[len(blocks) // 2])  # stands for all: offers differ little
        each = self.cost.structure(slow=True) * count_mapping_options(self.space, middle)
        runs = in_jobs((block, each) for block in blocks)
        return [OptionsJob(self.tasks, self.rates, seconds, tuple(run)) for run, seconds in runs]

    def _structures(self, structures: Sequence[GroupDesign]) -> Iterator[StructuresJob]:
        each = ((structure, self.cost.structure(slow=takes_exact_path(structure))) for structure in structures)
        for run, seconds in in_jobs(each):
            yield StructuresJob(self.tasks, self.rates, seconds, tuple(run))


def _by_scan(blocks: Sequence[tuple[Scan, Shape]]) -> tuple[tuple[Scan, tuple[Shape, ...]], ...]:
    """Runs of block shapes under the same scan."""
    return tuple((scan, tuple(shape for _, shape in run)) for scan, run in groupby(blocks, key=itemgetter(0)))
