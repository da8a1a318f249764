"""The search in rounds: where a space is too large to be priced whole, a front soon, and a better one with each round.

A round (`schedule`) looks at more sides of blocks, rates, scans and groups than the one before; only what is new in it
is priced. Each round goes first through the groups that the archive's designs use, then through all others, and of each
it takes a first portion before the rest of any. As it goes the fronts of groups make whole designs, which join the
archive. In between, and with what is left where the rounds end without having priced everything, it searches around the
designs of the archive: what differs from one of their groups in one decision. With more objectives than fronts of
groups are good for, NSGA-II goes on from the archive after the rounds. All this is of blocks; streams stand beside them
(`both_styles`), and at last it searches around designs of both.

The budget counts work, in seconds that `dse.search.groups.job_cost` predicts from constants: so the same is done on
every machine, by any number of workers, interrupted or not. Work goes in batches whose content is fixed, each small
beside what was done before it, and no portion takes more than a twentieth of the budget. A clock, or an interrupt, ends
the search between two batches. Where no budget was asked for it also ends once little more comes: when the last third
of the work has hardly raised the front's hypervolume.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from arrayol.arrays import IntArray
from dse.jobs.jobs import SEARCHING, Job, JobPlan, SearchProgress
from dse.jobs.runner import JobRunner, TimeOverError
from dse.pareto.fronts import Front
from dse.pareto.hypervolume import RisingVolume, share_of
from dse.search.context import SearchContext, Searched, SearchRequest
from dse.search.exact.exact import in_order
from dse.search.figures import objective_values
from dse.search.group_front import Counts, GroupFront, GroupPart, joined, nothing
from dse.search.groups.search import group_front
from dse.search.heuristic.search import GeneticSearch
from dse.search.integer_partitions import Code, covered
from dse.search.isomorphic import IsomorphicGroups
from dse.search.rounds.archive import Archive
from dse.search.rounds.both_styles import SHARE as STREAMS
from dse.search.rounds.both_styles import BothStyles
from dse.search.rounds.neighbourhood import Neighbourhood, OfGroup
from dse.search.rounds.portions import WorkItem, WorkQueue
from dse.search.rounds.schedule import ROUNDS, Schedule
from dse.search.rounds.settled import Look, has_settled
from dse.search.rounds.summary import BEATEN, INTERRUPTED, SETTLED_FRONT, SPENT, Course
from dse.space.outer_blocks import may_gain
from dse.space.task_graph import Mask
from hwmodel.design import GroupDesign

PIECE = 0.05  # of the budget, that one portion of work may take
LEAST_PIECE = 1.0  # seconds
CHEAP = 0.01  # of the budget: where enumeration takes more than that, it waits until others had their first portion
FURTHER = 0.1  # of the budget, for options in one round, and for what only enumeration takes
SEARCH = 0.8  # of the budget; the rest is for what comes after
ROUNDS_TO = 0.75  # of the budget: then the search around designs begins
MANY = 3  # objectives; with more, groups have so many designs on their fronts that whole designs are made of few:
MANY_ROUNDS_TO, EVOLVED_TO = 0.4, 0.72  # of the budget then: first rounds, then NSGA-II
EVOLVING, AROUND_FRONT = "NSGA-II", "around the front"  # what is going on after the rounds
AROUND_FIRST = 0.03  # of the budget, after which it first searches around the front, then whenever that has doubled;
# where the whole graph does not come first this waits for the large groups, and what groups keep then gets more:
LARGE_FIRST, LARGE_KEEPS = 0.15, 0.2
AROUND_EVERY, AROUND_SHARE = 0.125, 0.1  # of the budget: so often at least, and so much at a time
AROUND_MORE, RISES = 0.025, 0.003  # of the budget then, as long as the front's hypervolume rises by such a share
LIKELY = 4  # times as much work as is done comes yet, as far as the budget lets it
FIRST_BATCH = 0.4  # seconds; later ones are of an eighth of what was done before


class _SpentError(Exception):
    """A part of the search has spent its share of the budget."""


class _SettledError(Exception):
    """Little more comes of the search, for a reason in words."""


@dataclass
class _Known:
    """What is known of a group: its front, and what was tried."""

    part: GroupPart
    portions: WorkQueue
    front: GroupFront | None = None


@dataclass
class _Batch:
    """Work that waits, by group, and its seconds."""

    jobs: dict[Mask, list[Job]] = field(default_factory=dict)
    seconds: float = 0.0


class _Search:
    """One search: groups priced so far, by the first of their kind, the archive, and designs of both styles."""

    def __init__(self, context: SearchContext, runner: JobRunner, request: SearchRequest) -> None:
        self.context, self.runner, self.request = context, runner, request
        self.schedule = Schedule(context.space)
        self.isomorphic = IsomorphicGroups(context.space)
        self.first: dict[Mask, Mask] = {}
        self.known: dict[Mask, _Known] = {}
        self.archive = Archive(context.columns.combination)
        self.volume = RisingVolume()
        self.batch = _Batch()
        self.spent, self.next_look, self.rounds = 0.0, FIRST_BATCH, 0
        self.next_around = (AROUND_FIRST if self.schedule.whole_is_first else LARGE_FIRST) * request.budget
        self.share = 1.0  # of the budget, that may be spent so far
        self.stage = ""  # after the rounds
        self.longest = 0.0  # seconds of a piece of work
        self.both = BothStyles(context, request.budget)
        self.varied = self.archive  # around whose designs it searches
        self.genetic: GeneticSearch | None = None
        self.is_many = len(context.columns.objectives) > MANY
        self.around = Neighbourhood()
        self.cut = ""
        self.has_settled = False
        self.is_exact = False
        self.looks: list[Look] = []
        self.promised = set[Mask]()  # single tasks that need no rounds, since an estimate has chosen what is priced

    def run(self) -> None:
        """Rounds, NSGA-II where objectives are many, and around the front, as far as budget and clock go."""
        try:
            self._spend()
        except TimeOverError:
            self._look()
            self.cut = self.request.clock_text
        except KeyboardInterrupt:
            with suppress(KeyboardInterrupt):
                self._look()
            if not len(self.whole.wholes):
                raise
            self.cut = INTERRUPTED

    @property
    def whole(self) -> Archive:
        """The archive of all designs."""
        return self.both.archive if self.context.space.study.has_streams else self.archive

    def _spend(self) -> None:
        """The budget; where the front settles before, once more around it: options come last there, or not at all."""
        more = 1.0
        try:
            self._spend_on_blocks()
        except _SettledError as settled:
            self.has_settled, self.cut, more = True, str(settled), AROUND_MORE
            self._look()
            if not self._leaves_fusions:
                with self._up_to(self.spent / self.request.budget + AROUND_MORE):
                    self._search_neighbours()
        if self.context.space.study.has_streams and not self.is_exact:
            self._spend_on_both(more)

    def _spend_on_blocks(self) -> None:
        with self._up_to(MANY_ROUNDS_TO if self.is_many else ROUNDS_TO):
            self._rounds()
        if self.is_many and not self.is_exact:
            self._evolve(EVOLVED_TO)
        with self._up_to(SEARCH):
            self._search_neighbours()
            return
        self.cut = SPENT

    def _spend_on_both(self, more: float) -> None:
        """The share of streams, as far as it is left: those of all groups, then around designs of both styles.

        There up to `more` of the budget.
        """
        for group in self._in_order(max(0, self.rounds - 1)):
            self.both.take(group)
            if self.both.left:
                break
        self._price_streams()
        self._join(last=True)
        self.has_settled, self.varied = True, self.both.archive
        if not self._leaves_fusions:
            with self._up_to(self.spent / self.request.budget + min(more, self.both.unspent)):
                self._search_neighbours()
        self._join(last=True)

    @contextmanager
    def _up_to(self, share: float) -> Iterator[None]:
        """Within, work is taken until so much of the budget is spent, or what may be spent around it."""
        outer = self.share
        self.share = min(share, outer)
        try:
            with suppress(_SpentError):
                yield
        finally:
            self.share = outer

    def _rounds(self) -> None:
        self._sketch()
        self._promise()
        for number in range(len(ROUNDS)):
            self._round(number)
            self.rounds += 1
            if self._leaves_fusions:
                self._flush()
                raise _SettledError(SETTLED_FRONT)
        self._price_streams()
        is_whole = self.left_out == 0 and not self.both.left and self.schedule.takes_all_groups
        if is_whole and not self.promised and not self.schedule.thinned:
            fronts = {group: own.front for group, own in self._both_fronts().items()}
            is_whole = self.whole.add_all(self.schedule, fronts, self._design_of_both)
            self.is_exact = is_whole and not may_gain(self.context.space)

    @property
    def _leaves_fusions(self) -> bool:
        """Whether all but coarse blocks of fusions is left to the network without splits, where they gain as much."""
        return bool(self.promised) and len(self.context.space.splits) > 0

    def _evolve(self, share: float) -> None:
        """NSGA-II from the archive on; each generation's front takes the archive's place, as it holds nothing worse."""
        began, self.stage = self.spent, EVOLVING
        self.genetic = genetic = GeneticSearch(
            self.context,
            self.runner,
            self.request.seed,
            self.archive.wholes,
            self.schedule.sides,
            self.piece,
            with_streams=False,
        )
        for _ in genetic.generations(share * self.request.budget - began):
            self.archive.wholes = genetic.wholes
            self.spent = began + genetic.seconds
            self.request.keep(self.context, self.searched)
            self._report()
            self.runner.heed_time()

    def _search_neighbours(self) -> None:
        """Price what differs from designs of the archive in one decision, until nothing better comes of it."""
        number, self.stage = min(self.rounds, len(ROUNDS) - 1), AROUND_FRONT
        while not self.is_exact:
            if not (fresh := self.around.unvaried(self._on_front)):
                self._look()
                if not (fresh := self.around.unvaried(self._on_front)):
                    return
            decision, found = fresh
            designs: dict[Mask, list[GroupDesign]] = {}
            for group, design in found:
                designs.setdefault(group, []).append(design)
            for group, own in designs.items():
                known = self._known(group)
                for portion in decision(known.portions, number, known.part, own):
                    self._take(group, portion)
                self.around.varied[decision].update((group, design) for design in own)
            self._flush()
            self._look()

    @property
    def _on_front(self) -> list[OfGroup]:
        """The designs of groups that make an archive's, in blocks, each as one of the first group of its kind."""
        wholes = self.varied.wholes.designs
        found = ((self._first(group), self._as_first(group, own)) for whole in wholes for group, own in whole.items())
        pairs = (pair for pair in dict.fromkeys(found) if pair[0] not in self.promised)
        return [pair for pair in pairs if pair[1].stream is None]

    def _as_first(self, group: Mask, design: GroupDesign) -> GroupDesign:
        first = self._first(group)
        return design if first == group else self.isomorphic.design(design, group, first)

    def _sketch(self) -> None:
        """A first front soon where the whole has so many tasks that it is not priced first."""
        for group in map(self._first, self.schedule.sketched()):
            for portion in self._known(group).portions.sketch():
                self._take(group, portion, always=True)
        if self.known:
            self._flush()
            self._look()

    def _promise(self) -> None:
        """What is best of single tasks by an estimate, where there is one: it takes little and leaves little.

        So where no budget was asked for, rounds leave these tasks out of networks with splits, and of those that come
        after them; a single one is done.
        """
        groups = list(self._in_order(0))
        estimated = [group for group in groups if self._known(group).portions.is_estimated]
        for group in estimated:
            for portion in self._known(group).portions.promised(self.request.rivals):
                self._take(group, portion)
        if self.batch.jobs:
            self._flush()
            self._look()
        if self.request.has_budget or not (self.context.space.splits or self.request.rivals):
            return
        self.promised.update(estimated)
        if self.promised.issuperset(groups):
            raise _SettledError(SETTLED_FRONT if self.spent else BEATEN)

    def _round(self, number: int) -> None:
        """Every first portion, then the others by what they take; then options.

        Of the others that only enumeration takes a round before the last has a share: the next one goes on with
        them, beside those of finer blocks.
        """
        waiting: list[tuple[int, float, int, Mask, WorkItem]] = []
        for place, group in enumerate(self._in_order(number)):
            known = self._known(group)
            if self.both.take(group) and len(self.archive.wholes):
                self._price_streams()
            if group in self.promised:
                continue
            for turn, portion in enumerate(known.portions.plain(number)):
                if turn or (portion.is_exact and portion.seconds > max(LEAST_PIECE, CHEAP * self.request.budget)):
                    waiting.append((turn, portion.seconds, place, group, portion))
                else:
                    self._take(group, portion, always=self._makes_first(group, number))
            self._search_options(number)
        ends = self.spent + FURTHER * self.request.budget if number + 1 < len(ROUNDS) else math.inf
        for _, _, _, group, portion in sorted(waiting, key=lambda one: one[:3]):
            if portion.is_exact and self.spent + self.batch.seconds > ends:
                continue
            self._take(group, portion)
            self._search_options(number)
        self.next_around = 0.0
        self._search_options(number)
        for portions in (WorkQueue.skipped, WorkQueue.options):
            self._further(number, self._portions(number, portions), FURTHER)
        self._look()

    def _price_streams(self) -> None:
        """Price the streams that wait."""
        plans = self.both.plans()
        for (group, _), part in zip(plans, self.runner.do(self.context, [plan for _, plan in plans]), strict=True):
            self.both.add(group, part)
        if plans:
            self._report()

    def _further(self, number: int, portions: Iterable[tuple[Mask, WorkItem]], share: float) -> None:
        """What is beyond plain structures in batches, in a round before the last up to a share of the budget."""
        ends, is_front = self.spent + share * self.request.budget, len(self.archive.wholes) > 0
        for group, portion in portions:
            if number + 1 < len(ROUNDS) and self.spent + self.batch.seconds > ends:
                break
            self._take(group, portion, always=not is_front and self._makes_first(group, number))
        self._flush()

    def _portions(
        self, number: int, portions: Callable[[WorkQueue, int, GroupPart], Iterator[WorkItem]]
    ) -> Iterator[tuple[Mask, WorkItem]]:
        """Work items of one kind of all known groups, in the order of a round."""
        for group in self._in_order(number):
            if group in self.known and group not in self.promised:
                known = self.known[group]
                yield from ((group, portion) for portion in portions(known.portions, number, known.part))

    def _search_options(self, number: int) -> None:
        """Once in a while, what groups so far may keep, and around the designs that are best: of it most comes.

        At first what is kept: of what single tasks keep designs of least memory are made. Later, where there are so
        many groups that what they keep takes long, what is around single tasks gains more for what it takes.
        """
        if self.spent < self.next_around or self._leaves_fusions:
            return
        self._flush()
        turns: list[Callable[[], None]] = [partial(self._keep_otherwise, number), self._search_neighbours_briefly]
        if self.around.number and self.schedule.whole_is_first and not self.schedule.has_few_tasks:
            turns.reverse()
        for turn in turns:
            turn()
        self.next_around = min(2 * self.spent, self.spent + AROUND_EVERY * self.request.budget)

    def _keep_otherwise(self, number: int) -> None:
        """What groups so far may keep, that first which takes least."""
        keeps = sorted(self._portions(number, WorkQueue.keeps), key=lambda pair: pair[1].seconds)
        self._further(number, keeps, FURTHER if self.schedule.whole_is_first else LARGE_KEEPS)

    def _search_neighbours_briefly(self) -> None:
        """Around the front up to a share of the budget, and as long as its hypervolume rises by much."""
        share, rises = AROUND_SHARE, True
        while rises:
            before = self._leading
            with self._up_to(self.spent / self.request.budget + share):
                self._search_neighbours()
                break  # nothing better came, before the share was spent
            share, rises = AROUND_MORE, not self.is_many and share_of(before, self._leading) < 1 - RISES
        self.stage = ""

    @property
    def _leading(self) -> IntArray:
        """The objectives' columns of the archive's designs."""
        return self.archive.wholes.values[:, : self.context.columns.leading]

    def _in_order(self, number: int) -> Iterator[Mask]:
        """The first of the kind of each group of a round: those that the archive uses most, then the others.

        One by one, since it takes a while to tell of what kind a large group is.
        """
        used = [group for group, _ in self.archive.used.most_common()]
        seen = set[Mask]()
        for group in (*used, *self.schedule.groups(number)):
            first = self._first(group)
            if first not in seen:
                seen.add(first)
                yield first

    def _first(self, group: Mask) -> Mask:
        if group not in self.first:
            first = self.isomorphic.of(group)
            self.first[group] = group if first is None else first
        return self.first[group]

    def _known(self, group: Mask) -> _Known:
        if group not in self.known:
            space, columns = self.context.space, self.context.columns
            empty = nothing(columns, group.bit_count())
            portions = WorkQueue(space, columns, self.schedule, group, self.piece)
            self.known[group] = _Known(empty, portions)
        return self.known[group]

    @property
    def piece(self) -> float:
        """The seconds that a piece of work may take."""
        return max(LEAST_PIECE, PIECE * self.request.budget)

    def _makes_first(self, group: Mask, number: int) -> bool:
        """Whether a group is one of those that make the first whole designs, which no budget keeps from being made."""
        is_whole = group == self.context.space.graph.all and self.schedule.whole_is_first
        return number == 0 and (group.bit_count() == 1 or is_whole)

    def _take(self, group: Mask, portion: WorkItem, *, always: bool = False) -> None:
        """Let some work wait until there is enough for a batch. Raises _SpentError if the share of the budget is."""
        if not always and self.spent + self.batch.seconds + portion.seconds > self.share * self.request.budget:
            self._flush()
            self._look()
            raise _SpentError
        self.batch.jobs.setdefault(group, []).extend(portion.jobs(self._known(group).part))
        self.batch.seconds += portion.seconds
        if self.batch.seconds > min(PIECE * self.request.budget, max(FIRST_BATCH, self.spent / 8)):
            self._flush()

    def _flush(self) -> None:
        """Do what waits, and make whole designs where that takes little beside what was done since the last time."""
        batch, self.batch = self.batch, _Batch()
        self.longest = max([self.longest, *(job.cost for jobs in batch.jobs.values() for job in jobs)])
        longest_first = sorted(batch.jobs, key=lambda group: -max((job.cost for job in batch.jobs[group]), default=0))
        plans = [self._plan(group, batch.jobs[group]) for group in longest_first]  # so that no worker waits for one
        more = max(0.0, min(SEARCH * self.request.budget - self.spent, LIKELY * self.spent))
        for group, part in zip(longest_first, self.runner.do(self.context, plans, more=more), strict=True):
            self.known[group].part, self.known[group].front = part, None
        self.spent += batch.seconds
        if self.spent >= self.next_look:
            self._look()
        self._report()
        self.runner.heed_time()
        is_over = self.has_settled or self.request.has_budget or self.is_many
        if not is_over and has_settled(self.looks, self.request.budget):
            raise _SettledError(SETTLED_FRONT)

    def _plan(self, group: Mask, jobs: Sequence[Job]) -> JobPlan[GroupPart]:
        return joined([self.known[group].part, *(yield jobs)], self.context.columns)

    def _look(self) -> None:
        """Make whole designs of what is known of groups; the first ones do not wait for streams."""
        is_first = not len(self.archive.wholes)
        self.archive.add(self.schedule, self._fronts(), self._design)
        self.spent += self.archive.seconds
        if not is_first:
            self._price_streams()
        self._join()
        if len(self.archive.wholes):
            self.looks.append((self.spent, self._with_rivals))
        self.next_look = self.spent + max(FIRST_BATCH, self.spent / 8, 8 * self.archive.seconds)
        self.request.keep(self.context, self.searched)

    @property
    def _work(self) -> float:
        """The seconds of blocks and streams so far."""
        return self.spent + self.both.seconds

    @property
    def _objectives(self) -> IntArray:
        """The objectives of all whole designs so far, (designs, objectives)."""
        return objective_values(self.context.columns, self.whole.wholes.values)

    def _join(self, *, last: bool = False) -> None:
        """Make whole designs of both styles."""
        if self.context.space.study.has_streams:
            self.both.join(self.archive, self.schedule, self._both_fronts(), self._design_of_both, last=last)

    @property
    def _with_rivals(self) -> IntArray:
        """What a look sees: where designs were found under other choices, the objectives of these too."""
        if not self.request.rivals:
            return self._leading
        own = objective_values(self.context.columns, self.archive.wholes.values)
        return np.concatenate([own, *self.request.rivals])

    def _report(self) -> None:
        number, share = min(self.rounds + 1, len(ROUNDS)), SEARCH
        if self.context.space.study.has_streams:
            share += STREAMS
        self.request.report(
            SearchProgress(
                SEARCHING,
                number,
                len(ROUNDS),
                "rounds",
                at_most=True,
                designs=self.counts.size,
                work=min(1.0, self._work / (share * self.request.budget)),
                place=self.stage,
                hypervolume=partial(self.volume.with_points, self._objectives),
                bound=lambda: self.volume.share_of_any(self.context.least),
            )
        )

    def _fronts(self) -> dict[Mask, Front]:
        """The fronts of all groups whose kind is priced."""
        for known in self.known.values():
            known.front = known.front or group_front(known.part, self.context)
        return {
            group: front.front
            for group, first in self.first.items()
            if first in self.known and (front := self.known[first].front) is not None
        }

    def _design(self, group: Mask, row: int) -> GroupDesign:
        first = self.first[group]
        searched = self.known[first].front
        assert searched is not None, "made before whole designs are"
        return self._of_group(searched.designs[row], first, group)

    def _both_fronts(self) -> dict[Mask, GroupFront]:
        """The fronts of blocks and streams of all groups whose kind is priced."""
        return {
            group: self.both.front(first, self.known[first].part)
            for group, first in self.first.items()
            if first in self.known
        }

    def _design_of_both(self, group: Mask, row: int) -> GroupDesign:
        first = self.first[group]
        return self._of_group(self.both.front(first, self.known[first].part).designs[row], first, group)

    def _of_group(self, design: GroupDesign, first: Mask, group: Mask) -> GroupDesign:
        return design if first == group else self.isomorphic.design(design, first, group)

    @property
    def left_out(self) -> int:
        """Group designs of the rounds done that were not priced."""
        left = sum(known.portions.left_out(known.part) for known in self.known.values())
        if self.rounds == len(ROUNDS):
            left += sum(known.portions.left_out_of_rounds for known in self.known.values())
        return left

    @property
    def counts(self) -> Counts:
        """Counts of all groups that were evaluated, and of those that NSGA-II evaluated again."""
        others = self.genetic.pricer.counts if self.genetic else Counts()
        others = others + self.both.counts + Counts(pruned=self.left_out)
        return sum((known.part.counts for known in self.known.values()), others)

    def searched(self) -> Searched:
        """What was found so far."""
        space, wholes, counts = self.context.space, self.whole.wholes, self.counts
        refused = [*self.both.refusals, *((group, known.part.refusal) for group, known in self.known.items())]
        refusals = ((space.tasks(group), refusal) for group, refusal in refused)
        evolution = self.genetic.evolution if self.genetic and self.genetic.history else None
        course = Course(
            self.rounds,
            self.cut,
            self._work,
            self.request.budget,
            self.left_out,
            around=self.around.number,
            evolution=evolution,
            longest=self.longest if self.longest > self.piece else None,
            exact=self.is_exact,
            estimated=len(self.promised),
        )
        return Searched(
            front=wholes.front,
            design=lambda row: in_order(space, wholes.designs[row]),
            counts=counts,
            exact=self.is_exact and not space.study.longest_group and not space.study.epsilon,
            description=course.text(self.schedule),
            group_designs=counts.size,
            whole_designs=None,
            complete=course.is_complete,
            refusal=next(((tasks, refusal) for tasks, refusal in refusals if refusal), None),
            evolution=evolution,
            coverage=covered(space, self._partitions(), is_whole=self.is_exact),
            work=self._work,
        )

    def _partitions(self) -> frozenset[Code]:
        """Partitions of the fusions of which complete designs were looked at."""
        groups = [group for group, own in self._both_fronts().items() if len(own.front)]
        others = self.genetic.partitions if self.genetic else ()
        return self.archive.partitions(self.schedule, groups).union(others)


def search_in_rounds(context: SearchContext, request: SearchRequest, runner: JobRunner) -> Searched:
    """Search round by round until all are done, the budget or the time is spent, or an interrupt comes."""
    search = _Search(context, runner, request)
    search.run()
    return search.searched()
