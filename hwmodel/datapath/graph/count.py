"""The number of nodes of an unrolled body, before it is unrolled: operators of each statement times its points.

The points of ranges with numeric bounds are a product; bounds that use earlier variables are summed over those
variables only. If the result is too large, and a condition on the variables leaves points out, these are counted one by
one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from arrayol.errors import error
from arrayol.ir.expressions import (
    Assign,
    Expr,
    Function,
    Operation,
    Range,
    Read,
    Statement,
    depends_on_data,
    expressions,
    inside,
    mentions,
)
from arrayol.ir.spec import Elementary
from arrayol.ir.types import ElementType, Kind
from hwmodel.datapath.graph.arrays import Arrays
from hwmodel.datapath.graph.bins import binned
from hwmodel.datapath.graph.expressions import Expressions, Points
from hwmodel.datapath.graph.nodes import Nodes
from hwmodel.datapath.graph.operations import Operations
from hwmodel.datapath.graph.statements import spread_along
from hwmodel.datapath.operators.registry import DATAPATHS

MAXIMUM_NODES = 200_000
_LISTED = 1 << 21  # points that are looked at one by one


def require_countable(elementary: Elementary) -> None:
    """Raises ArrayolError (`graph-too-large`) for a body of more than 200,000 operations, before it is unrolled."""
    count = count_nodes(elementary)
    if count > MAXIMUM_NODES:
        raise error(
            "graph-too-large",
            f"the body of '{elementary.name}' has {count:,} operations when it is unrolled, more than "
            f"{MAXIMUM_NODES:,}: no datapath is derived",
            elementary.span,
            hint="make its pattern smaller, as a block of fewer elements, or give its figures in the platform, "
            f"in [elementary.{elementary.name}]",
        )


def count_nodes(elementary: Elementary) -> int:
    """The operations of one repetition if ranges and loops are unrolled, without folding or sharing."""
    sizes = {
        port.name: prod(length or 1 for length in port.shape) for port in (*elementary.inputs, *elementary.outputs)
    }
    sizes |= {local.name: prod(local.shape) for local in elementary.locals}
    sizes |= dict.fromkeys(binned(elementary), 1)  # where data do not choose among elements
    return _counted(elementary.body or (), (), sizes)


def _counted(body: Sequence[Statement], around: tuple[Range, ...], sizes: Mapping[str, int]) -> int:
    total = 0
    for statement in body:
        ranges = (*around, *statement.ranges)
        if isinstance(statement, Assign):
            each = _operators(statement, sizes)
            points = _points(ranges)
            if each * points > MAXIMUM_NODES and points <= _LISTED and _decided(statement.condition):
                points = _points_that_act(ranges, statement.condition)
            total += each * points
        else:
            total += _counted(statement.body, ranges, sizes)
    return total


def _decided(condition: Expr | None) -> bool:
    return condition is not None and not depends_on_data(condition)


def _operators(statement: Assign, sizes: Mapping[str, int]) -> int:
    """The operators of a statement at one point, at least one."""
    count = sum(_weight(part) for expression in expressions(statement) for part in inside(expression))
    if statement.accumulate:
        is_complex = isinstance(statement.value.type, ElementType) and statement.value.type.kind is Kind.COMPLEX
        count += 2 if is_complex else 1
    if any(depends_on_data(subscript) for subscript in statement.subscripts):
        count += 2 * sizes[statement.port]
    if statement.condition is not None and depends_on_data(statement.condition):
        count += 1
    return max(1, count)


def _weight(node: Expr) -> int:
    """The number of real operators of one node of an expression; a complex one has several."""
    if not depends_on_data(node) or isinstance(node, Read):
        return 0
    if isinstance(node, Operation):
        kind = node.operands[0].type
        if isinstance(kind, ElementType) and kind.kind is Kind.COMPLEX:
            return DATAPATHS[node.operator, len(node.operands)].complex_nodes
        return 1
    return int(isinstance(node, Function))


def _points(ranges: Sequence[Range]) -> int:
    """The points of ranges: a product, and a sum over the variables that later bounds use."""
    used = {loop_range.name for loop_range in ranges if any(_uses(later, loop_range.name) for later in ranges)}
    points = Points(1, {})
    factor = 1
    for loop_range in ranges:
        low, high = (_bound(bound, points) for bound in (loop_range.low, loop_range.high))
        if loop_range.name in used:
            points = spread_along(loop_range.name, low, high, points)
            if points.count > _LISTED:
                return factor * points.count
            continue
        lengths = np.maximum(np.asarray(high, object) - np.asarray(low, object), 0)
        if lengths.ndim == 0:
            factor *= int(lengths)
        else:
            points = _weighted(points, lengths)
    weights = points.values.get(_WEIGHT, 1)
    return factor * (int(np.sum(weights)) if isinstance(weights, np.ndarray) else points.count * weights)


_WEIGHT = ""  # the points that each point stands for, as a variable of no name


def _weighted(points: Points, lengths: Any) -> Points:
    return Points(points.count, {**points.values, _WEIGHT: points.values.get(_WEIGHT, 1) * lengths})


def _uses(own: Range, name: str) -> bool:
    return mentions(own.low, name) or mentions(own.high, name)


def _points_that_act(ranges: Sequence[Range], condition: Expr | None) -> int:
    points = Points(1, {})
    for loop_range in ranges:
        points = spread_along(loop_range.name, _bound(loop_range.low, points), _bound(loop_range.high, points), points)
    assert condition is not None
    holds = _evaluator().numbers(condition, points)
    if holds is None:
        return points.count
    return int(np.count_nonzero(np.broadcast_to(holds, (points.count,))))


def _bound(bound: Expr, points: Points) -> object:
    return _evaluator().value(bound, points)


def _evaluator() -> Expressions:
    """An evaluator of expressions that do not depend on data."""
    nodes = Nodes()
    return Expressions(nodes, Operations(nodes), Arrays())
