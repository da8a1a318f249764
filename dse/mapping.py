"""Exploration with the machine model: fronts of groups, and from them the front of whole designs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from itertools import islice

from arrayol.errors import Diagnostic, InfeasibleError
from dse.cloud import Cloud
from dse.columns import Columns, columns_of, objective_values
from dse.combine import Choice, ListedFront, WholeFront, listed_front, next_groups, whole_front
from dse.explore import Labels
from dse.figures import Figure, figures_of
from dse.fronts import Front, combined, front_of
from dse.graph import Mask, bits
from dse.group_search import Counts, GroupFront, search_group
from dse.mapping_result import (
    MappedDesign,
    MappingResult,
    MappingSpaceSummary,
    Refusal,
    describe_mapping,
)
from dse.mapping_space import MappingSpace, check_study
from dse.openings import count_openings
from dse.result import Hypervolume, identifier
from dse.search.indicators import hypervolume
from dse.space import count_by_groups, subspaces
from dse.steps import StepFinder
from dse.study import Study
from dse.verify import Verdict
from hwmodel.design import Design, GroupDesign, Processor
from hwmodel.machine.estimate import DesignEstimate
from hwmodel.machine.model import MachineModel

OPENED_ELEMENTS = 50_000_000  # structures times elements of arrays: beyond, openings are tried singly, on fronts
LEAST_ELEMENTS = 10_000  # what a structure costs however small its arrays are
FUSIONS_DRAWN = 256  # fusions whose own fronts are drawn behind the front of all


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


def explore_mappings(
    model: MachineModel,
    study: Study,
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
    space = MappingSpace(model, study)
    check_study(study, space.graph, space.accesses)
    columns = columns_of(objectives, study.constraints, model.platform, reuse_memory=study.reuse_memory)
    open_all = opens_everywhere(space)
    fronts = _search_groups(space, columns, open_all=open_all, report=report or (lambda _: None))
    whole = combine_groups(space, columns, fronts)
    _require_feasible(space, columns, fronts, whole)
    designs = _designs(space, columns, fronts, whole)
    verdicts = judge(designs) if judge else [Verdict(None, "not simulated")] * len(designs)
    records = _records(space, columns, designs, verdicts)
    result = _result(space, columns, labels, fronts, records, open_all=open_all)
    return Mapped(result, designs, columns.objectives, _cloud(space, columns, fronts, records))


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


def _require_feasible(
    space: MappingSpace, columns: Columns, fronts: Mapping[Mask, GroupFront], whole: WholeFront | ListedFront
) -> None:
    if len(whole.front):
        return
    reasons = [(space.tasks(group), found.refusal) for group, found in fronts.items() if found.refusal]
    example = f"; {', '.join(reasons[0][0])}: {reasons[0][1]}" if reasons else ""
    bounds = f" within {', '.join(map(str, columns.constraints))}" if columns.constraints else ""
    raise InfeasibleError(
        [
            Diagnostic(
                "infeasible",
                f"no design of '{space.model.network.name}' is feasible{bounds}{example}",
                hint="loosen a constraint, or open more of the space in a study",
            )
        ]
    )


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


def _records(
    space: MappingSpace, columns: Columns, designs: Sequence[Design], verdicts: Sequence[Verdict]
) -> tuple[MappedDesign, ...]:
    seen: Counter[str] = Counter()
    records = []
    for design, verdict in zip(designs, verdicts, strict=True):
        estimate = space.model.evaluate(design, reuse_memory=space.study.reuse_memory)
        fusion = identifier(design.fusion, space.graph)
        seen[fusion] += 1
        figures = _figures(space, columns, estimate)
        records.append(describe_mapping(f"{fusion}:{seen[fusion]}", design, estimate, figures, verdict))
    return tuple(records)


def _figures(space: MappingSpace, columns: Columns, estimate: DesignEstimate) -> dict[str, int | float]:
    """The chosen objectives, then all other figures of the platform."""
    platform = space.model.platform
    others = (figure for figure in figures_of(platform).values() if figure not in columns.objectives)
    return {
        figure.name: figure.shown(exact_figure(estimate, figure), platform) for figure in (*columns.objectives, *others)
    }


def exact_figure(estimate: DesignEstimate, figure: Figure) -> int:
    """The integer that a whole design is compared by."""
    return round(estimate.objective(figure.key) * figure.scale)


def _result(
    space: MappingSpace,
    columns: Columns,
    labels: Labels,
    fronts: Mapping[Mask, GroupFront],
    records: tuple[MappedDesign, ...],
    *,
    open_all: bool,
) -> MappingResult:
    counts = sum((found.counts for found in fronts.values()), Counts())
    refused = next(((space.tasks(group), found.refusal) for group, found in fronts.items() if found.refusal), None)
    return MappingResult(
        arrayol=version("arrayol"),
        spec=labels.spec,
        top=space.model.network.name,
        constants=dict(labels.constants),
        model=labels.model,
        platform=labels.platform,
        remarks=_remarks(space),
        objectives=tuple(figure.name for figure in columns.objectives),
        constraints=tuple(map(str, columns.constraints)),
        method="exact",
        exact=open_all and not space.study.longest_group and not space.study.epsilon,
        how=_how(space, open_all=open_all),
        space=_summary(space, fronts, counts),
        evaluated=counts.evaluated,
        infeasible=counts.infeasible,
        pruned=counts.pruned,
        infeasible_example=Refusal(tasks=refused[0], reason=refused[1]) if refused and refused[1] else None,
        hypervolume=_hypervolume(columns, space, records),
        pareto=records,
    )


def _remarks(space: MappingSpace) -> tuple[str, ...]:
    endless = [name for name, array in space.model.network.arrays.items() if None in array.shape]
    return (f"figures are per frame: {', '.join(endless)} never end",) if endless else ()


def _how(space: MappingSpace, *, open_all: bool) -> str:
    """How the front was found, and what bounds it."""
    text = "fronts of all groups, combined over all fusions" if not space.fusions else "fronts of the listed fusions"
    if space.study.longest_group:
        text += f"; groups of at most {space.study.longest_group} tasks"
    if space.study.epsilon:
        text += f"; within a factor {1 + space.study.epsilon:g} of the exact front"
    if not open_all:
        text += "; cuts, FIFOs, layouts and policies tried one at a time on the plain fronts of groups"
    return text


def _summary(space: MappingSpace, fronts: Mapping[Mask, GroupFront], counts: Counts) -> MappingSpaceSummary:
    return MappingSpaceSummary(
        tasks=space.graph.names,
        fusions=_count_fusions(space),
        groups=len(space.groups),
        group_designs=counts.evaluated + counts.infeasible + counts.pruned,
        whole_designs=_count_wholes(space, {group: found.counts.size for group, found in fronts.items()}),
        study=space.study.model_dump(mode="json"),
    )


def _count_fusions(space: MappingSpace) -> int | None:
    if space.fusions:
        return len(space.fusions)
    if space.study.longest_group:
        return None
    counts = count_by_groups(space.graph)
    return None if counts is None else sum(counts.values())


def _count_wholes(space: MappingSpace, sizes: Mapping[Mask, int]) -> int | None:
    """The number of whole designs: over fusions the product of their groups' designs; None with too many fusions."""
    fusions = space.fusions or _all_fusions(space)
    if fusions is None:
        return None
    return sum(math.prod(sizes[group] for group in fusion) for fusion in fusions)


