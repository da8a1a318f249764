"""The first and last steps of a group in detail, and its moved data by array, for pictures of a design."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.cost_model.counted.batch import GroupBatch
from hwmodel.cost_model.counted.block_order import Structures
from hwmodel.cost_model.counted.step_kinds import StepKinds, step_kinds
from hwmodel.cost_model.enumerated.plan import plan_group
from hwmodel.cost_model.evaluate.estimate import latencies_of, step_ends
from hwmodel.cost_model.memory_port.port import PortCycles
from hwmodel.cost_model.model import MachineModel
from hwmodel.cost_model.streaming.stream_lines import LinesOfNode, lines_of_nodes
from hwmodel.cost_model.tables.steps import StepPart
from hwmodel.design import GroupDesign, is_plain, rates_of
from hwmodel.stream.model import last_firing


@dataclass(frozen=True, slots=True)
class ShownStep:
    """One step: its number and first cycle (from 0), its length, and the cycles of its loads, stores and processors.

    On a shared port the stores follow the loads; on separate ports both start with the step.
    """

    number: int
    start: int
    length: int
    loads: int
    stores: int
    busy: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MovedElements:
    """Elements of an array that a group loads from and stores to the external memory."""

    array: str
    loaded: int
    stored: int


@dataclass(frozen=True, slots=True)
class Timeline:
    """Steps of a group, ascending, with gaps where some are not shown; a step's `busy` is in the order of `tasks`.

    `lines` are those that the nodes of a streaming group pass.
    """

    tasks: tuple[str, ...]
    shared_port: bool
    steps: tuple[ShownStep, ...]
    moved: tuple[MovedElements, ...]
    lines: tuple[LinesOfNode, ...] = ()


def group_timeline(
    model: MachineModel, group: GroupDesign, totals: tuple[int, int], *, first: int, last: int
) -> Timeline:
    """The first and last steps of a group whose `totals` are steps and cycles, from the front end that evaluates it.

    Raises ArrayolError for choices that docs/machine.md, section 6, refuses; ValueError if the totals differ.
    """
    steps, cycles = totals
    if group.stream is not None:
        return _of_stream(model, group, totals, first=first, last=last)
    shown = np.unique(np.concatenate([np.arange(min(first, steps)), np.arange(max(0, steps - last), steps)]))
    batch = model.batch(group.tasks) if is_plain(group) else None
    if batch is not None:
        batch = batch.with_layouts(group.layouts)
        structures = batch.structures_of(group)
        if structures.holds.all() and batch.steps(group.blocks.scan, structures).has_formula.all():
            return _separably(batch, group, structures, shown, cycles)
    return _exactly(model, group, shown, totals)


def _of_stream(model: MachineModel, group: GroupDesign, totals: tuple[int, int], *, first: int, last: int) -> Timeline:
    """The timeline of a streaming group: its tasks work in the pulses from their first to their last firing."""
    pricer = model.streams_of(group)
    streamed = pricer.streamed(group)
    steps = pricer.steps(streamed)
    length = steps.lengths
    if (len(length), int(length.sum())) != totals:
        raise ValueError("the group takes other steps or cycles")
    number = np.arange(len(length))
    shown = np.flatnonzero((number < first) | (number >= len(length) - last))
    begin, work = steps.begins[shown], steps.work[shown]
    busy = {}
    for task in group.tasks:
        firing = streamed.nodes[task].firing
        end = np.minimum(begin + work, last_firing(firing) + firing.interval)
        busy[task] = np.maximum(end - np.maximum(begin, firing.start), 0)
    moved: dict[str, MovedElements] = {}
    for own in steps.ports:
        _move(moved, own.array, own.all_data, write=own.write)
    port = steps.port.of_structure(shown)
    found = _timeline(shown, (np.cumsum(length) - length)[shown], length[shown], port, busy, moved)
    return replace(found, lines=lines_of_nodes(streamed))


def _separably(batch: GroupBatch, group: GroupDesign, structures: Structures, shown: IntArray, cycles: int) -> Timeline:
    """The timeline of a Cartesian structure, from counts."""
    tasks = batch.counts.parts.group.tasks
    steps, rates = batch.steps(group.blocks.scan, structures), rates_of(group)

    def at_rates(part: StepPart) -> tuple[PortCycles, dict[str, IntArray]]:
        of_task = {work.tasks[0]: work for work in part.works}
        busy = {task: of_task[task].at(np.array([rates[task]])).cycles[0, 0] for task in tasks}
        return part.port.of_structure(0), busy

    port, busy = at_rates(steps.part(_kinds_at(batch, structures, shown)))
    length, _ = step_ends(port, busy, {})
    (all_kinds,) = step_kinds(batch.counts, structures, cyclic=False)
    all_lengths, _ = step_ends(*at_rates(steps.part(all_kinds)), {})
    if int(all_lengths @ all_kinds.times[0]) != cycles or not length.all():
        raise ValueError("the group takes other steps or cycles")
    gap = int(np.argmax(np.diff(shown, append=shown[-1] + 2) > 1)) + 1  # steps before the gap, or all
    start = np.cumsum(length) - length
    start[gap:] += cycles - int(length.sum())
    sums = (all_kinds.times[0] @ all_kinds.happens[0]).tolist()
    moved: dict[str, MovedElements] = {}
    for (kind, name), amount in zip(batch.counts.names, sums, strict=True):
        if kind != "task":
            _move(moved, name, amount, write=kind == "store")
    return _timeline(shown, start, length, port, busy, moved)


def _kinds_at(batch: GroupBatch, structures: Structures, shown: IntArray) -> StepKinds:
    """The counts of some steps: those of work with a shift are at (row, column) = divmod(step - shift, columns)."""
    shift, (outer, inner) = batch.counts.shift, structures.pairs[0].tolist()
    place = shown[:, None] - shift[None, :]
    row, column = np.divmod(place, int(structures.inner.places[inner]))
    entry, sides = np.arange(len(shift))[None, :], [np.full_like(place, side) for side in (outer, inner)]
    count = structures.outer.steps.at(sides[0], entry, row)[0] * structures.inner.steps.at(sides[1], entry, column)[0]
    once = np.ones((1, len(shown)), np.int64)
    return StepKinds.of(batch.counts, structures, np.zeros(1, np.int64), once, count[None])


def _exactly(model: MachineModel, group: GroupDesign, shown: IntArray, totals: tuple[int, int]) -> Timeline:
    """The timeline of any structure, by enumeration."""
    plan = plan_group(model.accesses, model.platform, group)
    busy_of = plan.processors.all_busy(rates_of(group))
    busy = {task: work.cycles for task, work in busy_of.items()}
    latencies = latencies_of(plan.processors.paths, plan.single_readers, rates_of(group))
    length, _ = step_ends(plan.port, busy, latencies)
    if (len(length), int(length.sum())) != totals:
        raise ValueError("the group takes other steps or cycles")
    start = np.cumsum(length) - length
    moved: dict[str, MovedElements] = {}
    for transfer in plan.transfers:
        _move(moved, transfer.array, len(transfer.element), write=transfer.write)
    port = plan.port.of_structure(shown)
    shown_busy = {task: cycles[shown] for task, cycles in busy.items()}
    return _timeline(shown, start[shown], length[shown], port, shown_busy, moved)


def _move(moved: dict[str, MovedElements], array: str, amount: int, *, write: bool) -> None:
    before = moved.get(array, MovedElements(array, 0, 0))
    if amount and write:
        moved[array] = replace(before, stored=before.stored + amount)
    elif amount:
        moved[array] = replace(before, loaded=before.loaded + amount)


def _timeline(
    shown: IntArray,
    start: IntArray,
    length: IntArray,
    port: PortCycles,
    busy: Mapping[str, IntArray],
    moved: Mapping[str, MovedElements],
) -> Timeline:
    columns = np.stack([shown, start, length, port.loads, port.stores, *busy.values()], axis=1)
    steps = tuple(
        ShownStep(number, begin, cycles, loads, stores, tuple(computing))
        for number, begin, cycles, loads, stores, *computing in columns.tolist()
    )
    return Timeline(tuple(busy), port.shared, steps, tuple(moved.values()))
