"""What a search has found, and its description: the records of designs, and the result with what is said of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from arrayol import __version__
from dse.pareto.fronts import front_of
from dse.results.designs import DatapathRecord, Design, GroupRecord
from dse.results.exploration import Labels
from dse.results.records import channels_record, datapath_records, group_record, period_record, resident_records
from dse.results.rows import identifier
from dse.results.schema import (
    FORMAT,
    DeviceRecord,
    EvolutionRecord,
    GenerationRecord,
    Refusal,
    Result,
    SpaceSummary,
    SplitSummary,
)
from dse.results.volume import volume_of
from dse.search.context import Chosen, Evolution, SearchContext, Searched
from dse.search.figures import Columns, objective_values
from dse.search.lower_bounds import least_objectives
from dse.search.shown.placement import objective_rows
from dse.search.shown.programs import LongPrograms
from dse.search.shown.variants import contexts_of
from dse.space.mappings import MappingSpace
from dse.space.objectives import Figure, keys_of, shown_figures
from dse.space.remarks import (
    count_fusions,
)
from dse.space.task_graph import task_graph
from dse.verify.verify import Verdict
from hwmodel.assumptions import estimated_figures
from hwmodel.cost_model.estimate import GroupEstimate
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import Choice, GroupDesign
from hwmodel.design import Design as Decisions
from hwmodel.emit.verilog.coverage import reason_text
from hwmodel.figures import ENERGY

NOT_SIMULATED = Verdict(None, "not simulated")


@dataclass(frozen=True)
class SearchResult:
    """What a search of a space has found, by a method, its front, and the designs that are shown of it, ascending.

    It is `slowed` if some of these had to be made to fit a device, and there may be better ones. `others` are designs
    beside the front, where they are kept. By its `shortfall` other channels of arrays may be better (`shortfall`).
    `programs` are those that may be too long.
    """

    space: MappingSpace
    contexts: tuple[SearchContext, ...]
    method: Chosen
    remarks: tuple[str, ...]
    parts: tuple[Searched, ...]
    searched: Searched
    designs: tuple[Decisions, ...]
    front: tuple[Decisions, ...]
    slowed: bool = False
    others: tuple[Decisions, ...] = ()
    shortfall: float | None = None
    programs: LongPrograms = field(default_factory=LongPrograms)

    @property
    def columns(self) -> Columns:
        return self.contexts[0].columns


def ascending_front(found: SearchResult, designs: Sequence[Decisions]) -> tuple[Decisions, ...]:
    """Designs that no other dominates in the objectives, in ascending order of these."""
    if not designs:
        return ()
    rows = objective_rows(found.space, found.columns, designs)
    units = [sum(one.units for group in design.groups for one in group.processors) for design in designs]
    front = front_of(rows, np.array(units, np.int64))
    return tuple(designs[int(row)] for row in front.origin)


def records_of(
    space: MappingSpace,
    columns: Columns,
    designs: Sequence[Decisions],
    verdicts: Sequence[Verdict],
    programs: LongPrograms = LongPrograms(),  # noqa: B008  it is frozen
) -> tuple[Design, ...]:
    variants = {one.choice: one for one in space.variants}
    known = _known_groups({choice: one.model for choice, one in variants.items()}, designs)
    figures = _figures(space, columns)
    keys = keys_of(figures)
    seen: Counter[str] = Counter()
    records = []
    for design, verdict in zip(designs, verdicts, strict=True):
        variant = variants[design.choice]
        groups = [known[design.choice, group] for group in design.groups]
        estimates = [priced for priced, _ in groups]
        estimate = variant.model.whole(design, estimates, reuse_memory=space.study.reuse_memory)
        fusion, refusal = identifier(design.fusion, variant.graph), variant.coverage.why_not(design)
        seen[fusion] += 1
        reason = programs.refused.get(design) if refusal is None else reason_text(refusal)
        records.append(
            Design(
                id=f"{fusion}:{seen[fusion]}",
                fusion=design.fusion.groups,
                objectives=shown_figures(figures, estimate.objectives(keys), space.model.platform),
                verified=verdict.verified,
                verification=verdict.text,
                bottleneck=estimate.bottleneck,
                live_bits=estimate.live_bits,
                addressed_bits=estimate.addressed_bits,
                energy_pj=estimate.energy_pj,
                flows=None,
                loads=dict(design.loads),
                splits=design.splits,
                groups=tuple(record for _, record in groups),
                resident=resident_records(estimate),
                steps=None,
                steps_remark=None,
                not_emitted=reason,
                period=period_record(estimate),
                channels=channels_record(variant.model),
                programs=programs.lengths.get(design),
            )
        )
    return tuple(records)


def _known_groups(
    models: Mapping[Choice, MachineModel], designs: Sequence[Decisions]
) -> dict[tuple[Choice, GroupDesign], tuple[GroupEstimate, GroupRecord]]:
    """The estimate and the record of each group; designs share them."""
    wanted: dict[Choice, dict[GroupDesign, None]] = {}
    for design in designs:
        wanted.setdefault(design.choice, {}).update(dict.fromkeys(design.groups))
    return {
        (choice, group): (estimate, group_record(models[choice], group, estimate))
        for choice, groups in wanted.items()
        for group, estimate in zip(groups, models[choice].estimates(list(groups)), strict=True)
    }


def _figures(space: MappingSpace, columns: Columns) -> tuple[Figure, ...]:
    """The chosen objectives, then all other figures of the platform; of plug-ins those that are bounded."""
    bounded = [figure for figure, _ in columns.bounds]
    others = [figure for figure in space.figures.values() if figure not in columns.objectives]
    return (*columns.objectives, *(figure for figure in others if not figure.composed or figure in bounded))


def result_of(
    found: SearchResult,
    labels: Labels,
    records: tuple[Design, ...],
    others: tuple[Design, ...] | None,
    device: DeviceRecord | None,
) -> Result:
    space, columns, method, searched = found.space, found.columns, found.method, found.searched
    counts, refusal, technology = searched.counts, searched.refusal, space.model.platform.technology
    counted_all = searched.exact and not counts.missed and not found.programs.refused
    exact = counted_all and not found.slowed and not found.shortfall
    description = searched.description + counts.missed + _placement_text(found.shortfall)
    if found.slowed:
        description += "; designs that need more than the device has were slowed until they fit"
    return Result(
        format=FORMAT,
        arrayol=__version__,
        spec=labels.spec,
        top=space.model.network.name,
        constants=dict(labels.constants),
        elements=dict(labels.elements),
        components=dict(labels.components),
        model=labels.model,
        platform=labels.platform,
        technology=technology.name if technology is not None else None,
        estimates=_estimates(space, columns),
        datapaths=_datapaths(space, (*records, *(others or ()))),
        remarks=found.remarks,
        objectives=columns.names,
        constraints=tuple(map(str, columns.constraints)),
        device=device,
        searched=len(found.front) if found.designs != found.front else None,
        method=method.name,
        method_reason=method.why,
        method_description=description,
        exact=exact,
        complete=searched.complete,
        space=_summary(space, searched),
        counted="whole designs" if searched.counts_wholes else "group designs",
        evaluated=counts.evaluated,
        infeasible=counts.infeasible,
        pruned=counts.pruned + counts.untried + counts.uncounted,
        infeasible_example=Refusal(groups=(refusal[0],), reason=refusal[1]) if refusal else None,
        comparisons=None,
        evolution=_evolution(searched.evolution) if searched.evolution else None,
        hypervolume=volume_of(_searched_points(found, records), columns.names),
        partitions=searched.coverage.counts() if searched.coverage else None,
        bounds=None if exact or not searched.complete else _least(space, columns),
        pareto=records,
        designs=None if others is None else (*records, *others),
    )


def _placement_text(short: float | None) -> str:
    """What a description says of the channels of arrays, where these are chosen."""
    if short is None:
        return ""
    if not short:
        return "; the arrays of each design lie in the channels that suit it best"
    return f"; for any design in any channels, one of these has no objective more than {short:.1%} above"


def _searched_points(found: SearchResult, shown: tuple[Design, ...]) -> list[Mapping[str, float]]:
    """The objectives of the designs of the front as it was searched, of which some are shown."""
    if found.designs == found.front:
        return [design.objectives for design in shown]
    columns, searched, platform = found.columns, found.searched.front, found.space.model.platform
    front = front_of(objective_values(columns, searched.values), searched.units)
    pairs = [
        (figure.name, figure.shown_of_each(column, platform))
        for figure, column in zip(columns.objectives, front.values.T.tolist(), strict=True)
    ]
    names, figures = zip(*pairs, strict=True)
    return [dict(zip(names, point, strict=True)) for point in zip(*figures, strict=True)]


def _datapaths(space: MappingSpace, designs: Sequence[Design]) -> tuple[DatapathRecord, ...]:
    models = {one.splits: one.model for one in space.variants}
    return tuple(
        path
        for splits, model in models.items()
        for path in datapath_records(model, [design for design in designs if design.splits == splits], splits)
    )


def _least(space: MappingSpace, columns: Columns) -> dict[str, int | float]:
    """By objective what no design is below, of any variant."""
    space = replace(space, placements=())  # that may have open channels
    each = [least_objectives(one.space, one.columns) for one in contexts_of(space, columns.names)]
    pairs = zip(columns.objectives, zip(*each, strict=True), strict=True)
    return {figure.name: figure.shown(min(bounds), space.model.platform) for figure, bounds in pairs}


def _estimates(space: MappingSpace, columns: Columns) -> tuple[str, ...]:
    """The figures of the result that are estimates of the platform's table."""
    model = space.model
    shown = {figure.name for figure in _figures(space, columns)}
    shown |= {"energy_pj"} if ENERGY in shown else set()
    return tuple(name for name in estimated_figures(model.platform, model.network) if name in shown)


