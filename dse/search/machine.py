"""Exploration with the machine model: a search through the space, the designs of its front, and their records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from time import monotonic

import numpy as np

from arrayol.errors import InfeasibleError
from arrayol.text import listed
from dse.jobs.runner import JobRunner
from dse.pareto.combine import fusion_front
from dse.pareto.fronts import Front, front_of
from dse.results.exploration import Exploration, Labels
from dse.results.pick import TELLING, telling_designs
from dse.results.schema import (
    DeviceRecord,
    Result,
)
from dse.results.steps import StepFinder
from dse.search.context import METHODS, ROUNDS, Chosen, SearchContext, Searched, SearchRequest
from dse.search.described import NOT_SIMULATED, SearchResult, ascending_front, records_of, result_of
from dse.search.exact.exact import ordered_design
from dse.search.figures import Columns, objective_values
from dse.search.group_front import GroupFront
from dse.search.methods import Points, choose_method, infeasible, require_other_fronts, unbounded, with_filled_gaps
from dse.search.placed_search import placed_search
from dse.search.shown.fitted import fitted
from dse.search.shown.placement import placed_by_sizes
from dse.search.shown.plotted_points import plotted_points
from dse.search.shown.programs import long_programs
from dse.search.shown.slack import least_logic
from dse.search.shown.variants import contexts_of, joined, search_each, slowed_each
from dse.space.mappings import MappingSpace
from dse.space.remarks import (
    DeviceLimits,
    all_fusions,
    bounded_by,
    coarse_sides,
    device_limits,
    fit_text,
    remarks_of,
    size_of,
)
from dse.space.study_checks import check_space
from dse.space.task_graph import Mask
from dse.verify.verify import Verdict
from hwmodel.cost_model.bounds import require_bounded_costs
from hwmodel.design import Design as Decisions

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
    began, pool = monotonic(), runner

    def search(within: MappingSpace, asked: SearchRequest) -> tuple[SearchResult, DeviceRecord | None]:
        return _fitting_search(within, objectives, labels, asked, pool)

    found, device = placed_search(space, request, search) if space.may_be_placed else search(space, request)
    left = None if request.timeout is None else request.timeout - (monotonic() - began)
    found = _emittable(found, request, left)
    space, columns, designs, others = found.space, found.columns, found.designs, found.others
    judged = judge is not None and found.searched.complete
    verdicts = judge(designs, runner) if judge and judged else [NOT_SIMULATED] * len(designs)
    verdicts = [*verdicts, *[NOT_SIMULATED] * len(others)]
    records = records_of(space, columns, (*designs, *others), verdicts, found.programs)
    front, further = records[: len(designs)], records[len(designs) :]
    if steps:
        front = steps.described_at(front, telling_designs(front, columns.names, TELLING), request.report)
    result = result_of(found, labels, front, further if request.keep_all else None, device)
    pairs = [(context.space, part.groups) for context, part in zip(found.contexts, found.parts, strict=False)]
    plotted = plotted_points(pairs, columns, front)
    models = {one.choice: one.model for one in space.variants}
    for model in models.values():
        model.forget_tables()  # what is explored may be held for long
    return Exploration(result, columns.objectives, plotted, designs, steps, models)


def _fitting_search(
    space: MappingSpace, objectives: tuple[str, ...], labels: Labels, request: SearchRequest, runner: JobRunner
) -> tuple[SearchResult, DeviceRecord | None]:
    """Search a space for what fits on the platform's device, with the designs beside the front that are kept."""
    found, device = _fitting(_find(space, objectives, labels, request, runner), objectives, labels, request, runner)
    others = _other_fronts(found.contexts, found.parts, found.designs) if request.keep_all else ()
    return replace(found, others=others), device


def _find(
    space: MappingSpace,
    objectives: tuple[str, ...],
    labels: Labels,
    request: SearchRequest,
    runner: JobRunner,
    announced: tuple[str, ...] = (),
) -> SearchResult:
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
    return SearchResult(space, contexts, method, remarks, parts, searched, shown, front)


def _fitting(
    found: SearchResult, objectives: tuple[str, ...], labels: Labels, request: SearchRequest, runner: JobRunner
) -> tuple[SearchResult, DeviceRecord | None]:
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


def _emittable(found: SearchResult, request: SearchRequest, seconds: float | None) -> SearchResult:
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


def _slowed_to_fit(found: SearchResult, device: DeviceLimits, names: Iterable[str]) -> tuple[Decisions, ...]:
    """The front of what fits: of the designs that do, and of their structures at other rates."""
    capacities = {name: device.capacities[name] for name in names}
    designs = dict.fromkeys((*found.front, *found.designs))
    for context in found.contexts:
        own = [design for design in found.front if design.choice == context.space.choice]
        designs |= dict.fromkeys(fitted(context, own, capacities) if own else ())
    several = replace(found, designs=tuple(designs))
    kept = [design for design, names in zip(several.designs, _exceeded(several, device), strict=True) if not names]
    return ascending_front(found, kept)


def _lean_within(found: SearchResult, front: Sequence[Decisions], device: DeviceLimits) -> tuple[Decisions, ...]:
    """A front of what fits, each design with the least logic within the study's slack, and within the device."""
    study = bounded_by(found.space.study, device, device.capacities)
    contexts = contexts_of(replace(found.space, study=study), found.columns.names)
    return least_logic(contexts, front, study.slack)


def _exceeded(found: SearchResult, device: DeviceLimits) -> list[tuple[str, ...]]:
    """For each design of the front, of which figures it needs more than the device has."""
    records = records_of(found.space, found.columns, found.designs, [NOT_SIMULATED] * len(found.designs))
    return [device.exceeded(record.objectives) for record in records]


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
                space, designs = placed_by_sizes(space, designs)
            records = records_of(space, columns, designs, [NOT_SIMULATED] * len(designs))
            partly = replace(searched, complete=False)
            found = SearchResult(space, (context,), self._method, self._remarks, (), partly, designs, designs)
            self._write(result_of(found, self._labels, records, None, None))
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
