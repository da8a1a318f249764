"""What passes the ends of a streaming group behind the memory port: pulse by pulse the element on each lane.

A *feed* has the data that a load takes in a pulse. A *drain* has what leaves in a pulse: what a store takes, or, of an
array that leaves as it is made, the results of a task that are on the buses of its units.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.accesses import Touch
from hwmodel.emit.streams.hardware import StreamHardware
from hwmodel.emit.streams.names import data_net, made_net
from hwmodel.emit.verilog.datapaths.chunks import leaving
from hwmodel.stream.enumerated import every_repetition
from hwmodel.stream.nodes import Node
from hwmodel.stream.pulses import born_after, fired, unit


@dataclass(frozen=True, eq=False)
class Flow:
    """Lanes at an end of the group: `net` has their data side by side.

    `elements` has by pulse and lane the element of the array, -1 for none. A `drain` leaves the group. With blanking,
    what passes in the time of a frame is of the one so many frames `behind`.
    """

    array: str
    net: str
    drain: bool
    elements: IntArray
    behind: int


def flows_of(hardware: StreamHardware, pulses: int) -> Iterator[Flow]:
    """All flows of a frame of so many pulses: what is due later is never taken.

    With blanking these are the pulses of the frame's time in which all of the array passes.
    """
    for node in hardware.model.group.nodes.values():
        if node.name in hardware.firing and node.kind != "task":
            yield _of_end(hardware, node, pulses)
    for number, (node, touch) in enumerate(hardware.unordered_outputs):
        yield _results_of(hardware, (node, touch), made_net(number), pulses)


def _of_end(hardware: StreamHardware, node: Node, pulses: int) -> Flow:
    """What a load or a store takes, of all units side by side."""
    (touch,) = node.writes or node.reads
    firing, repetitions = hardware.firing[node.name], every_repetition(node)
    elements = hardware.model.accesses.elements(touch, repetitions)
    size = math.prod(touch.pattern)
    lanes = unit(firing, repetitions)[:, None] * size + np.arange(size)
    taken, behind = _in_frame(hardware, fired(firing, repetitions)[:, None])
    table = _table(pulses, firing.units * size, (taken, lanes, elements))
    return Flow(touch.array, data_net(touch.array), node.kind == "store", table, behind)


def _results_of(hardware: StreamHardware, made: tuple[Node, Touch], net: str, pulses: int) -> Flow:
    """The results of a task, on the buses of its units."""
    node, touch = made
    firing, repetitions, size = hardware.firing[node.name], every_repetition(node), math.prod(touch.pattern)
    rows, elements = hardware.model.accesses.touched(touch, repetitions)
    at_once = -(-size // firing.interval)
    place = np.array([lane for together in leaving(size, firing.interval) for lane in range(len(together))], np.int64)
    born = fired(firing, repetitions[rows])[:, None] + born_after(firing, np.arange(size), size)
    lanes = unit(firing, repetitions[rows])[:, None] * at_once + place
    born, behind = _in_frame(hardware, born)
    return Flow(touch.array, net, True, _table(pulses, firing.units * at_once, (born, lanes, elements)), behind)


def _in_frame(hardware: StreamHardware, pulses: IntArray) -> tuple[IntArray, int]:
    """Pulses of a frame's data, counted from the begin of the time in which they pass, and how many frames that is."""
    begin = hardware.streamed.begin_of(int(pulses.min()))
    return pulses - begin, begin // hardware.frame


def _table(pulses: int, lanes: int, touches: tuple[IntArray, IntArray, IntArray]) -> IntArray:
    """By pulse and lane the element, from the pulse, the lane and the element of each touch."""
    table = np.full((pulses, lanes), -1, np.int64)
    pulse, lane, element = (np.broadcast_to(own, touches[2].shape).ravel() for own in touches)
    there = pulse < pulses
    table[pulse[there], lane[there]] = element[there]
    return table
