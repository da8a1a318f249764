"""Operators of integers, and the signs of floats, as Verilog, printed as technologies price them (docs/cost.md).

Their circuits in one cycle are in their records (hwmodel/datapath/operators/). Here are those that depend on a node's
detail: shifts and adders for products with constants, by their signed digits, one kept net for each adder; selections.

An operator that takes several cycles is cut into stages: adders level by level where it has several, else registers
stand behind it, for tools that move them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from hwmodel.datapath.graph.digits import AdderPlan, plan_of
from hwmodel.datapath.graph.graph import ACCESS, quotient_number, reciprocal
from hwmodel.datapath.numbers import Number
from hwmodel.datapath.operators.bins import BIN_NODES
from hwmodel.datapath.operators.nets import Net, Nets, literal, part, resized
from hwmodel.datapath.operators.registry import NODES


@dataclass(slots=True)
class AdderStages:
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

    def new_net(self, value: str, number: Number, level: int, *, keep: bool = True) -> Net:
        """A new net of a level."""
        net = self.nets.wire(value, number, keep=keep)
        self.stage[net.name] = self.of(level)
        return net


_IN_STAGES = frozenset({"mulc", "divc", "select"})  # whose circuits are below, since they depend on the node's detail


def is_integer_printed(operator: str) -> bool:
    """Whether there is a circuit for an operator of integers."""
    return operator in _IN_STAGES or operator in BIN_NODES or operator == ACCESS or NODES[operator].circuit is not None


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
    stages, circuit = AdderStages(nets, cycles, 1), NODES[operator].circuit
    assert circuit is not None
    result = circuit(nets, operands, number)
    return stages.brought(result, cycles - 1)


def print_selection(nets: Nets, index: Net, values: Sequence[Net], first: int, number: Number, cycles: int) -> Net:
    """The value at an index from `first` on."""
    bits = max(index.bits, (first + len(values)).bit_length())
    choices = [(first + place, resized(value, number.bits)) for place, value in enumerate(values)]
    chosen = nets.case(resized(index, bits), choices, bits, number)
    return AdderStages(nets, cycles, 1).brought(chosen, cycles - 1)


# Products with constants, and quotients.


def _with_constant(nets: Nets, operator: str, x: Net, constant: int, number: Number, cycles: int) -> Net:
    if operator == "mulc":
        plan = plan_of(constant)
        stages = AdderStages(nets, cycles, plan.levels)
        return stages.brought(_product(stages, x, plan, number), cycles - 1)
    factor, shift = reciprocal(x.bits, constant)
    plan = plan_of(factor)
    stages = AdderStages(nets, cycles, plan.levels)
    whole = _product(stages, x, plan, Number("unsigned", x.bits + factor.bit_length()))
    own, last = quotient_number(x.bits, constant), max(0, plan.levels - 1)
    quotient = stages.new_net(f"{whole.name}[{shift + own.bits - 1}:{shift}]", own, last, keep=False)
    return stages.brought(stages.new_net(resized(quotient, number.bits), number, last, keep=False), cycles - 1)


def _product(stages: AdderStages, x: Net, plan: AdderPlan, number: Number) -> Net:
    """The low bits of x times a constant."""
    terms = dict.fromkeys((digit.place for digit in plan.digits), x)
    for adder in plan.adders:
        own = adder.number(x.number, number.bits)
        at = adder.level
        left, right = (stages.brought(terms[term.place], stages.of(at)) for term in (adder.left, adder.right))
        if own.bits <= adder.passed:
            terms[adder.total.place] = stages.new_net(resized(left, own.bits), own, at, keep=False)
            continue
        upper = Number("unsigned", own.bits - adder.passed)
        first = part(left, own.bits, adder.passed)
        zeros = adder.left.shift - adder.total.shift
        if zeros:
            first = f"{{{resized(left, own.bits - zeros)}, {zeros}'d0}}" if zeros < own.bits else literal(0, own.bits)
        total = stages.new_net(f"{first} {adder.sign} {resized(right, upper.bits)}", upper, at)
        if adder.passed:
            total = stages.new_net(f"{{{total.name}, {resized(left, adder.passed)}}}", own, at, keep=False)
        terms[adder.total.place] = Net(total.name, own)
    product, shift = terms[plan.product.place], plan.product.shift
    value = resized(product, number.bits - shift)
    return stages.new_net(f"{{{value}, {shift}'d0}}" if shift else value, number, max(0, plan.levels - 1), keep=False)
