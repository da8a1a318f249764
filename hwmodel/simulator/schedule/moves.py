"""Data that a group brings into its local memories, reads from them and stores, with the steps of each.

A datum is one element of one array, brought once. If an element is brought several times, since it is not kept until
its last use or is recomputed, each time is a separate datum.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from hwmodel.accesses import Accesses, Touch
from hwmodel.design import ReuseLevel
from hwmodel.last_tasks import last_tasks
from hwmodel.simulator.schedule.patterns import Patterns
from hwmodel.simulator.schedule.plan import Plan, TaskWork, fault, levels, outside_elements, touched

Place = tuple[str, int]  # a task, and the number of one of its input tilers


@dataclass(frozen=True)
class Read:
    """The reads of a task through one tiler: rows of its work, and the data of each."""

    touch: Touch
    rows: NDArray[np.intp]
    data: Patterns


@dataclass(frozen=True)
class Moved:
    """The data of one array in one group: the `element` of each, and the steps in which it is brought and last used.

    `made` is the number of the datum among those that its producers write (row-major over instances and patterns, tiler
    after tiler, one producer after another), -1 for loaded data. `stored` lists data with their steps.
    """

    array: str
    loaded: bool
    element: IntArray
    bring: IntArray
    last: IntArray
    made: IntArray
    stored: IntArray
    stored_step: IntArray


@dataclass(frozen=True)
class Moves:
    """All movements of a group, and the `stage` of each task. Steps count from 0; there are `steps` of them.

    `resident` has the reads of resident arrays; their data are elements.
    """

    plan: Plan
    stage: Mapping[str, int]
    arrays: Mapping[str, Moved]
    reads: Mapping[Place, Read]
    resident: Mapping[Place, Read]
    first: int  # the number of step 0 on the axis of ticks and stages
    steps: int

    def counted_on(self, earlier: Mapping[str, int]) -> Moves:
        """Number the made data after those that other groups have made of the same arrays."""
        arrays = {
            name: moved if moved.loaded else replace(moved, made=moved.made + earlier.get(name, 0))
            for name, moved in self.arrays.items()
        }
        return replace(self, arrays=arrays)

    @property
    def all_reads(self) -> dict[Place, Read]:
        """The reads of moved and of resident arrays."""
        return {**self.reads, **self.resident}

    def step(self, work: TaskWork) -> IntArray:
        """The step of each instance of a task."""
        return work.tick + self.stage[work.task] - self.first


def moves_of(accesses: Accesses, plan: Plan) -> Moves:
    """Every datum of a group with its steps (docs/machine.md, sections 2, 3 and 5)."""
    stage = stages(accesses, plan)
    arrays: dict[str, Moved] = {}
    reads: dict[Place, Read] = {}
    resident: dict[Place, Read] = {}
    for array in accesses.network.arrays:
        readers = _readers(accesses, plan, array)
        if accesses.is_resident(array):
            resident |= {place: Read(touch, rows, elements) for place, touch, rows, elements, _ in readers}
        elif plan.works.keys() & set(accesses.network.arrays[array].producers):
            arrays[array] = _births(accesses, plan, stage, array, readers, reads)
        elif readers:
            arrays[array] = _loaded(accesses, plan, stage, array, readers, reads)
    return _from_step_0(plan, stage, arrays, (reads, resident))


def stages(accesses: Accesses, plan: Plan) -> dict[str, int]:
    """The stage of every task: 0 for last ones, else one before its readers, or that of a reader over a FIFO."""
    stage = dict.fromkeys(last_tasks(accesses.network, plan.design.tasks), 0)
    for task in plan.works:  # from the last task backwards
        if task not in stage:
            before = [
                stage[reader] - (0 if array in plan.design.fifos else 1)
                for array in accesses.network.processes[task].writes
                for reader in plan.works
                if any(touch.array == array for touch in accesses.reads[reader])
            ]
            stage[task] = min(before)
    return stage


Readers = list[tuple[Place, Touch, NDArray[np.intp], Patterns, IntArray]]  # place, tiler, rows, elements, ticks of rows


def _readers(accesses: Accesses, plan: Plan, array: str) -> Readers:
    """The tilers of the group that read an array, with the patterns and ticks of their rows."""
    readers = []
    for task, work in plan.works.items():
        for number, touch in enumerate(accesses.reads[task]):
            if touch.array == array:
                rows, elements = touched(accesses, touch, work)
                readers.append(((task, number), touch, rows, elements, work.tick[rows]))
    return readers


def _births(
    accesses: Accesses, plan: Plan, stage: Mapping[str, int], array: str, readers: Readers, reads: dict[Place, Read]
) -> Moved:
    """The data of an array that tasks of the group make, one task after another; enters their reads."""
    parts = [
        _births_of_task(accesses, plan.works[task], array)
        for task in accesses.network.arrays[array].producers
        if task in plan.works
    ]
    element, tick, serves = (np.concatenate(column) for column in zip(*(part[:3] for part in parts), strict=True))
    recomputed = np.concatenate([np.full(len(part[0]), part[3]) for part in parts])
    bring = tick + np.concatenate([np.full(len(part[0]), stage[part[4]]) for part in parts])
    # What is made for one tick alone is found by element and tick, other data by element.
    span = len(plan.ticks) + 1
    keys = element * span + np.where(recomputed, serves, len(plan.ticks))
    for_one_tick = np.zeros(accesses.size(array), np.bool_)
    for_one_tick[element[recomputed]] = True
    order = np.argsort(keys, kind="stable")
    last = bring.copy()
    for place, touch, rows, patterns, ticks in readers:
        own, served = patterns, ticks[patterns.first]
        if for_one_tick[patterns.distinct].any():
            own, served = patterns.split_by(ticks)
        wanted = own.distinct * span + np.where(for_one_tick[own.distinct], served[:, None], len(plan.ticks))
        data = order[_look_up(keys[order], wanted, array, place[0])]
        reads[place] = Read(touch, rows, Patterns(data, own.of))
        np.maximum.at(last, data, (own.greatest(ticks) + stage[place[0]])[:, None])
    stored, step = _stored(accesses, plan, array, element, tick)
    np.maximum.at(last, stored, step)
    return Moved(array, False, element, bring, last, np.arange(len(element)), stored, step)


def _births_of_task(accesses: Accesses, work: TaskWork, array: str) -> tuple[IntArray, IntArray, IntArray, bool, str]:
    """The data that one task makes: elements, ticks, ticks they serve, whether it recomputes, and its name."""
    written = [touched(accesses, touch, work) for touch in accesses.writes[work.task] if touch.array == array]
    element = np.concatenate([patterns.each.reshape(-1) for _, patterns in written])
    tick, serves = (
        np.concatenate([np.repeat(when[rows], patterns.size) for rows, patterns in written])
        for when in (work.tick, work.serves)
    )
    return element, tick, serves, work.recomputed, work.task


def _stored(accesses: Accesses, plan: Plan, array: str, element: IntArray, tick: IntArray) -> tuple[IntArray, IntArray]:
    """The data of an array that are stored, each element once, and the step of each: one after the block's own tick."""
    wanted = np.flatnonzero(outside_elements(accesses, array, set(plan.works))[element])
    order = wanted[np.lexsort((tick[wanted], element[wanted]))]
    fresh = np.ones(len(order), np.bool_)
    fresh[1:] = element[order[1:]] != element[order[:-1]]
    chosen = order[fresh]
    return chosen, plan.ticks.own[plan.ticks.block[tick[chosen]]] + 1


