"""The work of a group in each step, at any rates, as the source of its tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from hwmodel.accesses import Accesses
from hwmodel.cost_model.bounds import Volume, require_plan
from hwmodel.cost_model.enumerated.scheduled import GroupSteps
from hwmodel.cost_model.group.access_counts import Counts, accesses_of_runs
from hwmodel.cost_model.group.group import Group
from hwmodel.cost_model.group.moves import Lifetimes, Stored, contents_of, load_array, make_array
from hwmodel.cost_model.group.scans import loop_counts
from hwmodel.cost_model.group.ticks import Ticks, stage_group, tick_group
from hwmodel.cost_model.issue.datapaths import Datapaths
from hwmodel.cost_model.issue.fifo import FifoData, fifo_data
from hwmodel.cost_model.issue.occupancy import LayoutOccupancy, of_work
from hwmodel.cost_model.issue.processors import (
    Pipeline,
    Processors,
    check_cuts,
    check_layouts,
    check_single_buffers,
    make_stages,
)
from hwmodel.cost_model.memories.local_ports import LocalPorts
from hwmodel.cost_model.memory_port.port import MemoryPort, PortCycles, Transfer
from hwmodel.design import GroupDesign
from hwmodel.local_memory.addresses import Words
from hwmodel.local_memory.bank_functions import BankFunction
from hwmodel.local_memory.contents import Contents
from hwmodel.platform import Platform


@dataclass(frozen=True, eq=False)
class EnumeratedBuffer:
    """The instances that a buffer holds, and their addresses."""

    held: Lifetimes
    contents: Contents


@dataclass(frozen=True)
class EnumeratedPlan:
    """A group's work and moves by step, counted from 0; `ticks` is the number of ticks, inserted ones included."""

    group: Group
    design: GroupDesign
    platform: Platform
    held: tuple[Lifetimes, ...]
    transfers: tuple[Transfer, ...]
    processors: Processors
    ticks: int
    ports: LocalPorts
    _depths: dict[tuple[str, BankFunction], int] = field(default_factory=dict, repr=False, compare=False)
    _words: dict[tuple[str, BankFunction | None], Words] = field(default_factory=dict, repr=False, compare=False)

    @property
    def steps(self) -> int:
        """The number of steps from the first to the last with any work."""
        return self.processors.steps

    @property
    def single_readers(self) -> frozenset[str]:
        """The tasks for which loads of single buffers wait."""
        return frozenset(task for array in self.design.single_buffers for task in self.group.readers(array))

    @property
    def fifos(self) -> Mapping[str, FifoData]:
        """The FIFOs by array."""
        return self.processors.fifos

    def depth(self, array: str, function: BankFunction) -> int:
        """The words of the deepest bank of an array's buffer under a bank function."""
        key = array, function
        if key not in self._depths:
            self._depths[key] = self.buffers[array].contents.depth(function)
        return self._depths[key]

    def words(self, array: str, function: BankFunction | None) -> Words:
        """The word of each datum in an array's buffer, in the banks of a function if there is one."""
        key = array, function
        if key not in self._words:
            contents = self.buffers[array].contents
            self._words[key] = contents.words if function is None else contents.in_banks(function)
        return self._words[key]

    @cached_property
    def buffers(self) -> Mapping[str, EnumeratedBuffer]:
        """The contents of each buffer, by array; arrays of FIFOs have none."""
        accesses = self.group.accesses
        loops = tuple(loop_counts(accesses.extents(self.group.last), self.design.blocks))
        return {
            held.array: EnumeratedBuffer(held, contents_of(accesses.shape(held.array), loops, self.ticks, held))
            for held in self.held
            if held.array not in self.fifos
        }

    @cached_property
    def port(self) -> PortCycles:
        """The port's cycles in each step."""
        return MemoryPort(self.group.accesses, self.platform).by_step(
            self.transfers, self.steps, self.design.single_buffers
        )

    @cached_property
    def folded_port(self) -> PortCycles:
        """The port's cycles in each step modulo the number of ticks."""
        folded = [replace(moved, step=moved.step % self.ticks) for moved in self.transfers]
        return MemoryPort(self.group.accesses, self.platform).by_step(folded, self.ticks, self.design.single_buffers)

    def step_kinds(self, pipelines: tuple[Pipeline, ...], *, folded: bool) -> GroupSteps:
        """The steps of all pipelines; `folded` modulo the number of ticks, where frames follow each other."""
        kinds = (self.processors.in_equal_steps(pipeline) for pipeline in pipelines)
        of = [equal.folded(self.ticks, own.works) if folded else equal.of for equal, own in kinds]
        port = self.folded_port if folded else self.port
        return GroupSteps.of(port, of, np.ones(len(port.loads), np.int64))

    @cached_property
    def access_counts(self) -> Counts:
        """How often memories are read and written, loads and stores included."""
        runs = {task: self.processors.stages[task].work.repetition for task in self.group.tasks}
        counts = Counts(accesses_of_runs(self.group, runs, self.design.memory_kind))
        for moved in self.transfers:
            counts[self.design.memory_kind(moved.array).name, moved.array, not moved.write] += len(moved.element)
        return counts

    @cached_property
    def port_words(self) -> Counter[str]:
        """The words that the port moves for each array."""
        port, words = MemoryPort(self.group.accesses, self.platform), Counter[str]()
        for moved in self.transfers:
            words[moved.array] += port.moved_words(moved)
        return words


