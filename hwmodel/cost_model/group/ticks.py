"""When a group's tasks run: Need and New per tick, cuts, leftovers, recomputing (docs/machine.md, section 2).

New(v), the repetitions that tick v is the first to need, is computed for all ticks at once. Each repetition gets the
least tick of the reads of its results, and of the repetitions that its delays lead to (`group.closed`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from arrayol.errors import error
from arrayol.text import counted
from hwmodel.accesses import Touch
from hwmodel.cost_model.group.followed import followed
from hwmodel.cost_model.group.group import Group, closed, closed_over_frames, require_one_frame
from hwmodel.cost_model.group.scans import block_places, breaking_pair
from hwmodel.cost_model.numbering import ascending, numbered, require_numbers
from hwmodel.design import Blocks, GroupDesign

NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True, eq=False)
class Work:
    """The runs of a task, one entry for each: its repetition's number, its tick, and the tick it runs for (`use`).

    `use` differs from `tick` if a cut spreads the work of one tick over several. Only a task that recomputes runs a
    repetition more than once; its results are then used at `use` only (`once` is false).
    """

    repetition: IntArray
    tick: IntArray
    use: IntArray
    once: bool = True

    def only(self, runs: NDArray[np.bool_] | IntArray) -> Work:
        """The runs in a mask, or of some numbers."""
        return Work(self.repetition[runs], self.tick[runs], self.use[runs], self.once)


@dataclass(frozen=True, eq=False)
class Ticks:
    """Work by task, and the block that each tick belongs to; the last tick of a block is its own tick."""

    work: dict[str, Work]
    block: IntArray

    @property
    def block_ticks(self) -> IntArray:
        """The own tick of each block."""
        return np.searchsorted(self.block, np.arange(int(self.block[-1]) + 1), side="right") - 1


def tick_group(group: Group, design: GroupDesign) -> Ticks:
    """The ticks of a group's design. Raises ArrayolError (`scan-against-delay`, `several-frames`)."""
    cuts = {processor.task: processor.cut for processor in design.processors}
    require_legal(group, group.last, design.blocks)
    ticks = _leading_task(group, design.blocks)
    for task in [name for name in reversed(group.tasks) if name != group.last]:
        recomputes = design.recompute and task in group.recomputable
        work = _every_need(group, task, ticks) if recomputes else _first_need(group, task, ticks)
        cut = cuts.get(task)
        if cut is not None:
            require_legal(group, task, cut)
            work, ticks = _split(group, task, cut, work, ticks)
        ticks = replace(ticks, work={**ticks.work, task: work})
    sizes = [group.accesses.size(array) for array in (*group.loaded, *group.writers_of)]
    require_numbers(len(ticks.block) + 1, max(sizes, default=1))
    return ticks


def require_legal(group: Group, task: str, blocks: Blocks) -> None:
    """Raises ArrayolError (`scan-against-delay`) if the scan of blocks breaks a delay."""
    extents = group.accesses.extents(task)
    if not blocks.fit(len(extents)):
        raise ValueError(f"blocks {blocks} do not fit the repetition space {list(extents)} of '{task}'")
    broken = breaking_pair(extents, group.delays(task), blocks)
    if broken is None:
        return
    delay, (reader, source) = broken
    raise error(
        "scan-against-delay",
        f"'{task}' cannot be walked in the order {blocks.scan} with blocks of {_shown(blocks)}: repetition "
        f"{list(reader)} reads '{delay.output}' of repetition {list(source)}, whose block comes later",
        delay.span,
        hint="walk the dimensions of the delay upwards where it is positive and downwards where it is negative, or "
        "take blocks that hold both repetitions",
    )


def _shown(blocks: Blocks) -> str:
    shapes = (blocks.shape, blocks.outer) if blocks.outer else (blocks.shape,)
    return " in ".join(str(list(shape)) for shape in shapes)


def _leading_task(group: Group, blocks: Blocks) -> Ticks:
    repetitions = group.accesses.repetitions(group.last)
    place = block_places(repetitions, group.accesses.extents(group.last), blocks)
    return Ticks({group.last: Work(np.arange(len(place)), place, place)}, np.arange(int(place.max()) + 1))


def read_at(group: Group, task: str, array: str, work: Work) -> Iterator[tuple[IntArray, IntArray]]:
    """The elements of an array that a task reads and the ticks of the reads, in parts, one entry for each access."""
    for touch in group.reads(task, array):
        yield from _read_through(group, touch, work)


