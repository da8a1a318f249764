"""Sums and products."""

from __future__ import annotations

from hwmodel.emit.verilog.datapaths.floats.formats import (
    FloatParts,
    Format,
    Special,
    finish,
    leading_zeros,
    normalised,
    rounded,
    shifted_right,
    unpack,
)
from hwmodel.emit.verilog.datapaths.floats.netlist import LUT, Circuit, Value, adder, gate


def add(circuit: Circuit, form: Format) -> None:
    """The sum, in one path: the operand of the larger magnitude, the other aligned to it, their sum normalised."""
    left, right = circuit.operand("a", form.width), circuit.operand("b", form.width)
    a, b = unpack(circuit, left, form), unpack(circuit, right, form)
    top = form.width - 2
    swap = circuit.let(1, f"{{0}}[{top}:0] < {{1}}[{top}:0]", left, right, ns=adder(top) + LUT)
    large, small = (
        circuit.choose(swap, b.significand, a.significand),
        circuit.choose(swap, a.significand, b.significand),
    )
    exponent, sign = circuit.choose(swap, b.exponent, a.exponent), circuit.choose(swap, b.sign, a.sign)
    apart, far = _distance(circuit, form, a, b, swap)
    minus = circuit.let(1, "{0} ^ {1}", a.sign, b.sign)
    aligned = _aligned(circuit, form, small, apart, far)
    wide = form.digits + 4  # a carry, and guard, round and sticky bits
    addend = circuit.let(wide - 1, f"{{0}} ^ {{{{{wide - 1}{{{{{{1}}}}}}}}}}", aligned, minus)
    text = "{{1'b0, {0}, 3'b0, 1'b1}} + {{{2}, {1}, {2}}}"
    total = circuit.bits(circuit.let(wide + 1, text, large, addend, minus, ns=adder(wide)), wide, 1)
    # An exact zero is -0 only where both operands are negative.
    zeros, none = leading_zeros(circuit, total)
    beyond = circuit.let(1, "{0} > {1}", zeros, exponent, ns=adder(form.exponent) + LUT)
    amount = circuit.choose(beyond, circuit.bits(exponent, zeros.width - 1, 0), zeros)
    base = circuit.let(form.exponent + 1, "{{1'b0, {0}}} - {1}", exponent, amount, ns=adder(form.exponent))
    moved = _shifted_left(circuit, total, amount)
    kept = circuit.let(form.digits + 2, f"{{{{{{0}}[{wide - 1}:3], |{{0}}[2:0]}}}}", moved)
    nan = circuit.let(1, "{0} | {1} | ({2} & {3} & {4})", a.nan, b.nan, a.infinite, b.infinite, minus)
    infinite = circuit.let(1, "{0} | {1}", a.infinite, b.infinite)
    signed = circuit.let(1, "{0} ? ({1} & ~{2}) : {1}", none, sign, minus)
    circuit.result(rounded(circuit, form, signed, base, kept, Special(nan, infinite, none)))


def _distance(circuit: Circuit, form: Format, a: FloatParts, b: FloatParts, swap: Value) -> tuple[Value, Value]:
    """How far the smaller operand is moved, as the bits that count, and whether it goes out altogether."""
    ahead = circuit.let(form.exponent, "{0} - {1}", a.exponent, b.exponent, ns=adder(form.exponent))
    behind = circuit.let(form.exponent, "{0} - {1}", b.exponent, a.exponent, ns=adder(form.exponent))
    distance = circuit.choose(swap, behind, ahead)
    bits = (form.digits + 2).bit_length()
    far = circuit.let(1, f"|{{0}}[{form.exponent - 1}:{bits}]", distance, ns=gate(form.exponent - bits))
    return circuit.bits(distance, bits - 1, 0), far


def _aligned(circuit: Circuit, form: Format, small: Value, apart: Value, far: Value) -> Value:
    """The smaller significand with guard, round and sticky bits."""
    wide = circuit.let(form.digits + 2, "{{{0}, 2'b0}}", small, ns=0.0)
    moved, lost = shifted_right(circuit, wide, apart)
    some = circuit.let(1, "|{0}", small, ns=gate(form.digits))
    sticky = circuit.let(1, "{0} ? {1} : {2}", far, some, lost)
    return circuit.let(
        form.digits + 3, f"{{{{{{0}} & {{{{{form.digits + 2}{{{{~{{1}}}}}}}}}}, {{2}}}}}}", moved, far, sticky
    )


