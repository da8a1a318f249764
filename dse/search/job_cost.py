"""Roughly how many seconds it takes to price a group's designs, by which a search is cut in jobs of about a second."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from math import prod
from typing import TypeVar

from dse.space.mappings import MappingSpace, Shape

Item = TypeVar("Item")

JOB_SECONDS = 1.0  # how long a job may take, by these estimates of seconds:
STRUCTURE_SECONDS = 3e-3  # priced by itself, if the group is separable; also a batch, whatever is in it
_BATCH_DESIGN = 1.5e-6
_BATCH_STRUCTURE = 6e-6  # for each task
_TABLES = 0.04  # of a group, for each task, before the first structure of a job is priced
_ELEMENT = 2.5e-7  # of an array of a structure that is priced element by element
_STEP = 1e-7  # of such a structure, for each rate that a task may have there


class JobCost:
    """Roughly how many seconds it takes to price a group's structures, each under some combinations of rates.

    `rates` are those that its tasks have in these, added up.
    """

    def __init__(self, space: MappingSpace, tasks: tuple[str, ...], combinations: int, rates: int = 1) -> None:
        self.space, self.tasks, self.combinations, self.rates = space, tasks, combinations, rates
        self.is_separable = space.model.is_separable(tasks)

    @property
    def tables(self) -> float:
        """What must be there before the first plain structure is priced."""
        return _TABLES * len(self.tasks)

    @property
    def plain(self) -> float:
        """A plain structure, among others."""
        if not self.is_separable:
            return self.structure(slow=True)
        return _BATCH_STRUCTURE * len(self.tasks) + _BATCH_DESIGN * self.combinations

    def blocks(self, shape: Shape) -> float:
        """A plain structure of these blocks, among others."""
        if self.is_separable:
            return self.plain
        extents = self.space.accesses.extents(self.tasks[-1])
        steps = prod(-(-extent // side) for extent, side in zip(extents, shape, strict=True))
        return self.structure(slow=True) + _STEP * steps * self.rates

    def structure(self, *, slow: bool) -> float:
        """A structure that is priced by itself; a `slow` one element by element."""
        elements = self._elements if slow or not self.is_separable else 0
        return STRUCTURE_SECONDS + _BATCH_DESIGN * self.combinations + _ELEMENT * elements

    @cached_property
    def _elements(self) -> int:
        processes = (self.space.model.network.processes[task] for task in self.tasks)
        arrays = {array for process in processes for array in (*process.reads, *process.writes)}
        return sum(map(self.space.accesses.size, arrays))


def in_jobs(items: Iterable[tuple[Item, float]]) -> Iterator[tuple[list[Item], float]]:
    """Runs of items, given with their estimated seconds, of at most JOB_SECONDS together, at least one in each."""
    run: list[Item] = []
    total = 0.0
    for item, seconds in items:
        if run and total + seconds > JOB_SECONDS:
            yield run, total
            run, total = [], 0.0
        run.append(item)
        total += seconds
    if run:
        yield run, total
