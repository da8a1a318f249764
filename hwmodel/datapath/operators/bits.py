"""Nodes and datapaths of & | ^ ~, of the shifts, and of what joins and negates conditions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hwmodel.datapath.numbers import Number
from hwmodel.datapath.operators.nets import Net, Nets, resized
from hwmodel.datapath.operators.record import (
    Build,
    Circuit,
    NodeOperator,
    OperatorNodes,
    Values,
    each_integer,
    of_operands,
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


NODES = (
    NodeOperator(name="and", integers=of_operands(np.bitwise_and), circuit=_bitwise("&"), commutes=True, modular=True),
    NodeOperator(name="or", integers=of_operands(np.bitwise_or), circuit=_bitwise("|"), commutes=True, modular=True),
    NodeOperator(name="xor", integers=of_operands(np.bitwise_xor), circuit=_bitwise("^"), commutes=True, modular=True),
    NodeOperator(name="not", integers=of_operands(np.invert), circuit=_inverted, modular=True),
    NodeOperator(name="shl", integers=_shifted_left, circuit=_shift_left),
    NodeOperator(name="shr", integers=_shifted_right, circuit=_right),
)


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
)
