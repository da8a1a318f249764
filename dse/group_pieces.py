"""Pieces of the search through one group: structures in bulk, structures one by one, all that is opened on some blocks.

A structure is a group design but for its units. The plain ones differ in blocks and scan; all else is an opening.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from arrayol.errors import ArrayolError
from dse.columns import column_of
from dse.fronts import front_of
from dse.group_part import Counts, GroupPart, dump_part, joined, load_part, nothing
from dse.mapping_space import Shape
from dse.openings import openings
from dse.search_context import SearchContext
from dse.work.content import digest
from hwmodel.design import Blocks, GroupDesign, Processor, Scan
from hwmodel.machine.priced import Priced

_POINTS_AT_ONCE = 1 << 20  # designs whose values are held before they are sorted


@dataclass(frozen=True)
class GroupPiece(ABC):
    """What all pieces share: the group, the numbers of units that each task may have, and the estimated seconds."""

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
class PlainPiece(GroupPiece):
    """Block shapes under some scans with nothing opened, in bulk where the group is separable."""

    shapes: tuple[tuple[Scan, tuple[Shape, ...]], ...]

    def key(self, context: SearchContext) -> bytes:
        """What it depends on."""
        return digest("plain", context.group_key(self.tasks), self.units, self.shapes)

    def run(self, context: SearchContext) -> GroupPart:
        """The front of these designs."""
        pricing = _Pricing(context, self)
        in_bulk, step = context.space.model.is_separable(self.tasks), pricing.at_once
        for scan, shapes in self.shapes:
            if not in_bulk:
                for shape in shapes:
                    pricing.price_one(plain_structure(self.tasks, Blocks(shape, scan)))
                continue
            for start in range(0, len(shapes), step):
                pricing.price_bulk(scan, shapes[start : start + step])
        return pricing.part


@dataclass(frozen=True)
class StructuresPiece(GroupPiece):
    """Some structures, whatever they open."""

    structures: tuple[GroupDesign, ...]

    def key(self, context: SearchContext) -> bytes:
        """What it depends on."""
        return digest("structures", context.group_key(self.tasks), self.units, self.structures)

    def run(self, context: SearchContext) -> GroupPart:
        """The front of these designs."""
        pricing = _Pricing(context, self)
        for structure in self.structures:
            pricing.price_one(structure)
        return pricing.part


@dataclass(frozen=True)
class OpeningsPiece(GroupPiece):
    """All that the study opens on some plain structures."""

    blocks: tuple[Blocks, ...]

    def key(self, context: SearchContext) -> bytes:
        """What it depends on: also all that the study may open."""
        study = context.space.study
        opened = (study.cuts, study.links, study.layouts, study.policies, study.recompute, study.orders)
        return digest("openings", context.group_key(self.tasks), self.units, self.blocks, opened)

    def run(self, context: SearchContext) -> GroupPart:
        """The front of these designs."""
        pricing = _Pricing(context, self)
        for blocks in self.blocks:
            for structure in openings(context.space, plain_structure(self.tasks, blocks)):
                pricing.price_one(structure)
        return pricing.part


def plain_structure(tasks: Sequence[str], blocks: Blocks) -> GroupDesign:
    """The structure of these blocks with nothing opened."""
    return GroupDesign(tuple(map(Processor, tasks)), blocks)


@lru_cache(maxsize=16)
def combinations(units: tuple[int, ...], tasks: int) -> NDArray[np.int64]:
    """All combinations of units of so many tasks, of shape (combinations, tasks)."""
    found = list(product(units, repeat=tasks))
    return np.array(found, np.int64).reshape(len(found), tasks)


class _Pricing:
    """The front of the designs priced so far.

    Where units are free, each structure is priced under the fastest ones alone, of those the fewest.
    """

    def __init__(self, context: SearchContext, piece: GroupPiece) -> None:
        self.model, self.columns = context.space.model, context.columns
        self.tasks, self.offered = piece.tasks, piece.units
        self.whole = len(self.tasks) == len(context.space.graph)
        self.times = self.columns.times(whole=self.whole)
        self.designs = len(self.offered) ** len(self.tasks)  # of a structure
        self.part = nothing(self.columns, len(self.tasks))

    @property
    def at_once(self) -> int:
        """How many structures are priced at a time, so that memory stays bounded."""
        return max(1, _POINTS_AT_ONCE // (1 if self.columns.units_are_free else self.designs))

    def price_bulk(self, scan: Scan, shapes: Sequence[Shape]) -> None:
        """Take plain structures of one scan under all units."""
        batch = self.model.batch(self.tasks)
        assert batch is not None, "the group is separable"
        table = np.array(shapes, np.int64).reshape(len(shapes), -1)
        if self.columns.units_are_free:
            priced = batch.fastest(scan, table, self.offered, times=self.times)
        else:
            priced = batch.price(scan, table, combinations(self.offered, len(self.tasks)))
        self._add(lambda row: plain_structure(self.tasks, Blocks(shapes[row], scan)), priced)

    def price_one(self, structure: GroupDesign) -> None:
        """Take a structure under all units."""
        try:
            priced = self._priced(structure)
        except ArrayolError as refused:
            counts = Counts(infeasible=self.designs)
            self._join(nothing(self.columns, len(self.tasks), counts, refused.diagnostics[0].message))
            return
        self._add(lambda _: structure, priced)

    def _priced(self, structure: GroupDesign) -> Priced:
        if self.columns.units_are_free:
            return self.model.fastest(structure, self.offered, times=self.times)
        return self.model.price_structure(structure, combinations(self.offered, len(self.tasks)))

    def _add(self, structure: Callable[[int], GroupDesign], priced: Priced) -> None:
        """Take the feasible designs of some structures, given by their rows, and of all the front."""
        legal = priced.legal
        found = (column_of(priced, figure, whole=self.whole) for figure in self.columns.figures)
        values = np.stack([column[legal] for column in found], axis=1)
        kept = self.columns.how.within(values)
        feasible = int(np.count_nonzero(kept))
        total = self.designs * len(legal)
        counts = Counts(feasible, total - feasible - priced.left_out, priced.left_out)
        refusal = None if feasible else "more units than can work at once, or a constraint"
        rows, chosen = (places[kept] for places in np.nonzero(legal))
        units = priced.combinations[rows if len(priced.combinations) > 1 else 0, chosen]
        front = front_of(values[kept], units.sum(axis=1), trade_units=self.columns.how.trades_units).origin
        used, place = np.unique(rows[front], return_inverse=True)  # of many structures few are on a front
        structures = tuple(structure(int(row)) for row in used)
        self._join(GroupPart(structures, values[kept][front], units[front], place.reshape(-1), counts, refusal))

    def _join(self, part: GroupPart) -> None:
        self.part = joined([self.part, part], self.columns)
