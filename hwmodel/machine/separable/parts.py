"""Which dimension of a group's blocks each repetition dimension and array axis rides on, found from its tilers."""

from __future__ import annotations

from dataclasses import dataclass, field

from arrayol.ir.spec import Delay
from hwmodel.machine.group import Group
from hwmodel.machine.separable.axes import Link, separate
from hwmodel.machine.stages import Stages

Riders = list[int | None]  # by block dimension


@dataclass(frozen=True, eq=False)
class Parts:
    """A group whose tilers follow the axes.

    `riders` holds for each task, by dimension of the blocks, the repetition dimension that rides on it: work moves
    along it as the blocks do. `axes` holds the same for arrays and their axes. What rides on nothing is done at once.
    """

    group: Group
    stages: Stages
    reads: dict[str, list[Link]]
    writes: dict[str, Link]
    riders: dict[str, Riders] = field(default_factory=dict)
    axes: dict[str, Riders] = field(default_factory=dict)

    @property
    def rank(self) -> int:
        """The number of dimensions of the blocks."""
        return len(self.group.accesses.extents(self.group.last))

    @property
    def order(self) -> list[str]:
        """The tasks against the dataflow, the last one first."""
        return [self.group.last, *(task for task in reversed(self.group.tasks) if task != self.group.last)]

    def free_dimensions(self, task: str) -> list[int]:
        """The repetition dimensions of a task that ride on nothing."""
        return [k for k in range(len(self.group.accesses.extents(task))) if k not in self.riders[task]]

    def free_axes(self, array: str) -> list[int]:
        """The axes of an array that ride on nothing."""
        return [axis for axis in range(len(self.group.accesses.shape(array))) if axis not in self.axes[array]]

    def delay(self, task: str) -> tuple[Delay, int] | None:
        """The acting delay of a task and the one dimension it moves along."""
        delays = self.group.delays(task)
        if not delays:
            return None
        return delays[0], next(k for k, step in enumerate(delays[0].vector) if step)

    def arrays_of(self, task: str) -> list[str]:
        """The arrays that a task makes."""
        return [array for array, maker in self.group.made.items() if maker == task]


def find_parts(group: Group, stages: Stages) -> Parts | None:
    """The parts of a group; None where a tiler or a delay does not follow the axes, or two claim one dimension."""
    links = _links(group)
    if links is None or not all(_simple_delays(group, task) for task in group.tasks):
        return None
    parts = Parts(group, stages, *links)
    for task in parts.order:
        if not _place_task(parts, task):
            return None
    return parts if all(_place_array(parts, array) for array in group.loaded) else None


def _links(group: Group) -> tuple[dict[str, list[Link]], dict[str, Link]] | None:
    reads: dict[str, list[Link]] = {}
    writes: dict[str, Link] = {}
    for task in group.tasks:
        for touch in group.accesses.reads[task]:
            link = separate(group.accesses, touch)
            if link is None:
                return None
            reads.setdefault(touch.array, []).append(link)
    for array, task in group.made.items():
        touches = group.writes(task, array)
        link = separate(group.accesses, touches[0]) if len(touches) == 1 else None
        if link is None:
            return None
        writes[array] = link
    return reads, writes


def _simple_delays(group: Group, task: str) -> bool:
    """Whether a task has at most one acting delay, along one dimension."""
    delays = group.delays(task)
    return not delays or (len(delays) == 1 and sum(map(bool, delays[0].vector)) == 1)


def _place_task(parts: Parts, task: str) -> bool:
    """Find what a task's dimensions ride on, from the readers of its arrays."""
    riders: Riders = [None] * parts.rank
    if task == parts.group.last:
        riders = list(range(parts.rank))
    for array in parts.arrays_of(task):
        if not _place_array(parts, array):
            return False
        for block, axis in enumerate(parts.axes[array]):
            dimension = None if axis is None else parts.writes[array].axes[axis].dimension
            if dimension is not None and not _claim(riders, block, dimension):
                return False
    parts.riders[task] = riders
    # What a task's dimensions ride on, the axes of its arrays do too.
    for array in parts.arrays_of(task):
        for block, rider in enumerate(riders):
            along = None if rider is None else parts.writes[array].axis_of(rider)
            if along is not None and not _claim(parts.axes[array], block, along):
                return False
    return True


def _place_array(parts: Parts, array: str) -> bool:
    axes: Riders = [None] * parts.rank
    for link in parts.reads.get(array, []):
        for block, rider in enumerate(parts.riders[link.task]):
            axis = None if rider is None else link.axis_of(rider)
            if axis is not None and not _claim(axes, block, axis):
                return False
    parts.axes[array] = axes
    return True


def _claim(places: Riders, block: int, index: int) -> bool:
    """Let `index` ride on a dimension of the blocks: it rides on one alone, and nothing else rides there."""
    if places[block] == index:
        return True
    if places[block] is not None or index in places:
        return False
    places[block] = index
    return True
