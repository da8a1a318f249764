"""The operators: each a function that prints itself into a circuit whose period says where it is cut."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from floats.formats import (
    Format,
    Parts,
    Special,
    chosen,
    leading_zeros,
    normalised,
    rounded,
    shifted_right,
    unpack,
)
from floats.netlist import LUT, Circuit, Value, adder, gate


def add(circuit: Circuit, form: Format, *, subtract: bool = False) -> None:
    """The sum, in one path: the operand of the larger magnitude, the other aligned to it, their sum normalised."""
    left, right = circuit.operand("a", form.width), circuit.operand("b", form.width)
    a, b = unpack(circuit, left, form), unpack(circuit, right, form)
    top = form.width - 2
    swap = circuit.let(1, f"{{0}}[{top}:0] < {{1}}[{top}:0]", left, right, ns=adder(top) + LUT)
    sign_b = circuit.let(1, "~{0}" if subtract else "{0}", b.sign, ns=0.0)
    large, small = (
        circuit.choose(swap, b.significand, a.significand),
        circuit.choose(swap, a.significand, b.significand),
    )
    exponent, sign = circuit.choose(swap, b.exponent, a.exponent), circuit.choose(swap, sign_b, a.sign)
    apart, far = _distance(circuit, form, a, b, swap)
    minus = circuit.let(1, "{0} ^ {1}", a.sign, sign_b)
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


def _distance(circuit: Circuit, form: Format, a: Parts, b: Parts, swap: Value) -> tuple[Value, Value]:
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
    product = _product(circuit, ready, other)
    sign = circuit.let(1, "{0} ^ {1}", a.sign, b.sign)
    nan = circuit.let(
        1, "{0} | {1} | ({2} & {3}) | ({4} & {5})", a.nan, b.nan, a.infinite, b.zero, a.zero, b.infinite, ns=2 * LUT
    )
    infinite = circuit.let(1, "{0} | {1}", a.infinite, b.infinite)
    zero = circuit.let(1, "{0} | {1}", a.zero, b.zero)
    _finish(circuit, form, sign, exponent, product, Special(nan, infinite, zero))


# The multipliers of the device: 18 x 18, and what one takes.
_PART = 18
_DSP = 5.4


def _product(circuit: Circuit, left: Value, right: Value) -> Value:
    """A product from the device's multipliers and one adder a step, each of which may be cut off from the next."""
    width = left.width + right.width
    terms: list[tuple[int, Value]] = []  # (place, term)
    for low in range(0, left.width, _PART):
        for start in range(0, right.width, _PART):
            x = circuit.bits(left, min(low + _PART, left.width) - 1, low)
            y = circuit.bits(right, min(start + _PART, right.width) - 1, start)
            terms.append((low + start, circuit.let(x.width + y.width, "{0} * {1}", x, y, ns=_DSP)))
    terms = _beside(circuit, sorted(terms, key=lambda term: term[0]))
    while len(terms) > 1:
        terms = [*terms[2:], _sum(circuit, width, *terms[:2])]
        terms.sort(key=lambda term: (term[1].stage, term[1].ready))
    place, term = terms[0]
    return term if term.width == width else circuit.let(width, f"{{0}} << {place}", term, ns=0.0)


def _beside(circuit: Circuit, terms: list[tuple[int, Value]]) -> list[tuple[int, Value]]:
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


def _finish(circuit: Circuit, form: Format, sign: Value, exponent: Value, number: Value, special: Special) -> None:
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


