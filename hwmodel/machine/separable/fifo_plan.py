"""Structures with FIFOs, planned by counts: of each array and task what it does step by step, whatever their size.

But for the tasks that FIFOs join, such a structure is one of a separable group in other stages, with fewer buffers
(`GroupBatch.with_fifos`). What these tasks do is told by the kinds of their steps (`fifo_steps`). So the plan has all
that `units_exact` computes figures from, and takes hardly longer for large arrays than for small ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from hwmodel.design import GroupDesign
from hwmodel.local_memory.bank_functions import BankFunction
from hwmodel.machine.access_counts import Counts
from hwmodel.machine.built.local_ports import LocalPorts
from hwmodel.machine.built.organised import Builder
from hwmodel.machine.estimate import Path
from hwmodel.machine.group import Group
from hwmodel.machine.group_plan import GroupSteps
from hwmodel.machine.port import Port
from hwmodel.machine.schedule.fifo import ends_of
from hwmodel.machine.schedule.processors import Pipeline, check_layouts
from hwmodel.machine.separable.axis_table import fields_of
from hwmodel.machine.separable.batch import GroupBatch
from hwmodel.machine.separable.block_order import Structures
from hwmodel.machine.separable.built import Words
from hwmodel.machine.separable.energy import LocalAccesses, port_words
from hwmodel.machine.separable.estimate import kept_memories, number_of_steps
from hwmodel.machine.separable.fifo_steps import AlongBlocks, FifoProcessors
from hwmodel.machine.separable.place_counts import PlaceCounts
from hwmodel.machine.separable.timing import StepKinds, column_kinds, paired, row_kinds
from hwmodel.machine.ticks import require_legal
from hwmodel.machine.units_exact import PlannedStructure
from hwmodel.platform import Platform


def takes_fifos(batch: GroupBatch, structure: GroupDesign) -> bool:
    """Whether a structure with FIFOs, and nothing else but keeps and bank layouts, of a separable group is a product.

    Raises ArrayolError for what is refused whatever the rates.
    """
    return _product(batch, structure) is not None


def plan_fifos(batch: GroupBatch, structure: GroupDesign, ports: LocalPorts) -> PlannedStructure | None:
    """The plan of such a structure; None where it is no product.

    Raises ArrayolError for what is refused whatever the rates.
    """
    found = _product(batch, structure)
    if found is None:
        return None
    own, structures = found
    plan = FifoPlan(own, structure, structures, ports)
    for pipeline in plan.processors.pipelines:
        plan.processors.ticks(pipeline)  # which refuses what it does
    return PlannedStructure(structure, plan, kept_memories(own, plan.words_of, 0))


def _product(batch: GroupBatch, structure: GroupDesign) -> tuple[GroupBatch, Structures] | None:
    """What prices a structure with its FIFOs in batches; None where that is no product."""
    parts, group = batch.counts.parts, batch.counts.parts.group
    if parts.spaces.couple:
        return None
    check_layouts(group, structure.layouts, structure.fifos, batch.platform)
    require_legal(group, group.last, structure.blocks)
    own = batch.with_fifos(structure.fifos).with_layouts(structure.layouts)  # which refuses first, as one by one
    joined = {task for array in sorted(structure.fifos) for task in ends_of(group, array)}
    if any(group.delays(task) or group.frame_delays(task) for task in joined):
        return None
    structures = own.structures_of(structure)
    has_formula = own.timing(own.tasks, structure.blocks.scan).has_formula(structures)
    return (own, structures) if structures.holds[0] and has_formula[0] else None


@dataclass(frozen=True, eq=False)
class FifoPlan:
    """The plan of the one of some `structures`."""

    batch: GroupBatch
    design: GroupDesign
    structures: Structures
    ports: LocalPorts
    path: Path = "separable"
    _kinds: dict[tuple[tuple[Pipeline, ...], bool], GroupSteps] = field(default_factory=dict, repr=False)

    @property
    def group(self) -> Group:
        """The group."""
        return self.batch.counts.parts.group

    @property
    def platform(self) -> Platform:
        """What it runs on."""
        return self.batch.platform

    @cached_property
    def builder(self) -> Builder | None:
        """What builds the memories; None without a technology."""
        return Builder.of(self.ports, self.design.layouts)

    @cached_property
    def words_of(self) -> Words:
        """The words of buffers."""
        return Words(self.batch.counts, self.structures)

    def depth(self, array: str, function: BankFunction) -> int:
        """The words of the deepest bank of the buffer of an array."""
        number = next(number for number, own in enumerate(self.batch.counts.memories) if own.name == array)
        return int(self.words_of.depths(number, function, np.zeros(1, np.int64))[0])

    @cached_property
    def processors(self) -> FifoProcessors:
        """The processors by kinds of steps."""
        batch, scan = self.batch, self.design.blocks.scan
        paths = replace(batch.paths, filling=self.ports.fill)
        sides = []
        for walk, _, own in batch.walks(scan, np.array([self.design.blocks.shape], np.int64)):
            loops, fields = fields_of(batch.counts, walk, own)
            sides.append(AlongBlocks(walk.block, fields, int(loops.prod())))
        most = dict(zip(self.group.tasks, self.structures.longest[0].tolist(), strict=True))
        return FifoProcessors(batch.counts, self.design.blocks, paths, sides, most)

    @property
    def steps(self) -> int:
        """The number of steps from the first that does anything to the last."""
        return int(number_of_steps(self.batch, self.structures)[0])

    def step_kinds(self, pipelines: tuple[Pipeline, ...], *, folded: bool) -> GroupSteps:
        """The steps of all pipelines; `folded` modulo the number of ticks, where frames follow each other.

        Told as in batches (`timing`), with the row and the column of each pipeline's tick as two counts more.
        """
        key = pipelines, folded
        if key not in self._kinds:
            self._kinds[key] = self._steps(pipelines, folded=folded)
        return self._kinds[key]

    def _steps(self, pipelines: tuple[Pipeline, ...], *, folded: bool) -> GroupSteps:
        counts, structures = self.batch.counts, self.structures
        outer, inner = (
            order.steps.counts_at(side, np.arange(len(counts.shift))[:, None], np.arange(int(order.places[side]))[None])
            for order, side in zip((structures.outer, structures.inner), structures.pairs[0], strict=True)
        )
        ticks = [self.processors.ticks(pipeline) for pipeline in pipelines]
        rows, columns = np.ones(outer.shape[1], np.int64), np.ones(inner.shape[1], np.int64)
        outer = np.stack([*outer, *(own for each in ticks for own in (1 + each.rows, rows))])
        inner = np.stack([*inner, *(own for each in ticks for own in (columns, 1 + each.columns))])
        stages = [counts.shift[counts.names.index(("task", own[0]))] for own in pipelines]
        shift = np.concatenate([counts.shift, np.repeat(np.array(stages, np.int64), 2)])
        above = -(-int(shift.max()) // len(columns))
        times, entries = paired(
            np.zeros((1, 2), np.int64),
            row_kinds(PlaceCounts.of(outer[None], np.array([len(rows)])), above, cyclic=folded),
            column_kinds(PlaceCounts.of(inner[None], np.array([len(columns)])), shift),
        )
        happens, places = np.split(entries, [len(counts.shift)], axis=2)
        kinds = StepKinds.of(counts, structures, np.zeros(1, np.int64), times, happens)
        port = self.batch.timing(self.batch.tasks, self.design.blocks.scan).port(kinds).of_structure(0)
        of = [each.kinds(*places[0, :, 2 * number : 2 * number + 2].T) for number, each in enumerate(ticks)]
        return GroupSteps.of(port, of, times[0])

    @cached_property
    def runs(self) -> Mapping[str, int]:
        """How often each task runs."""
        return {task: self.batch.counts.repetitions(task) for task in self.group.tasks}

    @cached_property
    def access_counts(self) -> Counts:
        """How often memories are read and written, what is loaded and stored included."""
        return LocalAccesses(self.batch.counts, self.structures).of_row(0)

    @property
    def traffic_bytes(self) -> int:
        """All that is loaded and stored."""
        return int(self.batch.traffic(self.structures)[0])

    @property
    def port_bytes(self) -> int:
        """All that the port moves for it: whole words."""
        return int(self.batch.port_traffic(self.structures)[0])

    @cached_property
    def port_words(self) -> Mapping[str, int]:
        """The words that the port moves of each array."""
        port = Port(self.group.accesses, self.platform)
        words = port_words(self.batch.counts, port, self.structures)
        return {array: int(own[0]) for array, own in words.items()}
