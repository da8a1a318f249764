"""A streaming group in C++ behind the memory port: in each step a chunk of pulses, between memories of two chunks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import ClassVar

from arrayol.ir.spec import port_named
from arrayol.ir.types import ElementType
from arrayol.text import counted
from hwmodel.emit.c.helpers import c_type
from hwmodel.emit.c.lines import Lines, block
from hwmodel.emit.hls.group import GroupText
from hwmodel.emit.hls.names import Thing, value_of_bits
from hwmodel.emit.hls.streams.group import Indices, StreamText
from hwmodel.emit.hls.streams.schedule import UntimedSchedule
from hwmodel.emit.hls.tasks import CLOCK
from hwmodel.emit.hls.walks import Walk
from hwmodel.emit.schedule.bits import bits_of_constant
from hwmodel.emit.schedule.names import plain
from hwmodel.emit.streams.names import data_net, made_net
from hwmodel.emit.streams.port_group import GOES, PULSES, FlowAgent
from hwmodel.frame_states import constant_of
from hwmodel.stream.nodes import Node


@dataclass
class StreamGroupText(GroupText):
    """The file of a streaming group: its port as that of other groups, and its pulses in place of tasks."""

    headers: ClassVar[tuple[str, ...]] = ("design.hpp", "stream.hpp")

    def bodies(self) -> Iterator[Lines]:
        """The bodies of its tasks. Raises ArrayolError as those of a stream."""
        yield from self._pulses.bodies()

    def working(self) -> Iterator[Lines]:
        """The functions of what passes the ends of the group in a pulse, and that of a step's pulses."""
        own = self._pulses
        for flow in own.flows.values():
            yield flow.function()
        memories = [memory for memory in self.schedule.memories if memory.content is None]
        yield own.function([self._parameter(memory) for memory in memories])
        arguments = [*self._clock, *(self._things[memory.name] for memory in memories)]
        self._calls.append(f"{own.name}({', '.join(arguments)});")

    @cached_property
    def _pulses(self) -> PulsesText:
        schedule = self.schedule
        assert isinstance(schedule, UntimedSchedule), "that of a stream"
        flows = dict[str, FlowText]()
        for own in schedule.flows:
            (memory,) = own.agent.memories.values()
            kind, name = self.network.arrays[own.flow.array].type, self.names.of(Thing.FLOW, own.agent.name)
            flows[own.flow.net] = FlowText(own, kind, self._things[memory.name], self._parameter(memory), name)
        set_up = {own.array: self._things[own.name] for own in schedule.memories if own.array in schedule.set_up}
        name, walk = self.names.of(Thing.TASK, PULSES), Walk(schedule.pulses, PULSES)
        return PulsesText(schedule.hardware, name, self.names, walk=walk, set_up=set_up, flows=flows, clock=self._clock)


@dataclass(frozen=True)
class FlowText:
    """What passes an end of the group: the function of a pulse, between a memory and an array of the pulse."""

    own: FlowAgent
    kind: ElementType
    thing: str
    parameter: str
    name: str

    @property
    def array(self) -> str:
        """The array of a pulse."""
        return self.name.replace(Thing.FLOW, "pulse", 1)

    @property
    def _lanes(self) -> int:
        return len(self.own.agent.lanes[self.own.lanes])

    def declared(self) -> Iterator[str]:
        """The declaration of the array."""
        yield f"{c_type(self.kind)} {self.array}[{self._lanes}] = {{}};"
        yield f"#pragma HLS ARRAY_PARTITION variable = {self.array} complete dim = 0"

    def call(self) -> str:
        """The call of a pulse."""
        return f"{self.name}({self.thing}, {self.array});"

    def function(self) -> Lines:
        """The tables and the function."""
        agent = self.own.agent
        walk, (memory,) = Walk(agent, agent.name), agent.memories.values()
        lines = list[str]()
        for number, lane in enumerate(agent.lanes[self.own.lanes]):
            valid, place = walk.column(lane.valid), f"{self.thing}{walk.place(memory, lane)}"
            inside = f"{self.array}[{number}]"
            if valid != "0":
                moved = (place, inside) if self.own.flow.drain else (inside, place)
                lines.append(f"if ({valid}) {' = '.join(moved)};")
        way = "leaves" if self.own.flow.drain else "comes"
        head = f"static void {self.name}({self.parameter}, {c_type(self.kind)} {self.array}[{self._lanes}])"
        body = ["#pragma HLS INLINE", *walk.state(), walk.row(), *lines, *walk.advance()]
        return [*walk.tables(), f"// What {way} of '{self.own.flow.array}' in a pulse", *block(head, body)]


