"""Blocks of blocks as blocks of one level, so that they can be counted.

A dimension that a scan walks twice becomes two: over outer blocks, and inside one of them. A tiler's step along the
first is as many steps along the second as an outer block is long, so that the repetitions and what they touch stay the
same, in the same order of ticks; a block holds one index of the first. So it is where outer blocks divide the extent
and no delay crosses them; else such blocks are enumerated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from arrayol.ir.network import Flow, Network, Process
from arrayol.ir.spec import Delay, TiledDefault, Tiler
from hwmodel.design import Blocks, GroupDesign, Scan

Item = TypeVar("Item")


@dataclass(frozen=True)
class Halves:
    """How a repetition space is split: the side of outer blocks along each dimension, None where it stays one."""

    sides: tuple[int | None, ...]

    @property
    def places(self) -> list[int]:
        """Of each dimension the place of its last half."""
        return [sum(1 if side is None else 2 for side in self.sides[: at + 1]) - 1 for at in range(len(self.sides))]

    def spread(self, items: Sequence[Item], of_outer: Sequence[Item]) -> tuple[Item, ...]:
        """An item for each dimension of the split space: `of_outer` for the outer halves."""
        found = list[Item]()
        for own, outer, side in zip(items, of_outer, self.sides, strict=True):
            found += [own] if side is None else [outer, own]
        return tuple(found)

    def row(self, steps: Sequence[int]) -> tuple[int, ...]:
        """A row of a paving."""
        return self.spread(steps, [step * (side or 1) for step, side in zip(steps, self.sides, strict=True)])

    def vector(self, steps: Sequence[int]) -> tuple[int, ...]:
        """A delay or an exit, which does not move along a dimension that is split."""
        return self.spread(steps, [0] * len(steps))

    def tiler(self, tiler: Tiler) -> Tiler:
        """The same elements for the same repetitions."""
        return replace(tiler, paving=tuple(map(self.row, tiler.paving)))

    def flow(self, flow: Flow) -> Flow:
        """The same elements through the same port."""
        exit_ = None if flow.exit is None else self.vector(flow.exit)
        return replace(flow, tiler=self.tiler(flow.tiler), exit=exit_)

    def delay(self, delay: Delay) -> Delay:
        """The same repetitions before the same ones."""
        default = delay.default
        if isinstance(default, TiledDefault):
            default = replace(default, tiler=self.tiler(default.tiler))
        return replace(delay, vector=self.vector(delay.vector), default=default)

    def network(self, network: Network, task: str) -> Network:
        """The network with a task's repetition space split."""
        own = network.processes[task]
        outer = [extent if side is None else (extent or 1) // side for extent, side in self._extents(own)]
        inner = [extent if side is None else side for extent, side in self._extents(own)]
        split = replace(
            own,
            repetition=self.spread(inner, outer),
            inputs=tuple(map(self.flow, own.inputs)),
            outputs=tuple(map(self.flow, own.outputs)),
            delays=tuple(map(self.delay, own.delays)),
        )
        return replace(network, processes={**network.processes, task: split})

    def _extents(self, process: Process) -> list[tuple[int | None, int | None]]:
        return list(zip(process.repetition, self.sides, strict=True))

    def blocks(self, blocks: Blocks) -> Blocks:
        """The same blocks, in the same order."""
        place, seen, dimensions = self.places, set[int](), list[int]()
        for dimension in blocks.scan.dimensions:
            is_outer = dimension in blocks.scan.twice and dimension not in seen
            seen.add(dimension)
            dimensions.append(place[dimension] - is_outer)
        scan = Scan(tuple(dimensions), blocks.scan.descending)
        return Blocks(self.spread(blocks.shape, [1] * len(blocks.shape)), scan)


def halves_of(network: Network, design: GroupDesign) -> Halves | None:
    """How the space of the last task is split to make its blocks such of one level; None where that does not do.

    Then outer blocks do not divide the extent, or a delay or an exit moves along it, or it is infinite; or they are of
    one index, and units that share a line would share another one.
    """
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
    return replace(design, blocks=halves.blocks(design.blocks))
