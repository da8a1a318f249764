"""The methods of searching a space of mappings: which is taken, the search by it, and why nothing is feasible."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from types import MappingProxyType

from arrayol.errors import Diagnostic, InfeasibleError
from arrayol.text import counted, rounded
from dse.jobs.runner import JobRunner, TimeOverError
from dse.pareto.fronts import Front
from dse.results.rows import identifier
from dse.search.context import (
    ASKED,
    AUTO,
    EXACT,
    EXHAUSTIVE,
    METHODS,
    NSGA2,
    PARTITION,
    ROUNDS,
    Chosen,
    SearchContext,
    Searched,
    SearchRequest,
    refused,
)
from dse.search.exact.exact import exact_seconds, search_exactly, tries_all_options
from dse.search.exact.exhaustive import WHOLES_AT_MOST, search_exhaustively
from dse.search.figures import Columns
from dse.search.group_front import Counts
from dse.search.heuristic.search import search_heuristically
from dse.search.incumbents.complete_designs import Wholes
from dse.search.plugin_methods import plugin_method, search_by_plugin
from dse.search.rounds.search import search_in_rounds
from dse.space.mappings import GROUPS_AT_MOST, MappingSpace
from dse.space.objectives import Figure
from dse.space.remarks import LISTED_AT_MOST, SpaceSize, all_fusions
from dse.space.study import Constraint
from hwmodel.design import Design
from hwmodel.figures import FRAMES_PER_SECOND

EXACT_SECONDS = 60.0  # of predicted work, up to which `auto` prices everything,
SINGLY_SECONDS = 20.0  # and where options are tried one at a time: rounds, which try more, have settled by then
STRUCTURES_AT_MOST = 20_000_000  # of all groups, that are listed: more would fill the memory
POWERS_AT_MOST = 10**5  # plain group designs up to which it does where a power is compared, and with it all times


def with_filled_gaps(asked: str, space: MappingSpace, columns: Columns) -> MappingSpace:
    """The space with sides of a ladder along extents of coarse divisors, if a method that prices all is to search it.

    As long as that takes no more work than `auto` spends on it; the space as it is where the study says the sides.
    """
    filled = replace(space, fills_gaps=True)
    is_open = asked in (AUTO, EXACT) and not isinstance(space.study.blocks, str)
    if not is_open or not any(one.coarse_extents for one in space.variants) or not space.lists_groups:
        return space
    most = _most_seconds(filled, columns)
    return filled if _seconds_of_all(filled, columns, most) <= most else space


def choose_method(asked: str, space: MappingSpace, columns: Columns, size: SpaceSize) -> Chosen:
    """The method that is asked for, or what `auto` takes.

    Raises ArrayolError (`method-refused`) where the space is too large for the one asked for, KeyError for a name that
    is no method.
    """
    if not all(one.lists_groups for one in space.variants):
        size = replace(size, groups=None, fusions=None, whole_designs=None)
    if asked not in METHODS:
        plugin_method(asked)
    if asked == AUTO:
        return _automatic(space, columns, size)
    if asked == PARTITION:
        raise refused(asked, _OF_THE_PUBLISHED, "take --method exact, which finds the same front")
    reason = _REFUSALS.get(asked, _no_reason)(size)
    if reason:
        raise refused(asked, reason, "take --method rounds, or narrow the space in a study")
    return Chosen(asked, ASKED)


def require_other_fronts(method: Chosen, space: MappingSpace) -> None:
    """Raises ArrayolError (`method-refused`) where a method leaves no fronts of single fusions beside that of all."""
    if method.name != EXACT:
        reason = "it keeps its front alone"
    elif all_fusions(space) is None:
        reason = f"there are more than {LISTED_AT_MOST:,} fusions"
    else:
        return
    raise refused(method.name, f"{reason}, and all designs are asked for", "leave out --all, or narrow the study")


def search(context: SearchContext, method: Chosen, request: SearchRequest, runner: JobRunner) -> Searched:
    """Search a space by a method, as long as the time of the runner lasts.

    Raises ArrayolError (`broken-plugin`) where that of a plug-in finds nothing right.
    """
    try:
        return _search(context, method, request, runner)
    except TimeOverError:
        return _nothing_in_time(context, request)


def _search(context: SearchContext, method: Chosen, request: SearchRequest, runner: JobRunner) -> Searched:
    if method.name not in METHODS:
        return search_by_plugin(method.name, context, request, runner)
    if method.name == NSGA2:
        return search_heuristically(context, request, runner)
    if method.name == ROUNDS:
        return search_in_rounds(context, request, runner)
    if method.name == EXHAUSTIVE:
        return search_exhaustively(context, request, runner)
    return search_exactly(context, request, runner)


def _nothing_in_time(context: SearchContext, request: SearchRequest) -> Searched:
    """What a search has found whose time was over before it had a whole design."""
    return Searched(
        front=Wholes.none(len(context.columns.figures)).front,
        design=lambda _: Design(()),
        counts=Counts(),
        exact=False,
        description=request.clock_text,
        group_designs=0,
        whole_designs=None,
        complete=False,
    )


def _automatic(space: MappingSpace, columns: Columns, size: SpaceSize) -> Chosen:
    if size.groups is None:
        return Chosen(ROUNDS, f"there are more than {GROUPS_AT_MOST:,} groups")
    if not space.study.has_blocks:
        return Chosen(EXACT, "there are streams alone")
    most = _most_seconds(space, columns)
    if columns.compares_all_times and size.group_designs > POWERS_AT_MOST:
        why = (
            f"{rounded(size.group_designs)} group designs are more than the {POWERS_AT_MOST:,} whose times are all kept"
        )
    elif not space.has_gaps and (seconds := _seconds_of_all(space, columns, most)) <= most:
        return Chosen(EXACT, f"about {seconds:.1f} s of work are enough to evaluate every group", seconds)
    else:
        why = f"to evaluate every group is more than {most:g} s of work"
    return Chosen(ROUNDS, why)


def _most_seconds(space: MappingSpace, columns: Columns) -> float:
    """Seconds of predicted work up to which `auto` evaluates every group."""
    return EXACT_SECONDS if all(tries_all_options(one, columns) for one in space.variants) else SINGLY_SECONDS


def _seconds_of_all(space: MappingSpace, columns: Columns, most: float) -> float:
    """Predicted seconds of all variants; more than `most` where they are, then not counted to the end."""
    total = 0.0
    for one in sorted(space.variants, key=lambda one: not one.splits):  # those of most blocks first
        if total <= most:
            total += exact_seconds(one, columns, most)
    return total


def _too_many_fusions(size: SpaceSize) -> str:
    if size.fusions is not None and size.fusions <= LISTED_AT_MOST:
        return ""
    count = "more fusions than can be counted" if size.fusions is None else counted(size.fusions, "fusion")
    return f"it goes through the fusions one by one, at most {LISTED_AT_MOST:,}, and there are {count}"


def _too_many_wholes(size: SpaceSize) -> str:
    if size.whole_designs is not None and size.whole_designs <= WHOLES_AT_MOST:
        return ""
    count = _too_many_fusions(size) or f"there are {rounded(size.whole_designs or 0)}"
    return f"it evaluates every whole design, at most {WHOLES_AT_MOST:,}, and {count}"


def _too_many_groups(size: SpaceSize) -> str:
    return f"it evaluates every group, and there are more than {GROUPS_AT_MOST:,}" if size.groups is None else ""


def _no_reason(_: SpaceSize) -> str:
    return ""


def _too_many_structures(size: SpaceSize) -> str:
    if size.groups is None:
        return _too_many_groups(size)
    if size.structures <= STRUCTURES_AT_MOST:
        return ""
    count = rounded(size.structures)
    return f"it lists all blocks under all scans of each group, at most {STRUCTURES_AT_MOST:,}, and there are {count}"


_REFUSALS: Mapping[str, Callable[[SpaceSize], str]] = MappingProxyType(
    {EXACT: _too_many_structures, EXHAUSTIVE: _too_many_wholes}
)
_OF_THE_PUBLISHED = "it goes through fusions as a paper does whose model evaluates each by itself"


@dataclass(frozen=True)
class Points:
    """The front of whole designs in some columns, and the design behind each of its points."""

    front: Front
    design: Callable[[int], Design]


def unbounded(columns: Columns) -> Columns:
    """These columns without limits."""
    combination = replace(columns.combination, limits=(None,) * len(columns.combination.limits))
    return replace(columns, combination=combination, bounds=())


def infeasible(
    space: MappingSpace, columns: Columns, points: Points, refusal: str | None, *, ended_early: str
) -> InfeasibleError:
    """The error for a space without a feasible design, or without one that was found before the search ended.

    `points` are the front that it has without constraints; `ended_early` is the option that gives a search more which
    ended before it had seen all, empty for any other.
    """
    name = space.model.network.name
    if not len(points.front):
        why = f"; {refusal}" if refusal else ""
        hint = "open more of the space in a study: other fusions, units or orders"
        if ended_early:
            message = f"no legal design of '{name}' was found before the search ended{why}"
            return InfeasibleError(
                [Diagnostic("infeasible", message, hint=f"give it more with {ended_early}, or {hint}")]
            )
        return InfeasibleError([Diagnostic("infeasible", f"'{name}' has no legal design here{why}", hint=hint)])
    nearest = _nearest(columns, points.front)
    parts = [_need(space, columns, points, constraint) for constraint in columns.constraints]
    design = identifier(points.design(nearest).fusion, space.graph)
    found = " that was found before the search ended" if ended_early else ""
    message = f"no design of '{name}'{found} keeps all constraints: {'; '.join(parts)}"
    known = space.figures
    figures: dict[str, Figure] = {}
    for figure in (*columns.objectives, *(known[constraint.figure] for constraint in columns.constraints)):
        figures.setdefault(figure.key, figure)
    shown = ", ".join(_shown(space, columns, points.front, nearest, figure) for figure in figures.values())
    return InfeasibleError(
        [Diagnostic("infeasible", message, hint=f"the nearest design, of fusion {design}, has {shown}")]
    )


def _nearest(columns: Columns, front: Front) -> int:
    """The point with the least sum of relative excesses over the limits."""
    whole = columns.excess(front.values).tolist()

    def excess(row: int) -> Fraction:
        pairs = zip(front.values[row].tolist(), columns.combination.limits, strict=True)
        return sum((_over(value, limit) for value, limit in pairs if limit is not None), Fraction(whole[row]))

    return min(range(len(front)), key=excess)


def _over(value: int, limit: int) -> Fraction:
    return Fraction(max(0, value - limit), max(1, limit))


def _need(space: MappingSpace, columns: Columns, points: Points, constraint: Constraint) -> str:
    """What a constraint asks, and the best that any design has."""
    figure = space.figures[constraint.figure]
    best = int(columns.whole(figure, points.front.values).min())
    word = "most" if figure.name == FRAMES_PER_SECOND else "least"
    return f"{constraint} is asked, the {word} is {_number(space, figure, best)}"


def _shown(space: MappingSpace, columns: Columns, front: Front, row: int, figure: Figure) -> str:
    value = int(columns.whole(figure, front.values[row : row + 1])[0])
    return f"{figure.name} {_number(space, figure, value)}"


def _number(space: MappingSpace, figure: Figure, exact: int) -> str:
    value = figure.shown(exact, space.model.platform)
    return f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"
