"""How the blocks of one last task cut the others of its group (docs/machine.md, section 2): a part of the design.

The last task that comes last in dataflow order *leads*: blocks are boxes of its repetitions. Each other one *follows*,
along the dimensions that are in one loop with a dimension of the leading task. That is asked of the tilers' paving
alone, so all that price or run a design come to the same answer, whatever its tilers are like.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from arrayol.errors import ArrayolError, error
from arrayol.ir.network import Network
from hwmodel.accesses import Accesses, Touch
from hwmodel.loop_sets import Key, LoopSets


@dataclass(frozen=True, slots=True)
class SharedLoop:
    """Dimension `own` of a task is in a loop with dimension `leading` of the leading task.

    Its index x goes with index floor(x `pace`) there, and with the last one where that is beyond the end.
    """

    leading: int
    own: int
    pace: Fraction


Following = Mapping[str, tuple[SharedLoop, ...]]  # by task


def last_tasks(network: Network, tasks: Sequence[str]) -> tuple[str, ...]:
    """The tasks of a group that no task of it reads, in dataflow order: the last of them leads."""
    processes = network.processes
    read = {array for task in tasks for array in processes[task].reads}
    return tuple(name for name in processes if name in tasks and not processes[name].writes & read)


def following(accesses: Accesses, tasks: Sequence[str]) -> Following:
    """The last tasks of a group that follow the leading one, with the loops that they share with it, by its dimensions.

    Raises ArrayolError (`several-last-tasks`) where one shares none, or at two paces.
    """
    *others, lead = last_tasks(accesses.network, tasks)
    if not others:
        return {}
    loops = _loops_of(accesses, tasks)
    leading, found = _outermost(loops, accesses, lead), dict[str, tuple[SharedLoop, ...]]()
    for task in others:
        own = _outermost(loops, accesses, task)
        shared = [root for root in leading if root in own]
        if not shared:
            raise _refused(tasks, f"'{task}' moves along no loop of '{lead}', whose repetitions are cut into blocks")
        found[task] = tuple(
            SharedLoop(leading[root][0], own[root][0], own[root][1] / leading[root][1]) for root in shared
        )
    return found


def _outermost(loops: LoopSets, accesses: Accesses, task: str) -> dict[Key, tuple[int, Fraction]]:
    """By loop the dimension of a task that passes most of its indices, the first of equal ones, and its ratio."""
    found: dict[Key, tuple[int, Fraction]] = {}
    for dimension, extent in enumerate(accesses.extents(task)):
        root, ratio = loops.root(("task", task, dimension))
        if extent > 1 and (root not in found or ratio > found[root][1]):
            found[root] = dimension, ratio
    return found


def _loops_of(accesses: Accesses, tasks: Sequence[str]) -> LoopSets:
    """The loops of a group. Raises ArrayolError (`several-last-tasks`) for a dimension with two ratios."""
    loops = LoopSets()
    for task, touch, dimension, axis in _moves(accesses, tasks):
        factor = touch.tiler.paving[axis][dimension]
        if loops.link(("task", task, dimension), ("array", touch.array, axis), factor):
            raise _refused(tasks, f"'{task}' moves along '{touch.array}' at two paces, and no blocks serve both")
    return loops


def _moves(accesses: Accesses, tasks: Sequence[str]) -> Iterator[tuple[str, Touch, int, int]]:
    """Each dimension of a task that moves forwards along an axis: (task, tiler, dimension, axis)."""
    for task in (name for name in accesses.network.processes if name in tasks):
        for touch in (*accesses.reads[task], *accesses.writes[task]):
            for axis, row in enumerate(() if accesses.is_resident(touch.array) else touch.tiler.paving):
                yield from ((task, touch, dimension, axis) for dimension, factor in enumerate(row) if factor > 0)


def _refused(tasks: Sequence[str], why: str) -> ArrayolError:
    return error(
        "several-last-tasks",
        f"the group {' '.join(tasks)} ends in several tasks that no blocks cut alike: {why}",
        hint="put each in its own group, or add a task that reads the outputs of all of them to the group",
    )
