"""The front of one group: its designs in the plain space priced in bulk, those beyond it one structure at a time.

A structure is a group design but for its units. The plain ones differ in blocks and scan; all else is an opening.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import product

import numpy as np

from arrayol.errors import ArrayolError
from dse.columns import Columns, Priced, column_of
from dse.fronts import Front, Rows, Values, front_of
from dse.graph import Mask
from dse.mapping_space import MappingSpace
from dse.openings import openings, spread, takes_exact_path
from dse.thinning import thinned
from hwmodel.design import Blocks, GroupDesign, Processor

_POINTS_AT_ONCE = 1 << 20  # designs whose values are held before they are sorted


@dataclass(frozen=True, slots=True)
class Counts:
    """Group designs: priced, infeasible, and left out by a stated bound; together the size of the space."""

    evaluated: int = 0
    infeasible: int = 0
    pruned: int = 0

    @property
    def size(self) -> int:
        """All of them."""
        return self.evaluated + self.infeasible + self.pruned

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.evaluated + other.evaluated, self.infeasible + other.infeasible, self.pruned + other.pruned)


@dataclass(frozen=True)
class GroupFront:
    """A group's front, the design behind each of its points, what was counted, and an example of a refusal."""

    front: Front
    designs: tuple[GroupDesign, ...]
    counts: Counts
    refusal: str | None = None


def search_group(space: MappingSpace, columns: Columns, group: Mask, *, open_all: bool) -> GroupFront:
    """The front of a group's designs.

    Openings (cuts, FIFOs, layouts, policies, recomputing) are tried in all combinations on every structure with
    `open_all`, else one at a time on those of the plain front (if the study holds plain designs), and of those that the
    model prices slowly only some.
    """
    tasks = space.tasks(group)
    last = space.last(group)
    if last is None:
        return _refused(columns, "the group has several last tasks, and no one repetition space to cut in blocks")
    search = _Search(space, columns, tasks, whole=group == space.graph.all)
    if space.study.holds_plain:
        search.price_plain(last)
        if space.study.opens:
            search.price_openings(list(search.structures), everywhere=open_all)
    else:
        search.price_openings([search.plain(blocks) for blocks in space.blocks(last)], everywhere=True)
    return search.finish()


def _refused(columns: Columns, why: str) -> GroupFront:
    empty = np.zeros((0, len(columns.figures)), np.int64)
    return GroupFront(Front(empty, empty[:, 0], np.zeros(0, np.intp)), (), Counts(infeasible=1), why)


@dataclass
class _Search:
    """What a search has found so far: points, and for each the numbers of its structure and its units."""

    space: MappingSpace
    columns: Columns
    tasks: tuple[str, ...]
    whole: bool
    structures: list[GroupDesign] = field(default_factory=list)
    counts: Counts = field(default_factory=Counts)
    refusal: str | None = None
    values: Values = field(init=False)
    units: Values = field(init=False)
    codes: Rows = field(init=False)

    def __post_init__(self) -> None:
        combinations = list(product(self.space.units, repeat=len(self.tasks)))
        self.combinations = np.array(combinations, np.int64).reshape(len(combinations), len(self.tasks))
        self.values = np.zeros((0, len(self.columns.figures)), np.int64)
        self.units = np.zeros(0, np.int64)
        self.codes = np.zeros((0, 2), np.intp)

    def price_plain(self, last: str) -> None:
        """All block shapes under all scans and units, in bulk where the group is separable."""
        batch = self.space.model.batch(self.tasks)
        step = max(1, _POINTS_AT_ONCE // len(self.combinations))
        for scan, shapes in self.space.structures(last):
            for start in range(0, len(shapes), step):
                some = shapes[start : start + step]
                plain = [self.plain(Blocks(shape, scan)) for shape in some]
                if batch is None:
                    for structure in plain:
                        self._price_one(structure)
                else:
                    priced = batch.price(scan, np.array(some, np.int64).reshape(len(some), -1), self.combinations)
                    self._add(plain, priced)

    def price_openings(self, plain: Sequence[GroupDesign], *, everywhere: bool) -> None:
        """What the study opens beyond plain structures: on all of them, or singly on those of the front so far.

        Of the latter those that take the model's exact path are priced up to a number that the arrays' size bounds.
        """
        if everywhere:
            for structure in plain:
                for found in openings(self.space, structure):
                    self._price_one(found)
            return
        chosen = [self.structures[number] for number in dict.fromkeys(self.codes[:, 0].tolist())]
        slow = []
        for structure in chosen:
            for found in openings(self.space, structure, singly=True):
                if takes_exact_path(found):
                    slow.append(found)
                else:
                    self._price_one(found)
        for found in spread(slow, self.space.slow_structures):
            self._price_one(found)
        self.counts += Counts(pruned=max(0, len(slow) - self.space.slow_structures) * len(self.combinations))

    def finish(self) -> GroupFront:
        """The front with its designs."""
        front = front_of(self.values, self.units, trade_units=self.columns.how.trades_units)
        front = thinned(front, self.space.study.epsilon)
        designs = [self._design(*self.codes[row]) for row in front.origin]
        return GroupFront(front, tuple(designs), self.counts, self.refusal)

    def plain(self, blocks: Blocks) -> GroupDesign:
        """The structure of these blocks with nothing opened."""
        return GroupDesign(tuple(Processor(task) for task in self.tasks), blocks)

    def _price_one(self, structure: GroupDesign) -> None:
        try:
            priced = self.space.model.price_structure(structure, self.combinations)
        except ArrayolError as refused:
            self.counts += Counts(infeasible=len(self.combinations))
            self.refusal = self.refusal or refused.diagnostics[0].message
            return
        self._add([structure], priced)

    def _add(self, structures: Sequence[GroupDesign], priced: Priced) -> None:
        """Take the feasible designs of some structures and keep the front."""
        legal = priced.legal
        first = len(self.structures)
        self.structures.extend(structures)
        rows, combinations = np.nonzero(legal)
        found = (column_of(priced, figure, whole=self.whole) for figure in self.columns.figures)
        values = np.stack([column[legal] for column in found], axis=1)
        kept = self.columns.how.within(values)
        feasible = int(np.count_nonzero(kept))
        self.counts += Counts(evaluated=feasible, infeasible=legal.size - feasible)
        if not feasible and self.refusal is None:
            self.refusal = "more units than can work at once, or a constraint"
        codes = np.stack([rows + first, combinations], axis=1)[kept]
        values = np.concatenate([self.values, values[kept]])
        units = np.concatenate([self.units, self.combinations.sum(axis=1)[codes[:, 1]]])
        codes = np.concatenate([self.codes, codes])
        front = front_of(values, units, trade_units=self.columns.how.trades_units)
        self.values, self.units, self.codes = front.values, front.units, codes[front.origin]

    def _design(self, structure: int, combination: int) -> GroupDesign:
        found = self.structures[structure]
        units = self.combinations[combination]
        processors = (replace(one, units=int(count)) for one, count in zip(found.processors, units, strict=True))
        return replace(found, processors=tuple(processors))
