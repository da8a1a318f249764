"""Exhaustive exploration of the fusions under the published model, subspace by subspace (paper A, section 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from types import MappingProxyType

from arrayol.errors import Diagnostic, InfeasibleError
from arrayol.ir.model import ConstValue, Spec
from dse.cloud import Cloud
from dse.counted_text import counted
from dse.front import Candidate
from dse.graph import task_graph
from dse.method_names import ASKED, AUTO, EXHAUSTIVE, PARTITION, Chosen, Search, refused
from dse.objectives import Objective, available, require_available
from dse.pareto import COMPARED_AT_MOST, counted_front, points_of
from dse.result import (
    Comparisons,
    Design,
    Hypervolume,
    InfeasibleFusion,
    Result,
    SpaceSummary,
    describe,
)
from dse.search.indicators import hypervolume
from dse.space import count_by_groups
from dse.steps import StepFinder
from dse.walk import Walk
from hwmodel.design import Fusion
from hwmodel.published.estimate import PublishedDesign
from hwmodel.published.model import PublishedModel

MODELS = MappingProxyType({"published": PublishedModel})  # by the names that users give them
METHOD = "every legal fusion under the published model of Corvino, Gamatié, Boulet (2010)"
ALL_PAIRS = f"{METHOD}, each compared with every other"


@dataclass(frozen=True)
class Labels:
    """Where an exploration's inputs came from, for its result."""

    spec: str
    model: str
    platform: str
    constants: Mapping[str, ConstValue] = field(default_factory=dict)


@dataclass(frozen=True)
class Exploration:
    """A result, and the points of the designs behind it for the plot."""

    result: Result
    objectives: tuple[Objective, ...]
    cloud: Cloud
    spec: Spec | None = None  # what the designs' steps start from


def explore(
    model: PublishedModel,
    objectives: Sequence[Objective],
    labels: Labels,
    *,
    how: Search | None = None,
    steps: StepFinder | None = None,
) -> Exploration:
    """Price every legal fusion and keep the Pareto front: by the paper's subspaces (`partition`), or `exhaustive`.

    Memory holds fronts, points for the plot and what is being compared, not every design, unless `how` says so. With
    `steps` each design of the front carries the transformations that make its specification. Raises
    InfeasibleError (`infeasible`) where no fusion fits the platform, ArrayolError (`no-clock`) where an objective needs
    one, or (`method-refused`) for another method.
    """
    require_available(objectives, model.platform)
    how = how or Search()
    method = choose_published(how.method, model)
    how.announce(f"{_size(model)}; {method.text}")
    all_pairs = method.name == EXHAUSTIVE
    walk = Walk(model, tuple(objectives), keep_all=how.keep_all or all_pairs, report=how.report)
    walk.run()
    _require_feasible(walk)
    if all_pairs:
        rows = counted_front(points_of([candidate.values for candidate in walk.kept])).rows
        walk.front = [walk.kept[row] for row in rows]
    front = _records(walk, sorted(walk.front, key=lambda one: (one.values, len(one.fusion.groups))), steps)
    result = _result(walk, front, labels, ALL_PAIRS if all_pairs else METHOD, keep_all=how.keep_all)
    cloud = walk.cloud.finish(walk.objectives, model.platform)
    return Exploration(result, walk.objectives, cloud, steps.original if steps else None)


def choose_published(asked: str, model: PublishedModel) -> Chosen:
    """The method for the published model. Raises ArrayolError (`method-refused`) for those that make no sense there."""
    hint = "take --method partition, which prices every fusion, or --model machine"
    if asked == AUTO:
        return Chosen(PARTITION, "the published model prices fusions, and the paper goes through them like that")
    if asked == EXHAUSTIVE:
        counts = count_by_groups(task_graph(model.network))
        if counts is None or sum(counts.values()) > COMPARED_AT_MOST:
            raise refused(asked, f"it compares all fusions with all, at most {COMPARED_AT_MOST:,}", hint)
    elif asked != PARTITION:
        reason = "a fusion is a whole design of the published model, its figures are no sums over groups"
        raise refused(asked, reason if asked == "exact" else f"{reason}, and all fusions can be priced", hint)
    return Chosen(asked, ASKED)


def _size(model: PublishedModel) -> str:
    graph = task_graph(model.network)
    counts = count_by_groups(graph)
    fusions = "fusions" if counts is None else counted(sum(counts.values()), "fusion")
    return f"{model.network.name}: {fusions} of {counted(len(graph), 'task')}"


def _require_feasible(walk: Walk) -> None:
    if walk.front:
        return
    assert walk.example is not None, "a network has at least one legal fusion"
    raise InfeasibleError(
        [
            Diagnostic(
                "infeasible",
                f"none of the {walk.evaluated} legal fusions of '{walk.model.network.name}' fits the platform; "
                f"[{walk.example.fusion}]: {walk.example.reason}",
                hint="a larger memory.data_per_word or other initiation intervals change what fits",
            )
        ]
    )


def _records(walk: Walk, candidates: Sequence[Candidate], steps: StepFinder | None = None) -> tuple[Design, ...]:
    """The candidates priced once more, as records: the walk keeps no design."""
    shown, platform = _shown(walk), walk.model.platform
    priced = (_priced(walk, one.fusion) for one in candidates)
    return tuple(describe(one, walk.graph, shown, platform, steps.published(one) if steps else None) for one in priced)


def _shown(walk: Walk) -> tuple[Objective, ...]:
    """The chosen objectives, then all others that the model gives."""
    others = (one for one in available(walk.model.platform) if one not in walk.objectives)
    return (*walk.objectives, *others)


def _priced(walk: Walk, fusion: Fusion) -> PublishedDesign:
    design = walk.model.evaluate(fusion)
    assert isinstance(design, PublishedDesign), "only feasible fusions are candidates"
    return design


def _result(walk: Walk, front: tuple[Design, ...], labels: Labels, method: str, *, keep_all: bool) -> Result:
    example = walk.example
    return Result(
        arrayol=version("arrayol"),
        spec=labels.spec,
        top=walk.model.network.name,
        constants=dict(labels.constants),
        model=labels.model,
        platform=labels.platform,
        remarks=walk.model.remarks,
        objectives=tuple(objective.name for objective in walk.objectives),
        method=method,
        exact=True,
        space=SpaceSummary(
            tasks=walk.graph.names,
            fusions=sum(summary.fusions for summary in walk.summaries),
            subspaces=tuple(walk.summaries),
        ),
        evaluated=walk.evaluated,
        infeasible=walk.infeasible,
        infeasible_example=InfeasibleFusion(fusion=example.fusion.groups, reason=example.reason) if example else None,
        comparisons=Comparisons(subspaces=walk.comparisons_by_subspaces, all_pairs=walk.comparisons_of_all_pairs),
        hypervolume=_hypervolume(walk, front),
        pareto=front,
        designs=_records(walk, walk.kept) if keep_all else None,
    )


def _hypervolume(walk: Walk, front: Sequence[Design]) -> Hypervolume:
    """Up to a tenth beyond the worst value of any feasible design: so the extreme designs count too."""
    platform = walk.model.platform
    reference = [
        objective.in_unit(max(worst + 1, -(-worst * 11 // 10)), platform)
        for objective, worst in zip(walk.objectives, walk.worst, strict=True)
    ]
    names = [objective.name for objective in walk.objectives]
    points = [[design.objectives[name] for name in names] for design in front]
    return Hypervolume(value=hypervolume(points, reference), reference=dict(zip(names, reference, strict=True)))
