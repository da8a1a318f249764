"""Designs that fit a device, made of designs that do not: their structures at rates that take less logic.

A search that does not compare logic leaves the fastest rates, and many of its designs need more than a device has. All
that it found is slowed, its groups are combined anew within the capacities, and the front of what fits stays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from dse.pareto.combine import Stock
from dse.search.context import SearchContext
from dse.search.exact.exact import in_order
from dse.search.shown.slower_rates import slower, with_logic
from dse.space.task_graph import Mask
from hwmodel.design import Design, GroupDesign

SLOWER_AT_MOST = 12  # designs of each structure
POINTS_OF_GROUP = 240  # of the front of a group,
POINTS_OF_WHOLE = 600  # and of what groups make together


def fitted(context: SearchContext, designs: Sequence[Design], capacities: Mapping[str, float]) -> tuple[Design, ...]:
    """Whole designs within capacities, by figure, of the structures of some designs; none where none fits."""
    wide = with_logic(context, tuple(capacities))
    limited = _limited(wide, capacities)
    graph = context.space.graph
    number = {name: place for place, name in enumerate(graph.names)}
    groups: dict[Mask, dict[GroupDesign, tuple[int, ...]]] = {}
    seen = dict.fromkeys(group for design in designs for group in design.groups)
    for group, values in slower(limited, seen, SLOWER_AT_MOST).items():
        mask = sum(1 << number[task] for task in group.tasks)
        groups.setdefault(mask, {})[group] = values
    stock = Stock(graph, context.space.fusions, limited.columns.combination)
    stock.points_of_group, stock.points_of_whole = POINTS_OF_GROUP, POINTS_OF_WHOLE
    stock.add(groups)
    return tuple(in_order(context.space, whole.groups) for whole in stock.wholes())


def _limited(context: SearchContext, capacities: Mapping[str, float]) -> SearchContext:
    """The context with capacities as limits of its columns."""
    columns = context.columns
    limits = list(columns.combination.limits)
    for name, most in capacities.items():
        figure = context.space.figures[name]
        (place,) = columns.of_figure(figure)
        bound = int(Fraction(str(most)) * figure.scale)
        known = limits[place]
        limits[place] = bound if known is None else min(bound, known)
    combination = replace(columns.combination, limits=tuple(limits))
    return SearchContext(context.space, replace(columns, combination=combination))
