"""Jobs of the search through one group: structures in batches, structures one by one, all options on some blocks.

A structure is a group design but for its units. The plain ones differ in blocks and scan; all else is a mapping option.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from itertools import chain, product
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter

from arrayol.errors import ArrayolError
from dse.jobs.digest import digest
from dse.jobs.jobs import JobPlan
from dse.jobs.runner import JobRunner
from dse.pareto.fronts import Values, front_of
from dse.search.context import SearchContext
from dse.search.figures import column_of
from dse.search.group_front import Counts, GroupPart, dump_part, joined, load_part, nothing
from dse.space.mappings import MappingSpace, Shape
from dse.space.options import is_plain, mapping_options, structure_of, takes_exact_path
from hwmodel.design import Blocks, GroupDesign, Processor, Scan
from hwmodel.machine.priced import Priced

Item = TypeVar("Item")

POINTS_AT_ONCE = 1 << 20  # designs that are priced at a time, and whose values are held before they are sorted
INFEASIBLE = "more units than can work at once, or a constraint"

JOB_SECONDS = 1.0  # how long a job may take, by these estimates of seconds:
STRUCTURE_SECONDS = 3e-3  # priced by itself, if the group is separable; also a batch, whatever is in it
_BULK_DESIGN = 1.5e-6
_BULK_STRUCTURE = 6e-6  # for each task
_TABLES = 0.04  # of a group, for each task, before the first structure of a job is priced
_ELEMENT = 2.5e-7  # of an array of a structure that is priced element by element


@dataclass(frozen=True)
class GroupJob(ABC):
    """What all jobs share: the group, the numbers of units that each task may have, and the estimated seconds."""

    tasks: tuple[str, ...]
    units: tuple[int, ...]
    cost: float = field(compare=False)

    @property
    def kind(self) -> str:
        """What it is in a store."""
        return "designs of a group"

    @abstractmethod
    def key(self, context: SearchContext) -> bytes:
        """What it depends on."""

    @abstractmethod
    def run(self, context: SearchContext) -> GroupPart:
        """The front of its designs."""

    def dump(self, part: GroupPart) -> str:
        """A part as text."""
        return dump_part(part)

    def load(self, text: str) -> GroupPart:
        """A part from its text."""
        return load_part(text)


@dataclass(frozen=True)
class PlainJob(GroupJob):
    """Block shapes under some scans without options, in batches where the group is separable."""

    shapes: tuple[tuple[Scan, tuple[Shape, ...]], ...]

    def key(self, context: SearchContext) -> bytes:
        """What it depends on."""
        return digest("plain", context.group_key(self.tasks), self.units, self.shapes)

    def run(self, context: SearchContext) -> GroupPart:
        """The front of these designs."""
        front = _FrontOfGroup(context, self)
        for scan, shapes in self.shapes:
            front.take_plain(scan, shapes)
        return front.part


@dataclass(frozen=True)
class StructuresJob(GroupJob):
    """Some structures, whatever their options."""

    structures: tuple[GroupDesign, ...]

    def key(self, context: SearchContext) -> bytes:
        """What it depends on."""
        return digest("structures", context.group_key(self.tasks), self.units, self.structures)

    def run(self, context: SearchContext) -> GroupPart:
        """The front of these designs."""
        front = _FrontOfGroup(context, self)
        for structure in self.structures:
            front.take(structure)
        return front.part


@dataclass(frozen=True)
class OptionsJob(GroupJob):
    """All mapping options of the study on some plain structures."""

    blocks: tuple[Blocks, ...]

    def key(self, context: SearchContext) -> bytes:
        """What it depends on: also all options of the study."""
        study = context.space.study
        offered_options = (study.cuts, study.links, study.layouts, study.policies, study.recompute, study.orders)
        return digest("openings", context.group_key(self.tasks), self.units, self.blocks, offered_options)

    def run(self, context: SearchContext) -> GroupPart:
        """The front of these designs."""
        front = _FrontOfGroup(context, self)
        for blocks in self.blocks:
            for structure in mapping_options(context.space, plain_structure(self.tasks, blocks)):
                front.take(structure)
        return front.part


def plain_structure(tasks: Sequence[str], blocks: Blocks) -> GroupDesign:
    """The structure of these blocks without options."""
    return GroupDesign(tuple(map(Processor, tasks)), blocks)


@lru_cache(maxsize=16)
def combinations(units: tuple[int, ...], tasks: int) -> NDArray[np.int64]:
    """All combinations of units of so many tasks, of shape (combinations, tasks)."""
    found = list(product(units, repeat=tasks))
    return np.array(found, np.int64).reshape(len(found), tasks)


class Pricer:
    """Prices designs of one group: its structures under some combinations of units, so many at a time as memory allows.

    Combinations are those `chosen`, of shape (combinations, tasks), else all of the `offered` units. Of the latter,
    where units are free, each structure is priced under the fastest alone, of those the fewest.
    """

    def __init__(
        self,
        context: SearchContext,
        tasks: tuple[str, ...],
        *,
        offered: tuple[int, ...] = (),
        chosen: NDArray[np.int64] | None = None,
    ) -> None:
        self.model, self.columns, self.tasks = context.space.model, context.columns, tasks
        self._whole = len(tasks) == len(context.space.graph)
        self._fastest_of = offered if chosen is None and self.columns.units_are_free else None
        self._times = self.columns.times(whole=self._whole)
        if chosen is not None:
            self._combinations = chosen
        elif self._fastest_of is None:
            self._combinations = combinations(offered, len(tasks))

    def plain(self, scan: Scan, shapes: Sequence[Shape]) -> Iterator[tuple[int, Priced]]:
        """Plain structures of one scan, of a separable group: from which shape on, and the prices of some."""
        batch = self.model.batch(self.tasks)
        assert batch is not None, "the group is separable"
        table = np.array(shapes, np.int64).reshape(len(shapes), -1)
        step = max(1, POINTS_AT_ONCE // (1 if self._fastest_of else len(self._combinations)))
        for start in range(0, len(shapes), step):
            some = table[start : start + step]
            if self._fastest_of:
                yield start, batch.fastest(scan, some, self._fastest_of, times=self._times)
            else:
                yield start, batch.price(scan, some, self._combinations)

    def structure(self, structure: GroupDesign) -> Priced:
        """Any structure. Raises ArrayolError where it is refused."""
        if self._fastest_of:
            return self.model.fastest(structure, self._fastest_of, times=self._times)
        return self.model.price_structure(structure, self._combinations)

    def values(self, priced: Priced, cells: Any) -> Values:
        """The columns of some cells of (structures, combinations), of shape (cells, figures)."""
        columns = [column_of(priced, figure, whole=self._whole)[cells] for figure in self.columns.figures]
        return np.stack(columns, axis=1)


class _FrontOfGroup:
    """The front of the designs priced so far."""

    def __init__(self, context: SearchContext, job: GroupJob) -> None:
        self.columns, self.tasks = context.columns, job.tasks
        self.is_separable = context.space.model.is_separable(job.tasks)
        self.pricer = Pricer(context, job.tasks, offered=job.units)
        self.designs = len(job.units) ** len(job.tasks)  # of a structure
        self.part = nothing(self.columns, len(self.tasks))

    def take_plain(self, scan: Scan, shapes: Sequence[Shape]) -> None:
        """Take plain structures of one scan under all units."""
        if self.is_separable:
            for start, priced in self.pricer.plain(scan, shapes):
                self._add(partial(self._plain, scan, shapes[start:]), priced)
        else:
            for row in range(len(shapes)):
                self.take(self._plain(scan, shapes, row))

    def take(self, structure: GroupDesign) -> None:
        """Take a structure under all units."""
        try:
            priced = self.pricer.structure(structure)
        except ArrayolError as refused:
            counts = Counts(infeasible=self.designs)
            self._join(nothing(self.columns, len(self.tasks), counts, refused.diagnostics[0].message))
            return
        self._add(lambda _: structure, priced)

    def _plain(self, scan: Scan, shapes: Sequence[Shape], row: int) -> GroupDesign:
        return plain_structure(self.tasks, Blocks(shapes[row], scan))

    def _add(self, structure: Callable[[int], GroupDesign], priced: Priced) -> None:
        """Take the feasible designs of some structures, given by their rows, and of all the front."""
        values = self.pricer.values(priced, priced.legal)
        kept = self.columns.how.within(values)
        feasible = int(np.count_nonzero(kept))
        total = self.designs * len(priced.legal)
        counts = Counts(feasible, total - feasible - priced.left_out, priced.left_out)
        refusal = None if feasible else INFEASIBLE
        rows, chosen = (places[kept] for places in np.nonzero(priced.legal))
        units = priced.combinations[rows if len(priced.combinations) > 1 else 0, chosen]
        front = front_of(values[kept], units.sum(axis=1), trade_units=self.columns.how.trades_units).origin
        used, place = np.unique(rows[front], return_inverse=True)  # of many structures few are on a front
        structures = tuple(structure(int(row)) for row in used)
        self._join(GroupPart(structures, values[kept][front], units[front], place.reshape(-1), counts, refusal))

    def _join(self, part: GroupPart) -> None:
        self.part = joined([self.part, part], self.columns)


class Estimate:
    """Roughly how many seconds it takes to price a group's structures, each under some combinations of units."""

    def __init__(self, space: MappingSpace, tasks: tuple[str, ...], combinations: int) -> None:
        self.space, self.tasks, self.combinations = space, tasks, combinations
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
        return _BULK_STRUCTURE * len(self.tasks) + _BULK_DESIGN * self.combinations

    def structure(self, *, slow: bool) -> float:
        """A structure that is priced by itself; a `slow` one element by element."""
        elements = self._elements if slow or not self.is_separable else 0
        return STRUCTURE_SECONDS + _BULK_DESIGN * self.combinations + _ELEMENT * elements

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