def _loaded(
    accesses: Accesses, plan: Plan, stage: Mapping[str, int], array: str, readers: Readers, reads: dict[Place, Read]
) -> Moved:
    """The data of an array that are loaded under its keep; enters their reads. Unchanging arrays are loaded once."""
    keep = ReuseLevel(0) if _never_changes(readers) else plan.design.keep_of(array)
    before = min(stage[place[0]] for place, *_ in readers) - 1
    prefix = plan.ticks.prefixes(keep.level)
    apart = [patterns.split_by(prefix[ticks]) for *_, patterns, ticks in readers]
    every = np.concatenate([own.distinct.reshape(-1) for own, _ in apart])
    at = np.concatenate([np.repeat(prefixes, own.size) for own, prefixes in apart])
    data, element, opened = _fetches(every, at, accesses.size(array), shared=keep.shared)
    pairs = zip(apart, readers, strict=True)
    first = np.concatenate([np.repeat(own.least(ticks), own.size) for (own, _), (*_, ticks) in pairs])
    bring = np.full(len(element), np.iinfo(np.int64).max)
    np.minimum.at(bring, data, first + before)
    if keep.eager:
        bring = np.searchsorted(prefix, opened).astype(np.int64) + before
    last = np.full(len(element), np.iinfo(np.int64).min)
    start = 0
    for (place, touch, rows, _, ticks), (own, _) in zip(readers, apart, strict=True):
        read = data[start : start + own.distinct.size].reshape(own.distinct.shape)
        start += own.distinct.size
        reads[place] = Read(touch, rows, Patterns(read, own.of))
        np.maximum.at(last, read, (own.greatest(ticks) + stage[place[0]])[:, None])
    none = np.zeros(0, np.int64)
    return Moved(array, True, element, bring, last, np.full(len(element), -1), none, none)


