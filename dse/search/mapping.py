"""Exploration with the machine model: a search through the space, its front as designs, and their records."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from arrayol.errors import InfeasibleError
from dse.jobs.runner import JobRunner
from dse.pareto.combine import fusion_front
from dse.pareto.fronts import front_of
from dse.results.exploration import Exploration, Labels
from dse.results.step_pieces import find_steps
from dse.results.steps import StepFinder
from dse.search.context import Searched
from dse.search.exact import ordered_design
from dse.search.figures import Columns, columns_of, objective_values
from dse.search.infeasible import Found, infeasible, unbounded
from dse.search.machine import records_of, result_of
from dse.search.mapping_cloud import plotted_points
from dse.search.method_names import Chosen, Search, refused
from dse.search.methods import choose_method, search
from dse.search.search_context import SearchContext
from dse.space.mappings import MappingSpace, check_study
from dse.space.size import LISTED_AT_MOST, all_fusions
from dse.space.space_size import size_of
from dse.verify.verify import Verdict
from hwmodel.design import Design as Decisions


def explore_mappings(
    space: MappingSpace,
    objectives: tuple[str, ...],
    labels: Labels,
    *,
    how: Search | None = None,
    steps: StepFinder | None = None,
    judge: Callable[[Sequence[Decisions], JobRunner], Sequence[Verdict]] | None = None,
    runner: JobRunner | None = None,
) -> Exploration:
    """Search the study's space by a method and describe the designs of the front.

    `steps` finds the transformations behind each design of the front, `judge` simulates them. Raises ArrayolError
    (`study-misfit`, `method-refused`, those of `columns_of`) where study or method do not fit, InfeasibleError
    (`infeasible`) where no design keeps the rules and constraints.
    """
    study, how, runner = space.study, how or Search(), runner or JobRunner()
    check_study(study, space.graph, space.accesses)
    columns = columns_of(objectives, study.constraints, space.model.platform, reuse_memory=study.reuse_memory)
    size = size_of(space)
    method = choose_method(how.method, columns, size)
    how.announce(f"{size.text(space)}; {method.text}")
    context = SearchContext(space, columns)
    searched = search(context, method, how, runner)
    if not len(searched.front):
        raise _why_infeasible(context, method, searched, how, runner)
    designs = _designs(columns, searched)
    verdicts = judge(designs, runner) if judge else [Verdict(None, "not simulated")] * len(designs)
    others = _other_fronts(space, columns, method, searched, designs) if how.keep_all else ()
    verdicts = [*verdicts, *[Verdict(None, "not simulated")] * len(others)]
    if steps:
        find_steps(steps, (*designs, *others), runner, how.report)
    every = records_of(space, columns, (*designs, *others), verdicts, steps)
    records = every[: len(designs)]
    result = result_of(
        space, columns, labels, method, searched, records, every[len(designs) :] if how.keep_all else None
    )
    plotted = plotted_points(space, columns, searched.groups, records)
    return Exploration(result, columns.objectives, plotted, designs, steps.original if steps else None)


def _why_infeasible(
    context: SearchContext, method: Chosen, searched: Searched, how: Search, runner: JobRunner
) -> InfeasibleError:
    """Search once more without the constraints, to say what they would need."""
    space, columns = context.space, context.columns
    free = unbounded(columns)
    unbound = searched if free == columns else search(SearchContext(space, free), method, how.quietly(), runner)
    refusal = searched.refusal[1] if searched.refusal else None
    return infeasible(space, columns, Found(unbound.front, unbound.design), refusal)


def _other_fronts(
    space: MappingSpace, columns: Columns, method: Chosen, searched: Searched, front: Sequence[Decisions]
) -> tuple[Decisions, ...]:
    """The designs on the fronts of single fusions that are not on the front of all.

    Raises ArrayolError (`method-refused`) where the method searches no groups, or where the fusions are too many.
    """
    fusions = space.fusions or all_fusions(space)
    if not searched.groups or fusions is None:
        reason = f"there are more than {LISTED_AT_MOST:,} fusions" if searched.groups else "it keeps its front alone"
        raise refused(method.name, f"{reason}, and all designs are asked for", "leave out --all, or narrow the study")
    groups = searched.groups
    designs: dict[Decisions, None] = {}
    for fusion in fusions:
        whole = fusion_front(space.graph, lambda group: groups[group].front, columns.how, fusion)
        for row in range(len(whole.front)):
            designs[ordered_design(space, groups, whole.choices(row))] = None
    known = set(front)
    return tuple(design for design in designs if design not in known)


def _designs(columns: Columns, searched: Searched) -> tuple[Decisions, ...]:
    """The designs of the front in the objectives alone, in ascending order of those."""
    front = front_of(objective_values(columns, searched.front.values), searched.front.units)
    return tuple(searched.design(int(row)) for row in front.origin)
