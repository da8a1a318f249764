"""Physical mapping: virtual memories spread over the physical ones (paper B, section 5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from hwmodel.banks.references import Reference
from hwmodel.banks.renaming import VirtualMemory


@dataclass(frozen=True, slots=True)
class Tie:
    """A statement that stores in some memories what it makes of others.

    By this scheduling constraint the two sides are never accessed at once within a body, and share a bank well.
    """

    loads: frozenset[int]
    stores: frozenset[int]


@dataclass(frozen=True, slots=True)
class Demand:
    """What the physical mapping weighs, by the memories' numbers: accesses in one run of each body, and the ties."""

    accesses: tuple[Counter[int], ...]  # by memory: body -> accesses
    ties: tuple[Tie, ...] = ()


def demand_of(memories: Sequence[VirtualMemory], accesses: Sequence[tuple[int, Reference]]) -> Demand:
    """The demand of accesses, each with the number of its memory."""
    counts: tuple[Counter[int], ...] = tuple(Counter() for _ in memories)
    loads: dict[object, set[int]] = {}
    stores: dict[object, set[int]] = {}
    for number, reference in accesses:
        counts[number][reference.body] += 1
        (stores if reference.write else loads).setdefault(reference.instance, set()).add(number)
    ties = (Tie(frozenset(loads.get(instance, ())), frozenset(found)) for instance, found in stores.items())
    return Demand(counts, tuple(tie for tie in ties if tie.loads))


def longest_first(demand: Demand, banks: int) -> tuple[int, ...]:
    """The bank of each memory: the most accessed first, each where the bank is least busy in the same bodies.

    Among equal banks the one with fewer memories wins, then the one with more ties, then the lowest. With one body this
    is longest processing time first: at most 4/3 - 1/(3 banks) of the optimum (Graham 1969).
    """
    spread = _Spread(demand, banks)
    by_length = sorted(range(len(demand.accesses)), key=lambda number: (-demand.accesses[number].total(), number))
    for memory in by_length:
        spread.place(memory)
    return tuple(spread.chosen[number] for number in range(len(demand.accesses)))


@dataclass
class _Spread:
    """A mapping in the making: how busy each bank is, and which sides of each tie it holds."""

    demand: Demand
    banks: int
    chosen: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.busy: list[Counter[int]] = [Counter() for _ in range(self.banks)]
        self.held = [0] * self.banks
        self.loading = [[0] * self.banks for _ in self.demand.ties]
        self.storing = [[0] * self.banks for _ in self.demand.ties]
        self.loads_of: list[list[int]] = [[] for _ in self.demand.accesses]
        self.stores_of: list[list[int]] = [[] for _ in self.demand.accesses]
        for number, tie in enumerate(self.demand.ties):
            for memory in tie.loads:
                self.loads_of[memory].append(number)
            for memory in tie.stores:
                self.stores_of[memory].append(number)

    def place(self, memory: int) -> None:
        """Choose the bank of one more memory."""
        needs = self.demand.accesses[memory]
        tied = [0] * self.banks
        for number in self.loads_of[memory]:
            tied = [sum(pair) for pair in zip(tied, self.storing[number], strict=True)]
        for number in self.stores_of[memory]:
            tied = [sum(pair) for pair in zip(tied, self.loading[number], strict=True)]
        keys = [
            (sum(busy[body] for body in needs), busy.total(), self.held[bank], -tied[bank], bank)
            for bank, busy in enumerate(self.busy)
        ]
        bank = min(keys)[-1]
        self.chosen[memory] = bank
        self.busy[bank].update(needs)
        self.held[bank] += 1
        for number in self.loads_of[memory]:
            self.loading[number][bank] += 1
        for number in self.stores_of[memory]:
            self.storing[number][bank] += 1
