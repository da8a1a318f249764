"""Tables of structures with FIFOs, from counts, at a cost that hardly grows with the arrays.

Apart from the tasks that FIFOs join, such a structure is one of a separable group with other stages and fewer buffers
(`GroupBatch.with_fifos`). The joined tasks have few kinds of steps (`fifo_steps`), and one step of each kind is
scheduled.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from hwmodel.cost_model.counted.axis_table import fields_of
from hwmodel.cost_model.counted.batch import GroupBatch
from hwmodel.cost_model.counted.block_order import Structures
from hwmodel.cost_model.counted.fifo_steps import AlongBlocks, FifoProcessors
from hwmodel.cost_model.counted.place_counts import PlaceCounts
from hwmodel.cost_model.counted.step_kinds import StepKinds, column_kinds, paired, row_kinds
from hwmodel.cost_model.enumerated.plan_tables import fifo_memories
from hwmodel.cost_model.enumerated.scheduled import GroupSteps, ScheduledSteps
from hwmodel.cost_model.group.ticks import require_legal
from hwmodel.cost_model.issue.fifo import ends_of
from hwmodel.cost_model.issue.processors import Pipeline, check_layouts
from hwmodel.cost_model.memories.local_ports import LocalPorts
from hwmodel.cost_model.tables.group_tables import GroupTables
from hwmodel.design import GroupDesign


def takes_fifos(batch: GroupBatch, structure: GroupDesign) -> bool:
    """Whether a structure with FIFOs, and otherwise only keeps and bank layouts, is Cartesian.

    Raises ArrayolError for choices that are refused at any units and initiation intervals.
    """
    return _product(batch, structure) is not None


def fifo_tables(batch: GroupBatch, structure: GroupDesign, ports: LocalPorts) -> GroupTables | None:
    """The tables of a structure with FIFOs; None if it is not Cartesian.

    Raises ArrayolError for choices that are refused at any units and initiation intervals.
    """
    product = _product(batch, structure)
    if product is None:
        return None
    opened, structures = product
    scheduled = _FifoSteps(opened, structure, structures, _processors(opened, structure, structures, ports))
    for pipeline in scheduled.processors.pipelines:
        scheduled.processors.ticks(pipeline)  # which refuses what it does
    tables = opened.tables_of(structure.blocks.scan, structures)
    steps = ScheduledSteps(structure.tasks, scheduled.processors, scheduled.steps, tables.steps.count)
    return replace(tables, ports=ports, steps=steps, fifos=fifo_memories(steps.pipelines))


def _product(batch: GroupBatch, structure: GroupDesign) -> tuple[GroupBatch, Structures] | None:
    """The batch and the structure by which FIFOs are evaluated from counts; None if it is not Cartesian."""
    parts, group = batch.counts.parts, batch.counts.parts.group
    if parts.spaces.couple:
        return None
    check_layouts(group, structure.layouts, structure.fifos, batch.platform)
    require_legal(group, group.last, structure.blocks)
    resolved = batch.with_fifos(structure.fifos).with_layouts(structure.layouts)  # which refuses first, as one by one
    joined = {task for array in sorted(structure.fifos) for task in ends_of(group, array)}
    if any(group.delays(task) or group.frame_delays(task) for task in joined):
        return None
    structures = resolved.structures_of(structure)
    has_formula = resolved.steps(structure.blocks.scan, structures).has_formula
    return (resolved, structures) if structures.holds[0] and has_formula[0] else None


def _processors(batch: GroupBatch, structure: GroupDesign, structures: Structures, ports: LocalPorts) -> FifoProcessors:
    """The processors of the structure by kinds of their steps."""
    blocks, group = structure.blocks, batch.counts.parts.group
    sides = []
    for walk, _, own in batch.walks(blocks.scan, np.array([blocks.shape], np.int64)):
        loops, fields = fields_of(batch.counts, walk, own)
        sides.append(AlongBlocks(walk.block, fields, int(loops.prod())))
    most = dict(zip(group.tasks, structures.longest[0].tolist(), strict=True))
    return FifoProcessors(batch.counts, blocks, replace(batch.paths, filling=ports.fill), sides, most)


@dataclass(frozen=True, eq=False)
class _FifoSteps:
    """The steps of the single structure of `structures`."""

    batch: GroupBatch
    design: GroupDesign
    structures: Structures
    processors: FifoProcessors

    def steps(self, pipelines: tuple[Pipeline, ...], cyclic: bool) -> GroupSteps:
        """The steps of all pipelines; `cyclic`: modulo the number of ticks, where frames follow each other.

        Computed as in batches (`step_kinds`), with the row and the column of each pipeline's tick as two more counts.
        """
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
            row_kinds(PlaceCounts.of(outer[None], np.array([len(rows)])), above, cyclic=cyclic),
            column_kinds(PlaceCounts.of(inner[None], np.array([len(columns)])), shift),
        )
        happens, places = np.split(entries, [len(counts.shift)], axis=2)
        kinds = StepKinds.of(counts, structures, np.zeros(1, np.int64), times, happens)
        port = self.batch.steps(self.design.blocks.scan, structures).port(kinds).of_structure(0)
        of = [each.kinds(*places[0, :, 2 * number : 2 * number + 2].T) for number, each in enumerate(ticks)]
        return GroupSteps.of(port, of, times[0])
