"""What is kept of an array from outside, loop by loop (docs/machine.md, section 2, "Keeps").

The ticks that read an element are a product of sets of places, one of each loop of the scan, and so are the prefixes at
which it is read. So a keep at level l fetches it along each of the l outer loops at every place that reads it (`EACH`),
and along the others once, for its first place (`ONCE`) or, where it is eager, for the first of all (`START`).

Where prefixes share, only a prefix that does not follow another one of the element fetches it. Prefixes count as the
digits of a clock do. Let j be the innermost of the l outer loops at which not every element is read at every place.
Below it, all digits run full, so one prefix follows another where the digit of j goes up by one: along j, each run of
places is one fetch (`RUNS`), along the loops outside of j each place is, and below there is one run. That is all, but
for an element that is read at the last place of j and at the first: there the next digit outside may go up, and what is
fetched is no product. Such structures are enumerated.

One code stands for others where they do the same: where elements are read at single places, or in one run, or from the
first place on. So equal codes are equal fetches, and what is unchanging is fetched `ONCE`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields

import numpy as np

from hwmodel.design import Keep
from hwmodel.machine.int64 import require_numbers
from hwmodel.machine.numbering import ascending
from hwmodel.machine.separable.axes import Ints, Mask, Parts
from hwmodel.machine.separable.first_use import Fields, Masks, read_places
from hwmodel.machine.separable.places import Merge, Places

ONCE, EACH, START, RUNS, STRIPS = range(5)  # from the last on of strips of several loops, see `_of_component`


Loops = Sequence[tuple[int, ...]]  # of the scan, by dimension of the blocks


@dataclass(frozen=True, eq=False)
class Instances:
    """Instances of indices: the side, the index, and the first and last places."""

    side: Ints
    cell: Ints
    first: Ints
    last: Ints


@dataclass(frozen=True, eq=False)
class Strips:
    """What is fetched at once, by side (S,): one of `length` places each, all if they are `in_runs`.

    With `eager` it is fetched for the first of these places.
    """

    length: Ints
    in_runs: Mask
    eager: Mask

    @staticmethod
    def of(codes: Ints, loops: Ints) -> Strips:
        """Those of codes (S,) along loops of so many places (S, loops)."""
        inside = np.cumprod(np.concatenate([np.ones_like(loops[:, :1]), loops[:, :0:-1]], axis=1), axis=1)[:, ::-1]
        prefix = np.clip((codes - STRIPS) // 2, 0, loops.shape[1] - 1)
        length = np.where(codes >= STRIPS, inside[np.arange(len(codes)), prefix], 1)
        return Strips(length, codes == RUNS, (codes >= STRIPS) & ((codes - STRIPS) % 2 == 1))


def instances_of(
    parts: Parts, masks: Masks, fields: Fields, block: int, piece: str, strips: Strips
) -> tuple[Instances, Merge]:
    """One for each place that reads an index of an array or, where there are strips or runs, for each of these.

    And how several readers were merged.
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
    """How arrays from outside are read along one dimension of the blocks, by side and array (S, arrays).

    `same`: each tiler reads the same indices at every place. Of every index that is read: `full`, it is at all places;
    `single`, at one; `from_start`, at the first one, through each tiler; `in_a_run`, at neighbouring ones, through each
    tiler too. `meets`: some index is at the first place and at the last.
    """

    same: Mask
    full: Mask
    single: Mask
    from_start: Mask
    in_a_run: Mask
    meets: Mask

    @staticmethod
    def along(parts: Parts, masks: Masks, of: Fields, block: int, places: Ints) -> Reading:
        """That along a dimension whose blocks have so many places (S,)."""
        columns = [_reading(*_read(parts, masks, of, block, name)[:2], places) for name in parts.group.loaded]
        together = np.array(columns, np.bool_).reshape(len(columns), len(fields(Reading)), len(places))
        return Reading(*together.transpose(1, 2, 0))

    @staticmethod
    def of_structures(loops: Sequence[Reading], picks: Sequence[Ints]) -> Reading:
        """That of structures along dimensions of the blocks, (S, dimensions, arrays), each with a side of every one."""
        return Reading(
            *(
                np.stack([getattr(own, one.name)[pick] for own, pick in zip(loops, picks, strict=True)], axis=1)
                for one in fields(Reading)
            )
        )

    def codes(self, array: int, keep: Keep, loops: Loops) -> tuple[Ints, Mask]:
        """Of structures: what a keep of one array does along each dimension (S, dimensions); whether that is all (S,).

        The dimensions have these `loops` of the scan.
        """
        found, holds = (
            self._codes_of_loops(array, keep) if all(len(own) == 1 for own in loops) else self._strips(keep, loops)
        )
        unchanging: Mask = np.asarray(self.same[..., array].all(axis=1))
        return np.where(unchanging[:, None], ONCE, found), holds | unchanging

    def _strips(self, keep: Keep, loops: Loops) -> tuple[Ints, Mask]:
        """The same where a dimension has several loops: of these some may be the prefix of a strip."""
        found = np.array([_of_component(keep, own) for own in loops], np.int64)
        holds = np.full(len(self.full), not (keep.shared and keep.level))
        return np.tile(found, (len(holds), 1)), holds

    def _codes_of_loops(self, array: int, keep: Keep) -> tuple[Ints, Mask]:
        loop, rest = np.arange(self.full.shape[1]), START if keep.eager else ONCE
        inside = loop < keep.level
        holds = np.ones(len(self.full), np.bool_)
        found = np.tile(np.where(inside, EACH, rest), (len(holds), 1))
        if keep.shared:
            opened = inside & ~self.full[..., array]
            innermost = np.where(opened, loop, -1).max(axis=1, initial=-1)
            found = np.where(inside & (loop >= innermost[:, None]), RUNS, found)
            holds = (innermost < 0) | ~self.meets[np.arange(len(holds)), innermost, array]
        alike = ((found == EACH) | (found == RUNS)) & self.single[..., array]
        alike |= (found == RUNS) & self.in_a_run[..., array]
        alike |= (found == START) & self.from_start[..., array]
        return np.where(alike, ONCE, found), holds


