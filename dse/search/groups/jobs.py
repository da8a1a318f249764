"""Jobs of the search through one group: structures in batches, structures one by one, all options on some blocks.

A structure is a group design but for its rates: units and their intervals. The plain ones differ in blocks and scan;
all else is a mapping option.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from arrayol.errors import ArrayolError
from dse.jobs.digest import digest
from dse.pareto.fronts import Rows, front_of
from dse.search.context import SearchContext
from dse.search.group_front import Counts, GroupPart, dump_part, joined, load_part, nothing, total_units
from dse.search.groups.bounded import Source, Waiting
from dse.search.groups.keep_search import KeepSearch
from dse.search.incumbents.incumbents import Incumbents
from dse.search.pricing import COMPARED_AT_ONCE, Evaluator, RateChoices, in_parts, plain_structure, why_infeasible
from dse.space.mappings import MappingSpace, ScanShapes, ShapeTable, shape_of, table_of
from dse.space.options import mapping_options
from hwmodel.cost_model.counted.axes.fetches import StructureKeeps
from hwmodel.cost_model.metrics import Metrics
from hwmodel.design import Blocks, GroupDesign, ReuseLevel, Scan, with_keeps

Known = tuple[tuple[int, ...], ...]  # of designs that have been found the columns, and the units


@dataclass(frozen=True, eq=False)
class GroupJob(ABC):
    """What all jobs share: the group, the rates of its tasks, and the estimated seconds.

    What designs that are `known` dominate is on no front, and left out; they themselves are no part of the job's front.
    With `wholes` so is what no whole design needs.
    """

    tasks: tuple[str, ...]
    rates: RateChoices
    cost: float = field(compare=False)
    known: Known
    wholes: Incumbents | None = field(default=None, compare=False, kw_only=True)
    kind = "designs of a group"
    dump = staticmethod(dump_part)
    load = staticmethod(load_part)

    @property
    def settings_key(self) -> tuple[object, ...]:
        """What it is asked, besides the structures."""
        return self.rates, self.known, self.wholes

    @abstractmethod
    def key(self, context: SearchContext) -> bytes:
        """What it depends on."""

    def run(self, context: SearchContext) -> GroupPart:
        """The front of its designs."""
        front = _FrontOfGroup(context, self)
        self._add_to(front, context.space)
        return front.part

    @abstractmethod
    def _add_to(self, front: _FrontOfGroup, space: MappingSpace) -> None:
        """Take all its designs."""


@dataclass(frozen=True, eq=False)
class PlainJob(GroupJob):
    """Block shapes under some scans without options, in batches where the group is separable."""

    shapes: tuple[ScanShapes, ...]
    products_only: bool = False  # whether what would be enumerated is skipped

    def key(self, context: SearchContext) -> bytes:
        """What it depends on."""
        settings = *self.settings_key, list(self.shapes), self.products_only
        return digest("plain", context.group_key(self.tasks), *settings)

    def _add_to(self, front: _FrontOfGroup, space: MappingSpace) -> None:
        del space
        front.take_plain(self.shapes, products_only=self.products_only)


@dataclass(frozen=True, eq=False)
class KeepsJob(GroupJob):
    """What block shapes under some scans may keep of arrays from outside, beside keeping all of them to the end.

    Priced is what the designs that are known do not show to be worse.
    """

    shapes: tuple[ScanShapes, ...]
    products_only: bool = False

    def key(self, context: SearchContext) -> bytes:
        """What it depends on: also what the study offers for arrays."""
        study = context.space.study
        shapes = list(self.shapes)
        settings = *self.settings_key, shapes, study.policies, study.keeps, self.products_only
        return digest("keeps", context.group_key(self.tasks), *settings)

    def _add_to(self, front: _FrontOfGroup, space: MappingSpace) -> None:
        del space
        for scan, shapes in self.shapes:
            front.take_keeps(scan, shapes, products_only=self.products_only)


@dataclass(frozen=True, eq=False)
class StructuresJob(GroupJob):
    """Some structures, whatever their options."""

    structures: tuple[GroupDesign, ...]

    def key(self, context: SearchContext) -> bytes:
        """What it depends on."""
        return digest("structures", context.group_key(self.tasks), *self.settings_key, self.structures)

    def _add_to(self, front: _FrontOfGroup, space: MappingSpace) -> None:
        del space
        front.take_structures(self.structures)


@dataclass(frozen=True, eq=False)
class OptionsJob(GroupJob):
    """All mapping options of the study on some plain structures; without `keeps` not those of keeps alone."""

    blocks: tuple[Blocks, ...]
    keeps: bool = True

    def key(self, context: SearchContext) -> bytes:
        """What it depends on: also all options of the study."""
        settings = *self.settings_key, self.blocks, context.space.study.option_lists, self.keeps
        return digest("options", context.group_key(self.tasks), *settings)

    def _add_to(self, front: _FrontOfGroup, space: MappingSpace) -> None:
        for blocks in self.blocks:
            for structure in mapping_options(space, plain_structure(self.tasks, blocks), keeps=self.keeps):
                front.take(structure)


def _of_rows(structure: Callable[[int], GroupDesign], rows: Rows, row: int) -> GroupDesign:
    return structure(int(rows[row]))


class _FrontOfGroup:
    """The front of the designs priced so far."""

    def __init__(self, context: SearchContext, job: GroupJob) -> None:
        self.columns, self.tasks = context.columns, job.tasks
        self.is_separable = context.space.model.is_separable(job.tasks)
        self.pricer = Evaluator(context, job.tasks, job.rates)
        self.search = KeepSearch(context, job.tasks, job.rates)
        self.designs = job.rates.count  # of a structure
        self.part = nothing(self.columns, len(self.tasks))
        table = np.array(job.known, np.int64).reshape(-1, len(self.columns.figures) + 1)
        self.known, self.known_units = table[:, :-1], table[:, -1]
        self.wholes = job.wholes

    def take_plain(self, blocks: Sequence[ScanShapes], *, products_only: bool) -> None:
        """Take plain structures, given by their shapes under some scans, under all rates."""
        if not self.is_separable:
            for scan, shapes in blocks:
                for row in range(len(shapes)):
                    self.take(self._plain(scan, shapes, row))
            return
        taken = [(scan, self._products(scan, shapes) if products_only else shapes) for scan, shapes in blocks]
        if self.pricer.has_bounds:
            parts = ((scan, shapes, *part) for scan, shapes in taken for part in self.pricer.bounded(scan, shapes))
            bounded = ((scan, shapes[part], own) for scan, shapes, part, own in parts)
            self._take_bounded([Source(partial(self._plain, scan, some), own) for scan, some, own in bounded])
        else:
            for scan, shapes in taken:
                for rows, priced in self.pricer.plain(scan, shapes, are_products=products_only):
                    self._add(partial(_of_rows, partial(self._plain, scan, shapes), rows), priced)

    def _products(self, scan: Scan, shapes: ShapeTable) -> ShapeTable:
        """The shapes that need not be enumerated; others are skipped."""
        taken = self.pricer.takes(scan, shapes)
        self._skip(Blocks(tuple(shape), scan) for shape in shapes[~taken].tolist())
        return shapes[taken]

    def take_keeps(self, scan: Scan, shapes: ShapeTable, *, products_only: bool) -> None:
        """Take what plain structures of one scan may keep in other ways, as far as it is worth a price.

        In slices, those first of which most is to be hoped, as of structures (`bounded`).
        """
        for rows, worth, bounds, size in self.search.worth_a_price(scan, shapes, self.known):
            waiting = Waiting(rows, np.arange(len(rows)), bounds, np.zeros(len(rows), np.int64))
            number, is_first = 0, True
            while len(waiting):
                waiting = waiting.only(~self._are_beaten(waiting))
                chosen = waiting.first_slice() if is_first else waiting.next_slice()
                now, waiting, is_first = waiting.only(chosen), waiting.only(~chosen), False
                some, keeps = shapes[now.source], worth.only(now.row)
                if products_only and len(some):
                    taken = np.flatnonzero(self.pricer.takes(scan, some, keeps))
                    some, keeps = some[taken], keeps.only(taken)
                self._add_keeps(scan, some, keeps, are_products=products_only)
                number += len(some)
            pruned = self.designs * (size - number)
            self._join(nothing(self.columns, len(self.tasks), Counts(pruned=pruned)))

    def _add_keeps(self, scan: Scan, shapes: ShapeTable, keeps: StructureKeeps, *, are_products: bool) -> None:
        """Take plain structures of one scan, each with what it keeps."""
        if self.pricer.has_bounds:
            bounded = self.pricer.bounded(scan, shapes, keeps)
            self._take_bounded(
                [Source(partial(self._keeping, scan, shapes[part], keeps.only(part)), own) for part, own in bounded]
            )
            return
        for rows, priced in self.pricer.plain(scan, shapes, keeps, are_products=are_products):
            self._add(partial(_of_rows, partial(self._keeping, scan, shapes, keeps), rows), priced)

    def _keeping(self, scan: Scan, shapes: ShapeTable, keeps: StructureKeeps, row: int) -> GroupDesign:
        own = keeps.choices[keeps.which[row]]
        return with_keeps(self._plain(scan, shapes, row), dict(zip(self.search.loaded, own, strict=True)))

    def take_structures(self, structures: Sequence[GroupDesign]) -> None:
        """Take structures, in batches those that keep the same and differ from plain ones in nothing else."""
        alike, others = dict[tuple[Scan, tuple[ReuseLevel, ...]], list[GroupDesign]](), list[GroupDesign]()
        for structure in structures:
            is_kept = self.is_separable and structure == self._plainly_keeping(structure)
            key = structure.blocks.scan, self._keeps_of(structure) if is_kept else ()
            (alike.setdefault(key, []) if is_kept else others).append(structure)
        for (scan, kept), own in alike.items():
            shapes, keeps = table_of([each.blocks.shape for each in own]), StructureKeeps.alike(kept, len(own))
            taken = self.pricer.takes(scan, shapes, keeps)
            others += [each for each, is_taken in zip(own, taken.tolist(), strict=True) if not is_taken]
            rows = np.flatnonzero(taken)
            if len(rows):
                self._add_keeps(scan, shapes[rows], keeps.only(rows), are_products=True)
        for structure in others:
            self.take(structure)

    def _plainly_keeping(self, structure: GroupDesign) -> GroupDesign:
        """The plain structure of the same blocks that keeps the same."""
        plain = plain_structure(self.tasks, Blocks(structure.blocks.shape, structure.blocks.scan))
        return with_keeps(plain, dict(zip(self.search.loaded, self._keeps_of(structure), strict=True)))

    def _keeps_of(self, structure: GroupDesign) -> tuple[ReuseLevel, ...]:
        return tuple(map(structure.keep_of, self.search.loaded))

    def take(self, structure: GroupDesign) -> None:
        """Take a structure under all rates."""
        try:
            if self.pricer.has_bounds:
                self._take_bounded([Source(lambda _: structure, self.pricer.bounded_structure(structure))])
            else:
                self._add(lambda _: structure, self.pricer.structure(structure))
        except ArrayolError as refused:
            counts = Counts(infeasible=self.designs)
            self._join(nothing(self.columns, len(self.tasks), counts, refused.diagnostics[0].message))

    def _take_bounded(self, sources: Sequence[Source]) -> None:
        """Take structures slice by slice, until no other can have a design on the front."""
        if not sources:
            return
        waiting = Waiting.of(
            sources,
            lambda least: self.pricer.values(least, (slice(None), 0)),
            trade_units=self.columns.combination.trades_units,
        )
        total = sum(len(own.bounded.sure) for own in sources)
        waiting = waiting.only(self.columns.combination.within(waiting.bounds))
        hopeless, beaten, is_first = total - len(waiting), 0, len(sources[0].bounded.sure) > 1
        while len(waiting):
            left = ~self._are_beaten(waiting)
            beaten, waiting = beaten + int(np.count_nonzero(~left)), waiting.only(left)
            chosen = waiting.first_slice() if is_first else waiting.next_slice()
            for number, rows in waiting.only(chosen).by_source():
                own = sources[number]
                for some in in_parts(rows, own.bounded.sure[rows], max(1, COMPARED_AT_ONCE // self.designs)):
                    self._add(partial(_of_rows, own.structure, some), own.bounded.price(some), own.bounded.live(some))
            waiting, is_first = waiting.only(~chosen), False
        counts = Counts(infeasible=hopeless * self.designs, pruned=beaten * self.designs)
        refusal = why_infeasible(0, hopeless * self.designs) if hopeless else None
        self._join(nothing(self.columns, len(self.tasks), counts, refusal))

    def _plain(self, scan: Scan, shapes: ShapeTable, row: int) -> GroupDesign:
        return plain_structure(self.tasks, Blocks(shape_of(shapes[row]), scan))

    def _add(
        self, structure: Callable[[int], GroupDesign], priced: Metrics, live: tuple[IntArray, IntArray] | None = None
    ) -> None:
        """Take the feasible designs of some structures, given by their rows, and of all the front.

        What memories are built of takes long to tell. So designs are compared first by what is `live` in data and bits,
        (S, 1), where that is known, then by what memories take at the least, and the most promising are priced first.
        """
        rows, chosen = np.nonzero(priced.legal)
        cells = self._cells(priced, rows, chosen) if live is None else self._live(priced, *live, rows, chosen)
        looked_at = self.designs * len(priced.legal) - priced.untried
        feasible, pruned, illegal = 0, priced.left_out, priced.legal.size - len(rows)
        beyond, unserved = len(rows) - len(cells), priced.refusal
        while len(cells):
            left = cells.only(~self._are_beaten(cells))
            pruned += len(cells) - len(left)
            now = self._promising(priced, left)
            found, refused, why = self._add_cells(structure, priced, left.only(now))
            feasible, illegal, unserved = feasible + found, illegal + refused, unserved or why
            beyond += int(np.count_nonzero(now)) - found - refused
            cells = self._cells(priced, left.source[~now], left.row[~now])
        counts = Counts(feasible, looked_at - feasible - pruned, pruned, priced.untried)
        refusal = None
        if not feasible and not pruned:
            in_fifos = bool(len(priced.legal) and structure(0).fifos)
            refusal = why_infeasible(illegal, beyond, in_fifos=in_fifos, unserved=unserved)
        self._join(nothing(self.columns, len(self.tasks), counts, refusal))

    def _promising(self, priced: Metrics, cells: Waiting) -> NDArray[np.bool_]:
        """Designs that are priced now: all of them where that takes no longer than comparing them."""
        if priced.exact is not None:
            return cells.next_slice()  # few of them take nearly as long as many
        return cells.first_slice() if self.pricer.compares_built else np.ones(len(cells), np.bool_)

    def _cells(self, priced: Metrics, rows: Rows, chosen: Rows) -> Waiting:
        """Designs by structure and combination of rates, those that may be feasible by what they have at the least."""
        least = priced.at(rows, chosen, least=True)
        bounds, units = self.pricer.values(least, (slice(None), 0)), least.objective("units")[:, 0]
        return Waiting(rows, chosen, bounds, units).only(self.columns.combination.within(bounds))

    def _live(self, priced: Metrics, data: IntArray, bits: IntArray, rows: Rows, chosen: Rows) -> Waiting:
        """Designs that may be feasible by the elements and bits (S, 1) that are live in them at the least."""
        least = priced.keeping(data, bits)
        bounds, units = self.pricer.values(least, (rows, chosen)), least.objective("units")[rows, chosen]
        return Waiting(rows, chosen, bounds, units).only(self.columns.combination.within(bounds))

    def _add_cells(
        self, structure: Callable[[int], GroupDesign], priced: Metrics, cells: Waiting
    ) -> tuple[int, int, str | None]:
        """Take some designs of structures, by structure and combination of rates.

        How many of them are feasible, how many no schedule or no memory takes, and why no memory does.
        """
        found = priced.at(cells.source, cells.row)
        values, rates = self.pricer.values(found, (slice(None), 0)), found.combinations[:, 0]
        kept = self.columns.combination.within(values) & found.legal[:, 0]
        values, rates, rows = values[kept], rates[kept], cells.source[kept]
        front = front_of(values, total_units(rates), trade_units=self.columns.combination.trades_units).origin
        front = front[~self._are_beaten(Waiting(rows[front], front, values[front], total_units(rates[front])))]
        used, place = np.unique(rows[front], return_inverse=True)  # of many structures few are on a front
        structures = tuple(structure(int(row)) for row in used)
        self._join(GroupPart(structures, values[front], rates[front], place.reshape(-1), Counts()))
        refused = int(np.count_nonzero(~found.legal[:, 0]))
        return len(values), refused, found.refusal if refused else None

    def _are_beaten(self, waiting: Waiting) -> NDArray[np.bool_]:
        """Which waiting designs are dominated by those of this group so far, or by known whole designs."""
        units, trade = total_units(self.part.rates), self.columns.combination.trades_units
        beaten = waiting.is_beaten(self.part.values, units, trade_units=trade)
        beaten |= waiting.is_beaten(self.known, self.known_units, trade_units=trade)
        if self.wholes is not None:
            left = np.flatnonzero(~beaten)
            combination = self.columns.combination
            beaten[left] = self.wholes.beat(waiting.bounds[left], waiting.units[left], combination)
        return beaten

    def _skip(self, blocks: Iterable[Blocks]) -> None:
        self._join(replace(nothing(self.columns, len(self.tasks)), skipped=tuple(blocks)))

    def _join(self, part: GroupPart) -> None:
        self.part = joined([self.part, part], self.columns)