def _evolution(evolution: Evolution) -> EvolutionRecord:
    return EvolutionRecord(
        seed=evolution.seed,
        population=evolution.population,
        generations=len(evolution.generations) - 1,
        stalled=evolution.stalled,
        convergence=tuple(
            GenerationRecord(
                generation=generation.number,
                evaluated=generation.evaluated,
                hypervolume=generation.hypervolume,
            )
            for generation in evolution.generations
        ),
    )


def _summary(space: MappingSpace, searched: Searched) -> SpaceSummary:
    networks = {one.splits: one.model for one in space.variants}
    return SpaceSummary(
        tasks=space.graph.names,
        fusions=count_fusions(space) if space.lists_groups else None,
        subspaces=None,
        groups=len(space.groups) if space.lists_groups else None,
        group_designs=searched.group_designs,
        whole_designs=searched.whole_designs,
        intervals=_intervals(space.model),
        splits=tuple(
            SplitSummary(steps=splits, intervals=_intervals(model)) for splits, model in networks.items() if splits
        ),
        study=space.study.model_dump(mode="json"),
    )


def _intervals(model: MachineModel) -> dict[str, tuple[int, ...]]:
    """What the platform offers each task, in dataflow order."""
    names = task_graph(model.network).names
    return {name: model.platform.intervals(model.network.processes[name]) for name in names}
