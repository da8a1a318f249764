"""The nets of a large frame from those of small ones, as its loops grow by whole periods.

Far from the ends of a loop a place takes the same net as one period before, and pulses grow by the same number with
each period (hwmodel/stream/grown.py). All is derived for a few small sizes. Where one more size has what the others
promise, and the starts, latenesses, pitches and line buffers of the large frame are what they promise too, so is it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from arrayol.arrays import IntArray
from arrayol.errors import ArrayolError
from hwmodel.emit.streams.nets.whole import Enables, GroupNets, LaneEnables
from hwmodel.emit.streams.trains import Nest
from hwmodel.stream.grown import Grid, SizedGroup, SmallLoop, extrapolated
from hwmodel.stream.model import StreamModel
from hwmodel.streamed import Stream, StreamedGroup

LONGER = (1, 4, 16)  # times the smallest size of a loop that are tried, where lines are shorter than datapaths
LARGEST = 1 << 16  # places of all small loops together

NetsOf = Callable[[StreamModel], GroupNets]
Extents = Mapping[str, tuple[int, ...]]


@dataclass(frozen=True)
class _Sample:
    """A group of one size, and its nets."""

    sized: SizedGroup
    nets: GroupNets
    extents: Extents

    def numbers(self) -> tuple[int, ...]:
        """All numbers that may grow with the size, those of the group first."""
        return (*self.sized.numbers(), *_numbers(self.nets))

    def shape(self) -> object:
        """What is equal at all sizes."""
        return self.sized.shape(), _shape(self.nets)


def grown_nets(model: StreamModel, stream: Stream, streamed: StreamedGroup, nets_of: NetsOf) -> GroupNets | None:
    """The nets of a group, by those that `nets_of` finds for it at small sizes; None where they do not say.

    `streamed` is the group under the same decisions.
    """
    for times in LONGER:
        loops = [_longer(own, times) for own in model.small_loops(stream)]
        if not loops or min(own.periods for own in loops) <= 2 or np.prod([own.least for own in loops]) > LARGEST:
            return None
        found = _Grown(model, stream, loops, nets_of).nets()
        if found is not None and _segments(found) == _of_chains(streamed):
            return found
    return None


def _longer(loop: SmallLoop, times: int) -> SmallLoop:
    """A loop with a larger smallest size, of at least a period between both ends."""
    least = loop.least * times + loop.period
    return replace(loop, least=least + (loop.places - least) % loop.period)


@dataclass(frozen=True)
class _Grown:
    model: StreamModel
    stream: Stream
    loops: Sequence[SmallLoop]
    nets_of: NetsOf

    def nets(self) -> GroupNets | None:
        """The nets of the large group; None where small ones do not say."""
        corners = list(product((0, 1), repeat=len(self.loops)))
        beyond = tuple(2 for _ in self.loops)
        samples: dict[Grid, _Sample] = {}
        for place in (*corners, beyond):
            sample = self._sample(place)
            if sample is None or (samples and sample.shape() != samples[corners[0]].shape()):
                return None
            samples[place] = sample
        first, numbers = samples[corners[0]], {corner: samples[corner].numbers() for corner in corners}
        if extrapolated(numbers, beyond) != list(samples[beyond].numbers()):
            return None
        large = self.model.sized(self.stream)
        units = {name: firing.units for name, firing in large.pitches.firing.items()}
        stretch = _Stretch(first.extents, samples[corners[-1]].extents, units)
        if not all(stretch.agrees(first.nets, own.nets, own.extents) for own in samples.values()):
            return None
        far = extrapolated(numbers, tuple(own.periods for own in self.loops))
        count = len(large.numbers())
        if large.shape() != first.sized.shape() or far[:count] != list(large.numbers()):
            return None
        return self._large(first.nets, far[count:], stretch)

    def _sample(self, place: Grid) -> _Sample | None:
        """The group with so many periods beside the smallest size of each loop."""
        sides = zip(self.loops, place, strict=True)
        cut = {own.loop: own.places - own.least - own.period * more for own, more in sides}
        try:
            small = self.model.smaller(self.stream, cut)
            if small is None or not _same_set_up(self.model, small):
                return None
            return _Sample(small.sized(self.stream), self.nets_of(small), _extents(small))
        except ArrayolError:
            return None  # the whole frame says it, if it is so there too

    def _large(self, first: GroupNets, numbers: Sequence[int], stretch: _Stretch) -> GroupNets | None:
        if min(numbers, default=0) < 0:
            return None
        each = iter(numbers)
        lanes = {name: _with_numbers(own, each) for name, own in first.lanes.items()}
        choices = {}
        for (node, port), own in first.choices.items():
            rows = stretch.rows(node, self.model.group.nodes[node].extents)
            if rows is None:
                return None
            choices[node, port] = tuple(replace(choice, rows=rows) for choice in own)
        return GroupNets(lanes, choices, first.early)


@dataclass(frozen=True)
class _Stretch:
    """Which index of a small size an index of a larger one is like: that of its ends, or periods before it."""

    first: Extents
    second: Extents
    units: Mapping[str, int]

    def rows(self, node: str, extents: Sequence[int]) -> tuple[IntArray, ...] | None:
        """By dimension of a node with larger extents, and by index, the index of the first size."""
        found = []
        for small, more, extent in zip(self.first[node], self.second[node], extents, strict=True):
            period, beside = more - small, extent - small
            if beside and (period <= 0 or beside % period or small < period):
                return None
            rows = np.arange(extent)
            if beside:
                head = (small - period) // 2
                rows = np.where(
                    rows < head, rows, np.where(rows < head + beside, head + (rows - head) % period, rows - beside)
                )
            found.append(rows)
        return tuple(found)

    def agrees(self, first: GroupNets, other: GroupNets, extents: Extents) -> bool:
        """Whether the choices of a larger size are those of the first."""
        for (node, port), choices in first.choices.items():
            rows = self.rows(node, extents[node])
            if rows is None:
                return False
            places = np.ix_(*rows)
            for choice, own in zip(choices, other.choices[node, port], strict=True):
                if (choice.taken[places] != own.taken).any():
                    return False
        return True


def _same_set_up(model: StreamModel, small: StreamModel) -> bool:
    """Whether all arrays that are there before the first pulse have their size."""
    return all(
        model.accesses.shape(array) == small.accesses.shape(array)
        for array in model.accesses.network.arrays
        if model.group.is_set_up(array)
    )


def _extents(model: StreamModel) -> Extents:
    return {name: node.extents for name, node in model.group.nodes.items()}


def _shape(nets: GroupNets) -> object:
    lanes = [
        (name, [(own.name, own.entry, own.segment.taps, own.segment.shifts, _loops(own)) for own in lane.positions])
        for name, lane in nets.lanes.items()
    ]
    choices = [(name, [choice.nets for choice in own]) for name, own in nets.choices.items()]
    return lanes, choices, [(name, tuple(states)) for name, states in nets.early.items()]


def _loops(position: Enables) -> object:
    """How many loops all nests of a position have, and whether it has a last pulse."""
    return [[len(nest.loops) for nest in own] for own in (position.pushes, position.pops)], position.through is None


def _numbers(nets: GroupNets) -> Iterator[int]:
    """The numbers of all enables, in the order in which `_with_numbers` takes them."""
    for lane in nets.lanes.values():
        yield lane.period
        for position in lane.positions:
            yield position.segment.depth
            yield position.first
            for nest in (*position.pushes, *position.pops):
                yield nest.first
                for loop in nest.loops:
                    yield from loop
            if position.through is not None:
                yield position.through


def _with_numbers(lane: LaneEnables, numbers: Iterator[int]) -> LaneEnables:
    """A lane with other numbers."""
    period, positions = next(numbers), []
    for position in lane.positions:
        segment, first = replace(position.segment, depth=next(numbers)), next(numbers)
        pushes, pops = (tuple(sorted(_nest(nest, numbers) for nest in own)) for own in (position.pushes, position.pops))
        through = next(numbers) if position.through is not None else None
        positions.append(Enables(position.name, position.entry, segment, first, pushes, pops, through))
    return LaneEnables(lane.lane, period, tuple(positions))


def _nest(nest: Nest, numbers: Iterator[int]) -> Nest:
    first = next(numbers)
    return Nest(first, tuple((next(numbers), next(numbers)) for _ in nest.loops))


def _segments(nets: GroupNets) -> Counter[tuple[object, ...]]:
    return Counter((lane.lane, own.segment) for lane in nets.lanes.values() for own in lane.positions)


def _of_chains(streamed: StreamedGroup) -> Counter[tuple[object, ...]]:
    """The segments of a group, by lane."""
    return Counter(
        ((chain.node, chain.port, chain.place, chain.unit, chain.state), segment)
        for chain in streamed.chains
        for segment in chain.segments
    )