def _fetches(element: IntArray, prefix: IntArray, size: int, *, shared: bool) -> tuple[IntArray, IntArray, IntArray]:
    """The datum of each read of an element at a prefix, and the element and the fetching prefix of each datum.

    Prefix after prefix, each element that is read is fetched, unless it is `shared` with the prefix before.
    """
    data = np.zeros(len(element), np.int64)
    datum, seen = np.full(size, -1), np.full(size, -2)  # of each element the last one fetched, and the last prefix
    elements, prefixes = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    count = 0
    for rows in levels(prefix):
        at = int(prefix[rows[0]])
        read = np.unique(element[rows])
        there = seen[read] == at - 1 if shared else np.zeros(len(read), np.bool_)
        fresh = read[~there]
        datum[fresh] = count + np.arange(len(fresh))
        count += len(fresh)
        seen[read] = at
        data[rows] = datum[element[rows]]
        elements.append(fresh)
        prefixes.append(np.full(len(fresh), at))
    return data, np.concatenate(elements), np.concatenate(prefixes)


def _never_changes(readers: Readers) -> bool:
    """Whether each tiler reads the same elements at every tick at which it reads."""
    for _, _, _, patterns, ticks in readers:
        if len(patterns.distinct) == 1:
            continue
        first = None
        for rows in levels(ticks):
            read = set(patterns.distinct[np.unique(patterns.of[rows])].ravel().tolist())
            if first is not None and read != first:
                return False
            first = read
    return True


def _look_up(keys: IntArray, wanted: IntArray, array: str, task: str) -> IntArray:
    """The positions of wanted keys among ascending ones.

    Raises SimulatorError (`read-before-write`) for a key that is missing, since it is never written.
    """
    places = np.minimum(np.searchsorted(keys, wanted), max(0, len(keys) - 1))
    if wanted.size and (not len(keys) or (keys[places] != wanted).any()):
        raise fault("read-before-write", f"'{task}' reads an element of '{array}' that the group never makes")
    return places


def _from_step_0(
    plan: Plan,
    stage: Mapping[str, int],
    arrays: Mapping[str, Moved],
    reads: tuple[Mapping[Place, Read], Mapping[Place, Read]],
) -> Moves:
    """Count all steps from the first load or, without loads, from the first work."""
    loads = [moved.bring.min() for moved in arrays.values() if moved.loaded and len(moved.bring)]
    works = [int(work.tick.min()) + stage[task] for task, work in plan.works.items() if len(work.tick)]
    first = int(min([*loads, *works]))
    ends = [int(work.tick.max()) + stage[task] for task, work in plan.works.items() if len(work.tick)]
    ends += [int(moved.stored_step.max()) for moved in arrays.values() if len(moved.stored_step)]
    shifted = {
        name: replace(moved, bring=moved.bring - first, last=moved.last - first, stored_step=moved.stored_step - first)
        for name, moved in arrays.items()
    }
    return Moves(plan, stage, shifted, *reads, first, max(ends) - first + 1)
