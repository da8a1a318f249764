"""What the memories of many structures are built of at many rates (docs/machine.md, section 13)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, partial

import numpy as np

from hwmodel.local_memory.bank_functions import BankFunction
from hwmodel.machine.built.bank_figures import SizeTable
from hwmodel.machine.built.buffer_figures import BufferFigures, Kind
from hwmodel.machine.built.figures import (
    NO_ACCESSES,
    BuiltMemories,
    BuiltMemory,
    Figures,
    Wanted,
    of_rates,
)
from hwmodel.machine.built.local_ports import Rates
from hwmodel.machine.built.organised import Builder
from hwmodel.machine.built.row_cache import RowCache
from hwmodel.machine.estimate import MemoryKind
from hwmodel.machine.numbering import ascending
from hwmodel.machine.priced import PricedMemories
from hwmodel.machine.schedule.datapaths import Datapaths
from hwmodel.machine.separable.axes import Ints, Mask
from hwmodel.machine.separable.block_order import Structures
from hwmodel.machine.separable.counts import GroupCounts, Memory
from hwmodel.machine.separable.coupled_contents import coupled_memories
from hwmodel.machine.separable.live_sets import LiveSets
from hwmodel.machine.separable.sizes import Sizes

AccessesOf = Callable[[MemoryKind, str], Sequence[Ints]]  # of a memory the data read and written, (1,) or (S,) each


@dataclass(frozen=True, eq=False)
class Words:
    """The words of the memories of structures that are products; of others they mean nothing."""

    counts: GroupCounts
    structures: Structures
    _depths: dict[tuple[int, BankFunction], RowCache] = field(default_factory=dict, repr=False)

    @cached_property
    def addressed(self) -> RowCache:
        """Of each memory (S, memories): of buffers those of their addresses, of states what lives."""
        sizes, states = Sizes(self.counts), LiveSets(self.counts, ("state",))
        are_states = np.array([memory.kind == "state" for memory in self.counts.memories], np.bool_)

        def of_rows(rows: Ints) -> Ints:
            some, (there, live) = self.structures.only(rows), self.live.known(rows)
            return sizes.sizes(some) + (live * are_states if there.all() else states.sizes(some))

        return self._cache(of_rows)

    @cached_property
    def live(self) -> RowCache:
        """What is live at once in each memory, (S, memories)."""
        return self._cache(lambda rows: LiveSets(self.counts).sizes(self.structures.only(rows)))

    def depths(self, memory: int, function: BankFunction, rows: Ints) -> Ints:
        """The words of the deepest bank of a buffer in some structures (n,)."""
        return self._depths_of(memory, function)(rows)

    def fetch(self, wanted: Iterable[Wanted]) -> None:
        """Find out depths that are asked for next: those of many buffers take hardly longer together than of one."""
        asked: dict[tuple[int, BankFunction], list[Ints]] = {}
        for memory, function, rows in wanted:
            asked.setdefault((memory, function), []).append(rows)
        tables = [(self._depths_of(*key), key, ascending(np.concatenate(rows))) for key, rows in asked.items()]
        new = [(known, (*key, rows)) for known, key, every in tables if len(rows := known.new(every))]
        found = Sizes(self.counts).depths(self.structures, [wanted for _, wanted in new])
        for (known, (_, _, rows)), depths in zip(new, found, strict=True):
            known.put(rows, depths)

    def _depths_of(self, memory: int, function: BankFunction) -> RowCache:
        key = memory, function
        if key not in self._depths:
            depths = Sizes(self.counts).depths
            self._depths[key] = self._cache(lambda new: depths(self.structures, [(*key, new)])[0])
        return self._depths[key]

    def are_listed(self, memory: int) -> Mask:
        """The structures of which a buffer is told by itself, from its data, (S,)."""
        coupled = memory in coupled_memories(self.counts, self.structures.walked)
        return np.asarray(self.structures.listed[:, memory] | coupled, np.bool_)

    @property
    def every(self) -> Ints:
        """The rows of all structures."""
        return np.arange(len(self.structures.pairs))

    def _cache(self, compute: Callable[[Ints], Ints]) -> RowCache:
        return RowCache(len(self.structures.pairs), compute)


@dataclass(frozen=True, eq=False)
class BatchMemories:
    """The memories of structures of a group under one scan, and how often they are accessed.

    There is no builder without a technology.
    """

    words: Words
    builder: Builder | None
    accesses: Callable[[], AccessesOf] | None

    def priced(self, paths: Datapaths, tasks: tuple[str, ...], combinations: Ints, rows: Ints) -> PricedMemories | None:
        """Those of some structures, by their rows, at combinations of rates; None without a technology."""
        if self.builder is None:
            return None
        kinds = self.builder.terms.kinds

        @cache
        def built() -> BuiltMemories:
            return BuiltMemories(paths, tasks, combinations, rows, self._memories, kinds.cost_names, self.words.fetch)

        return PricedMemories(
            lambda *designs: built().figures(*designs),
            lambda *designs: built().least(*designs),
            kinds.cost_names,
            kinds.has_blocks,
        )

    @cached_property
    def _memories(self) -> Sequence[BuiltMemory]:
        builder, counts = self.builder, self.words.counts
        assert builder is not None, "there is something to build with"
        accesses, found = self.accesses() if self.accesses is not None else _no_accesses, list[BuiltMemory]()
        for number, memory in enumerate(counts.memories):
            touching, own = builder.touching(memory.kind, memory.name), accesses(memory.kind, memory.name)
            if memory.kind == "buffer":
                buffer = self._buffer(builder, number, memory)
                alone = self.words.are_listed(number)
                needs = partial(_needs, number, buffer)
                found.append(BuiltMemory(touching, buffer.kind, buffer.figures, own, buffer.least, alone, needs))
            else:
                found.append(BuiltMemory(touching, _units, self._state(builder, number, memory), own))
        for task, array in builder.residents:
            own = accesses(builder.resident_kind(array), f"{task}.{array}")
            found.append(of_rates((task,), partial(builder.figures_of_resident, task, array), own))
        return found

    def _buffer(self, builder: Builder, number: int, memory: Memory) -> BufferFigures:
        words = self.words
        return BufferFigures(
            builder,
            memory.name,
            len(words.every),
            lambda rows: words.addressed(rows)[:, number],
            lambda rows: words.live(rows)[:, number],
            partial(words.depths, number),
        )

    def _state(self, builder: Builder, number: int, memory: Memory) -> Callable[[int, Ints], Figures]:
        """The figures of a state, by the units of its task."""

        @cache
        def table(units: int) -> SizeTable:
            return SizeTable(lambda data: builder.figures(builder.state(memory.name, units, data), memory.bits))

        return lambda units, rows: table(units)(self.words.addressed(rows)[:, number])


def _needs(number: int, buffer: BufferFigures, kind: Kind, rows: Ints) -> Iterator[Wanted]:
    """The depths that figures of a kind of buffer hang on in some structures."""
    return ((number, function, some) for function, some in buffer.needs(kind, rows))


def _units(rates: Rates) -> int:
    """The units of a single task."""
    ((units, _),) = rates.values()
    return units


def _no_accesses(_: MemoryKind, __: str) -> Sequence[Ints]:
    return NO_ACCESSES
