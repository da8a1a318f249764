"""What a round has new of one group, in portions of bounded work.

Plain structures go in portions that are spread evenly over them. After these comes what they may keep, and what only
enumeration takes of a group that is otherwise priced in batches, then options: one at a time on structures of the
group's front, opened ones too, so that options come together; later also on structures that are spread over all, since
an option may gain most where a plain design is not best; at last all of them together on all.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import accumulate, compress
from operator import itemgetter

import numpy as np

from arrayol.arrays import IntArray
from dse.jobs.jobs import Job
from dse.pareto.boxes import box_rows
from dse.search.figures import Columns
from dse.search.group_front import GroupPart
from dse.search.groups.job_cost import by_scans, in_jobs, seconds_of_each
from dse.search.groups.search import GroupJobs, JobSample, batch_of
from dse.search.pricing import RateChoices, plain_structure
from dse.search.rounds.schedule import ROUNDS, Schedule, Structure, by_scan
from dse.space.mappings import MappingSpace, table_of
from dse.space.options import are_offered, count_mapping_options, is_plain, other_fifos, spread
from dse.space.outer_blocks import in_smaller_blocks
from dse.space.promising import Numbers, promising
from dse.space.task_graph import Mask
from hwmodel.design import Blocks, GroupDesign, structure_of
from hwmodel.memory_kinds import FIFO

JOB_OF_ROUND = 2.0  # seconds: a batch has few, which should end together on two cores
FIRST = 1.0  # seconds of a first portion where structures may take long,
FIRST_LISTED = 0.5  # and where buffers are told from their data
PROMISING = 32  # structures of a task by itself that are priced before all others, where data alone are compared,
PROMISING_BESIDE = 8  # and where other splits have designs already
ESTIMATED = "traffic_bytes", "internal_memory_bits"  # what the estimate tells
TURNS = 4  # in which they go: of the first, spread over all, a front is made
RATED_TOGETHER = 16  # designs whose structures are priced together at rates around theirs
OPENED = 12  # structures on which options are tried, in a round; where they are spread, as many again


@dataclass(frozen=True)
class WorkItem:
    """Work of some seconds, by enumeration or in batches.

    `jobs` makes it, once it is known to be done, with what has been found of the group until then.
    """

    seconds: float
    jobs: Callable[[GroupPart], Sequence[Job]]
    is_exact: bool = False


class WorkQueue:
    """Cuts the work of rounds at one group in portions of at most `piece` seconds, and keeps account of the rest."""

    def __init__(self, space: MappingSpace, columns: Columns, schedule: Schedule, group: Mask, piece: float) -> None:
        self.space, self.columns, self.schedule, self.group, self.piece = space, columns, schedule, group, piece
        self.tasks = space.tasks(group)
        self._open: dict[Structure, int] = {}  # plain structures that were not priced, or not yet, and their designs
        self._left = 0  # designs with options that no portion has
        self._offered = -1  # the last round whose plain structures were
        self._exact: set[Blocks] = set()  # done of what batches have skipped
        self._opened: set[GroupDesign] = set()
        self._tried: set[GroupDesign] = set()  # beside others, by the local search
        self._beside: dict[Structure, RateChoices] = {}  # plain structures that it priced, and the rates
        self._each: tuple[int, float] | None = None  # options of a structure, and their seconds
        self._kept: set[Structure] = set()  # those of which all keeps were looked at
        self._of_round: dict[int, GroupJobs] = {}
        self._has_tables = False

    @property
    def _holds_plain(self) -> bool:
        """Whether the group has plain structures; one that ends in several tasks has streams alone."""
        return self.space.study.holds_plain and self.space.last(self.group) is not None

    def sketch(self) -> list[WorkItem]:
        """One plain structure, before the first round."""
        structure = self.schedule.sketch(self.group) if self._holds_plain else None
        if structure is None:
            return []
        jobs = self._jobs(0)

        def jobs_for(part: GroupPart) -> Sequence[Job]:
            self._beside[structure] = jobs.rates
            return jobs.plain(part, by_scans([structure]), products_only=True)

        (seconds,) = seconds_of_each(jobs.cost.blocks, [structure])
        return [WorkItem(jobs.cost.tables_of(1) + seconds, jobs_for)]

    @property
    def is_estimated(self) -> bool:
        """Whether data alone are compared of a task by itself of which an estimate tells the best structures."""
        return len(self._promising[1]) > 0

    @cached_property
    def _promising(self) -> tuple[Numbers, list[GroupDesign]]:
        """Structures that are best by an estimate of bytes and bits, and these, (n, 2); none where there is none."""
        is_open = self._holds_plain and not self.space.lists_shapes(self.tasks[-1])
        is_single = len(self.tasks) == 1 and self.space.model.is_separable(self.tasks)
        if not (is_open and is_single and self.columns.compares_only_data):
            return np.zeros((0, 2)), []
        return promising(self.space, self.tasks[0])

    def promised(self, rivals: Sequence[IntArray] = ()) -> Iterator[WorkItem]:
        """Blocks of a single task, and blocks of blocks, that move and hold least by an estimate of boxes.

        At the slowest rate, which needs the fewest banks. Beside `rivals`, figures (n, objectives) of designs of the
        same work with other splits, fewer; none that they beat, where the task is all there is.
        """
        figures, structures = self._promising
        rates = RateChoices(chosen=(tuple(self.space.rates(task)[0] for task in self.tasks),))
        jobs = GroupJobs(self.space, self.columns, self.tasks, rates, JOB_OF_ROUND)
        rows = box_rows(figures.astype(np.int64), PROMISING_BESIDE if rivals else PROMISING).tolist()
        if self.columns.names == ESTIMATED and len(self.space.graph) == 1:
            rows = [row for row in rows if not any((own <= figures[row]).all(axis=1).any() for own in rivals)]
        turns = [structures[row] for turn in range(TURNS) for row in rows[turn::TURNS]]
        yield from self._others(jobs, turns)

    def plain(self, number: int) -> list[WorkItem]:
        """Plain structures that a round has new: the first portion of few, where each may take long.

        Where only enumeration takes them, also those that earlier rounds had and did not price.
        Of one of very many tasks whose tables take too long by themselves there are none.
        """
        if not self._holds_plain:
            return []
        jobs = self._jobs(number)
        most = max(self.piece - jobs.cost.tables, self.piece / 4)
        fresh = self.schedule.fresh(self.group, number, free=self._is_free)
        if not jobs.cost.is_separable and self._open:
            fresh = sorted(dict.fromkeys((*self._open, *fresh)), key=by_scan)
        fresh = [one for one in fresh if self._beside.get(one) != jobs.rates]
        each = list(zip(seconds_of_each(jobs.cost.blocks, fresh), fresh, strict=True))
        kept = [pair for pair in each if pair[0] <= most]
        self._open.update((one, jobs.rates.count) for _, one in each)
        self._offered = number
        if jobs.cost.tables > self.piece and not self.schedule.whole_is_first:
            return []
        first: list[tuple[float, Structure]] = []
        if not jobs.cost.is_separable:
            kept.sort(key=itemgetter(0))  # among equals as they came
            first = kept[: max(1, bisect_right(list(accumulate(seconds for seconds, _ in kept)), FIRST))]
        elif jobs.cost.listed:
            most = min(most, max(FIRST, jobs.cost.tables))
            first = spread(kept, max(1, int(FIRST_LISTED / jobs.cost.plain)))
        chosen = set(map(itemgetter(1), first))
        rest = [pair for pair in kept if pair[1] not in chosen]
        turns = max(1, math.ceil(sum(seconds for seconds, _ in rest) / most))
        runs = [first, *(rest[turn::turns] for turn in range(turns))]
        return [self._plain(jobs, run) for run in runs if run]

    def _plain(self, jobs: GroupJobs, run: Sequence[tuple[float, Structure]], *, fresh: bool = False) -> WorkItem:
        """Some structures: those that were not priced in the meantime, unless they are no round's, but `fresh`."""

        def jobs_for(part: GroupPart) -> Sequence[Job]:
            left = [structure for _, structure in run if fresh or structure in self._open]
            if fresh:
                self._beside.update((structure, jobs.rates) for structure in left)
                self._tried.update(plain_structure(self.tasks, Blocks(shape, scan)) for scan, shape in left)
            for structure in left:
                self._open.pop(structure, None)
            return jobs.plain(part, by_scans(left), products_only=True)

        tables = jobs.cost.tables_of(len(run), again=self._has_tables)
        self._has_tables = True
        seconds = tables + sum(seconds for seconds, _ in run)
        return WorkItem(seconds, jobs_for, is_exact=not jobs.cost.is_separable)

    def keeps(self, number: int, part: GroupPart) -> Iterator[WorkItem]:
        """What plain structures may keep in other ways, where that is searched in bulk."""
        last = self.space.last(self.group)
        if last is None or not self.space.study.has_blocks:
            return
        jobs = self._jobs(number)
        if not self._searches_keeps(jobs):
            return
        left = sorted(
            (one for one in self.schedule.upto(last, number) if one not in self._kept), key=lambda one: str(one[0])
        )
        opened = jobs.cost.tables_of(0)  # those of the plain ones are there
        most = self.piece - opened
        costs = zip(left, seconds_of_each(jobs.cost.keeps_of, left), strict=True)
        for some, seconds in in_jobs((pair for pair in costs if pair[1] <= most), most):
            yield WorkItem(opened + seconds, partial(self._keep, jobs, some))

    def _searches_keeps(self, jobs: GroupJobs) -> bool:
        """Whether they are searched in bulk, which takes too long where many buffers are told from their data."""
        return jobs.searches_keeps and jobs.cost.tables + jobs.cost.keeps <= self.piece

    def _keep(self, jobs: GroupJobs, structures: Sequence[Structure], part: GroupPart) -> Sequence[Job]:
        self._kept.update(structures)
        return jobs.keeps(by_scans(structures), part, products_only=True)

    def skipped(self, number: int, part: GroupPart) -> Iterator[WorkItem]:
        """Plain structures that only enumeration takes, those that take least first."""
        if not part.skipped:
            return
        jobs = self._jobs(number)
        left = [one for one in dict.fromkeys(part.skipped) if one not in self._exact]
        cost = _exact_seconds(jobs, left)
        for blocks in sorted(left, key=lambda one: cost[one]):
            if cost[blocks] <= self.piece:
                structure = plain_structure(self.tasks, blocks)
                yield WorkItem(cost[blocks], partial(self._priced, jobs, structure))

    def _priced(self, jobs: GroupJobs, structure: GroupDesign, part: GroupPart) -> Sequence[Job]:
        self._exact.add(structure.blocks)
        return jobs.structures(part, [structure])

    def options(self, number: int, part: GroupPart) -> Iterator[WorkItem]:
        """Structures with options."""
        study = self.space.study
        if not study.has_options or self.space.last(self.group) is None:
            return
        how, jobs = ROUNDS[number].options, self._jobs(number)
        if how == "none" and study.holds_plain:
            return
        dear = {blocks for blocks, own in _exact_seconds(jobs, part.skipped).items() if own > self.piece}
        everywhere = [one for one in self._all(number) if one.blocks not in dear]
        if how == "all" or not study.holds_plain:
            yield from self._everywhere(jobs, everywhere, most=None if how == "all" else OPENED)
            return
        front = [part.structures[place] for place in dict.fromkeys(part.place.tolist())]
        starts = spread([one for one in front if one not in self._opened and one.blocks not in dear], OPENED)
        if how == "spread":
            starts += spread([one for one in everywhere if one not in self._opened], OPENED)
        for start in dict.fromkeys(starts):
            yield self._switched(jobs, start, part)

    def _switched(self, jobs: GroupJobs, start: GroupDesign, part: GroupPart) -> WorkItem:
        """What differs from a structure in one option."""
        opened = jobs.one_option_each(
            part, [start], self.piece, keeps=not self._searches_keeps(jobs), tried=self._tried
        )
        is_product = start.blocks not in part.skipped
        seconds = sum(job.cost for job in opened.jobs) + jobs.cost.offers(is_product=is_product)
        return WorkItem(seconds, partial(self._switch, start, opened))

    def _switch(self, start: GroupDesign, opened: JobSample, _: GroupPart) -> Sequence[Job]:
        self._opened.add(start)
        self._left += opened.pruned
        return opened.jobs

    def _everywhere(self, jobs: GroupJobs, plain: Sequence[GroupDesign], most: int | None) -> Iterator[WorkItem]:
        """All options together on the blocks of plain structures, or on some of them."""
        for start in plain if most is None else spread(plain, most):
            if start.blocks in self._whole:
                continue
            many, seconds = self._options_of_each(plain)
            if seconds > self.piece:
                self._expensive[start.blocks] = many * jobs.rates.count
                continue
            yield WorkItem(seconds, partial(self._all_on, jobs, start, seconds))

    def _options_of_each(self, plain: Sequence[GroupDesign]) -> tuple[int, float]:
        """Options of the structure in the middle and their seconds, for all others: offers differ little."""
        if self._each is None:
            middle = plain[len(plain) // 2]
            self._each = (
                count_mapping_options(self.space, middle),
                self._jobs(len(ROUNDS) - 1).seconds_of_options([middle]),
            )
        return self._each

    def _all_on(self, jobs: GroupJobs, start: GroupDesign, seconds: float, part: GroupPart) -> Sequence[Job]:
        self._whole.add(start.blocks)
        return [jobs.on_blocks(part, [start.blocks], seconds)]

    def _all(self, number: int) -> list[GroupDesign]:
        """The plain structures of a round and all before it."""
        last = self.space.last(self.group)
        assert last is not None, "groups of rounds have one"
        pairs = self.schedule.upto(last, number)
        return [plain_structure(self.tasks, Blocks(shape, scan)) for scan, shape in pairs]

    @cached_property
    def _whole(self) -> set[Blocks]:
        return set()

    @cached_property
    def _expensive(self) -> dict[Blocks, int]:
        return {}

    def other_blocks(self, number: int, part: GroupPart, designs: Sequence[GroupDesign]) -> Iterator[WorkItem]:
        """What differs from designs in a side of blocks and was not priced.

        Also the designs themselves, which may have been found elsewhere.
        """
        jobs, last = self._jobs(number), self.tasks[-1]
        starts = list(dict.fromkeys(map(structure_of, designs)))
        found = [one for one in starts if one not in part.structures]
        found += [
            replace(one, schedule=blocks)
            for one in starts
            for blocks in self.schedule.neighbouring_blocks(one.blocks, last)
        ]
        found += [smaller for one in starts for smaller in in_smaller_blocks(self.space, one)]
        plain = [one for one in dict.fromkeys(found) if is_plain(one) and one.blocks not in part.skipped]
        yield from self._plain_neighbours(jobs, plain)
        others = [one for one in dict.fromkeys(found) if one not in plain and not self._is_done(one)]
        opened = [one for one in others if not is_plain(one)]
        offered = set(compress(opened, are_offered(self.space, opened)))
        yield from self._others(jobs, [one for one in others if is_plain(one) or one in offered])

    def _plain_neighbours(self, jobs: GroupJobs, plain: Sequence[GroupDesign]) -> Iterator[WorkItem]:
        known = self.schedule.upto(self.tasks[-1], self._offered)
        structures = [(one.blocks.scan, one.blocks.shape) for one in plain if one not in self._tried]
        fresh = sorted((one for one in structures if one not in known or one in self._open), key=by_scan)
        costs = zip(seconds_of_each(jobs.cost.blocks, fresh), fresh, strict=True)
        most = self.piece - jobs.cost.tables
        for run, _ in in_jobs(((pair, pair[0]) for pair in costs if pair[0] <= most), most):
            yield self._plain(jobs, run, fresh=True)

    def _is_done(self, structure: GroupDesign) -> bool:
        return structure in self._tried or (is_plain(structure) and structure.blocks in self._exact)

    def _others(self, jobs: GroupJobs, structures: Sequence[GroupDesign]) -> Iterator[WorkItem]:
        """Structures that are not plain, or that batches skip: those that take too long or too much memory not."""
        exact = _exact_seconds(jobs, [one.blocks for one in structures if is_plain(one)])
        kept = [
            one
            for one in structures
            if jobs.cost.is_bearable(one, self.piece) and (not is_plain(one) or exact[one.blocks] <= self.piece)
        ]
        each = zip(kept, jobs.seconds_of_each(kept), strict=True)
        costs = ((one, exact[one.blocks] if is_plain(one) else seconds) for one, seconds in each)
        for run, seconds in in_jobs(costs, min(self.piece, JOB_OF_ROUND)):
            yield WorkItem(seconds, partial(self._try, jobs, run))

    def _try(self, jobs: GroupJobs, structures: Sequence[GroupDesign], part: GroupPart) -> Sequence[Job]:
        self._tried.update(structures)
        self._exact.update(one.blocks for one in structures if is_plain(one))
        return jobs.structures(part, structures)

    def other_rates(self, number: int, _: GroupPart, designs: Sequence[GroupDesign]) -> Iterator[WorkItem]:
        """Designs of the same structures with one task slower or faster, where not all combinations were tried."""
        jobs = self._jobs(number)
        if jobs.rates.chosen is None:
            return
        known = set(jobs.rates.chosen)
        alike: dict[object, list[tuple[GroupDesign, list[tuple[int, ...]]]]] = {}
        for design in designs:
            found = [one for one in self._neighbouring_rates(design) if one not in known]
            fresh = [one for one in found if design.at_rates(one) not in self._tried]
            if fresh:
                alike.setdefault(batch_of(design), []).append((design, fresh))
        for pairs in alike.values():
            for start in range(0, len(pairs), RATED_TOGETHER):
                yield from self._rated(pairs[start : start + RATED_TOGETHER])

    def _rated(self, pairs: Sequence[tuple[GroupDesign, list[tuple[int, ...]]]]) -> Iterator[WorkItem]:
        """Structures that are priced together, each with its fresh rates, under the rates of all of them."""
        rates = tuple(dict.fromkeys(one for _, fresh in pairs for one in fresh))
        other = GroupJobs(self.space, self.columns, self.tasks, RateChoices(chosen=rates), JOB_OF_ROUND)
        structures = dict.fromkeys(structure_of(design) for design, _ in pairs)
        kept = [one for one in structures if other.cost.is_bearable(one, self.piece)]
        if kept:
            designs = [design.at_rates(one) for design, fresh in pairs if structure_of(design) in kept for one in fresh]
            seconds = other.cost.structure(kept[0]) + (len(kept) - 1) * other.cost.plain
            yield WorkItem(seconds, partial(self._at_rates, other, kept, designs))

    def other_fifos(self, number: int, _: GroupPart, designs: Sequence[GroupDesign]) -> Iterator[WorkItem]:
        """What differs from designs in FIFOs, and is priced from counts."""
        jobs, by_counts = self._jobs(number), self.space.model.takes_by_counts
        starts = [one for one in dict.fromkeys(map(structure_of, designs)) if FIFO.name in self.space.study.links]
        found = dict.fromkeys(one for one in other_fifos(self.space, starts) if not self._is_done(one))
        yield from self._others(jobs, [one for one in found if by_counts(one)])

    def other_options(self, number: int, part: GroupPart, designs: Sequence[GroupDesign]) -> Iterator[WorkItem]:
        """What differs from designs in one option."""
        if self.space.study.has_options:
            for start in dict.fromkeys(map(structure_of, designs)):
                if start not in self._opened:
                    yield self._switched(self._jobs(number), start, part)

    def _at_rates(
        self, jobs: GroupJobs, structures: Sequence[GroupDesign], designs: Sequence[GroupDesign], part: GroupPart
    ) -> Sequence[Job]:
        self._tried.update(designs)
        return jobs.structures(part, structures)

    def _neighbouring_rates(self, design: GroupDesign) -> Iterator[tuple[int, ...]]:
        """Its rates, and those that differ by a place of one task's list."""
        own = tuple(processor.rate for processor in design.processors)
        yield own
        for at, task in enumerate(self.tasks):
            offered = self.space.rates(task)
            place = offered.index(own[at])
            for rate in (*offered[max(0, place - 1) : place], *offered[place + 1 : place + 2]):
                yield (*own[:at], rate, *own[at + 1 :])

    def left_out(self, part: GroupPart) -> int:
        """Group designs of the rounds so far that were not priced."""
        exact = sum(blocks not in self._exact for blocks in dict.fromkeys(part.skipped))
        each = self._jobs(0).rates.count if exact else 0
        return sum(self._open.values()) + self._left + exact * each + sum(self._expensive.values())

    @property
    def left_out_of_rounds(self) -> int:
        """Group designs of plain structures that are too many for any round."""
        if not self._holds_plain:
            return 0
        return self.schedule.left_out(self.tasks[-1]) * self._jobs(0).rates.count

    def _jobs(self, number: int) -> GroupJobs:
        """Jobs of a round, made once: much of their cost is known only by looking at the group."""
        if number not in self._of_round:
            rates = self.schedule.rates(self.group, number, free=self._is_free)
            self._of_round[number] = GroupJobs(self.space, self.columns, self.tasks, rates, JOB_OF_ROUND)
        return self._of_round[number]

    @property
    def _is_free(self) -> bool:
        return self.columns.units_are_free


def _exact_seconds(jobs: GroupJobs, blocks: Collection[Blocks]) -> dict[Blocks, float]:
    """What plain structures of these blocks take by enumeration."""
    if not blocks:
        return {}
    return dict(zip(blocks, jobs.cost.exactly(table_of([own.shape for own in blocks])).tolist(), strict=True))
