"""A streaming group behind the memory port: a schedule of its steps, and the Verilog module around the group.

An agent counts the pulses of each step. The data of a pulse are fetched from the memories of chunks in the cycle in
which it is counted, and are at the group `FETCHING` cycles later; then the group moves. What leaves the group in a
pulse is in its memory in time for what is fetched there a cycle later. Before each frame the group is reset, unless it
keeps frames inside: then it stands still until the next frame begins.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from arrayol.ir.network import EarlierFrame
from arrayol.text import counted
from hwmodel.emit.schedule.activity import Agent
from hwmodel.emit.schedule.bits import bits_of_constant
from hwmodel.emit.schedule.group import GroupSchedule, TaskPace
from hwmodel.emit.schedule.names import plain
from hwmodel.emit.schedule.own_module import Computing
from hwmodel.emit.streams.flows import Flow
from hwmodel.emit.streams.group import GroupModule
from hwmodel.emit.streams.hardware import StreamHardware
from hwmodel.emit.streams.units import LIBRARY, group_files, library_files
from hwmodel.emit.verilog.agents import address_bits, agent_module, ports_of
from hwmodel.emit.verilog.engines import engine_lines
from hwmodel.emit.verilog.group import agent_lines, frame_lines, group_ports, net_of, step_lines
from hwmodel.emit.verilog.memories import memories
from hwmodel.emit.verilog.wiring import GroupWiring, Outside, later_net, wire
from hwmodel.frame_states import constant_of
from hwmodel.streamed import SETTLING

FETCHING = SETTLING  # cycles from a pulse's count to the pulse
PULSES, GOES = "pulses", "go"  # the agent that counts them, and its control that says so


@dataclass(frozen=True, eq=False)
class FlowAgent:
    """What passes an end of the group, the agent that names the words of it, and the name of its lanes."""

    flow: Flow
    agent: Agent
    lanes: str


@dataclass(frozen=True)
class StreamSchedule(GroupSchedule):
    """A streaming group as hardware; `pulses` counts its pulses, `flows` move once in each.

    `set_up` are the arrays that are in registers while it streams.
    """

    hardware: StreamHardware
    pulses: Agent
    flows: tuple[FlowAgent, ...]
    set_up: tuple[str, ...]

    @property
    def stepping(self) -> Iterator[Agent]:
        """The agents that go through the steps together."""
        yield self.pulses
        yield from super().stepping

    @property
    def agents(self) -> Iterator[Agent]:
        """All agents."""
        yield from self.stepping
        yield from (own.agent for own in self.flows)

    @property
    def frames_back(self) -> frozenset[int]:
        """How many frames back delays reach whose states lie outside."""
        arrays = (*(own.flow.array for own in self.flows), *self.set_up)
        return frozenset(own.frames for array in arrays if (own := self._earlier(array)) is not None)

    @property
    def behind(self) -> Mapping[str, int]:
        """By array that passes its ends, how many frames behind the number of a start the one is that passes in it."""
        return {own.flow.array: own.flow.behind for own in self.flows}

    def _earlier(self, array: str) -> EarlierFrame | None:
        """What an array was in an earlier frame, if it is that."""
        return self.hardware.model.accesses.network.arrays[array].earlier

    def in_first_frames(self, array: str, data: str, count: int) -> str:
        """Some `count` data of an array; in frames with none before them, its default in their place."""
        earlier = self._earlier(array)
        if earlier is None:
            return data
        kind = self.hardware.model.accesses.network.arrays[array].type
        default = bits_of_constant(constant_of(earlier.delay), kind)
        return f"({later_net(earlier.frames)} ? {data} : {{{count}{{{kind.bits}'h{default:x}}}}})"

    @property
    def streaming(self) -> Mapping[str, Computing]:
        """The datapaths of its tasks."""
        return self.hardware.datapaths

    @property
    def cleared(self) -> int:
        """The cycles after a reset in which no frame begins, since memories of units are cleared."""
        return self.hardware.cleared

    @property
    def paces(self) -> Iterator[TaskPace]:
        """How fast each task goes."""
        for task in self.hardware.streamed.tasks:
            firing = self.hardware.firing[task]
            yield TaskPace(task, firing.units, firing.interval, firing.latency)

    @property
    def streamed(self) -> Mapping[str, object]:
        """Its pulses and line buffers as data."""
        streamed = self.hardware.streamed
        return {
            "chunk": self.hardware.stream.chunk,
            "frame": streamed.frame,
            "line": streamed.line,
            "starts": {name: node.firing.start for name, node in streamed.nodes.items()},
            "chains": chains_of(self.hardware),
        }

    def modules(self, prefix: str, outside: Outside, signed: Sequence[str]) -> Iterator[tuple[str, str]]:
        """All modules of the group by path."""
        yield from library_files(LIBRARY)
        yield from group_files(GroupModule(self.hardware, f"{prefix}stream", prefix))
        said = {own.agent.name: f"Which data of '{own.flow.array}' pass in each pulse." for own in self.flows}
        said[PULSES] = "The pulses of each step."
        for agent in self.agents:
            comment = (
                f"{said.get(agent.name, 'The memory port.')} {counted(len(agent.program.instructions), 'instruction')}"
            )
            waits = agent is not self.pulses
            yield f"rtl/{prefix}{agent.name}.v", agent_module(agent, prefix, f"{comment}.", waits=waits)
        module = _Printer(GroupWiring(self, prefix, {}, outside, frozenset(signed)), self).module(f"{prefix}top")
        tasks = ", ".join(f"'{task}'" for task in self.hardware.streamed.tasks)
        chunk = counted(self.hardware.stream.chunk, "pulse")
        comment = f"// {tasks} as a stream in chunks of {chunk}: {counted(self.steps, 'step')} a frame.\n"
        yield f"rtl/{prefix}top.v", comment + module


def chains_of(hardware: StreamHardware) -> list[dict[str, object]]:
    """The line buffers of a group as data."""
    return [
        {"of": f"{own.node} {own.port}", "place": own.place, "unit": own.unit, "kept": own.kept}
        | {"segments": [segment.depth for segment in own.segments]}
        for own in hardware.streamed.chains
    ]


@dataclass(frozen=True)
class _Printer:
    wiring: GroupWiring
    schedule: StreamSchedule

    def module(self, name: str) -> str:
        """The module of the group with its port."""
        wiring = self.wiring
        lines = [f"module {name} (", ",\n".join(group_ports(wiring)), ");"]
        lines += [*step_lines(wiring), *frame_lines(wiring), *agent_lines(wiring), *self._pulses()]
        for own in self.schedule.flows:
            lines += self._agent(own)
        lines += memories(wiring)
        for own in self.schedule.flows:
            lines += self._data(own)
        for array in self.schedule.set_up:
            lines += self._set_up(array)
        for engine in self.schedule.engines:
            lines += engine_lines(wiring, engine)
        return "\n".join([*lines, *self._stream(), "endmodule", "", *wiring.beside])

    def _pulses(self) -> Iterator[str]:
        """When the group moves: when its data have been fetched.

        Of frames inside the last pulse may come in cycles after the end of its frame's last step.
        """
        begins, keeps_frames = "start", self.schedule.hardware.keeps_frames
        yield "  // Pulses: the data of one are fetched in the cycle in which it is counted."
        yield f"  wire counts = {PULSES}_active && {PULSES}_is_{GOES} != 0;"
        yield f"  reg [{FETCHING - 1}:0] fetching;"
        yield f"  wire go = fetching[{FETCHING - 1}];"
        yield "  reg begins;  // the next pulse is the first of a frame"
        if keeps_frames:
            begins = f"starting[{FETCHING - 1}]"
            yield f"  reg [{FETCHING - 1}:0] starting;"
        yield "  always @(posedge clk) begin"
        if keeps_frames:
            yield f"    starting <= reset ? {FETCHING}'d0 : {{starting[{FETCHING - 2}:0], start}};"
        yield f"    fetching <= reset ? {FETCHING}'d0 : {{fetching[{FETCHING - 2}:0], counts}};"
        yield f"    begins <= reset || {begins} || (begins && !go);"
        yield "  end"

    def _agent(self, own: FlowAgent) -> Iterator[str]:
        """The agent of a flow, which goes on in each pulse."""
        agent = own.agent
        yield f"  // {own.flow.array}: what {'leaves' if own.flow.drain else 'comes'} in a pulse"
        yield f"  wire {agent.name}_active, {agent.name}_fin;"
        connected = [".clk(clk)", ".reset(reset)", ".run(1'b1)", ".advance(1'b1)"]
        connected += [f".go({'go' if own.flow.drain else 'counts'})"]
        connected += [f".{port}({agent.name}_{port})" for port in ("active", "fin")]
        for port in ports_of(agent):
            yield wire(net_of(agent, port.name), port.bits)
            connected.append(f".{port.name}({net_of(agent, port.name)})")
        yield f"  {self.wiring.prefix}{agent.name} {agent.name} (\n    {', '.join(connected)}\n  );"

    def _data(self, own: FlowAgent) -> Iterator[str]:
        """The data of a flow."""
        name, net = own.lanes, own.flow.net
        memory, lanes = self.wiring.lanes(name)
        yield f"  wire [{lanes * memory.width - 1}:0] {net};"
        if own.flow.drain:
            yield f"  assign {name}_writes = {name}_valid & {{{lanes}{{go}}}};"
            yield f"  assign {name}_data = {net};"
        else:
            yield f"  assign {net} = {self.schedule.in_first_frames(own.flow.array, f'{name}_data', lanes)};"

    def _set_up(self, array: str) -> Iterator[str]:
        """Registers that hold an array while the group streams."""
        memory = next(own for own in self.schedule.memories if own.array == array)
        (writer,) = self.schedule.writers[memory.name]
        width, lanes, address = memory.width, self.wiring.lanes(writer)[1], address_bits(memory)
        yield f"  reg [{memory.size * width - 1}:0] {plain(array)}$setup;"
        for place in range(memory.size):
            low = f"{plain(array)}$setup[{place * width} +: {width}]"
            yield "  always @(posedge clk) begin"
            for lane in range(lanes):
                there = f"{writer}_writes[{lane}]" if lanes > 1 else f"{writer}_writes"
                at = f"{writer}_address[{lane * address} +: {address}]" if lanes * address > 1 else f"{writer}_address"
                yield f"    if ({there} && {at} == {place}) {low} <= {writer}_data[{lane * width} +: {width}];"
            yield "  end"

    def _stream(self) -> Iterator[str]:
        """The group itself."""
        reset = "reset" if self.schedule.hardware.keeps_frames else "reset || start"
        connected = [".clk(clk)", f".reset({reset})", ".go(go)", ".begins(begins)"]
        connected += [".clear(reset)"] if self.schedule.cleared else []
        connected += [f".{own.flow.net}({own.flow.net})" for own in self.schedule.flows]
        arrays = self.schedule.hardware.model.accesses
        for array in self.schedule.set_up:
            held = self.schedule.in_first_frames(array, f"{plain(array)}$setup", arrays.size(array))
            connected.append(f".{plain(array)}$setup({held})")
        yield f"  {self.wiring.prefix}stream stream (\n    {', '.join(connected)}\n  );"
