"""Which net each place of a pattern takes its datum from, by repetition of the reader."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from arrayol.arrays import IntArray
from arrayol.errors import error
from arrayol.ir.network import Process
from arrayol.ir.spec import Delay, TiledDefault, port_named
from arrayol.ir.types import ElementType
from hwmodel.accesses import Accesses, Touch
from hwmodel.emit.schedule.bits import bits_of_constant
from hwmodel.emit.schedule.names import plain
from hwmodel.emit.streams.names import first_frames_net, node_name
from hwmodel.emit.streams.positions import LaneNets
from hwmodel.stream.enumerated import every_repetition, makers, read_elements
from hwmodel.stream.kinds import by_kind
from hwmodel.stream.lanes import Lane, has_own_lane
from hwmodel.stream.nodes import Node, StreamGroup
from hwmodel.stream.pulses import born_after, fired, read_after, states_taken, taken_after, unit
from hwmodel.streamed import Firing, Tap


@dataclass
class PlaceNets:
    """The nets of one place, and by repetition (row-major) the number of the one it takes; -1 where any will do."""

    nets: list[str]
    taken: IntArray

    @staticmethod
    def of(repetitions: int) -> PlaceNets:
        """One without a net."""
        return PlaceNets([], np.full(repetitions, -1, np.int32))

    def take(self, net: str, repetitions: IntArray) -> None:
        """Take a net in some repetitions."""
        if net not in self.nets:
            self.nets.append(net)
        self.taken[repetitions] = self.nets.index(net)


class Literals(Protocol):
    """How a language writes what is no net of a chain."""

    def of_bits(self, bits: int, kind: ElementType) -> str:
        """A constant by its bits."""

    def set_up(self, array: str, element: int, kind: ElementType) -> str:
        """An element, of row-major number `element`, of an array that is there before the first frame."""

    def first_frames(self, node: str, frames: int) -> str:
        """Whether the frame of a node is one of the first so many."""


class VerilogLiterals:
    """Numbers as Verilog writes them."""

    def of_bits(self, bits: int, kind: ElementType) -> str:
        """A constant by its bits."""
        return f"{kind.bits}'h{bits:x}"

    def set_up(self, array: str, element: int, kind: ElementType) -> str:
        """Its bits on the bus of the array."""
        return f"{plain(array)}$setup[{element * kind.bits} +: {kind.bits}]"

    def first_frames(self, node: str, frames: int) -> str:
        """A net beside the node."""
        return first_frames_net(node, frames)


@dataclass(frozen=True)
class Sources:
    """Finds them for the readers of a group.

    `contents` has the bits of arrays that are resident. `early` collects, by task and output, the states that are taken
    before they leave the datapath: places of the output and cycles of the datapath, in the order of the second bus.
    """

    group: StreamGroup
    firing: Mapping[str, Firing]
    lanes: Mapping[Lane, LaneNets]
    contents: Mapping[str, IntArray]
    literals: Literals = field(default_factory=VerilogLiterals)
    early: dict[tuple[str, str], list[tuple[int, int]]] = field(default_factory=dict)

    def of_port(self, node: Node, port: str, size: int) -> list[PlaceNets]:
        """The choices of the places of a port's pattern."""
        repetitions = every_repetition(node)
        choices = [PlaceNets.of(len(repetitions)) for _ in range(size)]
        if node.process is not None:
            self._there_before(node.process, port, repetitions, choices)
        for number, touch in enumerate(node.reads):
            if touch.port == port:
                self._constants_beyond(touch, repetitions, choices)
                self._read(node, number, touch, choices)
        for number, delay in enumerate(node.delays):
            if delay.port == port:
                self._delayed(node, len(node.reads) + number, delay, choices)
        return choices

    def _there_before(self, process: Process, port: str, repetitions: IntArray, choices: list[PlaceNets]) -> None:
        """The constants of delays, and what is set up."""
        for delay in process.delays:
            if delay.port == port and not isinstance(delay.default, TiledDefault):
                kind = port_named(process.input_ports, port).type
                for choice in choices:
                    choice.take(self._constant(delay.default, kind), np.arange(len(repetitions)))
        for touch in self.accesses.reads[process.name]:
            if touch.port == port and self.group.is_set_up(touch.array):
                self._set_up(touch, repetitions, choices)

    @property
    def accesses(self) -> Accesses:
        """The access relations of the group's network."""
        return self.group.accesses

    def _constant(self, value: float, kind: ElementType) -> str:
        return self.literals.of_bits(bits_of_constant(value, kind), kind)

    def _set_up(self, touch: Touch, repetitions: IntArray, choices: list[PlaceNets]) -> None:
        rows, elements = self.accesses.touched(touch, repetitions)
        self._constants_beyond(touch, repetitions, choices)
        beyond = self.accesses.beyond(touch, repetitions[rows])
        border = touch.tiler.border
        kind = self.accesses.network.arrays[touch.array].type
        contents = self.contents.get(touch.array)
        for place, choice in enumerate(choices):
            there = ~beyond[:, place] if border is not None and border.is_constant else np.ones(len(rows), np.bool_)
            for element in np.unique(elements[there, place]).tolist():
                if contents is None:
                    net = self.literals.set_up(touch.array, element, kind)
                else:
                    net = self.literals.of_bits(int(contents[element]), kind)
                choice.take(net, rows[there & (elements[:, place] == element)])

    def _constants_beyond(self, touch: Touch, repetitions: IntArray, choices: list[PlaceNets]) -> None:
        border = touch.tiler.border
        if border is None or not border.is_constant:
            return
        beyond = self.accesses.beyond(touch, repetitions)
        kind = self.accesses.network.arrays[touch.array].type
        for place, choice in enumerate(choices):
            if beyond[:, place].any():
                choice.take(self._constant(border.value, kind), np.flatnonzero(beyond[:, place]))

    def _read(self, node: Node, number: int, read: Touch, choices: list[PlaceNets]) -> None:
        reads = self.firing[node.name]
        for maker, write in self.group.writers(read.array):
            known, writes = makers(self.accesses, maker, write), self.firing[maker.name]
            units = unit(writes, every_repetition(maker))
            for own in read_elements(self.accesses, (node, read, reads), (write, writes)):
                there = np.flatnonzero(known.repetition[own.elements] >= 0)
                by, place = known.repetition[own.elements[there]], known.place[own.elements[there]]
                pulses = fired(reads, own.repetitions[there]) + taken_after(reads, read, own.place)
                readers = _numbers(own.repetitions[there], node)
                taker = unit(reads, own.repetitions[there])
                for (reading, lane_place, lane_unit), same in by_kind(taker, place, units[by]):
                    lane = self.lanes[Lane(maker.name, write.port, lane_place, lane_unit)]
                    tap = Tap(node.name, number, own.place, reading)
                    elements = lane.passes.order[by[same]]
                    self._take(lane, tap, elements, pulses[same], (choices[own.place], readers[same]))

    def _take(
        self,
        lane: LaneNets,
        tap: Tap,
        elements: IntArray,
        pulses: IntArray,
        into: tuple[PlaceNets, IntArray],
        first: str = "",
    ) -> None:
        """Take the nets of a tap; those of earlier frames behind what the `first` frames have in their place."""
        nets, chosen = lane.nets_of(tap, elements, pulses)
        choice, readers = into
        if (chosen < 0).any():
            missing = int(readers[chosen < 0][0])
            text = f"repetition {missing} of '{tap.node}' finds no datum of '{lane.passes.lane.node}' at place "
            raise error("unproven-stream", f"{text}{tap.place}", hint="please report it with the specification")
        for number, net in enumerate(nets):
            if (chosen == number).any():
                choice.take(f"({first}{net})" if first else net, readers[chosen == number])

    def _delayed(self, node: Node, number: int, delay: Delay, choices: list[PlaceNets]) -> None:
        firing, repetitions = self.firing[node.name], every_repetition(node)
        inside, by = states_taken(firing, delay.vector, repetitions)
        later = firing.frames_back(delay.vector) * firing.frame
        pulses, units = fired(firing, repetitions), unit(firing, repetitions)
        first = self._first_frames(node, delay) if later else ""
        for place, choice in enumerate(choices):
            size = node.port_size(delay.output)
            took, late = (int(own(firing, np.array([place]), size)[0]) for own in (read_after, born_after))
            reads, births = pulses[inside] + took + later, pulses[by] + late
            for (taker, lane_unit), same in by_kind(units[inside], units[by]):
                lane = Lane(node.name, delay.output, place, lane_unit, has_own_lane(node, delay))
                tap = Tap(node.name, number, place, taker)
                soon = reads[same] < births[same]
                if soon.any():
                    # All repetitions of a unit take states of a unit the same number of pulses after their firing.
                    cycle = int((reads[same] - pulses[by[same]])[0]) - 1
                    choice.take(self._early(node, delay, (place, cycle), lane_unit), inside[same[soon]])
                at_tap = same[~soon]
                if len(at_tap):
                    own = self.lanes[lane]
                    elements = own.passes.order[by[at_tap]]
                    self._take(own, tap, elements, reads[at_tap], (choice, inside[at_tap]), first)

    def _first_frames(self, node: Node, delay: Delay) -> str:
        """What stands in front of a state of an earlier frame: its default, in frames that have none before them."""
        assert node.process is not None, "a task has delays"
        assert not isinstance(delay.default, TiledDefault), "refused before"
        frames = self.firing[node.name].frames_back(delay.vector)
        kind = port_named(node.process.input_ports, delay.port).type
        return f"{self.literals.first_frames(node.name, frames)} ? {self._constant(delay.default, kind)} : "

    def _early(self, node: Node, delay: Delay, state: tuple[int, int], unit: int) -> str:
        """The net of a state that is taken before it leaves its unit: a place of an output, in a cycle."""
        assert node.process is not None, "a task has delays"
        known = self.early.setdefault((node.name, delay.output), [])
        if state not in known:
            known.append(state)
        bits = port_named(node.process.output_ports, delay.output).type.bits
        return f"{node_name(node.name)}${delay.output}$early{unit}[{known.index(state) * bits} +: {bits}]"


def _numbers(repetitions: IntArray, node: Node) -> IntArray:
    """The row-major numbers of repetitions."""
    if not node.extents:
        return np.zeros(len(repetitions), np.int64)
    return np.asarray(np.ravel_multi_index(tuple(repetitions.T), node.extents))


def ports_read(node: Node) -> Iterator[tuple[str, int, int]]:
    """The inputs of a node: name, elements of a pattern, bits of an element. A store has one."""
    if node.process is None:
        return
    for port in node.process.input_ports:
        yield port.name, math.prod(extent or 1 for extent in port.shape), port.type.bits