# Figures of many group designs of all kinds at once, each priced once, in jobs.

Figures = tuple[int, ...] | None  # in the order of a search's columns; None for an infeasible design
Refusal = tuple[tuple[str, ...], str]  # a group and the reason


@dataclass(frozen=True)
class Prices:
    """The figures of some group designs, in their order, and an example of a refusal."""

    figures: tuple[Figures, ...]
    refusal: Refusal | None


_PRICES = TypeAdapter(Prices)


@dataclass(frozen=True)
class PricesJob:
    """Group designs that share what is computed for one of them: blocks of one scan, or a structure."""

    parts: tuple[tuple[GroupDesign, ...], ...]
    cost: float = field(compare=False)

    @property
    def kind(self) -> str:
        """What it is in a store."""
        return "figures of a generation"

    def key(self, context: SearchContext) -> bytes:
        """What it depends on."""
        return digest(self.kind, context.network_key, self.parts)

    def run(self, context: SearchContext) -> Prices:
        """Price them."""
        pricing = _FiguresOfDesigns(context)
        for part in self.parts:
            pricing.price(part)
        return Prices(tuple(pricing.found[design] for design in chain(*self.parts)), pricing.refusal)

    def dump(self, prices: Prices) -> str:
        """Prices as text."""
        return _PRICES.dump_json(prices).decode()

    def load(self, text: str) -> Prices:
        """Prices from their text."""
        return _PRICES.validate_json(text)


