"""Along which dimension of a task its units stand side by side (docs/machine.md, section 4): a part of the design.

A task before the last rides on the dimensions of the last one: where a dimension of a reader moves along an axis of an
array, and a dimension of the writer moves along it too, the writer's rides on what the reader's rides on. That is asked
of the tilers' paving alone, so all that price or run a design come to the same answer, whatever its tilers are like.
"""

from __future__ import annotations

from collections.abc import Sequence

from hwmodel.accesses import Accesses
from hwmodel.design import Scan
from hwmodel.last_tasks import following

DimensionMap = dict[str, dict[int, int]]  # by task: by dimension of the last task, the own one that rides on it


def riding_dimensions(accesses: Accesses, tasks: Sequence[str], last: str) -> DimensionMap:
    """Which dimension of each task of a group rides on each of the last task's; the first found in the text's order."""
    riding: DimensionMap = {last: {k: k for k in range(len(accesses.extents(last)))}}
    shared = following(accesses, tasks)
    for task in [name for name in reversed(list(accesses.network.processes)) if name in tasks and name != last]:
        own = {loop.leading: loop.own for loop in shared.get(task, ())}
        for written in accesses.writes[task]:
            for reader in [name for name in accesses.network.processes if name in riding]:
                for read in (touch for touch in accesses.reads[reader] if touch.array == written.array):
                    for place, along in riding[reader].items():
                        for outer, inner in zip(read.tiler.paving, written.tiler.paving, strict=True):
                            moving = [k for k, factor in enumerate(inner) if factor and outer[along]]
                            if moving:
                                own.setdefault(place, moving[0])
        riding[task] = own
    return riding


def unit_dimension(accesses: Accesses, riding: DimensionMap, scan: Scan, task: str) -> int | None:
    """The dimension of the lines that units of a task share; None where they never share any (one unit).

    Of more than one index and without a delay: first those that ride on the scan's dimensions, the innermost first,
    then the others, the last first. Nothing is shared by tasks with several delays, or one along several dimensions.
    """
    extents = accesses.extents(task)
    delayed = delayed_dimensions(accesses, task)
    if len(accesses.delays(task)) > 1 or len(delayed) > 1:
        return None
    riders = [riding[task][k] for k in reversed(scan.dimensions) if k in riding[task]]
    others = reversed(range(len(extents)))
    return next((k for k in (*riders, *others) if extents[k] > 1 and k not in delayed), None)


def delayed_dimensions(accesses: Accesses, task: str) -> tuple[int, ...]:
    """The dimensions along which a task's delays act, each as often as one does."""
    return tuple(k for delay in accesses.delays(task) for k, step in enumerate(delay.vector) if step)
