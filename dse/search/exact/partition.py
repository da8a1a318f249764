"""Paper A's way through the fusions (section 4, figure 9) with the machine model: subspaces by number of groups.

Each fusion brings the front of its designs. Pareto inside each subspace, then among the survivors; comparisons are
ordered pairs, counted where they are made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from arrayol.arrays import IntArray
from dse.jobs.jobs import COMBINING, SearchProgress
from dse.jobs.runner import JobRunner
from dse.pareto.combine import Choice, WholeFront, fusion_front
from dse.pareto.counted import COMPARED_AT_MOST, counted_front, non_dominated
from dse.pareto.fronts import Front, Rows, front_of
from dse.results.schema import Comparisons
from dse.search.context import SearchContext, Searched, SearchRequest
from dse.search.exact.exact import search_groups, searched_groups
from dse.search.exact.exact_cost import tries_all_options
from dse.search.figures import Columns
from dse.space.size import all_fusions
from dse.space.task_graph import Mask


@dataclass(frozen=True)
class _Points:
    """Designs of some fusions: their figures, units, and (number of the fusion, point of its front)."""

    values: IntArray
    units: IntArray
    codes: Rows

    def selected(self, rows: Rows) -> _Points:
        return _Points(self.values[rows], self.units[rows], self.codes[rows])


def search_by_partition(context: SearchContext, request: SearchRequest, runner: JobRunner) -> Searched:
    """The front of all fusions, subspace by subspace; that of the groups that are searched when the time is over."""
    space, columns = context.space, context.columns
    all_options = tries_all_options(space, columns)
    fronts = search_groups(context, request, runner, all_options=all_options)
    if isinstance(fronts, Searched):
        return fronts
    request.report(SearchProgress(COMBINING))
    fusions = all_fusions(space)
    assert fusions is not None, "more fusions are refused before"
    groups = {group: part.front for group, part in fronts.items()}
    wholes = [fusion_front(space.graph, groups.__getitem__, columns.combination, fusion) for fusion in fusions]
    survivors, comparisons = _by_subspaces(wholes, fusions, columns)
    front = front_of(survivors.values, survivors.units)
    chosen = survivors.codes[front.origin]
    whole = _Chosen(Front(front.values, front.units, np.arange(len(front))), tuple(wholes), chosen)
    searched = searched_groups(space, fronts, whole, all_options=all_options)
    description = searched.description.replace(
        "combined over all fusions", "and of all fusions, by subspaces of equal numbers of groups"
    )
    return replace(searched, description=description, comparisons=comparisons)


def _by_subspaces(
    wholes: Sequence[WholeFront], fusions: Sequence[Sequence[Mask]], columns: Columns
) -> tuple[_Points, Comparisons]:
    """The points that survive in their subspaces and among those of the others, ties included."""
    counts: list[int | None] = []
    survivors = []
    for groups in sorted({len(fusion) for fusion in fusions}):
        inside = [number for number, fusion in enumerate(fusions) if len(fusion) == groups]
        survivor, count = _front(_points(wholes, inside, columns))
        survivors.append(survivor)
        counts.append(count)
    front, count = _front(_joined(survivors))
    counts.append(count)
    total = sum(len(whole.front) for whole in wholes)
    by_subspaces = sum(pairs for pairs in counts if pairs is not None) if None not in counts else None
    return front, Comparisons(subspaces=by_subspaces, all_pairs=total * (total - 1))


def _points(wholes: Sequence[WholeFront], numbers: Sequence[int], columns: Columns) -> _Points:
    empty = np.zeros((0, len(columns.figures)), np.int64)
    parts = [_Points(empty, empty[:, 0], np.zeros((0, 2), np.intp))]
    for number in numbers:
        front = wholes[number].front
        codes = np.stack([np.full(len(front), number), np.arange(len(front))], axis=1)
        parts.append(_Points(front.values, front.units, codes))
    return _joined(parts)


def _joined(parts: Sequence[_Points]) -> _Points:
    return _Points(
        np.concatenate([part.values for part in parts]),
        np.concatenate([part.units for part in parts]),
        np.concatenate([part.codes for part in parts]),
    )


def _front(points: _Points) -> tuple[_Points, int | None]:
    """The points that none dominates, and the ordered pairs compared for it; None where they were sorted instead."""
    if len(points.units) > COMPARED_AT_MOST:
        return points.selected(non_dominated(points.values)), None
    front = counted_front(points.values)
    return points.selected(front.rows), front.comparisons


@dataclass(frozen=True)
class _Chosen:
    """A front made of points of the fronts of fusions."""

    front: Front
    wholes: tuple[WholeFront, ...]
    codes: Rows

    def choices(self, point: int) -> tuple[Choice, ...]:
        """The groups of one of its points."""
        number, row = self.codes[point]
        return self.wholes[int(number)].choices(int(row))
