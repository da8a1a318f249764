"""Arrays of a separable group that a FIFO may carry, by counts and samples (docs/machine.md, section 4).

An array that is offered here may still be refused by the schedule when a design is evaluated.
"""

from __future__ import annotations

import math

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.accesses import Touch, subscripts
from hwmodel.cost_model.counted.axes.links import TilerLink
from hwmodel.cost_model.counted.counts import GroupCounts

_TRIED = 27  # repetitions of the writer whose data are followed


def separable_fifos(counts: GroupCounts) -> tuple[str, ...]:
    """The arrays of which every element that is made is read once, by one tiler, and is not needed outside.

    Arrays are left out if some repetition of a sample makes data that are not read in the same order.
    """
    group = counts.parts.group
    inner = [array for array in group.writers_of if array not in group.stored and len(counts.parts.pieces[array]) == 1]
    return tuple(array for array in inner if _read_once(counts, array) and _in_a_row(counts, array))


def _read_once(counts: GroupCounts, array: str) -> bool:
    """Whether each element that is made of an array is read once, by a single tiler."""
    links = counts.parts.reads.get(array, [])
    if len(links) != 1 or not counts.is_read_whole(array):
        return False
    reader, maker = _only_reads(counts, array), counts.parts.writes[array].task
    if reader.tiler.border is not None:
        return False
    made = _runs(counts, maker, counts.parts.writes[array]) * math.prod(
        counts.parts.group.writes(maker, array)[0].pattern
    )
    # All that is made is read; as many reads as elements read each of them once.
    return made == _runs(counts, reader.process, links[0]) * math.prod(reader.pattern)


def _only_reads(counts: GroupCounts, array: str) -> Touch:
    """The only tiler that reads an array in the group."""
    (link,) = counts.parts.reads[array]
    return counts.parts.group.reads(link.task, array)[0]


def _runs(counts: GroupCounts, task: str, link: TilerLink) -> int:
    """The repetitions of a task that run and access through a tiler."""
    return math.prod(len(indices) for indices in _accessing(counts, task, link))


def _accessing(counts: GroupCounts, task: str, link: TilerLink) -> list[IntArray]:
    """Along each dimension of a task, the indices that run and access through a tiler."""
    allowed = link.allowed
    running = enumerate(counts.running(task))
    return [indices[allowed[dimension][indices]] if dimension in allowed else indices for dimension, indices in running]


def _in_a_row(counts: GroupCounts, array: str) -> bool:
    """Whether the data of a sample of repetitions, which are written in a row, are read in a row too."""
    group, reader = counts.parts.group, _only_reads(counts, array)
    (link,) = counts.parts.reads[array]
    maker = counts.parts.writes[array].task
    rng = np.random.default_rng(len(array))
    writing = _accessing(counts, maker, counts.parts.writes[array])
    sample = [rng.choice(indices, min(len(indices), _TRIED)) for indices in writing]
    number = max((len(one) for one in sample), default=1)
    repetitions = np.stack([np.resize(one, number) for one in sample], axis=1) if sample else np.zeros((1, 0), np.int64)
    elements = group.accesses.elements(group.writes(maker, array)[0], repetitions)
    columns = _readers(counts, link, elements)
    readers = np.stack(columns, axis=2) if columns else np.zeros((*elements.shape, 0), np.int64)
    taken = group.accesses.elements(reader, readers.reshape(-1, readers.shape[2]))
    place = (taken == elements.reshape(-1, 1)).argmax(axis=1).reshape(elements.shape)
    same = (readers[:, 1:] == readers[:, :-1]).all(axis=2)
    goes_on = same & (place[:, 1:] == place[:, :-1] + 1)
    next_one = ~same & (place[:, :-1] == taken.shape[1] - 1) & (place[:, 1:] == 0)
    return bool((goes_on | next_one).all())


def _readers(counts: GroupCounts, link: TilerLink, elements: IntArray) -> list[IntArray]:
    """Along each dimension of the reading task, the index of the repetition that reads each element."""
    places = subscripts(elements, counts.parts.group.accesses.shape(link.piece))
    columns = []
    for dimension, indices in enumerate(_accessing(counts, link.task, link)):
        axis = link.axis_of(dimension)
        if axis is None:
            columns.append(np.full(elements.shape, indices[0]))
            continue
        of_element = np.zeros(link.axes[axis].extent, np.int64)
        runs = np.isin(link.axes[axis].repetition, indices)
        of_element[link.axes[axis].element[runs]] = link.axes[axis].repetition[runs]
        columns.append(of_element[places[axis]])
    return columns
