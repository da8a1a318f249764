"""The points of a plot, within bounded memory: all designs of the published model, or fronts of single fusions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dse.pareto.fronts import Candidate, combined
from dse.results.designs import Design
from dse.results.exploration import PlottedPoints
from dse.results.rows import identifier
from dse.search.figures import Columns, objective_values
from dse.search.group_front import GroupFront
from dse.space.mappings import MappingSpace
from dse.space.objectives import Objective
from dse.space.remarks import all_fusions
from dse.space.task_graph import Mask, TaskGraph
from hwmodel.platform import Platform

DRAWN_AT_MOST = 200_000  # distinct points
FUSIONS_DRAWN = 256  # fusions whose own fronts are drawn
NAMED_AT_MOST = 40  # designs; where there are more, only the front has its names in the plot

Key = tuple[tuple[int, ...], int]  # the integers of the objectives, and the number of groups


@dataclass
class Collector:
    """Gathers the points of candidates as they come."""

    graph: TaskGraph
    _keys: set[Key] = field(default_factory=set)
    _first: list[Candidate] = field(default_factory=list)
    _designs: int = 0
    _left_out: int = 0

    def add(self, candidate: Candidate) -> None:
        """Note one more feasible design."""
        self._designs += 1
        key = candidate.values, len(candidate.fusion.groups)
        if key in self._keys or len(self._keys) < DRAWN_AT_MOST:
            self._keys.add(key)
        else:
            self._left_out += 1
        if self._designs <= NAMED_AT_MOST + 1:
            self._first.append(candidate)

    def finish(self, objectives: Sequence[Objective], platform: Platform) -> PlottedPoints:
        """The points, ascending."""
        keys = sorted(self._keys)
        names: dict[Key, list[str]] = {key: [] for key in keys}
        if self._designs <= NAMED_AT_MOST:
            for candidate in self._first:
                key = candidate.values, len(candidate.fusion.groups)
                names[key].append(identifier(candidate.fusion, self.graph))
        return PlottedPoints(
            tuple(
                tuple(
                    float(objective.in_unit(value, platform))
                    for objective, value in zip(objectives, values, strict=True)
                )
                for values, _ in keys
            ),
            tuple(groups for _, groups in keys),
            tuple(tuple(names[key]) for key in keys),
            self._designs,
            self._left_out,
        )


def plotted_points(
    variants: Sequence[tuple[MappingSpace, Mapping[Mask, GroupFront]]], columns: Columns, records: Sequence[Design]
) -> PlottedPoints:
    """The fronts of single fusions, where they are few and all of their groups have whole fronts, and the front.

    The fronts of groups are given for each variant of the space.
    """
    platform = variants[0][0].model.platform
    points: dict[tuple[tuple[float, ...], int], None] = {}
    listed = [(groups, all_fusions(space)) for space, groups in variants if groups]
    few = sum(FUSIONS_DRAWN + 1 if fusions is None else len(fusions) for _, fusions in listed) <= FUSIONS_DRAWN
    for groups, fusion in ((groups, fusion) for groups, fusions in listed if few for fusion in fusions or ()):
        if any(groups[group].of_wholes for group in fusion):
            continue
        front = groups[fusion[0]].front
        for group in fusion[1:]:
            front = combined(front, groups[group].front, columns.combination)
        exact = objective_values(columns, front.values).T.tolist()
        each = zip(columns.objectives, exact, strict=True)
        for point in zip(*(figure.shown_of_each(values, platform) for figure, values in each), strict=True):
            points[tuple(map(float, point)), len(fusion)] = None
    for record in records:
        shown = tuple(float(record.objectives[figure.name]) for figure in columns.objectives)
        points[shown, len(record.fusion)] = None
    keys = sorted(points)
    names = tuple(() for _ in keys)
    return PlottedPoints(tuple(point for point, _ in keys), tuple(groups for _, groups in keys), names, None)
