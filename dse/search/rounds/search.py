"""The search in rounds: where a space is too large to be priced whole, a front soon, and a better one with each round.

A round (`schedule`) looks at more sides of blocks, rates, scans and groups than the one before; only what is new in it
is priced. Each round goes first through the groups that the archive's designs use, then a second sweep through all
others. After every sweep the fronts of groups make whole designs, which join the archive.

The budget counts work, in seconds that `dse.search.job_cost` predicts from constants: so the same is done on every
machine, by any number of workers, interrupted or not. Work goes in pieces of at most a twentieth of the budget, and
where a group would take more, structures are left out evenly over their order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from arrayol.text import counted
from dse.jobs.jobs import SEARCHING, Job, JobPlan, Report, SearchProgress
from dse.jobs.runner import JobRunner
from dse.pareto.fronts import Front, Rows
from dse.pareto.hypervolume import RisingVolume
from dse.search.context import SearchContext, Searched
from dse.search.exact import bounds_text, in_order
from dse.search.group import GroupJobs, group_front
from dse.search.group_front import Counts, GroupFront, GroupPart, joined, nothing
from dse.search.isomorphic import IsomorphicGroups
from dse.search.rounds.archive import Archive
from dse.search.rounds.schedule import ROUNDS, Schedule, Structure
from dse.space.options import is_plain, spread
from dse.space.task_graph import Mask
from hwmodel.design import GroupDesign

PIECE = 0.05  # of the budget, that one piece of work may take
OPENED = 12  # structures of a group's front on which options are tried, in a round
SEARCH = 0.8  # of the budget; the rest is for what comes after


@dataclass
class _Known:
    """What is known of a group: its front, the round up to which it was priced, and structures with options tried."""

    part: GroupPart
    round: int = -1
    opened: set[GroupDesign] = field(default_factory=set)
    front: GroupFront | None = None


class _Search:
    """One search: groups priced so far, by the first of their kind, and the archive."""

    def __init__(self, context: SearchContext, runner: JobRunner, report: Report, budget: float) -> None:
        self.context, self.runner, self.report, self.budget = context, runner, report, budget
        self.schedule = Schedule(context.space)
        self.isomorphic = IsomorphicGroups(context.space)
        self.first: dict[Mask, Mask] = {}
        self.known: dict[Mask, _Known] = {}
        self.archive = Archive(context.columns.combination)
        self.volume = RisingVolume()
        self.spent, self.left_out, self.rounds = 0.0, 0, 0
        self.is_cut = False

    def run(self) -> None:
        """All rounds, as far as the budget goes."""
        for number in range(len(ROUNDS)):
            groups = self._firsts(self.schedule.groups(number))
            used = dict.fromkeys(self._firsts([group for group, _ in self.archive.used.most_common()]))
            for sweep in ([*used], [group for group in groups if group not in used]):
                if not self.is_cut and sweep:
                    self._sweep(sweep, number)
            if self.is_cut:
                return
            self.rounds += 1

    def _firsts(self, groups: Sequence[Mask]) -> list[Mask]:
        """The first of the kind of each group."""
        for group in groups:
            if group not in self.first:
                first = self.isomorphic.of(group)
                self.first[group] = group if first is None else first
        return list(dict.fromkeys(self.first[group] for group in groups))

    def _sweep(self, groups: Sequence[Mask], number: int) -> None:
        """Price what a round has new of some groups, then make whole designs."""
        for batch in self._batches(groups, number):
            plans = [self._plan(group, jobs) for group, jobs in batch]
            for (group, _), part in zip(batch, self.runner.do(self.context, plans), strict=True):
                self.known[group].part, self.known[group].front = part, None
        self.archive.add(self.schedule, self._fronts(), self._design)
        self.report(
            SearchProgress(
                SEARCHING,
                number + 1,
                len(ROUNDS),
                "rounds",
                at_most=True,
                designs=self.counts.size,
                work=min(1.0, self.spent / (SEARCH * self.budget)),
                hypervolume=partial(self.volume.with_points, self.archive.values[:, : self.context.columns.leading]),
            )
        )

    def _batches(self, groups: Sequence[Mask], number: int) -> Iterator[list[tuple[Mask, Sequence[Job]]]]:
        """Pieces of work, until the budget is spent."""
        batch: list[tuple[Mask, Sequence[Job]]] = []
        waiting = 0.0
        for group in groups:
            jobs = self._jobs(group, number)
            cost = sum(job.cost for job in jobs)
            if self.spent + cost > SEARCH * self.budget:
                self.is_cut = True
                break
            self.spent += cost
            waiting += cost
            batch.append((group, jobs))
            if waiting > PIECE * self.budget:
                yield batch
                batch, waiting = [], 0.0
        if batch:
            yield batch

    def _jobs(self, group: Mask, number: int) -> list[Job]:
        """What a round has new of a group, as much of it as a piece of work may be."""
        space, columns, schedule = self.context.space, self.context.columns, self.schedule
        tasks, last = space.tasks(group), space.last(group)
        assert last is not None, "groups of rounds have one"
        known = self.known.setdefault(group, _Known(nothing(columns, len(tasks))))
        jobs = GroupJobs(space, columns, tasks, schedule.rates(group, number, free=columns.units_are_free))
        before = schedule.structures(last, known.round)
        fresh = (
            [one for one in schedule.structures(last, number) if one not in before] if space.study.holds_plain else []
        )
        most = PIECE * self.budget
        kept = _within(sorted(fresh, key=lambda one: str(one[0])), jobs, most)
        self.left_out += (len(fresh) - len(kept)) * jobs.rates.count
        wanted: list[Job] = [*jobs.plain(kept, products_only=True)]
        if space.study.has_options and ROUNDS[number].options:
            start = [one for one in spread(self._plain_structures(group), OPENED) if one not in known.opened]
            known.opened.update(start)
            opened = jobs.singly(start, most / 2)
            self.left_out += opened.pruned
            wanted += opened.jobs
        known.round = number
        return wanted

    def _plain_structures(self, group: Mask) -> list[GroupDesign]:
        """The plain structures on a group's front."""
        part = self.known[group].part
        structures = (part.structures[place] for place in dict.fromkeys(part.place.tolist()))
        return [structure for structure in structures if is_plain(structure)]

    def _plan(self, group: Mask, jobs: Sequence[Job]) -> JobPlan[GroupPart]:
        return joined([self.known[group].part, *(yield jobs)], self.context.columns)

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
    def counts(self) -> Counts:
        """Of all groups that were priced."""
        return sum((known.part.counts for known in self.known.values()), Counts(pruned=self.left_out))


