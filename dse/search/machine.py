"""Exploration with the machine model: a search through the space, the designs of its front, and their records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic

import numpy as np

from arrayol import __version__
from arrayol.arrays import IntArray
from arrayol.errors import InfeasibleError
from arrayol.text import listed
from dse.jobs.runner import JobRunner
from dse.pareto.combine import fusion_front
from dse.pareto.fronts import Front, front_of
from dse.results.designs import DatapathRecord, Design, GroupRecord
from dse.results.exploration import Exploration, Labels
from dse.results.pick import TELLING, keeps, telling_designs
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
from dse.results.steps import StepFinder
from dse.results.volume import volume_of
from dse.search.context import METHODS, ROUNDS, Chosen, Evolution, SearchContext, Searched, SearchRequest
from dse.search.exact.exact import ordered_design
from dse.search.figures import Columns, objective_values
from dse.search.group_front import GroupFront
from dse.search.lower_bounds import least_objectives
from dse.search.methods import Points, choose_method, infeasible, require_other_fronts, unbounded, with_filled_gaps
from dse.search.shown.fitted import fitted
from dse.search.shown.placement import objective_rows, placed, shortfall
from dse.search.shown.plotted_points import plotted_points
from dse.search.shown.programs import LongPrograms, long_programs
from dse.search.shown.slack import least_logic
from dse.search.shown.variants import contexts_of, joined, search_each, slowed_each
from dse.space.mappings import MappingSpace
from dse.space.objectives import Figure, keys_of, shown_figures
from dse.space.remarks import (
    DeviceLimits,
    all_fusions,
    bounded_by,
    coarse_sides,
    count_fusions,
    device_limits,
    fit_text,
    remarks_of,
    size_of,
)
from dse.space.study_checks import check_space
from dse.space.task_graph import Mask, task_graph
from dse.verify.verify import Verdict
from hwmodel.assumptions import estimated_figures
from hwmodel.channels import channel_numbers
from hwmodel.cost_model.bounds import require_bounded_costs
from hwmodel.cost_model.estimate import GroupEstimate
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import Choice, GroupDesign
from hwmodel.design import Design as Decisions
from hwmodel.emit.verilog.coverage import reason_text
from hwmodel.figures import ENERGY

FIRST_SECONDS = 5.0  # until the result so far is written for the first time
WRITE_SECONDS = 5.0  # between two times
_REST = 20  # times as long as that took, at least


def explore_mappings(
    space: MappingSpace,
    objectives: tuple[str, ...],
    labels: Labels,
    *,
    request: SearchRequest | None = None,
    steps: StepFinder | None = None,
    judge: Callable[[Sequence[Decisions], JobRunner], Sequence[Verdict]] | None = None,
    runner: JobRunner | None = None,
) -> Exploration:
    """Search the study's space by a method and describe the designs of the front.

    `steps` finds the transformations behind the designs that tell most of the front, `judge` simulates all of it.
    Raises ArrayolError (`study-misfit`, `method-refused`, `many-units`, `figure-too-large`, those of `columns_of`)
    where study, platform or method do not fit, InfeasibleError (`infeasible`) where no design keeps the rules and
    constraints.
    """
    request, runner = request or SearchRequest(), runner or JobRunner()
    check_space(space)
    for one in space.variants:
        require_bounded_costs(one.accesses, one.model.platform, max(one.units))
    look, began = _placed_search if space.may_be_placed else _fitting_search, monotonic()
    found, device = look(space, objectives, labels, request, runner)
    left = None if request.timeout is None else request.timeout - (monotonic() - began)
    found = _emittable(found, request, left)
    space, columns, designs, others = found.space, found.columns, found.designs, found.others
    judged = judge is not None and found.searched.complete
    verdicts = judge(designs, runner) if judge and judged else [_NOT_SIMULATED] * len(designs)
    verdicts = [*verdicts, *[_NOT_SIMULATED] * len(others)]
    records = _records(space, columns, (*designs, *others), verdicts, found.programs)
    front, further = records[: len(designs)], records[len(designs) :]
    if steps:
        front = steps.described_at(front, telling_designs(front, columns.names, TELLING), request.report)
    result = _result(found, labels, front, further if request.keep_all else None, device)
    pairs = [(context.space, part.groups) for context, part in zip(found.contexts, found.parts, strict=False)]
    plotted = plotted_points(pairs, columns, front)
    models = {one.choice: one.model for one in space.variants}
    for model in models.values():
        model.forget_tables()  # what is explored may be held for long
    return Exploration(result, columns.objectives, plotted, designs, steps, models)


@dataclass(frozen=True)
class _SearchResult:
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


def _fitting_search(
    space: MappingSpace, objectives: tuple[str, ...], labels: Labels, request: SearchRequest, runner: JobRunner
) -> tuple[_SearchResult, DeviceRecord | None]:
    """Search a space for what fits on the platform's device, with the designs beside the front that are kept."""
    found, device = _fitting(_find(space, objectives, labels, request, runner), objectives, labels, request, runner)
    others = _other_fronts(found.contexts, found.parts, found.designs) if request.keep_all else ()
    return replace(found, others=others), device


