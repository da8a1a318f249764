"""The methods of searching a space of mappings: which is taken, and the search by it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from arrayol.text import counted, rounded
from dse.jobs.progress import Report
from dse.jobs.runner import JobRunner
from dse.search.context import Searched
from dse.search.exact import search_exactly
from dse.search.exhaustive import WHOLES_AT_MOST, search_exhaustively
from dse.search.figures import Columns
from dse.search.genetic import search_heuristically
from dse.search.method_names import ASKED, AUTO, EXACT, EXHAUSTIVE, NSGA2, PARTITION, Chosen, Search, refused
from dse.search.partition import search_by_partition
from dse.search.search_context import SearchContext
from dse.space.size import LISTED_AT_MOST
from dse.space.space_size import SpaceSize

EXACT_AT_MOST = 10**8  # plain group designs that `auto` still prices all: minutes on one core
STRUCTURES_AT_MOST = 4 * 10**6  # the same of structures, where each needs only its fastest units


def choose_method(asked: str, columns: Columns, size: SpaceSize) -> Chosen:
    """The method that is asked for, or what `auto` takes.

    Raises ArrayolError (`method-refused`) where the space is too large for the one asked for, KeyError for a name that
    is no method.
    """
    if asked == AUTO:
        return _automatic(columns, size)
    reason = _REFUSALS.get(asked, _no_reason)(size)
    if reason:
        raise refused(asked, reason, "take --method exact or nsga2, or narrow the space in a study")
    return Chosen(asked, ASKED)


def search(context: SearchContext, method: Chosen, how: Search, runner: JobRunner) -> Searched:
    """Search a space by a method."""
    if method.name == NSGA2:
        return search_heuristically(context, how.seed, runner, how.report)
    return _SEARCHES[method.name](context, runner, how.report)


def _automatic(columns: Columns, size: SpaceSize) -> Chosen:
    if columns.units_are_free:
        count, most, what, how = size.structures, STRUCTURES_AT_MOST, "choices of blocks", "each with its fastest units"
    else:
        count, most, what, how = size.group_designs, EXACT_AT_MOST, "group designs", "them all"
    if count <= most:
        return Chosen(EXACT, f"{rounded(count)} {what} are few enough to price {how}")
    return Chosen(NSGA2, f"{rounded(count)} {what} are more than the {most:,} that are all priced")


def _too_many_fusions(size: SpaceSize) -> str:
    if size.fusions is not None and size.fusions <= LISTED_AT_MOST:
        return ""
    count = "more fusions than can be counted" if size.fusions is None else counted(size.fusions, "fusion")
    return f"it goes through the fusions one by one, at most {LISTED_AT_MOST:,}, and there are {count}"


def _too_many_wholes(size: SpaceSize) -> str:
    if size.whole_designs is not None and size.whole_designs <= WHOLES_AT_MOST:
        return ""
    count = _too_many_fusions(size) or f"there are {rounded(size.whole_designs or 0)}"
    return f"it prices every whole design, at most {WHOLES_AT_MOST:,}, and {count}"


def _no_reason(_: SpaceSize) -> str:
    return ""


_REFUSALS: Mapping[str, Callable[[SpaceSize], str]] = MappingProxyType(
    {PARTITION: _too_many_fusions, EXHAUSTIVE: _too_many_wholes}
)
_SEARCHES: Mapping[str, Callable[[SearchContext, JobRunner, Report], Searched]] = MappingProxyType(
    {PARTITION: search_by_partition, EXHAUSTIVE: search_exhaustively, EXACT: search_exactly}
)
