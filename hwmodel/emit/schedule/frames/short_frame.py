"""A shorter frame of the same design: arrays and repetition spaces with fewer blocks along some loops of the scans.

Blocks in the middle of a frame are alike, so a shorter frame has every kind of step that the whole one has: those at
the ends of each loop, and in between two rounds of the steps that the whole frame repeats. A *round* is as many blocks
as it takes until words of the external memory begin at the same places again.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

from arrayol.ir.network import Flow, Network, Process
from arrayol.ir.spec import Delay, Shape, TiledDefault, Tiler
from hwmodel.accesses import Accesses
from hwmodel.cost_model.estimate import DesignEstimate
from hwmodel.design import Design
from hwmodel.emit.schedule.frames.group_loops import BlockLoops, GroupLoops, WayCut
from hwmodel.emit.schedule.frames.stream_loops import StreamLoops
from hwmodel.emit.schedule.frames.travel import CommonWay, Direction, ways_of
from hwmodel.emit.schedule.port import AddressMap
from hwmodel.emit.schedule.repetition import LoopCut
from hwmodel.local_memory.bank_functions import BankFunction, Residues
from hwmodel.memory_kinds import CHUNK
from hwmodel.platform import Platform

WHOLE_AT_MOST = 1 << 17  # repetitions of a frame that is run whole
_ROUNDS = 1 << 6  # the most blocks of a way in a round
_WHOLE_TURN = 4  # rounds after which most counters are where they began: buffers hold few blocks


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
    accesses: Accesses, design: Design, estimate: DesignEstimate, addresses: AddressMap, platform: Platform
) -> list[ShortFrame]:
    """The shorter frames that a design may be scheduled from, the shortest first; none if its blocks are cut again."""
    blocks = (group for group in design.groups if group.stream is None)
    if any(group.blocks.outer or any(own.cut for own in group.processors) for group in blocks):
        return []
    cutter = _Cutter(accesses, design, estimate, addresses, platform)
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
    platform: Platform

    def left_out(self, way: CommonWay) -> int:
        """The steps of a way that can be left out, a whole number of rounds; 0 for none."""
        round_steps = self._round(way)
        if not round_steps:
            return 0
        most = min(group.rounds(way, round_steps) for group in self._groups)
        # Around an end that wraps, the same places must be in the same banks.
        step = _WHOLE_TURN if most > 2 * _WHOLE_TURN and self._goes_down(way) else 1
        every = range(most - most % step, 0, -step)
        fits = (rounds for rounds in every if not way.wraps or self._turns(way, rounds * round_steps))
        return round_steps * next(fits, 0)

    def short(self, ways: Sequence[CommonWay]) -> ShortFrame:
        """The frame that is shorter along some ways."""
        less = {along: pace * self.left_out(way) for way in ways for along, pace in way.paces.items()}
        cuts = [WayCut(way, self.left_out(way), self._round(way)) for way in ways]
        loops = tuple(group.loops(cuts) for group in self._groups)
        return ShortFrame(_shorter(self.accesses, less), less, loops)

    @cached_property
    def _groups(self) -> list[GroupLoops]:
        """The loops of each group."""
        groups = self.design.groups
        return [
            BlockLoops(self.accesses, own) if own.stream is None else StreamLoops.of(self.accesses, self.platform, own)
            for own in groups
        ]

    def _goes_down(self, way: CommonWay) -> bool:
        """Whether blocks or tilers go backwards along a way: then counters begin as far from the end as before."""
        scans = [(group.tasks[-1], group.blocks.scan) for group in self.design.groups if group.stream is None]
        down = any(
            Direction(task, dimension, False) in way.paces and descending
            for task, scan in scans
            for dimension, descending in zip(scan.dimensions, scan.descending, strict=True)
        )
        return down or way.turns_back

    def _round(self, way: CommonWay) -> int:
        """The steps of a way in a round: whole blocks of all groups, and whole words of the external memory."""
        steps = math.lcm(*(group.least_round(way) for group in self._groups))
        fits = (
            factor
            for factor in range(1, _ROUNDS + 1)
            if self._is_in_words(way, factor * steps)
            and self._is_in_groups(way, factor * steps)
            and self._is_in_chunks(way, factor * steps)
        )
        return steps * next(fits, 0)

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
        return all(pace * steps % function.sharing(axis) == 0 for function, axis, pace in self._banks(way))

    def _is_in_chunks(self, way: CommonWay, steps: int) -> bool:
        """Whether the data of so many steps of a way fill all banks of chunks equally, so that they begin anew."""
        for use in (use for group in self.estimate.groups for use in group.memories if use.kind == CHUNK.name):
            shape = self.accesses.shape(use.name)
            moving = [(own.number, pace) for own, pace in way.paces.items() if own.is_axis and own.name == use.name]
            if any(pace * steps * (math.prod(shape) // shape[axis]) % use.banks for axis, pace in moving):
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
