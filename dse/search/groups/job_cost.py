"""Roughly how many seconds it takes to price a group's designs, by which a search is cut in jobs of a few seconds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from math import prod
from typing import TypeVar

from dse.space.mappings import MappingSpace, Shape

Item = TypeVar("Item")

JOB_SECONDS = 3.0  # how long a job may take, by these estimates of seconds:
STRUCTURE_SECONDS = 4e-3  # priced by itself, if the group is separable; also a batch, whatever is in it
_STRUCTURE_TASK = 8e-3  # of such a structure, for each task
_BATCH_DESIGN = 1.5e-6
_BATCH_STRUCTURE = 1.5e-5  # for each task
_BUILT_STRUCTURE = 1.2e-4  # the same where memories are compared that are built
_LISTED_STRUCTURE = 4e-3  # of a plain structure of which buffers may have to be told from their data
_LISTED_ELEMENT = 6e-8  # of its arrays
_OPEN = 0.03  # of a group, once
_TABLES = 0.035  # of a group, for each task, before the first structure of a job is priced
_BUILT_TABLES = 0.06  # the same where memories are compared that are built
_ELEMENT = 1.7e-6  # of an array of a structure that is priced element by element
_OPENED_ELEMENT = 4e-6  # the same of one with cuts, FIFOs or the like
_TICK = 5e-5  # of such a structure, for each task
_OFFER = 0.5e-6  # of what may be opened in a structure that is no product, for each element
KEPT = 4  # times what a plain structure takes: a look at all that it may keep, and prices of some of it


class JobCost:
    """Roughly how many seconds it takes to price a group's structures, each under some combinations of rates.

    `built` says that memories are compared that are built for their rates.
    """

    def __init__(self, space: MappingSpace, tasks: tuple[str, ...], combinations: int, *, built: bool = False) -> None:
        self.space, self.tasks, self.combinations, self.built = space, tasks, combinations, built
        self.is_separable = space.model.is_separable(tasks)
        batch = space.model.batch(tasks) if self.is_separable else None
        self._lists = batch is not None and batch.lists_buffers

    @property
    def tables(self) -> float:
        """What must be there before the first plain structure is priced."""
        each = _BUILT_TABLES if self.built else _TABLES
        return _OPEN + (each * len(self.tasks) if self.is_separable else 0.0)

    @property
    def plain(self) -> float:
        """A plain structure, among others."""
        if not self.is_separable:
            return self.structure(slow=True)
        listed = _LISTED_STRUCTURE + _LISTED_ELEMENT * self._elements if self._lists else 0
        each = _BUILT_STRUCTURE if self.built else _BATCH_STRUCTURE
        return listed + each * len(self.tasks) + _BATCH_DESIGN * self.combinations

    @property
    def offers(self) -> float:
        """Finding out what may be opened in a structure."""
        return self._alone if self.is_separable else _OFFER * self._elements

    def blocks(self, shape: Shape) -> float:
        """A plain structure of these blocks, among others."""
        return self.plain if self.is_separable else self.exactly(shape)

    def exactly(self, shape: Shape) -> float:
        """A plain structure of these blocks by the exact path."""
        extents = self.space.accesses.extents(self.tasks[-1])
        ticks = prod(-(-extent // side) for extent, side in zip(extents, shape, strict=True))
        element = _ELEMENT * self._elements + _TICK * len(self.tasks) * ticks
        return STRUCTURE_SECONDS + _BATCH_DESIGN * self.combinations + element

    def structure(self, *, slow: bool) -> float:
        """A structure that is priced by itself; a `slow` one element by element."""
        elements = _OPENED_ELEMENT * self._elements if slow or not self.is_separable else 0.0
        return self._alone + _BATCH_DESIGN * self.combinations + elements

    @property
    def _alone(self) -> float:
        return STRUCTURE_SECONDS + _STRUCTURE_TASK * len(self.tasks)

    @cached_property
    def _elements(self) -> int:
        processes = (self.space.model.network.processes[task] for task in self.tasks)
        arrays = {array for process in processes for array in (*process.reads, *process.writes)}
        return sum(map(self.space.accesses.size, arrays))


def in_jobs(items: Iterable[tuple[Item, float]], most: float = JOB_SECONDS) -> Iterator[tuple[list[Item], float]]:
    """Runs of items, given with their estimated seconds, of at most so many together, at least one in each."""
    run: list[Item] = []
    total = 0.0
    for item, seconds in items:
        if run and total + seconds > most:
            yield run, total
            run, total = [], 0.0
        run.append(item)
        total += seconds
    if run:
        yield run, total
