"""Nodes and datapaths of comparisons, least and greatest, and choices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hwmodel.datapath.numbers import BOOL, Number, common_bits
from hwmodel.datapath.operators.bins import BIN_ADD, BIN_READ, BINS_FULL
from hwmodel.datapath.operators.nets import Net, Nets, biased, resized
from hwmodel.datapath.operators.record import Circuit, NodeOperator, OperatorNodes, ordered


def in_order(left: Net, right: Net) -> tuple[str, str]:
    """Two numbers in the same bits, in the order of numbers without a sign."""
    signed = left.number.is_signed or right.number.is_signed
    bits = common_bits(left.number, right.number)
    return biased(left, bits, signed=signed), biased(right, bits, signed=signed)


def _less(nets: Nets, operands: Sequence[Net], number: Number) -> Net:
    left, right = in_order(*operands)
    return nets.wire(f"{left} < {right}", number)


def _equal(nets: Nets, operands: Sequence[Net], number: Number) -> Net:
    left, right = operands
    bits = common_bits(left.number, right.number)
    return nets.wire(f"{resized(left, bits)} == {resized(right, bits)}", number)


def _extreme(sign: str) -> Circuit:
    def run(nets: Nets, operands: Sequence[Net], number: Number) -> Net:
        left, right = in_order(*operands)
        is_left = nets.wire(f"{left} {sign} {right}", Number("unsigned", 1))
        first, second = (resized(operand, number.bits) for operand in operands)
        return nets.wire(f"{is_left.name} ? {first} : {second}", number)

    return run


def _mux(nets: Nets, operands: Sequence[Net], number: Number) -> Net:
    condition, then, otherwise = operands
    first, second = (resized(operand, number.bits) for operand in (then, otherwise))
    return nets.wire(f"{condition.name} ? {first} : {second}", number)


NODES = (
    NodeOperator(name="lt", integers=ordered(np.less), floats=np.less, circuit=_less),
    NodeOperator(
        name="eq", integers=ordered(np.equal), floats=np.equal, circuit=_equal, commutes=True, commutes_real=True
    ),
    # Of zeros with different signs `min` and `max` of floats give the second one.
    NodeOperator(name="min", integers=ordered(np.minimum), floats=np.minimum, circuit=_extreme("<"), commutes=True),
    NodeOperator(name="max", integers=ordered(np.maximum), floats=np.maximum, circuit=_extreme(">"), commutes=True),
    NodeOperator(name="mux", circuit=_mux),
    NodeOperator(name="select"),
    NodeOperator(name="access"),
    NodeOperator(name=BIN_ADD, in_memory=True),
    NodeOperator(name=BINS_FULL, in_memory=True),
    NodeOperator(name=BIN_READ, in_memory=True),
)


# Datapaths: `less` and `equal`, the operands exchanged or the result negated.


def _comparison(sign: str, *, equality: bool, exchanged: bool, negated: bool) -> OperatorNodes:
    def integers(operations: Any, operands: Sequence[Any], _: int) -> list[int]:
        build = operations.integers
        apply = build.equal if equality else build.less
        results = [apply(*nodes) for nodes in zip(*(reversed(operands) if exchanged else operands), strict=True)]
        return [build.opposite(node) for node in results] if negated else results

    def floats(operations: Any, operands: Sequence[Any], _: int) -> list[int]:
        return [operations.floats.compared(sign, a, b) for a, b in zip(*operands, strict=True)]

    def parts(operations: Any, operands: Sequence[Any], _: int) -> list[int]:
        (a, b), (c, d) = operands
        build, equal = operations.integers, operations.floats.compared
        both = [
            build.bit("and", equal("==", *real), equal("==", *imaginary), BOOL)
            for real, imaginary in zip(zip(a, c, strict=True), zip(b, d, strict=True), strict=True)
        ]
        return [build.opposite(node) for node in both] if negated else both

    return OperatorNodes(
        name=sign,
        operands=2,
        integers=integers,
        floats=floats,
        complex=parts if equality else None,
        complex_nodes=3 + negated,
    )


def _extreme_of(node: str) -> OperatorNodes:
    def integers(operations: Any, operands: Sequence[Any], _: int) -> Any:
        first, *others = operands
        for other in others:
            first = [operations.integers.extreme(node, a, b) for a, b in zip(first, other, strict=True)]
        return first

    def floats(operations: Any, operands: Sequence[Any], code: int) -> Any:
        first, *others = operands
        for other in others:
            first = operations.floats.each(node, first, other, code)
        return first

    return OperatorNodes(name=node, integers=integers, floats=floats)


DATAPATHS = (
    _comparison("==", equality=True, exchanged=False, negated=False),
    _comparison("!=", equality=True, exchanged=False, negated=True),
    _comparison("<", equality=False, exchanged=False, negated=False),
    _comparison(">=", equality=False, exchanged=False, negated=True),
    _comparison(">", equality=False, exchanged=True, negated=False),
    _comparison("<=", equality=False, exchanged=True, negated=True),
    _extreme_of("min"),
    _extreme_of("max"),
)