def _all_fusions(space: MappingSpace) -> tuple[tuple[Mask, ...], ...] | None:
    count = _count_fusions(space)
    if count is None or count > 1 << 14:
        return None
    number = {name: place for place, name in enumerate(space.graph.names)}
    return tuple(
        tuple(sum(1 << number[task] for task in group) for group in fusion.groups)
        for subspace in subspaces(space.graph)
        for fusion in subspace
    )


def _hypervolume(columns: Columns, space: MappingSpace, records: tuple[MappedDesign, ...]) -> Hypervolume:
    """Up to 1.1 times the front's worst value of each objective (a tenth below, where larger is better)."""
    points = [
        [_smaller_is_better(figure, record.objectives[figure.name]) for figure in columns.objectives]
        for record in records
    ]
    worst = [max(column) for column in zip(*points, strict=True)]
    reference = [value + max(abs(value) / 10, 1e-9) for value in worst]
    shown = {figure.name: abs(value) for figure, value in zip(columns.objectives, reference, strict=True)}
    return Hypervolume(value=hypervolume(points, reference), reference=shown)


def _smaller_is_better(figure: Figure, value: float) -> float:
    return -value if figure.grows else value


def _cloud(
    space: MappingSpace, columns: Columns, fronts: Mapping[Mask, GroupFront], records: tuple[MappedDesign, ...]
) -> Cloud:
    """The fronts of single fusions, where they are few, else the front alone."""
    platform = space.model.platform
    points: dict[tuple[tuple[float, ...], int], None] = {}
    fusions = _all_fusions(space) if not space.fusions else space.fusions
    for fusion in fusions or () if fusions is None or len(fusions) <= FUSIONS_DRAWN else ():
        front = fronts[fusion[0]].front
        for group in fusion[1:]:
            front = combined(front, fronts[group].front, columns.how)
        for values in objective_values(columns, front.values).tolist():
            shown = tuple(
                float(figure.shown(value, platform)) for figure, value in zip(columns.objectives, values, strict=True)
            )
            points[shown, len(fusion)] = None
    for record in records:
        shown = tuple(float(record.objectives[figure.name]) for figure in columns.objectives)
        points[shown, len(record.fusion)] = None
    keys = sorted(points)
    names = tuple(() for _ in keys)
    return Cloud(tuple(point for point, _ in keys), tuple(groups for _, groups in keys), names, len(keys), 0)
