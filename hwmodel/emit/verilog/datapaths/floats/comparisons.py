"""Comparisons, and what else looks at operands without computing with both."""

from __future__ import annotations

from hwmodel.emit.verilog.datapaths.floats.formats import Format, unpack
from hwmodel.emit.verilog.datapaths.floats.netlist import LUT, Circuit, Value, adder, gate


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


def scale(circuit: Circuit, form: Format, *, exponent: int) -> None:
    """The product with a power of two, 2**exponent."""
    if exponent > 0:
        _scaled_up(circuit, form, exponent)
    else:
        _scaled_down(circuit, form, -exponent)


def _scaled_down(circuit: Circuit, form: Format, power: int) -> None:
    """The product with 2**-power: a smaller exponent, or where the result is subnormal the significand moved right.

    Only those are rounded; their carry goes into the exponent. By more than `most` places everything moves out.
    """
    operand = circuit.operand("a", form.width)
    top, low = form.width - 2, form.fraction
    field, fraction = circuit.bits(operand, top, low), circuit.bits(operand, low - 1, 0)
    most = min(power, form.digits + 1)
    sink = circuit.let(1, f"{{0}} <= {power}", field, ns=gate(form.exponent))
    high = circuit.let(1, "&{0}", field, ns=gate(form.exponent))
    less = circuit.let(form.exponent, f"{{0}} - {power}", field, ns=adder(form.exponent))
    # The exponents 0 and 1 both move by `power` places, each greater one by a place less.
    whole = circuit.let(
        form.digits + most, f"{{{{{{0}} != 0, {{1}}, {most}'b0}}}}", field, fraction, ns=gate(form.exponent)
    )
    ones = range(max(2, power + 1 - most), power + 1)
    moves = " : ".join(f"{{0}} == {one} ? {{1}} >> {power + 1 - one}" for one in ones)
    rest = f"{{1}} >> {power}" if power == most else f"{form.digits + most}'d0"
    text = f"{moves} : {rest}" if moves else rest
    moved = circuit.let(form.digits + most, text, field, whole, ns=2 * LUT if moves else 0.0)
    below = f" | |{{0}}[{most - 2}:0]" if most > 1 else ""
    up = circuit.let(1, f"{{0}}[{most - 1}] & ({{0}}[{most}]{below})", moved)
    number = circuit.let(
        form.digits, f"{{0}}[{form.digits + most - 1}:{most}] + {{1}}", moved, up, ns=adder(form.digits)
    )
    chosen_field = circuit.let(form.exponent, "{0} ? {1} : {2}", high, field, less)
    text = f"{{0}} ? {{{{{form.exponent - 1}'b0, {{1}}}}}} : {{{{{{2}}, {{3}}}}}}"
    small = circuit.let(form.width - 1, text, sink, number, chosen_field, fraction)
    circuit.result(circuit.let(form.width, f"{{{{{{0}}[{top + 1}], {{1}}}}}}", operand, small, ns=0.0))


def _scaled_up(circuit: Circuit, form: Format, power: int) -> None:
    """The product with 2**power: a greater exponent; the fraction of a subnormal moved left, until it has none.

    That whose highest bit is z places below the first one has the exponent `power` - z, where that is above 0.
    """
    operand = circuit.operand("a", form.width)
    top, low = form.width - 2, form.fraction
    field, fraction = circuit.bits(operand, top, low), circuit.bits(operand, low - 1, 0)
    some = circuit.let(1, "{0} != 0", field, ns=gate(form.exponent))
    high = circuit.let(1, "&{0}", field, ns=gate(form.exponent))
    more = circuit.let(form.exponent + 1, f"{{0}} + {form.exponent + 1}'d{power}", field, ns=adder(form.exponent))
    over = circuit.let(1, f"{{0}} >= {form.highest}", more, ns=gate(form.exponent + 1))
    arms = [
        f"{{0}}[{low - 1 - z}] ? {{{{{form.exponent}'d{power - z}, {{0}} << {z + 1}}}}} : "
        for z in range(min(power, low))
    ]
    moved = circuit.let(
        form.width - 1, f"{''.join(arms)}{{{{{form.exponent}'d0, {{0}} << {power}}}}}", fraction, ns=len(arms) * LUT
    )
    number = circuit.let(form.width - 1, f"{{{{{{0}}[{form.exponent - 1}:0], {{1}}}}}}", more, fraction, ns=0.0)
    infinite = f"{form.width - 1}'h{form.highest << low:x}"
    normal = circuit.let(form.width - 1, f"{{0}} ? {infinite} : {{1}}", over, number)
    kept = circuit.let(
        form.width,
        f"{{0}} ? {{1}} : {{{{{{1}}[{top + 1}], {{2}} ? {{3}} : {{4}}}}}}",
        high,
        operand,
        some,
        normal,
        moved,
    )
    circuit.result(kept)


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


def positive_zero(circuit: Circuit, form: Format) -> None:
    """The sum 0 + x: x, and +0 for -0."""
    operand = circuit.operand("a", form.width)
    top = form.width - 1
    some = circuit.let(1, f"|{{0}}[{top - 1}:0]", operand, ns=gate(top))
    circuit.result(circuit.let(form.width, f"{{{{{{0}}[{top}] & {{1}}, {{0}}[{top - 1}:0]}}}}", operand, some))