def _of_component(keep: Keep, loops: Sequence[int]) -> int:
    """What a keep does along a dimension of some loops: of a prefix of them a strip of the others."""
    inside = sum(loop < keep.level for loop in loops)
    if inside == len(loops):
        return EACH
    if inside:
        return STRIPS + 2 * (inside - 1) + keep.eager
    return START if keep.eager else ONCE


@dataclass(frozen=True, eq=False)
class StructureKeeps:
    """What S structures keep of arrays from outside: of each one of some `choices`, a keep for each loaded array."""

    choices: tuple[tuple[Keep, ...], ...]
    which: Ints

    @staticmethod
    def of(keeps: Iterable[tuple[Keep, ...]]) -> StructureKeeps:
        """Those of structures one by one."""
        number: dict[tuple[Keep, ...], int] = {}
        which = [number.setdefault(each, len(number)) for each in keeps]
        return StructureKeeps(tuple(number), np.array(which, np.int64))

    @staticmethod
    def alike(keeps: Sequence[Keep], structures: int) -> StructureKeeps:
        """The same for all of so many structures."""
        return StructureKeeps((tuple(keeps),), np.zeros(structures, np.int64))

    def only(self, chosen: slice | Ints) -> StructureKeeps:
        """Those of some structures."""
        return StructureKeeps(self.choices, self.which[chosen])

    def codes(self, reading: Reading, loops: Loops) -> tuple[Ints, Mask]:
        """What is done along each dimension of the blocks (S, dimensions, arrays), and whether that is all (S,)."""
        found, all_hold = np.zeros(reading.full.shape, np.int64), np.ones(len(self.which), np.bool_)
        for array in range(len(self.choices[0])):
            for keep in dict.fromkeys(choice[array] for choice in self.choices):
                own = np.array([choice[array] == keep for choice in self.choices])[self.which]
                codes, holds = reading.codes(array, keep, loops)
                found[own, :, array] = codes[own]
                all_hold &= holds | ~own
        return found, all_hold


def _read(parts: Parts, masks: Masks, fields: Fields, block: int, piece: str) -> tuple[Sequence[Places], Places, Merge]:
    """The places of all that is read of an array by each tiler, and together."""
    axis = parts.axes[piece][block]
    require_numbers(len(fields.work[parts.group.last]), 1 if axis is None else parts.extent(piece, axis), fields.wide)
    own = [read_places(parts, masks, fields, block, link) for link in parts.reads[piece]]
    return own, *Places.joined(own)


def _reading(own: Sequence[Places], together: Places, places: Ints) -> list[Mask]:
    """The masks of one array, (S,) each, in the order of `Reading`."""
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
    """By side, whether all places of each index are neighbours."""
    key = places.key
    gaps = (np.diff(key) > 1) & (np.diff(key // places.wide) == 0)
    gapless: Mask = np.bincount(places.split[0][1:][gaps], minlength=places.sides) == 0
    return gapless


def _begins(places: Places) -> Mask:
    """By side, whether each index is at the first place."""
    side, _, place = places.split
    later = (np.diff(places.key // places.wide, prepend=-1) != 0) & (place > 0)
    begins: Mask = np.bincount(side[later], minlength=places.sides) == 0
    return begins


def _is_same_at_all(places: Places) -> Mask:
    """By side, whether a tiler that reads at these places reads the same indices at every one of them.

    What a tiler reads at a tick is a product over the dimensions: it is the same at every tick if it is along each.
    """
    side, _, place = places.split
    indices = ascending(places.key // places.wide) // places.cells
    at = ascending(side * places.wide + place) // places.wide
    number, indices, at = (np.bincount(each, minlength=places.sides) for each in (side, indices, at))
    same: Mask = number == indices * at
    return same