@dataclass
class PulsesText(StreamText):
    """Writes the function of a step's pulses, one after another as `walk` says.

    `set_up` has the memories of arrays that are there before the first pulse, `flows` what passes ends, by its net.
    `clock` names those of `CLOCK` that it is told.
    """

    walk: Walk = field(kw_only=True)
    set_up: Mapping[str, str] = field(kw_only=True)
    flows: Mapping[str, FlowText] = field(kw_only=True)
    clock: Sequence[str] = field(kw_only=True)

    def function(self, parameters: Sequence[str]) -> Lines:
        """The function. Raises ArrayolError (`not-in-hardware`, `unproven-stream`)."""
        pulse = self.pulse()
        counters = self.counters.state.items()
        first = [*self.cleared, *(f"{name} = {kind}();" for name, kind in counters)]
        cleared = [] if self.hardware.keeps_frames else block("if (begins)", first)
        goes = [*cleared, *self._unordered(), *pulse, "begins = false;"]
        body = [*block(f"if ({self.walk.control(GOES)})", goes), *block("else", ["begins = true;"])]
        lines = [*(f"(void){own};" for own in self.clock), *self._copied()]
        lines += [*self.kept, *(f"static {kind} {name};" for name, kind in counters)]
        lines += ["static bool begins = true;  // the next pulse is the first one of a frame"]
        lines += self.walk.round_loop(1, body)
        head = f"static void {self.name}({', '.join([*(CLOCK[own] for own in self.clock), *parameters])})"
        tasks = ", ".join(f"'{task}'" for task in self.hardware.streamed.tasks)
        comment = f"// {tasks} as a stream, in chunks of {counted(self.hardware.stream.chunk, 'pulse')}"
        return [*self.walk.tables(), comment, *block(head, lines)]

    def _copied(self) -> Iterator[str]:
        """What is there before the first pulse, in the types in which C++ computes."""
        for array, thing in self.set_up.items():
            kind, own = c_type(self.kind_of(array)), f"setup_{plain(array)}"
            size = self.hardware.model.accesses.size(array)
            yield f"{kind} {own}[{size}];"
            yield f"#pragma HLS ARRAY_PARTITION variable = {own} complete dim = 0"
            copied = ["#pragma HLS UNROLL", f"{own}[at] = {self._in_first_frames(array, f'{thing}[at]')};"]
            yield from block(f"for (int at = 0; at < {size}; ++at)", copied)

    def _unordered(self) -> Iterator[str]:
        """What leaves in the order in which it is made: the results of the pulse before."""
        for number, (node, touch) in enumerate(self.hardware.unordered_outputs):
            flow, size = self.flows[made_net(number)], math.prod(touch.pattern)
            assert node.process is not None, "a task makes it"
            port = port_named(node.process.output_ports, touch.port)
            yield from flow.declared()
            for unit, place in product(range(self.hardware.firing[node.name].units), range(size)):
                yield f"{flow.array}[{unit * size + place}] = {self.result_net(node, port, unit, place)};"
            yield flow.call()

    def comes(self, node: Node, fires: str) -> Iterator[str]:
        """Takes the elements of the pulse from their memory."""
        flow = self.flows[data_net(node.writes[0].array)]
        yield from (*flow.declared(), flow.call())

    def came(self, node: Node, place: int, kind: ElementType) -> str:
        """An element of the pulse."""
        array = node.writes[0].array
        return self._in_first_frames(array, f"{self.flows[data_net(array)].array}[{place}]")

    def _in_first_frames(self, array: str, element: str) -> str:
        """An element of an array; in frames with none before them, the default in its place."""
        kind, earlier = self.kind_of(array), self.hardware.model.accesses.network.arrays[array].earlier
        if earlier is None:
            return element
        default = value_of_bits(bits_of_constant(constant_of(earlier.delay), kind), kind)
        return f"frame >= {earlier.frames} ? {c_type(kind)}({element}) : {c_type(kind)}({default})"

    def goes(self, node: Node, fires: str, indices: Indices) -> Iterator[str]:
        """Puts the elements of the pulse into their memory."""
        flow = self.flows[data_net(node.reads[0].array)]
        yield from flow.declared()
        yield from block(f"if ({fires})", self.stored(node, indices))
        yield flow.call()

    def puts(self, array: str, place: int, value: str) -> str:
        """Puts an element into the array of the pulse."""
        return f"{self.flows[data_net(array)].array}[{place}] = {value};"
