"""Nodes and datapaths of + - * / // %, of signs and magnitudes, of functions of floats and parts of complex numbers.

Each real operation of complex numbers is rounded, in the order of the execution:

    (a + bi) (c + di) = (ac - bd) + (ad + bc) i
    (a + bi) / (c + di) = (ac + bd) / (cc + dd) + ((bc - ad) / (cc + dd)) i
    abs(a + bi)         = sqrt(aa + bb)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from arrayol.operators.registry import FUNCTIONS
from hwmodel.datapath.numbers import Number, common_bits
from hwmodel.datapath.operators.nets import Net, Nets, resized
from hwmodel.datapath.operators.record import (
    Build,
    Circuit,
    Compute,
    NodeOperator,
    OperatorNodes,
    Values,
    each_integer,
    of_operands,
)

# Values of integers.


def _divided(apply: Callable[..., Values]) -> Compute:
    """A quotient or remainder by a detail or an operand; any value for a division by zero."""

    def run(operands: list[Values], constant: Any, unsigned: bool) -> Values:
        kind = np.uint64 if unsigned else np.int64
        dividend = operands[0].view(kind)
        divisor = operands[1].view(kind) if len(operands) > 1 else np.asarray(constant).astype(kind)
        return apply(dividend, np.where(divisor == 0, kind(1), divisor))

    return run


def _times(operands: list[Values], constant: int, _: bool) -> Values:
    return operands[0] * np.array([constant & (1 << 64) - 1], np.uint64).view(np.int64)


# Circuits.


def _added(sign: str) -> Circuit:
    def run(nets: Nets, operands: Sequence[Net], number: Number) -> Net:
        left, right = (resized(operand, number.bits) for operand in operands)
        return nets.wire(f"{left} {sign} {right}", number, keep=True)

    return run


def _negative(nets: Nets, operands: Sequence[Net], number: Number) -> Net:
    if number.is_float:
        return nets.wire(f"{{~{operands[0].sign}, {operands[0].name}[{number.bits - 2}:0]}}", number)
    return nets.wire(f"-{resized(operands[0], number.bits)}", number, keep=True)


def _magnitude(nets: Nets, operands: Sequence[Net], number: Number) -> Net:
    (x,) = operands
    if number.is_float:
        return nets.wire(f"{{1'b0, {x.name}[{number.bits - 2}:0]}}", number)
    bits = max(x.bits, number.bits)
    negative = nets.wire(f"-{resized(x, bits)}", Number("signed", bits), keep=True)
    low = f"{negative.name}[{number.bits - 1}:0]" if bits > number.bits else negative.name
    return nets.wire(f"{x.sign} ? {low} : {resized(x, number.bits)}", number)


def _product(nets: Nets, operands: Sequence[Net], number: Number) -> Net:
    """The low bits of a product of two numbers, as a signed product if one of them is signed."""
    left, right = operands
    if not (left.number.is_signed or right.number.is_signed):
        return nets.wire(f"{left.name} * {right.name}", number, keep=True)
    texts = []
    for operand in operands:
        bits = operand.bits + (not operand.number.is_signed)
        texts.append(f"$signed({resized(operand, bits)})")
    return nets.wire(f"{texts[0]} * {texts[1]}", number, keep=True)


def _quotient(nets: Nets, operands: Sequence[Net], number: Number) -> Net:
    return _fitted(nets, _quotient_and_rest(nets, operands)[0], number)


def _remainder(nets: Nets, operands: Sequence[Net], number: Number) -> Net:
    return _fitted(nets, _quotient_and_rest(nets, operands)[1], number)


def _fitted(nets: Nets, net: Net, number: Number) -> Net:
    return net if net.number == number else nets.wire(resized(net, number.bits), number)


def _quotient_and_rest(nets: Nets, operands: Sequence[Net]) -> tuple[Net, Net]:
    """The quotient rounded down, and the remainder.

    For signed numbers the quotient is one less if the remainder of Verilog's `/` has the other sign.
    """
    left, right = operands
    signed = left.number.is_signed or right.number.is_signed
    number = Number("signed" if signed else "unsigned", common_bits(left.number, right.number) + 1)
    texts = [resized(operand, number.bits) for operand in operands]
    if not signed:
        return tuple(nets.wire(f"{texts[0]} {sign} {texts[1]}", number) for sign in "/%")  # type: ignore[return-value]
    toward_zero, remainder = (nets.wire(f"$signed({texts[0]}) {sign} $signed({texts[1]})", number) for sign in "/%")
    divisor = nets.wire(texts[1], number)
    wrong = nets.wire(f"{remainder.name} != 0 && {remainder.sign} != {divisor.sign}", Number("unsigned", 1))
    return (
        nets.wire(f"{toward_zero.name} - {resized(wrong, number.bits)}", number),
        nets.wire(f"{wrong.name} ? {remainder.name} + {divisor.name} : {remainder.name}", number),
    )


# Datapaths.


def real(node: str) -> Build:
    """A builder of a node of floats with two operands."""
    return lambda operations, operands, code: operations.floats.each(node, *operands, code)


def real_unary(node: str) -> Build:
    """A builder of a node of floats with one operand."""
    return lambda operations, operands, code: [operations.floats.unary(node, value, code) for value in operands[0]]


def _parts(node: str) -> Build:
    """A builder of a node of each part of complex numbers."""

    def build(operations: Any, operands: Sequence[Any], code: int) -> Any:
        (a, b), (c, d) = operands
        each = operations.floats.each
        return each(node, a, c, code), each(node, b, d, code)

    return build


def _negative_parts(operations: Any, operands: Sequence[Any], code: int) -> Any:
    return tuple([operations.floats.unary("neg", node, code) for node in part] for part in operands[0])


def _products(operations: Any, operands: Sequence[Any], code: int) -> list[Any]:
    """The products ac, bd, ad, bc of the parts."""
    (a, b), (c, d) = operands
    return [operations.floats.each("mul", *pair, code) for pair in ((a, c), (b, d), (a, d), (b, c))]


def _complex_product(operations: Any, operands: Sequence[Any], code: int) -> Any:
    each = operations.floats.each
    ac, bd, ad, bc = _products(operations, operands, code)
    return each("sub", ac, bd, code), each("add", ad, bc, code)


def _squares(operations: Any, parts: Any, code: int) -> Any:
    """The sum of the squares of the parts."""
    each = operations.floats.each
    return each("add", *(each("mul", part, part, code) for part in parts), code)


def _complex_magnitude(operations: Any, operands: Sequence[Any], code: int) -> Any:
    return [operations.floats.unary("sqrt", node, code) for node in _squares(operations, operands[0], code)]


def _complex_quotient(operations: Any, operands: Sequence[Any], code: int) -> Any:
    each = operations.floats.each
    ac, bd, ad, bc = _products(operations, operands, code)
    norm = _squares(operations, operands[1], code)
    real_part, imaginary = each("add", ac, bd, code), each("sub", bc, ad, code)
    return each("div", real_part, norm, code), each("div", imaginary, norm, code)


_UNARY = ("sqrt", "exp", "log", "sin", "cos", "tan", "floor", "ceil")


def _conjugate(operations: Any, operands: Sequence[Any], code: int) -> Any:
    real, imaginary = operands[0]
    return real, [operations.floats.unary("neg", node, code) for node in imaginary]


NODES = (
    NodeOperator(
        name="add",
        integers=of_operands(np.add),
        floats=np.add,
        circuit=_added("+"),
        commutes=True,
        commutes_real=True,
        modular=True,
    ),
    NodeOperator(name="sub", integers=of_operands(np.subtract), floats=np.subtract, circuit=_added("-"), modular=True),
    NodeOperator(
        name="neg",
        integers=of_operands(np.negative),
        floats=np.negative,
        circuit=_negative,
        modular=True,
        float_row="xor",  # of the sign bit
    ),
    NodeOperator(name="abs", integers=of_operands(np.abs), floats=np.absolute, circuit=_magnitude, float_row="and"),
    NodeOperator(
        name="mul",
        integers=of_operands(np.multiply),
        floats=np.multiply,
        circuit=_product,
        commutes=True,
        commutes_real=True,
        modular=True,
    ),
    NodeOperator(name="mulc", integers=_times, floats=np.multiply, modular=True),
    NodeOperator(name="div", integers=_divided(np.floor_divide), floats=np.true_divide, circuit=_quotient),
    NodeOperator(name="divc", integers=_divided(np.floor_divide)),
    NodeOperator(name="mod", integers=_divided(np.remainder), floats=np.remainder, circuit=_remainder),
    NodeOperator(name="floordiv", floats=np.floor_divide),
    *(NodeOperator(name=name, floats=FUNCTIONS[name].arrays(np)) for name in _UNARY),
    NodeOperator(name="fscale"),
    NodeOperator(name="fpos0"),
    NodeOperator(name="cvt"),
)

DATAPATHS = (
    OperatorNodes(
        name="-",
        operands=1,
        integers=each_integer(lambda integers: integers.neg),
        floats=real_unary("neg"),
        complex=_negative_parts,
    ),
    OperatorNodes(
        name="+",
        operands=2,
        integers=each_integer(lambda integers: integers.add),
        floats=real("add"),
        complex=_parts("add"),
    ),
    OperatorNodes(
        name="-",
        operands=2,
        integers=each_integer(lambda integers: integers.sub),
        floats=real("sub"),
        complex=_parts("sub"),
    ),
    OperatorNodes(
        name="*",
        operands=2,
        integers=each_integer(lambda integers: integers.mul),
        floats=real("mul"),
        complex=_complex_product,
        complex_nodes=6,
    ),
    OperatorNodes(name="/", operands=2, floats=real("div"), complex=_complex_quotient, complex_nodes=14),
    OperatorNodes(name="//", operands=2, integers=each_integer(lambda integers: integers.div), floats=real("floordiv")),
    OperatorNodes(name="%", operands=2, integers=each_integer(lambda integers: integers.mod), floats=real("mod")),
    OperatorNodes(
        name="abs",
        integers=each_integer(lambda integers: integers.abs),
        floats=real_unary("abs"),
        complex=_complex_magnitude,
        complex_nodes=4,
    ),
    *(OperatorNodes(name=name, floats=real_unary(name)) for name in _UNARY),
    OperatorNodes(name="real", complex=lambda operations, operands, code: operands[0][0]),
    OperatorNodes(name="imag", complex=lambda operations, operands, code: operands[0][1]),
    OperatorNodes(name="conj", complex=_conjugate),
)