def _placed_search(
    space: MappingSpace, objectives: tuple[str, ...], labels: Labels, request: SearchRequest, runner: JobRunner
) -> tuple[_SearchResult, DeviceRecord | None]:
    """Search with open channels, and place what is found; where that falls short, search as sizes place arrays too."""
    began = monotonic()
    found, device = _fitting_search(space.in_channels(None), objectives, labels, request, runner)
    least = objective_rows(found.space, found.columns, found.designs)
    own = _placed(found, least)
    left = None if request.timeout is None else request.timeout - (monotonic() - began)
    is_over = not found.searched.complete or (left is not None and left < 1)
    if not own.shortfall or (own.shortfall <= SHORT and own.designs) or (is_over and own.designs):
        return own, device
    request.announce(
        "no placement of arrays serves all designs best: searching again with arrays placed by their sizes"
    )
    numbers = tuple(channel_numbers(space.accesses, space.model.platform).items())
    asked = replace(request, timeout=left)
    usual, device = _fitting_search(space.in_channels(numbers), objectives, labels, asked, runner)
    return _together(own, usual, least), device


SHORT = 0.01  # of an objective, that other channels may gain at most


def _placed(found: _SearchResult, least: IntArray) -> _SearchResult:
    """The designs of a search with open channels, each placed; those that then keep the constraints."""
    space, known, is_best = placed(found.space, (*found.designs, *found.others))
    columns, others = found.columns, tuple(known[design] for design in found.others)
    designs = tuple(known[design] for design in found.designs)
    if is_best:
        front = found.front if found.front != found.designs else designs
        return replace(_in_space(found, space), designs=designs, front=front, others=others, shortfall=0.0)
    records = _records(space, columns, designs, [_NOT_SIMULATED] * len(designs))
    kept = [
        design
        for design, record in zip(designs, records, strict=True)
        if all(keeps(record, constraint) for constraint in columns.constraints)
    ]
    front = _front_of(replace(found, space=space), kept)
    short = shortfall(least, objective_rows(space, columns, front))
    return replace(_in_space(found, space), designs=front, front=front, others=others, shortfall=short)


def _in_space(found: _SearchResult, space: MappingSpace) -> _SearchResult:
    """What a search has found in a space whose designs lie in certain channels, without its groups, which do not."""
    parts = (replace(found.searched, groups={}),)
    return replace(found, space=space, contexts=contexts_of(space, found.columns.names), parts=parts)


def _together(own: _SearchResult, usual: _SearchResult, least: IntArray) -> _SearchResult:
    """The front of two searches, of which the first has open channels and is placed, the second has those of sizes."""
    choices = dict.fromkeys(design.choice for design in (*own.designs, *own.others, *usual.designs, *usual.others))
    space = replace(own.space, placements=tuple(choices))
    found = _in_space(usual, space)
    front = _front_of(found, (*own.designs, *usual.designs))
    known = set(front)
    others = tuple(design for design in dict.fromkeys((*own.others, *usual.others)) if design not in known)
    counts = own.searched.counts + usual.searched.counts
    return replace(
        found,
        searched=replace(usual.searched, counts=counts),
        designs=front,
        front=front,
        others=others,
        shortfall=shortfall(least, objective_rows(space, found.columns, front)),
    )


def _find(
    space: MappingSpace,
    objectives: tuple[str, ...],
    labels: Labels,
    request: SearchRequest,
    runner: JobRunner,
    announced: tuple[str, ...] = (),
) -> _SearchResult:
    """Search a space within its study's constraints; remarks that were `announced` are not told again."""
    contexts = contexts_of(space, objectives)
    columns = contexts[0].columns
    filled = with_filled_gaps(request.method, space, columns)
    if filled is not space:
        space, contexts = filled, contexts_of(filled, objectives)
    size = size_of(space)
    method = choose_method(request.method, space, columns, size)
    sides = coarse_sides(space) if method.name in METHODS and method.name != ROUNDS else ()
    remarks = (*remarks_of(space, labels.platform), *sides, *request.idle_remarks(method.name))
    if request.keep_all:
        require_other_fronts(method, space)
    request.announce(f"{size.text(space)}; {method.text}")
    request.announce_all(remark for remark in remarks if remark not in announced)
    if request.write is not None:
        writer = _Writer(space, labels, remarks, method, request.write)
        request = replace(request, keep=writer.write_now_and_then)
    parts = search_each(contexts, method, request, runner)
    searched = _within_bounds(columns, joined(parts, contexts))
    if not len(searched.front):
        raise _why_infeasible(contexts, method, searched, request, runner)
    front = slowed_each(contexts, _designs(columns, searched))
    shown = least_logic(contexts, front, space.study.slack)
    return _SearchResult(space, contexts, method, remarks, parts, searched, shown, front)


