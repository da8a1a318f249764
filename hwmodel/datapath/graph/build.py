"""The dataflow graph of a body, by symbolic execution (docs/cost.md).

Statements are executed with nodes for values (statements.py), so that each element of an output becomes a node.
Constants are folded as `run` folds them, equal nodes are one, and nodes that no output needs are dropped. Integer sums
and chains of min and max become trees at the end (trees.py).

The points of ranges with numeric bounds are a product; bounds that use earlier variables are summed over those
variables only. If the result is too large, and a condition on the variables leaves points out, these are counted one by
one.
"""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import accumulate
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
    assigns,
    depends_on_data,
    expressions,
    inside,
    mentions,
)
from arrayol.ir.spec import ConstArray, Elementary, Port
from arrayol.ir.types import ElementType, Kind
from hwmodel.datapath.graph.arrays import LEAST_LOOKED_UP, Arrays, arrays_of
from hwmodel.datapath.graph.bins import binned, put_in_memories
from hwmodel.datapath.graph.expressions import Expressions, Points
from hwmodel.datapath.graph.graph import ACCESS, CONSTANT, INPUT, Graph
from hwmodel.datapath.graph.nodes import Nodes, Outputs, Record
from hwmodel.datapath.graph.operations import Operations
from hwmodel.datapath.graph.statements import Statements, spread_along
from hwmodel.datapath.graph.trees import with_trees
from hwmodel.datapath.numbers import BOOL, F32, NUMBERS
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


# Minima and maxima of one pair of integers, if a body also needs the other or compares the pair.
#
# One comparison serves all, with a multiplexer for each: min(a, b) is `a if a < b else b` or `b if b < a else a`,
# max(a, b) is `b if a < b else a` or `a if b < a else b`. A single minimum stays an operator, which has its own price.


_EXTREMES = ("min", "max")
_OF_A_PAIR = (*_EXTREMES, "lt")
Pair = tuple[int, int]


def with_shared_comparisons(nodes: Nodes, outputs: Outputs) -> Outputs:
    """Share comparisons in the nodes, which are changed in place; returns the outputs' new nodes.

    Operands still come before their users.
    """
    candidates = [node for node, record in enumerate(nodes.records) if record[0] in _OF_A_PAIR and record[2] < F32]
    if not any(nodes.records[node][0] in _EXTREMES for node in candidates):
        return outputs
    live = nodes.live(outputs)
    extremes: dict[Pair, set[str]] = {}
    compared: dict[Pair, Pair] = {}
    for node in candidates:
        operator, operands, *_ = nodes.records[node]
        if not live[node] or any(nodes.is_float(operand) for operand in operands):
            continue
        left, right = operands
        pair = (min(left, right), max(left, right))
        if operator == "lt":
            compared.setdefault(pair, (left, right))
        else:
            extremes.setdefault(pair, set()).add(operator)
    shared = {
        pair: compared.get(pair, pair)
        for pair, operators in extremes.items()
        if len(operators) == 2 or pair in compared
    }
    return _rewritten(nodes, outputs, shared) if shared else outputs


def _rewritten(nodes: Nodes, outputs: Outputs, shared: dict[Pair, Pair]) -> Outputs:
    """Rebuild all nodes, with a comparison before the first node of each shared pair."""
    old = (nodes.records, nodes.low, nodes.high, nodes.positive_zero)
    constants, wrapping = nodes.floats, nodes.wrapping
    nodes.table, nodes.records, nodes.low, nodes.high, nodes.positive_zero = {}, [], [], [], []
    nodes.floats, nodes.wrapping = {}, set()
    places: list[int] = []
    for node, (record, low, high, positive) in enumerate(zip(*old, strict=True)):
        operator, operands, code, detail, span = record
        moved = tuple([places[operand] for operand in operands])
        pair = (min(operands), max(operands)) if operator in _EXTREMES and code < F32 else None
        if pair in shared:
            left, right = (places[operand] for operand in shared[pair])
            less = _stored(nodes, ("lt", (left, right), BOOL, None, span), 0, 1, positive=False)
            then, otherwise = (left, right) if operator == "min" else (right, left)
            operator, moved = "mux", (less, then, otherwise)
        places.append(_stored(nodes, (operator, moved, code, detail, span), low, high, positive=positive))
        if node in constants:
            nodes.floats[places[node]] = constants[node]
        if node in wrapping:
            nodes.wrapping.add(places[node])
    return {port: [places[node] for node in listed] for port, listed in outputs.items()}


def _stored(nodes: Nodes, record: Record, low: int, high: int, *, positive: bool) -> int:
    operator, operands, code, detail, _ = record
    key = (operator, code, operands, detail)
    known = nodes.table.get(key)
    if known is None:
        known = nodes.table[key] = len(nodes.records)
        nodes.records.append(record)
        nodes.low.append(low)
        nodes.high.append(high)
        nodes.positive_zero.append(positive)
    return known