def div(circuit: Circuit, form: Format, *, steps: int = 0) -> None:
    """The quotient, a digit a subtraction; `steps` digits a cycle on one copy of the hardware, or 0: pipelined."""
    left, right = circuit.operand("a", form.width), circuit.operand("b", form.width)
    a, b = unpack(circuit, left, form), unpack(circuit, right, form)
    dividend, zeros = normalised(circuit, a.significand)
    divisor, zeros_right = normalised(circuit, b.significand)
    apart = circuit.let(form.span, "{0} - {1}", a.exponent, b.exponent, ns=adder(form.span))
    shifts = circuit.let(form.span, "{0} - {1}", zeros_right, zeros, ns=adder(form.span))
    biased = circuit.let(form.span, f"{{0}} + {form.span}'d{form.bias - 1}", apart, ns=adder(form.span))
    exponent = circuit.let(form.span, "{0} + {1}", biased, shifts, ns=adder(form.span))
    count = form.digits + 2
    rest = circuit.let(form.digits + 1, "{{1'b0, {0}}}", dividend, ns=0.0)

    def step(into: Circuit, rest: Value, by: Value) -> tuple[Value, Value]:
        wide = form.digits + 1
        less = into.let(wide + 1, "{{1'b0, {0}}} - {1}", rest, by, ns=adder(wide + 1))
        digit = into.let(1, f"~{{0}}[{wide}]", less, ns=0.0)
        text = f"{{0}}[{wide}] ? {{1}}[{wide - 2}:0] : {{0}}[{wide - 2}:0]"
        partial = into.let(wide - 1, text, less, rest)
        return into.let(wide, "{{{0}, 1'b0}}", partial, ns=0.0), digit

    quotient, rest = _digits(circuit, rest, divisor, count, steps, step)
    left_over = circuit.let(1, "|{0}", rest, ns=gate(form.digits))
    number = circuit.let(quotient.width + 1, "{{{0}, {1}}}", quotient, left_over, ns=0.0)
    sign = circuit.let(1, "{0} ^ {1}", a.sign, b.sign)
    nan = circuit.let(
        1, "{0} | {1} | ({2} & {3}) | ({4} & {5})", a.nan, b.nan, a.infinite, b.infinite, a.zero, b.zero, ns=2 * LUT
    )
    infinite = circuit.let(1, "{0} | {1}", a.infinite, b.zero)
    zero = circuit.let(1, "{0} | {1}", a.zero, b.infinite)
    _finish(circuit, form, sign, exponent, number, Special(nan, infinite, zero))


Step = Callable[[Circuit, Value, Value], tuple[Value, Value]]


