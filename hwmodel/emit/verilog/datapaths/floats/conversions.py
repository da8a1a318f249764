"""Conversions between integers and floats, and between formats."""

from __future__ import annotations

from hwmodel.emit.verilog.datapaths.floats.formats import (
    Format,
    Special,
    chosen,
    finish,
    first_step,
    normalised,
    rounded,
    unpack,
)
from hwmodel.emit.verilog.datapaths.floats.netlist import LUT, Circuit, Value, adder, gate


def from_integer(circuit: Circuit, form: Format, *, bits: int) -> None:
    """The float nearest to an integer."""
    operand = circuit.operand("a", bits)
    sign = circuit.bits(operand, bits - 1, bits - 1)
    text = f"({{0}} ^ {{{{{bits}{{{{{{1}}}}}}}}}}) + {{1}}"
    size = circuit.let(bits, text, operand, sign, ns=adder(bits) + LUT)
    ready, zeros = normalised(circuit, size, _is_small(circuit, operand))
    zero = circuit.let(1, f"~{{0}}[{bits - 1}]", ready, ns=0.0)
    base = circuit.let(form.exponent + 1, f"{form.bias + bits - 2} - {{0}}", zeros, ns=adder(form.exponent))
    never = circuit.let(1, "1'b0", ns=0.0)
    if bits <= form.digits:
        field = circuit.let(form.exponent, "{0} + 1", base, ns=adder(form.exponent))
        text = f"{{{{{{0}}, {{1}}[{bits - 2}:0]" + (f", {form.digits - bits}'b0" if bits < form.digits else "") + "}}"
        number = circuit.let(form.width - 1, text, field, ready, ns=0.0)
        circuit.result(chosen(circuit, form, sign, number, Special(never, never, zero)))
        return
    rest = bits - form.digits - 1
    below = f"|{{0}}[{rest - 1}:0]" if rest else "1'b0"
    kept = circuit.let(form.digits + 2, f"{{{{{{0}}[{bits - 1}:{rest}], {below}}}}}", ready, ns=gate(max(rest, 1)))
    fits = bits <= form.bias  # no integer is beyond the greatest float
    circuit.result(rounded(circuit, form, sign, base, kept, Special(never, never, zero), fits=fits))


def _is_small(circuit: Circuit, operand: Value) -> Value:
    """Whether the upper places of an integer's magnitude are empty, without waiting for the magnitude.

    They are as many as `normalised` looks at first. They are all as the sign, and not those of the least such number
    below zero, whose magnitude is a power of two.
    """
    high, low = operand.width - 1, operand.width - first_step(operand.width)
    none = circuit.let(1, f"{{0}}[{high}:{low}] == 0", operand, ns=gate(high - low + 1))
    all_set = circuit.let(1, f"&{{0}}[{high}:{low}]", operand, ns=gate(high - low + 1))
    below = circuit.let(1, f"|{{0}}[{low - 1}:0]", operand, ns=gate(low))
    return circuit.let(1, "{0} | ({1} & {2})", none, all_set, below)


def to_integer(circuit: Circuit, form: Format, *, bits: int) -> None:
    """The integer below a float in magnitude; what does not fit is nobody's concern (the execution refuses it)."""
    operand = circuit.operand("a", form.width)
    a = unpack(circuit, operand, form)
    wide = max(bits, form.digits)
    placed = circuit.let(
        wide, f"{{{{{{0}}, {wide - form.digits}'b0}}}}" if wide > form.digits else "{0}", a.significand, ns=0.0
    )
    depth = circuit.let(form.exponent + 1, f"{form.bias + wide - 1} - {{0}}", a.exponent, ns=adder(form.exponent + 1))
    count = wide.bit_length()
    gone = circuit.let(1, f"|{{0}}[{form.exponent}:{count}]", depth, ns=gate(form.exponent - count + 1))
    amount = circuit.bits(depth, count - 1, 0)
    moved = placed
    for power in reversed(range(count)):
        kept = f"{{1}} >> {1 << power}" if (1 << power) < wide else f"{wide}'b0"
        moved = circuit.let(wide, f"{{0}}[{power}] ? {kept} : {{1}}", amount, moved)
    size = circuit.let(bits, f"{{0}}[{bits - 1}:0] & {{{{{bits}{{{{~{{1}}}}}}}}}}", moved, gone, ns=LUT / 2)
    circuit.result(
        circuit.let(bits, f"({{0}} ^ {{{{{bits}{{{{{{1}}}}}}}}}}) + {{1}}", size, a.sign, ns=adder(bits) + LUT)
    )


def widen(circuit: Circuit, form: Format, *, wider: Format) -> None:
    """Convert a number to a wider format without rounding; subnormals become normal."""
    operand = circuit.operand("a", form.width)
    a = unpack(circuit, operand, form)
    ready, zeros = normalised(circuit, a.significand)
    offset = wider.bias - form.bias
    exponent = circuit.let(wider.exponent, f"{{0}} + {wider.exponent}'d{offset} - {{1}}", a.exponent, zeros, ns=2.0)
    fill = wider.fraction - form.fraction
    text = f"{{{{{{0}}, {{1}}[{form.fraction - 1}:0], {fill}'b0}}}}"
    number = circuit.let(wider.width - 1, text, exponent, ready, ns=0.0)
    circuit.result(chosen(circuit, wider, a.sign, number, Special(a.nan, a.infinite, a.zero)))


def narrow(circuit: Circuit, form: Format, *, narrower: Format) -> None:
    """The nearest number of a narrower format."""
    operand = circuit.operand("a", form.width)
    a = unpack(circuit, operand, form)
    offset = form.bias - narrower.bias
    exponent = circuit.let(form.span, f"{{0}} - {form.span}'d{offset}", a.exponent, ns=adder(form.span))
    number = circuit.let(form.digits + 1, "{{1'b0, {0}}}", a.significand, ns=0.0)
    finish(circuit, narrower, a.sign, exponent, number, Special(a.nan, a.infinite, a.zero))