def _fitting(
    found: _SearchResult, objectives: tuple[str, ...], labels: Labels, request: SearchRequest, runner: JobRunner
) -> tuple[_SearchResult, DeviceRecord | None]:
    """What fits on the platform's device: the front if all of it does, else that of another search within bounds.

    Designs that need more are slowed until they fit. Where none can be, the space is searched once more, with the
    capacities that they exceed as constraints. Of a search that was ended early all designs stay where none fits.
    """
    space, began = found.space, monotonic()
    device = device_limits(space.model.platform, space.figures)
    if device is None:
        return found, None
    exceeded = _exceeded(found, device)
    record = DeviceRecord(
        name=device.name,
        capacities=dict(device.capacities),
        exceeding=sum(map(bool, exceeded)),
        designs=len(exceeded),
    )
    if not record.exceeding:
        return found, record
    told = fit_text(record.name, record.exceeding, record.designs)
    names = dict.fromkeys(name for names in exceeded for name in names)
    request.announce(f"{told}; slowing them within its {listed(list(names))}")
    fitting = _slowed_to_fit(found, device, names)
    if fitting or not found.searched.complete:
        front = fitting or found.designs
        shown = _lean_within(found, front, device) if fitting else front
        return replace(found, designs=shown, front=front, slowed=True), record
    request.announce(f"none of them fits at any rate: searching again within its {listed(list(names))}")
    bounded = replace(space, study=bounded_by(space.study, device, names))
    timeout = None if request.timeout is None else max(1.0, request.timeout - (monotonic() - began))
    again = _find(bounded, objectives, labels, replace(request, timeout=timeout), runner, found.remarks)
    exceeded = _exceeded(again, device)
    kept = tuple(design for design, names in zip(again.designs, exceeded, strict=True) if not names)
    return (replace(again, designs=kept, front=kept, slowed=True) if any(exceeded) and kept else again), record


def _emittable(found: _SearchResult, request: SearchRequest, seconds: float | None) -> _SearchResult:
    """What was found, and which of its programs may be too long; with `hardware` without designs that are refused.

    If all are, they stay, and say why.
    """
    programs = long_programs(found.space, found.designs, request.announce, seconds)
    kept = tuple(design for design in found.designs if design not in programs.refused)
    if not kept:
        return replace(found, programs=programs)
    request.announce_all(programs.remarks)
    front = tuple(design for design in found.front if design not in programs.refused)
    return replace(found, designs=kept, front=front, programs=programs, remarks=(*found.remarks, *programs.remarks))


def _slowed_to_fit(found: _SearchResult, device: DeviceLimits, names: Iterable[str]) -> tuple[Decisions, ...]:
    """The front of what fits: of the designs that do, and of their structures at other rates."""
    capacities = {name: device.capacities[name] for name in names}
    designs = dict.fromkeys((*found.front, *found.designs))
    for context in found.contexts:
        own = [design for design in found.front if design.choice == context.space.choice]
        designs |= dict.fromkeys(fitted(context, own, capacities) if own else ())
    several = replace(found, designs=tuple(designs))
    kept = [design for design, names in zip(several.designs, _exceeded(several, device), strict=True) if not names]
    return _front_of(found, kept)


def _lean_within(found: _SearchResult, front: Sequence[Decisions], device: DeviceLimits) -> tuple[Decisions, ...]:
    """A front of what fits, each design with the least logic within the study's slack, and within the device."""
    study = bounded_by(found.space.study, device, device.capacities)
    contexts = contexts_of(replace(found.space, study=study), found.columns.names)
    return least_logic(contexts, front, study.slack)


def _front_of(found: _SearchResult, designs: Sequence[Decisions]) -> tuple[Decisions, ...]:
    """Designs that no other dominates in the objectives, in ascending order of these."""
    if not designs:
        return ()
    rows = objective_rows(found.space, found.columns, designs)
    units = [sum(one.units for group in design.groups for one in group.processors) for design in designs]
    front = front_of(rows, np.array(units, np.int64))
    return tuple(designs[int(row)] for row in front.origin)


