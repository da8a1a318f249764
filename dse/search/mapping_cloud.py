"""The points of a plot: the fronts of single fusions behind the front of all."""

from __future__ import annotations

from collections.abc import Mapping

from dse.pareto.fronts import combined
from dse.results.exploration import PlottedPoints
from dse.results.schema import Design
from dse.search.figures import Columns, objective_values
from dse.search.group_front import GroupFront
from dse.space.mappings import MappingSpace
from dse.space.size import all_fusions
from dse.space.task_graph import Mask

FUSIONS_DRAWN = 256  # fusions whose own fronts are drawn


def plotted_points(
    space: MappingSpace, columns: Columns, groups: Mapping[Mask, GroupFront], records: tuple[Design, ...]
) -> PlottedPoints:
    """The fronts of single fusions, where they are few and groups have fronts, else the front alone."""
    platform = space.model.platform
    points: dict[tuple[tuple[float, ...], int], None] = {}
    fusions = all_fusions(space) if not space.fusions else space.fusions
    few = groups and fusions is not None and len(fusions) <= FUSIONS_DRAWN
    for fusion in fusions or () if few else ():
        front = groups[fusion[0]].front
        for group in fusion[1:]:
            front = combined(front, groups[group].front, columns.how)
        for values in objective_values(columns, front.values).tolist():
            shown = tuple(
                float(figure.shown(value, platform)) for figure, value in zip(columns.objectives, values, strict=True)
            )
            points[shown, len(fusion)] = None
    for record in records:
        shown = tuple(float(record.objectives[figure.name]) for figure in columns.objectives)
        points[shown, len(record.fusion)] = None
    keys = sorted(points)
    names = tuple(() for _ in keys)
    return PlottedPoints(tuple(point for point, _ in keys), tuple(groups for _, groups in keys), names, None)
