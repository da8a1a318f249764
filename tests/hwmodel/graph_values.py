"""The values of a graph's outputs for many inputs at once, bit for bit as `run` computes them.

Integers are stored as 64-bit int64: sums, products and bit operations are computed modulo 2**64 and wrapped into the
node's number. Operations that depend on order are computed as uint64 if an operand may have all 64 bits, which is then
never negative, nor is the other one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from arrayol.execute.arithmetic import wrapped
from arrayol.execute.environment import DTYPES
from arrayol.ir.types import ElementType, Kind
from hwmodel.datapath.graph.graph import CONSTANT, INPUT, RESIZE, SHIFT, Graph
from hwmodel.datapath.numbers import Number
from hwmodel.datapath.operators.registry import NODES

Values = Any  # an NDArray: a row of lanes


def evaluate(graph: Graph, inputs: Mapping[str, Values]) -> dict[str, Values]:
    """The outputs of a graph.

    `inputs` has for each port an array of NumPy's type for it (stored integers of fixed-point ports), with axes
    (elements in row-major order, lanes); so have the results. Inputs that `run` refuses, such as a division by zero,
    give any value.
    """
    return _collected(graph, evaluate_nodes(graph, inputs), _lanes(inputs))


def evaluate_nodes(graph: Graph, inputs: Mapping[str, Values]) -> list[Values]:
    """The value of each node: int64 with the bits of the number, or floats."""
    slots = {port: _slots(np.asarray(values), graph.parts(port)) for port, values in inputs.items()}
    values: list[Values] = []
    with np.errstate(all="ignore"):
        for node in range(len(graph)):
            values.append(_value(graph, node, values, slots))
    return values


def _lanes(inputs: Mapping[str, Values]) -> int:
    return next((values.shape[1] for values in inputs.values()), 1)


def _slots(values: Values, parts: int) -> Values:
    """One row for each place in `Graph.inputs`."""
    if parts == 2:
        real = np.stack([values.real, values.imag], axis=1)
        return real.reshape(2 * len(values), values.shape[1])
    return values if values.dtype.kind == "f" else values.astype(np.int64)


def _value(  # noqa: PLR0911  a case per kind of operator
    graph: Graph, node: int, values: list[Values], slots: Mapping[str, Values]
) -> Values:
    operator, number = graph.operators[node], graph.numbers[node]
    detail: Any = graph.details[node]
    operands = [values[operand] for operand in graph.operands[node]]
    if operator == INPUT:
        port, place = detail
        return slots[port][place]
    if operator == CONSTANT:
        return _constant(number, detail)
    if operator == "access":
        port, part = detail
        rows, parts = slots[port], graph.parts(port)
        elements = len(rows) // parts
        place = np.clip(operands[0], 0, elements - 1) * parts + part
        index = np.broadcast_to(place, (rows.shape[1],))
        return rows[index, np.arange(rows.shape[1])]
    if operator == "mux":
        return np.where(operands[0] != 0, operands[1], operands[2])
    if operator == "select":
        return _selected(operands, int(detail))
    if number.is_float or graph.numbers[graph.operands[node][0]].is_float:
        return _of_floats(operator, operands, number, detail, graph.numbers[graph.operands[node][0]])
    if operator == RESIZE:
        return bring_into(operands[0], number)
    unsigned = any(graph.numbers[operand] == _WORD for operand in graph.operands[node])
    if operator == SHIFT:
        return bring_into(_shifted(operands, detail, unsigned), number)
    compute = NODES[operator].integers
    assert compute is not None
    return bring_into(compute(operands, detail, unsigned), number)


_WORD = Number("unsigned", 64)


def _constant(number: Number, bits: object) -> Values:
    assert isinstance(bits, int)
    if number.is_float:
        return np.array([bits], f"u{number.bits // 8}").view(f"f{number.bits // 8}")
    return np.array([bits & (1 << 64) - 1], np.uint64).view(np.int64)


def bring_into(values: Values, number: Number) -> Values:
    """Wrap 64-bit integers into the range of a number."""
    values = np.asarray(values)
    values = values.view(np.int64) if values.dtype == np.uint64 else values.astype(np.int64, copy=False)
    spare = 64 - number.bits
    if not spare:
        return values
    if number.is_signed:
        return values << spare >> spare
    return values & np.int64((1 << number.bits) - 1)


def _selected(operands: list[Values], first: int) -> Values:
    shape = np.broadcast_shapes(*(operand.shape for operand in operands))
    rows = np.stack([np.broadcast_to(operand, shape) for operand in operands[1:]])
    index = np.clip(np.broadcast_to(operands[0], shape) - first, 0, len(rows) - 1)
    return rows[index, np.arange(shape[0])]


def _of_floats(operator: str, operands: list[Values], number: Number, detail: Any, source: Number) -> Values:
    first = operands[0]
    if operator == "cvt":
        return _converted(first, number, source)
    if operator == "fscale":
        return np.ldexp(first, detail)
    if operator == "fpos0":
        return first + np.zeros(1, first.dtype)
    compute = NODES[operator].floats
    assert compute is not None
    if len(operands) == 1:
        return compute(np.ascontiguousarray(first))
    result = compute(*operands)
    return result if number.is_float else result.astype(np.int64)


def _converted(values: Values, number: Number, source: Number) -> Values:
    if number.is_float:
        if source == _WORD:
            values = values.view(np.uint64)
        return values.astype(f"f{number.bits // 8}")
    whole = np.trunc(values)
    if number == _WORD:
        return whole.astype(np.uint64).view(np.int64)
    return bring_into(whole.astype(np.int64), number)


def _shifted(operands: list[Values], distance: Any, unsigned: bool) -> Values:
    if distance >= 0:
        return operands[0] << min(distance, 63)
    values = operands[0].view(np.uint64) if unsigned else operands[0]
    return values >> np.array(min(-distance, 63), values.dtype)


def _collected(graph: Graph, values: list[Values], lanes: int) -> dict[str, Values]:
    """Outputs as arrays of their ports' types."""
    outputs = {}
    for port, listed in graph.outputs.items():
        rows = np.stack([np.broadcast_to(values[node], (lanes,)) for node in listed])
        outputs[port] = _typed(rows, graph.types[port])
    return outputs


def _typed(rows: Values, kind: ElementType) -> Values:
    if kind.kind is Kind.COMPLEX:
        result = np.empty((len(rows) // 2, rows.shape[1]), DTYPES[kind])
        result.real, result.imag = rows[::2], rows[1::2]
        return result
    return wrapped(rows, kind) if kind.wraps else rows.astype(DTYPES[kind])
