"""What a round has new of one group, in portions of bounded work.

Plain structures go in portions that are spread evenly over them. What only the exact path takes of a group that is
otherwise priced in batches comes after these, then options: one at a time on structures of the group's front, opened
ones too, so that options come together; later also on structures that are spread over all, since an option may gain
most where a plain design is not best; at last all of them together on all.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import accumulate
from operator import itemgetter

from dse.jobs.jobs import Job
from dse.search.figures import Columns
from dse.search.group import GroupJobs, SomeJobs
from dse.search.group_front import GroupPart
from dse.search.pricing import plain_structure
from dse.search.rounds.schedule import ROUNDS, Schedule, Structure
from dse.space.mappings import MappingSpace
from dse.space.options import count_mapping_options, spread
from dse.space.task_graph import Mask
from hwmodel.design import Blocks, GroupDesign

FIRST = 1.0  # seconds of a first portion of what only the exact path takes
OPENED = 12  # structures on which options are tried, in a round; where they are spread, as many again


@dataclass(frozen=True)
class Portion:
    """Work of some seconds, by the exact path or in batches; `jobs` makes it, once it is known to be done."""

    seconds: float
    jobs: Callable[[], Sequence[Job]]
    is_exact: bool = False


class Portions:
    """Cuts the work of rounds at one group in portions of at most `piece` seconds, and keeps account of the rest."""

    def __init__(self, space: MappingSpace, columns: Columns, schedule: Schedule, group: Mask, piece: float) -> None:
        self.space, self.columns, self.schedule, self.group, self.piece = space, columns, schedule, group, piece
        self.tasks = space.tasks(group)
        self._waiting = 0  # designs of portions that were offered and not taken
        self._left = 0  # designs that no portion has
        self._exact: set[Blocks] = set()  # done of what batches have skipped
        self._opened: set[GroupDesign] = set()

    def plain(self, number: int) -> list[Portion]:
        """Plain structures that a round has new: the first portion of few, where each takes long."""
        if not self.space.study.holds_plain:
            return []
        jobs = self._jobs(number)
        most = max(self.piece - jobs.cost.tables, self.piece / 4)
        each = [(jobs.cost.blocks(one[1]), one) for one in self.schedule.fresh(self.group, number, free=self._is_free)]
        kept = [pair for pair in each if pair[0] <= most]
        self._left += (len(each) - len(kept)) * jobs.rates.count
        first = 0
        if not jobs.cost.is_separable:
            kept.sort(key=itemgetter(0))  # among equals as they came
            first = max(1, bisect_right(list(accumulate(seconds for seconds, _ in kept)), FIRST))
        rest = kept[first:]
        turns = max(1, math.ceil(sum(seconds for seconds, _ in rest) / most))
        runs = [kept[:first], *(rest[turn::turns] for turn in range(turns))]
        return [self._plain(jobs, run) for run in runs if run]

    def _plain(self, jobs: GroupJobs, run: Sequence[tuple[float, Structure]]) -> Portion:
        designs = len(run) * jobs.rates.count
        self._waiting += designs

        def taken() -> Sequence[Job]:
            self._waiting -= designs
            return jobs.plain((structure for _, structure in run), products_only=True)

        seconds = jobs.cost.tables + sum(seconds for seconds, _ in run)
        return Portion(seconds, taken, is_exact=not jobs.cost.is_separable)

    def skipped(self, number: int, part: GroupPart) -> Iterator[Portion]:
        """Plain structures that only the exact path takes, those that take least first."""
        if not part.skipped:
            return
        jobs = self._jobs(number)
        left = [one for one in dict.fromkeys(part.skipped) if one not in self._exact]
        cost = {blocks: jobs.cost.exactly(blocks.shape) for blocks in left}
        for blocks in sorted(left, key=lambda one: cost[one]):
            if cost[blocks] <= self.piece:
                structure = plain_structure(self.tasks, blocks)
                yield Portion(cost[blocks], partial(self._priced, jobs, structure))

    def _priced(self, jobs: GroupJobs, structure: GroupDesign) -> Sequence[Job]:
        self._exact.add(structure.blocks)
        return jobs.structures([structure])

    def options(self, number: int, part: GroupPart) -> Iterator[Portion]:
        """Structures with options."""
        study = self.space.study
        if not study.has_options:
            return
        how, jobs = ROUNDS[number].options, self._jobs(number)
        if how == "all" or not study.holds_plain:
            yield from self._everywhere(jobs, number, most=None if how == "all" else OPENED)
            return
        if how == "none":
            return
        front = [part.structures[place] for place in dict.fromkeys(part.place.tolist())]
        starts = spread([one for one in front if one not in self._opened], OPENED)
        if how == "spread":
            starts += spread([one for one in self._all(number) if one not in self._opened], OPENED)
        for start in dict.fromkeys(starts):
            opened = jobs.singly([start], self.piece)
            seconds = sum(job.cost for job in opened.jobs) + jobs.cost.offers
            yield Portion(seconds, partial(self._open, start, opened))

    def _open(self, start: GroupDesign, opened: SomeJobs) -> Sequence[Job]:
        self._opened.add(start)
        self._left += opened.pruned
        return opened.jobs

    def _everywhere(self, jobs: GroupJobs, number: int, most: int | None) -> Iterator[Portion]:
        """All options together on the blocks of a round, or on some of them."""
        plain = self._all(number)
        for start in plain if most is None else spread(plain, most):
            if start.blocks in self._whole:
                continue
            many = count_mapping_options(self.space, start)
            seconds = jobs.cost.offers + (1 + many) * jobs.cost.structure(slow=True)
            if seconds > self.piece:
                self._dear[start.blocks] = many * jobs.rates.count
                continue
            yield Portion(seconds, partial(self._all_on, jobs, start, seconds))

    def _all_on(self, jobs: GroupJobs, start: GroupDesign, seconds: float) -> Sequence[Job]:
        self._whole.add(start.blocks)
        return [jobs.on_blocks([start.blocks], seconds)]

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
    def _dear(self) -> dict[Blocks, int]:
        return {}

    def left_out(self, part: GroupPart) -> int:
        """Group designs of the rounds so far that were not priced."""
        exact = sum(blocks not in self._exact for blocks in dict.fromkeys(part.skipped))
        each = self._jobs(0).rates.count if exact else 0
        return self._waiting + self._left + exact * each + sum(self._dear.values())

    def _jobs(self, number: int) -> GroupJobs:
        rates = self.schedule.rates(self.group, number, free=self._is_free)
        return GroupJobs(self.space, self.columns, self.tasks, rates)

    @property
    def _is_free(self) -> bool:
        return self.columns.units_are_free