def _within(structures: Sequence[Structure], jobs: GroupJobs, seconds: float) -> list[Structure]:
    """Structures that take some seconds together at most, evenly over their order; none that takes half of it alone."""
    costs = [(one, jobs.cost.blocks(one[1])) for one in structures]
    quick = [(one, cost) for one, cost in costs if cost <= seconds / 2]
    total = sum(cost for _, cost in quick)
    return [one for one, _ in spread(quick, int(len(quick) * min(1.0, seconds / max(total, seconds))))]


def search_in_rounds(context: SearchContext, budget: float, runner: JobRunner, report: Report) -> Searched:
    """Search round by round until all are done or the budget is spent, in seconds of predicted work."""
    search = _Search(context, runner, report, budget)
    search.run()
    archive, counts = search.archive, search.counts
    front = Front(archive.values, archive.units, _numbers(len(archive.values)))
    refusals = ((context.space.tasks(group), known.part.refusal) for group, known in search.known.items())
    return Searched(
        front=front,
        design=lambda row: in_order(context.space, archive.designs[row]),
        counts=counts,
        exact=False,
        description=_description(search),
        group_designs=counts.size,
        whole_designs=None,
        refusal=next(((tasks, refusal) for tasks, refusal in refusals if refusal), None),
    )


def _numbers(count: int) -> Rows:
    return np.arange(count)


def _description(search: _Search) -> str:
    """How far it came, and what bounds it."""
    schedule, space = search.schedule, search.context.space
    rounds = f"{search.rounds} of {len(ROUNDS)} rounds" + (", then the budget was spent" if search.is_cut else "")
    groups = (
        "all groups"
        if schedule.takes_all_groups
        else f"groups that are intervals of {counted(len(schedule.orders), 'order')} of the tasks"
    )
    text = f"{rounds}; {groups}; {search.spent:.1f} s of predicted work of a budget of {search.budget:g} s"
    if space.study.has_options:
        text += "; options of the study tried one at a time on the fronts of groups"
    return text + bounds_text(space)