def build_graph(elementary: Elementary, tables: Mapping[str, ConstArray] | None = None, *, trees: bool = True) -> Graph:
    """The graph of one repetition of an elementary task that has a body.

    Inputs named in `tables` are constants; without it an element of a const array is an ordinary operand. With `trees`,
    sums, minima and maxima of several integers become trees; otherwise they stay chains, as in the body. Raises
    ArrayolError (`graph-too-large`) before anything is unrolled.
    """
    require_countable(elementary)
    with no_collections():
        nodes, outputs = _executed(elementary, tables)
        return _graph(elementary, *(with_trees(nodes, outputs) if trees else (nodes, outputs)))


def build_graphs(elementary: Elementary, states: Collection[str] = ()) -> tuple[Graph, Graph | None]:
    """The graph with trees, and the one with chains (None if it is the same); errors are those of `build_graph`.

    Elements of the elementary's `constants` are constants. Delays feed the inputs `states`. Data choose among the
    elements of these, of parts of arrays, and of inputs of which many elements are read anyway, by multiplexers.
    """
    require_countable(elementary)
    with no_collections():
        tables, chosen = dict(elementary.constants), set(states)
        nodes, outputs = _executed(elementary, tables, chosen)
        if often := _read_anyway(nodes):
            nodes, outputs = _executed(elementary, tables, chosen | often)
        tree_nodes, tree_outputs = with_trees(nodes, outputs)
        chains = None if tree_nodes is nodes else _graph(elementary, nodes, outputs)
        return _graph(elementary, tree_nodes, tree_outputs), chains


def _executed(
    elementary: Elementary, tables: Mapping[str, ConstArray] | None, chosen: Collection[str] = ()
) -> tuple[Nodes, Outputs]:
    """The nodes and outputs after symbolic execution of all statements."""
    nodes = Nodes()
    arrays = arrays_of(elementary, nodes, dict(tables or {}), chosen)
    put_in_memories(elementary, nodes, arrays)
    body = elementary.body or ()
    summed = frozenset(statement.port for statement in assigns(body) if statement.accumulate)
    Statements(Expressions(nodes, Operations(nodes), arrays), summed).run(body, Points(1, {}))
    return nodes, _outputs(elementary, arrays)


def _read_anyway(nodes: Nodes) -> set[str]:
    """The inputs that are looked up, and of which so many elements are read whatever the data are."""
    reads = Counter[Any](
        detail
        for operator, operands, _, detail, _ in nodes.records
        if operator == ACCESS and nodes.is_constant(operands[0])
    )
    return {port for (port, _), count in reads.items() if count >= LEAST_LOOKED_UP}


@contextmanager
def no_collections() -> Iterator[None]:
    """Disable Python's cyclic garbage collection, which would take as long as all else: many tuples, and no cycles.

    New objects become old at once, as frozen and released objects do, so that the next collection skips them.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            if not gc.get_freeze_count():
                gc.freeze()
                gc.unfreeze()
            gc.enable()


def _outputs(elementary: Elementary, arrays: Arrays) -> Outputs:
    """The nodes of each output; those of a complex element are adjacent."""
    outputs = {}
    for port in elementary.outputs:
        layout, cells = arrays.layouts[port.name], arrays.cells[port.name]
        outputs[port.name] = [part[element] for element in range(layout.size) for part in cells]
    return outputs


def _graph(elementary: Elementary, nodes: Nodes, outputs: Outputs) -> Graph:
    outputs = with_shared_comparisons(nodes, outputs)
    live = nodes.live(outputs)
    records, places = _without_dead(nodes, live)
    operators, operands, codes, details, spans = zip(*records, strict=True)
    inputs = {port.name: [-1] * _size(port) for port in elementary.inputs}
    for node, operator in enumerate(operators):
        if operator == INPUT:
            port, place = details[node]
            inputs[port][place] = node
    return Graph(
        elementary.name,
        operators,
        operands,
        tuple([NUMBERS[code] for code in codes]),
        details,
        spans,
        {port: tuple(listed) for port, listed in inputs.items()},
        {port: tuple([places[node] for node in listed]) for port, listed in outputs.items()},
        {port.name: port.type for port in (*elementary.inputs, *elementary.outputs)},
    )


def _without_dead(nodes: Nodes, live: list[bool]) -> tuple[list[Any], Sequence[int]]:
    """The records of live nodes, and the new numbers of all. If only constants are dead, they stay."""
    dead = [node for node, is_live in enumerate(live) if not is_live]
    if all(nodes.records[node][0] == CONSTANT for node in dead):
        return nodes.records, range(len(live))
    kept = [record for record, is_live in zip(nodes.records, live, strict=True) if is_live]
    places = [number - 1 for number in accumulate(live)]
    moved = [
        (operator, tuple([places[operand] for operand in operands]), *others) for operator, operands, *others in kept
    ]
    return moved, places


def _size(port: Port) -> int:
    return prod(length or 1 for length in port.shape) * (2 if port.type.kind is Kind.COMPLEX else 1)
