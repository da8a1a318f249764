"""What one component of the blocks brings of a buffer's data, and the few cells of it that stand for all.

The size of a list of data is a product of greatest distances: along an axis, or in steps, of two data that meet and
are alike in other coordinates (`hwmodel/local_memory/enumerated`). Few cells matter for these.

- Of cells that come together, and that each reader uses last together, the ones at either end along an axis (in banks:
  of one residue). What lies between meets the same data, and is at no greater distance from any.
- Of cells along one loop, those near its ends. Inside of a frame one place does what the one before does, a step of the
  axis further. So two cells of this stretch that are no more than a reach R apart may be moved along it together: what
  they are to each other stays as it is (by Q places at a time, where numbers in banks hang on the subscript itself).
  Those farther apart are one after another in places, in subscripts and in all their lives, whatever the distance. So
  they may be moved by themselves, if in all by whole periods P after which they are in one bank again: as far apart as
  there is room, or as near as R + P (where the distance in steps counts, to which other loops add). All of these are
  among the first and last R + P + Q places of the stretch. Along the outermost loop what is farther apart than R does
  not meet: there R + Q are enough. The reach holds how long cells live in places, by how many places a subscript may
  come again, and the lag in steps; so what meets only as a step ends a row and the next one begins another lies within
  it from the ends, and stays.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from hwmodel.machine.separable.axes import Ints, Mask
from hwmodel.machine.separable.distinct import distinct_rows
from hwmodel.machine.separable.places import BEFORE

_FEWEST = 16  # places from which on it is worth looking


@dataclass(frozen=True)
class Residue:
    """Of which residue of a subscript its bank hangs: of itself, or but of its difference to others of one bank."""

    modulus: int
    is_absolute: bool = False


@dataclass(frozen=True, eq=False)
class Cells:
    """What one component has of a source: of each cell what it counts in the numbers of elements, and ticks.

    `born` (n,) brings it, and each of R readers uses it last at `lasts` (R, n), far below 0 if never; `weight` (n,) is
    how many there are of it, `needed` (n,) whether the outside needs them. `subscripts` (axes, n). Along a single loop
    the component has `places`, and cells come at `place` (n,) and are used last at `late` (R, n), BEFORE if never; else
    it has 0.
    """

    element: Ints
    born: Ints
    lasts: Ints
    weight: Ints
    needed: Mask
    subscripts: Ints
    place: Ints
    late: Ints
    places: int = 0

    @property
    def together(self) -> Ints:
        """A number for each cell: the same for those that come and are used last together, outside too."""
        return distinct_rows(np.concatenate([self.born[None, :], self.needed[None, :], self.lasts]).T)[1]

    def only(self, chosen: Ints) -> Cells:
        """Some of the cells."""
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
        """One cell for all that come and are used last together."""
        first, number = np.unique(self.together, return_index=True, return_inverse=True)[1:]
        return replace(self.only(first), weight=np.bincount(number.ravel()))

    def ends(self, residues: Sequence[Residue]) -> Cells:
        """Of those together, and of one residue along each axis, the ones at either end along some axis."""
        kept = np.zeros(len(self.born), np.bool_) if len(self.subscripts) else np.ones(len(self.born), np.bool_)
        alike = [self.together, *(own % each.modulus for own, each in zip(self.subscripts, residues, strict=True))]
        for axis, own in enumerate(self.subscripts):
            others = np.array([*alike, *np.delete(self.subscripts, axis, axis=0)]).T
            group = distinct_rows(others)[1]
            order = np.lexsort((own, group))
            heads = np.diff(group[order], prepend=-1) != 0
            kept[order[heads]] = True
            kept[order[np.append(heads[1:], True)]] = True
        return self.only(np.flatnonzero(kept))

    def near_ends(self, residues: Sequence[Residue], lag: int, *, outermost: bool) -> Cells:
        """Those near the ends of the loop, where what lies between repeats itself; `lag` is in steps, 0 or more.

        By axis, how subscripts have banks; `outermost` says that it is the first loop.
        """
        stretch = self._stretch() if self.places >= _FEWEST else None
        if stretch is None:
            return self
        first, end, step = stretch
        known = self.late != BEFORE
        reach, period, phase = 2 + lag + int(np.abs(np.where(known, self.late - self.place, 0)).max(initial=0)), 1, 1
        for own, each, residue in zip(self.subscripts, step.tolist(), residues, strict=True):
            if each:
                beside = own - each * self.place
                reach += -(-int(beside.max() - beside.min()) // abs(each))
                own_period = residue.modulus // math.gcd(abs(each), residue.modulus)
                period = math.lcm(period, own_period)
                phase = math.lcm(phase, own_period if residue.is_absolute else 1)
        margin = reach + phase + (0 if outermost else period)
        kept = (self.place < first + margin) | (self.place >= end - margin)
        return self.only(np.flatnonzero(kept))

    def _stretch(self) -> tuple[int, int, Ints] | None:
        """From which place to before which other each does as the one before, and the steps (axes,) of subscripts."""
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
        some = rows[:, order[begin : begin + each * (end - first)]].reshape(len(rows), end - first, each)
        axes = len(self.subscripts)
        differs = np.diff(some, axis=1)
        step = differs[:axes, min(middle, end - 2) - first, 0]
        wanted = np.concatenate([step, np.ones(len(late), np.int64), np.zeros(len(late) + 1, np.int64)])
        alike = (differs == wanted[:, None, None]).all(axis=(0, 2))
        left, right = _run(alike, min(middle, end - 2) - first)
        return first + left, first + right + 1, step


def _run(holds: Mask, place: int) -> tuple[int, int]:
    """The run of places that hold around one; empty where that does not."""
    if not holds[place]:
        return place, place
    wrong = np.flatnonzero(~holds)
    after = int(np.searchsorted(wrong, place))
    begin = int(wrong[after - 1]) + 1 if after else 0
    return begin, int(wrong[after]) if after < len(wrong) else len(holds)
