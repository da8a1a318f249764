"""The schedule of a datapath cycle by cycle: reads, operations that start, and writes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from hwmodel.datapath.folding.fold import CostedSchedule, Folded


@dataclass(frozen=True, slots=True)
class FoldedStep:
    """One event in a cycle of a repetition.

    An operation starts on `operator` (the class with the number of the unit, as `add.f32 #0`), with `operands`, and
    keeps it `busy` for so many cycles; its `result` is in a register from cycle `until` on. An element that is read
    comes into its register; one that is written leaves. `line` is its line in the body.
    """

    cycle: int
    kind: Literal["read", "start", "write"]
    operator: str
    operands: tuple[str, ...]
    result: str
    busy: int
    until: int
    line: int | None


def steps_of(priced: CostedSchedule, folded: Folded) -> tuple[FoldedStep, ...]:
    """All events of one repetition, in order of time."""
    order = {"read": 0, "start": 1, "write": 2}
    steps = [*_reads(priced, folded), *_starts(priced, folded), *_writes(priced, folded)]
    return tuple(sorted(steps, key=lambda step: (step.cycle, order[step.kind])))


def operator_names(priced: CostedSchedule, folded: Folded) -> list[str]:
    """The operator of each operation; operators of a class that is not shared are numbered as in the body."""
    numbers = [0] * len(priced.classes)
    names = []
    for place, unit in zip(priced.by_operation, folded.bound.units.tolist(), strict=True):
        number = unit
        if unit < 0:
            number = numbers[place]
            numbers[place] += 1
        names.append(f"{_class_name(priced, place)} #{number}")
    return names


def _class_name(priced: CostedSchedule, place: int) -> str:
    """The operator of a class, with its width or number if another class has the same operator."""
    operation = priced.classes[place].operation
    same = [each.operation.w for each in priced.classes if each.operation.operator == operation.operator]
    if len(same) == 1:
        return operation.operator
    number = [each.operation.operator for each in priced.classes[:place]].count(operation.operator)
    return f"{operation.operator}:{operation.w}" if same.count(operation.w) == 1 else f"{operation.operator}'{number}"


def _value_names(priced: CostedSchedule) -> list[str]:
    dataflow = priced.dataflow
    sizes = dataflow.sizes(dataflow.inputs)
    inputs = [port if sizes[port] == 1 else f"{port}[{element}]" for port, element in dataflow.elements]
    return [*inputs, *(f"v{number}" for number in range(len(dataflow.arities)))]


def _operand_name(priced: CostedSchedule, names: list[str], value: int) -> str:
    return names[value] if value >= 0 else str(priced.dataflow.graph.details[-1 - value])


def _starts(priced: CostedSchedule, folded: Folded) -> Iterator[FoldedStep]:
    dataflow, room = priced.dataflow, priced.room
    names, operators = _value_names(priced), operator_names(priced, folded)
    for operation, start in enumerate(folded.placed.starts):
        timing = folded.problem.timings[priced.by_operation[operation]]
        span = dataflow.graph.spans[dataflow.nodes[operation]]
        yield FoldedStep(
            start // room,
            "start",
            operators[operation],
            tuple(_operand_name(priced, names, value) for value in dataflow.operands[operation]),
            names[dataflow.first + operation],
            priced.prices[priced.by_operation[operation]].every,
            start // room + max(1, -(-timing.ticks // room)),
            span.place[1] if span else None,
        )


def _reads(priced: CostedSchedule, folded: Folded) -> Iterator[FoldedStep]:
    for cycle, name in zip(folded.problem.arrivals.tolist(), _value_names(priced), strict=False):
        yield FoldedStep(cycle, "read", "", (), name, 0, cycle, None)


def _writes(priced: CostedSchedule, folded: Folded) -> Iterator[FoldedStep]:
    dataflow = priced.dataflow
    names = _value_names(priced)
    ends = folded.ends.written(dataflow, folded.problem.interval)
    written = {port: cycles.tolist() for port, cycles in ends.items()}
    for port, values in dataflow.outputs.items():
        parts = dataflow.parts[port]
        for place, value in enumerate(values):
            element = place // parts
            name = port if len(values) == parts else f"{port}[{element}]"
            source = _operand_name(priced, names, value) if value >= 0 else "constant"
            yield FoldedStep(written[port][place] - 1, "write", "", (source,), name, 0, written[port][place], None)