def _shifted_left(circuit: Circuit, value: Value, amount: Value) -> Value:
    for power in reversed(range(amount.width)):
        value = circuit.let(value.width, f"{{0}}[{power}] ? {{1}} << {1 << power} : {{1}}", amount, value)
    return value


def mul(circuit: Circuit, form: Format) -> None:
    """The product. Only one operand is normalised: where both are subnormal the result is below every float."""
    left, right = circuit.operand("a", form.width), circuit.operand("b", form.width)
    a, b = unpack(circuit, left, form), unpack(circuit, right, form)
    low, other = (
        circuit.choose(a.subnormal, a.significand, b.significand),
        circuit.choose(a.subnormal, b.significand, a.significand),
    )
    ready, zeros = normalised(circuit, low)
    both = circuit.let(form.exponent + 1, "{0} + {1}", a.exponent, b.exponent, ns=adder(form.exponent))
    biased = circuit.let(form.span, f"{{0}} - {form.span}'d{form.bias}", both, ns=adder(form.span))
    exponent = circuit.let(form.span, "{0} - {1}", biased, zeros, ns=adder(form.span))
    whole = product(circuit, ready, other)
    sign = circuit.let(1, "{0} ^ {1}", a.sign, b.sign)
    nan = circuit.let(
        1, "{0} | {1} | ({2} & {3}) | ({4} & {5})", a.nan, b.nan, a.infinite, b.zero, a.zero, b.infinite, ns=2 * LUT
    )
    infinite = circuit.let(1, "{0} | {1}", a.infinite, b.infinite)
    zero = circuit.let(1, "{0} | {1}", a.zero, b.zero)
    finish(circuit, form, sign, exponent, whole, Special(nan, infinite, zero))


# The multipliers of the device: 18 x 18, and what one takes.


_PART = 18
_DSP = 5.4


def product(circuit: Circuit, left: Value, right: Value) -> Value:
    """A product from the device's multipliers and one adder a step, each of which may be cut off from the next."""
    width = left.width + right.width
    terms: list[tuple[int, Value]] = []  # (place, term)
    for low in range(0, left.width, _PART):
        for start in range(0, right.width, _PART):
            x = circuit.bits(left, min(low + _PART, left.width) - 1, low)
            y = circuit.bits(right, min(start + _PART, right.width) - 1, start)
            terms.append((low + start, circuit.let(x.width + y.width, "{0} * {1}", x, y, ns=_DSP)))
    terms = _concatenated(circuit, sorted(terms, key=lambda term: term[0]))
    while len(terms) > 1:
        terms = [*terms[2:], _sum(circuit, width, *terms[:2])]
        terms.sort(key=lambda term: (term[1].stage, term[1].ready))
    place, term = terms[0]
    return term if term.width == width else circuit.let(width, f"{{0}} << {place}", term, ns=0.0)


def _concatenated(circuit: Circuit, terms: list[tuple[int, Value]]) -> list[tuple[int, Value]]:
    """Terms that do not overlap put side by side: wires."""
    joined: list[tuple[int, Value]] = []
    for place, term in terms:
        for index, (start, below) in enumerate(joined):
            if start + below.width == place:
                joined[index] = (start, circuit.let(below.width + term.width, "{{{0}, {1}}}", term, below, ns=0.0))
                break
        else:
            joined.append((place, term))
    return joined


def _sum(circuit: Circuit, width: int, one: tuple[int, Value], two: tuple[int, Value]) -> tuple[int, Value]:
    """Two terms added, from the place of the higher one on."""
    (low, below), (high, above) = sorted((one, two), key=lambda term: term[0])
    apart = high - low
    size = min(width - high, max(below.width - apart, above.width) + 1)
    if not apart:
        return low, circuit.let(size, "{0} + {1}", below, above, ns=adder(size))
    total = circuit.let(size, f"{{0}}[{below.width - 1}:{apart}] + {{1}}", below, above, ns=adder(size))
    return low, circuit.let(size + apart, f"{{{{{{0}}, {{1}}[{apart - 1}:0]}}}}", total, below, ns=0.0)
