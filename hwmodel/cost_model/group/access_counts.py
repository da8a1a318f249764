"""How often a group's memories are read and written in a frame (docs/machine.md, section 12).

A repetition reads each element of a pattern once, however often the pattern has it, and nothing from a constant border.
Patterns of different tilers are read one by one. The enumerated front end counts repetition by repetition. If the
running repetitions are a Cartesian product of indices, accesses are counted by axis: an axis of an array follows one
dimension of the repetition, so the distinct positions of a pattern along the axis are counted for each index of that
dimension, and the sum over all repetitions is the product of such sums.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from arrayol.arrays import IntArray
from arrayol.execute.patterns import elements_of
from arrayol.ir.spec import Delay, port_named
from hwmodel.accesses import Accesses, Touch, follows_axes, points
from hwmodel.cost_model.group.group import Group, frames_back
from hwmodel.memory_kinds import STATE, KindName, LocalMemoryKind

_CELLS = 1 << 22  # elements of patterns at a time

Place = tuple[KindName, str]  # a memory of the machine: its kind and name
Counts = Counter[tuple[KindName, str, bool]]  # with whether it is written
KindOf = Callable[[str], LocalMemoryKind]  # the kind of memory of an array that is loaded or made


def accesses_of_runs(group: Group, runs: Mapping[str, IntArray], kind_of: KindOf) -> Counts:
    """Accesses by tasks with these runs (numbers of repetitions) to buffers, FIFOs, states and resident memories.

    Each task has its own memory of a resident array, TASK.ARRAY. Loads and stores are not included.
    """
    counts, accesses = Counts(), group.accesses
    for task, numbers in runs.items():
        repetitions = accesses.repetitions(task)[numbers]
        for touch, writes in _touches(accesses, task):
            place = _place(accesses, touch, kind_of)
            if place is not None:
                counts[*place, writes] += count_accesses(accesses, touch, repetitions)
        for name, delay, data, _ in states_of(group, task):
            _add_state(counts, name, data * int(_inside(repetitions, _ahead(group, task, delay)).sum()))
    return +counts


def accesses_of_products(group: Group, running: Mapping[str, Sequence[IntArray]], kind_of: KindOf) -> Counts:
    """Accesses by tasks whose runs are Cartesian, given by the running indices of each dimension."""
    counts, accesses = Counts(), group.accesses
    for task, indices in running.items():
        for touch, writes in _touches(accesses, task):
            place = _place(accesses, touch, kind_of)
            if place is not None:
                counts[*place, writes] += _count_in_product(accesses, touch, indices)
        for name, delay, data, _ in states_of(group, task):
            _add_state(counts, name, data * math.prod(map(len, _within(indices, _ahead(group, task, delay)))))
    return +counts


def _touches(accesses: Accesses, task: str) -> list[tuple[Touch, bool]]:
    """The tilers of a task, with whether each writes."""
    return [*((touch, False) for touch in accesses.reads[task]), *((touch, True) for touch in accesses.writes[task])]


def _add_state(counts: Counts, name: str, data: int) -> None:
    """Count a delayed value as written once and read once."""
    for writes in (False, True):
        counts[STATE.name, name, writes] += data


def states_of(group: Group, task: str) -> list[tuple[str, Delay, int, int]]:
    """The delay states of a task: name, delay, data of its port, and bits of a datum."""
    process = group.network.processes[task]
    acting = [delay for delay in process.delays if delay in (*group.delays(task), *group.frame_delays(task))]
    ports = [port_named(process.input_ports, delay.port) for delay in acting]
    return [
        (f"{task}.{delay.port}", delay, math.prod(extent or 1 for extent in port.shape), port.type.bits)
        for delay, port in zip(acting, ports, strict=True)
    ]


def _place(accesses: Accesses, touch: Touch, kind_of: KindOf) -> Place | None:
    """The memory that a tiler accesses; None for an array that a counter generates."""
    resident = accesses.residents.get(touch.array)
    if resident is None:
        return kind_of(touch.array).name, touch.array
    return (resident.name, f"{touch.process}.{touch.array}") if accesses.takes_memory(touch.array) else None


def count_accesses(accesses: Accesses, touch: Touch, repetitions: IntArray) -> int:
    """The number of distinct elements of each repetition (n, rank) that it accesses through a tiler, summed."""
    rows = np.flatnonzero(accesses.happens(touch, repetitions))
    if touch.tiler.border is None and not touch.tiler.wrap:  # then all patterns are moved copies of one
        return len(rows) * len(np.unique(accesses.elements(touch, repetitions[rows[:1]])))
    step = max(1, _CELLS // math.prod(touch.pattern))
    total = 0
    for start in range(0, len(rows), step):
        elements = np.sort(accesses.elements(touch, repetitions[rows[start : start + step]]), axis=1)
        total += len(elements) + int((elements[:, 1:] != elements[:, :-1]).sum())
    return total


# Delays: a repetition r reads what r - d has left where that lies in the space, and r - d has written it for r.

Box = Sequence[tuple[int, int]]  # by dimension the least r with r - d inside, and one above the greatest


def _ahead(group: Group, task: str, delay: Delay) -> Box:
    """The repetitions that read a delayed value; all along an infinite dimension, since other frames left theirs."""
    process = group.network.processes[task]
    back = frames_back(process.repetition, delay)
    extents = group.accesses.extents(task)
    return [
        (0, extent) if back and whole is None else (max(0, step), min(extent, extent + step))
        for step, extent, whole in zip(delay.vector, extents, process.repetition, strict=True)
    ]


def _inside(repetitions: IntArray, box: Box) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Which repetitions lie in a box."""
    low, high = np.array(box, np.int64).reshape(-1, 2).T
    return np.asarray(((repetitions >= low) & (repetitions < high)).all(axis=1))


