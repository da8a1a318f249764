"""Roughly how many seconds it takes to price a group's designs, by which a search is cut in jobs of a few seconds."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cached_property
from itertools import groupby
from math import prod, sqrt
from operator import itemgetter
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from dse.space.mappings import MappingSpace, ScanShapes, Shape, ShapeTable, table_of
from dse.space.outer_blocks import moving_of
from hwmodel.cost_model.group.scans import loop_counts
from hwmodel.design import GroupDesign, Scan

Item = TypeVar("Item")
Seconds = NDArray[np.float64]

JOB_SECONDS = 3.0  # how long a job may take, by these estimates of seconds:
STRUCTURE_SECONDS = 4e-3  # priced by itself, if the group is separable; also a batch, whatever is in it
_STRUCTURE_TASK = 8e-3  # of such a structure, for each task,
_STRUCTURE_BUILT = 1.2e-2  # and where memories are compared that are built,
_STRUCTURE_ARRAY = 1e-3  # for each array
_BATCH_DESIGN = 1.5e-6
_BATCH_STRUCTURE = 1.5e-5  # for each task
_BUILT_STRUCTURE = 1.2e-4  # the same where memories are compared that are built
_TRADED = 2e-4  # of a plain structure, and combinations of rates to the power of 3/4, most of which may be on a front
_LISTED_ARRAY = 3e-2  # of a plain structure, for each array whose buffer may have to be told from its data
_LISTED_ELEMENT = 3e-7  # and for each of its elements
_LISTED_TICK = 3e-7  # in blocks of blocks for each block,
_LISTED_FETCH = 2e-7  # and for each fetch of an element
_OPEN = 0.02  # of a job
_TABLES = 0.035  # of plain structures, for each task, before the first of a job is priced,
_PAIRS = 4e-4  # and for each pair of tasks, whose times are put together,
_SIDES = 10  # of so many structures, or more: fewer have fewer sides of blocks
_WIDE = 5e-7  # for each structure and access along an axis beyond _FREE_WIDTH of an index
_TABLES_AGAIN = 0.5  # of that where others of the group were priced before
_INSIDE = 1e-5  # of a plain structure whose innermost dimension has one index, for each repetition
_ROW = 5e-6  # of a plain structure, for each run of blocks along the innermost loop,
_FREE_ROWS = 10_000  # beyond so many
_KIND = 2.5e-4  # for each structure, for memories that are built for each rate of a task,
_KINDS = 20  # of so many structures at most: others have memories that are known
_RUN = 0.5e-6  # of a structure that is priced element by element, for each repetition,
_ACCESS = 0.12e-6  # for each access,
_AROUND = 0.25e-6  # for each that may go around the ends of an array or over them,
_TICK = 1e-5  # and for each block
_LISTED = 3.5e-6  # of one whose buffers are no products of lines, for each element of its arrays
_OFFERED = 0.25  # of a structure by counts: a look at what may be opened in it
_OFFER = 0.4  # of such a price: a look at what may be opened in a structure that is no product
_BYTES = 90, 8  # of memory while it is priced, for each element of its arrays, and for each access
BYTES_AT_MOST = 5 << 27  # what needs more is not priced: with all else that a process holds it would be above 1 GiB
_RATE = 6e-3  # of a structure with FIFOs, for each combination of rates that is scheduled,
_COUNTED_RATE = 2e-3  # the same of one that is planned by counts,
_RATE_RUN = 0.15e-6  # and for each repetition in blocks that differ
_BLOCKS_APART = 4  # blocks that differ: inside, and at the ends of two axes
_SCHEDULED = 64, 0.25  # combinations that are scheduled: so many, and so many of the others
_COUNTED = 0.42  # of all that, where structures are planned by counts
_LOOK = 5e-4  # of a plain structure, for a look at all that it may keep,
_KEPT_TASK = 4e-4  # and where something is read again, for each task,
_KEPT = 1e-3  # and for prices of some of the choices, by their number to the power of 3/4,
_KEPT_PLACE = 5e-7  # each for each task and index along a dimension of the blocks,
_KEPT_ACCESS = 1.5e-7  # and for each access along an axis,
_FREE_WIDTH = 32  # beyond so many of an index


class JobCost:
    """Roughly how many seconds it takes to price a group's structures, each under some `rates`.

    All of them are compared in so many `combinations`; with FIFOs they are scheduled, each by itself. `kinds` are the
    rates of each task, summed over the tasks, where memories are compared that are built for them. `traded` are the
    combinations of rates of a structure that bounds hardly leave out, since each has fewer costs or less time.
    """

    def __init__(
        self,
        space: MappingSpace,
        tasks: tuple[str, ...],
        combinations: int,
        *,
        rates: int = 1,
        kinds: int = 0,
        traded: int = 0,
    ) -> None:
        self.space, self.tasks, self.combinations, self.kinds = space, tasks, combinations, kinds
        self.rates, self.traded = rates, traded
        self.is_separable = space.model.is_separable(tasks)
        batch = space.model.batch(tasks) if self.is_separable else None
        self.listed = batch.listed if batch is not None else frozenset()  # arrays that may have to be told from data
        self._couples = batch is not None and batch.at_once is not None

    @cached_property
    def tables(self) -> float:
        """What must be there before the first of many plain structures is evaluated."""
        return self.tables_of(max(_SIDES, _KINDS))

    def tables_of(self, structures: int, *, again: bool = False) -> float:
        """Seconds before the first of so many plain structures is evaluated; `again` where others of the group were."""
        if not self.is_separable:
            return _OPEN
        number = len(self.tasks)
        of_lines = (_TABLES * number + _PAIRS * number**2) * min(1.0, structures / _SIDES)
        prepared = of_lines + (_KIND * self.kinds + _WIDE * self._wide) * min(structures, _KINDS)
        return _OPEN + (_TABLES_AGAIN if again else 1.0) * prepared

    @cached_property
    def plain(self) -> float:
        """A plain structure, among others."""
        if not self.is_separable:
            return self._enumerated_seconds + _BATCH_DESIGN * self.combinations + self._plan
        each = _BUILT_STRUCTURE if self.kinds else _BATCH_STRUCTURE
        priced = _BATCH_DESIGN * self.combinations + _TRADED * sqrt(self.traded * sqrt(self.traded))
        return self._enumerated_buffers + each * len(self.tasks) + priced

    @cached_property
    def another(self) -> float:
        """A plain structure beside others of its batch, with what must be there before it is evaluated."""
        return self.plain + self.tables_of(1, again=True) - self.tables_of(0)

    @cached_property
    def keeps(self) -> float:
        """What a plain structure may keep in other ways."""
        if not self._reads_again:
            return _LOOK
        number, choices = len(self.tasks), self.space.count_keeps(self.tasks, len(self._extents))
        each = _KEPT + _KEPT_PLACE * number * sum(self._extents)  # data are listed once for all choices
        each += _KEPT_ACCESS * self._wide
        return _LOOK + _KEPT_TASK * number + self._enumerated_buffers + each * sqrt(choices * sqrt(choices))

    @cached_property
    def _reads_again(self) -> bool:
        """Whether some of a few structures read data from outside in several blocks."""
        batch = self.space.model.batch(self.tasks)
        few = (self.space.structure_at(self.tasks[-1], place / 5) for place in range(1, 5))
        return batch is not None and any(
            batch.reads_again(one[0], np.array([one[1]], np.int64)).any() for one in few if one is not None
        )

    @cached_property
    def _wide(self) -> int:
        """Accesses along axes beyond _FREE_WIDTH of each index of a task, where patterns read many elements of one."""
        accesses, found = self.space.accesses, 0
        for task in self.tasks:
            extents = accesses.extents(task)
            for touch in accesses.reads[task]:
                for paving, fitting in zip(touch.tiler.paving, touch.tiler.fitting, strict=True):
                    indices = prod(extent for extent, step in zip(extents, paving, strict=True) if step)
                    width = prod(extent for extent, step in zip(touch.pattern, fitting, strict=True) if step)
                    found += indices * max(0, width - _FREE_WIDTH)
        return found

    def offers(self, *, is_product: bool = True) -> float:
        """Finding out what may be opened in a structure, which may be no product though the group is separable."""
        by_counts = self.is_separable and is_product and not self._couples
        return _OFFERED * self._enumerated_seconds if by_counts else _OFFER * self._plan

    def blocks(self, scan: Scan, shapes: ShapeTable) -> Seconds:
        """Plain structures of blocks of these shapes (S, rank) under a scan, among others, (S,)."""
        if not self.is_separable:
            return self.exactly(shapes)
        if scan not in self._under:
            is_single = self.kinds and scan.dimensions and self._extents[scan.dimensions[-1]] == 1
            self._under[scan] = self.plain + (_INSIDE * prod(self._extents) if is_single else 0.0)
        return self._under[scan] + self._rows(scan, shapes)

    @cached_property
    def _under(self) -> dict[Scan, float]:
        """Plain structures under each scan, without what many rows take."""
        return {}

    def keeps_of(self, scan: Scan, shapes: ShapeTable) -> Seconds:
        """What plain structures of blocks of these shapes (S, rank) may keep in other ways, (S,)."""
        return self.keeps + 2 * self._rows(scan, shapes)

    def _rows(self, scan: Scan, shapes: ShapeTable) -> Seconds:
        """What plain structures take more where they have very many runs of blocks along the innermost loop, (S,)."""
        outer = list(scan.dimensions[:-1])
        counts = -(-np.array(self._extents, np.int64)[outer] // shapes[:, outer])
        more: Seconds = _ROW * np.maximum(0, counts.prod(axis=1) - _FREE_ROWS)
        return more

    def exactly(self, shapes: ShapeTable) -> Seconds:
        """Plain structures of blocks of these shapes (S, rank) by enumeration, (S,)."""
        counts = (-(-np.array(self._extents, np.int64) // shapes)).prod(axis=1)
        seconds: Seconds = self._exactly + _TICK * counts
        return seconds

    @cached_property
    def _exactly(self) -> float:
        """A plain structure by enumeration, without what its blocks take."""
        return self._enumerated_seconds + _BATCH_DESIGN * self.combinations + self._plan

    def structure(self, structure: GroupDesign) -> float:
        """A structure that is evaluated without a batch."""
        if self._is_in_batches(structure):
            told = self._enumerated_buffers_in(structure) if structure.blocks.outer else self._enumerated_buffers
            return self._enumerated_seconds + told + _BATCH_DESIGN * self.combinations
        blocks, cut = structure.blocks, any(processor.cut for processor in structure.processors)
        if self._is_counted(structure):
            alone = self._enumerated_seconds + self._enumerated_buffers + _BATCH_DESIGN * self.combinations
            return _COUNTED * (alone + (self._scheduled(blocks.shape, _COUNTED_RATE) if structure.fifos else 0.0))
        listed = bool(blocks.outer or structure.recompute or cut)
        return self.opened(blocks.shape, fifos=bool(structure.fifos), listed=listed)

    def opened(self, shape: Shape, *, fifos: bool = True, listed: bool = True) -> float:
        """A structure that is priced element by element, with FIFOs or with what makes buffers be `listed`, or both."""
        seconds = float(self.exactly(table_of([shape]))[0]) + (_LISTED * self._elements if listed else 0.0)
        return seconds + (self._scheduled(shape, _RATE) if fifos else 0.0)

    def _scheduled(self, shape: Shape, each: float) -> float:
        """Scheduling tasks with FIFOs between them, where `each` combination of rates takes that, or more."""
        few, share = _SCHEDULED
        scheduled = min(self.rates, few + share * self.rates)
        runs = self._runs * min(1, _BLOCKS_APART / self._count(shape))
        return scheduled * (each + _RATE_RUN * runs)

    def is_bearable(self, structure: GroupDesign, seconds: float) -> bool:
        """Whether a structure that is priced by itself takes at most so many seconds, and not too much memory."""
        return self.structure(structure) <= seconds and self._bytes(structure) <= BYTES_AT_MOST

    def _bytes(self, structure: GroupDesign) -> int:
        """Roughly what it takes to price a structure by itself; next to nothing in batches and by counts."""
        if self._is_in_batches(structure) or self._is_counted(structure):
            return 0
        element, access = _BYTES
        again = sum(self.space.accesses.size(array) for array, _ in structure.keeps)  # about once more
        return element * (self._elements + again) + access * sum(number for number, _ in self._moving)

    def _count(self, shape: Shape) -> int:
        """How many blocks of a shape there are."""
        return prod(-(-extent // side) for extent, side in zip(self._extents, shape, strict=True))

    @cached_property
    def _extents(self) -> Shape:
        """Extents of the last task."""
        return self.space.accesses.extents(self.tasks[-1])

    @cached_property
    def _enumerated_seconds(self) -> float:
        built = _STRUCTURE_BUILT + _STRUCTURE_ARRAY * len(self._arrays) if self.kinds else 0.0
        return STRUCTURE_SECONDS + _STRUCTURE_TASK * len(self.tasks) + built

    @cached_property
    def _runs(self) -> int:
        """The repetitions of all tasks."""
        return sum(prod(self.space.accesses.extents(task)) for task in self.tasks)

    @cached_property
    def _plan(self) -> float:
        """What is done for each repetition and access of a structure that is priced element by element."""
        return _RUN * self._runs + sum((_AROUND if around else _ACCESS) * number for number, around in self._moving)

    @cached_property
    def _moving(self) -> list[tuple[int, bool]]:
        """For each tiler of the tasks the number of different accesses, and whether they may wrap or cross a border."""
        accesses, found = self.space.accesses, list[tuple[int, bool]]()
        for task in self.tasks:
            for touch in (*accesses.reads[task], *accesses.writes[task]):
                pairs = zip(accesses.extents(task), zip(*touch.tiler.paving, strict=True), strict=True)
                moving = prod(extent for extent, factors in pairs if any(factors)) if touch.tiler.paving else 1
                found.append((moving * prod(touch.pattern), touch.tiler.wrap or touch.tiler.border is not None))
        return found

    @cached_property
    def _enumerated_buffers(self) -> float:
        """Seconds of buffers whose size is enumerated from their data."""
        return self._enumerated_buffers_of(self.listed)

    def _enumerated_buffers_of(self, arrays: Collection[str]) -> float:
        return _LISTED_ARRAY * len(arrays) + _LISTED_ELEMENT * sum(map(self.space.accesses.size, arrays))

    def _enumerated_buffers_in(self, structure: GroupDesign) -> float:
        """What buffers take that are told from their data, every fetch of them, in blocks of blocks."""
        loaded, blocks = self.space.loaded(self.tasks), structure.blocks
        moving = moving_of(self.space, self.tasks[-1], loaded)
        counts = loop_counts(self.space.accesses.extents(self.tasks[-1]), blocks)
        fetches = 0
        for array in loaded:
            loops = list(zip(blocks.scan.dimensions, counts, strict=True))[: structure.keep_of(array).level]
            again = prod(count for dimension, count in loops if dimension not in moving.get(array, ()))
            fetches += self.space.accesses.size(array) * again
        return self._enumerated_buffers_of(self._arrays) + _LISTED_TICK * prod(counts) + _LISTED_FETCH * fetches

    def _is_in_batches(self, structure: GroupDesign) -> bool:
        """Whether it is priced in batches, and that it is a product need not be asked."""
        return self.is_separable and not structure.recompute and self.space.model.takes_in_batches(structure)

    def _is_counted(self, structure: GroupDesign) -> bool:
        """Whether it has FIFOs or recomputes, and is priced by counts."""
        opens = bool(structure.fifos) or structure.recompute
        return self.is_separable and opens and self.space.model.takes_by_counts(structure)

    @cached_property
    def _elements(self) -> int:
        return sum(map(self.space.accesses.size, self._arrays))

    @cached_property
    def _arrays(self) -> frozenset[str]:
        processes = (self.space.model.network.processes[task] for task in self.tasks)
        return frozenset(array for process in processes for array in (*process.reads, *process.writes))


def has_one_index_inside(scan: Scan, extents: Shape) -> bool:
    """Whether a dimension of one index lies inside another of more: lines of buffers then hold those of two."""
    moving = sum(extent > 1 for extent in extents)
    return any(extents[k] == 1 for k in scan.dimensions[len(extents) - moving :])


def in_jobs(items: Iterable[tuple[Item, float]], most: float | None = None) -> Iterator[tuple[list[Item], float]]:
    """Runs of items, given with their estimated seconds, of at most so many together, at least one in each."""
    pairs = list(items)
    for start, end, total in runs_of(np.array([seconds for _, seconds in pairs]), most):
        yield [item for item, _ in pairs[start:end]], total


def runs_of(seconds: Seconds, most: float | None = None) -> Iterator[tuple[int, int, float]]:
    """Where runs of items begin and end, by the items' seconds (n,), and the sum of each: see `in_jobs`."""
    most = JOB_SECONDS if most is None else most
    start, window = 0, 64
    while start < len(seconds):
        totals = np.cumsum(seconds[start : start + window])
        number = max(1, int(np.searchsorted(totals, most, side="right")))
        if number == window and start + window < len(seconds):
            window *= 2  # the run may be longer
            continue
        yield start, start + number, float(totals[number - 1])
        start, window = start + number, max(64, 2 * number)


def by_scans(structures: Iterable[tuple[Scan, Shape]]) -> list[ScanShapes]:
    """Runs of blocks under the same scan as tables of shapes."""
    return [(scan, table_of([shape for _, shape in run])) for scan, run in groupby(structures, key=itemgetter(0))]


def seconds_of_each(
    cost: Callable[[Scan, ShapeTable], Seconds], structures: Iterable[tuple[Scan, Shape]]
) -> list[float]:
    """The seconds of blocks under scans, one by one, by what those of one scan take."""
    return [seconds for scan, shapes in by_scans(structures) for seconds in cost(scan, shapes).tolist()]
