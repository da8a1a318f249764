"""Pieces of the search through one group: structures in bulk, structures one by one, all that is opened on some blocks.

A structure is a group design but for its units. The plain ones differ in blocks and scan; all else is an opening.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from arrayol.errors import ArrayolError
from dse.columns import Priced, column_of
from dse.group_part import Counts, GroupPart, dump_part, joined, load_part, nothing
from dse.mapping_space import Shape
from dse.openings import openings
from dse.search_context import SearchContext
from dse.work.content import digest
from hwmodel.design import Blocks, GroupDesign, Processor, Scan

_POINTS_AT_ONCE = 1 << 20  # designs whose values are held before they are sorted


@dataclass(frozen=True)
class GroupPiece:
    """What all pieces share: the group, the numbers of units that each task may have, and the estimated seconds."""

    tasks: tuple[str, ...]
    units: tuple[int, ...]
    cost: float = field(compare=False)

    @property
    def kind(self) -> str:
        """What it is in a store."""
        return "designs of a group"

    def dump(self, part: GroupPart) -> str:
        """A part as text."""
        return dump_part(part)

    def load(self, text: str) -> GroupPart:
        """A part from its text."""
        return load_part(text)


@dataclass(frozen=True)
class PlainPiece(GroupPiece):
    """Block shapes under one scan with nothing opened, in bulk where the group is separable."""

    scan: Scan
    shapes: tuple[Shape, ...]

    def key(self, context: SearchContext) -> bytes:
        """What it depends on."""
        return digest("plain", context.group_key(self.tasks), self.units, self.scan, self.shapes)

    def run(self, context: SearchContext) -> GroupPart:
        """The front of these designs."""
        pricing = _Pricing(context, self)
        batch = context.space.model.batch(self.tasks)
        structures = [plain_structure(self.tasks, Blocks(shape, self.scan)) for shape in self.shapes]
        if batch is None:
            for structure in structures:
                pricing.price_one(structure)
            return pricing.part
        step = max(1, _POINTS_AT_ONCE // len(pricing.combinations))
        for start in range(0, len(structures), step):
            shapes = np.array(self.shapes[start : start + step], np.int64).reshape(-1, len(self.scan.dimensions))
            pricing.add(structures[start : start + step], batch.price(self.scan, shapes, pricing.combinations))
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
    """The front of the designs priced so far."""

    def __init__(self, context: SearchContext, piece: GroupPiece) -> None:
        self.space, self.columns = context.space, context.columns
        self.whole = len(piece.tasks) == len(self.space.graph)
        self.combinations = combinations(piece.units, len(piece.tasks))
        self.part = nothing(self.columns, len(piece.tasks))

    def price_one(self, structure: GroupDesign) -> None:
        """Take a structure under all combinations of units."""
        try:
            priced = self.space.model.price_structure(structure, self.combinations)
        except ArrayolError as refused:
            counts = Counts(infeasible=len(self.combinations))
            self._join(nothing(self.columns, len(structure.tasks), counts, refused.diagnostics[0].message))
            return
        self.add([structure], priced)

    def add(self, structures: Sequence[GroupDesign], priced: Priced) -> None:
        """Take the feasible designs of some structures, and of all the front."""
        legal = priced.legal
        rows, chosen = np.nonzero(legal)
        found = (column_of(priced, figure, whole=self.whole) for figure in self.columns.figures)
        values = np.stack([column[legal] for column in found], axis=1)
        kept = self.columns.how.within(values)
        feasible = int(np.count_nonzero(kept))
        counts = Counts(evaluated=feasible, infeasible=legal.size - feasible)
        refusal = None if feasible else "more units than can work at once, or a constraint"
        units = self.combinations[chosen[kept]]
        self._join(GroupPart(tuple(structures), values[kept], units, rows[kept], counts, refusal))

    def _join(self, part: GroupPart) -> None:
        self.part = joined([self.part, part], self.columns)
