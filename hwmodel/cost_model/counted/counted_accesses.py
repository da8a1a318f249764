"""Accesses to the memories of structures of a separable group, and the data that they move, from counts.

Which repetitions run does not depend on blocks, nor which elements they read and write. So nearly all accesses of a
group are one number for each memory, except those of tasks that recompute, which run an index as often as it has
places. Blocks decide how often data are loaded. The port moves whole words, so its words are summed over the kinds of
steps.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.cost_model.counted.block_order import Structures
from hwmodel.cost_model.counted.counts import GroupCounts
from hwmodel.cost_model.counted.step_kinds import step_kinds
from hwmodel.cost_model.group.access_counts import Counts, accesses_of_products
from hwmodel.cost_model.memory_port.port import MemoryPort
from hwmodel.cost_model.tables.group_tables import AccessTable
from hwmodel.memory_kinds import KINDS, KindName


def moved_data(counts: GroupCounts, structures: Structures) -> IntArray:
    """The counted quantities (S, Q) over all steps, in the order of `counts.counted`."""
    rows, columns = (order.steps.totals()[:, : len(counts.factor)] for order in (structures.outer, structures.inner))
    moved: IntArray = rows[structures.pairs[:, 0]] * columns[structures.pairs[:, 1]] * counts.factor
    return moved


@dataclass(frozen=True, eq=False)
class CountedAccesses:
    """Runs, accesses and transfers of S structures; each is (1,), if equal for all, or (S,)."""

    counts: GroupCounts
    structures: Structures
    port: MemoryPort

    @cached_property
    def runs(self) -> Mapping[str, IntArray]:
        """The number of runs of each task."""
        counts, tasks = self.counts, self.counts.parts.group.tasks
        runs = {task: np.array([counts.repetitions(task)]) for task in tasks if task not in counts.again}
        return runs | {task: self._quantities[:, counts.names.index(("task", task))] for task in counts.again}

    @cached_property
    def moved(self) -> Mapping[str, IntArray]:
        """The data of each array that are loaded and stored."""
        moved: dict[str, IntArray] = {}
        for (kind, name), data in zip(self.counts.names, self._quantities.T, strict=True):
            if kind != "task":
                moved[name] = moved[name] + data if name in moved else data
        return moved

    @cached_property
    def port_words(self) -> Mapping[str, IntArray]:
        """The words that the port moves for each array, in the bursts or requests of all steps."""
        counts, port = self.counts, self.port
        moved = {name: np.zeros(len(self.structures.pairs), np.int64) for _, name in counts.bursts}
        for kinds in step_kinds(counts, self.structures, cyclic=False):
            for burst, entries in counts.bursts.items():
                data = kinds.happens[:, :, entries].sum(axis=2)
                kind, name = burst
                if port.by_run:
                    requests = kinds.runs.requests(burst, data, port.requested(name, write=kind == "store"))
                    words = requests.number * requests.words
                else:
                    words = port.words(name, data)
                moved[name][kinds.chosen] += (words * kinds.times).sum(axis=1)
        return moved

    def of_memory(self, kind: KindName, name: str) -> tuple[IntArray, IntArray]:
        """The data that are read from a memory and written to it, by tasks and by loads and stores."""
        reads, writes = (self._by_tasks(kind, name, writes=write) for write in (False, True))
        if not KINDS[kind].is_buffer:
            return reads, writes
        bursts = self.counts.bursts
        stored, loaded = (self._quantities[:, bursts.get((way, name), [])].sum(axis=1) for way in ("store", "load"))
        return reads + stored, writes + loaded

    def only(self, rows: IntArray) -> AccessTable:
        """The accesses of some structures."""
        return replace(self, structures=self.structures.only(rows))

    def _by_tasks(self, kind: KindName, name: str, *, writes: bool) -> IntArray:
        """The data that tasks read from a memory or write to it."""
        key = kind, name, writes
        own = np.array([self.counts.accesses[key]])
        return own + np.array([again[key] for again in self._again]) if self.counts.again else own

    @cached_property
    def _quantities(self) -> IntArray:
        return moved_data(self.counts, self.structures)

    @cached_property
    def _again(self) -> list[Counts]:
        return list(map(self._again_in, range(len(self.structures.pairs))))

    def _again_in(self, row: int) -> Counts:
        """The accesses of recomputing tasks in a structure: an index counts as often as it has places."""
        parts, totals = self.counts.parts, Counts()
        for task in self.counts.again:
            running, factor = self.counts.running(task), 1
            for walked, pick in zip(self.structures.walked, self.structures.picks[row], strict=True):
                times, moving = walked.table.again[task][pick], parts.dimensions[task][walked.block]
                if moving is None:
                    factor *= int(times[0])
                else:
                    (dimension,) = parts.spaces.dimensions(task)[moving]
                    running[dimension] = np.repeat(running[dimension], times[running[dimension]])
            for key, number in accesses_of_products(parts.group, {task: running}, self.counts.kind_of).items():
                totals[key] += number * factor
        return totals
