"""A streaming group in C++: what happens in a pulse, in which all nodes, line buffers and ends move."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from arrayol.ir.spec import Elementary, Port
from arrayol.ir.types import ElementType
from hwmodel.emit.c.helpers import c_type
from hwmodel.emit.c.lines import Lines, block, declared, element
from hwmodel.emit.c.names import Named, identifiers
from hwmodel.emit.c.tasks import call_of, sizes, zero
from hwmodel.emit.hls.bodies import bodies_of
from hwmodel.emit.hls.names import HlsNames, hls_type, value_of_bits
from hwmodel.emit.hls.streams.counters import StreamConditions, StreamCounters
from hwmodel.emit.schedule.names import plain
from hwmodel.emit.streams.conditions import Choice, Index
from hwmodel.emit.streams.group import chosen_net, loops_of_firing, misses_last_round
from hwmodel.emit.streams.hardware import StreamHardware
from hwmodel.emit.streams.names import bits_below, lane_name
from hwmodel.emit.streams.nets.whole import Enables, LaneEnables
from hwmodel.stream.lanes import Lane
from hwmodel.stream.nodes import Node
from hwmodel.streamed import Firing

REGISTERS = 8  # words up to which a line buffer is in registers
Indices = Sequence[Index | None]


class CppLiterals:
    """Constants, and elements of arrays that are set up, in C++."""

    def of_bits(self, bits: int, kind: ElementType) -> str:
        """A constant by its bits."""
        return value_of_bits(bits, kind)

    def set_up(self, array: str, element: int, _: ElementType) -> str:
        """An element of an input of the network."""
        return f"setup_{plain(array)}[{element}]"

    def first_frames(self, node: str, frames: int) -> str:
        """A variable of the pulse."""
        return f"first{frames}_{plain(node)}"


@dataclass
class StreamText(ABC):
    """Writes the pulses of a group, whose tasks take one each; forms of it say how data come and go."""

    hardware: StreamHardware
    name: str
    names: HlsNames = field(default_factory=HlsNames)
    counters: StreamCounters = field(init=False)
    conditions: StreamConditions = field(default_factory=StreamConditions)
    kept: Lines = field(default_factory=list)  # the declarations of what stays from pulse to pulse, without counters
    cleared: Lines = field(default_factory=list)  # what is done before the first pulse
    _roms: dict[tuple[tuple[int, ...], tuple[int, ...]], str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.counters = StreamCounters(self.hardware.frame)

    def _elementary(self, task: str) -> Elementary:
        elementary = self.hardware.model.accesses.network.processes[task].definition
        assert elementary is not None, "a network that is emitted was made of a specification"
        return elementary

    def bodies(self) -> Iterator[Lines]:
        """The bodies of its tasks. Raises ArrayolError (`not-in-hardware`, `unproven-stream`)."""
        yield from bodies_of(map(self._elementary, self.hardware.streamed.tasks))

    # How data come and go.

    @abstractmethod
    def comes(self, node: Node, fires: str) -> Iterator[str]:
        """What a load does in a pulse, before its data are born."""

    @abstractmethod
    def came(self, node: Node, place: int, kind: ElementType) -> str:
        """The element on a lane of a load, by its number in a pulse."""

    @abstractmethod
    def goes(self, node: Node, fires: str, indices: Indices) -> Iterator[str]:
        """What a store does in a pulse: something where it fires."""

    @abstractmethod
    def puts(self, array: str, place: int, value: str) -> str:
        """The line that lets an element leave, by its number in a pulse."""

    # The pulse.

    def pulse(self) -> Lines:
        """What happens in a pulse, in an order in which all is known before it is used."""
        nodes = [self.hardware.model.group.nodes[name] for name in self.hardware.firing]
        walked = {node.name: self._walked(node) for node in nodes}
        born = [line for node in nodes for line in self._born(node, walked[node.name][0])]
        moved = [line for lanes in self.hardware.lanes.values() for line in self._chains(lanes)]
        works = [line for node in nodes for line in self._works(node, *walked[node.name])]
        first = [line for node in nodes for line in self._first_frames(node)]
        events = list(self.counters.event_lines())
        counts = [*self.counters.lines, *self.counters.tick_lines(), *self.conditions.lines]
        return _without_unused([*events, *counts, *first, *born, *moved, *works])

    def _walked(self, node: Node) -> tuple[str, Indices]:
        """What says that a node fires, and by dimension its index, None where there is only one."""
        firing = self.hardware.firing[node.name]
        moving, loops = loops_of_firing(firing)
        fires, found = self.counters.nested(self.names.of("loop", node.name), firing.start, loops)
        indices: list[Index | None] = [None] * len(firing.extents)
        for at, index in zip(moving, found, strict=True):
            indices[at] = index
        return fires, indices

    # Data that are born, and line buffers.

    def kind_of(self, array: str) -> ElementType:
        """The type of an array's elements."""
        return self.hardware.model.accesses.network.arrays[array].type

    def _type(self, lane: Lane) -> ElementType:
        node = self.hardware.model.group.nodes[lane.node]
        if node.process is None:
            return self.kind_of(node.writes[0].array)
        return next(port.type for port in node.process.output_ports if port.name == lane.port)

    def _born(self, node: Node, fires: str) -> Iterator[str]:
        """The data of a node's lanes in this pulse: those that come, or those that the pulse before has made."""
        lanes = dict.fromkeys(own._replace(state=False) for own in self.hardware.lanes if own.node == node.name)
        if node.kind == "load":
            yield from self.comes(node, fires)
        for lane in lanes:
            kind, name = self._type(lane), self.names.of("net", lane_name(lane))
            if node.process is None:
                value = self.came(node, lane.unit * math.prod(node.writes[0].pattern) + lane.place, kind)
            else:
                port = next(own for own in node.process.output_ports if own.name == lane.port)
                value = self.result_net(node, port, lane.unit, lane.place)
            yield f"const {c_type(kind)} {name} = {value};"

    def result_net(self, node: Node, port: Port, unit: int, place: int) -> str:
        """A result that the pulse before has made."""
        return element(self._output_name(node, port), [str(unit), *_subscripts(port, place)])

    def _output_name(self, node: Node, port: Port) -> str:
        return self.names.of("made", f"{node.name} {port.name}")

    def _chains(self, lanes: LaneEnables) -> Iterator[str]:
        """The line buffers of a lane, from the newer to the older end."""
        kind = self._type(lanes.lane)
        for position in lanes.positions:
            net, entry = self.names.of("net", position.name), self.names.of("net", position.entry)
            own = self.names.of("line", position.name)
            step = f"{own}.step({entry}, {self._buffer(lanes, position, own, hls_type(kind))})"
            yield f"const {c_type(kind)} {net} = {step};"

    def _buffer(self, lanes: LaneEnables, position: Enables, name: str, kind: str) -> str:
        """Declare the line buffer of a segment; what moves it."""
        depth, bits = position.segment.depth, bits_below(position.segment.depth)
        if position.segment.shifts:
            registers = depth <= REGISTERS
            self.kept.append(
                f"static {'window' if registers else 'ring'}<{kind}, {depth}{'' if registers else f', {bits}'}> {name};"
            )
            return self.counters.tick(lanes.period, position.first % lanes.period)
        self.kept.append(f"static queue<{kind}, {depth}, {bits}> {name};")
        self.cleared.append(f"{name}.clear();")
        return ", ".join(self.counters.train(own) for own in (position.pushes, position.pops))

    # What nodes do.

    def _works(self, node: Node, fires: str, indices: Indices) -> Iterator[str]:
        if node.kind == "store":
            yield from self.goes(node, fires, indices)
        elif node.kind == "task":
            yield f"// '{node.name}'"
            yield from block(f"if ({fires})", self._computes(node, indices))

    def stored(self, node: Node, indices: Indices) -> Iterator[str]:
        """The elements that a store lets leave."""
        (touch,) = node.reads
        firing, kind = self.hardware.firing[node.name], self.kind_of(touch.array)
        choices = self.hardware.nets.choices[node.name, touch.port]
        for unit in range(firing.units):
            chosen = self._chosen(choices, kind, firing, unit, indices)
            lines = [self.puts(touch.array, unit * len(choices) + place, own) for place, own in enumerate(chosen)]
            yield from _where(_last_round(firing, unit, indices), lines)

    def _chosen(
        self, choices: Sequence[Choice], kind: ElementType, firing: Firing, unit: int, indices: Indices
    ) -> Iterator[str]:
        """What each place takes, in the type in which C++ computes."""
        for choice in choices:
            own = replace(choice, nets=tuple(map(self._written, choice.nets)))
            value = chosen_net(self.conditions, own, firing, unit, indices) or zero(kind)
            yield f"{c_type(kind)}({value.removeprefix('(').removesuffix(')') if '?' in value else value})"

    def _written(self, net: str) -> str:
        """A source in C++: nets of chains have names there, also behind what first frames have in their place."""
        first, colon, own = net.rpartition(" : ")
        if colon:
            return f"{first}{colon}{self._written(own.removesuffix(')'))})"
        return self.names.known.get(("net", net), net)

    def _first_frames(self, node: Node) -> Iterator[str]:
        """Whether a frame is one of the first, for states of earlier frames; it counts frames up to these."""
        firing = self.hardware.firing[node.name]
        back = sorted({firing.frames_back(delay.vector) for delay in node.delays} - {0})
        if back:
            name = f"frames_{plain(node.name)}"
            self.kept.append(f"static unsigned {name} = 0;  // this one, from 1 on")
            yield f"if ({self.counters.event(firing.start)} && {name} <= {back[-1]}) ++{name};"
        for frames in back:
            yield f"const bool {self.hardware.literals.first_frames(node.name, frames)} = {name} <= {frames};"

    def _computes(self, node: Node, indices: Indices) -> Iterator[str]:
        firing, elementary = self.hardware.firing[node.name], self._elementary(node.name)
        for port in elementary.outputs:
            self.kept.append(
                f"static {declared(self._output_name(node, port), port.type, (firing.units, *_shape(port)))};"
            )
            self.kept.append(f"#pragma HLS ARRAY_PARTITION variable = {self._output_name(node, port)} complete dim = 0")
        choices = {port.name: self.hardware.nets.choices.get((node.name, port.name)) for port in elementary.inputs}
        for unit in range(firing.units):
            lines = list[str]()
            inputs = list[str]()
            for port in elementary.inputs:
                own = choices[port.name]
                if own is None:
                    inputs.append(self._rom(node, port))
                    continue
                lines += self._operands(port, list(self._chosen(own, port.type, firing, unit, indices)))
                inputs.append(Named.PATTERN.of(port.name))
            outputs = [f"{self._output_name(node, port)}[{unit}]" for port in elementary.outputs]
            lines.append(call_of(Named.DO.of(elementary.name), elementary, inputs, outputs, ()))
            yield from _where(_last_round(firing, unit, indices), lines)

    def _operands(self, port: Port, values: Sequence[str]) -> Iterator[str]:
        name = Named.PATTERN.of(port.name)
        yield f"{declared(name, port.type, _shape(port))};"
        yield f"#pragma HLS ARRAY_PARTITION variable = {name} complete dim = 0"
        for place, value in enumerate(values):
            yield f"{element(name, _subscripts(port, place))} = {value};"

    # What is there before the first frame.

    def _rom(self, node: Node, port: Port) -> str:
        """The ROM with all that each repetition reads through a port, which is declared once."""
        words = self.hardware.table_of(node, port.name)
        assert words is not None, "all other inputs have operands"
        key = _shape(port), tuple(words)
        if key not in self._roms:
            texts = [value_of_bits(word, port.type) for word in words]
            for length in reversed(_shape(port)[1:]):
                texts = [f"{{{', '.join(texts[at : at + length])}}}" for at in range(0, len(texts), length)]
            name = self._roms[key] = self.names.of("rom", f"{port.name} {len(self._roms)}")
            self.kept.append(f"static const {declared(name, port.type, _shape(port))} = {{{', '.join(texts)}}};")
        return self._roms[key]


