"""Classes of operations that one operator can perform, the operators that an interval needs, and intervals to try.

A class is an operator with its type, and widths that are equal when rounded up to 8 bits, for products those of both
operands: on an FPGA these decide how many DSP blocks one takes. Operators with a constant in them (`mulc`, `divc`,
`fscale`) only perform that constant. A shared operator is as wide as its widest operation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hwmodel.datapath.graph.graph import Operation
from hwmodel.datapath.operators.bins import BIN_ADD, BIN_READ, bins_in
from hwmodel.datapath.operators.registry import NODES
from hwmodel.datapath.schedule.dataflow import Dataflow

WITH_CONSTANT = frozenset({"mulc", "divc", "fscale.f32", "fscale.f64"})
COMMUTATIVE = frozenset(
    f"{node.name}{kind}"
    for node in NODES.values()
    for kind in ("", ".f32", ".f64")
    if (node.commutes_real if kind else node.commutes)
)
MANY = 100  # operations from which on not all intervals are tried
TRIED = 6  # intervals of such a body
HUGE = 10_000  # operations from which on
FEW = 4  # intervals are tried


@dataclass(frozen=True, slots=True)
class OperatorClass:
    """A class of operations: the `operation` of an operator that performs all, and its `kinds` in the dataflow."""

    operation: Operation
    kinds: tuple[int, ...]
    operations: int

    @property
    def commutative(self) -> bool:
        """Whether the two operands may be exchanged."""
        return self.operation.operator in COMMUTATIVE

    @property
    def is_of_a_memory(self) -> bool:
        """Whether its operations are accesses of one memory, which take a cycle each."""
        return self.operation.operator in (BIN_ADD, BIN_READ)


def classes_of(dataflow: Dataflow) -> tuple[list[OperatorClass], list[int]]:
    """The classes, and the number of each operation's class."""
    places: dict[tuple[object, ...], int] = {}
    members: list[set[int]] = []
    counts: list[int] = []
    by_kind: list[int | None] = [None] * len(dataflow.kinds)
    classes: list[int] = []
    for number, kind in enumerate(dataflow.kind):
        place = by_kind[kind]
        if place is None:
            operation = dataflow.kinds[kind]
            constant = operation.operator in WITH_CONSTANT
            detail = dataflow.graph.details[dataflow.nodes[number]]
            bins = bins_in(operation.operator, detail)
            key = (_widths(operation), detail if constant else None) if bins is None else (bins,)
            place = places.setdefault((operation.operator, *key), len(places))
            if place == len(members):
                members.append(set())
                counts.append(0)
            if not constant and bins is None:
                by_kind[kind] = place
            members[place].add(kind)
        counts[place] += 1
        classes.append(place)
    listed = [
        OperatorClass(_widest([dataflow.kinds[kind] for kind in kinds]), tuple(sorted(kinds)), count)
        for kinds, count in zip(members, counts, strict=True)
    ]
    return listed, classes


def _widths(operation: Operation) -> tuple[int, ...]:
    """The widths that operations of a class share: in steps of 8 bits, for products those of both operands."""
    widths = [operation.w] if operation.operator != "mul" else [*sorted((operation.a, operation.b)), operation.w]
    return tuple([-(-width // 8) for width in widths])


def _widest(operations: Sequence[Operation]) -> Operation:
    names = ("w", "a", "b", "n", "k", "adders", "adder_bits", "luts", "chain")
    return Operation(
        operations[0].operator, *(max(getattr(operation, name) for operation in operations) for name in names)
    )


def units_wanted(operations: int, interval: int, every: int = 1) -> int:
    """The fewest operators for so many operations in an interval, each of which occupies one for `every` cycles."""
    return -(-operations // (interval // every))


def intervals_worth_trying(counts: Sequence[tuple[int, int]], least: int = 1) -> tuple[int, ...]:
    """The least interval of each vector of operators: any other one needs no fewer of a class, and is slower.

    None is below `least`.

    `counts` are the operations of each class and the cycles that one occupies its operator. Bodies with many operations
    get at most TRIED intervals, those with more than HUGE at most FEW: evenly spaced by ratio, with the first and the
    last.
    """
    least = max([least, *(every for _, every in counts)])
    candidates = {least}
    for operations, every in counts:
        candidates.update(max(least, interval * every) for interval in _steps(operations))
    intervals = sorted(candidates)
    operations = sum(operations for operations, _ in counts)
    most = TRIED if operations <= HUGE else FEW
    if operations <= MANY or len(intervals) <= most:
        return tuple(intervals)
    ratio = intervals[-1] / intervals[0]
    wanted = [intervals[0] * ratio ** (step / (most - 1)) for step in range(most)]
    return tuple(sorted({min(intervals, key=_distance(target)) for target in wanted}))


def _distance(wanted: float) -> Callable[[int], float]:
    return lambda interval: max(interval / wanted, wanted / interval)


def _steps(operations: int) -> list[int]:
    """The least I for each value of ceil(operations / I)."""
    steps, interval = [], 1
    while True:
        steps.append(interval)
        units = -(-operations // interval)
        if units <= 1:
            return steps
        interval = -(-operations // (units - 1))
