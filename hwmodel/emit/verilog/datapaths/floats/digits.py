"""Quotients and roots, digit by digit."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hwmodel.emit.verilog.datapaths.floats.formats import Format, Special, finish, normalised, rounded, unpack
from hwmodel.emit.verilog.datapaths.floats.netlist import LUT, Circuit, Value, adder, gate

Step = Callable[[Circuit, Value, Value], tuple[Value, Value]]


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
    finish(circuit, form, sign, exponent, number, Special(nan, infinite, zero))


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
    rest, digits = circuit.let(1, "1'b0", radicand, ns=0.0), list[Value]()
    for place in range(total):
        high = radicand.width - 1 - 2 * place
        text = f"{{0}}[{high}:{high - 1}]" if high > 0 else ("{{{0}[0], 1'b0}}" if high == 0 else "2'b0")
        before = _row(circuit, digits) if digits else None
        left, digit = step(circuit, rest, before, circuit.let(2, text, radicand, ns=0.0))
        digits.append(digit)
        rest = circuit.bits(left, min(left.width - 1, place + 1), 0)
    return _row(circuit, digits), rest
