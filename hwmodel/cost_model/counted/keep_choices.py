"""Choices of keeps that are worth evaluating, from memory and traffic array by array and a lower bound of time.

The idea. Arrays interact only at the port. The keep of one array changes its loads and its buffer, whatever the keeps
of all other arrays are. So the data that an array moves and the words of its buffer are computed once for each of its
keeps, in structures in which all arrays have the same keep, and a choice for all arrays takes the sums. Of keeps that
fetch alike (`fetches`) the first stands for all.

The time of a choice is not a sum, but has a lower bound. Data that are kept longest are loaded at no tick at which any
other keep that is not eager would not load them too. So no step is shorter than with all arrays kept to the end, each
burst a single run, and all tasks at their fastest; with an eager keep it is no shorter than its tasks are. By sums and
bounds nearly all choices are seen to be worse than some known design, and only the others are evaluated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.cost_model.counted.axes.axes import Mask
from hwmodel.cost_model.counted.axes.fetches import Reading, StructureKeeps
from hwmodel.cost_model.counted.batch import GroupBatch
from hwmodel.cost_model.counted.buffer_size.live_sets import LiveSets
from hwmodel.cost_model.counted.buffer_size.sizes import CountedBuffers, Sizes
from hwmodel.cost_model.counted.counted_accesses import moved_data
from hwmodel.cost_model.memories.organised import Builder
from hwmodel.cost_model.memory_port.port import MemoryPort
from hwmodel.cost_model.tables.memories import Resident, memory_blocks
from hwmodel.design import ReuseLevel, Scan


@dataclass(frozen=True, eq=False)
class KeepChoices:
    """C choices of a keep for each loaded array, except the one that keeps all to the end, for structures of one scan.

    They are `offered` to that many structures, those that read some element again. `rows` (S,) are those that have a
    choice, and `distinct` (S, C) says whether a choice fetches otherwise than all before it. For each, (S, C): the
    memory `data`, `bits` and `blocks` by addresses (by live counts where memories are built), the `traffic` in bytes,
    and `floors`, lower bounds of each named time in cycles.
    """

    keeps: tuple[tuple[ReuseLevel, ...], ...]
    offered: int
    rows: IntArray
    distinct: Mask
    data: IntArray
    bits: IntArray
    blocks: IntArray
    traffic: IntArray
    floors: dict[str, IntArray]


def keep_choices(
    batch: GroupBatch,
    scan: Scan,
    shapes: IntArray,
    options: Sequence[Sequence[ReuseLevel]],
    rates: Sequence[Sequence[int]],
    times: Mapping[str, bool],
) -> KeepChoices:
    """All choices among the `options` of each loaded array (the first is Keep(0)), at the rates offered to each task.

    `times` says for each name of a time whether frames follow each other without pause.
    """
    loaded = len(batch.counts.parts.group.loaded)
    chosen = np.array(list(product(*(range(len(own)) for own in options))), np.int64).reshape(-1, loaded)[1:]
    keeps = tuple(tuple(own[at] for own, at in zip(options, row, strict=True)) for row in chosen.tolist())
    reading = batch.reading(scan, shapes)
    offered = ~reading.single.all(axis=(1, 2))
    fresh = [_fresh(reading, array, own) for array, own in enumerate(options)]
    distinct = np.logical_and.reduce([own[:, chosen[:, array]] for array, own in enumerate(fresh)])
    rows = np.flatnonzero(offered & distinct.any(axis=1))
    distinct, fresh, shapes = distinct[rows], [own[rows] for own in fresh], shapes[rows]
    base, of_array = _by_array(batch, scan, shapes, options, fresh)
    data, bits, blocks, traffic = (
        base[:, figure, None] + sum(of_array[figure][array][chosen[:, array]].T for array in range(loaded))
        for figure in range(4)
    )
    floors = _floors(batch, scan, shapes, rates, times)
    eager = np.array([any(keep.eager for keep in choice) for choice in keeps], np.bool_)
    of_choice = {name: np.where(eager, floor[1][:, None], floor[0][:, None]) for name, floor in floors.items()}
    return KeepChoices(keeps, int(np.count_nonzero(offered)), rows, distinct, data, bits, blocks, traffic, of_choice)


def _floors(
    batch: GroupBatch, scan: Scan, shapes: IntArray, rates: Sequence[Sequence[int]], times: Mapping[str, bool]
) -> dict[str, tuple[IntArray, IntArray]]:
    """Lower bounds (S,) of each named time over all rates, and the bounds from tasks without the port."""
    if not len(shapes):
        return dict.fromkeys(times, (np.zeros(0, np.int64), np.zeros(0, np.int64)))
    steps = batch.steps(scan, batch.structures(scan, shapes))
    return {name: steps.floors(rates, cyclic=cyclic) for name, cyclic in times.items()}


def _fresh(reading: Reading, array: int, keeps: Sequence[ReuseLevel]) -> Mask:
    """Which keeps of an array fetch otherwise than all before them, (S, keeps)."""
    loops = [(loop,) for loop in range(reading.full.shape[1])]
    codes = np.stack([reading.codes(array, keep, loops)[0] for keep in keeps])
    equal = (codes[:, None] == codes[None]).all(axis=3) & np.tri(len(keeps), k=-1, dtype=np.bool_)[..., None]
    fresh: Mask = ~equal.any(axis=1).T
    return fresh


def _by_array(
    batch: GroupBatch, scan: Scan, shapes: IntArray, options: Sequence[Sequence[ReuseLevel]], fresh: Sequence[Mask]
) -> tuple[IntArray, list[list[IntArray]]]:
    """Data, bits, blocks and traffic that no keep changes (S, 4), and those of each array by its keep (options, S).

    Keeps that are not `fresh` have no figures. Memories that are built hold at least their live counts, and the
    residents of their tasks.
    """
    counts, loaded = batch.counts, len(batch.counts.parts.group.loaded)
    port = MemoryPort(batch.accesses, batch.platform)
    element = np.array([0 if kind == "task" else port.element_bytes(name) for kind, name in counts.names])
    builder = Builder.of(batch.local_ports(scan), batch.layouts)
    alike = np.zeros((max(map(len, options), default=1), 4, len(shapes), loaded), np.int64)
    base = np.zeros((len(shapes), 4), np.int64)
    for at, found in enumerate(alike):
        rows = np.flatnonzero(np.logical_or.reduce([own[:, min(at, own.shape[1] - 1)] for own in fresh]))
        if not len(rows):
            continue
        keeps = [own[min(at, len(own) - 1)] for own in options]
        structures = batch.structures(scan, shapes[rows], StructureKeeps.alike(keeps, len(rows)))
        buffers = CountedBuffers(counts, structures, batch.layouts)
        if builder is not None:
            words = LiveSets(counts).sizes(structures)
        else:
            words = buffers.addressed(np.arange(len(rows))) if not at else Sizes(counts).sizes(structures, loaded)
        moved = moved_data(counts, structures) * element
        figures = words, words * counts.bits, memory_blocks(batch.platform, buffers.memories, words), moved
        for place, figure in enumerate(figures):
            found[place, rows] = figure[:, :loaded]
            if not at:  # all rows: the first keep of each array is fresh
                base[:, place] = figure[:, loaded:].sum(axis=1)
    for data, bits in Resident.internal_of(builder):
        base[:, :2] += data, data * bits
    return base, [[alike[: len(own), figure, :, array] for array, own in enumerate(options)] for figure in range(4)]
