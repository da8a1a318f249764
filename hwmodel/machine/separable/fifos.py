"""Which arrays of a separable group a FIFO may carry, by counts and few repetitions (docs/machine.md, section 4)."""

from __future__ import annotations

import math

import numpy as np

from hwmodel.accesses import Touch, subscripts
from hwmodel.machine.separable.axes import Ints, Link
from hwmodel.machine.separable.counts import GroupCounts

_TRIED = 27  # repetitions of the writer whose data are followed


def separable_fifos(counts: GroupCounts) -> tuple[str, ...]:
    """The arrays of which every element that is made is read once, by one tiler, and nothing outside.

    Those are left out of which some repetition's data, among a few, are not read one after the other.
    """
    group = counts.parts.group
    inner = [array for array in group.made if array not in group.stored]
    return tuple(array for array in inner if _read_once(counts, array) and _in_a_row(counts, array))


def _read_once(counts: GroupCounts, array: str) -> bool:
    links = counts.parts.reads.get(array, [])
    if len(links) != 1 or not counts.is_read_whole(array):
        return False
    reader, maker = _only_reads(counts, array), counts.parts.group.made[array]
    made = _runs(counts, maker, None) * math.prod(counts.parts.group.writes(maker, array)[0].pattern)
    # All that is made is read; as many reads as elements read each of them once.
    return made == _runs(counts, reader.process, links[0]) * math.prod(reader.pattern)


def _only_reads(counts: GroupCounts, array: str) -> Touch:
    (link,) = counts.parts.reads[array]
    return counts.parts.group.reads(link.task, array)[0]


def _runs(counts: GroupCounts, task: str, link: Link | None) -> int:
    return math.prod(len(indices) for indices in _accessing(counts, task, link))


def _accessing(counts: GroupCounts, task: str, link: Link | None) -> list[Ints]:
    """Along each dimension of a task the indices that run, and (with a link) that access through it."""
    allowed = link.allowed if link else {}
    running = enumerate(counts.running(task))
    return [found[allowed[dimension][found]] if dimension in allowed else found for dimension, found in running]


def _in_a_row(counts: GroupCounts, array: str) -> bool:
    """Whether a few repetitions' data, which are written in a row, are read in a row too."""
    group, reader = counts.parts.group, _only_reads(counts, array)
    (link,) = counts.parts.reads[array]
    maker = group.made[array]
    rng = np.random.default_rng(len(array))
    sample = [rng.choice(indices, min(len(indices), _TRIED)) for indices in counts.running(maker)]
    number = max((len(one) for one in sample), default=1)
    repetitions = np.stack([np.resize(one, number) for one in sample], axis=1) if sample else np.zeros((1, 0), np.int64)
    found = group.accesses.elements(group.writes(maker, array)[0], repetitions)
    columns = _readers(counts, link, found)
    readers = np.stack(columns, axis=2) if columns else np.zeros((*found.shape, 0), np.int64)
    taken = group.accesses.elements(reader, readers.reshape(-1, readers.shape[2]))
    place = (taken == found.reshape(-1, 1)).argmax(axis=1).reshape(found.shape)
    same = (readers[:, 1:] == readers[:, :-1]).all(axis=2)
    goes_on = same & (place[:, 1:] == place[:, :-1] + 1)
    next_one = ~same & (place[:, :-1] == taken.shape[1] - 1) & (place[:, 1:] == 0)
    return bool((goes_on | next_one).all())


def _readers(counts: GroupCounts, link: Link, elements: Ints) -> list[Ints]:
    """Along each dimension of the reading task the index of the repetition that reads each element."""
    places = subscripts(elements, counts.parts.group.accesses.shape(link.array))
    found = []
    for dimension, indices in enumerate(_accessing(counts, link.task, link)):
        axis = link.axis_of(dimension)
        if axis is None:
            found.append(np.full(elements.shape, indices[0]))
            continue
        of_element = np.zeros(link.axes[axis].extent, np.int64)
        runs = np.isin(link.axes[axis].repetition, indices)
        of_element[link.axes[axis].element[runs]] = link.axes[axis].repetition[runs]
        found.append(of_element[places[axis]])
    return found
