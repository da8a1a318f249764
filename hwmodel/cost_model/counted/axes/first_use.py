"""The places, along one block dimension, at which each index of a task runs and each element is read.

The idea. Places are derived from the readers backwards, as Need and New are defined (docs/machine.md, section 2). An
element is first read at the least place of the repetition indices that touch it. An index of its writer runs at the
least place of the elements that it writes, and of the indices that its delays lead to. The least tick of a Cartesian
product is found along each dimension independently, so these minima along one axis are those over the whole box. Where
several tilers read an array, their fields are merged; that is exact under the condition of `Merge`.

A task that recomputes has an index at every place that needs it (`places`). The ticks that need it are again the
product, over the dimensions, of the places that need it along each.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.cost_model.counted.axes.axes import Mask, Parts
from hwmodel.cost_model.counted.axes.links import Runs, TilerLink
from hwmodel.cost_model.counted.axes.places import BEFORE, NEVER, Merge, Places, by_allowed, merged
from hwmodel.cost_model.group.followed import followed

_CELLS = 1 << 20  # of intermediate arrays at a time: where patterns are wide many pairs stand for few indices


def _parts(sides: int, pairs: int) -> Iterator[slice]:
    """Slices of the block sides such that the intermediate arrays of each, `pairs` entries a side, stay bounded."""
    step = max(1, _CELLS // max(1, pairs))
    return (slice(start, start + step) for start in range(0, sides, step))


def least_by(runs: Runs, place: IntArray, cells: int) -> IntArray:
    """The least `place` (sides, values) among the values of each of `cells` keys, (sides, cells).

    NEVER without values.
    """
    return _ends_by(np.minimum, NEVER, runs, place, cells)


def greatest_by(runs: Runs, place: IntArray, cells: int) -> IntArray:
    """The greatest `place` (sides, values) among the values of each of `cells` keys, (sides, cells).

    BEFORE without values.
    """
    return _ends_by(np.maximum, BEFORE, runs, place, cells)


def _ends_by(end: np.ufunc, none: np.int64, runs: Runs, place: IntArray, cells: int) -> IntArray:
    """The minimum or maximum (`end`) of places over the values of each key; `none` for keys without values."""
    result = np.full((len(place), cells), none)
    # Many values for each key. If places only rise, or only fall, the value at one end has the extreme place.
    if len(runs.value) > len(runs.key):
        before, after, ends = place[:, :-1], place[:, 1:], runs.ends if end is np.minimum else runs.ends[::-1]
        value = ends[0] if (after >= before).all() else ends[1] if (after <= before).all() else None
        if value is not None:
            result[:, runs.key] = place[:, value]
            return result
    for part in _parts(len(place), len(runs.value)) if len(runs.key) else ():
        result[part, runs.key] = end.reduceat(place[part, runs.value], runs.start, axis=1)
    return result


def as_last(first: IntArray) -> IntArray:
    """A field of first places as a field of last places: NEVER becomes BEFORE."""
    return np.where(first == NEVER, BEFORE, first)


def closed_along(place: IntArray, step: int) -> IntArray:
    """The field closed under a delay: each index at the least place of x, x + step, x + 2 step, ... (sides, cells)."""
    if step < 0:
        return closed_along(place[:, ::-1], -step)[:, ::-1]
    rows, cells = place.shape
    padded = np.full((rows, -(-cells // step) * step), NEVER)
    padded[:, :cells] = place
    # Each residue of the step is a chain; a minimum from its end backwards closes it.
    chains = padded.reshape(rows, -1, step)[:, ::-1]
    return np.minimum.accumulate(chains, axis=1)[:, ::-1].reshape(rows, -1)[:, :cells]


@dataclass(frozen=True, eq=False)
class Fields:
    """All fields of a group along one block dimension, and the records of merges.

    `work` has the field of each task. By piece, `read` and `last` have the first and the last place at which each index
    is read, and `made` (of pieces that the group makes) the place at which it is made. `lasts` has the last places by
    each tiler that reads the piece. All places are less than `wide`.

    `again` has the places of tasks that recompute and of their pieces. `read_whole` (sides,) says of such a piece, if
    the group reads it, whether all of it is read wherever it is made.
    """

    wide: int
    work: dict[str, IntArray]
    read: dict[str, IntArray] = field(default_factory=dict)
    last: dict[str, IntArray] = field(default_factory=dict)
    made: dict[str, IntArray] = field(default_factory=dict)
    merges: dict[tuple[str, str], Merge] = field(default_factory=dict)
    lasts: dict[str, list[IntArray]] = field(default_factory=dict)
    again: dict[str, Places] = field(default_factory=dict)
    read_whole: dict[str, Mask] = field(default_factory=dict)


def fields_along(parts: Parts, masks: Masks, block: int, place: IntArray, again: Collection[str] = ()) -> Fields:
    """The fields along a block dimension, given the place (sides, extent) of each index of the last task.

    The tasks in `again` recompute.
    """
    fields = Fields(int(place.max(initial=0)) + 1, {parts.group.last: place})
    for task in parts.order:
        if task != parts.group.last:
            for piece in parts.pieces_of(task):
                _read_piece(parts, masks, fields, block, piece)
            if task in again:
                _run_again(parts, masks, fields, block, task)
            else:
                _run_task(parts, fields, block, task)
        for piece in parts.pieces_of(task):
            fields.made[piece] = _producer_places(parts, fields, block, piece)
    for piece in parts.group.loaded:
        _read_piece(parts, masks, fields, block, piece)
    return fields


def _read_piece(parts: Parts, masks: Masks, fields: Fields, block: int, piece: str) -> None:
    """Add the fields of first and last reads of a piece, merged over its readers."""
    links = parts.reads.get(piece, [])
    if not links:
        return
    pairs = [_read_through(parts, masks, fields, block, link) for link in links]
    fields.read[piece], fields.merges["first", piece] = merged([pair[0] for pair in pairs], latest=False)
    fields.last[piece], fields.merges["last", piece] = merged([pair[1] for pair in pairs], latest=True)
    fields.lasts[piece] = [pair[1] for pair in pairs]


def read_places(parts: Parts, masks: Masks, fields: Fields, block: int, link: TilerLink) -> Places:
    """All places at which one tiler reads each index of the piece's axis that moves with this block dimension."""
    dimension, axis = parts.dimensions[link.task][block], parts.axes[link.piece][block]
    along = None if axis is None else link.axes[axis]
    work, again = by_allowed(link, dimension, fields.work[link.task]), fields.again.get(link.task)
    if again is not None and dimension is not None and dimension in link.allowed:
        again = again.only(link.allowed[dimension])
    if along is None or dimension is None or along.dimension != dimension:
        side, cell = np.nonzero(work != NEVER)
        places = Places.of((*work.shape, fields.wide), side, cell, work[side, cell]) if again is None else again
        return places.of_all(np.ones(1, np.bool_) if axis is None else masks.touched(link, axis))
    if again is not None:
        return again.through(along.by_repetition, along.extent)
    keys, shape = [np.zeros(0, np.int64)], (len(work), along.extent, fields.wide)
    repetition, element = along.by_element.value, along.by_element.every_key  # so places mostly ascend
    starts = np.diff(element, prepend=-1) != 0
    for part in _parts(len(work), len(repetition)):
        place = work[part, repetition]
        is_another = np.diff(place, axis=1, prepend=NEVER) != 0
        side, pair = np.nonzero((starts | is_another) & (place != NEVER))
        keys.append(Places.of(shape, side + part.start, element[pair], place[side, pair]).key)
    return Places(*shape, np.concatenate(keys))


