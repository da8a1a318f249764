"""What of a frame is in the module of a streaming group: the enables of segments, and the net that each place takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.emit.streams.conditions import Choice
from hwmodel.emit.streams.positions import LaneNets, NetPosition
from hwmodel.emit.streams.sources import Sources
from hwmodel.emit.streams.trains import Nest, nests_of
from hwmodel.stream.lanes import Lane
from hwmodel.stream.nodes import Node
from hwmodel.streamed import Firing, Segment

Port = tuple[str, str]  # a node, and an input


@dataclass(frozen=True)
class Enables:
    """A segment, the name of its older end, the net of its entry, and the pulses in which data enter and leave it.

    `first` is the pulse of the first entry of a segment that shifts, `pushes` and `pops` are those of another one. If
    more data than it holds would wait where frames lie further apart, `through` is the pulse behind the last exit.
    """

    name: str
    entry: str
    segment: Segment
    first: int
    pushes: tuple[Nest, ...]
    pops: tuple[Nest, ...]
    through: int | None


@dataclass(frozen=True)
class LaneEnables:
    """A lane with its segments, and the pulses from its first birth to the second."""

    lane: Lane
    period: int
    positions: tuple[Enables, ...]


@dataclass(frozen=True)
class GroupNets:
    """By lane its enables, by input the choices of its places, by output the states that are taken early."""

    lanes: Mapping[Lane, LaneEnables]
    choices: Mapping[Port, tuple[Choice, ...]]
    early: Mapping[Port, Sequence[tuple[int, int]]]  # place and cycle of each


def whole_nets(sources: Sources, inputs: Sequence[tuple[Node, str, int]], frame: int) -> GroupNets:
    """The nets of a frame whose repetitions are listed. `inputs` are nodes, ports, and the sizes of their patterns.

    Raises ArrayolError (`unproven-stream`).
    """
    choices: dict[Port, tuple[Choice, ...]] = {}
    for node, port, size in inputs:
        rows = tuple(np.arange(extent) for extent in node.extents)
        found = sources.of_port(node, port, size)
        firing = sources.firing[node.name]
        choices[node.name, port] = tuple(Choice(tuple(own.nets), _by_place(own.taken, firing), rows) for own in found)
    return GroupNets({lane: _enables(own, frame) for lane, own in sources.lanes.items()}, choices, sources.early)


def _by_place(taken: IntArray, firing: Firing) -> IntArray:
    """What is listed by repetition, by what the counters of a node count: how many indices come before."""
    own = taken.reshape(firing.extents)
    return np.roll(own, [-first for first in firing.first], range(own.ndim)) if firing.first else own


def _enables(lane: LaneNets, frame: int) -> LaneEnables:
    births = lane.passes.births
    return LaneEnables(lane.passes.lane, lane.period, tuple(_position(own, births, frame) for own in lane.positions))


def _position(position: NetPosition, births: IntArray, frame: int) -> Enables:
    segment, through = position.segment, None
    if not position.is_steady(births) and position.most_waiting(frame) > segment.depth:
        through = int(position.pops[-1]) + 1
    if segment.shifts:
        return Enables(position.name, position.entry, segment, int(position.arrives[0]), (), (), through)
    pushes, pops = (tuple(nests_of(own)) for own in (position.pushes, position.pops))
    return Enables(position.name, position.entry, segment, 0, pushes, pops, through)


def of_rounds(choice: Choice, firing: Firing, unit: int) -> Choice:
    """The choice of one unit, by the rounds along each dimension; any net in a round in which it has no repetition."""
    if firing.shared is None:
        return choice
    at, units = firing.shared, firing.units
    places = [slice(None)] * choice.taken.ndim
    places[at] = slice(unit, None, units)
    taken = choice.taken[tuple(places)]
    missing = [(0, 0)] * taken.ndim
    missing[at] = (0, -(-choice.taken.shape[at] // units) - taken.shape[at])
    rows = (*choice.rows[:at], choice.rows[at][::units] // units, *choice.rows[at + 1 :])
    return Choice(choice.nets, np.pad(taken, missing, constant_values=-1), rows)
