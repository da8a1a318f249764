"""The tables of one structure, from every run and every element (`enumerated.plan`)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from arrayol.arrays import BoolArray, IntArray
from arrayol.ir.spec import Delay
from hwmodel.accesses import Accesses
from hwmodel.cost_model.energy import energy_prices
from hwmodel.cost_model.enumerated.plan import EnumeratedPlan, plan_group
from hwmodel.cost_model.enumerated.scheduled import ScheduledPipeline, ScheduledSteps
from hwmodel.cost_model.group.access_counts import states_of
from hwmodel.cost_model.group.group import frames_kept
from hwmodel.cost_model.group.moves import largest_live, largest_live_folded
from hwmodel.cost_model.issue.chains import Chains, open_intervals
from hwmodel.cost_model.memories.bank_figures import RowCache
from hwmodel.cost_model.memories.figures import Wanted
from hwmodel.cost_model.memories.local_ports import LocalPorts
from hwmodel.cost_model.tables.group_tables import AccessTable, GroupTables
from hwmodel.cost_model.tables.memories import BufferMemory, DelayState, FifoMemory, MemoryRow, TableMemory
from hwmodel.design import GroupDesign
from hwmodel.local_memory.bank_functions import BankFunction
from hwmodel.memory_kinds import KindName
from hwmodel.platform import Platform


def enumerate_tables(
    accesses: Accesses, platform: Platform, structure: GroupDesign, ports: LocalPorts | None = None
) -> GroupTables:
    """The tables of a structure, by enumeration; `ports` are its local ports, if they are known.

    Raises ArrayolError for choices that docs/machine.md, section 6, refuses at any units.
    """
    return plan_tables(plan_group(accesses, platform, structure, ports))


def plan_tables(plan: EnumeratedPlan, *, in_succession: bool = False) -> GroupTables:
    """The tables of a plan; `in_succession`, with the memories of frames that follow each other without pause."""
    steps = ScheduledSteps(
        plan.design.tasks,
        plan.processors,
        lambda pipelines, cyclic: plan.step_kinds(pipelines, folded=cyclic),
        np.array([plan.steps], np.int64),
        plan.single_readers,
    )
    return GroupTables(
        group=plan.group,
        platform=plan.platform,
        ports=plan.ports,
        layouts=plan.design.layouts,
        evaluator="enumerated",
        prices=energy_prices(plan.platform, plan.group.network),
        steps=steps,
        buffers=PlanBuffers(plan, plan.ticks if in_succession else None),
        accesses=PlanAccesses(plan),
        rows=np.zeros(1, np.intp),
        fifos=fifo_memories(steps.pipelines),
    )


def fifo_memories(pipelines: Iterable[ScheduledPipeline]) -> tuple[FifoMemory, ...]:
    """The FIFOs inside pipelines."""
    return tuple(_fifo_memory(pipeline, array) for pipeline in pipelines for array in pipeline.single_steps.fifos)


def _fifo_memory(pipeline: ScheduledPipeline, array: str) -> FifoMemory:
    bits = pipeline.single_steps.group.network.arrays[array].type.bits
    return FifoMemory(array, bits, tasks=pipeline.tasks, data=lambda rates: pipeline.at(rates).depths.get(array))


@dataclass(frozen=True, eq=False)
class PlanBuffers:
    """The buffers and delay states of a plan, of one frame or of frames that follow each other every `period` steps."""

    plan: EnumeratedPlan
    period: int | None = None

    @property
    def structures(self) -> int:
        """The number of structures: one."""
        return 1

    @cached_property
    def memories(self) -> Sequence[TableMemory]:
        """The memories: buffers, then states."""
        arrays = self.plan.group.network.arrays
        kind_of = self.plan.design.memory_kind
        buffers = [
            BufferMemory(array, arrays[array].type.bits, self._banks(array), kind_of(array))
            for array in self.plan.buffers
        ]
        states = [DelayState(name, bits) for name, (_, _, _, bits) in self._states.items()]
        return [*buffers, *states]

    @cached_property
    def live(self) -> RowCache:
        """The live count of each memory, (1, memories)."""
        return RowCache(1, lambda _: np.array([[self._live_in(memory) for memory in self.memories]], np.int64))

    @cached_property
    def addressed(self) -> RowCache:
        """The addressed size of each memory in one bank, in words, (1, memories)."""
        return RowCache(1, lambda _: np.array([[self._addressed(memory) for memory in self.memories]], np.int64))

    def depths(self, memory: int, function: BankFunction, rows: IntArray) -> IntArray:
        """The words of the deepest bank of a buffer, (n,)."""
        array = self.memories[memory].name
        if self.period is None:
            depth = self.plan.depth(array, function)
        else:
            depth = self.plan.buffers[array].contents.in_succession.depth(function)
        return np.full(len(rows), depth)

    def fetch(self, wanted: Iterable[Wanted]) -> None:
        """Do nothing: depths take no less time together."""

    def are_listed(self, _: int) -> BoolArray:
        """False: there is only one structure, and its time cannot be shared."""
        return np.zeros(1, np.bool_)

    def state_banks(self, memory: int, units: int, rows: IntArray) -> IntArray:
        """Banks (n,) that separate the chains on which so many units work."""
        return np.full(len(rows), self.plan.processors.state(self.memories[memory].name).banks(units))

    def _live_in(self, memory: MemoryRow) -> int:
        if isinstance(memory, DelayState):
            task, delay, each, _ = self._states[memory.name]
            return each * self._chains_open(task, delay)
        held = self.plan.buffers[memory.name].held
        return self._live(held.born, held.last)

    def _addressed(self, memory: MemoryRow) -> int:
        if isinstance(memory, DelayState):
            words = self.plan.processors.state(memory.name).words
            return self._states[memory.name][2] * words if self.period is None else self._live_in(memory)
        contents = self.plan.buffers[memory.name].contents
        return contents.size if self.period is None else contents.in_succession.size

    def _live(self, born: IntArray, last: IntArray) -> int:
        return largest_live(born, last) if self.period is None else largest_live_folded(born, last, self.period)

    def _banks(self, array: str) -> int:
        """Banks of a buffer: its layout's, else one for each element of the largest pattern."""
        for layout in self.plan.design.layouts:
            if layout.array == array:
                return layout.banks
        group = self.plan.group
        touches = [touch for task in group.tasks for touch in (*group.reads(task, array), *group.writes(task, array))]
        return max(math.prod(touch.pattern) for touch in touches)

    @cached_property
    def _states(self) -> Mapping[str, tuple[str, Delay, int, int]]:
        """The states by name: task, delay, data of an instance, and bits of a datum."""
        return {
            name: (task, delay, data, bits)
            for task in self.plan.group.tasks
            for name, delay, data, bits in states_of(self.plan.group, task)
        }

    def _chains_open(self, task: str, delay: Delay) -> int:
        """The live count of a delay's values: open chains, or the repetitions of the frames that it keeps."""
        accesses = self.plan.group.accesses
        repetitions, extents = accesses.repetitions(task), accesses.extents(task)
        kept = frames_kept(self.plan.group.network.processes[task].repetition, delay)
        if kept:
            return kept * len(repetitions)
        stage = self.plan.processors.stages[task]
        chains = Chains.of(repetitions[stage.work.repetition], extents, delay.vector)
        return self._live(*open_intervals(chains, stage.step))


