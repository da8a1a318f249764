"""The custom layout of a nest: virtual memories for all arrays, mapped on physical banks (paper B, fig. 3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hwmodel.banks.cost import Busy
from hwmodel.banks.partition import PARTITIONS
from hwmodel.banks.physical import demand_of, longest_first
from hwmodel.banks.references import Reference, UnrolledNest
from hwmodel.banks.renaming import VirtualMemory, rename, replicas


@dataclass(frozen=True, slots=True)
class Custom:
    """Virtual memories in the order of the arrays, and the physical bank of each."""

    memories: tuple[VirtualMemory, ...]
    bank: tuple[int, ...]
    banks: int

    @property
    def bank_of(self) -> dict[str, int]:
        """The bank of each memory by its name."""
        return {memory.name: bank for memory, bank in zip(self.memories, self.bank, strict=True)}

    def of_array(self, array: str) -> tuple[VirtualMemory, ...]:
        return tuple(memory for memory in self.memories if memory.array == array)

    def memory_of(self) -> dict[Reference, int]:
        """The number of the memory that serves each reference."""
        return {reference: number for number, memory in enumerate(self.memories) for reference in memory.references}

    def busy(self, accesses: Sequence[Reference]) -> list[Busy]:
        """The bank of each access."""
        memory_of = self.memory_of()
        return [frozenset({self.bank[memory_of[reference]]}) for reference in accesses]


def custom_layout(
    nest: UnrolledNest,
    banks: int,
    *,
    partition: str = "paper",
    replicated: frozenset[str] = frozenset(),
    accesses: Sequence[Reference] | None = None,
) -> Custom:
    """The memories of a nest on `banks` physical ones; arrays in `replicated` are copied for their references.

    `accesses` are those that the mapping spreads where registers save some of the nest's references. Replicated arrays
    must be read only.
    """
    memories = _memories(nest, banks, partition, replicated)
    numbers = {reference: number for number, memory in enumerate(memories) for reference in memory.references}
    weighed = nest.references if accesses is None else accesses
    demand = demand_of(memories, [(numbers[reference], reference) for reference in weighed])
    return Custom(memories, longest_first(demand, banks), banks)


def read_only(nest: UnrolledNest) -> tuple[str, ...]:
    """The arrays that the nest reads and never writes."""
    written = {reference.array for reference in nest.references if reference.write}
    read = {reference.array for reference in nest.references}
    return tuple(name for name in nest.arrays if name in read - written)


def _memories(nest: UnrolledNest, banks: int, partition: str, replicated: frozenset[str]) -> tuple[VirtualMemory, ...]:
    by_array: dict[str, list[Reference]] = {name: [] for name in nest.arrays}
    for reference in nest.references:
        by_array[reference.array].append(reference)
    taken, found = set(nest.arrays), list[VirtualMemory]()
    for array in nest.arrays.values():
        for memory in rename(PARTITIONS[partition](by_array[array.name]), array, taken):
            copies = min(len(memory.references), banks) if array.name in replicated else 1
            found += replicas(memory, copies, taken) if copies > 1 else [memory]
    return tuple(found)
