"""Figures of many group designs of all kinds at once, each priced once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from arrayol.errors import ArrayolError
from dse.columns import Columns, column_of
from dse.fronts import Values
from dse.group_part import Counts
from dse.mapping_space import MappingSpace
from hwmodel.design import GroupDesign, Processor, Scan
from hwmodel.machine.priced import Priced

_CELLS_AT_ONCE = 1 << 21  # structures times combinations of units


class BulkPricer:
    """Remembers every group design it has priced: its figures, or None for an infeasible one."""

    def __init__(self, space: MappingSpace, columns: Columns) -> None:
        self.space = space
        self.columns = columns
        self.found: dict[GroupDesign, tuple[int, ...] | None] = {}
        self.refusal: tuple[tuple[str, ...], str] | None = None

    @property
    def counts(self) -> Counts:
        """Designs that are feasible by themselves, and others."""
        infeasible = sum(1 for values in self.found.values() if values is None)
        return Counts(len(self.found) - infeasible, infeasible)

    def price(self, designs: Iterable[GroupDesign]) -> None:
        """Price those that are new: plain ones with equal tasks and scans together, others structure by structure."""
        plain: dict[tuple[tuple[str, ...], Scan], list[GroupDesign]] = {}
        others: dict[GroupDesign, list[GroupDesign]] = {}
        for design in dict.fromkeys(one for one in designs if one not in self.found):
            structure = _structure(design)
            if _is_plain(structure) and self._batch(design.tasks):
                plain.setdefault((design.tasks, design.blocks.scan), []).append(design)
            else:
                others.setdefault(structure, []).append(design)
        for some in plain.values():
            self._price_plain(some)
        for structure, some in others.items():
            self._price_structure(structure, some)

    def _batch(self, tasks: tuple[str, ...]) -> bool:
        try:
            return self.space.model.batch(tasks) is not None
        except ArrayolError:
            return False  # its reason comes with its price

    def _price_plain(self, designs: list[GroupDesign]) -> None:
        batch = self.space.model.batch(designs[0].tasks)
        assert batch is not None
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

    def _price_structure(self, structure: GroupDesign, designs: list[GroupDesign]) -> None:
        try:
            priced = self.space.model.price_structure(structure, np.array([_units(one) for one in designs], np.int64))
        except ArrayolError as refused:
            self.refusal = self.refusal or (structure.tasks, refused.diagnostics[0].message)
            self.found.update(dict.fromkeys(designs))
            return
        self._note(designs, priced, [(0, place) for place in range(len(designs))])

    def _note(self, designs: list[GroupDesign], priced: Priced, cells: list[tuple[int, int]]) -> None:
        rows, places = np.array(cells, np.intp).T
        whole = len(designs[0].tasks) == len(self.space.graph)
        columns = [column_of(priced, figure, whole=whole)[rows, places] for figure in self.columns.figures]
        values: Values = np.stack(columns, axis=1)
        legal = priced.legal[rows, places] & self.columns.how.within(values)
        for design, kept, figures in zip(designs, legal.tolist(), values.tolist(), strict=True):
            self.found[design] = tuple(figures) if kept else None
        if not legal.all() and self.refusal is None:
            self.refusal = designs[0].tasks, "more units than can work at once, or a constraint"


def _structure(design: GroupDesign) -> GroupDesign:
    """The design with one unit for each task."""
    return replace(design, processors=tuple(replace(one, units=1) for one in design.processors))


def _is_plain(structure: GroupDesign) -> bool:
    return structure == GroupDesign(tuple(Processor(task) for task in structure.tasks), structure.blocks)


def _units(design: GroupDesign) -> tuple[int, ...]:
    return tuple(one.units for one in design.processors)
