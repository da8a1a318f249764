"""When the words of a memory in a unit are free: its sums and reads in a schedule (docs/cost.md).

There are two memories, and repetitions take them in turn. Sums of a repetition come one in a cycle, over less than an
interval. Then its words are read, one in a cycle, and made ready for the next repetition but one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arrayol.errors import error
from hwmodel.datapath.graph.sorts import Ints
from hwmodel.datapath.operators.bins import BIN_ADD, BIN_READ, Bins, bins_in
from hwmodel.datapath.schedule.dataflow import Dataflow
from hwmodel.datapath.schedule.place import PlacedOperations, Problem, Slots, move

TOO_SHORT = "interval-too-short"
_FREE = 4  # cycles from the last read of a memory to the first sum of another repetition in it


def least_interval(dataflow: Dataflow) -> int:
    """The least interval at which each memory takes its sums, and its words are read before it is wanted again."""
    least = 1
    for bins, sums, reads in _accesses(dataflow):
        least = max(least, len(sums), bins.words, -(-(len(sums) + len(reads) + _FREE) // 2))
    return least


def windows_of(problem: Problem) -> list[BinWindow]:
    """The accesses of each memory."""
    return [BinWindow(problem, bins, sums, reads) for bins, sums, reads in _accesses(problem.dataflow)]


def _accesses(dataflow: Dataflow) -> Sequence[tuple[Bins, Ints, Ints]]:
    """The memories with their sums and their reads, as operations."""
    graph, accesses = dataflow.graph, dict[Bins, dict[str, list[int]]]()
    names = {kind for kind, each in enumerate(dataflow.kinds) if each.operator in (BIN_ADD, BIN_READ)}
    for operation in [place for place, kind in enumerate(dataflow.kind) if kind in names] if names else ():
        node = dataflow.nodes[operation]
        bins = bins_in(graph.operators[node], graph.details[node])
        assert bins is not None, "a node of a memory"
        accesses.setdefault(bins, {BIN_ADD: [], BIN_READ: []})[graph.operators[node]].append(operation)
    return [
        (bins, np.array(own[BIN_ADD], np.int64), np.array(own[BIN_READ], np.int64)) for bins, own in accesses.items()
    ]


@dataclass(frozen=True, eq=False)
class BinWindow:
    """The sums and reads of a memory, as operations of a schedule."""

    problem: Problem
    bins: Bins
    sums: Ints
    reads: Ints

    def later(self, placed: PlacedOperations, slots: dict[int, Slots], due: Ints) -> PlacedOperations:
        """Move reads as late as outputs allow, and the memory; `due` are ticks by value, and are changed to that.

        Those that operations take stay where they are.
        """
        problem, starts = self.problem, placed.ticks.copy()
        ticks, values = problem.ticks[self.reads], problem.dataflow.first + self.reads
        taken = set(problem.dataflow.edges[0].tolist())
        due[values] = np.minimum(due[values], np.maximum(self._last(placed) * problem.room, starts[self.reads]) + ticks)
        for place in np.argsort(due[values], kind="stable")[::-1].tolist():
            operation = int(self.reads[place])
            kind = problem.classes[operation]
            cycle, latest = int(starts[operation]) // problem.room, int(due[values[place]] - ticks[place])
            latest -= latest % problem.room
            if latest // problem.room > cycle and values[place] not in taken:
                moved = move(slots.get(kind), problem.interval, cycle, latest, problem.timings[kind], problem.room)
                starts[operation] = starts[operation] if moved is None else moved
        return PlacedOperations(starts)

    def check(self, placed: PlacedOperations) -> None:
        """Raises ArrayolError (`interval-too-short`) for a schedule in which the memory is not free in time."""
        sums, reads = self._cycles(placed, self.sums), self._cycles(placed, self.reads)
        if sums.max() - sums.min() >= self.problem.interval or reads.max() > self._last(placed):
            interval = self.problem.interval
            raise error(
                TOO_SHORT,
                f"'{self.problem.dataflow.graph.name}' adds to '{self.bins.port}' in too many cycles for an interval "
                f"of {interval}",
                hint="give all numbers that are added an equal number of operations, or take a longer interval",
            )

    def _last(self, placed: PlacedOperations) -> int:
        """The last cycle in which a read may start."""
        first = int(self._cycles(placed, self.sums).min())
        return first + 2 * self.problem.interval - _FREE

    def _cycles(self, placed: PlacedOperations, operations: Ints) -> Ints:
        """The cycles in which operations start."""
        return placed.ticks[operations] // self.problem.room