def _read_through(parts: Parts, masks: Masks, fields: Fields, block: int, link: TilerLink) -> tuple[IntArray, IntArray]:
    """Fields of the first and last places at which one tiler reads each index of the piece's axis."""
    if link.task in fields.again:
        places = read_places(parts, masks, fields, block, link)
        return places.first, places.last
    dimension, axis = parts.dimensions[link.task][block], parts.axes[link.piece][block]
    work = fields.work[link.task]
    work = by_allowed(link, dimension, work)
    if axis is not None and dimension is not None and link.axes[axis].dimension == dimension:
        runs, cells = link.axes[axis].by_element, link.axes[axis].extent
        return least_by(runs, work, cells), greatest_by(runs, as_last(work), cells)
    first, last = work.min(axis=1, keepdims=True), as_last(work).max(axis=1, keepdims=True)
    if axis is None:
        return first, last
    touched = masks.touched(link, axis)
    return np.where(touched, first, NEVER), np.where(touched, last, BEFORE)


def _run_task(parts: Parts, fields: Fields, block: int, task: str) -> None:
    """Add the field of a task before the leading one.

    Each index runs at the first read of the elements that it writes; of a last task, with those that it goes with.
    """
    dimension = parts.dimensions[task][block]
    needs = [_followed(parts, fields, block, task)] if task in parts.group.following else []
    for piece in parts.pieces_of(task):
        if piece not in fields.read:
            continue
        link, read, axis = parts.writes[piece], fields.read[piece], parts.axes[piece][block]
        if axis is None:
            need = read
        elif link.axes[axis].dimension == dimension and dimension is not None:
            extent = parts.extents(task)[dimension]
            need = least_by(link.axes[axis].by_repetition, read, extent)
        else:
            need = read[:, link.axes[axis].touched].min(axis=1, keepdims=True)
        needs.append(by_allowed(link, dimension, need))
    work, fields.merges["work", task] = merged(needs, latest=False)
    delay = parts.delay(task)
    if delay is not None and delay.dimension == dimension:
        work = closed_along(work, delay.step)
    fields.work[task] = work


