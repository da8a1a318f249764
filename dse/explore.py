"""Exhaustive exploration of the fusions under the published model, subspace by subspace (paper A, section 4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from types import MappingProxyType

from arrayol.errors import Diagnostic, InfeasibleError
from arrayol.ir.model import ConstValue, Spec
from dse.cloud import Cloud
from dse.front import Candidate
from dse.objectives import Objective, available, require_available
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
from dse.steps import StepFinder
from dse.walk import Progress, Walk
from hwmodel.design import Fusion
from hwmodel.published.estimate import PublishedDesign
from hwmodel.published.model import PublishedModel

MODELS = MappingProxyType({"published": PublishedModel})  # by the names that users give them
METHOD = "every legal fusion under the published model of Corvino, Gamatié, Boulet (2010)"


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
    steps: StepFinder | None = None,
    keep_all: bool = False,
    report: Callable[[Progress], None] | None = None,
) -> Exploration:
    """Price every legal fusion and keep the Pareto front.

    Memory holds fronts, points for the plot and what is being compared, not every design, unless `keep_all`. With
    `steps` each design of the front carries the transformations that make its specification. Raises
    InfeasibleError (`infeasible`) where no fusion fits the platform, ArrayolError (`no-clock`) where an objective needs
    one.
    """
    require_available(objectives, model.platform)
    walk = Walk(model, tuple(objectives), keep_all=keep_all, report=report)
    walk.run()
    _require_feasible(walk)
    front = _records(walk, sorted(walk.front, key=lambda one: (one.values, len(one.fusion.groups))), steps)
    result = _result(walk, front, labels, keep_all=keep_all)
    cloud = walk.cloud.finish(walk.objectives, model.platform)
    return Exploration(result, walk.objectives, cloud, steps.original if steps else None)


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


def _result(walk: Walk, front: tuple[Design, ...], labels: Labels, *, keep_all: bool) -> Result:
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
        method=METHOD,
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