def _exceeded(found: _SearchResult, device: DeviceLimits) -> list[tuple[str, ...]]:
    """For each design of the front, of which figures it needs more than the device has."""
    records = _records(found.space, found.columns, found.designs, [_NOT_SIMULATED] * len(found.designs))
    return [device.exceeded(record.objectives) for record in records]


_NOT_SIMULATED = Verdict(None, "not simulated")


class _Writer:
    """Writes the result so far, every few seconds, and the less often the longer it takes."""

    def __init__(
        self,
        space: MappingSpace,
        labels: Labels,
        remarks: tuple[str, ...],
        method: Chosen,
        write: Callable[[Result], None],
    ) -> None:
        self._space, self._labels, self._remarks, self._method, self._write = space, labels, remarks, method, write
        self._next = monotonic() + FIRST_SECONDS

    def write_now_and_then(self, context: SearchContext, search: Callable[[], Searched]) -> None:
        """Write what a search has found of one variant, if it is time."""
        began = monotonic()
        if began < self._next:
            return
        columns = context.columns
        searched = _within_bounds(columns, search())
        if len(searched.front):
            designs, space = _designs(columns, searched), self._space
            if space.accesses.channels is None:  # left open by the search
                space, known, _ = placed(space, designs)
                designs = tuple(known[design] for design in designs)
            records = _records(space, columns, designs, [_NOT_SIMULATED] * len(designs))
            partly = replace(searched, complete=False)
            found = _SearchResult(space, (context,), self._method, self._remarks, (), partly, designs, designs)
            self._write(_result(found, self._labels, records, None, None))
        now = monotonic()
        wait = WRITE_SECONDS if len(searched.front) else FIRST_SECONDS
        self._next = now + max(wait, _REST * (now - began))


def _within_bounds(columns: Columns, searched: Searched) -> Searched:
    """The whole designs that keep bounds of figures that no group has."""
    if not columns.bounds:
        return searched
    front, rows = searched.front, columns.keep_bounds(searched.front.values)
    kept = Front(front.values[rows], front.units[rows], np.arange(len(rows)))
    return replace(searched, front=kept, design=lambda row: searched.design(int(rows[row])))


def _why_infeasible(
    contexts: Sequence[SearchContext], method: Chosen, searched: Searched, request: SearchRequest, runner: JobRunner
) -> InfeasibleError:
    """Search once more without the constraints, to say what they would need."""
    space, columns = contexts[0].space, contexts[0].columns
    free = [SearchContext(context.space, unbounded(context.columns)) for context in contexts]
    is_free = unbounded(columns) == columns
    unbound = searched if is_free else joined(search_each(free, method, request.quietly(), runner), free)
    refusal = searched.refusal[1] if searched.refusal else None
    more = "--budget" if method.name == ROUNDS and not searched.exact else ""
    more = more if searched.complete else "--timeout"
    return infeasible(space, columns, Points(unbound.front, unbound.design), refusal, ended_early=more)


def _other_fronts(
    contexts: Sequence[SearchContext], parts: Sequence[Searched], front: Sequence[Decisions]
) -> tuple[Decisions, ...]:
    """The designs on the fronts of single fusions, of each variant, that are not on the front of all."""
    designs: dict[Decisions, None] = {}
    for context, searched in zip(contexts, parts, strict=False):
        designs |= dict.fromkeys(fronts_of_fusions(context, searched.groups))
    known = set(front)
    return tuple(design for design in dict.fromkeys(slowed_each(contexts, list(designs))) if design not in known)


def fronts_of_fusions(context: SearchContext, groups: Mapping[Mask, GroupFront]) -> Iterator[Decisions]:
    """The designs on the front of each fusion of which all groups were searched."""
    space, fusions = context.space, all_fusions(context.space)
    assert fusions is not None, "refused before (`require_other_fronts`)"
    for fusion in (fusion for fusion in fusions if all(group in groups for group in fusion)):
        whole = fusion_front(space.graph, lambda group: groups[group].front, context.columns.combination, fusion)
        for row in range(len(whole.front)):
            yield ordered_design(space, groups, whole.choices(row))


def _designs(columns: Columns, searched: Searched) -> tuple[Decisions, ...]:
    """The designs of the front in the objectives alone, in ascending order of those."""
    front = front_of(objective_values(columns, searched.front.values), searched.front.units)
    return tuple(searched.design(int(row)) for row in front.origin)


# The records of designs, and the result.


def _records(
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


def _result(
    found: _SearchResult,
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


def _searched_points(found: _SearchResult, shown: tuple[Design, ...]) -> list[Mapping[str, float]]:
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
