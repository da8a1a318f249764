"""What the memories of many structures are built of at many rates (docs/machine.md, section 13)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from hwmodel.local_memory.bank_functions import BankFunction
from hwmodel.machine.estimate import MemoryKind
from hwmodel.machine.local_ports import Rates
from hwmodel.machine.organised import (
    Builder,
    BuiltFigures,
    BuiltTotals,
    Figures,
    KnownWays,
    Rows,
    at_rates,
    figures_or_none,
    of_each,
)
from hwmodel.machine.schedule.datapaths import Datapaths
from hwmodel.machine.separable.axes import Ints
from hwmodel.machine.separable.block_order import Structures
from hwmodel.machine.separable.counts import GroupCounts, Memory
from hwmodel.machine.separable.sizes import Sizes


@dataclass(frozen=True, eq=False)
class Buffers:
    """Depths of the buffers of structures that are products; of others they mean nothing."""

    counts: GroupCounts
    structures: Structures
    _depths: dict[tuple[int, BankFunction], Ints] = field(default_factory=dict, repr=False)

    def depths(self, memory: int, function: BankFunction) -> Ints:
        """The words of the deepest bank of a buffer, (S,)."""
        key = memory, function
        if key not in self._depths:
            self._depths[key] = Sizes(self.counts).depths(self.structures, memory, function)
        return self._depths[key]


AccessesOf = Callable[[MemoryKind, str], Sequence[Ints]]  # of a memory the data read and written, (1,) or (S,) each


def no_accesses(_: MemoryKind, __: str) -> Sequence[Ints]:
    """None of any memory: where energies are not asked for."""
    return np.zeros(1, np.int64), np.zeros(1, np.int64)


@dataclass(frozen=True, eq=False)
class BatchMemories:
    """The memories of S structures of a group under one scan; `words` (S, memories) are what each takes in one bank."""

    builder: Builder
    counts: GroupCounts
    paths: Datapaths
    tasks: tuple[str, ...]
    buffers: Buffers
    words: Ints
    accesses: AccessesOf

    def figures(self, combinations: Ints) -> BuiltFigures:
        """What all take at combinations of rates, (1, U, tasks) or (S, U, tasks)."""
        structures, known = len(self.words), KnownWays()
        total = BuiltTotals.of(structures, combinations.shape[1])
        for number, memory in enumerate(self.counts.memories):
            touching = self.builder.touching(memory.kind, memory.name)
            rows: Rows = partial(self._state, memory, number)
            if memory.kind == "buffer":
                rows = partial(self._buffer, memory, number, known)
            own = at_rates(self.paths, self.tasks, combinations, structures, touching, rows)
            total.add(own, self.accesses(memory.kind, memory.name))
        for task, array in self.builder.residents:
            rows = partial(self._resident, task, array)
            own = at_rates(self.paths, self.tasks, combinations, structures, (task,), rows)
            total.add(own, self.accesses(self.builder.resident_kind(array), f"{task}.{array}"))
        return BuiltFigures.of(total.figures, total.energy, self.builder.terms.kinds.cost_names)

    def _buffer(self, memory: Memory, number: int, known: KnownWays, rates: Rates, which: Ints) -> Figures:
        def depths(function: BankFunction) -> Ints:
            return self.buffers.depths(number, function)[which]

        known = known if len(which) == len(self.words) else KnownWays()
        return self.builder.buffers(memory.name, rates, self.words[which, number], depths, known)

    def _state(self, memory: Memory, number: int, rates: Rates, which: Ints) -> Figures:
        builder = self.builder

        def state(data: int) -> tuple[float, ...]:
            return builder.figures(builder.state(memory.name, rates, data), memory.bits)

        return of_each(self.words[which, number], state)

    def _resident(self, task: str, array: str, rates: Rates, which: Ints) -> Figures:
        figures = figures_or_none(partial(self.builder.figures_of_resident, task, array), rates)
        return np.repeat(np.array(figures, np.float64)[:, None], len(which), axis=1)