def _followed(parts: Parts, fields: Fields, block: int, task: str) -> IntArray:
    """The place of each index of a last task that goes with indices of the leading one."""
    dimension, leading, accesses = parts.dimensions[task][block], parts.blocks[block], parts.group.accesses
    own = () if dimension is None else parts.spaces.dimensions(task)[dimension]
    shared = [
        replace(loop, leading=leading.index(loop.leading), own=own.index(loop.own))
        for loop in parts.group.following[task]
        if loop.leading in leading
    ]
    sides = [accesses.extents(parts.group.last)[k] for k in leading]
    return followed(fields.work[parts.group.last], sides, [accesses.extents(task)[k] for k in own], shared)


def _run_again(parts: Parts, masks: Masks, fields: Fields, block: int, task: str) -> None:
    """Add the places of a task that recomputes: where its indices run, and where the elements they write are made."""
    needs, pieces_read = list[Places](), [piece for piece in parts.pieces_of(task) if piece in fields.read]
    for piece in pieces_read:
        read = [read_places(parts, masks, fields, block, link) for link in parts.reads[piece]]
        fields.again[piece], merge = Places.joined(read)
        fields.merges["first", piece] = fields.merges["last", piece] = merge  # what is made at a place is used there
        needs.append(_need(parts, fields.again[piece], block, parts.writes[piece]))
    fields.again[task], fields.merges["work", task] = Places.joined(needs)
    fields.work[task] = fields.again[task].first
    for piece in parts.pieces_of(task):
        made = _recompute_places(parts, fields.again[task], block, parts.writes[piece])
        if piece in pieces_read:
            fields.read_whole[piece] = made.number == fields.again[piece].number
        fields.again[piece] = made


def _need(parts: Parts, read: Places, block: int, link: TilerLink) -> Places:
    """The places at which a task's indices are needed, those that write elements with the places `read`."""
    dimension, axis = parts.dimensions[link.task][block], parts.axes[link.piece][block]
    cells = 1 if dimension is None else parts.extents(link.task)[dimension]
    allowed = np.ones(cells, np.bool_) if dimension is None else link.allowed.get(dimension, np.ones(cells, np.bool_))
    if axis is not None and dimension is not None and link.axes[axis].dimension == dimension:
        return read.through(link.axes[axis].by_element, cells).only(allowed)
    return (read if axis is None else read.only(link.axes[axis].touched)).of_all(allowed)


