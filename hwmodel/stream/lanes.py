"""Which taps read which lanes, and how late: in pulses from the birth of an element to the read, without starts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from arrayol.ir.spec import Delay
from hwmodel.accesses import Touch
from hwmodel.stream.enumerated import enumerated_latenesses
from hwmodel.stream.latenesses import Latenesses, Spread, is_product, latenesses
from hwmodel.stream.nodes import Node, StreamGroup
from hwmodel.stream.pulses import born_after, read_after
from hwmodel.stream.refusals import not_streamed
from hwmodel.streamed import Firing, Tap


class Lane(NamedTuple):
    """Data of one unit of a node: element `place` of one of its ports, row-major. At most one is born in a pulse.

    A lane of a `state` holds the results of all repetitions, for delays alone (`has_own_lane`).
    """

    node: str
    port: str
    place: int
    unit: int
    state: bool = False


@dataclass
class LaneReads:
    """How late the taps of a lane read, without starts: within the array's ends, and beyond them."""

    within: dict[Tap, Spread] = field(default_factory=dict)
    beyond: dict[Tap, Spread] = field(default_factory=dict)


@dataclass(frozen=True)
class Link:
    """All reads through one tiler of what one tiler writes, with their latenesses by source; `number` is the read's."""

    number: int
    reader: Node
    read: Touch
    writer: Node
    write: Touch
    by_source: Latenesses

    @property
    def least(self) -> int:
        """The least lateness without starts."""
        return min(spread.least for spread in self.by_source.values())

    @property
    def most(self) -> int:
        """The greatest lateness without starts."""
        return max(spread.most for spread in self.by_source.values())


def links_of(group: StreamGroup, firing: Mapping[str, Firing]) -> tuple[Link, ...]:
    """Every tiler that reads from a node, with the latenesses of its reads."""
    found = []
    for number, reader, read, writer, write in group.links:
        if reader.name not in firing:
            continue
        sides = (reader, read, firing[reader.name]), (writer, write, firing[writer.name])
        by_source = (latenesses if is_product(write) else enumerated_latenesses)(group.accesses, *sides)
        if by_source:
            found.append(Link(number, reader, read, writer, write, by_source))
    return tuple(found)


def lanes_of(
    links: tuple[Link, ...], group: StreamGroup, firing: Mapping[str, Firing], recurrences: Recurrences
) -> dict[Lane, LaneReads]:
    """By lane its taps, those of delays with them. Raises ArrayolError (`not-streamed`) for short delays."""
    lanes: dict[Lane, LaneReads] = {}
    for link in links:
        for source, spread in link.by_source.items():
            lane = Lane(link.writer.name, link.write.port, source.lane, source.lane_unit)
            tap = Tap(link.reader.name, link.number, source.place, source.unit, source.beyond)
            own = lanes.setdefault(lane, LaneReads())
            side = own.beyond if source.beyond else own.within
            side[tap] = side[tap] | spread if tap in side else spread
    for node in (group.nodes[name] for name in firing):
        for number, delay in enumerate(node.delays):
            apart = has_own_lane(node, delay)
            for lane, tap, late in _delay_taps(node, number, delay, firing[node.name], recurrences):
                own = lanes.setdefault(lane._replace(state=apart), LaneReads())
                own.within[tap] = Spread(late, late, frozenset({late}))
    return lanes


class Recurrences(NamedTuple):
    """By task, output and input the pulses from a firing to the first in which the next of its chain may fire."""

    pulses: Mapping[tuple[str, str, str], int]

    def of(self, node: str, delay: Delay, born: int) -> int:
        """Pulses until the next firing of a delay's chain: what is known, else the pulses to the birth."""
        return self.pulses.get((node, delay.output, delay.port), born)


def has_own_lane(node: Node, delay: Delay) -> bool:
    """Whether a state has a lane of its own: what it hands on leaves by an exit only, or not at all."""
    touch = next((touch for touch in node.writes if touch.port == delay.output), None)
    return touch is None or touch.exit is not None


def _delay_taps(
    node: Node, number: int, delay: Delay, firing: Firing, recurrences: Recurrences
) -> Iterator[tuple[Lane, Tap, int]]:
    """The taps of a delay: the lane that each reads, and how late. A state within its unit is read when it is born."""
    back = delay_pulses(firing, delay)
    _require_time(node, delay, firing, recurrences)
    places = np.arange(node.port_size(delay.output))
    late = read_after(firing, places, len(places)) - born_after(firing, places, len(places))
    for place in places.tolist():
        for unit, pulses in back.items():
            lane_unit = (unit - delay.vector[firing.shared]) % firing.units if firing.shared is not None else 0
            tap = Tap(node.name, len(node.reads) + number, place, unit)
            yield Lane(node.name, delay.output, place, lane_unit), tap, max(0, pulses + int(late[place]))


def _require_time(node: Node, delay: Delay, firing: Firing, recurrences: Recurrences) -> None:
    """Raises ArrayolError where a state is needed before it is made, or before it can be taken."""
    least = min(delay_pulses(firing, delay).values())
    if least <= 0 and sum(_steps(firing, delay)) <= 0:
        raise not_streamed(f"'{node.name}' needs the repetition after {list(delay.vector)}", delay.span)
    needed = recurrences.of(node.name, delay, firing.interval + firing.latency)
    if least < needed:
        cycles = "cycle" if needed == 1 else "cycles"
        every = "pulse" if _every(firing) == 1 else f"{_every(firing)} pulses"
        text = f"'{node.name}' can take the state of {list(delay.vector)} after {needed} {cycles}, but fires"
        raise not_streamed(f"{text} every {every}: a pace of {needed} is the least", delay.span)


def _every(firing: Firing) -> int:
    return min((stride for stride in firing.strides if stride), default=1)


def _steps(firing: Firing, delay: Delay) -> list[int]:
    steps = [stride * step for stride, step in zip(firing.strides, delay.vector, strict=True)]
    return [*steps, firing.frames_back(delay.vector) * firing.frame]


def delay_pulses(firing: Firing, delay: Delay) -> dict[int, int]:
    """By unit that takes a state, the pulses from the repetition that makes it to the one that takes it."""
    steps = _steps(firing, delay)
    if firing.shared is None:
        return {0: sum(steps)}
    step, others = delay.vector[firing.shared], sum(steps) - steps[firing.shared]
    stride, extent = firing.strides[firing.shared], firing.extents[firing.shared]
    taking = {index % firing.units for index in range(max(0, step), extent + min(0, step))}
    return {unit: others + (unit // firing.units - (unit - step) // firing.units) * stride for unit in sorted(taking)}
