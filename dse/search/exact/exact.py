"""The exact search: the front of every group, and from those the front of whole designs over all fusions.

A figure of a whole design is the sum, or the maximum, of its groups' figures, and what a group costs does not depend on
how the others are designed. So a design of a group that another one of the same group dominates can be replaced in
every whole design by that other one, and nothing gets worse: only the groups' fronts need be combined. Of whole designs
with equal figures the one with the fewest units stays; under a maximum a dominated part may belong to it, so there
units count as one more figure (`Combination.trades_units`). A constraint bounds a figure that only grows as groups are
added, so what is above the bound is dropped at once. Of groups that are equal but for names one is searched
(`dse.search.isomorphic`). Where units are in no figure, more of them never cost anything: a structure is priced under
its fastest rates alone, of those the fewest units, then the slowest (`dse.space.rates`).

Exact but for the bounds that a study sets, and where mapping options are too many to be tried on every structure.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from arrayol.text import counted
from dse.jobs.jobs import COMBINING, SEARCHING, JobPlan, SearchProgress
from dse.jobs.runner import JobRunner, Share, TimeOverError
from dse.pareto.combine import Choice, ListedFront, WholeFront, completions_of, listed_front, whole_front
from dse.pareto.fronts import Front
from dse.search.context import SearchContext, Searched, SearchRequest
from dse.search.figures import Columns
from dse.search.group_front import Counts, GroupFront, GroupPart, joined
from dse.search.groups.keep_search import searches_keeps
from dse.search.groups.search import SLOW_SECONDS, TYPICAL, GroupJobs, group_front, search_group
from dse.search.incumbents.complete_designs import Wholes
from dse.search.incumbents.incumbents import IncumbentFront, InterimFront, in_turns
from dse.search.integer_partitions import coverage
from dse.search.isomorphic import IsomorphicGroups
from dse.search.pricing import RateChoices, plain_structure
from dse.search.streams.stream_search import StreamJob
from dse.space.fusions import execution_order, next_groups
from dse.space.mappings import MappingSpace, Shape, table_of
from dse.space.options import count_mapping_options, one_more, opens_only_keeps
from dse.space.outer_blocks import may_gain
from dse.space.remarks import count_wholes
from dse.space.task_graph import Mask
from hwmodel.design import Blocks, Design, GroupDesign, Scan

OPTIONS_ELEMENTS = 50_000_000  # structures times elements of arrays: beyond, options are tried singly, on fronts
LEAST_ELEMENTS = 10_000  # what a structure costs however small its arrays are
FRONT = 32  # structures on the plain front of a group, on which options are tried one at a time
ASKED = 1024  # plain structures of a group, of which it is asked whether they are products
STEP_SECONDS = 4e-4  # to add a group's front to one of whole designs, of two figures,
STEP_FACTOR = 5.0  # and so many times as long for each further one, whose fronts have more points
OFFERS_SECONDS = 0.5  # that a look at the options of one structure may take here


def exact_seconds(space: MappingSpace, columns: Columns, most: float) -> float:
    """Predicted seconds of pricing every group, and of combining their fronts; the same on every machine.

    More than `most` where they are, then not counted to the end.
    """
    isomorphic, all_options = IsomorphicGroups(space), tries_all_options(space, columns)
    total = combining_seconds(space, columns)
    for group in sorted(space.groups, key=Mask.bit_count):
        if total > most:
            return total
        if isomorphic.of(group) is None:
            total += group_seconds(space, columns, group, all_options=all_options, most=most - total)
    return total


def group_seconds(
    space: MappingSpace, columns: Columns, group: Mask, *, all_options: bool, most: float = math.inf
) -> float:
    """Predicted seconds of pricing one group; more than `most` where they are, then not counted to the end.

    With `all_options` these are tried on every structure, else one at a time on the plain front.
    """
    last, tasks = space.last(group), space.tasks(group)
    if last is None or not space.study.has_blocks:
        return streams_seconds(space, tasks)
    jobs = GroupJobs(space, columns, tasks, RateChoices(tuple(map(space.rates, tasks))))
    cost, kept, structures = jobs.cost, jobs.searches_keeps, space.count_structures(last)
    least = cost.tables_of(structures) + structures * (cost.plain + (cost.keeps if kept else 0.0))
    if least > most:
        return least
    streams, found = streams_seconds(space, tasks), space.structure_at(last, 0.5)
    if found is None:
        return streams + cost.tables_of(0)
    total = streams + cost.tables_of(structures) + structures * _enumerated_seconds(jobs, *found)
    for scan, shapes in space.structures(last):
        total += float(cost.blocks(scan, shapes).sum() + (cost.keeps_of(scan, shapes).sum() if kept else 0.0))
    if total <= most and space.study.has_options and not (kept and opens_only_keeps(space, last)):
        middle = plain_structure(tasks, Blocks(found[1], found[0]))  # stands for all
        total += _options(jobs, middle, structures if all_options else None)
    return total


def streams_seconds(space: MappingSpace, tasks: tuple[str, ...]) -> float:
    """Predicted seconds of the streams of a group, where the study has them."""
    return StreamJob.of(space, tasks).cost if space.study.has_streams else 0.0


def tries_all_options(space: MappingSpace, columns: Columns) -> bool:
    """Whether mapping options are few enough to be tried on every structure; always so where there are none.

    What is kept in bulk counts for nothing by itself.
    """
    if not space.study.has_options:
        return True
    elements = sum(space.accesses.size(array) for array in space.model.network.arrays)
    left = OPTIONS_ELEMENTS // max(elements, LEAST_ELEMENTS)
    for group in space.groups:
        last = space.last(group)
        keeps = not searches_keeps(space, columns, space.tasks(group))
        if last and not keeps and opens_only_keeps(space, last):
            continue
        structures = space.count_structures(last) if last else 0
        if structures > left:
            return False
        # One structure in the middle stands for all: offers differ little between them.
        if last and structures and (found := space.structure_at(last, 0.5)):
            middle = plain_structure(space.tasks(group), Blocks(found[1], found[0]))
            left -= structures * (1 + count_mapping_options(space, middle, keeps=keeps))
        if left < 0:
            return False
    return True


def combining_seconds(space: MappingSpace, columns: Columns) -> float:
    """Predicted seconds until fronts of all groups are one of whole designs."""
    completions = completions_of(space.graph, space.groups, space.fusions)
    steps = len(space.groups) if completions is None else completions.steps
    return STEP_SECONDS * STEP_FACTOR ** max(0, len(columns.figures) - 2) * steps


def _enumerated_seconds(jobs: GroupJobs, scan: Scan, shape: Shape) -> float:
    """Seconds that a plain structure takes more, on the average, since some are no products after all.

    Those under one scan stand for all; of many shapes, or where their product is large, some do.
    """
    batch, last = jobs.space.model.batch(jobs.tasks) if jobs.cost.is_separable else None, jobs.tasks[-1]
    if batch is None:
        return 0.0
    count, most = jobs.space.count_shapes(last), batch.at_once or ASKED
    places = range(count) if count <= most else [count * place // most for place in range(most)]
    shapes = jobs.space.shapes_at(last, np.array(places, np.int64))
    shapes = shapes[jobs.space.rows_under(last, scan, shapes)]
    if not len(shapes):
        shapes = table_of([shape])
    taken = batch.takes(scan, shapes)
    alone: list[float] = jobs.cost.exactly(shapes[~taken]).tolist()
    return sum(alone) / len(shapes)


def _options(jobs: GroupJobs, middle: GroupDesign, structures: int | None) -> float:
    """Seconds of all options on so many structures, or of one more option on those of the plain front."""
    space, cost, keeps = jobs.space, jobs.cost, not jobs.searches_keeps
    if structures is not None:
        found = (space.structure_at(jobs.tasks[-1], share) for share in TYPICAL)
        typical = [
            plain_structure(jobs.tasks, Blocks(shape, scan)) for scan, shape in dict.fromkeys(filter(None, found))
        ]
        return structures * jobs.seconds_of_options(typical or [middle], keeps=keeps)
    if cost.offers() > OFFERS_SECONDS:
        return FRONT * cost.offers() + space.slow_structures * cost.opened(middle.blocks.shape)
    options = list(one_more(space, [middle], keeps=keeps))
    by_counts = space.model.takes_by_counts
    slow = list(map(cost.structure, jobs.bearable([one for one in options if not by_counts(one)])))
    quick = [cost.structure(structure) for structure in options if by_counts(structure)]
    most_slow = min(space.slow_structures, FRONT * len(slow))
    return FRONT * (cost.offers() + sum(quick)) + most_slow * max(slow, default=0.0)


GROUPS_OF_WHOLES = 128  # of more it takes long to tell what completes each


class WholeDesigns(Protocol):
    """A front of whole designs, and the groups of one of its points."""

    @property
    def front(self) -> Front:
        """The points."""

    def choices(self, point: int) -> tuple[Choice, ...]:
        """In an order in which they can run."""


def search_exactly(context: SearchContext, request: SearchRequest, runner: JobRunner) -> Searched:
    """Search every group of the study's fusions and combine their fronts; those that are there when the time is over.

    With `keep_all` groups have their whole fronts, else those of most tasks what whole designs need of them.
    """
    all_options = tries_all_options(context.space, context.columns)
    # Options that are tried on fronts are tried on whole ones.
    of_wholes = all_options and not request.keep_all and len(context.space.groups) <= GROUPS_OF_WHOLES
    fronts = search_groups(context, request, runner, all_options=all_options, of_wholes=of_wholes)
    if isinstance(fronts, Searched):
        return fronts
    request.report(SearchProgress(COMBINING))
    whole = combine_groups(context, fronts)
    return _searched(context.space, fronts, whole, all_options=all_options)


def _searched(
    space: MappingSpace, fronts: Mapping[Mask, GroupFront], whole: WholeDesigns, *, all_options: bool
) -> Searched:
    """The fronts of groups and the front of whole designs made of them, together."""
    counts = sum((part.counts for part in fronts.values()), Counts())
    return Searched(
        front=whole.front,
        design=lambda row: ordered_design(space, fronts, whole.choices(row)),
        counts=counts,
        exact=all_options and not space.study.longest_group and not space.study.epsilon,
        description=_description(space, all_options=all_options),
        group_designs=counts.size,
        whole_designs=count_wholes(space, {group: part.counts.size for group, part in fronts.items()}),
        refusal=next(((space.tasks(group), part.refusal) for group, part in fronts.items() if part.refusal), None),
        groups=fronts,
        coverage=coverage(space, [group for group, part in fronts.items() if part.is_feasible], is_whole=all_options),
    )


def search_groups(
    context: SearchContext,
    request: SearchRequest,
    runner: JobRunner,
    *,
    all_options: bool,
    of_wholes: bool = False,
) -> dict[Mask, GroupFront] | Searched:
    """The front of every group of the space; of groups that are equal but for names one is searched.

    Single tasks come first, then the whole graph, since they make whole designs; then the others, small ones first.
    With `of_wholes` come last those beside which only smaller groups stand, by their numbers of tasks, and of each is
    looked for what whole designs of those before it leave. Where the time is over before, what was found until then.
    """
    space, isomorphic = context.space, IsomorphicGroups(context.space)
    firsts = {group: isomorphic.of(group) for group in space.groups}
    wanted = [group for group, first in firsts.items() if first is None]
    wanted.sort(key=lambda group: 1.5 if group == space.graph.all else group.bit_count())
    kinds: dict[Mask, list[Mask]] = {group: [] for group in wanted}
    for group, first in firsts.items():
        kinds[group if first is None else first].append(group)
    columns = context.columns
    seconds = {group: group_seconds(space, columns, group, all_options=all_options) for group in wanted}
    tracker = _Tracker(context, firsts, isomorphic, request, seconds)
    searched: dict[Mask, GroupFront] = {}
    for turn in in_turns(space.graph, kinds) if of_wholes else [wanted]:
        fronts = {group: searched[first].front for first in searched for group in kinds[first]}
        so_far = IncumbentFront(space, context.columns.combination, fronts)
        tracker.begin(turn)
        plans = [
            tracker.follow(first, search_group(context, first, all_options=all_options, wholes=wholes))
            for first in turn
            for wholes in [so_far.compatible_with(kinds[first]) if fronts else None]
        ]
        try:
            searched |= zip(turn, runner.do(context, plans, tracker.watch), strict=True)
        except TimeOverError:
            return tracker.searched_until(request.clock_text)
    return {
        group: searched[group] if first is None else isomorphic.renamed(searched[first], first, group)
        for group, first in firsts.items()
    }


class _Tracker:
    """Follows the plans of groups, and makes a front of what they have found so far, ended or not.

    `firsts` says for each group which other one is searched in its place, if any, and `seconds` what those that are
    searched are predicted to take.
    """

    def __init__(
        self,
        context: SearchContext,
        firsts: Mapping[Mask, Mask | None],
        isomorphic: IsomorphicGroups,
        request: SearchRequest,
        seconds: Mapping[Mask, float],
    ) -> None:
        self._context, self._isomorphic, self._report, self._keep = context, isomorphic, request.report, request.keep
        self._first = {group: group if first is None else first for group, first in firsts.items()}
        self._groups = {context.space.tasks(group): group for group in firsts}
        self._parts: dict[Mask, GroupPart] = {}
        self._known: dict[Mask, Front] = {}  # the fronts of parts, until more comes
        self._ended: set[Mask] = set()
        self._seconds = seconds
        self._before: set[Mask] = set()  # groups of turns before,
        self._turn: frozenset[Mask] = frozenset()  # and of this one
        self._designs = 0
        space, columns = context.space, context.columns
        self._interim = InterimFront(space.graph, columns.combination, columns.leading, space.fusions)

    def begin(self, turn: Sequence[Mask]) -> None:
        """Groups are searched together, each for all of its kind, after those of other turns."""
        self._before |= self._turn
        self._turn = frozenset(turn)

    def follow(self, group: Mask, plan: JobPlan[GroupFront]) -> JobPlan[GroupFront]:
        """A group's plan, whose end is noted."""
        searched = yield from plan
        self._ended.add(group)
        return searched

    def watch(self, share: Share, parts: Sequence[GroupPart]) -> None:
        """Take in what the latest jobs have found."""
        self._designs += sum(part.counts.size for part in parts)
        for part in parts:
            if part.structures:
                group = self._groups[part.structures[0].tasks]
                known = [self._parts[group]] if group in self._parts else []
                self._parts[group] = joined([*known, part], self._context.columns)
                self._known.pop(group, None)
        self._report(
            SearchProgress(
                SEARCHING,
                sum(first in self._ended for first in self._first.values()),
                len(self._first),
                "groups",
                designs=self._designs,
                work=self._work(share),
                hypervolume=lambda: self._interim.hypervolume(self._fronts()),
                bound=lambda: self._interim.bound(self._context.least),
            )
        )
        self._keep(self._context, self._searched)

    def _work(self, share: Share) -> float:
        """The share of the predicted work that is done: what has ended counts for all that it was predicted to take."""

        def seconds(groups: Iterable[Mask]) -> float:
            return sum(self._seconds[group] for group in groups)

        turn = max(seconds(self._turn & self._ended), min(share.done, seconds(self._turn)))
        done = (seconds(self._before) + turn) / max(seconds(self._seconds), sys.float_info.min)
        return min(1.0, done)  # sums in another order may exceed it in the last digit

    def _fronts(self) -> dict[Mask, Front]:
        """What is known of groups so far; each point comes from its row of the group's part."""
        for group, part in self._parts.items():
            if group not in self._known:
                self._known[group] = group_front(part, self._context).front
        return {group: self._known[first] for group, first in self._first.items() if first in self._known}

    def searched_until(self, clock: str) -> Searched:
        """The front so far where a clock has ended the search, as it says."""
        found, groups = self._searched(), len(self._first)
        ended = sum(first in self._ended for first in self._first.values())
        begun = sum(first in self._parts and first not in self._ended for first in self._first.values())
        left = counted(groups - ended - begun, "group")
        text = f"{ended:,} of {counted(groups, 'group')} searched, {clock}; {begun:,} searched in part, {left} left out"
        return replace(found, description=text + bounds_text(self._context.space))

    def _searched(self) -> Searched:
        """The front so far, which may be empty."""
        space, columns, fronts, parts = self._context.space, self._context.columns, self._fronts(), dict(self._parts)
        made = self._interim.wholes(fronts)
        counts = sum((part.counts for part in parts.values()), Counts())

        def group_design(group: Mask, row: int) -> GroupDesign:
            first = self._first[group]
            (design,) = parts[first].designs(np.array([row]))
            return design if first == group else self._isomorphic.design(design, first, group)

        def design(row: int) -> Design:
            assert made is not None, "its front has this row"
            rows = {one.group: int(made.used[one.group].origin[one.row]) for one in made.whole.choices(row)}
            return in_order(space, {group: group_design(group, row) for group, row in rows.items()})

        return Searched(
            front=made.whole.front if made is not None else Wholes.none(len(columns.figures)).front,
            design=design,
            counts=counts,
            exact=False,
            description=f"{counted(len(self._ended), 'group')} searched so far, {len(parts)} begun",
            group_designs=counts.size,
            whole_designs=None,
            complete=False,
            coverage=coverage(space, [group for group, front in fronts.items() if len(front)], is_whole=False),
        )


