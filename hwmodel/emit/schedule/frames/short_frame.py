"""A shorter frame of the same design: arrays and repetition spaces with fewer blocks along some loops of the scans.

Blocks in the middle of a frame are alike, so a shorter frame has every kind of step that the whole one has: those at
the ends of each loop, and in between two rounds of the steps that the whole frame repeats. A *round* is as many blocks
as it takes until words of the external memory begin at the same places again.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from arrayol.ir.network import Flow, Network, Process
from arrayol.ir.spec import Delay, Shape, TiledDefault, Tiler
from hwmodel.accesses import Accesses
from hwmodel.cost_model.estimate import DesignEstimate
from hwmodel.design import Design, GroupDesign
from hwmodel.emit.schedule.frames.travel import CommonWay, Direction, longest, ways_of
from hwmodel.emit.schedule.port import AddressMap
from hwmodel.emit.schedule.repetition import LoopCut
from hwmodel.local_memory.bank_functions import BankFunction, Residues

WHOLE_AT_MOST = 1 << 17  # repetitions of a frame that is run whole
_ROUNDS = 1 << 6  # the most blocks of a way in a round
_WHOLE_TURN = 4  # rounds after which most counters are where they began: buffers hold few blocks
_PIPELINE = 2  # steps of a block beside those of its tasks: its load and its store


@dataclass(frozen=True)
class ShortFrame:
    """A shorter network, what is left out of each dimension and axis, and by group the loops of its scan."""

    network: Network
    less: Mapping[Direction, int]
    loops: tuple[tuple[LoopCut, ...], ...]

    @property
    def kept(self) -> float:
        """The share of the blocks that it has."""
        return max(
            math.prod(loop.kept for loop in loops) / math.prod(loop.blocks for loop in loops) for loops in self.loops
        )


def short_frames(
    accesses: Accesses, design: Design, estimate: DesignEstimate, addresses: AddressMap
) -> list[ShortFrame]:
    """The shorter frames that a design may be scheduled from, the shortest first; none if its blocks are cut again."""
    if any(group.blocks.outer or any(own.cut for own in group.processors) for group in design.groups):
        return []
    cutter = _Cutter(accesses, design, estimate, addresses)
    ways = [way for way in ways_of(accesses) if cutter.left_out(way)]
    sets = [chosen for size in range(1, len(ways) + 1) for chosen in combinations(ways, size)]
    return sorted((cutter.short(chosen) for chosen in sets), key=lambda short: short.kept)


@dataclass(frozen=True)
class _Cutter:
    """Cuts blocks out of a design's frame."""

    accesses: Accesses
    design: Design
    estimate: DesignEstimate
    addresses: AddressMap

    def left_out(self, way: CommonWay) -> int:
        """The steps of a way that can be left out, a whole number of rounds; 0 for none."""
        round_steps = self._round(way)
        if not round_steps:
            return 0
        most = min(self._rounds(way, group, round_steps) for group in self.design.groups)
        # Around an end that wraps, the same places must be in the same banks.
        step = _WHOLE_TURN if most > 2 * _WHOLE_TURN and self._goes_down(way) else 1
        every = range(most - most % step, 0, -step)
        fits = (rounds for rounds in every if not way.wraps or self._turns(way, rounds * round_steps))
        return round_steps * next(fits, 0)

    def short(self, ways: Sequence[CommonWay]) -> ShortFrame:
        """The frame that is shorter along some ways."""
        less = {along: pace * self.left_out(way) for way in ways for along, pace in way.paces.items()}
        loops = tuple(
            tuple(self._loop(ways, group, dimension) for dimension in group.blocks.scan.dimensions)
            for group in self.design.groups
        )
        return ShortFrame(_shorter(self.accesses, less), less, loops)

    def _goes_down(self, way: CommonWay) -> bool:
        """Whether blocks or tilers go backwards along a way: then counters begin as far from the end as before."""
        scans = [(group.tasks[-1], group.blocks.scan) for group in self.design.groups]
        down = any(
            Direction(task, dimension, False) in way.paces and descending
            for task, scan in scans
            for dimension, descending in zip(scan.dimensions, scan.descending, strict=True)
        )
        return down or way.turns_back

    def _round(self, way: CommonWay) -> int:
        """The steps of a way in a round: whole blocks of all groups, and whole words of the external memory."""
        steps = 1
        for group in self.design.groups:
            side, pace = self._side(way, group)
            steps = math.lcm(steps, side // math.gcd(side, pace)) if side else 0
        fits = (
            factor
            for factor in range(1, _ROUNDS + 1)
            if self._is_in_words(way, factor * steps) and self._is_in_groups(way, factor * steps)
        )
        return steps * next(fits, 0)

    def _side(self, way: CommonWay, group: GroupDesign) -> tuple[int, int]:
        """The side of a group's blocks along a way, and its pace; (0, 0) if its blocks do not move along it."""
        sides = enumerate(group.blocks.shape)
        found = [(side, way.paces.get(Direction(group.tasks[-1], number, False))) for number, side in sides]
        moving = [(side, pace) for side, pace in found if pace is not None]
        return moving[0] if len(moving) == 1 else (0, 0)

    def _is_in_words(self, way: CommonWay, steps: int) -> bool:
        """Whether so many steps of a way are whole words of the external memory, in all arrays."""
        for along, pace in way.paces.items():
            if along.is_axis and along.name in self.addresses.slots:
                stride = math.prod(self.accesses.shape(along.name)[along.number + 1 :])
                if pace * steps * stride * self.addresses.slots[along.name] % self.addresses.word_bytes:
                    return False
        return True

    def _banks(self, way: CommonWay) -> Iterator[tuple[BankFunction, int, int]]:
        """The functions to banks of memories along a way, each with an axis of its array and the pace there."""
        for use in (use for group in self.estimate.groups for use in group.memories):
            if use.organisation is not None and use.organisation.is_in_banks and use.organisation.function is not None:
                for along, pace in way.paces.items():
                    if along.is_axis and along.name == use.name:
                        yield use.organisation.function, along.number, pace

    def _is_in_groups(self, way: CommonWay, steps: int) -> bool:
        """Whether so many steps of a way are whole groups of elements that share an address in their banks."""
        for function, axis, pace in self._banks(way):
            if isinstance(function, Residues):
                group = function.moduli[axis]
            else:
                shared = function.shared
                group = shared.number * shared.stride if axis == shared.axis or function.block > 1 else 1
            if pace * steps % group:
                return False
        return True

    def _turns(self, way: CommonWay, steps: int) -> bool:
        """Whether elements that are so many steps apart lie in one bank, in all memories."""
        for function, axis, pace in self._banks(way):
            if not isinstance(function, Residues):
                turned = function.alpha[axis] * pace * steps
                if turned % (function.banks * function.block):
                    return False
        return True

    def _rounds(self, way: CommonWay, group: GroupDesign, round_steps: int) -> int:
        """The rounds that can be left out of a group: two of them stay, and the blocks at both ends."""
        side, pace = self._side(way, group)
        number = next(
            number
            for number in range(len(group.blocks.shape))
            if Direction(group.tasks[-1], number, False) in way.paces
        )
        blocks = -(-self.accesses.extents(group.tasks[-1])[number] // side)
        return (blocks - 2 * self._ends(way, group, number)) // (round_steps * pace // side) - 2

    def _ends(self, way: CommonWay, group: GroupDesign, dimension: int) -> int:
        """The blocks at an end of a loop that may differ from those in the middle."""
        side, pace = self._side(way, group)
        reach = -(-way.reach * pace // side)
        inner = group.blocks.scan.dimensions[-1] == dimension or self._is_innermost(group, dimension)
        return reach + (self._stages(group) + _PIPELINE if inner else 1)

    def _is_innermost(self, group: GroupDesign, dimension: int) -> bool:
        """Whether all loops inside that of a dimension have one block, or few."""
        extents, order = self.accesses.extents(group.tasks[-1]), group.blocks.scan.dimensions
        inner = order[order.index(dimension) + 1 :]
        steps = math.prod(-(-extents[each] // group.blocks.shape[each]) for each in inner)
        return steps < self._stages(group) + _PIPELINE

    def _stages(self, group: GroupDesign) -> int:
        """The most tasks of a group that a block goes through one after another."""
        return longest(self.accesses.network, dict.fromkeys(group.tasks, 1))

    def _loop(self, ways: Sequence[CommonWay], group: GroupDesign, dimension: int) -> LoopCut:
        """The loop of a dimension of a group."""
        along, side = Direction(group.tasks[-1], dimension, False), group.blocks.shape[dimension]
        blocks = -(-self.accesses.extents(group.tasks[-1])[dimension] // side)
        for way in ways:
            if along in way.paces:
                pace = way.paces[along]
                left_out, each = self.left_out(way) * pace // side, self._round(way) * pace // side
                return LoopCut(blocks, left_out, self._ends(way, group, dimension), each)
        return LoopCut(blocks)


def _shorter(accesses: Accesses, less: Mapping[Direction, int]) -> Network:
    """The network without what is left out at the end of each dimension and axis."""
    network = accesses.network
    processes = {name: _process(process, less) for name, process in network.processes.items()}
    arrays = {
        name: replace(array, shape=_without(array.shape, name, less, is_axis=True))
        for name, array in network.arrays.items()
    }
    return replace(network, processes=processes, arrays=arrays)


def _process(process: Process, less: Mapping[Direction, int]) -> Process:
    """A task with a smaller repetition space."""
    return replace(
        process,
        repetition=_without(process.repetition, process.name, less, is_axis=False),
        inputs=tuple(_flow(flow, less) for flow in process.inputs),
        outputs=tuple(_flow(flow, less) for flow in process.outputs),
        delays=tuple(_delay(delay, less) for delay in process.delays),
    )


def _without(shape: Shape, name: str, less: Mapping[Direction, int], *, is_axis: bool) -> Shape:
    """A shape without what is left out."""
    return tuple(
        extent if extent is None else extent - less.get(Direction(name, number, is_axis), 0)
        for number, extent in enumerate(shape)
    )


def _flow(flow: Flow, less: Mapping[Direction, int]) -> Flow:
    return replace(flow, tiler=_tiler(flow.tiler, flow.array, less))


def _delay(delay: Delay, less: Mapping[Direction, int]) -> Delay:
    default = delay.default
    if not isinstance(default, TiledDefault):
        return delay
    return replace(delay, default=replace(default, tiler=_tiler(default.tiler, default.array, less)))


def _tiler(tiler: Tiler, array: str, less: Mapping[Direction, int]) -> Tiler:
    """A tiler on the shorter array: where it moves backwards, it begins as far from the end as before."""
    origin = tuple(
        place - (less.get(Direction(array, axis, True), 0) if any(factor < 0 for factor in tiler.paving[axis]) else 0)
        for axis, place in enumerate(tiler.origin)
    )
    return replace(tiler, origin=origin)
