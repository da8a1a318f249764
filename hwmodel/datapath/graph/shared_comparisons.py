"""The least and the greatest of one pair of integers, where a body needs both: one comparison, and two multiplexers.

min(a, b) is `a if a < b else b`, max(a, b) is `b if a < b else a`. A minimum alone stays an operator, which has a
price of its own.
"""

from __future__ import annotations

from hwmodel.datapath.graph.nodes import Nodes, Outputs, Record
from hwmodel.datapath.graph.numbers import BOOL, F32

_EXTREMES = ("min", "max")


def with_shared_comparisons(nodes: Nodes, outputs: Outputs) -> Outputs:
    """The outputs of the same nodes, which are changed in place: operands still come before their users."""
    pairs: dict[tuple[int, ...], set[str]] = {}
    found = [node for node, record in enumerate(nodes.records) if record[0] in _EXTREMES and record[2] < F32]
    if not found:
        return outputs
    live = nodes.live(outputs)
    for node in found:
        if live[node]:
            pairs.setdefault(nodes.records[node][1], set()).add(nodes.records[node][0])
    both = {operands for operands, operators in pairs.items() if len(operators) == 2}
    if not both:
        return outputs
    return _rewritten(nodes, outputs, both)


def _rewritten(nodes: Nodes, outputs: Outputs, both: set[tuple[int, ...]]) -> Outputs:
    """All nodes anew, with comparisons before the first of each pair."""
    old = (nodes.records, nodes.low, nodes.high, nodes.positive_zero)
    constants, wrapping = nodes.floats, nodes.wrapping
    nodes.table, nodes.records, nodes.low, nodes.high, nodes.positive_zero = {}, [], [], [], []
    nodes.floats, nodes.wrapping = {}, set()
    places: list[int] = []
    for node, (record, low, high, positive) in enumerate(zip(*old, strict=True)):
        operator, operands, code, detail, span = record
        moved = tuple([places[operand] for operand in operands])
        if operands in both and operator in _EXTREMES and code < F32:
            less = _stored(nodes, ("lt", moved, BOOL, None, span), 0, 1, positive=False)
            then, otherwise = moved if operator == "min" else (moved[1], moved[0])
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
