"""Which operator does which operation of a shared class, and the multiplexers that its inputs need.

An operation prefers the operator that last took the same operand: a sum in an accumulator stays where it is. What
feeds an input is a source: a port, whatever its element, one operator of a class that is shared, one operation of
another one, a constant. An input with one source needs no multiplexer.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from hwmodel.datapath.folding.classes import OperatorClass
from hwmodel.datapath.schedule.place import Placed, Problem


@dataclass(frozen=True, eq=False)
class Bound:
    """`units` has for each operation the number of its operator within its class, -1 where the class is not shared.

    `sources` has for each class, for each operator and input of it, how many sources feed it.
    """

    units: list[int]
    sources: dict[int, list[tuple[int, int]]]


def bind(problem: Problem, placed: Placed, classes: Sequence[OperatorClass]) -> Bound:
    """Operators for the operations of shared classes: each does one operation a cycle."""
    binder = _Binder(problem, classes)
    for operation in sorted(range(len(placed.starts)), key=placed.starts.__getitem__):
        place = problem.classes[operation]
        if problem.sharing[place] is not None:
            binder.add(operation, place, placed.starts[operation] // problem.room)
    sources: dict[int, list[tuple[int, int]]] = {}
    for (place, _, position), fed in binder.fed.items():
        sources.setdefault(place, []).append((position, len(fed)))
    return Bound(binder.units, sources)


class _Binder:
    def __init__(self, problem: Problem, classes: Sequence[OperatorClass]) -> None:
        self.problem, self.classes = problem, classes
        self.units = [-1] * len(problem.classes)
        self.busy: dict[tuple[int, int], int] = {}  # by class and slot: its operators, as bits
        self.preferred: dict[tuple[int, Hashable], int] = {}
        self.fed: dict[tuple[int, int, int], set[Hashable]] = {}
        self.ports = {port: number for number, port in enumerate(problem.dataflow.inputs)}

    def add(self, operation: int, place: int, cycle: int) -> None:
        sources = [self.source(value) for value in self.problem.dataflow.operands[operation]]
        unit = self.unit(place, cycle % self.problem.interval, sources)
        self.units[operation] = unit
        if (
            self.classes[place].commutative
            and len(sources) == 2
            and self.new(place, unit, sources) > self.new(place, unit, sources[::-1])
        ):
            sources.reverse()
        for position, source in enumerate(sources):
            self.preferred[place, source] = unit
            self.fed.setdefault((place, unit, position), set()).add(source)

    def new(self, place: int, unit: int, sources: Sequence[Hashable]) -> int:
        """How many sources the inputs of an operator would get."""
        return sum(source not in self.fed.get((place, unit, position), ()) for position, source in enumerate(sources))

    def unit(self, place: int, slot: int, sources: Sequence[Hashable]) -> int:
        busy = self.busy.get((place, slot), 0)
        unit = next((known for source in sources if (known := self.wanted(place, source, busy)) is not None), None)
        if unit is None:
            unit = (~busy & (busy + 1)).bit_length() - 1
        self.busy[place, slot] = busy | 1 << unit
        return unit

    def wanted(self, place: int, source: Hashable, busy: int) -> int | None:
        """An operator that is free, of this class and itself the source, or one that had the source before."""
        own = isinstance(source, tuple) and source[0] == place
        unit = source[1] if own and isinstance(source, tuple) else self.preferred.get((place, source))
        return unit if unit is not None and not busy >> unit & 1 else None

    def source(self, value: int) -> Hashable:
        """A port as ~number, an operator of a shared class as (class, number), an operation, or a constant."""
        dataflow = self.problem.dataflow
        if value < 0:
            return "constant", dataflow.graph.details[-1 - value]
        if value < dataflow.first:
            return "port", self.ports[dataflow.elements[value][0]]
        operation = value - dataflow.first
        if self.units[operation] >= 0:
            return self.problem.classes[operation], self.units[operation]
        return "operation", operation
