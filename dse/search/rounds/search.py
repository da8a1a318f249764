"""The search in rounds: where a space is too large to be priced whole, a front soon, and a better one with each round.

A round (`schedule`) looks at more sides of blocks, rates, scans and groups than the one before; only what is new in it
is priced. Each round goes first through the groups that the archive's designs use, then through all others, and of each
it takes a first portion before the rest of any. As it goes the fronts of groups make whole designs, which join the
archive.

The budget counts work, in seconds that `dse.search.job_cost` predicts from constants: so the same is done on every
machine, by any number of workers, interrupted or not. Work goes in batches whose content is fixed, each small beside
what was done before it, and no portion takes more than a twentieth of the budget. A clock, or an interrupt, ends the
search between two batches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from time import monotonic

import numpy as np

from dse.jobs.jobs import SEARCHING, Job, JobPlan, SearchProgress
from dse.jobs.runner import JobRunner
from dse.pareto.fronts import Front
from dse.pareto.hypervolume import RisingVolume
from dse.search.context import SearchContext, Searched, SearchRequest
from dse.search.exact import in_order
from dse.search.group import group_front
from dse.search.group_front import Counts, GroupFront, GroupPart, joined, nothing
from dse.search.isomorphic import IsomorphicGroups
from dse.search.rounds.archive import Archive
from dse.search.rounds.portions import Portion, Portions
from dse.search.rounds.schedule import ROUNDS, Schedule
from dse.search.rounds.told import CLOCK, INTERRUPTED, SPENT, Course
from dse.space.task_graph import Mask
from hwmodel.design import GroupDesign

PIECE = 0.05  # of the budget, that one portion of work may take
LEAST_PIECE = 1.0  # seconds
CHEAP = 0.01  # of the budget: where the exact path takes more than that, it waits until others had their first portion
FURTHER = 0.1  # of the budget, for options in one round, and for what only the exact path takes
SEARCH = 0.8  # of the budget, and of the clock; the rest is for what comes after
FIRST_BATCH = 0.4  # seconds; later ones are of an eighth of what was done before


class _EndedError(Exception):
    """The search has to end, for a reason."""


@dataclass
class _Known:
    """What is known of a group: its front, and what was tried."""

    part: GroupPart
    portions: Portions
    front: GroupFront | None = None


@dataclass
class _Batch:
    """Work that waits, by group, and its seconds."""

    jobs: dict[Mask, list[Job]] = field(default_factory=dict)
    seconds: float = 0.0


class _Search:
    """One search: groups priced so far, by the first of their kind, and the archive."""

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
        self.cut = ""
        self.is_exact = False
        self.began = monotonic()

    def run(self) -> None:
        """All rounds, as far as budget and clock go."""
        try:
            for number in range(len(ROUNDS)):
                self._round(number)
                self.rounds += 1
            if self.left_out == 0 and self.schedule.takes_all_groups:
                self.is_exact = self.archive.add_all(self.schedule, self._fronts(), self._design)
        except _EndedError as reason:
            self.cut = str(reason)
        except KeyboardInterrupt:
            with suppress(KeyboardInterrupt):
                self._look()
            if not len(self.archive.wholes.values):
                raise
            self.cut = INTERRUPTED

    def _round(self, number: int) -> None:
        """Every first portion, then the others by what they take; then options."""
        waiting: list[tuple[int, float, int, Mask, Portion]] = []
        for place, group in enumerate(self._in_order(number)):
            known = self._known(group)
            for turn, portion in enumerate(known.portions.plain(number)):
                if turn or (portion.is_exact and portion.seconds > max(LEAST_PIECE, CHEAP * self.request.budget)):
                    waiting.append((turn, portion.seconds, place, group, portion))
                else:
                    self._take(group, portion, always=self._makes_first(group, number))
        for _, _, _, group, portion in sorted(waiting, key=lambda one: one[:3]):
            self._take(group, portion)
        self._flush()
        for portions in (Portions.skipped, Portions.options):
            self._further(number, portions)
        self._look()

    def _further(self, number: int, portions: Callable[[Portions, int, GroupPart], Iterator[Portion]]) -> None:
        """What is beyond plain structures in batches, in a round before the last as much as its share of the budget."""
        ends = self.spent + FURTHER * self.request.budget
        for group in self._in_order(number):
            known = self._known(group)
            for portion in portions(known.portions, number, known.part):
                if number + 1 < len(ROUNDS) and self.spent + self.batch.seconds > ends:
                    self._flush()
                    return
                self._take(group, portion, always=self._makes_first(group, number))
        self._flush()

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
            piece = max(LEAST_PIECE, PIECE * self.request.budget)
            portions = Portions(space, columns, self.schedule, group, piece)
            self.known[group] = _Known(empty, portions)
        return self.known[group]

    def _makes_first(self, group: Mask, number: int) -> bool:
        """Whether a group is one of those that make the first whole designs, which no budget keeps from being made."""
        return number == 0 and (group.bit_count() == 1 or group == self.context.space.graph.all)

    def _take(self, group: Mask, portion: Portion, *, always: bool = False) -> None:
        """Let some work wait until there is enough for a batch. Raises _EndedError if the budget is spent."""
        if not always and self.spent + self.batch.seconds + portion.seconds > SEARCH * self.request.budget:
            self._flush()
            self._look()
            raise _EndedError(SPENT)
        self.batch.jobs.setdefault(group, []).extend(portion.jobs())
        self.batch.seconds += portion.seconds
        if self.batch.seconds > min(PIECE * self.request.budget, max(FIRST_BATCH, self.spent / 8)):
            self._flush()

    def _flush(self) -> None:
        """Do what waits, and make whole designs where that takes little beside what was done since the last time."""
        batch, self.batch = self.batch, _Batch()
        plans = [self._plan(group, jobs) for group, jobs in batch.jobs.items()]
        for group, part in zip(batch.jobs, self.runner.do(self.context, plans), strict=True):
            self.known[group].part, self.known[group].front = part, None
        self.spent += batch.seconds
        if self.spent >= self.next_look:
            self._look()
        self._report()
        timeout = self.request.timeout
        if timeout is not None and monotonic() - self.began > SEARCH * timeout:
            self._look()
            raise _EndedError(CLOCK.format(timeout))

    def _plan(self, group: Mask, jobs: Sequence[Job]) -> JobPlan[GroupPart]:
        return joined([self.known[group].part, *(yield jobs)], self.context.columns)

    def _look(self) -> None:
        """Make whole designs of what is known of groups."""
        self.archive.add(self.schedule, self._fronts(), self._design)
        self.spent += self.archive.seconds
        self.next_look = self.spent + max(FIRST_BATCH, self.spent / 8, 8 * self.archive.seconds)
        self.request.keep(self.context, self.searched)

    def _report(self) -> None:
        number, budget = self.rounds + 1, SEARCH * self.request.budget
        self.request.report(
            SearchProgress(
                SEARCHING,
                number,
                len(ROUNDS),
                "rounds",
                at_most=True,
                designs=self.counts.size,
                work=min(1.0, self.spent / budget),
                hypervolume=partial(
                    self.volume.with_points, self.archive.wholes.values[:, : self.context.columns.leading]
                ),
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
        one = replace(searched, designs=(searched.designs[row],))
        return one.designs[0] if first == group else self.isomorphic.renamed(one, first, group).designs[0]

    @property
    def left_out(self) -> int:
        """Group designs of the rounds done that were not priced."""
        return sum(known.portions.left_out(known.part) for known in self.known.values())

    @property
    def counts(self) -> Counts:
        """Of all groups that were priced."""
        return sum((known.part.counts for known in self.known.values()), Counts(pruned=self.left_out))

    def searched(self) -> Searched:
        """What was found so far."""
        space, wholes, counts = self.context.space, self.archive.wholes, self.counts
        refusals = ((space.tasks(group), known.part.refusal) for group, known in self.known.items())
        course = Course(self.rounds, self.cut, self.spent, self.request.budget, self.left_out, exact=self.is_exact)
        return Searched(
            front=Front(wholes.values, wholes.units, np.arange(len(wholes.values))),
            design=lambda row: in_order(space, wholes.designs[row]),
            counts=counts,
            exact=self.is_exact and not space.study.longest_group and not space.study.epsilon,
            description=course.text(self.schedule),
            group_designs=counts.size,
            whole_designs=None,
            complete=course.is_complete,
            refusal=next(((tasks, refusal) for tasks, refusal in refusals if refusal), None),
        )


def search_in_rounds(context: SearchContext, request: SearchRequest, runner: JobRunner) -> Searched:
    """Search round by round until all are done, the budget or the time is spent, or an interrupt comes."""
    search = _Search(context, runner, request)
    search.run()
    return search.searched()
