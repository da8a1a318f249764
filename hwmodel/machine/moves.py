"""What a group loads, keeps and stores: one entry per instance of an element (docs/machine.md, sections 2, 3 and 5)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hwmodel.design import Blocks, GroupDesign, Keep
from hwmodel.machine.group import Elements, Group
from hwmodel.machine.scans import prefixes
from hwmodel.machine.ticks import STORES, Stages, Ticks, Work, is_unchanging, read_at


@dataclass(frozen=True, eq=False)
class Held:
    """Instances of the elements of one array: the step that brings each and the step of its last use."""

    array: str
    element: Elements
    born: Elements
    last: Elements


@dataclass(frozen=True, eq=False)
class Stored:
    """Elements of one array that go out, and the step in which each does."""

    array: str
    element: Elements
    step: Elements


def load_array(group: Group, design: GroupDesign, ticks: Ticks, stages: Stages, array: str) -> Held:
    """What is fetched of an array from outside by what is kept of it; what no tick changes is fetched once."""
    keep = Keep(0) if is_unchanging(group, ticks, array) else design.keep_of(array)
    element, tick, last = _uses(group, ticks, stages, array)
    prefix = _prefixes(group, design.blocks, ticks, keep.level)
    count = len(ticks.block) + 1
    pairs, pair = np.unique(element * count + prefix[tick], return_inverse=True)
    # Of prefixes that are shared, those of one element that follow each other directly are one fetch.
    heads = np.diff(pairs, prepend=-2) > 1 if keep.shared else np.ones(len(pairs), np.bool_)
    instance = (np.cumsum(heads) - 1)[pair]
    fetches = pairs[heads]
    first = np.full(len(fetches), count)
    np.minimum.at(first, instance, tick)
    if keep.eager:
        first = np.searchsorted(prefix, fetches % count)
    end = np.full(len(fetches), np.iinfo(np.int64).min)
    np.maximum.at(end, instance, last)
    return Held(array, fetches // count, first + stages.load[array], end)


def make_array(group: Group, ticks: Ticks, stages: Stages, array: str) -> tuple[Held, Stored]:
    """What the group makes of an array, by all tasks that write it, and what of it is stored."""
    held, stored = zip(*(_made_by(group, ticks, stages, array, task) for task in group.made[array]), strict=True)
    element, born, last = (
        np.concatenate([getattr(each, name) for each in held]) for name in ("element", "born", "last")
    )
    out = (np.concatenate([getattr(each, name) for each in stored]) for name in ("element", "step"))
    return Held(array, element, born, last), Stored(array, *out)


def _made_by(group: Group, ticks: Ticks, stages: Stages, array: str, task: str) -> tuple[Held, Stored]:
    work = ticks.work[task]
    element, run = _elements_made(group, work, array, task)
    born = work.tick[run] + stages.task[task]
    last = _last_reads(group, ticks, stages, (array, task), work.once, (element, work.use[run], born))
    stored = _stored(group, ticks, array, element, work.tick[run])
    last[stored] = np.maximum(last[stored], ticks.own[ticks.block[work.tick[run[stored]]]] + STORES)
    out = Stored(array, element[stored], ticks.own[ticks.block[work.tick[run[stored]]]] + STORES)
    return Held(array, element, born, last), out


def _uses(group: Group, ticks: Ticks, stages: Stages, array: str) -> tuple[Elements, Elements, Elements]:
    """All accesses of the group to an array: the element, the reader's tick, and the step of the access."""
    parts = []
    for reader in group.readers(array):
        element, tick = read_at(group, reader, array, ticks.work[reader])
        parts.append((element, tick, tick + stages.task[reader]))
    columns = zip(*parts, strict=True)
    element, tick, step = (np.concatenate(column) for column in columns)
    return element, tick, step


def _prefixes(group: Group, blocks: Blocks, ticks: Ticks, level: int) -> Elements:
    """The prefix of each tick at a level, numbered in the order of the ticks; at the level of all loops the tick."""
    if level >= len(blocks.scan.dimensions) and level:
        return np.arange(len(ticks.block))
    prefix: Elements = prefixes(group.accesses.extents(group.last), blocks, level)[ticks.block]
    return prefix


def _elements_made(group: Group, work: Work, array: str, task: str) -> tuple[Elements, Elements]:
    """The elements that runs of a task write, and the number of the run that does."""
    repetitions = group.accesses.repetitions(task)[work.repetition]
    elements, runs = [], []
    for touch in group.writes(task, array):
        rows, written = group.accesses.touched(touch, repetitions)
        elements.append(written.ravel())
        runs.append(np.repeat(rows, written.shape[1]))
    return np.concatenate(elements), np.concatenate(runs)


def _last_reads(
    group: Group,
    ticks: Ticks,
    stages: Stages,
    place: tuple[str, str],
    once: bool,
    made: tuple[Elements, Elements, Elements],
) -> Elements:
    """The last step in which each instance of an array by a task is read, the step that makes it where it is not."""
    array, task = place
    element, use, born = made
    last: Elements = born.copy()
    if not group.readers(array):
        return last
    read, tick, step = _uses(group, ticks, stages, array)
    if len(group.made[array]) > 1:
        own = group.writer(array, task)[read] >= 0
        read, tick, step = read[own], tick[own], step[own]
    count = len(ticks.block)
    key = element if once else element * count + use
    wanted = read if once else read * count + tick
    order = np.argsort(key)
    np.maximum.at(last, order[np.searchsorted(key[order], wanted)], step)
    return last


def _stored(group: Group, ticks: Ticks, array: str, element: Elements, tick: Elements) -> Elements:
    """Of the instances of elements needed outside, the first of each."""
    if array not in group.stored:
        return np.zeros(0, np.int64)
    order = np.lexsort((tick, element))
    first = order[np.diff(element[order], prepend=-1) != 0]
    stored: Elements = first[group.needed_outside(array)[element[first]]]
    return stored


def largest_live(born: Elements, last: Elements) -> int:
    """The largest number of intervals born..last (both included) that hold one step."""
    if not len(born):
        return 0
    start = int(born.min())
    change = np.bincount(born - start, minlength=int(last.max()) - start + 2).astype(np.int64)
    change -= np.bincount(last + 1 - start, minlength=len(change))
    return int(np.cumsum(change).max())


def largest_live_folded(born: Elements, last: Elements, period: int) -> int:
    """The same where everything is repeated every `period` steps for ever."""
    if not len(born):
        return 0
    whole = (last + 1 - born) // period  # so often an interval covers every step of the period
    change = np.zeros(2 * period + 1, np.int64)
    start = born % period
    np.add.at(change, start, 1)
    np.add.at(change, start + (last + 1 - born) % period, -1)
    live = np.cumsum(change)
    return int(whole.sum()) + int((live[:period] + live[period : 2 * period]).max())
