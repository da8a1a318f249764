"""From the designs of a mapping's front to its stored result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from importlib.metadata import version

from dse.columns import Columns
from dse.explore import Labels
from dse.figures import Figure, figures_of
from dse.mapping_result import (
    EvolutionRecord,
    GenerationRecord,
    MappedDesign,
    MappingResult,
    MappingSpaceSummary,
    Refusal,
    describe_mapping,
)
from dse.mapping_space import MappingSpace
from dse.method_names import Chosen
from dse.result import Hypervolume, identifier
from dse.search.indicators import hypervolume
from dse.searched import Evolution, Searched
from dse.steps import StepFinder
from dse.verify import Verdict
from dse.whole_count import count_fusions
from hwmodel.design import Design, GroupDesign
from hwmodel.machine.estimate import DesignEstimate, GroupEstimate


def records_of(
    space: MappingSpace,
    columns: Columns,
    designs: Sequence[Design],
    verdicts: Sequence[Verdict],
    steps: StepFinder | None,
) -> tuple[MappedDesign, ...]:
    estimates: dict[GroupDesign, GroupEstimate] = {}  # designs share groups
    seen: Counter[str] = Counter()
    records = []
    for design, verdict in zip(designs, verdicts, strict=True):
        for group in design.groups:
            if group not in estimates:
                estimates[group] = space.model.estimate(group)
        groups = tuple(estimates[group] for group in design.groups)
        estimate = DesignEstimate(groups, space.model.platform.clock_mhz, space.study.reuse_memory)
        fusion = identifier(design.fusion, space.graph)
        seen[fusion] += 1
        figures = _figures(space, columns, estimate)
        found = steps.mapped(design) if steps else None
        records.append(describe_mapping(f"{fusion}:{seen[fusion]}", design, estimate, figures, verdict, found))
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


def result_of(
    space: MappingSpace,
    columns: Columns,
    labels: Labels,
    method: Chosen,
    searched: Searched,
    records: tuple[MappedDesign, ...],
    others: tuple[MappedDesign, ...] | None,
) -> MappingResult:
    counts, refusal = searched.counts, searched.refusal
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
        method=method.name,
        method_reason=method.why,
        exact=searched.exact,
        how=searched.how,
        space=_summary(space, searched),
        counted="whole designs" if searched.counts_wholes else "group designs",
        evaluated=counts.evaluated,
        infeasible=counts.infeasible,
        pruned=counts.pruned,
        infeasible_example=Refusal(tasks=refusal[0], reason=refusal[1]) if refusal else None,
        comparisons=searched.comparisons,
        evolution=_evolution(searched.evolution) if searched.evolution else None,
        hypervolume=_hypervolume(columns, space, records),
        pareto=records,
        designs=None if others is None else (*records, *others),
    )


def _evolution(found: Evolution) -> EvolutionRecord:
    return EvolutionRecord(
        seed=found.seed,
        population=found.population,
        generations=len(found.generations) - 1,
        stalled=found.stalled,
        convergence=tuple(
            GenerationRecord(generation=one.number, evaluated=one.evaluated, hypervolume=one.hypervolume)
            for one in found.generations
        ),
    )


def _remarks(space: MappingSpace) -> tuple[str, ...]:
    endless = [name for name, array in space.model.network.arrays.items() if None in array.shape]
    return (f"figures are per frame: {', '.join(endless)} never end",) if endless else ()


def _summary(space: MappingSpace, searched: Searched) -> MappingSpaceSummary:
    return MappingSpaceSummary(
        tasks=space.graph.names,
        fusions=count_fusions(space),
        groups=len(space.groups),
        group_designs=searched.group_designs,
        whole_designs=searched.whole_designs,
        study=space.study.model_dump(mode="json"),
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