class BatchPricer:
    """Remembers every group design it has priced: its figures, or None for an infeasible one."""

    def __init__(self, context: SearchContext, runner: JobRunner | None = None) -> None:
        self.context, self.runner = context, runner or JobRunner()
        self.space, self.columns = context.space, context.columns
        self.found: dict[GroupDesign, Figures] = {}
        self.refusal: Refusal | None = None

    @property
    def counts(self) -> Counts:
        """Designs that are feasible by themselves, and others."""
        infeasible = sum(1 for values in self.found.values() if values is None)
        return Counts(len(self.found) - infeasible, infeasible)

    def price(self, designs: Iterable[GroupDesign]) -> None:
        """Price those that are new."""
        fresh = dict.fromkeys(one for one in designs if one not in self.found)
        self.runner.do(self.context, [self._plan(list(self._jobs(fresh)))])

    def _plan(self, jobs: Sequence[PricesJob]) -> JobPlan[None]:
        for job, prices in zip(jobs, (yield jobs), strict=True):
            self.found.update(zip(chain(*job.parts), prices.figures, strict=True))
            self.refusal = self.refusal or prices.refusal

    def _jobs(self, designs: Iterable[GroupDesign]) -> Iterator[PricesJob]:
        """Plain designs with equal tasks and scans together, others structure by structure, as many as make a job."""
        together: dict[tuple[tuple[str, ...], Scan] | GroupDesign, list[GroupDesign]] = {}
        for design in designs:
            structure = structure_of(design)
            alike = (design.tasks, design.blocks.scan) if _in_batches(self.space, structure) else structure
            together.setdefault(alike, []).append(design)
        parts = ((part, self._seconds(part)) for part in map(tuple, together.values()))
        for some, seconds in in_jobs(parts):
            yield PricesJob(tuple(some), seconds)

    def _seconds(self, part: Sequence[GroupDesign]) -> float:
        """By what the first of them is; its group's tables, where it has some, are there from earlier generations."""
        first, combinations = part[0], len({_units(design) for design in part})
        estimate = Estimate(self.space, first.tasks, combinations)
        if not _in_batches(self.space, first):
            return estimate.structure(slow=takes_exact_path(first))
        return STRUCTURE_SECONDS + estimate.plain * len({design.blocks.shape for design in part})


