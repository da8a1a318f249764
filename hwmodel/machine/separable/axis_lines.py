"""What a source brings to a buffer along one dimension of the blocks: when each index comes, and is used last.

The indices of a line (`hwmodel/local_memory/lines`) stand here in runs of neighbours that come in one place of the
walk and are used last in one, so that large blocks have few. Where all subscripts of the axis come and go in the same
places, no block tells them apart: the axis is free, and there is one index for each place that brings them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from hwmodel.local_memory.bank_functions import Shared
from hwmodel.machine.numbering import ascending
from hwmodel.machine.separable.axes import Ints, Mask
from hwmodel.machine.separable.fetches import Instances
from hwmodel.machine.separable.line_runs import LineRuns, members
from hwmodel.machine.separable.places import NEVER


@dataclass(frozen=True, eq=False)
class AxisLines:
    """The lines of S block sides (`places` (S,) each), in R runs, side by side and by their first subscripts.

    A run has `length` neighbours from subscript `cell` on; they come in the place `first` and go in `last`. `alike`
    (S,) says where the axis is free.
    """

    places: Ints
    side: Ints
    cell: Ints
    length: Ints
    first: Ints
    last: Ints
    alike: Mask

    @staticmethod
    def of_fields(places: Ints, first: Ints, last: Ints) -> AxisLines:
        """Of the first and last places of each index, (S, cells) each; NEVER for what does not come."""
        come = first != NEVER
        heads = come.copy()
        heads[:, 1:] &= ~come[:, :-1] | (first[:, 1:] != first[:, :-1]) | (last[:, 1:] != last[:, :-1])
        side, cell = np.nonzero(heads)
        before = np.cumsum(come.ravel())[side * come.shape[1] + cell] - 1
        own = AxisLines(
            places,
            side,
            cell,
            np.diff(before, append=int(come.sum())),
            first[side, cell],
            last[side, cell],
            np.ones(len(places), np.bool_),
        )
        head = own.starts[own.side]
        differs = (own.first != own.first[head]) | (own.last != own.last[head])
        return replace(own, alike=np.bincount(side[differs], minlength=len(places)) == 0)

    @staticmethod
    def of_instances(places: Ints, several: Instances) -> AxisLines:
        """Of indices that come at several places."""
        side, cell, first, last = several.side, several.cell, several.first, several.last
        goes_on = (np.diff(side) == 0) & (np.diff(cell) == 1) & (np.diff(first) == 0) & (np.diff(last) == 0)
        heads = np.append(True, ~goes_on) if len(side) else np.zeros(0, np.bool_)
        start = np.flatnonzero(heads)
        length, sides, wide = np.diff(start, append=len(heads)), len(places), int(places.max())
        own = np.diff(side * (int(cell.max(initial=0)) + 1) + cell, prepend=-1) != 0
        cells = np.bincount(side[own], minlength=sides)
        at = np.bincount(ascending((side * wide + first) * wide + last) // wide**2, minlength=sides)
        alike = np.bincount(side, minlength=sides) == cells * at
        return AxisLines(places, side[start], cell[start], length, first[start], last[start], alike)

    @staticmethod
    def either(chosen: Mask, these: AxisLines, others: AxisLines) -> AxisLines:
        """These lines for the sides chosen (S,), the others for the rest."""
        parts = these._of_sides(chosen), others._of_sides(~chosen)
        columns = [np.concatenate(both) for both in zip(*parts, strict=True)]
        order = np.argsort(columns[0], kind="stable")
        side, cell, length, first, last = (column[order] for column in columns)
        return AxisLines(these.places, side, cell, length, first, last, np.where(chosen, these.alike, others.alike))

    def _of_sides(self, chosen: Mask) -> tuple[Ints, ...]:
        own = chosen[self.side]
        return tuple(column[own] for column in (self.side, self.cell, self.length, self.first, self.last))

    @property
    def starts(self) -> Ints:
        """Where the runs of each side begin, (S,)."""
        return np.searchsorted(self.side, np.arange(len(self.places)))

    @cached_property
    def indices(self) -> Ints:
        """How many indices the line of each side has, (S,); of a free axis those of one subscript."""
        alike = self.alike[self.side]
        number = np.where(alike, self.cell == self.cell[self.starts[self.side]], self.length)
        return np.bincount(self.side, number, len(self.places)).astype(np.int64)

    @property
    def nbytes(self) -> int:
        """The bytes of the runs."""
        return sum(column.nbytes for column in (self.side, self.cell, self.length, self.first, self.last))

    @cached_property
    def of_sides(self) -> Sequence[bytes]:
        """By side what equal lines have in common, and no others."""
        columns = np.stack([self.cell, self.length, self.first, self.last], axis=1).astype(np.int64)
        heads = np.stack([self.places, self.alike], axis=1).astype(np.int64)
        ends, found = np.append(self.starts, len(columns)).tolist(), list[bytes]()
        for head, start, end in zip(heads, ends, ends[1:], strict=False):
            content = hashlib.blake2b(head.data, digest_size=16)
            content.update(columns[start:end].data)
            found.append(content.digest())
        return found

    @cached_property
    def digest(self) -> bytes:
        """The same of all sides."""
        return hashlib.blake2b(b"".join(self.of_sides), digest_size=16).digest()

    def instances(self, side: int) -> tuple[Ints, Ints, Ints]:
        """Of one side all indices with what brings them: subscript, first and last place."""
        own = np.flatnonzero(self.side == side)
        first, last = (np.repeat(column[own], self.length[own]) for column in (self.first, self.last))
        return self._cells(own), first, last

    def _cells(self, runs: Ints) -> Ints:
        length = self.length[runs]
        within = np.arange(int(length.sum())) - np.repeat(np.cumsum(length) - length, length)
        return np.repeat(self.cell[runs], length) + within

    def line_runs(self, modulus: int = 1) -> tuple[LineRuns, Ints]:
        """By side and residue of the subscript the line of its indices, and the data that are free for each (S,).

        Lines stand residue by residue for each side. Where the axis is free there is one line, with residue 0, and what
        is free of the residue that has most.
        """
        sides, head, alike = len(self.places), self.starts[self.side], self.alike[self.side]
        run, residue, number = _by_residue(self.cell, self.length, modulus)
        # Of a free axis the places of one subscript stand for all, and the subscripts of one place are counted.
        of_place, free = (alike & (self.first == self.first[head]))[run], np.zeros((sides, modulus), np.int64)
        np.add.at(free, (self.side[run[of_place]], residue[of_place]), number[of_place])
        one, others = np.flatnonzero(alike & (self.cell == self.cell[head])), ~alike[run]
        run, residue, number = (
            np.concatenate(both)
            for both in ((run[others], one), (residue[others], 0 * one), (number[others], np.ones_like(one)))
        )
        line = self.side[run] * modulus + residue
        order = np.argsort(line, kind="stable")
        run = run[order]
        runs = LineRuns(np.repeat(self.places, modulus), line[order], number[order], self.first[run], self.last[run])
        return runs, np.where(self.alike, free.max(axis=1), 1)

    def in_groups(self, shared: Shared) -> tuple[LineRuns, Ints]:
        """The same by side alone, the indices in groups that share an address (`Loop.in_groups`).

        What is free of a free axis are groups of its subscripts.
        """
        sides, most, alike = len(self.places), int(self.places.max()), self.alike[self.side]
        meets = self.side[1:][(np.diff(self.side) == 0) & (np.diff(self.cell) < self.length[:-1])]
        again = (np.bincount(meets, minlength=sides) > 0) & ~self.alike
        fetch = self.side * most + np.where(again[self.side], self.first, 0)
        begin = np.full(sides * most, np.iinfo(np.int64).max)
        np.minimum.at(begin, fetch, self.cell)
        each = shared.number if shared.stride == 1 else 1  # neighbours of a run that are one group
        low, high = ((end - begin[fetch]) // each for end in (self.cell, self.cell + self.length - 1))
        block, run = members(low, high - low + 1)
        block = block if shared.stride == 1 else shared.group(block)
        wide = int(block.max(initial=0)) + 1
        groups, number = np.unique(fetch[run] * wide + block, return_inverse=True)
        first, last = np.full(len(groups), most), np.zeros(len(groups), np.int64)
        np.minimum.at(first, number, self.first[run])
        np.maximum.at(last, number, self.last[run])
        side = groups // (wide * most)
        kept, own = ~self.alike[side], alike & (self.cell == self.cell[self.starts[self.side]])
        side, first, last = (
            np.concatenate([of_groups[kept], of_runs[own]])
            for of_groups, of_runs in ((side, self.side), (first, self.first), (last, self.last))
        )
        order = np.argsort(side, kind="stable")
        free = np.where(self.alike, np.bincount(groups // (wide * most), minlength=sides), 1)
        return LineRuns.of_indices(self.places, side[order], first[order], last[order]), free


def _by_residue(cell: Ints, length: Ints, modulus: int) -> tuple[Ints, Ints, Ints]:
    """The residues that runs of `length` subscripts from `cell` on have: of each the run, and how many have it."""
    many = np.minimum(length, modulus)
    run = np.repeat(np.arange(len(cell)), many)
    later = np.arange(len(run)) - np.repeat(np.cumsum(many) - many, many)
    return run, (cell[run] + later) % modulus, (length[run] - later + modulus - 1) // modulus


def shared(lines: Sequence[AxisLines]) -> tuple[AxisLines, ...]:
    """The same, equal ones as one: what is computed of it is computed once."""
    found: dict[bytes, AxisLines] = {}
    return tuple(found.setdefault(own.digest, own) for own in lines)