def _recompute_places(parts: Parts, work: Places, block: int, link: TilerLink) -> Places:
    """All places at which the elements of a piece are made by a task that recomputes at the places `work`."""
    dimension, axis = parts.dimensions[link.task][block], parts.axes[link.piece][block]
    if dimension is not None and dimension in link.allowed:
        work = work.only(link.allowed[dimension])
    if axis is None:
        return work.of_all(np.ones(1, np.bool_))
    along = link.axes[axis]
    return work.of_all(along.touched) if along.dimension is None else work.through(along.by_repetition, along.extent)


def _producer_places(parts: Parts, fields: Fields, block: int, piece: str) -> IntArray:
    """The field of a piece: the place at which each element is made."""
    link, axis = parts.writes[piece], parts.axes[piece][block]
    work = by_allowed(link, parts.dimensions[link.task][block], fields.work[link.task])
    if axis is None:
        return work if work.shape[1] == 1 else work.min(axis=1, keepdims=True)
    along = link.axes[axis]
    if along.dimension is not None:
        return least_by(along.by_element, work, along.extent)
    return np.where(along.touched, work.min(axis=1, keepdims=True), NEVER)


@dataclass(frozen=True, eq=False)
class Masks:
    """Masks of the indices that move with no block dimension.

    `runs` has, by task and dimension, the indices that run; `read`, by piece and axis, the indices that are read;
    `merges` the records of merged readers.
    """

    runs: dict[tuple[str, int], Mask]
    read: dict[tuple[str, int], Mask]
    merges: dict[tuple[str, str], list[Merge]]

    def touched(self, link: TilerLink, axis: int) -> Mask:
        """Mask of an axis' indices that a tiler touches in repetitions that run."""
        along = link.axes[axis]
        return along.touched if along.dimension is None else along.touched_by(self.runs[link.task, along.dimension])


def find_masks(parts: Parts) -> Masks | None:
    """The masks of free dimensions and axes; None if a tiler of a delay's default reads nothing at all."""
    masks = Masks({}, {}, {})
    for task in parts.order:
        for piece in parts.pieces_of(task):
            _read_free(parts, masks, piece)
        for dimension in parts.free_dimensions(task):
            _run_free(parts, masks, task, dimension)
    for piece in parts.group.loaded:
        _read_free(parts, masks, piece)
    links = [link for readers in parts.reads.values() for link in readers]
    return masks if all(_reads_something(masks, link) for link in links) else None


def _read_free(parts: Parts, masks: Masks, piece: str) -> None:
    """Add the masks of a piece's free axes: the indices that some reader touches."""
    links = parts.reads.get(piece, [])
    for axis in parts.free_axes(piece) if links else ():
        fields = [np.where(masks.touched(link, axis), 0, NEVER)[None, :] for link in links]
        read, merge = merged(fields, latest=False)
        masks.read[piece, axis] = read[0] != NEVER
        masks.merges.setdefault(("first", piece), []).append(merge)
        masks.merges.setdefault(("last", piece), []).append(merge)


def _run_free(parts: Parts, masks: Masks, task: str, dimension: int) -> None:
    """Add the mask of a task's free dimension: the indices whose results are read, closed under the task's delay."""
    extent = parts.extents(task)[dimension]
    needs = []
    for piece in parts.pieces_of(task):
        link = parts.writes[piece]
        axis = link.axis_of(dimension)
        if axis is not None and piece in parts.reads:
            read = np.where(masks.read[piece, axis], 0, NEVER)[None, :]
            needs.append(least_by(link.axes[axis].by_repetition, read, extent))
        elif dimension in link.allowed and piece in parts.reads:
            needs.append(by_allowed(link, dimension, np.zeros((1, extent), np.int64)))
    if not needs:
        masks.runs[task, dimension] = np.ones(extent, np.bool_)
        return
    work, merge = merged(needs, latest=False)
    masks.merges.setdefault(("work", task), []).append(merge)
    delay = parts.delay(task)
    if delay is not None and delay.dimension == dimension:
        work = closed_along(work, delay.step)
    masks.runs[task, dimension] = work[0] != NEVER


def _reads_something(masks: Masks, link: TilerLink) -> bool:
    """Whether a tiler with masked indices accesses in some repetition that runs."""
    return all(
        bool((allowed & masks.runs.get((link.task, dimension), allowed)).any())
        for dimension, allowed in link.allowed.items()
    )
