"""Nodes and datapaths on bits and of conditions: & | ^ ~, shifts, comparisons, least and greatest, choices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hwmodel.datapath.numbers import BOOL, Number, common_bits
from hwmodel.datapath.operators.bins import BIN_ADD, BIN_READ, BINS_FULL
from hwmodel.datapath.operators.nets import Net, Nets, biased, resized
from hwmodel.datapath.operators.record import (
    Build,
    Circuit,
    NodeOperator,
    OperatorNodes,
    Values,
    each_integer,
    of_operands,
    ordered,
)


def _shifted_left(operands: list[Values], *_: object) -> Values:
    return operands[0] << np.clip(operands[1], 0, 63)


def _shifted_right(operands: list[Values], _: object, unsigned: bool) -> Values:
    values = operands[0].view(np.uint64) if unsigned else operands[0]
    return values >> np.clip(operands[1], 0, 63).astype(values.dtype)


# Circuits.


def _bitwise(sign: str) -> Circuit:
    def run(nets: Nets, operands: Sequence[Net], number: Number) -> Net:
        left, right = (resized(operand, number.bits) for operand in operands)
        return nets.wire(f"{left} {sign} {right}", number)

    return run


def _inverted(nets: Nets, operands: Sequence[Net], number: Number) -> Net:
    return nets.wire(f"~{resized(operands[0], number.bits)}", number)


def _shift_left(nets: Nets, operands: Sequence[Net], number: Number) -> Net:
    x, amount = operands
    return nets.wire(f"{resized(x, number.bits)} << {amount.name}", number)


def _right(nets: Nets, operands: Sequence[Net], number: Number) -> Net:
    x, amount = operands
    bits = max(x.bits, number.bits)
    text = resized(x, bits)
    value = f"$signed({text}) >>> {amount.name}" if x.number.is_signed else f"{text} >> {amount.name}"
    shifted = nets.wire(value, Number(x.number.kind, bits))
    return nets.wire(resized(shifted, number.bits), number)


# Datapaths.


def _of_two(node: str) -> Build:
    def build(operations: Any, operands: Sequence[Any], code: int) -> list[int]:
        return [operations.integers.bit(node, a, b, code) for a, b in zip(*operands, strict=True)]

    return build


def _shift(node: str) -> Build:
    def build(operations: Any, operands: Sequence[Any], code: int) -> list[int]:
        return [operations.integers.shift_by(node, a, b, code) for a, b in zip(*operands, strict=True)]

    return build


_INVERT = each_integer(lambda integers: integers.invert)


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


NODES = (
    NodeOperator(name="and", integers=of_operands(np.bitwise_and), circuit=_bitwise("&"), commutes=True, modular=True),
    NodeOperator(name="or", integers=of_operands(np.bitwise_or), circuit=_bitwise("|"), commutes=True, modular=True),
    NodeOperator(name="xor", integers=of_operands(np.bitwise_xor), circuit=_bitwise("^"), commutes=True, modular=True),
    NodeOperator(name="not", integers=of_operands(np.invert), circuit=_inverted, modular=True),
    NodeOperator(name="shl", integers=_shifted_left, circuit=_shift_left),
    NodeOperator(name="shr", integers=_shifted_right, circuit=_right),
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

DATAPATHS = (
    OperatorNodes(name="&", operands=2, integers=_of_two("and")),
    OperatorNodes(name="|", operands=2, integers=_of_two("or")),
    OperatorNodes(name="^", operands=2, integers=_of_two("xor")),
    OperatorNodes(name="and", operands=2, integers=_of_two("and")),
    OperatorNodes(name="or", operands=2, integers=_of_two("or")),
    OperatorNodes(name="~", operands=1, integers=_INVERT),
    OperatorNodes(name="not", operands=1, integers=_INVERT),
    OperatorNodes(name="<<", operands=2, integers=_shift("shl")),
    OperatorNodes(name=">>", operands=2, integers=_shift("shr")),
    _comparison("==", equality=True, exchanged=False, negated=False),
    _comparison("!=", equality=True, exchanged=False, negated=True),
    _comparison("<", equality=False, exchanged=False, negated=False),
    _comparison(">=", equality=False, exchanged=False, negated=True),
    _comparison(">", equality=False, exchanged=True, negated=False),
    _comparison("<=", equality=False, exchanged=True, negated=True),
    _extreme_of("min"),
    _extreme_of("max"),
)
