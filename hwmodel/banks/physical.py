"""Physical mapping: virtual memories spread over the physical ones (paper B, section 5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from hwmodel.banks.references import Reference
from hwmodel.banks.renaming import VirtualMemory

Tie = frozenset[int]


@dataclass(frozen=True, slots=True)
class Demand:
    """What the physical mapping weighs: accesses of each memory per body, and how often two memories are tied.

    Memories are tied by the scheduling constraint: a statement that stores in one loads from the other, so the two are
    never accessed at once within a body, and share a bank well.
    """

    accesses: tuple[Counter[int], ...]  # by memory: body -> accesses of one run
    ties: Counter[Tie]


def demand_of(memories: Sequence[VirtualMemory], accesses: Sequence[tuple[int, Reference]]) -> Demand:
    """The demand of accesses, each with the number of its memory, in the order of execution."""
    counts: tuple[Counter[int], ...] = tuple(Counter() for _ in memories)
    loads: dict[object, set[int]] = {}
    stores: list[tuple[object, int]] = []
    for number, reference in accesses:
        counts[number][reference.body] += 1
        if reference.write:
            stores.append((reference.instance, number))
        else:
            loads.setdefault(reference.instance, set()).add(number)
    ties = Counter(
        frozenset({number, other})
        for instance, number in stores
        for other in loads.get(instance, ())
        if other != number
    )
    return Demand(counts, ties)


def longest_first(demand: Demand, banks: int) -> tuple[int, ...]:
    """The bank of each memory: the most accessed first, each where the busiest of its bodies stays shortest.

    Among equal banks the one with the most ties wins, then the lowest. With one body this is longest processing time
    first: at most 4/3 - 1/(3 banks) of the optimum (Graham 1969).
    """
    neighbours: list[list[tuple[int, int]]] = [[] for _ in demand.accesses]
    for pair, count in demand.ties.items():
        one, other = sorted(pair)
        neighbours[one].append((other, count))
        neighbours[other].append((one, count))
    loads = [Counter[int]() for _ in range(banks)]
    chosen: dict[int, int] = {}
    for memory in sorted(range(len(demand.accesses)), key=lambda number: (-demand.accesses[number].total(), number)):
        tied = Counter[int]()
        for other, count in neighbours[memory]:
            if other in chosen:
                tied[chosen[other]] += count
        needs = demand.accesses[memory]
        bank = min(range(banks), key=lambda place: (_load(loads[place], needs), -tied[place], place))
        loads[bank].update(needs)
        chosen[memory] = bank
    return tuple(chosen[number] for number in range(len(demand.accesses)))


def _load(load: Counter[int], needs: Counter[int]) -> tuple[int, int]:
    """How busy a bank is already in the bodies that count, and in all."""
    return sum(load[body] for body in needs), load.total()
