"""Plain group designs one by one, and the front of points compared pair by pair: what searches are judged by."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import product

from arrayol.errors import ArrayolError
from dse.space.mappings import MappingSpace
from hwmodel.design import Blocks, GroupDesign, Processor


def group_designs(
    space: MappingSpace, tasks: tuple[str, ...], intervals: Collection[int] | None = None
) -> Iterator[GroupDesign]:
    """Every plain design of a group with one or two units of each task, at the intervals (all that there are)."""
    processes, platform = space.model.network.processes, space.model.platform
    offered = [platform.intervals(processes[task]) for task in tasks]
    rates = [[*product((1, 2), [at for at in own if intervals is None or at in intervals])] for own in offered]
    for blocks, chosen in product(space.blocks(tasks[-1]), product(*rates)):
        processors = tuple(Processor(task, units, None, at) for task, (units, at) in zip(tasks, chosen, strict=True))
        design = GroupDesign(processors, Blocks(blocks.shape, blocks.scan))
        try:
            space.model.estimate_enumerated(design)
        except ArrayolError:
            continue
        yield design


def front_of_points(points: set[tuple[float, ...]]) -> set[tuple[float, ...]]:
    """The points that no other one is below or equal to in every figure."""

    def is_beaten(point: tuple[float, ...]) -> bool:
        return any(other != point and all(a <= b for a, b in zip(other, point, strict=True)) for other in points)

    return {point for point in points if not is_beaten(point)}
