"""Greedy binding of shared operations, in order of their starts, to the operators with the fewest new sources.

So a sum in an accumulator stays on its operator, and a chain that needs several operators goes from one to the next.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hwmodel.datapath.folding.wires import Wires
from hwmodel.datapath.graph.sorts import Ints
from hwmodel.datapath.schedule.place import PlacedOperations, Problem

CANDIDATES = 8  # operators with a source that are looked at
Source = tuple[int, int]


def bind_greedily(
    problem: Problem, placed: PlacedOperations, wires: Wires, slots: Ints, shared: Ints
) -> tuple[list[int], list[int]]:
    """The operators of the shared operations, in the body's order, and the operations with exchanged operands."""
    first, classes, operands = wires.dataflow.first, wires.classes.tolist(), wires.operands
    ports, commutative = wires.dataflow.ports.tolist(), wires.commutative.tolist()
    occupied: dict[tuple[int, int], int] = {}  # by class and slot: its operators that are taken, as bits
    used: dict[int, int] = {}  # by class: how many operators were taken at all
    inputs = _Inputs()
    units: dict[int, int] = {}
    swapped: list[int] = []
    for operation in sorted(np.flatnonzero(shared).tolist(), key=placed.starts.__getitem__):
        place, slot = classes[operation], int(slots[operation])
        sources: list[Source] = []
        for value in operands[operation]:
            maker = value - first
            if maker in units:
                sources.append((classes[maker], units[maker]))
            else:
                sources.append((-1, ports[value]) if 0 <= value < first else (-2, value))
        busy = occupied.get((place, slot), 0)
        sharing = problem.sharing[place]
        assert sharing is not None
        others = {(~busy & (busy + 1)).bit_length() - 1, min(used.get(place, 0), sharing.units - 1)}
        best = inputs.best(place, sources, busy, others)
        if commutative[operation]:
            turned = inputs.best(place, sources[::-1], busy, others)
            if turned < best:
                best = turned
                sources.reverse()
                swapped.append(operation)
        unit = units[operation] = best[1]
        occupied[place, slot] = busy | 1 << unit
        used[place] = max(used.get(place, 0), unit + 1)
        inputs.add(place, unit, sources)
    return [units[operation] for operation in sorted(units)], swapped


class _Inputs:
    """The sources of the inputs of operators so far."""

    def __init__(self) -> None:
        self.sources: dict[tuple[int, int, int], set[Source]] = {}  # by class, operator and position
        self.operators: dict[tuple[int, int, Source], list[int]] = {}  # by class, position and source

    def best(self, place: int, sources: Sequence[Source], busy: int, others: set[int]) -> tuple[int, int]:
        """The fewest new sources, and the operator that gets them, among free ones with a known source and `others`.

        A first source does not count, since it needs no multiplexer. `others` includes one without any source yet,
        unless all are in use.
        """
        known = {
            unit
            for position, source in enumerate(sources)
            for unit in self.operators.get((place, position, source), ())[:CANDIDATES]
            if not busy >> unit & 1
        }
        return min((self._new(place, unit, sources), unit) for unit in known | others if not busy >> unit & 1)

    def _new(self, place: int, unit: int, sources: Sequence[Source]) -> int:
        """The number of new sources of an operator that has some already."""
        count = 0
        for position, source in enumerate(sources):
            own = self.sources.get((place, unit, position))
            if own is not None and source not in own:
                count += 1
        return count

    def add(self, place: int, unit: int, sources: Sequence[Source]) -> None:
        """Record the sources of an operation on an operator."""
        for position, source in enumerate(sources):
            own = self.sources.setdefault((place, unit, position), set())
            if source not in own:
                own.add(source)
                self.operators.setdefault((place, position, source), []).append(unit)
