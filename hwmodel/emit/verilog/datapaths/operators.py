"""Operators of integers, and the signs of floats, as Verilog, printed as technologies price them (docs/cost.md).

One kept net for each adder; shifts and adders for products with constants, by their signed digits; min and max compare
without a sign, the sign bits inverted.

An operator that takes several cycles is cut into stages: adders level by level where it has several, else registers
stand behind it, for tools that move them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from hwmodel.datapath.graph.digits import Plan, plan_of
from hwmodel.datapath.graph.graph import quotient_number, reciprocal
from hwmodel.datapath.graph.numbers import Number
from hwmodel.emit.verilog.datapaths.nets import Net, Nets, biased, common_bits, literal, part, resized


@dataclass(slots=True)
class Stages:
    """An operator of `levels` levels of adders in `cycles` cycles; a net is in the stage in which it was made."""

    nets: Nets
    cycles: int
    levels: int
    stage: dict[str, int] = field(default_factory=dict)

    def of(self, level: int) -> int:
        """The cycle in which a level is computed; levels count from 0."""
        return level * self.cycles // max(1, self.levels)

    def brought(self, net: Net, stage: int) -> Net:
        """A net, through registers, in a later cycle."""
        for own in range(self.stage.get(net.name, 0), stage):
            net = self.nets.register(net.name, net.number)
            self.stage[net.name] = own + 1
        return net

    def made(self, value: str, number: Number, level: int, *, keep: bool = True) -> Net:
        """A new net of a level."""
        net = self.nets.wire(value, number, keep=keep)
        self.stage[net.name] = self.of(level)
        return net


def print_operator(
    nets: Nets, operator: str, operands: Sequence[Net], detail: object, number: Number, cycles: int
) -> Net:
    """The result of an operator whose operands are there in its first cycle, in its last one."""
    if operator in ("mulc", "divc"):
        assert isinstance(detail, int)
        return _with_constant(nets, operator, operands[0], detail, number, cycles)
    if operator == "select":
        assert isinstance(detail, int)
        return print_selection(nets, operands[0], operands[1:], detail, number, cycles)
    stages = Stages(nets, cycles, 1)
    result = _PRINTERS[operator](nets, operands, number)
    return stages.brought(result, cycles - 1)


def print_selection(nets: Nets, index: Net, values: Sequence[Net], first: int, number: Number, cycles: int) -> Net:
    """The value at an index from `first` on."""
    bits = max(index.bits, (first + len(values)).bit_length())
    choices = [(first + place, resized(value, number.bits)) for place, value in enumerate(values)]
    chosen = nets.case(resized(index, bits), choices, bits, number)
    return Stages(nets, cycles, 1).brought(chosen, cycles - 1)


# Products with constants, and quotients.


def _with_constant(nets: Nets, operator: str, x: Net, constant: int, number: Number, cycles: int) -> Net:
    if operator == "mulc":
        plan = plan_of(constant)
        stages = Stages(nets, cycles, plan.levels)
        return stages.brought(_product(stages, x, plan, number), cycles - 1)
    factor, shift = reciprocal(x.bits, constant)
    plan = plan_of(factor)
    stages = Stages(nets, cycles, plan.levels)
    whole = _product(stages, x, plan, Number("unsigned", x.bits + factor.bit_length()))
    own, last = quotient_number(x.bits, constant), max(0, plan.levels - 1)
    quotient = stages.made(f"{whole.name}[{shift + own.bits - 1}:{shift}]", own, last, keep=False)
    return stages.brought(stages.made(resized(quotient, number.bits), number, last, keep=False), cycles - 1)


def _product(stages: Stages, x: Net, plan: Plan, number: Number) -> Net:
    """The low bits of x times a constant."""
    terms = dict.fromkeys((digit.place for digit in plan.digits), x)
    for adder in plan.adders:
        own = adder.number(x.number, number.bits)
        at = adder.level
        left, right = (stages.brought(terms[term.place], stages.of(at)) for term in (adder.left, adder.right))
        if own.bits <= adder.passed:
            terms[adder.total.place] = stages.made(resized(left, own.bits), own, at, keep=False)
            continue
        upper = Number("unsigned", own.bits - adder.passed)
        first = part(left, own.bits, adder.passed)
        zeros = adder.left.shift - adder.total.shift
        if zeros:
            first = f"{{{resized(left, own.bits - zeros)}, {zeros}'d0}}" if zeros < own.bits else literal(0, own.bits)
        total = stages.made(f"{first} {adder.sign} {resized(right, upper.bits)}", upper, at)
        if adder.passed:
            total = stages.made(f"{{{total.name}, {resized(left, adder.passed)}}}", own, at, keep=False)
        terms[adder.total.place] = Net(total.name, own)
    product, shift = terms[plan.product.place], plan.product.shift
    value = resized(product, number.bits - shift)
    return stages.made(f"{{{value}, {shift}'d0}}" if shift else value, number, max(0, plan.levels - 1), keep=False)


def _fitted(nets: Nets, net: Net, number: Number) -> Net:
    return net if net.number == number else nets.wire(resized(net, number.bits), number)


# The others, by their operands.


def _added(sign: str) -> Callable[[Nets, Sequence[Net], Number], Net]:
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


def _product_of_two(nets: Nets, operands: Sequence[Net], number: Number) -> Net:
    """The low bits of a product of two numbers: as one of signed ones where one has a sign."""
    left, right = operands
    if not (left.number.is_signed or right.number.is_signed):
        return nets.wire(f"{left.name} * {right.name}", number, keep=True)
    texts = []
    for operand in operands:
        bits = operand.bits + (not operand.number.is_signed)
        texts.append(f"$signed({resized(operand, bits)})")
    return nets.wire(f"{texts[0]} * {texts[1]}", number, keep=True)


def _compared(left: Net, right: Net) -> tuple[str, str]:
    """Two numbers in the same bits, in the order of numbers without a sign."""
    signed = left.number.is_signed or right.number.is_signed
    bits = common_bits(left.number, right.number)
    return biased(left, bits, signed=signed), biased(right, bits, signed=signed)


def _less(nets: Nets, operands: Sequence[Net], number: Number) -> Net:
    left, right = _compared(*operands)
    return nets.wire(f"{left} < {right}", number)


def _equal(nets: Nets, operands: Sequence[Net], number: Number) -> Net:
    left, right = operands
    bits = common_bits(left.number, right.number)
    return nets.wire(f"{resized(left, bits)} == {resized(right, bits)}", number)


def _extreme(sign: str) -> Callable[[Nets, Sequence[Net], Number], Net]:
    def run(nets: Nets, operands: Sequence[Net], number: Number) -> Net:
        left, right = _compared(*operands)
        is_left = nets.wire(f"{left} {sign} {right}", Number("unsigned", 1))
        own, other = (resized(operand, number.bits) for operand in operands)
        return nets.wire(f"{is_left.name} ? {own} : {other}", number)

    return run


def _bitwise(sign: str) -> Callable[[Nets, Sequence[Net], Number], Net]:
    def run(nets: Nets, operands: Sequence[Net], number: Number) -> Net:
        left, right = (resized(operand, number.bits) for operand in operands)
        return nets.wire(f"{left} {sign} {right}", number)

    return run


def _inverted(nets: Nets, operands: Sequence[Net], number: Number) -> Net:
    return nets.wire(f"~{resized(operands[0], number.bits)}", number)


def _mux(nets: Nets, operands: Sequence[Net], number: Number) -> Net:
    condition, then, otherwise = operands
    own, other = (resized(operand, number.bits) for operand in (then, otherwise))
    return nets.wire(f"{condition.name} ? {own} : {other}", number)


def _shifted_left(nets: Nets, operands: Sequence[Net], number: Number) -> Net:
    x, amount = operands
    return nets.wire(f"{resized(x, number.bits)} << {amount.name}", number)


def _shifted_right(nets: Nets, operands: Sequence[Net], number: Number) -> Net:
    x, amount = operands
    bits = max(x.bits, number.bits)
    text = resized(x, bits)
    value = f"$signed({text}) >>> {amount.name}" if x.number.is_signed else f"{text} >> {amount.name}"
    shifted = nets.wire(value, Number(x.number.kind, bits))
    return nets.wire(resized(shifted, number.bits), number)


def _quotient(nets: Nets, operands: Sequence[Net], number: Number) -> Net:
    return _fitted(nets, _divided(nets, operands)[0], number)


def _rest(nets: Nets, operands: Sequence[Net], number: Number) -> Net:
    return _fitted(nets, _divided(nets, operands)[1], number)


def _divided(nets: Nets, operands: Sequence[Net]) -> tuple[Net, Net]:
    """Quotient rounded down, and rest: of signed ones one less, where the rest that `/` leaves has the other sign."""
    left, right = operands
    signed = left.number.is_signed or right.number.is_signed
    number = Number("signed" if signed else "unsigned", common_bits(left.number, right.number) + 1)
    texts = [resized(operand, number.bits) for operand in operands]
    if not signed:
        return tuple(nets.wire(f"{texts[0]} {sign} {texts[1]}", number) for sign in "/%")  # type: ignore[return-value]
    toward_zero, rest = (nets.wire(f"$signed({texts[0]}) {sign} $signed({texts[1]})", number) for sign in "/%")
    divisor = nets.wire(texts[1], number)
    wrong = nets.wire(f"{rest.name} != 0 && {rest.sign} != {divisor.sign}", Number("unsigned", 1))
    return (
        nets.wire(f"{toward_zero.name} - {resized(wrong, number.bits)}", number),
        nets.wire(f"{wrong.name} ? {rest.name} + {divisor.name} : {rest.name}", number),
    )


_PRINTERS: dict[str, Callable[[Nets, Sequence[Net], Number], Net]] = {
    "add": _added("+"),
    "sub": _added("-"),
    "neg": _negative,
    "abs": _magnitude,
    "mul": _product_of_two,
    "lt": _less,
    "eq": _equal,
    "min": _extreme("<"),
    "max": _extreme(">"),
    "and": _bitwise("&"),
    "or": _bitwise("|"),
    "xor": _bitwise("^"),
    "not": _inverted,
    "mux": _mux,
    "shl": _shifted_left,
    "shr": _shifted_right,
    "div": _quotient,
    "mod": _rest,
}