def _read_through(group: Group, touch: Touch, work: Work) -> Iterator[tuple[IntArray, IntArray]]:
    """The elements that runs read through one tiler, and the ticks; runs that read the same elements count once."""
    still = [axis for axis, factors in enumerate(zip(*touch.tiler.paving, strict=True)) if not any(factors)]
    if any(group.accesses.extents(touch.process)[axis] > 1 for axis in still):
        work = _first_of_each(group, touch, still, work)
    for rows, touched in group.accesses.in_parts(touch, work.repetition):
        yield touched.ravel(), np.repeat(work.tick[rows], touched.shape[1])


def _first_of_each(group: Group, touch: Touch, still: Sequence[int], work: Work) -> Work:
    """Keep, of runs that access, the first with each tick and each index along dimensions that move the tiler."""
    extents = group.accesses.extents(touch.process)
    if touch.outside is not None or touch.tiler.border is not None:
        repetitions = group.accesses.repetitions(touch.process)
        work = work.only(group.accesses.happens(touch, repetitions)[work.repetition])
    place, ticks = np.zeros(len(work.tick), np.int64), int(work.tick.max(initial=0)) + 1
    for axis, index in enumerate(np.unravel_index(work.repetition, extents)):
        if axis not in still:
            place = place * extents[axis] + index
    most = math.prod(extent for axis, extent in enumerate(extents) if axis not in still)
    _, number = numbered(place * ticks + work.tick, most * ticks)
    first = np.full(int(number.max(initial=-1)) + 1, len(work.tick))
    np.minimum.at(first, number, np.arange(len(work.tick)))
    return work.only(first)


