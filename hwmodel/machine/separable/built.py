"""What the memories of many structures are built of at many rates (docs/machine.md, section 13)."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

import numpy as np

from hwmodel.local_memory.bank_functions import BankFunction
from hwmodel.machine.local_ports import Rates
from hwmodel.machine.organised import FIGURES, Builder, BuiltFigures, Figures, at_rates, of_each
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


@dataclass(frozen=True, eq=False)
class BatchMemories:
    """The memories of S structures of a group under one scan; `words` (S, memories) are what each takes in one bank."""

    builder: Builder
    counts: GroupCounts
    paths: Datapaths
    tasks: tuple[str, ...]
    buffers: Buffers
    words: Ints

    def figures(self, combinations: Ints) -> BuiltFigures:
        """What all take at combinations of rates, (1, U, tasks) or (S, U, tasks)."""
        structures = len(self.words)
        total = np.zeros((len(FIGURES), structures, combinations.shape[1]))
        for number, memory in enumerate(self.counts.memories):
            touching = self.builder.touching(memory.kind, memory.name)
            rows = partial(self._buffer if memory.kind == "buffer" else self._state, memory, number)
            total += at_rates(self.paths, self.tasks, combinations, structures, touching, rows)
        for task, array in self.builder.residents:
            rows = partial(self._resident, task, array)
            total += at_rates(self.paths, self.tasks, combinations, structures, (task,), rows)
        return BuiltFigures.of(total, self.builder.terms.kinds.cost_names)

    def _buffer(self, memory: Memory, number: int, rates: Rates, which: Ints) -> Figures:
        def depths(function: BankFunction) -> Ints:
            return self.buffers.depths(number, function)[which]

        return self.builder.buffers(memory.name, rates, self.words[which, number], depths)

    def _state(self, memory: Memory, number: int, rates: Rates, which: Ints) -> Figures:
        builder = self.builder
        return of_each(self.words[which, number], lambda data: builder.figures(builder.state(memory.name, rates, data)))

    def _resident(self, task: str, array: str, rates: Rates, which: Ints) -> Figures:
        figures = self.builder.figures(self.builder.resident(task, array, rates))
        return np.repeat(np.array(figures, np.float64)[:, None], len(which), axis=1)
