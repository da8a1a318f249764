"""What plain structures of a group may keep of arrays from outside, array by array: an axis of the exact search.

There are as many choices as the product of those of all arrays. What each of them takes is known but for its time, of
which there is a bound (`hwmodel.cost_model.counted.keep_choices`): those that the bound shows to be worse than a design
at hand, in one figure and not better in any other, are on no front.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from dse.pareto.fronts import dominated
from dse.search.context import SearchContext
from dse.search.figures import Columns, key_of
from dse.search.pricing import RateChoices
from dse.space.mappings import MappingSpace, ShapeTable
from hwmodel.cost_model.counted.axes.fetches import StructureKeeps
from hwmodel.cost_model.counted.keep_choices import KeepChoices, keep_choices
from hwmodel.design import ReuseLevel, Scan
from hwmodel.figures import FRAME

CHOICES_AT_MOST = 4096  # of a structure: beyond, keeps are tried one at a time as other options are
_AT_ONCE = 1 << 20  # choices of structures that are looked at


def searches_keeps(space: MappingSpace, columns: Columns, tasks: tuple[str, ...]) -> bool:
    """Whether the choices of keeps of a group are searched in bulk."""
    last = tasks[-1]
    loops = len(space.accesses.extents(last))
    return (
        columns.sees_keeps
        and space.study.holds_plain
        and 1 < space.count_keeps(tasks, loops) <= CHOICES_AT_MOST
        and space.model.is_separable(tasks)
        and (batch := space.model.batch(tasks)) is not None
        and batch.at_once is None  # nothing is coupled
    )


class KeepSearch:
    """Which choices of keeps of a group are worth a price, under some rates."""

    def __init__(self, context: SearchContext, tasks: tuple[str, ...], rates: RateChoices) -> None:
        self.space, self.columns, self.tasks = context.space, context.columns, tasks
        columns = rates.offered if rates.chosen is None else zip(*rates.chosen, strict=True)
        self._rates = [sorted(set(column)) for column in columns]
        self._whole = len(tasks) == len(self.space.graph)

    @property
    def loaded(self) -> tuple[str, ...]:
        """The arrays that the group loads, in the order of their keeps."""
        batch = self.space.model.batch(self.tasks)
        assert batch is not None, "the group is separable"
        return batch.counts.parts.group.loaded

    def worth_a_price(
        self, scan: Scan, shapes: ShapeTable, front: IntArray
    ) -> Iterator[tuple[NDArray[np.intp], StructureKeeps, IntArray, int]]:
        """Rows of block shapes with what each keeps and the least that it takes, and how many were looked at, by parts.

        Left out is what comes to the same as another choice, and what is worse than a point of `front`.
        """
        loops, batch = len(scan.dimensions), self.space.model.batch(self.tasks)
        assert batch is not None, "the group is separable"
        options = [_plain_first(self.space.keeps_of(array, loops)) for array in self.loaded]
        names = self.columns.times(whole=self._whole)
        times = {name: name == FRAME for name in names}
        step = max(1, _AT_ONCE // self.space.count_keeps(self.tasks, loops))
        for start in range(0, len(shapes), step):
            part = shapes[start : start + step]
            choices = keep_choices(batch, scan, part, options, self._rates, times)
            rows, chosen = np.nonzero(choices.distinct)
            bounds = self._bounds(choices, rows, chosen)
            kept = self.columns.combination.within(bounds) & ~dominated(bounds, front)
            size = choices.offered * len(choices.keeps)
            yield choices.rows[rows[kept]] + start, StructureKeeps(choices.keeps, chosen[kept]), bounds[kept], size

    def _bounds(self, choices: KeepChoices, rows: NDArray[np.intp], chosen: NDArray[np.intp]) -> IntArray:
        """The least that choices may take, (n, figures)."""
        blocks = None if self.columns.builds_memories else choices.blocks
        known = {
            "internal_memory_elements": choices.data,
            "internal_memory_bits": choices.bits,
            "memory_blocks": blocks,
            "traffic_bytes": choices.traffic,
            "port_bytes": choices.traffic,
            **choices.floors,
        }
        borne = self.columns.borne(first=self.space.graph.names[0] in self.tasks)
        bounds = np.zeros((len(rows), len(self.columns.figures)), np.int64)
        for column, (figure, more) in enumerate(zip(self.columns.figures, borne, strict=True)):
            least = known.get(key_of(figure, whole=self._whole))
            bounds[:, column] = more + (0 if least is None else least[rows, chosen] * figure.scale)
        return bounds


def _plain_first(keeps: Sequence[ReuseLevel]) -> list[ReuseLevel]:
    return [ReuseLevel(0), *(keep for keep in keeps if keep != ReuseLevel(0))]
