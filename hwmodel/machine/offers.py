"""What of a plain structure may usefully be opened: cuts, FIFOs, other policies (design.md, section 5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arrayol.errors import ArrayolError
from hwmodel.access import Accesses
from hwmodel.design import Blocks, GroupDesign, Processor
from hwmodel.machine.fifo import fifo_data
from hwmodel.machine.group import Group
from hwmodel.machine.ticks import Ticks, read_at, tick_group


@dataclass(frozen=True, slots=True)
class Offers:
    """Tasks that a cut may help, arrays that a FIFO may carry, and whether policies move different data."""

    cuts: tuple[str, ...]
    fifos: tuple[str, ...]
    policies_differ: bool


def find_offers(accesses: Accesses, tasks: Sequence[str], blocks: Blocks) -> Offers:
    """What a group with these blocks offers. Raises ArrayolError for a group or scan that is refused.

    A cut is offered to a task that has at some tick twice or more its share of a block; a FIFO for an array with one
    reader that reads every element once (whether in the order of writing depends on units too); policies differ where
    an element from outside is read at several ticks.
    """
    group = Group(accesses, tasks)
    ticks = tick_group(group, GroupDesign(tuple(Processor(task) for task in tasks), blocks))
    cuts = tuple(task for task in group.tasks if task != group.last and _is_uneven(ticks, task))
    fifos = tuple(array for array in group.made if _may_be_fifo(group, ticks, array))
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
