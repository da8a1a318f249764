"""Floating-point operators of datapaths: a module for each, cut into the stages that a schedule gives it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

from arrayol.operators.registry import FUNCTIONS
from hwmodel.datapath.graph.graph import FREE, Graph
from hwmodel.datapath.numbers import Number
from hwmodel.datapath.operators.nets import Net, Nets, resized
from hwmodel.emit.verilog.datapaths.floats import arithmetic, comparisons, conversions, digits
from hwmodel.emit.verilog.datapaths.floats.formats import F32, FORMATS
from hwmodel.emit.verilog.datapaths.floats.netlist import COMBINATIONAL, Circuit, shortest_periods
from hwmodel.emit.verilog.datapaths.floats.words import defined

_SAME = {"sub": "add", "mulc": "mul"}  # of one circuit: a difference is a sum with the other sign


@dataclass(frozen=True, slots=True)
class FloatOperator:
    """An operator with the numbers that it takes and gives, and what else says which one it is.

    `source` is its first operand, `number` its result. `exponent` is that of a `fscale`. It is busy with an operation
    for `every` cycles: beyond 1 it computes digit after digit, and a signal starts it.
    """

    operator: str
    source: Number
    number: Number
    exponent: int = 0
    every: int = 1

    def of(self, source: Number, number: Number) -> FloatOperator:
        """The operator on other integers; operands that are floats stay as they are."""
        return replace(
            self,
            source=self.source if self.source.is_float else source,
            number=self.number if self.number.is_float else number,
        )

    @property
    def name(self) -> str:
        """That of its module, but for the stages."""
        operator = _SAME.get(self.operator, self.operator)
        kinds = [_kind(self.source)] + ([_kind(self.number)] if operator == "cvt" else [])
        if self.exponent:
            kinds.append(f"{'m' if self.exponent < 0 else 'p'}{abs(self.exponent)}")
        if self.every > 1:
            kinds.append(f"every{self.every}")
        return "_".join([operator, *kinds])

    def module(self, stages: int) -> str:
        """The name of its module with so many stages."""
        return f"{self.name}_{stages}"


def _kind(number: Number) -> str:
    return f"{'f' if number.is_float else 'i' if number.is_signed else 'u'}{number.bits}"


def float_operator(graph: Graph, node: int) -> FloatOperator | None:
    """That of a node; None where it is one of integers, or of bits alone."""
    operator, operands = graph.operators[node], graph.operands[node]
    if operator in _BITS or not operands:
        return None
    source, number = graph.numbers[operands[0]], graph.numbers[node]
    if not (source.is_float or number.is_float):
        return None
    detail: Any = graph.details[node]
    return FloatOperator(operator, source, number, detail if operator == "fscale" else 0)


_BITS = frozenset({"mux", "select", "access", "neg", "abs"}) | FREE


def is_printed(operator: FloatOperator, stages: int) -> bool:
    """Whether there is a circuit of so many stages for it."""
    return _printer(operator, stages) is not None


def operand_bits(operator: FloatOperator) -> int:
    """The bits of an operand of its module: an integer has a sign, and two bits at least."""
    source = operator.source
    return source.bits if source.is_float else max(2, source.bits + (not source.is_signed))


@lru_cache(maxsize=512)
def circuit_of(operator: FloatOperator, stages: int) -> Circuit:
    """Its circuit of so many stages, the last of which ends on a wire.

    It is cut for the shortest period at which it takes no more stages. What it then lacks are registers behind it.
    """
    printer = _printer(operator, stages)
    assert printer is not None

    def built(period: float, least: int = 1) -> Circuit:
        circuit = Circuit(operator.module(stages), period, least, registered=False)
        printer(circuit)
        return circuit

    periods = {cycles: period for cycles, period in shortest_periods(built).items() if cycles <= stages}
    return built(periods[max(periods)] if stages > 1 and periods else COMBINATIONAL, stages)


def print_float_operator(
    nets: Nets, label: str, operator: FloatOperator, operands: Sequence[Net], stages: int, start: str
) -> Net:
    """An instance of its module; the result, on a wire in the last of its stages. It is busy from `start` on."""
    values = [resized(operand, operand_bits(operator)) for operand in operands]
    if operator.operator == "sub":
        (_, right), top = operands, operator.source.bits - 1
        values[1] = f"{{~{right.name}[{top}], {right.name}[{top - 1}:0]}}"
    ports = {**({"start": start} if operator.every > 1 else {}), **dict(zip("ab", values, strict=False))}
    return nets.instance(operator.module(stages), label, ports, operator.number)


def _printer(operator: FloatOperator, stages: int) -> Callable[[Circuit], None] | None:
    if operator.every > 1:
        return _serial(operator, stages)
    if operator.operator == "cvt":
        return _conversion(operator)
    form = FORMATS[operator.source.bits]
    if operator.operator == "fscale":
        return partial(comparisons.scale, form=form, exponent=operator.exponent)
    printer = _PRINTERS.get(_SAME.get(operator.operator, operator.operator))
    definition = FUNCTIONS[operator.operator].single if operator.operator in FUNCTIONS and form is F32 else None
    if definition is not None:
        printer = partial(defined, definition=definition)
    return printer and partial(printer, form=form)


def _serial(operator: FloatOperator, stages: int) -> Callable[[Circuit], None] | None:
    """The circuit with the fewest digits a cycle that is busy for no longer, and takes no more stages."""
    printer, form = _SERIAL.get(operator.operator), FORMATS[operator.source.bits]
    for steps in range(1, form.digits + 3 if printer else 0):
        tried = Circuit("", COMBINATIONAL)
        assert printer is not None
        printer(tried, form, steps=steps)
        if tried.every <= operator.every:
            return partial(printer, form=form, steps=steps) if tried.cycles <= stages else None
    return None


def _conversion(operator: FloatOperator) -> Callable[[Circuit], None]:
    source, number = operator.source, operator.number
    if not source.is_float:
        return partial(conversions.from_integer, form=FORMATS[number.bits], bits=operand_bits(operator))
    form = FORMATS[source.bits]
    if not number.is_float:
        return partial(conversions.to_integer, form=form, bits=number.bits)
    other = FORMATS[number.bits]
    if number.bits > source.bits:
        return partial(conversions.widen, form=form, wider=other)
    return partial(conversions.narrow, form=form, narrower=other)


_SERIAL: dict[str, Callable[..., None]] = {"div": digits.div, "sqrt": digits.sqrt}

_PRINTERS: dict[str, Callable[..., None]] = {
    "add": arithmetic.add,
    "mul": arithmetic.mul,
    "div": digits.div,
    "sqrt": digits.sqrt,
    "lt": comparisons.lt,
    "eq": comparisons.eq,
    "min": comparisons.least,
    "max": partial(comparisons.least, largest=True),
    "floor": comparisons.floor,
    "ceil": partial(comparisons.floor, up=True),
    "fpos0": comparisons.positive_zero,
}
