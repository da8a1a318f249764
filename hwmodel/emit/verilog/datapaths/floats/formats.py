"""IEEE 754 formats: what the operators share, from unpacking to rounding (to nearest, ties to even)."""

from __future__ import annotations

from dataclasses import dataclass

from hwmodel.emit.verilog.datapaths.floats.netlist import LUT, Circuit, Value, adder, gate


@dataclass(frozen=True)
class Format:
    """`exponent` and `fraction` bits of a format."""

    name: str
    exponent: int
    fraction: int

    @property
    def width(self) -> int:
        return 1 + self.exponent + self.fraction

    @property
    def digits(self) -> int:
        """Bits of a significand, the hidden one included."""
        return self.fraction + 1

    @property
    def bias(self) -> int:
        return (1 << (self.exponent - 1)) - 1

    @property
    def highest(self) -> int:
        """The exponent field of infinities and NaN."""
        return (1 << self.exponent) - 1

    @property
    def nan(self) -> str:
        return f"{self.width}'h{(self.highest << self.fraction) | (1 << (self.fraction - 1)):x}"

    @property
    def span(self) -> int:
        """Bits of an exponent that may lie outside the format, with its sign."""
        return self.exponent + 3


F32 = Format("f32", 8, 23)
F64 = Format("f64", 11, 52)
FORMATS = {form.width: form for form in (F32, F64)}  # by bits


@dataclass(frozen=True, eq=False)
class FloatParts:
    """An operand unpacked; the significand has its hidden bit, a subnormal the exponent 1."""

    sign: Value
    exponent: Value
    significand: Value
    subnormal: Value  # or zero
    zero: Value
    infinite: Value
    nan: Value


def unpack(circuit: Circuit, operand: Value, form: Format) -> FloatParts:
    """The parts of a float."""
    sign = circuit.bits(operand, form.width - 1, form.width - 1)
    field = circuit.bits(operand, form.width - 2, form.fraction)
    fraction = circuit.bits(operand, form.fraction - 1, 0)
    low = circuit.let(1, "{0} == 0", field, ns=gate(form.exponent))
    high = circuit.let(1, "&{0}", field, ns=gate(form.exponent))
    whole = circuit.let(1, "{0} == 0", fraction, ns=gate(form.fraction))
    return FloatParts(
        sign,
        circuit.let(form.exponent, "{0} | {1}", field, low, ns=LUT / 2),
        circuit.let(form.digits, "{{~{0}, {1}}}", low, fraction, ns=0.0),
        low,
        circuit.let(1, "{0} & {1}", low, whole),
        circuit.let(1, "{0} & {1}", high, whole),
        circuit.let(1, "{0} & ~{1}", high, whole),
    )


def first_step(width: int) -> int:
    """How many places `normalised` looks at first in a value of so many bits."""
    return 1 << (width - 1).bit_length() - 1


def normalised(circuit: Circuit, value: Value, first: Value | None = None) -> tuple[Value, Value]:
    """A value shifted left until its highest bit is set, and by how much; zero is shifted by any amount.

    `first` says whether its first places are empty, where that is known without it.
    """
    amounts: list[Value] = []
    step, top = first_step(value.width), value.width - 1
    while step:
        empty = first if first is not None and not amounts else None
        if empty is None:
            empty = circuit.let(1, f"{{0}}[{top}:{top - step + 1}] == 0", value, ns=gate(step))
        value = circuit.let(value.width, f"{{0}} ? {{1}} << {step} : {{1}}", empty, value)
        amounts.append(empty)
        step //= 2
    names = ", ".join(f"{{{place}}}" for place in range(len(amounts)))
    return value, circuit.let(len(amounts), f"{{{{{names}}}}}", *amounts, ns=0.0)


def leading_zeros(circuit: Circuit, value: Value) -> tuple[Value, Value]:
    """How many high bits are zero, and whether all are, by a tree over the next power of two of bits."""
    levels = (value.width - 1).bit_length()
    wide = circuit.let(
        1 << levels,
        f"{{{{{{0}}, {(1 << levels) - value.width}'b0}}}}" if (1 << levels) > value.width else "{0}",
        value,
        ns=0.0,
    )
    pairs: list[tuple[Value, Value]] = []  # (any bit set, zeros before it) of groups, highest first
    for place in reversed(range(0, 1 << levels, 4)):
        group = circuit.bits(wide, place + 3, place)
        some = circuit.let(1, "|{0}", group)
        count = circuit.let(2, "{0}[3] ? 2'd0 : {0}[2] ? 2'd1 : {0}[1] ? 2'd2 : 2'd3", group)
        pairs.append((some, count))
    while len(pairs) > 1:
        pairs = [_joined(circuit, *pairs[place], *pairs[place + 1]) for place in range(0, len(pairs), 2)]
    some, count = pairs[0]
    return count, circuit.let(1, "~{0}", some, ns=0.0)


def _joined(circuit: Circuit, some: Value, count: Value, some_low: Value, count_low: Value) -> tuple[Value, Value]:
    either = circuit.let(1, "{0} | {1}", some, some_low)
    return either, circuit.let(count.width + 1, "{{~{0}, {0} ? {1} : {2}}}", some, count, count_low)