class _FiguresOfDesigns:
    """Prices designs that are alike together."""

    def __init__(self, context: SearchContext) -> None:
        self.context, self.space, self.columns = context, context.space, context.columns
        self.found: dict[GroupDesign, Figures] = {}
        self.refusal: Refusal | None = None

    def price(self, designs: Sequence[GroupDesign]) -> None:
        """Plain designs with equal tasks and scans, or designs of one structure."""
        combinations = list(dict.fromkeys(map(_units, designs)))
        pricer = Pricer(self.context, designs[0].tasks, chosen=np.array(combinations, np.int64))
        places = {units: place for place, units in enumerate(combinations)}
        structure = structure_of(designs[0])
        if _in_batches(self.space, structure):
            self._price_plain(pricer, designs, places)
            return
        try:
            priced = pricer.structure(structure)
        except ArrayolError as refused:
            self.refusal = self.refusal or (structure.tasks, refused.diagnostics[0].message)
            self.found.update(dict.fromkeys(designs))
            return
        self._note(pricer, designs, priced, [(0, places[_units(one)]) for one in designs])

    def _price_plain(
        self, pricer: Pricer, designs: Sequence[GroupDesign], places: Mapping[tuple[int, ...], int]
    ) -> None:
        shapes = list(dict.fromkeys(design.blocks.shape for design in designs))
        rows = {shape: row for row, shape in enumerate(shapes)}
        for start, priced in pricer.plain(designs[0].blocks.scan, shapes):
            some = [one for one in designs if start <= rows[one.blocks.shape] < start + len(priced.legal)]
            cells = [(rows[one.blocks.shape] - start, places[_units(one)]) for one in some]
            self._note(pricer, some, priced, cells)

    def _note(
        self, pricer: Pricer, designs: Sequence[GroupDesign], priced: Priced, cells: Sequence[tuple[int, int]]
    ) -> None:
        rows, places = np.array(cells, np.intp).T
        values = pricer.values(priced, (rows, places))
        legal = priced.legal[rows, places] & self.columns.how.within(values)
        for design, kept, figures in zip(designs, legal.tolist(), values.tolist(), strict=True):
            self.found[design] = tuple(figures) if kept else None
        if not legal.all() and self.refusal is None:
            self.refusal = designs[0].tasks, INFEASIBLE


def _in_batches(space: MappingSpace, design: GroupDesign) -> bool:
    """Whether it is priced together with others of its scan."""
    return is_plain(design) and space.model.is_separable(design.tasks)


def _units(design: GroupDesign) -> tuple[int, ...]:
    return tuple(one.units for one in design.processors)