def plan_group(
    accesses: Accesses, platform: Platform, design: GroupDesign, ports: LocalPorts | None = None
) -> EnumeratedPlan:
    """The work of a group in each step; `ports` are its local ports, if they are known.

    Raises ArrayolError for a structure that is refused at any rates.
    """
    group = Group(accesses, design.tasks)
    check_layouts(group, design.layouts, design.fifos, platform)
    check_cuts(group, design, platform)
    check_single_buffers(group, design.single_buffers, platform)
    ticks = tick_group(group, design)
    stages = stage_group(group, design.fifos)
    fifos = {array: fifo_data(group, ticks, array) for array in sorted(design.fifos)}
    loads = [load_array(group, design, ticks, stages, array) for array in group.loaded]
    results = [make_array(group, ticks, stages, array) for array in group.writers_of]
    stores = [stored for _, stored in results if len(stored.element)]
    in_memory = (load.a_step_later() if load.array in design.single_buffers else load for load in loads)
    held = [*in_memory, *(kept for kept, _ in results)]
    steps = {task: work.tick + stages.task[task] for task, work in ticks.work.items()}
    everything = [
        *(load.born for load in loads),
        *(kept.born for kept in held),
        *(stored.step for stored in stores),
        *steps.values(),
    ]
    first = min(int(step.min()) for step in everything if len(step))
    last = max(int(step.max()) for step in everything if len(step))
    steps = {task: step - first for task, step in steps.items()}
    transfers = _transfers(loads, stores, first)
    _require_bounded(accesses, platform, ticks, transfers, last - first + 1)
    stages_of = make_stages(group, design, ticks.work, steps)
    occupied = LayoutOccupancy.of(group, design.layouts, platform, of_work(group, ticks.work))
    ports = ports or LocalPorts.of(group, platform, design)
    paths = Datapaths(group.network, platform, occupied, ports.fill)
    return EnumeratedPlan(
        group,
        design,
        platform,
        tuple(replace(kept, sources=tuple(own.from_step(first) for own in kept.sources)) for kept in held),
        transfers,
        Processors(group, stages_of, fifos, last - first + 1, paths),
        len(ticks.block),
        ports,
    )


def _require_bounded(
    accesses: Accesses, platform: Platform, ticks: Ticks, transfers: Sequence[Transfer], steps: int
) -> None:
    moved: Counter[str] = Counter()
    for transfer in transfers:
        moved[transfer.array] += len(transfer.element)
    runs = {task: len(work.tick) for task, work in ticks.work.items()}
    require_plan(accesses, platform, Volume(steps, runs, moved))


def _transfers(loads: Sequence[Lifetimes], stores: Sequence[Stored], first: int) -> tuple[Transfer, ...]:
    return (
        *(Transfer(load.array, load.element, load.born - first, write=False) for load in loads),
        *(Transfer(store.array, store.element, store.step - first, write=True) for store in stores),
    )