def _digits(circuit: Circuit, rest: Value, by: Value, count: int, steps: int, step: Step) -> tuple[Value, Value]:
    """The digits of a recurrence, highest first, and what is left."""
    if not steps:
        digits: list[Value] = []
        for _ in range(count):
            rest, digit = step(circuit, rest, by)
            digits.append(digit)
        return _row(circuit, digits), rest

    def several(into: Circuit, state: list[Value]) -> list[Value]:
        rest, digits = state
        new: list[Value] = []
        for _ in range(steps):
            rest, digit = step(into, rest, by)
            new.append(digit)
        joined = into.let(
            digits.width, f"{{{{{{0}}[{digits.width - steps - 1}:0], {{1}}}}}}", digits, _row(into, new), ns=0.0
        )
        return [rest, joined]

    rounds = -(-count // steps)
    empty = circuit.let(rounds * steps, f"{rounds * steps}'b0", rest, ns=0.0)
    rest, digits_ = circuit.iterate(rounds, [rest, empty], several)
    return digits_, rest


def _row(circuit: Circuit, digits: Sequence[Value]) -> Value:
    names = ", ".join(f"{{{place}}}" for place in range(len(digits)))
    return circuit.let(len(digits), f"{{{{{names}}}}}", *digits, ns=0.0)


def sqrt(circuit: Circuit, form: Format, *, steps: int = 0) -> None:
    """The square root, a digit a subtraction, of a significand between 1 and 4; no result is subnormal."""
    operand = circuit.operand("a", form.width)
    a = unpack(circuit, operand, form)
    ready, zeros = normalised(circuit, a.significand)
    exponent = circuit.let(form.span, "{0} - {1}", a.exponent, zeros, ns=adder(form.span))
    # The bias is odd: an even exponent field stands for an odd exponent.
    radicand = circuit.let(form.digits + 1, "{0}[0] ? {{1'b0, {1}}} : {{{1}, 1'b0}}", exponent, ready)
    half = circuit.let(form.span, f"{{0}} + {form.span}'d{form.bias}", exponent, ns=adder(form.span))
    base = circuit.let(form.span, f"{{0}}[{form.span - 1}:1] - 1", half, ns=adder(form.span))
    root, rest = _root(circuit, radicand, form.digits + 1, steps)
    left_over = circuit.let(1, "|{0}", rest, ns=gate(rest.width))
    whole = circuit.bits(root, root.width - 1, root.width - form.digits - 1)
    extra = root.width - form.digits - 1
    some = circuit.let(1, f"{{0}} | |{{1}}[{extra - 1}:0]" if extra else "{0}", left_over, root)
    kept = circuit.let(form.digits + 2, "{{{0}, {1}}}", whole, some, ns=0.0)
    nan = circuit.let(1, "{0} | ({1} & ~{2})", a.nan, a.sign, a.zero)
    circuit.result(
        rounded(circuit, form, a.sign, circuit.bits(base, form.span - 2, 0), kept, Special(nan, a.infinite, a.zero))
    )


def _root(circuit: Circuit, radicand: Value, count: int, steps: int) -> tuple[Value, Value]:
    """The digits of a root, two places of the radicand each, and what is left."""

    def step(into: Circuit, rest: Value, root: Value | None, places: Value) -> tuple[Value, Value]:
        part = into.let(rest.width + 2, "{{{0}, {1}}}", rest, places, ns=0.0)
        wide = part.width
        taken = [part] if root is None else [part, root]
        text = "{{1'b0, {0}}} - 2'b01" if root is None else "{{1'b0, {0}}} - {{{1}, 2'b01}}"
        less = into.let(wide + 1, text, *taken, ns=adder(wide + 1))
        left = into.let(wide, f"{{0}}[{wide}] ? {{1}} : {{0}}[{wide - 1}:0]", less, part)
        return left, into.let(1, f"~{{0}}[{wide}]", less, ns=0.0)

    rounds = -(-count // max(steps, 1))
    total = rounds * max(steps, 1)
    if steps:
        wide = circuit.let(2 * total, f"{{{{{{0}}, {2 * total - radicand.width}'b0}}}}", radicand, ns=0.0)
        zero = circuit.let(total + 2, f"{total + 2}'b0", radicand, ns=0.0)

        def several(into: Circuit, state: list[Value]) -> list[Value]:
            rest, root, places = state
            for _ in range(steps):
                top = into.bits(places, 2 * total - 1, 2 * total - 2)
                left, digit = step(into, rest, root, top)
                rest = into.bits(left, total + 1, 0)
                root = into.let(total + 2, f"{{{{{{0}}[{total}:0], {{1}}}}}}", root, digit, ns=0.0)
                places = into.let(2 * total, "{0} << 2", places, ns=0.0)
            return [rest, root, places]

        rest, root, _ = circuit.iterate(rounds, [zero, zero, wide], several)
        return circuit.bits(root, total - 1, 0), rest
    rest, digits = circuit.let(1, "1'b0", radicand, ns=0.0), []
    root: Value | None = None
    for place in range(total):
        high = radicand.width - 1 - 2 * place
        text = f"{{0}}[{high}:{high - 1}]" if high > 0 else ("{{{0}[0], 1'b0}}" if high == 0 else "2'b0")
        left, digit = step(circuit, rest, root, circuit.let(2, text, radicand, ns=0.0))
        digits.append(digit)
        root = _row(circuit, digits)
        rest = circuit.bits(left, min(left.width - 1, place + 1), 0)
    return root, rest


def _order(circuit: Circuit, form: Format) -> tuple[Value, Value, Value, Value, Value]:
    """Both operands, whether the first is the lesser, whether they are equal, and whether one is NaN."""
    left, right = circuit.operand("a", form.width), circuit.operand("b", form.width)
    top = form.width - 2
    less = circuit.let(1, f"{{0}}[{top}:0] < {{1}}[{top}:0]", left, right, ns=adder(top) + LUT)
    same = circuit.let(1, f"{{0}}[{top}:0] == {{1}}[{top}:0]", left, right, ns=1.0 + 0.065 * top)
    nothing = circuit.let(1, f"({{0}}[{top}:0] | {{1}}[{top}:0]) == 0", left, right, ns=gate(2 * top))
    nans = [
        circuit.let(1, f"&{{0}}[{top}:{form.fraction}] & |{{0}}[{form.fraction - 1}:0]", value, ns=gate(top))
        for value in (left, right)
    ]
    nan = circuit.let(1, "{0} | {1}", *nans)
    sign = f"{{0}}[{top + 1}]"
    other = f"{{1}}[{top + 1}]"
    text = f"{sign} ? ({other} ? ~({{2}} | {{3}}) : ~{{4}}) : (~{other} & {{2}})"
    lesser = circuit.let(1, text, left, right, less, same, nothing, ns=2 * LUT)
    equal = circuit.let(1, f"{{4}} | ({{3}} & {sign} == {other})", left, right, less, same, nothing)
    return left, right, lesser, equal, nan


def lt(circuit: Circuit, form: Format) -> None:
    """Whether the first operand is the lesser."""
    _, _, lesser, _, nan = _order(circuit, form)
    circuit.result(circuit.let(1, "{0} & ~{1}", lesser, nan))


def eq(circuit: Circuit, form: Format) -> None:
    """Whether two floats are equal."""
    _, _, _, equal, nan = _order(circuit, form)
    circuit.result(circuit.let(1, "{0} & ~{1}", equal, nan))


def least(circuit: Circuit, form: Format, *, largest: bool = False) -> None:
    """The lesser operand, or the larger, the second of two equal ones; NaN where one is NaN."""
    left, right, lesser, equal, nan = _order(circuit, form)
    if largest:
        lesser = circuit.let(1, "{0} | {1}", lesser, equal)
    chosen_ = circuit.choose(lesser, right, left) if largest else circuit.choose(lesser, left, right)
    circuit.result(circuit.let(form.width, f"{{0}} ? {form.nan} : {{1}}", nan, chosen_))


def from_integer(circuit: Circuit, form: Format, *, bits: int, signed: bool = True) -> None:
    """The float nearest to an integer."""
    operand = circuit.operand("a", bits)
    sign = circuit.bits(operand, bits - 1, bits - 1) if signed else circuit.let(1, "1'b0", ns=0.0)
    size = (
        circuit.let(bits, "({0} ^ {{" + str(bits) + "{{{1}}}}}) + {1}", operand, sign, ns=adder(bits) + LUT)
        if signed
        else operand
    )
    ready, zeros = normalised(circuit, size)
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
    circuit.result(rounded(circuit, form, sign, base, kept, Special(never, never, zero)))


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


def scale(circuit: Circuit, form: Format, *, power: int) -> None:
    """The product with 2**-power: a smaller exponent, or where the result is subnormal the significand moved right.

    Only those are rounded; their carry goes into the exponent.
    """
    operand = circuit.operand("a", form.width)
    top, low = form.width - 2, form.fraction
    field, fraction = circuit.bits(operand, top, low), circuit.bits(operand, low - 1, 0)
    sink = circuit.let(1, f"{{0}} <= {power}", field, ns=gate(form.exponent))
    high = circuit.let(1, "&{0}", field, ns=gate(form.exponent))
    less = circuit.let(form.exponent, f"{{0}} - {power}", field, ns=adder(form.exponent))
    # The exponents 0 and 1 both move by `power` places, each greater one by a place less.
    whole = circuit.let(
        form.digits + power, f"{{{{{{0}} != 0, {{1}}, {power}'b0}}}}", field, fraction, ns=gate(form.exponent)
    )
    moves = " : ".join(f"{{0}} == {one} ? {{1}} >> {power + 1 - one}" for one in range(2, power + 1))
    text = f"{moves} : {{1}} >> {power}" if moves else f"{{1}} >> {power}"
    moved = circuit.let(form.digits + power, text, field, whole, ns=2 * LUT if moves else 0.0)
    rest = f" | |{{0}}[{power - 2}:0]" if power > 1 else ""
    up = circuit.let(1, f"{{0}}[{power - 1}] & ({{0}}[{power}]{rest})", moved)
    number = circuit.let(
        form.digits, f"{{0}}[{form.digits + power - 1}:{power}] + {{1}}", moved, up, ns=adder(form.digits)
    )
    chosen_field = circuit.let(form.exponent, "{0} ? {1} : {2}", high, field, less)
    text = f"{{0}} ? {{{{{form.exponent - 1}'b0, {{1}}}}}} : {{{{{{2}}, {{3}}}}}}"
    small = circuit.let(form.width - 1, text, sink, number, chosen_field, fraction)
    circuit.result(circuit.let(form.width, f"{{{{{{0}}[{top + 1}], {{1}}}}}}", operand, small, ns=0.0))


def floor(circuit: Circuit, form: Format, *, up: bool = False) -> None:
    """The nearest integer below, or above: bits after the point are cleared, or filled with ones and one is added."""
    operand = circuit.operand("a", form.width)
    a = unpack(circuit, operand, form)
    size = form.exponent + 1
    places = circuit.let(size, f"{{0}} - {size}'d{form.bias}", a.exponent, ns=adder(size))  # before the point, less 1
    small = circuit.bits(places, form.exponent, form.exponent)
    whole = circuit.let(1, f"~{{0}}[{form.exponent}] & {{0}} >= {form.fraction}", places, ns=gate(size))
    bits = (form.fraction - 1).bit_length()
    mask = circuit.let(form.fraction, f"{{{form.fraction}{{1'b1}}}}".replace("{", "{{").replace("}", "}}"), ns=0.0)
    for power in reversed(range(bits)):
        mask = circuit.let(form.fraction, f"{{0}}[{power}] ? {{1}} >> {1 << power} : {{1}}", places, mask, ns=LUT / 2)
    top = form.width - 1
    some = circuit.let(1, f"({{0}}[{form.fraction - 1}:0] & {{1}}) != 0", operand, mask, ns=gate(2 * form.fraction))
    away = circuit.let(1, f"{'~' if up else ''}{{0}}", a.sign, ns=0.0)
    more = circuit.let(1, "{0} & {1}", some, away)
    filled = circuit.let(
        form.fraction, "{0} & ~{1} | {{" + str(form.fraction) + "{{{2}}}}} & {1}", a.significand, mask, more
    )
    number = circuit.let(
        top, f"{{{{{{0}}[{top - 1}:{form.fraction}], {{1}}}}}} + {{2}}", operand, filled, more, ns=adder(top)
    )
    one = f"{top}'h{form.bias << form.fraction:x}"
    least = circuit.let(top, f"{{0}} & ~{{1}} ? {one} : {top}'d0", away, a.zero)
    kept = circuit.let(
        top, f"{{0}} ? {{1}}[{top - 1}:0] : {{2}} ? {{3}} : {{4}}", whole, operand, small, least, number, ns=2 * LUT
    )
    circuit.result(circuit.let(form.width, "{{{0}, {1}}}", a.sign, kept, ns=0.0))


def widen(circuit: Circuit, form: Format, *, wider: Format) -> None:
    """The same number in a wider format; subnormals become normal."""
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
    _finish(circuit, narrower, a.sign, exponent, number, Special(a.nan, a.infinite, a.zero))


def positive_zero(circuit: Circuit, form: Format) -> None:
    """What 0 + x gives: x, with the sign of -0 taken off."""
    operand = circuit.operand("a", form.width)
    top = form.width - 1
    some = circuit.let(1, f"|{{0}}[{top - 1}:0]", operand, ns=gate(top))
    circuit.result(circuit.let(form.width, f"{{{{{{0}}[{top}] & {{1}}, {{0}}[{top - 1}:0]}}}}", operand, some))