def combine_groups(context: SearchContext, fronts: Mapping[Mask, GroupFront]) -> WholeFront | ListedFront:
    """The front of whole designs over the study's fusions."""
    space, combination = context.space, context.columns.combination

    def front(group: Mask) -> Front:
        return fronts[group].front

    if space.fusions:
        return listed_front(space.graph, front, combination, space.fusions)
    longest = space.study.longest_group
    return whole_front(space.graph, front, combination, lambda done: next_groups(space.graph, done, longest))


def ordered_design(space: MappingSpace, fronts: Mapping[Mask, GroupFront], choices: Iterable[Choice]) -> Design:
    """A whole design of rows of its groups' fronts, its groups in execution order."""
    designs = {choice.group: fronts[choice.group].designs[choice.row] for choice in choices}
    return in_order(space, designs)


def in_order(space: MappingSpace, designs: Mapping[Mask, GroupDesign]) -> Design:
    """A whole design with its groups in execution order, under the loads of the space."""
    groups = tuple(designs[group] for group in execution_order(space.graph, designs))
    return Design(groups, *space.choice, together=space.study.together and len(groups) > 1)


def _description(space: MappingSpace, *, all_options: bool) -> str:
    """How the front was found, and what bounds it."""
    text = "fronts of all groups, combined over all fusions" if not space.fusions else "fronts of the listed fusions"
    if not all_options:
        most = counted(space.slow_structures, "structure") + " of each group" if space.slow_structures else "none"
        text += "; layouts and other options tried one at a time on the fronts of groups"
        text += f", cuts, FIFOs and recomputing on {'at most ' if space.slow_structures else ''}{most}"
        text += f" that take {SLOW_SECONDS:g} s each or less" if space.slow_structures else ""
    return text + bounds_text(space)


def bounds_text(space: MappingSpace, *, epsilon: bool = True, around: bool = False) -> str:
    """The bounds that the study sets, those on fronts with `epsilon`, and what is not in its space unless `around`."""
    text = f"; groups of at most {space.study.longest_group} tasks" if space.study.longest_group else ""
    if space.study.epsilon and epsilon:
        text += f"; within a factor {1 + space.study.epsilon:g} of the exact front"
    if may_gain(space):
        outside = "tried around designs of the front" if around else "left out, which the method rounds tries"
        text += f"; blocks of blocks {outside}"
    return text
