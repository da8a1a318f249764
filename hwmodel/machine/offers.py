"""What of a plain structure may usefully be opened: cuts, FIFOs, other policies (docs/explore.md, "Studies")."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arrayol.errors import ArrayolError
from hwmodel.design import Blocks, GroupDesign, Processor, row_major
from hwmodel.machine.fifo import fifo_data
from hwmodel.machine.group import Group
from hwmodel.machine.separable.batch import GroupBatch
from hwmodel.machine.ticks import Ticks, read_at, require_legal, tick_group


@dataclass(frozen=True, slots=True)
class Offers:
    """Tasks that a cut may help, arrays that a FIFO may carry, and whether policies move different data.

    A cut is offered to a task that has at some tick twice its share of a block or more; a FIFO for an array with one
    reader that reads every element once (whether in the order of writing depends on units too); policies differ where
    an element from outside is read at several ticks.
    """

    cuts: tuple[str, ...]
    fifos: tuple[str, ...]
    policies_differ: bool


def possible_fifos(group: Group) -> tuple[str, ...]:
    """The arrays that a FIFO may carry, whatever the blocks; recomputing may allow others."""
    extents = group.accesses.extents(group.last)
    processors = tuple(Processor(task) for task in group.tasks)
    ticks = tick_group(group, GroupDesign(processors, Blocks(extents, row_major(len(extents)))))
    return tuple(array for array in group.made if _may_be_fifo(group, ticks, array))


def offers_of_separable(batch: GroupBatch, blocks: Blocks, fifos: tuple[str, ...]) -> Offers | None:
    """What a separable group with these blocks offers; None where the structure is no product after all."""
    group = batch.counts.parts.group
    require_legal(group, group.last, blocks)
    uneven = batch.uneven_tasks(blocks)
    return None if uneven is None else Offers(uneven, fifos, batch.reads_again(blocks))


def find_offers(group: Group, blocks: Blocks, fifos: tuple[str, ...]) -> Offers:
    """What a group with these blocks offers. Raises ArrayolError for a scan that is refused."""
    ticks = tick_group(group, GroupDesign(tuple(Processor(task) for task in group.tasks), blocks))
    cuts = tuple(task for task in group.tasks if task != group.last and _is_uneven(ticks, task))
    return Offers(cuts, fifos, any(_read_again(group, ticks, array) for array in group.loaded))


def _is_uneven(ticks: Ticks, task: str) -> bool:
    work = np.bincount(ticks.work[task].tick, minlength=len(ticks.block))
    return len(work) > 1 and int(work.max()) * len(work) >= 2 * int(work.sum()) > 0


def _may_be_fifo(group: Group, ticks: Ticks, array: str) -> bool:
    try:
        fifo_data(group, ticks, array)
    except ArrayolError:
        return False
    return True


def _read_again(group: Group, ticks: Ticks, array: str) -> bool:
    first = np.full(group.accesses.size(array), len(ticks.block))
    last = np.full(group.accesses.size(array), -1)
    for reader in group.readers(array):
        element, tick = read_at(group, reader, array, ticks.work[reader])
        np.minimum.at(first, element, tick)
        np.maximum.at(last, element, tick)
    return bool((last > first).any())
