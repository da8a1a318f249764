"""Why no design keeps all constraints: what each needs, and the design that comes nearest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

from arrayol.errors import Diagnostic, InfeasibleError
from dse.pareto.fronts import Front
from dse.results.schema import identifier
from dse.search.figures import Columns
from dse.space.constraints import Constraint
from dse.space.figures import FRAMES_PER_SECOND, Figure, figures_of
from dse.space.mappings import MappingSpace
from hwmodel.design import Design


@dataclass(frozen=True)
class Found:
    """The front of whole designs in some columns, and the design behind each of its points."""

    front: Front
    design: Callable[[int], Design]


def unbounded(columns: Columns) -> Columns:
    """The same columns without limits."""
    return replace(columns, how=replace(columns.how, limits=(None,) * len(columns.how.limits)))


def infeasible(space: MappingSpace, columns: Columns, found: Found, refusal: str | None) -> InfeasibleError:
    """The error for a space without a feasible design; `found` is the front that it has without constraints."""
    name = space.model.network.name
    if not len(found.front):
        why = f"; {refusal}" if refusal else ""
        hint = "open more of the space in a study: other fusions, units or orders"
        return InfeasibleError([Diagnostic("infeasible", f"'{name}' has no legal design here{why}", hint=hint)])
    nearest = _nearest(columns, found.front)
    parts = [_need(space, columns, found, constraint) for constraint in columns.constraints]
    design = identifier(found.design(nearest).fusion, space.graph)
    message = f"no design of '{name}' keeps all constraints: {'; '.join(parts)}"
    shown = ", ".join(_shown(space, columns, found.front, nearest, figure) for figure in columns.figures)
    return InfeasibleError(
        [Diagnostic("infeasible", message, hint=f"the nearest design, of fusion {design}, has {shown}")]
    )


def _nearest(columns: Columns, front: Front) -> int:
    """The point with the least sum of relative excesses over the limits."""

    def excess(row: int) -> Fraction:
        pairs = zip(front.values[row].tolist(), columns.how.limits, strict=True)
        return sum((_over(value, limit) for value, limit in pairs if limit is not None), Fraction(0))

    return min(range(len(front)), key=excess)


def _over(value: int, limit: int) -> Fraction:
    return Fraction(max(0, value - limit), max(1, limit))


def _need(space: MappingSpace, columns: Columns, found: Found, constraint: Constraint) -> str:
    """What a constraint asks, and the best that any design has."""
    figure = figures_of(space.model.platform)[constraint.figure]
    column = [one.key for one in columns.figures].index(figure.key)
    best = int(found.front.values[:, column].min())
    word = "most" if figure.name == FRAMES_PER_SECOND else "least"
    return f"{constraint} is asked, the {word} is {_number(space, figure, best)}"


def _shown(space: MappingSpace, columns: Columns, front: Front, row: int, figure: Figure) -> str:
    value = int(front.values[row, columns.figures.index(figure)])
    return f"{figure.name} {_number(space, figure, value)}"


def _number(space: MappingSpace, figure: Figure, exact: int) -> str:
    value = figure.shown(exact, space.model.platform)
    return f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"
