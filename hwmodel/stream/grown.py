"""Line buffers of a large group from those of small ones, as its loops grow by whole periods.

The idea. Make a loop longer by a period, and with it all extents along it: reads far from the ends stay as they are,
and those at the ends move along. So starts, latenesses, and the number of data that wait grow by a fixed number with
each period. Depths are therefore counted at small sizes only, of each loop the smallest one and one period more, and
extrapolated. Two checks guard this: the depths at two periods more, and the starts, pitches and latenesses of the large
group, which are known, must be what the small sizes promise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import ceil, lcm, prod

from arrayol.ir.network import Network
from hwmodel.accesses import Accesses
from hwmodel.stream.lanes import Link
from hwmodel.stream.loops import Loops, places_of
from hwmodel.stream.nodes import StreamGroup
from hwmodel.stream.strides import Pitches
from hwmodel.streamed import Chain

LEAST = 12  # places of a small loop, and four times what windows and steps reach on top
PERIODS = 4  # a loop is made small only if that saves so many periods
LOOPS = 2  # so many loops are made small at most

Grid = tuple[int, ...]  # by small loop, the periods that it has more than its smallest size


@dataclass(frozen=True)
class SizedGroup:
    """A group of one size: its chains, when nodes start, its pitches, and its links."""

    chains: tuple[Chain, ...]
    starts: Mapping[str, int]
    pitches: Pitches
    links: tuple[Link, ...]

    def numbers(self) -> tuple[int, ...]:
        """The numbers that may grow with the size, the depths aside."""
        starts = [value for _, value in sorted(self.starts.items())]
        late = [
            end for link in self.links for _, own in sorted(link.by_source.items()) for end in (own.least, own.most)
        ]
        strides = [stride for _, own in sorted(self.pitches.firing.items()) for stride in own.strides]
        return (*starts, *late, *strides, self.pitches.line, self.pitches.frame)

    def shape(self) -> object:
        """All that must be equal at all sizes: which reads there are, and the names of nodes."""
        sources = tuple(tuple(sorted(link.by_source)) for link in self.links)
        return sources, tuple(sorted(self.starts))

    def depths(self) -> tuple[int, ...]:
        """The depths of all segments; how often data are born in each chain, and the pulses of their lines."""
        return (
            *(segment.depth for chain in self.chains for segment in chain.segments),
            *(number for chain in self.chains for number in (chain.period, chain.line)),
        )

    def without_depths(self) -> object:
        """The chains with depths, periods and lines of 0."""
        return tuple(
            replace(chain, period=0, line=0, segments=tuple(replace(segment, depth=0) for segment in chain.segments))
            for chain in self.chains
        )


@dataclass(frozen=True)
class SmallLoop:
    """A loop that is made small: places that it has, those of its smallest size, and those of a period."""

    loop: int
    places: int
    least: int
    period: int

    @property
    def periods(self) -> int:
        """How many periods lie between the smallest size of the loop and the size that it has."""
        return (self.places - self.least) // self.period


def small_loops(group: StreamGroup, loops: Loops, pitches: Pitches) -> tuple[SmallLoop, ...]:
    """The longest loops that can be made small; none where all are short."""
    nodes = {name: node for name, node in group.nodes.items() if name in pitches.firing}
    found = []
    for loop in range(len(loops.members)):
        if not any(name in nodes for name, _ in loops.members[loop]):
            continue
        places, period = places_of(loops, nodes, loop), period_of(loops, pitches, loop)
        least = LEAST + 4 * max(_reach(group, loops, loop), _first(loops, pitches, loop))
        least += (places - least) % period
        small = SmallLoop(loop, places, least, period)
        if places > least and small.periods >= PERIODS:
            found.append(small)
    longest = sorted(found, key=lambda own: own.places / own.least)[-LOOPS:]
    return tuple(sorted(longest, key=lambda own: own.loop))


def period_of(loops: Loops, pitches: Pitches, loop: int) -> int:
    """Places after which all units, ratios and lines of a loop begin anew."""
    period = lcm(*(ratio.denominator for ratio in loops.ratio.values()))
    for name, at in loops.members[loop]:
        firing = pitches.firing.get(name)
        if firing is not None:
            units = firing.units if firing.shared == at else 1
            period = lcm(period, loops.ratio[name, at].numerator * units)
    axes = [ratio.numerator for number, ratio in loops.axes.values() if number == loop]
    return lcm(period, *axes)


def _first(loops: Loops, pitches: Pitches, loop: int) -> int:
    """The last place of a loop with which some node starts."""
    firsts = (
        (loops.ratio[name, at], pitches.firing[name].first[at])
        for name, at in loops.members[loop]
        if name in pitches.firing and pitches.firing[name].first
    )
    return max((ceil(ratio * first) for ratio, first in firsts), default=0)


def _reach(group: StreamGroup, loops: Loops, loop: int) -> int:
    """How many places windows, delays and steps reach along a loop, at most."""
    reach = max(ceil(loops.ratio[member]) for member in loops.members[loop])
    for node in group.nodes.values():
        for touch in (*node.reads, *node.writes):
            for axis, (origin, fitting) in enumerate(zip(touch.tiler.origin, touch.tiler.fitting, strict=True)):
                number, ratio = loops.axes.get((touch.array, axis), (None, None))
                if number == loop and ratio is not None:
                    own = sum(abs(step) * (side - 1) for step, side in zip(fitting, touch.pattern, strict=True))
                    reach = max(reach, int((abs(origin) + own) * ratio) + 1)
        for delay in node.delays:
            for at, step in enumerate(delay.vector):
                if loops.loop_of(node.name, at) == loop:
                    reach = max(reach, int(abs(step) * loops.ratio[node.name, at]) + 1)
    return reach


def smaller(group: StreamGroup, loops: Loops, cut: Mapping[int, int]) -> Accesses | None:
    """The accesses of a network of which each loop passes so many places less; None where extents are not whole."""
    accesses = group.accesses
    network = accesses.network
    extents: dict[str, list[int | None]] = {task: list(network.processes[task].repetition) for task in group.tasks}
    shapes = {name: list(array.shape) for name, array in network.arrays.items()}
    for loop, places in cut.items():
        for task in group.tasks:
            own = [(loops.ratio[name, at], at) for name, at in loops.members[loop] if name == task]
            if own:
                ratio, at = max(own)
                if not _shorten(extents[task], at, places / ratio):
                    return None
        for (array, axis), (number, ratio) in loops.axes.items():
            if number == loop and not _shorten(shapes[array], axis, places / ratio):
                return None
    processes = {
        name: replace(process, repetition=tuple(extents.get(name, process.repetition)))
        for name, process in network.processes.items()
    }
    arrays = {name: replace(array, shape=tuple(shapes[name])) for name, array in network.arrays.items()}
    smaller_network = Network(network.name, processes, arrays, network.inputs, network.outputs)
    return Accesses(smaller_network, accesses.loads, accesses.frames_inside, accesses.channels)


def _shorten(sides: list[int | None], at: int, less: object) -> bool:
    side = sides[at]
    whole = int(less)  # type: ignore[call-overload]
    if side is None or whole != less or side <= whole:
        return False
    sides[at] = side - whole
    return True


def grown_chains(
    large: SizedGroup, loops: Sequence[SmallLoop], sample: Callable[[Mapping[int, int]], SizedGroup | None]
) -> tuple[Chain, ...] | None:
    """The chains of a large group; None where they do not follow from those of small ones.

    `sample` gives the group with so many places less by loop.
    """
    corners = list(product((0, 1), repeat=len(loops)))
    beyond = tuple(2 for _ in loops)
    found: dict[Grid, SizedGroup] = {}
    for place in (*corners, beyond):
        own = sample(
            {one.loop: one.places - one.least - one.period * more for one, more in zip(loops, place, strict=True)}
        )
        if own is None or (found and not _alike(own, found[corners[0]])):
            return None
        found[place] = own
    first, far = found[corners[0]], tuple(one.periods for one in loops)

    def at(place: Grid, numbers: Callable[[SizedGroup], tuple[int, ...]]) -> list[int]:
        return extrapolated({corner: numbers(found[corner]) for corner in corners}, place)

    if large.shape() != first.shape() or at(far, SizedGroup.numbers) != list(large.numbers()):
        return None
    if at(beyond, SizedGroup.depths) != list(found[beyond].depths()):
        return None
    depths = iter(at(far, SizedGroup.depths))
    chains = [
        replace(chain, segments=tuple(replace(segment, depth=next(depths)) for segment in chain.segments))
        for chain in first.chains
    ]
    return tuple(replace(chain, period=next(depths), line=next(depths)) for chain in chains)


def _alike(own: SizedGroup, other: SizedGroup) -> bool:
    return own.shape() == other.shape() and own.without_depths() == other.without_depths()


def extrapolated(corners: Mapping[Grid, tuple[int, ...]], place: Grid) -> list[int]:
    """Numbers at any `place`, from those at the corners 0 and 1, if each period of a loop adds a fixed number."""
    weights = {
        corner: prod(more if side else 1 - more for side, more in zip(corner, place, strict=True)) for corner in corners
    }
    columns = zip(*(corners[corner] for corner in weights), strict=True)
    return [sum(weight * value for weight, value in zip(weights.values(), column, strict=True)) for column in columns]