def _within(indices: Sequence[IntArray], box: Box) -> list[IntArray]:
    """The indices of each dimension that lie in a box."""
    return [index[(index >= low) & (index < high)] for index, (low, high) in zip(indices, box, strict=True)]


# Products.


def _count_in_product(accesses: Accesses, touch: Touch, indices: Sequence[IntArray]) -> int:
    """`count_accesses` for all combinations of indices."""
    total = _count_all(accesses, touch, indices)
    if touch.outside is None:
        return total
    extents = accesses.extents(touch.process)
    box = [(max(0, step), min(extent, extent + step)) for step, extent in zip(touch.outside, extents, strict=True)]
    return total - _count_all(accesses, touch, _within(indices, box))


def _count_all(accesses: Accesses, touch: Touch, indices: Sequence[IntArray]) -> int:
    """`count_accesses` for all combinations of indices, as if every repetition accessed."""
    moving = [[dimension for dimension, factor in enumerate(row) if factor] for row in touch.tiler.paving]
    if not follows_axes(touch) or any(len(dimensions) > 1 for dimensions in moving):
        return _count_singly(accesses, touch, indices)
    constant, by_dimension = 1, [np.ones(len(index), np.int64) for index in indices]
    for axis, dimensions in enumerate(moving):
        if dimensions:
            (dimension,) = dimensions
            by_dimension[dimension] *= _distinct(accesses, touch, axis, dimension, indices[dimension])
        else:
            constant *= int(_distinct(accesses, touch, axis, None, np.zeros(1, np.int64))[0])
    return constant * math.prod(int(index.sum()) for index in by_dimension)


def _distinct(accesses: Accesses, touch: Touch, axis: int, dimension: int | None, indices: IntArray) -> IntArray:
    """The number of distinct positions of a pattern along an axis, for each index of the dimension that it follows."""
    fitting = [(step, extent) for step, extent in zip(touch.tiler.fitting[axis], touch.pattern, strict=True) if step]
    offsets = points([extent for _, extent in fitting]) @ np.array([step for step, _ in fitting], np.int64)
    paving = touch.tiler.paving[axis][dimension] if dimension is not None else 0
    place = touch.tiler.origin[axis] + paving * indices[:, None] + offsets[None, :]
    extent, border = accesses.shape(touch.array)[axis], touch.tiler.border
    inside = np.ones(place.shape, np.bool_)
    if accesses.network.arrays[touch.array].shape[axis] is not None:
        if border is not None and border.is_constant:
            inside = (place >= 0) & (place < extent)
        elif touch.tiler.wrap:
            place = place % extent
        else:
            place = elements_of(border, place, extent)
    place = np.sort(np.where(inside, place, -1), axis=1)
    fresh = np.ones(place.shape, np.bool_)
    fresh[:, 1:] = place[:, 1:] != place[:, :-1]
    return np.asarray((fresh & (place >= 0)).sum(axis=1), np.int64)


def _count_singly(accesses: Accesses, touch: Touch, indices: Sequence[IntArray]) -> int:
    """`count_accesses` by repetition, as if every one accessed: for tilers with several dimensions along an axis."""
    count, total = math.prod(map(len, indices)), 0
    if count and touch.tiler.border is None and not touch.tiler.wrap:  # then all patterns are moved copies of one
        first = np.array([[index[0] for index in indices]], np.int64).reshape(1, len(indices))
        return count * len(np.unique(accesses.elements(touch, first)))
    beyond = touch.tiler.border is not None and touch.tiler.border.is_constant
    step = max(1, _CELLS // math.prod(touch.pattern))
    for start in range(0, count, step):
        numbers = np.unravel_index(np.arange(start, min(count, start + step)), [len(index) for index in indices] or [1])
        columns = [index[number] for index, number in zip(indices, numbers, strict=False)]
        repetitions = np.stack(columns, axis=1) if columns else np.zeros((1, 0), np.int64)
        if beyond:
            repetitions = repetitions[~accesses.beyond(touch, repetitions).all(axis=1)]
        elements = np.sort(accesses.elements(touch, repetitions), axis=1)
        total += len(elements) + int((elements[:, 1:] != elements[:, :-1]).sum())
    return total