def is_unchanging(group: Group, ticks: Ticks, array: str) -> bool:
    """Whether each tiler reads the same elements of an array from outside at every tick at which it reads."""
    for task in group.readers(array):
        tick = ticks.work[task].tick
        if not len(tick) or (tick == tick[0]).all():
            continue
        for touch in group.reads(task, array):
            if _ends_differ(group, touch, ticks.work[task]):
                return False
            size, parts = group.accesses.size(array), _read_through(group, touch, ticks.work[task])
            pairs = [np.zeros(0, np.int64), *(ascending(tick * size + element) for element, tick in parts)]
            distinct = ascending(np.concatenate(pairs))
            if len(distinct) != len(ascending(distinct // size)) * len(ascending(distinct % size)):
                return False
    return True


def _ends_differ(group: Group, touch: Touch, work: Work) -> bool:
    """Whether the ticks of the first and the last run read other elements, by least and greatest: a quick test."""
    ends = []
    for at in (work.tick[0], work.tick[-1]):
        read = [element for element, _ in _read_through(group, touch, work.only(work.tick == at)) if len(element)]
        ends.append((min(int(part.min()) for part in read), max(int(part.max()) for part in read)) if read else None)
    return None not in ends and ends[0] != ends[1]


def _first_need(group: Group, task: str, ticks: Ticks) -> Work:
    """New(v) of every tick: each repetition runs at the first tick that needs it."""
    extents = group.accesses.extents(task)
    repetitions = group.accesses.repetitions(task)
    need = _followed(group, task, ticks) if task in group.following else np.full(len(repetitions), NEVER)
    outside = np.zeros(len(repetitions), np.bool_)
    for array in group.arrays_of(task):
        first = np.full(group.accesses.size(array), NEVER)
        writer = group.writer(array, task)
        for reader in group.readers(array):
            for elements, when in read_at(group, reader, array, ticks.work[reader]):
                require_one_frame(group, array, reader, elements)
                np.minimum.at(first, elements, when)
        is_made = writer >= 0
        np.minimum.at(need, writer[is_made], first[is_made])
        if array in group.stored:
            outside[writer[is_made & group.needed_outside(array)]] = True
    delays = group.delays(task)
    need = closed(need, extents, delays)
    need[outside & (need == NEVER)] = len(ticks.block) - 1
    need = closed_over_frames(
        closed(need, extents, delays), extents, group.frame_delays(task), delays, NEVER, len(ticks.block) - 1
    )
    runs = np.flatnonzero(need != NEVER)
    runs = runs[np.argsort(need[runs], kind="stable")]
    return Work(runs, need[runs], need[runs])


def _followed(group: Group, task: str, ticks: Ticks) -> IntArray:
    """The tick at which each repetition of a last task goes with those of the leading one."""
    leading, extents = ticks.work[group.last], group.accesses.extents(group.last)
    tick = np.empty(len(leading.tick), np.int64)
    tick[leading.repetition] = leading.tick
    found: IntArray = followed(tick[None, :], extents, group.accesses.extents(task), group.following[task])[0]
    return found


def _every_need(group: Group, task: str, ticks: Ticks) -> Work:
    """Need(v) of every tick, for a task that recomputes: results of v are used at v only."""
    count = len(group.accesses.repetitions(task))
    final = len(ticks.block) - 1
    require_numbers(len(ticks.block), count)
    pairs = [np.zeros(0, np.int64)]
    outside = np.zeros(count, np.bool_)
    for array in group.arrays_of(task):
        writer = group.writer(array, task)
        for reader in group.readers(array):
            for elements, when in read_at(group, reader, array, ticks.work[reader]):
                require_one_frame(group, array, reader, elements)
                is_made = writer[elements] >= 0
                pairs.append((when * count + writer[elements])[is_made])
        if array in group.stored:
            outside[writer[group.needed_outside(array) & (writer >= 0)]] = True
    runs = ascending(np.concatenate(pairs))
    outside[runs % count] = False
    runs = ascending(np.concatenate([runs, final * count + np.flatnonzero(outside)]))
    return Work(runs % count, runs // count, runs // count, once=False)


def _split(group: Group, task: str, cut: Blocks, work: Work, ticks: Ticks) -> tuple[Work, Ticks]:
    """Split each tick's work into the pieces of a cut, one a tick, the last at the tick itself.

    Missing ticks are inserted; returns the work and all ticks after that.
    """
    place = block_places(group.accesses.repetitions(task), group.accesses.extents(task), cut)[work.repetition]
    order = np.lexsort((place, work.tick))
    tick, place = work.tick[order], place[order]
    starts_tick = np.diff(tick, prepend=-1) != 0
    starts_piece = starts_tick | (np.diff(place, prepend=-1) != 0)
    piece = np.cumsum(starts_piece) - 1
    of_tick = np.cumsum(starts_tick) - 1
    when = tick[starts_tick]
    first_piece = piece[starts_tick]
    pieces = np.diff(np.append(first_piece, piece[-1] + 1 if len(piece) else 0))
    room = np.diff(when, prepend=-1) - 1
    missing = np.maximum(pieces - 1 - room, 0)
    moved, wider = _inserted(ticks, when, missing)
    back = pieces[of_tick] - 1 - (piece - first_piece[of_tick])
    return Work(work.repetition[order], moved[tick] - back, moved[tick], work.once), wider


def _inserted(ticks: Ticks, when: IntArray, missing: IntArray) -> tuple[IntArray, Ticks]:
    """Insert `missing` ticks just before the ticks `when`: the new number of each tick, and all ticks after that."""
    times = np.ones(len(ticks.block), np.int64)
    times[when] += missing
    moved = np.cumsum(times) - 1
    work = {task: replace(each, tick=moved[each.tick], use=moved[each.use]) for task, each in ticks.work.items()}
    return moved, Ticks(work, np.repeat(ticks.block, times))


# Stages: by how many steps a task, a load or the stores lag behind the last task (docs/machine.md, section 3).

STORES = 1


@dataclass(frozen=True, slots=True)
class Stages:
    """Stages of tasks and of the loads of arrays; the stores have stage 1."""

    task: Mapping[str, int]
    load: Mapping[str, int]


def stage_group(group: Group, fifos: frozenset[str] = frozenset()) -> Stages:
    """The stages of a group with some FIFOs.

    Raises ArrayolError (`fifo-refused`) where a FIFO's reader would work in another step.
    """
    task: dict[str, int] = dict.fromkeys((group.last, *group.following), 0)
    for name in reversed(group.tasks):
        if name in task:
            continue
        task[name] = min(
            task[reader] - (0 if array in fifos else 1)
            for array in group.arrays_of(name)
            for reader in group.readers(array)
        )
    for array in sorted(fifos):
        for maker, reader in product(group.writers_of.get(array, ()), group.readers(array)):
            if task[maker] != task[reader]:
                before = counted(task[reader] - task[maker], "step")
                raise error(
                    "fifo-refused",
                    f"'{array}' cannot pass through a FIFO: '{maker}' works {before} before '{reader}', "
                    "for the sake of another reader",
                    hint="a FIFO joins tasks that work in the same step; keep this array in a buffer",
                )
    load = {name: min(task[reader] for reader in group.readers(name)) - 1 for name in group.loaded}
    return Stages(task, load)