@dataclass(frozen=True, eq=False)
class PlanAccesses:
    """Runs, accesses and transfers of a plan, (1,) each."""

    plan: EnumeratedPlan

    @cached_property
    def runs(self) -> Mapping[str, IntArray]:
        """The number of runs of each task."""
        return _each({task: len(stage.work.repetition) for task, stage in self.plan.processors.stages.items()})

    @cached_property
    def moved(self) -> Mapping[str, IntArray]:
        """The data of each array that are loaded and stored."""
        moved: dict[str, int] = {}
        for transfer in self.plan.transfers:
            moved[transfer.array] = moved.get(transfer.array, 0) + len(transfer.element)
        return _each(moved)

    @cached_property
    def port_words(self) -> Mapping[str, IntArray]:
        """The words that the port moves for each array."""
        return _each(self.plan.port_words)

    def of_memory(self, kind: KindName, name: str) -> tuple[IntArray, IntArray]:
        """The data that are read from a memory and written to it."""
        counts = self.plan.access_counts
        return np.array([counts[kind, name, False]]), np.array([counts[kind, name, True]])

    def only(self, rows: IntArray) -> AccessTable:
        """The plan itself, since it has one structure."""
        assert len(rows) == 1, "there is one"
        return self


def _each(numbers: Mapping[str, int]) -> dict[str, IntArray]:
    """Values by name as arrays (1,)."""
    return {name: np.array([number], np.int64) for name, number in numbers.items()}
