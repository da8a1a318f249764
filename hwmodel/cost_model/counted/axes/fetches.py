"""Fetches of arrays from outside under a keep, loop by loop (docs/machine.md, section 2, "Keeps").

The idea. The ticks that read an element are a Cartesian product of sets of places, one set for each loop of the scan,
and so are the prefixes at which it is read. So a keep at level l fetches it, along each of the l outer loops, at every
place that reads it (`EACH`), and along the inner loops once: for its first place (`ONCE`) or, if the keep is eager, for
the first place of all (`START`).

A shared keep fetches an element only for a prefix that does not directly follow another prefix that reads it. Prefixes
are counted like the digits of a clock. Let j be the innermost of the l outer loops along which not every element is
read at every place. Inside of j all digits run full, so one prefix follows another if the digit of j goes up by one.
Along j each run of consecutive places is therefore one fetch (`RUNS`), along the loops outside of j each place is a
fetch, and along the loops inside there is one run. One case is left: an element that is read both at the last and at
the first place of j. There the next outer digit may go up too, and the fetches are not Cartesian. Such structures are
enumerated.

Codes are normalised: where two of them fetch alike (elements are read at single places, or in one run, or from the
first place on), one code stands for both. So equal codes are equal fetches, and unchanging arrays have the code `ONCE`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.cost_model.counted.axes.axes import Mask, Parts
from hwmodel.cost_model.counted.axes.first_use import Fields, Masks, read_places
from hwmodel.cost_model.counted.axes.places import Merge, Places
from hwmodel.cost_model.numbering import ascending, require_numbers
from hwmodel.design import ReuseLevel

ONCE, EACH, START, RUNS, STRIPS = range(5)  # from the last on of strips of several loops, see `_of_component`


Loops = Sequence[tuple[int, ...]]  # of the scan, by dimension of the blocks


@dataclass(frozen=True, eq=False)
class Instances:
    """Fetches or runs of indices as columns: the block side, the index, and the first and the last place."""

    side: IntArray
    cell: IntArray
    first: IntArray
    last: IntArray


@dataclass(frozen=True, eq=False)
class Strips:
    """Places that share one fetch, for each block side (S,): `length` consecutive places, or (`in_runs`) whole runs.

    An `eager` fetch is for the first of these places.
    """

    length: IntArray
    in_runs: Mask
    eager: Mask

    @staticmethod
    def of(codes: IntArray, loops: IntArray) -> Strips:
        """Decode codes (S,) along a block dimension with so many places for each of its loops (S, loops)."""
        inside = np.cumprod(np.concatenate([np.ones_like(loops[:, :1]), loops[:, :0:-1]], axis=1), axis=1)[:, ::-1]
        prefix = np.clip((codes - STRIPS) // 2, 0, loops.shape[1] - 1)
        length = np.where(codes >= STRIPS, inside[np.arange(len(codes)), prefix], 1)
        return Strips(length, codes == RUNS, (codes >= STRIPS) & ((codes - STRIPS) % 2 == 1))


def instances_of(
    parts: Parts, masks: Masks, fields: Fields, block: int, piece: str, strips: Strips
) -> tuple[Instances, Merge]:
    """The fetches of an array's indices along a block dimension, and the record of how its readers were merged.

    There is one for each place that reads an index or, with strips or runs, one for each of these.
    """
    _, together, merge = _read(parts, masks, fields, block, piece)
    side, cell, place = together.split
    number = np.diff(place // strips.length[side], prepend=-1) != 0
    apart = (np.diff(together.key // together.wide, prepend=-1) != 0) | number
    heads = np.where(strips.in_runs[side], (np.diff(together.key, prepend=-2) != 1) | (place == 0), apart)
    begin = np.where(strips.eager[side], place // strips.length[side] * strips.length[side], place)
    tails = np.append(heads[1:], True) if len(heads) else heads
    return Instances(side[heads], cell[heads], begin[heads], place[tails]), merge


@dataclass(frozen=True, eq=False)
class Reading:
    """How arrays from outside are read along one block dimension: masks by block side and array, (S, arrays).

    `same`: each tiler reads the same indices at every place. Other masks concern every index that is read. `full`: it
    is read at all places. `single`: at one place. `from_start`: at the first place, through each tiler. `in_a_run`: at
    consecutive places, through each tiler too. `meets`: some index is read at the first place and at the last.
    """

    same: Mask
    full: Mask
    single: Mask
    from_start: Mask
    in_a_run: Mask
    meets: Mask

    @staticmethod
    def along(parts: Parts, masks: Masks, of: Fields, block: int, places: IntArray) -> Reading:
        """The masks along one block dimension, given the number of its places for each block side (S,)."""
        columns = [_reading(*_read(parts, masks, of, block, name)[:2], places) for name in parts.group.loaded]
        together = np.array(columns, np.bool_).reshape(len(columns), len(fields(Reading)), len(places))
        return Reading(*together.transpose(1, 2, 0))

    @staticmethod
    def of_structures(loops: Sequence[Reading], picks: Sequence[IntArray]) -> Reading:
        """The masks of structures, (S, dimensions, arrays), each structure with a block side of every dimension."""
        return Reading(
            *(
                np.stack([getattr(own, field.name)[pick] for own, pick in zip(loops, picks, strict=True)], axis=1)
                for field in fields(Reading)
            )
        )

    def codes(self, array: int, keep: ReuseLevel, loops: Loops) -> tuple[IntArray, Mask]:
        """The codes of a keep of one array along each block dimension, (S, dimensions), and where they are exact, (S,).

        `loops` has the numbers of the scan's loops that belong to each dimension.
        """
        found, holds = (
            self._codes_of_loops(array, keep) if all(len(loop) == 1 for loop in loops) else self._strips(keep, loops)
        )
        unchanging: Mask = np.asarray(self.same[..., array].all(axis=1))
        return np.where(unchanging[:, None], ONCE, found), holds | unchanging

    def _strips(self, keep: ReuseLevel, loops: Loops) -> tuple[IntArray, Mask]:
        """The codes of a keep where a dimension has several loops: some of these may be the prefix of a strip."""
        strips = np.array([_of_component(keep, loop) for loop in loops], np.int64)
        holds = np.full(len(self.full), not (keep.shared and keep.level))
        return np.tile(strips, (len(holds), 1)), holds

    def _codes_of_loops(self, array: int, keep: ReuseLevel) -> tuple[IntArray, Mask]:
        """The codes of a keep where each dimension has one loop."""
        loop, inner = np.arange(self.full.shape[1]), START if keep.eager else ONCE
        inside = loop < keep.level
        holds = np.ones(len(self.full), np.bool_)
        codes = np.tile(np.where(inside, EACH, inner), (len(holds), 1))
        if keep.shared:
            opened = inside & ~self.full[..., array]
            innermost = np.where(opened, loop, -1).max(axis=1, initial=-1)
            codes = np.where(inside & (loop >= innermost[:, None]), RUNS, codes)
            holds = (innermost < 0) | ~self.meets[np.arange(len(holds)), innermost, array]
        # Normalise: these codes fetch as ONCE does.
        alike = ((codes == EACH) | (codes == RUNS)) & self.single[..., array]
        alike |= (codes == RUNS) & self.in_a_run[..., array]
        alike |= (codes == START) & self.from_start[..., array]
        return np.where(alike, ONCE, codes), holds


def _of_component(keep: ReuseLevel, loops: Sequence[int]) -> int:
    """The code of a keep along a dimension with several loops: each prefix of them has a strip of the further loops."""
    inside = sum(loop < keep.level for loop in loops)
    if inside == len(loops):
        return EACH
    if inside:
        return STRIPS + 2 * (inside - 1) + keep.eager
    return START if keep.eager else ONCE


@dataclass(frozen=True, eq=False)
class StructureKeeps:
    """The keeps of S structures: `which` (S,) of the distinct `choices`, each with a keep for every loaded array."""

    choices: tuple[tuple[ReuseLevel, ...], ...]
    which: IntArray

    @staticmethod
    def of(keeps: Iterable[tuple[ReuseLevel, ...]]) -> StructureKeeps:
        """Collect the keeps of structures, one tuple a structure."""
        number: dict[tuple[ReuseLevel, ...], int] = {}
        which = [number.setdefault(each, len(number)) for each in keeps]
        return StructureKeeps(tuple(number), np.array(which, np.int64))

    @staticmethod
    def alike(keeps: Sequence[ReuseLevel], structures: int) -> StructureKeeps:
        """Give the same keeps to a number of structures."""
        return StructureKeeps((tuple(keeps),), np.zeros(structures, np.int64))

    def only(self, chosen: slice | IntArray) -> StructureKeeps:
        """The keeps of some of the structures."""
        return StructureKeeps(self.choices, self.which[chosen])

    def codes(self, reading: Reading, loops: Loops) -> tuple[IntArray, Mask]:
        """The codes along each block dimension (S, dimensions, arrays), and in which structures they are exact (S,)."""
        every_code, all_hold = np.zeros(reading.full.shape, np.int64), np.ones(len(self.which), np.bool_)
        for array in range(len(self.choices[0])):
            for keep in dict.fromkeys(choice[array] for choice in self.choices):
                has_keep = np.array([choice[array] == keep for choice in self.choices])[self.which]
                codes, holds = reading.codes(array, keep, loops)
                every_code[has_keep, :, array] = codes[has_keep]
                all_hold &= holds | ~has_keep
        return every_code, all_hold


def _read(parts: Parts, masks: Masks, fields: Fields, block: int, piece: str) -> tuple[Sequence[Places], Places, Merge]:
    """The places that each tiler reads of an array, their union, and the record of the merge."""
    axis = parts.axes[piece][block]
    require_numbers(len(fields.work[parts.group.last]), 1 if axis is None else parts.extent(piece, axis), fields.wide)
    own = [read_places(parts, masks, fields, block, link) for link in parts.reads[piece]]
    return own, *Places.joined(own)


def _reading(own: Sequence[Places], together: Places, places: IntArray) -> list[Mask]:
    """The masks of one array, (S,) each, in the order of the fields of `Reading`."""
    side, _, place = together.split
    index = together.key // together.wide
    starts = np.diff(index, prepend=-1) != 0
    ends = np.append(starts[1:], True) if len(starts) else starts
    number, indices = (np.bincount(of, minlength=together.sides) for of in (side, side[starts]))
    both = (place[starts] == 0) & (place[ends] == places[side[ends]] - 1)
    gapless = np.logical_and.reduce([_is_gapless(each) for each in (together, *own)])
    same = np.logical_and.reduce([_is_same_at_all(each) for each in own])
    meets = np.bincount(side[ends][both], minlength=together.sides) > 0
    from_start = np.logical_and.reduce([_begins(each) for each in own])
    return [same, number == indices * places, number == indices, from_start, gapless, meets]


def _is_gapless(places: Places) -> Mask:
    """Whether the places of each index are consecutive, by block side."""
    key = places.key
    gaps = (np.diff(key) > 1) & (np.diff(key // places.wide) == 0)
    gapless: Mask = np.bincount(places.split[0][1:][gaps], minlength=places.sides) == 0
    return gapless


def _begins(places: Places) -> Mask:
    """Whether each index is at the first place, by block side."""
    side, _, place = places.split
    later = (np.diff(places.key // places.wide, prepend=-1) != 0) & (place > 0)
    begins: Mask = np.bincount(side[later], minlength=places.sides) == 0
    return begins


def _is_same_at_all(places: Places) -> Mask:
    """Whether a tiler that reads at these places reads the same indices at every one of them, by block side.

    The elements that a tiler reads at a tick are a product over the dimensions, so they are the same at every tick if
    they are the same along each dimension.
    """
    side, _, place = places.split
    indices = ascending(places.key // places.wide) // places.cells
    at = ascending(side * places.wide + place) // places.wide
    number, indices, at = (np.bincount(each, minlength=places.sides) for each in (side, indices, at))
    same: Mask = number == indices * at
    return same
