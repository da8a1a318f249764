"""The Verilog module of a streaming group: nodes, chains, choices at borders, and one enable for all."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from hwmodel.datapath.operators.nets import identifier
from hwmodel.emit.schedule.names import plain
from hwmodel.emit.streams.conditions import Choice, Conditions, Index
from hwmodel.emit.streams.counters import Counters
from hwmodel.emit.streams.hardware import StreamHardware
from hwmodel.emit.streams.lookups import lookup_lines
from hwmodel.emit.streams.names import (
    bits_below,
    data_net,
    first_frames_net,
    lane_name,
    made_net,
    node_name,
    vector,
)
from hwmodel.emit.streams.nets.whole import LaneEnables, of_rounds
from hwmodel.emit.streams.sources import ports_read
from hwmodel.emit.streams.trains import Loops
from hwmodel.emit.verilog.datapaths.chunks import chunk_size, early_bus, leaving
from hwmodel.stream.lanes import Lane
from hwmodel.stream.nodes import Node
from hwmodel.streamed import Firing

ALWAYS = "1'b1"


@dataclass(frozen=True)
class Beat:
    """What passes an end of the group in a pulse: of `units` units `size` elements each, of some bits.

    A `serial` one is read before all frames, element by element.
    """

    array: str
    units: int
    size: int
    element_bits: int
    serial: bool = False

    @property
    def elements(self) -> int:
        """All elements of a beat."""
        return self.units * self.size

    @property
    def word_bytes(self) -> int:
        """The bytes of a word of its AXI4-Stream."""
        return -(-(self.element_bits if self.serial else self.bits) // 8)

    @property
    def mark_bits(self) -> int:
        """The bits of TDATA, above which the marks of a word stand."""
        return 8 * self.word_bytes

    @property
    def name(self) -> str:
        """The array in Verilog."""
        return plain(self.array)

    @property
    def bits(self) -> int:
        """All of them."""
        return self.units * self.size * self.element_bits


@dataclass
class GroupModule:
    """Writes the module of a group, and collects what its units need."""

    hardware: StreamHardware
    name: str
    prefix: str
    counters: Counters = field(init=False)
    conditions: Conditions = field(default_factory=Conditions)
    beside: list[str] = field(default_factory=list)  # modules of tables

    def __post_init__(self) -> None:
        self.counters = Counters(self.hardware.frame)

    @property
    def behind_port(self) -> bool:
        """Whether a memory port brings and takes what is due: then no end says when that is."""
        return self.hardware.stream.interface == "port"

    def text(self) -> str:
        """The module."""
        fires, units = dict[str, str](), list[str]()
        body = [*self._lanes_declared(), *(() if self.behind_port else self._frame())]
        nodes = [self.hardware.model.group.nodes[name] for name in self.hardware.firing]
        indices: dict[str, list[Index | None]] = {}
        for node in nodes:
            fires[node.name], indices[node.name] = self._counted(node)
        chains = [line for lanes in self.hardware.lanes.values() for line in self._chains(lanes)]
        for node in nodes:
            units += self._node(node, fires[node.name], indices[node.name])
        counted = [*self.counters.event_lines(), *self.counters.lines, *self.counters.tick_lines()]
        units += self._unordered_outputs()
        lines = [*self._head(), *body, *counted, *self.conditions.lines, *chains, *units, "endmodule", ""]
        return "\n".join([*lines, *self.beside])

    def _head(self) -> Iterator[str]:
        yield f"module {self.name} ("
        own_memories = ("clear",) if self.hardware.cleared else ()
        ports = [f"input wire {own}" for own in ("clk", "reset", *own_memories, "go", "begins")]
        ports += [] if self.behind_port else ["output wire may_begin"]
        arrays = self.hardware.model.accesses.network.arrays
        for array in self.hardware.set_up:
            bits = self.hardware.model.accesses.size(array) * arrays[array].type.bits
            ports.append(f"input wire {vector(bits)}{plain(array)}$setup")
        for kind, side, due in (("load", "input", "due"), ("store", "output", "gives")):
            for beat in beats_of(self.hardware, kind):
                ports.append(f"{side} wire {vector(beat.bits)}{data_net(beat.array)}")
                marks = () if self.behind_port else (due, "first", "last")
                ports += [f"output wire {beat.name}${own}" for own in marks]
        for number, (node, touch) in enumerate(self.hardware.unordered_outputs):
            bits = self.hardware.firing[node.name].units * self._bus_bits(node, touch.port)
            ports.append(f"output wire {vector(bits)}{made_net(number)}")
        yield ",\n".join(f"  {port}" for port in ports)
        yield ");"

    def _bus_bits(self, node: Node, port: str) -> int:
        """The bits of the bus of an output."""
        at_once = chunk_size(node.port_size(port), self.hardware.firing[node.name].interval)
        return at_once * node.port_bits(self.hardware.model.accesses, port)

    def _unordered_outputs(self) -> Iterator[str]:
        """The buses of results that leave in the order in which they are made."""
        for number, (node, touch) in enumerate(self.hardware.unordered_outputs):
            units = range(self.hardware.firing[node.name].units)
            buses = [f"{node_name(node.name)}${touch.port}$bus{unit}" for unit in reversed(units)]
            yield f"  assign {made_net(number)} = {{{', '.join(buses)}}};"

    def _frame(self) -> Iterator[str]:
        """When a frame may begin, counted from the begin of the one before."""
        begins, multiple = self.hardware.begins, self.hardware.multiple
        frame = begins[-1]
        bits = bits_below(frame + 1)
        may = " || ".join(f"age == {bits}'d{pulses}" for pulses in begins)
        yield "  // A frame may begin when the pulses of the one before are over."
        yield f"  reg [{bits - 1}:0] age;"
        yield f"  assign may_begin = {may};"
        yield "  always @(posedge clk)"
        yield f"    if (reset) age <= {bits}'d{frame};"
        again = frame - multiple + 1
        yield f"    else if (go) age <= begins ? {bits}'d1 : age == {bits}'d{frame} ? {bits}'d{again} : age + 1'b1;"

    def _lanes_declared(self) -> Iterator[str]:
        """The nets of all that is born, and of all positions."""
        for lane in self._all_lanes():
            yield f"  wire {vector(self._bits(lane))}{lane_name(lane)};"
        for lanes in self.hardware.lanes.values():
            bits = self._bits(lanes.lane)
            yield from (f"  wire {vector(bits)}{position.name};" for position in lanes.positions)

    def _all_lanes(self) -> list[Lane]:
        """Lanes that are read, without those of states, whose data are the same."""
        return list(dict.fromkeys(lane._replace(state=False) for lane in self.hardware.lanes))

    def _bits(self, lane: Lane) -> int:
        node = self.hardware.model.group.nodes[lane.node]
        return node.port_bits(self.hardware.model.accesses, lane.port)

    def _counted(self, node: Node) -> tuple[str, list[Index | None]]:
        """The counters of a node: the net of its firings, and by dimension its index, None where there is only one."""
        firing, name = self.hardware.firing[node.name], node_name(node.name)
        moving, loops = loops_of_firing(firing)
        fires, counted = self.counters.nested(f"{name}$d", firing.start, loops)
        indices: list[Index | None] = [None] * len(firing.extents)
        for at, index in zip(moving, counted, strict=True):
            indices[at] = index
        return fires, indices

    def _chains(self, lanes: LaneEnables) -> Iterator[str]:
        """The segments of a lane."""
        bits = self._bits(lanes.lane)
        for position in lanes.positions:
            segment, name = position.segment, position.name
            if segment.shifts:
                two, pop = 0, "1'b0"
                push = self.counters.tick(lanes.period, position.first % lanes.period)
            else:
                two = 1
                push, pop = (self.counters.train(own) for own in (position.pushes, position.pops))
            address = bits_below(segment.depth)
            parameters = f".WIDTH({bits}), .DEPTH({segment.depth}), .ADDRESS({address}), .TWO({two})"
            yield f"  segment #({parameters}) {name}$segment ("
            yield f"    .clk(clk), .reset(reset), .go(go), .push({push}), .pop({pop}), .in({position.entry}),"
            yield f"    .out({name})"
            yield "  );"

    def _node(self, node: Node, fires: str, indices: Sequence[Index | None]) -> Iterator[str]:
        kind = self.hardware.streamed.nodes[node.name].kind
        yield f"  // {node.name}"
        if kind == "load":
            yield from self._load(node, fires, indices)
        elif kind == "store":
            yield from self._store(node, fires, indices)
        else:
            yield from self._task(node, fires, indices)

    def _load(self, node: Node, fires: str, indices: Sequence[Index | None]) -> Iterator[str]:
        (touch,) = node.writes
        name, bits = plain(touch.array), node.port_bits(self.hardware.model.accesses, touch.port)
        size = math.prod(touch.pattern)
        if not self.behind_port:
            yield f"  assign {name}$due = {fires};"
            yield from self._ends(node, name, indices)
        for lane in (own for own in self._all_lanes() if own.node == node.name):
            yield f"  assign {lane_name(lane)} = {name}$data[{(lane.unit * size + lane.place) * bits} +: {bits}];"

    def _store(self, node: Node, fires: str, indices: Sequence[Index | None]) -> Iterator[str]:
        (touch,) = node.reads
        name, firing = plain(touch.array), self.hardware.firing[node.name]
        bits = self.hardware.model.accesses.network.arrays[touch.array].type.bits
        choices = self.hardware.nets.choices[node.name, touch.port]
        elements = []
        for unit in range(firing.units):
            there = _in_space(firing, unit, indices)
            for choice in choices:
                net = chosen_net(self.conditions, choice, firing, unit, indices)
                elements.append(net if there is None else f"({there} ? {net} : {bits}'d0)")
        yield f"  assign {name}$data = {{{', '.join(reversed(elements))}}};"
        if not self.behind_port:
            yield f"  assign {name}$gives = {fires};"
            yield from self._ends(node, name, indices)

    def _ends(self, node: Node, name: str, indices: Sequence[Index | None]) -> Iterator[str]:
        """The first datum of a frame, and the last one of a line."""
        own = [indices[at] for at in self.hardware.inner_dimensions(node.name)]
        last = [f"{index.net} == {bits_below(index.extent)}'d{index.extent - 1}" for index in own if index is not None]
        yield f"  assign {name}$first = {self.counters.event(self.hardware.firing[node.name].start)};"
        yield f"  assign {name}$last = {' && '.join(last or [ALWAYS])};"

    def _task(self, node: Node, fires: str, indices: Sequence[Index | None]) -> Iterator[str]:
        assert node.process is not None, "a task"
        firing, name = self.hardware.firing[node.name], node_name(node.name)
        module, slot = self.hardware.unit_module(node.name, self.prefix), ""
        if firing.interval > 1:
            yield from self._slot(name, firing)
            slot = f", .slot({name}$slot)"
        inputs = list(ports_read(node))
        choices = {port: self.hardware.nets.choices.get((node.name, port), ()) for port, _, _ in inputs}
        yield from self._states(node)
        yield from self._first_frames(node)
        for unit in range(firing.units):
            connected = [
                f".{early_bus(port)}({name}${port}$early{unit})"
                for task, port in self.hardware.nets.early
                if task == node.name
            ]
            if self.hardware.datapaths[node.name].bins:
                there = _in_space(firing, unit, indices) or ALWAYS
                connected += [".reset(reset)", ".clear(clear)", f".valid({fires} && {there})"]
            for port, size, bits in inputs:
                if choices[port]:
                    bus, nets = f"{name}${port}$in{unit}", []
                    for place, choice in enumerate(choices[port]):
                        nets.append(f"{bus}_{place}")
                        net = chosen_net(self.conditions, choice, firing, unit, indices) or f"{bits}'d0"
                        yield f"  wire {vector(bits)}{nets[-1]} = {net};"
                    yield from _operands(bus, nets, (bits, chunk_size(size, firing.interval)), f"{name}$slot")
                    connected.append(f".{identifier(port)}({bus})")
            for port in (own.name for own in node.process.output_ports):
                bus = f"{name}${port}$bus{unit}"
                yield f"  wire {vector(self._bus_bits(node, port))}{bus};"
                connected.append(f".{identifier(port)}({bus})")
                yield from self._results(node, port, unit, bus)
            yield from lookup_lines(self.hardware, node, (module, unit), connected, self.beside)
            clocked = f".clk(clk), .{module.enable}(go){slot}"
            yield f"  {module.name} {name}$unit{unit} ({clocked},\n    {', '.join(connected)}\n  );"

    def _slot(self, name: str, firing: Firing) -> Iterator[str]:
        """The slot of units: 0 whenever the task fires."""
        bits, last = bits_below(firing.interval), firing.interval - 1
        yield f"  reg [{bits - 1}:0] {name}$slot;"
        yield "  always @(posedge clk)"
        yield f"    if (reset) {name}$slot <= {bits}'d{-firing.start % firing.interval};"
        yield f"    else if (go) {name}$slot <= {name}$slot == {bits}'d{last} ? {bits}'d0 : {name}$slot + 1'b1;"

    def _results(self, node: Node, port: str, unit: int, bus: str) -> Iterator[str]:
        """The lanes of an output: places of its bus."""
        bits = node.port_bits(self.hardware.model.accesses, port)
        for together in leaving(node.port_size(port), self.hardware.firing[node.name].interval):
            for lane, place in enumerate(together):
                own = Lane(node.name, port, place, unit)
                if own in self.hardware.lanes or own._replace(state=True) in self.hardware.lanes:
                    yield f"  assign {lane_name(own)} = {bus}[{lane * bits} +: {bits}];"

    def _states(self, node: Node) -> Iterator[str]:
        """The second buses of outputs whose states are taken before they leave."""
        for (task, port), states in self.hardware.nets.early.items():
            if task == node.name:
                bits = node.port_bits(self.hardware.model.accesses, port) * len(states)
                for unit in range(self.hardware.firing[task].units):
                    yield f"  wire {vector(bits)}{node_name(task)}${port}$early{unit};"

    def _first_frames(self, node: Node) -> Iterator[str]:
        """Whether a frame is one of the first, for states of earlier frames; it counts frames up to these."""
        firing, name = self.hardware.firing[node.name], node_name(node.name)
        back = sorted({firing.frames_back(delay.vector) for delay in node.delays} - {0})
        if not back:
            return
        begins, bits = self.counters.event(firing.start), bits_below(back[-1] + 2)
        yield f"  reg {vector(bits)}{name}$frames;"
        yield f"  wire {name}$begins = {begins} && {name}$frames != {bits}'d{back[-1] + 1};"
        yield f"  wire {vector(bits)}{name}$frame = {name}$frames + {name}$begins;  // this one, from 1 on"
        yield "  always @(posedge clk)"
        yield f"    if (reset) {name}$frames <= 0;"
        yield f"    else if (go) {name}$frames <= {name}$frame;"
        for frames in back:
            yield f"  wire {first_frames_net(node.name, frames)} = {name}$frame <= {bits}'d{frames};"


def rounds(firing: Firing) -> tuple[int, ...]:
    """The indices along each dimension, of which units share one."""
    return tuple(
        -(-extent // firing.units) if at == firing.shared else extent for at, extent in enumerate(firing.extents)
    )


def loops_of_firing(firing: Firing) -> tuple[list[int], Loops]:
    """The dimensions along which a node fires more than once, the slowest first, and these loops."""
    extents = rounds(firing)
    moving = sorted((at for at, extent in enumerate(extents) if extent > 1), key=lambda at: -firing.strides[at])
    return moving, tuple((firing.strides[at], extents[at]) for at in moving)


def beats_of(hardware: StreamHardware, kind: str) -> list[Beat]:
    """The ends of a group: its loads, or its stores."""
    nodes, found = hardware.model.group.nodes, []
    for name, node in hardware.streamed.nodes.items():
        if node.kind == kind:
            (touch,) = nodes[name].writes or nodes[name].reads
            bits = hardware.model.accesses.network.arrays[touch.array].type.bits
            found.append(Beat(touch.array, node.firing.units, math.prod(touch.pattern), bits))
    return found


def chosen_net(
    conditions: Conditions, choice: Choice, firing: Firing, unit: int, indices: Sequence[Index | None]
) -> str:
    """The net of a place for one unit; empty where it takes none."""
    return conditions.chosen(of_rounds(choice, firing, unit), [index or Index("", 1) for index in indices])


def misses_last_round(firing: Firing, unit: int) -> bool:
    """Whether a unit has no repetition in the last round along the dimension that units share."""
    return firing.shared is not None and 0 < firing.extents[firing.shared] % firing.units <= unit


def _in_space(firing: Firing, unit: int, indices: Sequence[Index | None]) -> str | None:
    """Whether a unit has a repetition in this round; None where it always has."""
    if firing.shared is None or not misses_last_round(firing, unit):
        return None
    index = indices[firing.shared]
    return "1'b0" if index is None else f"{index.net} != {bits_below(index.extent)}'d{index.extent - 1}"


def _operands(bus: str, nets: Sequence[str], sizes: tuple[int, int], slot: str) -> Iterator[str]:
    """The bus of an input: its elements chunk by chunk, the first in the lowest bits."""
    bits, chunk = sizes
    chunks = [list(nets[at : at + chunk]) for at in range(0, len(nets), chunk)]
    texts = ["{" + ", ".join(reversed([*own, *[f"{bits}'d0"] * (chunk - len(own))])) + "}" for own in chunks]
    value = "".join(f"{slot} == {number} ? {text} : " for number, text in enumerate(texts[:-1])) + texts[-1]
    yield f"  wire {vector(bits * chunk)}{bus} = {value};"