def shifted_right(circuit: Circuit, value: Value, amount: Value) -> tuple[Value, Value]:
    """A value shifted right by an amount, and whether a bit that is set was lost."""
    lost = circuit.let(1, "1'b0", ns=0.0)
    for power in reversed(range(amount.width)):
        step = 1 << power
        kept = f"{{1}} >> {step}" if step < value.width else f"{value.width}'b0"
        low = min(step, value.width) - 1
        falls = circuit.let(1, f"{{0}}[{power}] & |{{1}}[{low}:0]", amount, value, ns=gate(low + 2))
        value = circuit.let(value.width, f"{{0}}[{power}] ? {kept} : {{1}}", amount, value)
        lost = circuit.let(1, "{0} | {1}", lost, falls, ns=LUT / 2)
    return value, lost


@dataclass(frozen=True, eq=False)
class Special:
    """Results that no rounding gives: their conditions, NaN before infinity before zero."""

    nan: Value
    infinite: Value
    zero: Value


def rounded(
    circuit: Circuit, form: Format, sign: Value, base: Value, kept: Value, special: Special, *, fits: bool = False
) -> Value:
    """The float of a significand whose hidden bit counts one exponent above `base`, which is at least 0.

    `kept` has the significand, the bit below it, and last whether anything is set below that. Adding the hidden bit to
    the exponent field, and the carry of rounding to both, need no case of their own. What `fits` is never infinite.
    """
    up = circuit.let(1, "{0}[1] & ({0}[0] | {0}[2])", kept)
    wide = base.width + form.fraction
    # One carry chain for three addends: the lowest place adds 1 and `up`.
    text = f"{{{{{{0}}, {form.fraction}'b0, 1'b1}}}} + {{{{{{1}}[{form.digits + 1}:2], {{2}}}}}}"
    total = circuit.let(wide + 1, text, base, kept, up, ns=adder(wide))
    number = circuit.bits(total, form.width - 1, 1)
    if fits:
        return chosen(circuit, form, sign, number, special)
    low = form.fraction + 1
    over = circuit.let(
        1, f"|{{0}}[{wide}:{low + form.exponent}] | &{{0}}[{low + form.exponent - 1}:{low}]", total, ns=gate(base.width)
    )
    return chosen(circuit, form, sign, number, special, over)


def chosen(
    circuit: Circuit, form: Format, sign: Value, number: Value, special: Special, over: Value | None = None
) -> Value:
    """A float from its exponent and fraction, or what a special case gives."""
    infinite = circuit.let(1, "{0} | {1}", special.infinite, over, ns=LUT) if over else special.infinite
    high, low = form.fraction, form.fraction - 1
    ones = circuit.let(1, "{0} | {1}", special.nan, infinite)
    clear = circuit.let(1, "{0} | {1} | {2}", special.nan, infinite, special.zero)
    bits = form.exponent
    field = circuit.let(
        bits,
        f"({{0}}[{form.width - 2}:{high}] & {{{{{bits}{{{{~{{1}}}}}}}}}}) | {{{{{bits}{{{{{{2}}}}}}}}}}",
        number,
        clear,
        ones,
    )
    fraction = circuit.let(
        form.fraction,
        f"({{0}}[{low}:0] & {{{{{form.fraction}{{{{~{{1}}}}}}}}}}) | {{{{{{2}}, {low}'b0}}}}",
        number,
        clear,
        special.nan,
    )
    return circuit.let(form.width, "{{{0}, {1}, {2}}}", sign, field, fraction, ns=0.0)


def finish(circuit: Circuit, form: Format, sign: Value, exponent: Value, number: Value, special: Special) -> None:
    """The result of a number with two places before the point, of which one is set; the lower has this exponent.

    Where the exponent is below 1 the number moves right until its highest place is that of a subnormal's hidden bit;
    how far does not depend on which of the two places is set, so that it is known before the number is.
    """
    bits, span = (form.digits + 2).bit_length(), exponent.width
    sink = circuit.let(1, f"{{0}}[{span - 1}] | {{0}} == 0", exponent, ns=gate(span))
    depth = circuit.let(span, "-{0}", exponent, ns=adder(span))
    gone = circuit.let(1, f"{{1}} & |{{0}}[{span - 1}:{bits}]", depth, sink, ns=gate(span - bits + 1))
    amount = circuit.let(bits, f"{{0}}[{bits - 1}:0] & {{{{{bits}{{{{{{1}}}}}}}}}}", depth, sink)
    top = number.width - 1
    kept = circuit.bits(number, top, top - form.digits - 1)
    rest = number.width - form.digits - 2
    below = circuit.let(1, f"|{{0}}[{rest - 1}:0]" if rest else "1'b0", number, ns=gate(max(rest, 1)))
    moved, lost = shifted_right(circuit, kept, amount)
    wide = form.digits + 2
    moved = circuit.let(wide, f"{{0}} & {{{{{wide}{{{{~{{1}}}}}}}}}}", moved, gone, ns=LUT / 2)
    sticky = circuit.let(1, "{0} | {1} | {2}", below, lost, gone)
    up = circuit.let(1, f"{{0}}[{wide - 1}] | {{1}}", moved, sink)  # nothing to be moved left
    text = f"{{0}} ? {{{{{{1}}[{wide - 1}:1], {{1}}[0] | {{2}}}}}} : {{{{{{1}}[{wide - 2}:0], {{2}}}}}}"
    last = circuit.let(wide, text, up, moved, sticky)
    less = circuit.let(span, f"{{0}} - {span}'d1", exponent, ns=adder(span))
    text = f"({{2}}[{wide - 1}] ? {{0}} : {{1}}) & {{{{{span}{{{{~{{3}}}}}}}}}}"
    base = circuit.let(span, text, exponent, less, moved, sink)
    circuit.result(rounded(circuit, form, sign, circuit.bits(base, span - 2, 0), last, special))
