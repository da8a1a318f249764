"""How far a search through groups is, for those who wait."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dse.jobs.piece import JobPlan
from dse.jobs.progress import SEARCHING, Report, SearchProgress
from dse.jobs.runner import Share
from dse.pareto.fronts import Front
from dse.search.group_front import GroupFront, GroupPart
from dse.search.outlook import InterimFront
from dse.search.search_context import SearchContext
from dse.space.task_graph import Mask


class Tracker:
    """Follows the plans of groups; `firsts` says for each group which other one is searched in its place, if any."""

    def __init__(self, context: SearchContext, firsts: Mapping[Mask, Mask | None], report: Report) -> None:
        self._firsts, self._report = firsts, report
        self._fronts: dict[Mask, Front] = {}
        self._designs = 0
        space, columns = context.space, context.columns
        self._interim = InterimFront(space.graph, columns.how, columns.leading, space.fusions)

    def follow(self, group: Mask, plan: JobPlan[GroupFront]) -> JobPlan[GroupFront]:
        """The same plan, its end noted."""
        found = yield from plan
        for one, first in self._firsts.items():
            if group in (one, first):
                self._fronts[one] = found.front
        return found

    def watch(self, share: Share, parts: Sequence[GroupPart]) -> None:
        """Take in what the latest jobs have found."""
        self._designs += sum(part.counts.size for part in parts)
        self._report(
            SearchProgress(
                SEARCHING,
                len(self._fronts),
                len(self._firsts),
                "groups",
                designs=self._designs,
                work=share.of_all,
                hypervolume=lambda: self._interim.hypervolume(self._fronts),
            )
        )
