"""Blocks of blocks as blocks of one level, so that structures with them can be counted.

A dimension that a scan walks twice is split into two: over outer blocks, and inside one of them. A tiler's step along
the first is that along the second times the side of an outer block, so the repetitions and the elements they touch stay
the same, in the same order of ticks; a block has one index of the first. This holds if outer blocks divide the extent
and no delay crosses them; all other such blocks are enumerated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from arrayol.ir.network import Flow, Network, Process
from arrayol.ir.spec import Delay, TiledDefault, Tiler
from hwmodel.design import Blocks, GroupDesign, Scan
from hwmodel.last_tasks import last_tasks

Item = TypeVar("Item")


@dataclass(frozen=True)
class Halves:
    """The split of a repetition space: the side of outer blocks along each dimension, None for one that stays whole."""

    sides: tuple[int | None, ...]

    @property
    def places(self) -> list[int]:
        """For each dimension, the index of its inner half in the split space."""
        return [sum(1 if side is None else 2 for side in self.sides[: at + 1]) - 1 for at in range(len(self.sides))]

    def spread(self, items: Sequence[Item], of_outer: Sequence[Item]) -> tuple[Item, ...]:
        """An item for each dimension of the split space: of `of_outer` for outer halves, of `items` otherwise."""
        spread = list[Item]()
        for item, outer, side in zip(items, of_outer, self.sides, strict=True):
            spread += [item] if side is None else [outer, item]
        return tuple(spread)

    def row(self, steps: Sequence[int]) -> tuple[int, ...]:
        """A row of a paving in the split space."""
        return self.spread(steps, [step * (side or 1) for step, side in zip(steps, self.sides, strict=True)])

    def vector(self, steps: Sequence[int]) -> tuple[int, ...]:
        """A delay or an exit in the split space; it does not move along a dimension that is split."""
        return self.spread(steps, [0] * len(steps))

    def tiler(self, tiler: Tiler) -> Tiler:
        """The tiler that gives each repetition of the split space the same elements."""
        return replace(tiler, paving=tuple(map(self.row, tiler.paving)))

    def flow(self, flow: Flow) -> Flow:
        """The flow through a port with its tiler and exit in the split space."""
        exit_ = None if flow.exit is None else self.vector(flow.exit)
        return replace(flow, tiler=self.tiler(flow.tiler), exit=exit_)

    def delay(self, delay: Delay) -> Delay:
        """The delay between the same repetitions in the split space."""
        default = delay.default
        if isinstance(default, TiledDefault):
            default = replace(default, tiler=self.tiler(default.tiler))
        return replace(delay, vector=self.vector(delay.vector), default=default)

    def network(self, network: Network, task: str) -> Network:
        """The network with a task's repetition space split."""
        process = network.processes[task]
        outer = [extent if side is None else (extent or 1) // side for extent, side in self._extents(process)]
        inner = [extent if side is None else side for extent, side in self._extents(process)]
        split = replace(
            process,
            repetition=self.spread(inner, outer),
            inputs=tuple(map(self.flow, process.inputs)),
            outputs=tuple(map(self.flow, process.outputs)),
            delays=tuple(map(self.delay, process.delays)),
        )
        return replace(network, processes={**network.processes, task: split})

    def _extents(self, process: Process) -> list[tuple[int | None, int | None]]:
        """The extent and the outer side of each dimension."""
        return list(zip(process.repetition, self.sides, strict=True))

    def blocks(self, blocks: Blocks) -> Blocks:
        """The blocks on the split space, in the same order."""
        place, seen, dimensions = self.places, set[int](), list[int]()
        for dimension in blocks.scan.dimensions:
            is_outer = dimension in blocks.scan.twice and dimension not in seen
            seen.add(dimension)
            dimensions.append(place[dimension] - is_outer)
        scan = Scan(tuple(dimensions), blocks.scan.descending)
        return Blocks(self.spread(blocks.shape, [1] * len(blocks.shape)), scan)


def halves_of(network: Network, design: GroupDesign) -> Halves | None:
    """The split of the last task's space that turns its blocks of blocks into blocks of one level.

    None if there is none.

    There is none if outer blocks do not divide the extent or have a single index (units would share another line), if
    the dimension is infinite, if a delay or an exit moves along it, or if other last tasks follow along it.
    """
    if len(last_tasks(network, design.tasks)) > 1:
        return None
    process, blocks = network.processes[design.tasks[-1]], design.blocks
    for dimension in blocks.scan.twice:
        extent, outer = process.repetition[dimension], blocks.outer[dimension]
        exits = (flow.exit for flow in process.outputs if flow.exit is not None)
        moves = any(vector[dimension] for vector in (*(delay.vector for delay in process.delays), *exits))
        if extent is None or extent % outer or outer == 1 or moves:
            return None
    return Halves(tuple(outer if at in blocks.scan.twice else None for at, outer in enumerate(blocks.outer)))


def in_one_level(design: GroupDesign, halves: Halves) -> GroupDesign:
    """The design on the split space."""
    return replace(design, schedule=halves.blocks(design.blocks))
