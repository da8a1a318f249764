"""The data of a buffer along one component of the blocks, as cells, and the few cells that determine its size.

The size of a list of data is a product of greatest distances: along an axis, or in steps, of two data that are live
together and agree in all other coordinates (`hwmodel/local_memory/enumerated`). Few cells matter for these:

- Of cells that come together, and that each reader uses last together, those at either end along an axis (in banks: of
  one residue). Cells between them are live with the same data, at no greater distance from any.
- Of cells along one loop, those near its ends. In the middle of a frame each place does what the one before does, a
  step of the axis further: this is the *stretch*. Two of its cells at most a reach R apart can be moved along it
  together, and their relation stays as it is (by multiples of Q places, if bank numbers depend on the subscript
  itself). Two cells farther apart are one after another in places, in subscripts and in all their lives, whatever the
  distance. They can be moved separately, by multiples of a period P after which they are in one bank again: as far
  apart as there is room, or as near as R + P (if the distance in steps counts, to which other loops add). All of these
  are among the first and last R + P + Q places of the stretch. Along the outermost loop, cells farther apart than R are
  never live together, so R + Q are enough. The reach includes how many places cells live, how often a subscript may
  come again, and the lag in steps. So cells that are live together only because a step ends a row and the next one
  begins another lie within it from the ends, and are kept.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.cost_model.counted.axes.axes import Mask
from hwmodel.cost_model.counted.axes.places import BEFORE
from hwmodel.cost_model.numbering import distinct_rows

_FEWEST = 16  # places from which on it is worth looking


@dataclass(frozen=True)
class Residue:
    """The residue of a subscript that decides its bank.

    If `is_absolute`, the bank depends on the residue itself, otherwise only on differences to other subscripts of a
    bank.
    """

    modulus: int
    is_absolute: bool = False


@dataclass(frozen=True, eq=False)
class Cells:
    """The data of a source along one component, n cells: the parts that each adds to element numbers and ticks.

    - `element` (n,): the part of the element number.
    - `born` (n,): the tick that brings it; `lasts` (R, n): the last use by each of R readers, far below 0 for none.
    - `weight` (n,): the number of equal cells it stands for; `needed` (n,): whether they are needed outside.
    - `subscripts` (axes, n).
    - Along a single loop: its number of `places` (otherwise 0), and the `place` (n,) of birth and `late` (R, n) of last
      uses, BEFORE for none.
    """

    element: IntArray
    born: IntArray
    lasts: IntArray
    weight: IntArray
    needed: Mask
    subscripts: IntArray
    place: IntArray
    late: IntArray
    places: int = 0

    @property
    def together(self) -> IntArray:
        """A number for each cell: equal for cells that come together, go together, and are needed outside alike."""
        return distinct_rows(np.concatenate([self.born[None, :], self.needed[None, :], self.lasts]).T)[1]

    def only(self, chosen: IntArray) -> Cells:
        """The cells of some numbers."""
        return Cells(
            self.element[chosen],
            self.born[chosen],
            self.lasts[:, chosen],
            self.weight[chosen],
            self.needed[chosen],
            self.subscripts[:, chosen],
            self.place[chosen],
            self.late[:, chosen],
            self.places,
        )

    def classes(self) -> Cells:
        """One cell, with its weight, for all that come and are last used together."""
        first, number = np.unique(self.together, return_index=True, return_inverse=True)[1:]
        return replace(self.only(first), weight=np.bincount(number.ravel()))

    def ends(self, residues: Sequence[Residue]) -> Cells:
        """The extreme cells along some axis, among those that come and go together and have equal residues."""
        kept = np.zeros(len(self.born), np.bool_) if len(self.subscripts) else np.ones(len(self.born), np.bool_)
        alike = [
            self.together,
            *(subscript % each.modulus for subscript, each in zip(self.subscripts, residues, strict=True)),
        ]
        for axis, subscript in enumerate(self.subscripts):
            others = np.array([*alike, *np.delete(self.subscripts, axis, axis=0)]).T
            group = distinct_rows(others)[1]
            order = np.lexsort((subscript, group))
            heads = np.diff(group[order], prepend=-1) != 0
            kept[order[heads]] = True
            kept[order[np.append(heads[1:], True)]] = True
        return self.only(np.flatnonzero(kept))

    def near_ends(self, residues: Sequence[Residue], lag: int, *, outermost: bool) -> Cells:
        """The cells near the ends of the loop, without the stretch between them that repeats itself.

        `lag` is in steps, 0 or more. `residues` says, by axis, how subscripts decide banks, and `outermost` that the
        loop is the first of the scan.
        """
        stretch = self._stretch() if self.places >= _FEWEST else None
        if stretch is None:
            return self
        first, end, step = stretch
        known = self.late != BEFORE
        reach, period, phase = 2 + lag + int(np.abs(np.where(known, self.late - self.place, 0)).max(initial=0)), 1, 1
        for subscript, each, residue in zip(self.subscripts, step.tolist(), residues, strict=True):
            if each:
                offset = subscript - each * self.place
                reach += -(-int(offset.max() - offset.min()) // abs(each))
                own_period = residue.modulus // math.gcd(abs(each), residue.modulus)
                period = math.lcm(period, own_period)
                phase = math.lcm(phase, own_period if residue.is_absolute else 1)
        margin = reach + phase + (0 if outermost else period)
        kept = (self.place < first + margin) | (self.place >= end - margin)
        return self.only(np.flatnonzero(kept))

    def _stretch(self) -> tuple[int, int, IntArray] | None:
        """The first place and the end of the stretch in which places repeat, and the steps (axes,) of subscripts."""
        late = np.where(self.late == BEFORE, self.place, self.late)
        rows = np.concatenate([self.subscripts, late, self.late < 0, self.needed[None, :]])
        order = np.lexsort((*rows, self.place))
        number = np.bincount(self.place, minlength=self.places)
        middle = self.places // 2
        if not (each := int(number[middle])):
            return None
        first, end = _run(number == each, middle)
        if end - first < 2:
            return None
        begin = int(number[:first].sum())
        stretch = rows[:, order[begin : begin + each * (end - first)]].reshape(len(rows), end - first, each)
        axes = len(self.subscripts)
        differs = np.diff(stretch, axis=1)
        step = differs[:axes, min(middle, end - 2) - first, 0]
        wanted = np.concatenate([step, np.ones(len(late), np.int64), np.zeros(len(late) + 1, np.int64)])
        alike = (differs == wanted[:, None, None]).all(axis=(0, 2))
        left, right = _run(alike, min(middle, end - 2) - first)
        return first + left, first + right + 1, step


def _run(holds: Mask, place: int) -> tuple[int, int]:
    """The run of places around one for which `holds` is true: first and end; empty if it is false there."""
    if not holds[place]:
        return place, place
    wrong = np.flatnonzero(~holds)
    after = int(np.searchsorted(wrong, place))
    begin = int(wrong[after - 1]) + 1 if after else 0
    return begin, int(wrong[after]) if after < len(wrong) else len(holds)