def _shape(port: Port) -> tuple[int, ...]:
    return sizes(port.shape) or (1,)


def _subscripts(port: Port, place: int) -> list[str]:
    return [str(at) for at in np.unravel_index(place, _shape(port))]


def _last_round(firing: Firing, unit: int, indices: Indices) -> str | None:
    """Whether a unit has a repetition; None where it always has."""
    if firing.shared is None or not misses_last_round(firing, unit):
        return None
    index = indices[firing.shared]
    return "false" if index is None else f"{index.net} != {index.extent - 1}"


def _where(condition: str | None, lines: Sequence[str]) -> Lines:
    """Lines under a condition, in a block of their own."""
    head = "" if condition is None else f"if ({condition}) "
    return [f"{head}{{", *(line if line.startswith("#") else f"  {line}" for line in lines), "}"]


def _without_unused(lines: Sequence[str]) -> Lines:
    """Lines without the variables that nobody reads; what their values do stays."""
    found: Lines = []
    used: set[str] = set()
    for line in reversed(lines):
        words = line.split(" ")
        is_constant = words[0] == "const" and words[3:4] == ["="]
        if is_constant and words[2] not in used:
            value = line.split(" = ", 1)[1]
            line = value if ".step(" in value else ""  # noqa: PLW2901
        if line:
            used |= identifiers([line])
            found.append(line)
    return found[::-1]
