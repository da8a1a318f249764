"""Exploration with the machine model: fronts of groups, and from them the front of whole designs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from arrayol.errors import InfeasibleError
from arrayol.ir.model import Spec
from dse.cloud import Cloud
from dse.columns import Columns, columns_of, objective_values
from dse.combine import Choice, ListedFront, WholeFront, listed_front, next_groups, whole_front
from dse.explore import Labels
from dse.figures import Figure
from dse.fronts import Front, front_of
from dse.graph import Mask, bits
from dse.group_search import GroupFront, search_group
from dse.infeasible import Found, infeasible, unbounded
from dse.mapping_cloud import cloud_of
from dse.mapping_records import records_of, result_of
from dse.mapping_result import (
    MappingResult,
)
from dse.mapping_space import MappingSpace, check_study
from dse.openings import count_openings
from dse.steps import StepFinder
from dse.verify import Verdict
from hwmodel.design import Design, GroupDesign, Processor

OPENED_ELEMENTS = 50_000_000  # structures times elements of arrays: beyond, openings are tried singly, on fronts
LEAST_ELEMENTS = 10_000  # what a structure costs however small its arrays are


@dataclass(frozen=True, slots=True)
class GroupProgress:
    """How many groups have been searched, and the group designs counted so far."""

    groups: int
    total: int
    designs: int


@dataclass(frozen=True)
class Mapped:
    """A result, the designs of its front as decisions, and the points for the plot."""

    result: MappingResult
    designs: tuple[Design, ...]
    objectives: tuple[Figure, ...]
    cloud: Cloud
    spec: Spec | None = None  # what the designs' steps start from


def explore_mappings(
    space: MappingSpace,
    objectives: tuple[str, ...],
    labels: Labels,
    *,
    steps: StepFinder | None = None,
    judge: Callable[[Sequence[Design]], Sequence[Verdict]] | None = None,
    keep_all: bool = False,
    report: Callable[[GroupProgress], None] | None = None,
) -> Mapped:
    """Search every group of the study's fusions and combine their fronts.

    `steps` finds the transformations behind each design of the front, `judge` simulates them. Raises ArrayolError
    (`study-misfit`, those of `columns_of`) where the study does not fit, InfeasibleError
    (`infeasible`) where no design keeps the rules and constraints.
    """
    study = space.study
    check_study(study, space.graph, space.accesses)
    columns = columns_of(objectives, study.constraints, space.model.platform, reuse_memory=study.reuse_memory)
    open_all = opens_everywhere(space)
    fronts = _search_groups(space, columns, open_all=open_all, report=report or (lambda _: None))
    whole = combine_groups(space, columns, fronts)
    if not len(whole.front):
        raise _why_infeasible(space, columns, fronts, open_all=open_all)
    designs = _designs(space, columns, fronts, whole)
    verdicts = judge(designs) if judge else [Verdict(None, "not simulated")] * len(designs)
    records = records_of(space, columns, designs, verdicts, steps)
    result = result_of(space, columns, labels, fronts, records, open_all=open_all)
    cloud = cloud_of(space, columns, fronts, records)
    return Mapped(result, designs, columns.objectives, cloud, steps.original if steps else None)


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


def combine_groups(
    space: MappingSpace, columns: Columns, fronts: Mapping[Mask, GroupFront]
) -> WholeFront | ListedFront:
    """The front of whole designs over the study's fusions."""

    def front(group: Mask) -> Front:
        return fronts[group].front

    if space.fusions:
        return listed_front(space.graph, front, columns.how, space.fusions)
    longest = space.study.longest_group
    return whole_front(space.graph, front, columns.how, lambda done: next_groups(space.graph, done, longest))


def _search_groups(
    space: MappingSpace, columns: Columns, *, open_all: bool, report: Callable[[GroupProgress], None]
) -> dict[Mask, GroupFront]:
    found: dict[Mask, GroupFront] = {}
    counted = 0
    for group in space.groups:
        report(GroupProgress(len(found), len(space.groups), counted))
        found[group] = search_group(space, columns, group, open_all=open_all)
        counts = found[group].counts
        counted += counts.evaluated + counts.infeasible + counts.pruned
    return found


def _why_infeasible(
    space: MappingSpace, columns: Columns, fronts: Mapping[Mask, GroupFront], *, open_all: bool
) -> InfeasibleError:
    """Search once more without the constraints, to say what they would need."""
    refusal = next((found.refusal for found in fronts.values() if found.refusal), None)
    free = unbounded(columns)
    if free != columns:
        fronts = _search_groups(space, free, open_all=open_all, report=lambda _: None)
    whole = combine_groups(space, free, fronts)
    found = Found(whole.front, lambda row: _design(space, fronts, whole.choices(row)))
    return infeasible(space, columns, found, refusal)


def _designs(
    space: MappingSpace, columns: Columns, fronts: Mapping[Mask, GroupFront], whole: WholeFront | ListedFront
) -> tuple[Design, ...]:
    """The designs of the front in the objectives alone, in ascending order of those."""
    front = front_of(objective_values(columns, whole.front.values), whole.front.units)
    return tuple(_design(space, fronts, whole.choices(int(row))) for row in front.origin)


def _design(space: MappingSpace, fronts: Mapping[Mask, GroupFront], choices: Iterable[Choice]) -> Design:
    """A whole design with its groups in the order of `dse.space`: by first task wherever there is a choice."""
    waiting = [(choice.group, fronts[choice.group].designs[choice.row]) for choice in choices]
    done, ordered = 0, []
    waiting.sort(key=lambda pair: pair[0] & -pair[0])
    while waiting:
        place = next(number for number, (group, _) in enumerate(waiting) if _can_run(space, group, done))
        group, design = waiting.pop(place)
        done |= group
        ordered.append(design)
    return Design(tuple(ordered))


def _can_run(space: MappingSpace, group: Mask, done: Mask) -> bool:
    return all(not space.graph.predecessors[task] & ~(done | group) for task in bits(group))
