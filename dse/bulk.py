"""Figures of many group designs of all kinds at once, each priced once, in pieces of work."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
from pydantic import TypeAdapter

from arrayol.errors import ArrayolError
from dse.columns import column_of
from dse.fronts import Values
from dse.group_part import Counts
from dse.openings import opens_nothing, structure_of, takes_exact_path
from dse.search_context import SearchContext
from dse.work.content import digest
from dse.work.crew import Crew
from dse.work.piece import Work
from hwmodel.design import GroupDesign, Scan
from hwmodel.machine.priced import Priced

_CELLS_AT_ONCE = 1 << 21  # structures times combinations of units
_PIECE_SECONDS = 0.3  # how long a piece may take, by these estimates of seconds:
_BULK_SECONDS = 2e-4  # of a design that is priced with others
_STRUCTURE_SECONDS = 3e-3
_ELEMENT_SECONDS = 2.5e-7

Figures = tuple[int, ...] | None  # in the order of a search's columns; None for an infeasible design
Refusal = tuple[tuple[str, ...], str]  # a group and the reason


@dataclass(frozen=True)
class Prices:
    """The figures of some group designs, in their order, and an example of a refusal."""

    figures: tuple[Figures, ...]
    refusal: Refusal | None


_PRICES = TypeAdapter(Prices)


@dataclass(frozen=True)
class PricesPiece:
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
        pricing = _Pricing(context)
        for part in self.parts:
            pricing.price(part)
        return Prices(tuple(pricing.found[design] for design in chain(*self.parts)), pricing.refusal)

    def dump(self, prices: Prices) -> str:
        """Prices as text."""
        return _PRICES.dump_json(prices).decode()

    def load(self, text: str) -> Prices:
        """Prices from their text."""
        return _PRICES.validate_json(text)


class BulkPricer:
    """Remembers every group design it has priced: its figures, or None for an infeasible one."""

    def __init__(self, context: SearchContext, crew: Crew | None = None) -> None:
        self.context, self.crew = context, crew or Crew()
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
        self.crew.do(self.context, [self._work(list(self._pieces(fresh)))])

    def _work(self, pieces: Sequence[PricesPiece]) -> Work[None]:
        for piece, prices in zip(pieces, (yield pieces), strict=True):
            self.found.update(zip(chain(*piece.parts), prices.figures, strict=True))
            self.refusal = self.refusal or prices.refusal

    def _pieces(self, designs: Iterable[GroupDesign]) -> Iterator[PricesPiece]:
        """Plain designs with equal tasks and scans together, others structure by structure, as many as make a piece."""
        together: dict[tuple[tuple[str, ...], Scan] | GroupDesign, list[GroupDesign]] = {}
        for design in designs:
            structure = structure_of(design)
            in_bulk = opens_nothing(structure) and self.space.model.is_separable(design.tasks)
            together.setdefault((design.tasks, design.blocks.scan) if in_bulk else structure, []).append(design)
        parts: list[tuple[GroupDesign, ...]] = []
        seconds = 0.0
        for part in map(tuple, together.values()):
            parts.append(part)
            seconds += self._seconds(part)
            if seconds >= _PIECE_SECONDS:
                yield PricesPiece(tuple(parts), seconds)
                parts, seconds = [], 0.0
        if parts:
            yield PricesPiece(tuple(parts), seconds)

    def _seconds(self, part: Sequence[GroupDesign]) -> float:
        """Roughly, by what the first of them is."""
        bulk = _STRUCTURE_SECONDS + _BULK_SECONDS * len(part)
        if not takes_exact_path(part[0]) and self.space.model.is_separable(part[0].tasks):
            return bulk
        network, accesses = self.space.model.network, self.space.accesses
        touched = {array for task in part[0].tasks for array in network.processes[task].reads}
        return bulk + _ELEMENT_SECONDS * sum(map(accesses.size, touched))


class _Pricing:
    """Prices designs that are alike together."""

    def __init__(self, context: SearchContext) -> None:
        self.context, self.space, self.columns = context, context.space, context.columns
        self.found: dict[GroupDesign, Figures] = {}
        self.refusal: Refusal | None = None

    def price(self, designs: Sequence[GroupDesign]) -> None:
        """Plain designs with equal tasks and scans, or designs of one structure."""
        structure = structure_of(designs[0])
        if opens_nothing(structure) and self.space.model.is_separable(structure.tasks):
            self._price_plain(designs)
        else:
            self._price_structure(structure, designs)

    def _price_plain(self, designs: Sequence[GroupDesign]) -> None:
        batch = self.space.model.batch(designs[0].tasks)
        assert batch is not None, "the group is separable"
        shapes = {design.blocks.shape: None for design in designs}
        combinations = {_units(design): None for design in designs}
        rows = {shape: row for row, shape in enumerate(shapes)}
        places = {units: place for place, units in enumerate(combinations)}
        table = np.array(list(shapes), np.int64).reshape(len(shapes), -1)
        units = np.array(list(combinations), np.int64)
        step = max(1, _CELLS_AT_ONCE // len(units))
        for start in range(0, len(shapes), step):
            priced = batch.price(designs[0].blocks.scan, table[start : start + step], units)
            some = [one for one in designs if start <= rows[one.blocks.shape] < start + step]
            self._note(some, priced, [(rows[one.blocks.shape] - start, places[_units(one)]) for one in some])

    def _price_structure(self, structure: GroupDesign, designs: Sequence[GroupDesign]) -> None:
        try:
            priced = self.space.model.price_structure(structure, np.array([_units(one) for one in designs], np.int64))
        except ArrayolError as refused:
            self.refusal = self.refusal or (structure.tasks, refused.diagnostics[0].message)
            self.found.update(dict.fromkeys(designs))
            return
        self._note(designs, priced, [(0, place) for place in range(len(designs))])

    def _note(self, designs: Sequence[GroupDesign], priced: Priced, cells: Sequence[tuple[int, int]]) -> None:
        rows, places = np.array(cells, np.intp).T
        whole = len(designs[0].tasks) == len(self.space.graph)
        columns = [column_of(priced, figure, whole=whole)[rows, places] for figure in self.columns.figures]
        values: Values = np.stack(columns, axis=1)
        legal = priced.legal[rows, places] & self.columns.how.within(values)
        for design, kept, figures in zip(designs, legal.tolist(), values.tolist(), strict=True):
            self.found[design] = tuple(figures) if kept else None
        if not legal.all() and self.refusal is None:
            self.refusal = designs[0].tasks, "more units than can work at once, or a constraint"


def _units(design: GroupDesign) -> tuple[int, ...]:
    return tuple(one.units for one in design.processors)
