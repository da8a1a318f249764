"""The exact search: the front of every group, and from those the front of whole designs over all fusions.

Exact but for the bounds that a study sets, and where openings are too many to be tried on every structure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Protocol

from dse.combine import Choice, ListedFront, WholeFront, listed_front, whole_front
from dse.counted_text import counted
from dse.fronts import Front
from dse.graph import Mask
from dse.group_part import Counts, GroupFront
from dse.group_search import search_group
from dse.mapping_space import MappingSpace
from dse.openings import count_openings
from dse.progress import COMBINING, Report, SearchProgress
from dse.search_context import SearchContext
from dse.searched import Searched
from dse.space import execution_order, next_groups
from dse.tracking import Tracker
from dse.twins import Twins
from dse.whole_count import count_wholes
from dse.work.crew import Crew
from hwmodel.design import Design, GroupDesign, Processor

OPENED_ELEMENTS = 50_000_000  # structures times elements of arrays: beyond, openings are tried singly, on fronts
LEAST_ELEMENTS = 10_000  # what a structure costs however small its arrays are


class WholeDesigns(Protocol):
    """A front of whole designs, and the groups of one of its points."""

    @property
    def front(self) -> Front:
        """The points."""

    def choices(self, point: int) -> tuple[Choice, ...]:
        """In an order in which they can run."""


def search_exactly(context: SearchContext, crew: Crew, report: Report) -> Searched:
    """Search every group of the study's fusions and combine their fronts."""
    open_all = opens_everywhere(context.space)
    fronts = search_groups(context, crew, open_all=open_all, report=report)
    report(SearchProgress(COMBINING))
    whole = combine_groups(context, fronts)
    return searched_groups(context.space, fronts, whole, open_all=open_all)


def searched_groups(
    space: MappingSpace, fronts: Mapping[Mask, GroupFront], whole: WholeDesigns, *, open_all: bool
) -> Searched:
    """What the fronts of groups and the front of whole designs made of them say together."""
    counts = sum((found.counts for found in fronts.values()), Counts())
    return Searched(
        front=whole.front,
        design=lambda row: ordered_design(space, fronts, whole.choices(row)),
        counts=counts,
        exact=open_all and not space.study.longest_group and not space.study.epsilon,
        how=_how(space, open_all=open_all),
        group_designs=counts.size,
        whole_designs=count_wholes(space, {group: found.counts.size for group, found in fronts.items()}),
        refusal=next(((space.tasks(group), found.refusal) for group, found in fronts.items() if found.refusal), None),
        groups=fronts,
    )


def opens_everywhere(space: MappingSpace) -> bool:
    """Whether openings are few enough to be tried on every structure; always so where the study opens nothing."""
    if not space.study.opens:
        return True
    elements = sum(space.accesses.size(array) for array in space.model.network.arrays)
    left = OPENED_ELEMENTS // max(elements, LEAST_ELEMENTS)
    for group in space.groups:
        last = space.last(group)
        blocks = list(islice(space.blocks(last), left + 1)) if last else []
        if len(blocks) > left:
            return False
        if blocks:
            tasks = tuple(Processor(task) for task in space.tasks(group))
            # One structure in the middle stands for all: offers differ little between them.
            left -= len(blocks) * (1 + count_openings(space, GroupDesign(tasks, blocks[len(blocks) // 2])))
        if left < 0:
            return False
    return True


def search_groups(context: SearchContext, crew: Crew, *, open_all: bool, report: Report) -> dict[Mask, GroupFront]:
    """The front of every group of the space; of groups that are equal but for names one is searched."""
    space, twins = context.space, Twins(context.space)
    firsts = {group: twins.of(group) for group in space.groups}
    wanted = sorted((group for group, first in firsts.items() if first is None), key=Mask.bit_count)
    tracker = Tracker(context, firsts, report)
    works = [tracker.follow(group, search_group(context, group, open_all=open_all)) for group in wanted]
    found = dict(zip(wanted, crew.do(context, works, tracker.watch), strict=True))
    return {
        group: found[group] if first is None else twins.renamed(found[first], first, group)
        for group, first in firsts.items()
    }


def combine_groups(context: SearchContext, fronts: Mapping[Mask, GroupFront]) -> WholeFront | ListedFront:
    """The front of whole designs over the study's fusions."""
    space, how = context.space, context.columns.how

    def front(group: Mask) -> Front:
        return fronts[group].front

    if space.fusions:
        return listed_front(space.graph, front, how, space.fusions)
    longest = space.study.longest_group
    return whole_front(space.graph, front, how, lambda done: next_groups(space.graph, done, longest))


def ordered_design(space: MappingSpace, fronts: Mapping[Mask, GroupFront], choices: Iterable[Choice]) -> Design:
    """A whole design of rows of its groups' fronts, its groups in execution order."""
    designs = {choice.group: fronts[choice.group].designs[choice.row] for choice in choices}
    return in_order(space, designs)


def in_order(space: MappingSpace, designs: Mapping[Mask, GroupDesign]) -> Design:
    """A whole design with its groups in execution order."""
    return Design(tuple(designs[group] for group in execution_order(space.graph, designs)))


def _how(space: MappingSpace, *, open_all: bool) -> str:
    """How the front was found, and what bounds it."""
    text = "fronts of all groups, combined over all fusions" if not space.fusions else "fronts of the listed fusions"
    if not open_all:
        most = counted(space.slow_structures, "structure") + " of each group" if space.slow_structures else "none"
        text += "; layouts and policies tried one at a time on the plain fronts of groups"
        text += f", cuts, FIFOs and recomputing on {'at most ' if space.slow_structures else ''}{most}"
    return text + bounds_text(space)


def bounds_text(space: MappingSpace, *, epsilon: bool = True) -> str:
    """The bounds that the study sets, those on fronts with `epsilon`."""
    text = f"; groups of at most {space.study.longest_group} tasks" if space.study.longest_group else ""
    if space.study.epsilon and epsilon:
        text += f"; within a factor {1 + space.study.epsilon:g} of the exact front"
    return text
