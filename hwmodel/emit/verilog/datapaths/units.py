"""The operators of a datapath: which operations each does and when, and the numbers that come in and go out.

An operator of a shared class does several operations of a repetition, each in a cycle of its own modulo the interval
(docs/cost.md); any other one does one. The sign of a float is inverted or cleared where it is wanted, without an
operator that would be shared. What several operations compute on numbers of different widths or signs is
computed on a number that holds all of them: the bits of each result are its low bits.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hwmodel.datapath.derive import Derived
from hwmodel.datapath.numbers import Number
from hwmodel.datapath.operators.registry import NODES


@dataclass(frozen=True, slots=True)
class Unit:
    """An operator. `operations` are places in the dataflow, ascending by node; of a shared one there are several.

    It is busy with one for `every` cycles. The result of one that starts in cycle s is on its wire in cycle s +
    `stages` - 1, and in a register from the next one on. In the first of its stages operands may be `chosen` alone, and
    go into registers.
    """

    operator: str
    operations: tuple[int, ...]
    stages: int
    chosen: bool
    every: int


def units_of(derived: Derived) -> list[Unit]:
    """The operators, those that do several operations first."""
    priced, folded = derived.priced, derived.folded
    members: dict[tuple[int, int], list[int]] = {}
    alone: list[tuple[int, int]] = []
    for operation, (place, unit) in enumerate(zip(priced.by_operation, folded.bound.units.tolist(), strict=True)):
        if unit < 0 or _is_of_the_sign(derived, operation):
            alone.append((place, operation))
        else:
            members.setdefault((place, unit), []).append(operation)
    listed = [(place, tuple(own)) for (place, _), own in sorted(members.items())]
    return [_unit(derived, place, own) for place, own in [*listed, *((place, (own,)) for place, own in alone)]]


def _is_of_the_sign(derived: Derived, operation: int) -> bool:
    """Whether it inverts or clears the sign of a float: wires and a gate, whatever it would share."""
    dataflow = derived.priced.dataflow
    graph, node = dataflow.graph, dataflow.nodes[operation]
    return bool(NODES[graph.operators[node]].float_row) and graph.numbers[node].is_float


def _unit(derived: Derived, place: int, operations: tuple[int, ...]) -> Unit:
    timing, room = derived.folded.problem.timings[place], derived.priced.room
    dataflow = derived.priced.dataflow
    return Unit(
        dataflow.graph.operators[dataflow.nodes[operations[0]]],
        operations,
        max(1, -(-timing.ticks // room)),
        derived.folded.prices[place].cycles > derived.priced.prices[place].cycles,
        derived.priced.prices[place].every,
    )


def operands_of(derived: Derived) -> list[tuple[int, ...]]:
    """The nodes that each operation takes, by the inputs of its operator: of shared ones some pairs changed places."""
    dataflow, wires, bound = derived.priced.dataflow, derived.priced.wires, derived.folded.bound
    nodes = [dataflow.graph.operands[node] for node in dataflow.nodes]
    values: dict[int, list[int]] = {}
    for user, position, value in zip(
        wires.users.tolist(), bound.positions.tolist(), wires.values.tolist(), strict=True
    ):
        values.setdefault(user, [0] * len(nodes[user]))[position] = value
    for operation, unit in enumerate(bound.units.tolist()):
        if unit >= 0 and values[operation] != list(dataflow.operands[operation]):
            nodes[operation] = nodes[operation][::-1]
    return nodes


def result_number(unit: Unit, numbers: Sequence[Number]) -> Number:
    """The type and width of an operator's result, from those of its operations."""
    return numbers[0] if len(unit.operations) == 1 else common(numbers)


def input_number(unit: Unit, numbers: Sequence[Number], result: Number) -> Number:
    """The type and width of an operator's input, from those of its operations."""
    number = common(numbers)
    capped = NODES[unit.operator].modular and number.bits > result.bits
    return Number(number.kind, result.bits) if capped else number


def common(numbers: Iterable[Number]) -> Number:
    """A number that holds all of some; of floats their bits."""
    listed = list(numbers)
    if all(not number.is_signed for number in listed):
        return Number("unsigned", max(number.bits for number in listed))
    return Number("signed", max(number.bits + (not number.is_signed) for number in listed))
