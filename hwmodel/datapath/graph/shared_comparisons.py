"""Minima and maxima of one pair of integers, if a body also needs the other or compares the pair.

One comparison serves all, with a multiplexer for each: min(a, b) is `a if a < b else b` or `b if b < a else a`, max(a,
b) is `b if a < b else a` or `a if b < a else b`. A single minimum stays an operator, which has its own price.
"""

from __future__ import annotations

from hwmodel.datapath.graph.nodes import Nodes, Outputs, Record
from hwmodel.datapath.numbers import BOOL, F32

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
