"""Along one dimension of the blocks: the places at which each index of a task runs and each element is read.

From the readers backwards, as Need and New are defined (docs/machine.md, section 2): an element is first read at the
least place of the indices that touch it, an index of its writer runs at the least place of the elements that it writes
and of the indices that its delays lead to. The least in the block order of a product of sets is
found along each dimension by itself, so these minima over one axis are those over the whole box. What several tilers
read together is exact under the condition of `Merge`.

A field is an array (sides, cells): one row for each block side priced, one column for each index of the dimension or
axis that moves there (one column where none does). NEVER marks what does not run or is not read; in fields of last
uses that is BEFORE.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from hwmodel.machine.separable.axes import Ints, Mask, Parts
from hwmodel.machine.separable.links import Link, Runs

NEVER = np.int64(1) << 62
BEFORE = np.int64(-1)


@dataclass(frozen=True, eq=False)
class Merge:
    """Several fields taken together, by side: whether they differ, and the bits of those that lead all others.

    Over all dimensions the merge is exact where the fields differ along one at most, or one field leads along all: the
    earliest of vectors is the vector of the earliest if all entries but one are equal, or one vector is nowhere later.
    """

    differs: Mask
    leaders: Ints

    def where(self, chosen: Mask, other: Merge) -> Merge:
        """The same for the sides `chosen`, another one for the rest."""
        return Merge(
            np.where(chosen, self.differs, other.differs),
            np.where(chosen, self.leaders, other.leaders),
        )


def merged(fields: Sequence[Ints], *, latest: bool) -> tuple[Ints, Merge]:
    """The earliest (or latest) of several fields, entry by entry."""
    wide = np.broadcast_arrays(*fields)
    best = np.maximum.reduce(wide) if latest else np.minimum.reduce(wide)
    everyone = (1 << len(fields)) - 1
    if len(fields) == 1:
        return best, Merge(np.zeros(len(best), np.bool_), np.full(len(best), everyone))
    leads = np.stack([(field == best).all(axis=1) for field in wide])
    weights = np.int64(1) << np.arange(len(fields))
    return best, Merge(np.logical_not(leads.all(axis=0)), weights @ leads.astype(np.int64))


def least_by(runs: Runs, place: Ints, cells: int) -> Ints:
    """For each of `cells` keys the least `place` over its values; NEVER for keys without any."""
    result = np.full((len(place), cells), NEVER)
    if len(runs.key):
        result[:, runs.key] = np.minimum.reduceat(place[:, runs.value], runs.start, axis=1)
    return result


def greatest_by(runs: Runs, place: Ints, cells: int) -> Ints:
    """For each of `cells` keys the greatest `place` over its values; BEFORE for keys without any."""
    result = np.full((len(place), cells), BEFORE)
    if len(runs.key):
        result[:, runs.key] = np.maximum.reduceat(place[:, runs.value], runs.start, axis=1)
    return result


def as_last(first: Ints) -> Ints:
    """A field of first places as one of last places."""
    return np.where(first == NEVER, BEFORE, first)


def closed_along(place: Ints, step: int) -> Ints:
    """Each index at the least place of those that its delays lead to: x, x + step, x + 2 step, ..."""
    if step < 0:
        return closed_along(place[:, ::-1], -step)[:, ::-1]
    rows, cells = place.shape
    padded = np.full((rows, -(-cells // step) * step), NEVER)
    padded[:, :cells] = place
    chains = padded.reshape(rows, -1, step)[:, ::-1]
    return np.minimum.accumulate(chains, axis=1)[:, ::-1].reshape(rows, -1)[:, :cells]


@dataclass(frozen=True, eq=False)
class Fields:
    """All fields of a group along one dimension of its blocks, and how several readers of one array were merged.

    `work` by task; `read` and `last` by piece: the first and the last place at which each index is read; `made` by
    piece that the group makes: where it is. `lasts` are the last places of each tiler that reads a piece.
    """

    work: dict[str, Ints]
    read: dict[str, Ints]
    last: dict[str, Ints]
    made: dict[str, Ints]
    merges: dict[tuple[str, str], Merge]
    lasts: dict[str, list[Ints]] = field(default_factory=dict)


def fields_along(parts: Parts, masks: Masks, block: int, place: Ints) -> Fields:
    """The fields along a dimension of the blocks, given the place (sides, extent) of each index of the last task."""
    fields = Fields({parts.group.last: place}, {}, {}, {}, {})
    for task in parts.order:
        if task != parts.group.last:
            for piece in parts.pieces_of(task):
                _read_piece(parts, masks, fields, block, piece)
            _run_task(parts, fields, block, task)
        for piece in parts.pieces_of(task):
            fields.made[piece] = _made(parts, fields, block, piece)
    for piece in parts.group.loaded:
        _read_piece(parts, masks, fields, block, piece)
    return fields


def _read_piece(parts: Parts, masks: Masks, fields: Fields, block: int, piece: str) -> None:
    links = parts.reads.get(piece, [])
    if not links:
        return
    pairs = [_read_through(parts, masks, fields, block, link) for link in links]
    fields.read[piece], fields.merges["first", piece] = merged([pair[0] for pair in pairs], latest=False)
    fields.last[piece], fields.merges["last", piece] = merged([pair[1] for pair in pairs], latest=True)
    fields.lasts[piece] = [pair[1] for pair in pairs]


def _read_through(parts: Parts, masks: Masks, fields: Fields, block: int, link: Link) -> tuple[Ints, Ints]:
    """First and last places at which one tiler reads each index of what moves with this dimension."""
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
    """Where in the block order each index of a task before the last runs: at the first read of what it writes."""
    dimension = parts.dimensions[task][block]
    needs = []
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


def by_allowed(link: Link, dimension: int | None, places: Ints) -> Ints:
    """The places of those indices of a dimension that access through a tiler, NEVER for the others."""
    if dimension is None or dimension not in link.allowed:
        return places
    return np.where(link.allowed[dimension], places, NEVER)


def _made(parts: Parts, fields: Fields, block: int, piece: str) -> Ints:
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
    """Along what moves with no dimension of the blocks: which indices of tasks run, and which of arrays are read."""

    runs: dict[tuple[str, int], Mask]
    read: dict[tuple[str, int], Mask]
    merges: dict[tuple[str, str], list[Merge]]

    def touched(self, link: Link, axis: int) -> Mask:
        """Which indices of an axis a tiler touches, by the indices of its task that run there."""
        along = link.axes[axis]
        return along.touched if along.dimension is None else along.touched_by(self.runs[link.task, along.dimension])


def find_masks(parts: Parts) -> Masks | None:
    """What runs and is read along free dimensions and axes; None where a tiler's default reads nothing at all."""
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
    links = parts.reads.get(piece, [])
    for axis in parts.free_axes(piece) if links else ():
        fields = [np.where(masks.touched(link, axis), 0, NEVER)[None, :] for link in links]
        read, merge = merged(fields, latest=False)
        masks.read[piece, axis] = read[0] != NEVER
        masks.merges.setdefault(("first", piece), []).append(merge)
        masks.merges.setdefault(("last", piece), []).append(merge)


def _run_free(parts: Parts, masks: Masks, task: str, dimension: int) -> None:
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


def _reads_something(masks: Masks, link: Link) -> bool:
    return all(
        bool((allowed & masks.runs.get((link.task, dimension), allowed)).any())
        for dimension, allowed in link.allowed.items()
    )
