"""A group of tasks as a Verilog module: its steps, agents, memories, units and ports, wired together.

All agents go through the steps together. `advance` is 1 in the last cycle of a step, when every agent is through with
it. A group is `running` while it is `busy` with a frame. With a setup it runs before all frames too, for one step in
which it loads what stays on the chip (`loading`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from hwmodel.emit.schedule.activity import Agent
from hwmodel.emit.schedule.group import GroupSchedule
from hwmodel.emit.verilog.agents import AHEAD, bits_of, ends_at_once, ports_of
from hwmodel.emit.verilog.engines import engine_lines
from hwmodel.emit.verilog.memories import memories
from hwmodel.emit.verilog.tasks import task_lines
from hwmodel.emit.verilog.wiring import (
    ASKS,
    GRANTED,
    SERVED,
    GroupWiring,
    Outside,
    UnitModule,
    copied_port,
    engine_ports,
    later_net,
    wire,
)

AT_PORT = "at_port"  # whether the agents of the port go on, where others use the port too


def group_module(
    name: str,
    prefix: str,
    schedule: GroupSchedule,
    units: Mapping[str, UnitModule],
    outside: Outside,
    signed: Sequence[str],
) -> str:
    """The module of a group, whose agents have names after a prefix.

    `units` has the module of each task's datapath, `signed` the arrays of signed elements.
    """
    return _module(GroupWiring(schedule, prefix, units, outside, frozenset(signed)), name)


def _module(wiring: GroupWiring, name: str) -> str:
    head = [f"module {name} (", ",\n".join(group_ports(wiring)), ");"]
    body = [*step_lines(wiring), *frame_lines(wiring), *agent_lines(wiring), *memories(wiring)]
    body += [line for task in wiring.schedule.tasks for line in task_lines(wiring, task)]
    body += [line for engine in wiring.schedule.engines for line in engine_lines(wiring, engine)]
    return "\n".join([*head, *body, "endmodule", "", *wiring.beside])


def group_ports(wiring: GroupWiring) -> list[str]:
    """The ports in the head of a group's module."""
    setup, shared = wiring.schedule.setup, wiring.outside.shared
    inputs = ["clk", "reset", *(("load",) if setup else ()), "start", *((GRANTED,) if shared else ())]
    outputs = ["reg busy", "wire running", "wire last", *(("wire loaded",) if setup else ())]
    outputs += [f"wire {own}" for own in (ASKS, SERVED) if shared]
    ports = [port for own in wiring.schedule.engines for port in engine_ports(own.name, wiring.outside)]
    ports += [copied_port(own.name, wiring.outside) for own in wiring.schedule.engines if wiring.outside.copies]
    heads = [f"  input wire {own}" for own in inputs] + [f"  output {own}" for own in outputs]
    return [*heads, *(port.declared() for port in ports)]


def step_lines(wiring: GroupWiring) -> Iterator[str]:
    """The steps: the next one begins when all agents are through; with a setup, step 0 comes before all frames.

    Agents that never wait say a cycle ahead that they are through, and the register `through` keeps it. So only the
    agents that wait for the external memory are on the path to `advance`.
    """
    schedule = wiring.schedule
    setup = schedule.setup
    steps, first = schedule.steps + setup, int(setup)
    waiting = [agent.name for agent in schedule.stepping if agent.name in schedule.port_agents]
    others = [agent for agent in schedule.stepping if agent.name not in schedule.port_agents]
    yield "  // Steps: the next one begins in the cycle after the last agent is through."
    yield from (f"  wire {name}_active, {name}_fin;" for name in waiting)
    yield from (f"  wire {agent.name}_active, {', '.join(f'{agent.name}_{own}' for own in AHEAD)};" for agent in others)
    yield f"  reg [{bits_of(steps) - 1}:0] step;"
    yield "  reg is_last;  // it is the last step"
    yield "  reg through;  // all agents of tasks are, or in their last row of the step"
    yield "  reg restart;  // it is the first cycle of a step, from which slots of units are counted"
    yield from _advance(wiring, [f"{name}_fin" for name in waiting])
    if setup:
        yield "  reg loading;"
        yield "  assign running = busy || loading;"
        yield "  assign loaded = advance && loading;"
        yield "  always @(posedge clk) loading <= !reset && (load || (loading && !loaded));"
    else:
        yield "  assign running = busy;"
    yield "  assign last = advance && is_last;"
    yield "  always @(posedge clk) restart <= !busy || advance;"
    where, wait = (" && ".join(f"{agent.name}_{own}" for agent in others) for own in AHEAD)
    yield "  always @(posedge clk)"
    yield "    if (reset) begin"
    yield "      busy <= 1'b0;"
    yield "      step <= 0;"
    yield f"      is_last <= 1'b{int(steps == 1)};"
    yield f"      through <= 1'b{int(all(map(ends_at_once, others)))};"
    yield "    end else begin"
    yield "      busy <= start || (busy && !last);"
    yield "      if (advance) begin"
    yield f"        step <= is_last ? {first} : step + 1'b1;"
    yield f"        is_last <= {_final(steps, first)};"
    yield "      end"
    yield f"      if (running) through <= advance ? {where} :\n        {wait};"
    yield "    end"


def _advance(wiring: GroupWiring, through: Sequence[str]) -> Iterator[str]:
    """The end of a step; `through` are the nets by which agents of the port say that they are through."""
    ends = ["running", "through", *through]
    if wiring.outside.turn > 1:
        yield "  wire turns;  // the step moves something, and its turn of the port is not over"
        ends.append("!turns")
    yield f"  wire advance = {' && '.join(ends)};"


def frame_lines(wiring: GroupWiring) -> Iterator[str]:
    """Nets that say whether enough frames have ended for delays over frames to have values."""
    frames = sorted(wiring.schedule.frames_back)
    if frames == [1]:
        yield f"  reg {later_net(1)};  // a frame has ended since the reset"
        yield f"  always @(posedge clk) {later_net(1)} <= !reset && ({later_net(1)} || last);"
    elif frames:
        bits = bits_of(frames[-1] + 1)
        yield f"  reg [{bits - 1}:0] ended;  // frames since the reset, up to {frames[-1]}"
        yield f"  always @(posedge clk) ended <= reset ? {bits}'d0 : ended + (last && ended != {bits}'d{frames[-1]});"
        yield from (f"  wire {later_net(number)} = ended >= {bits}'d{number};" for number in frames)


def _final(steps: int, first: int) -> str:
    """Whether the next step is the last of a frame; frames begin with step `first`."""
    if steps - 1 == first:  # frames of one step
        return "1'b1"
    return f"!is_last && step == {steps - 2}"


def agent_lines(wiring: GroupWiring) -> Iterator[str]:
    """The agents that go through the steps together."""
    for engine in wiring.schedule.engines:
        yield from (f"  wire {engine.name}_{own};" for own in ("requests_go", "passing_go", "room"))
    going = dict[str, str]()
    for engine in wiring.schedule.engines:
        going |= {
            engine.requests.name: f"{engine.name}_requests_go",
            engine.passing.name: f"{engine.name}_passing_go",
            engine.storing.name: f"{engine.name}_room",
        }
    shared = wiring.outside.shared
    if shared:
        yield f"  wire {AT_PORT};  // the agents of the port go on"
    for agent in wiring.schedule.stepping:
        yield from _agent(wiring, agent, going.get(agent.name))
    if shared:
        yield from _asking(wiring)
    if wiring.outside.turn > 1:
        yield from _turn(wiring)


def _moves(wiring: GroupWiring) -> str:
    """Whether a step loads or stores, in its first cycle."""
    return " || ".join(f"{own.requests.name}_is_asks != 0" for own in wiring.schedule.engines)


def _turn(wiring: GroupWiring) -> Iterator[str]:
    """A step that loads or stores lasts for a turn at least; what is loaded before all frames takes none."""
    turn = wiring.outside.turn
    yield f"  reg [{bits_of(turn) - 1}:0] passed;  // cycles of the step, up to those of a turn"
    yield "  reg late;  // it is not the first cycle of the step"
    yield "  reg waits;  // the turn goes on"
    yield f"  assign turns = late ? waits : busy && ({_moves(wiring)});"
    yield "  always @(posedge clk) begin"
    yield "    late <= !reset && running && !advance;"
    yield f"    passed <= !late ? 1 : passed + (passed != {turn - 1});"
    yield f"    waits <= turns && (late ? passed : 0) < {turn - 2};"
    yield "  end"


def _asking(wiring: GroupWiring) -> Iterator[str]:
    """A step that loads or stores asks for the port in its first cycle, and until it is granted.

    Before that its agents of the port stand at their first rows.
    """
    waiting = [agent.name for agent in wiring.schedule.stepping if agent.name in wiring.schedule.port_agents]
    yield "  // The port: a step asks for it in its first cycle, and until it is granted."
    yield "  reg begun;  // it is not the first cycle of the step"
    yield "  reg waits;  // the step has asked, and was not granted"
    yield f"  assign {ASKS} = running && (begun ? waits : {_moves(wiring)});"
    yield f"  assign {AT_PORT} = running && (!{ASKS} || {GRANTED});"
    yield f"  assign {SERVED} = {' && '.join(f'{name}_fin' for name in waiting)};"
    yield "  always @(posedge clk) begin"
    yield "    begun <= !reset && running && !advance;"
    yield f"    waits <= !reset && {ASKS} && !{GRANTED};"
    yield "  end"


def _agent(wiring: GroupWiring, agent: Agent, go: str | None) -> Iterator[str]:
    """The instance of an agent; one of a port waits until it may `go`."""
    own = [f".go({go})", f".fin({agent.name}_fin)"] if go else [f".{name}({agent.name}_{name})" for name in AHEAD]
    connected = [f".{name}({name})" for name in ("clk", "reset", "advance")]
    runs = AT_PORT if go and wiring.outside.shared else "running"
    connected += [f".run({runs})", f".active({agent.name}_active)", *own]
    for port in ports_of(agent):
        net = net_of(agent, port.name)
        yield wire(net, port.bits)
        connected.append(f".{port.name}({net})")
    yield f"  {wiring.prefix}{agent.name} {agent.name} (\n    {', '.join(connected)}\n  );"


def net_of(agent: Agent, port: str) -> str:
    """The net of an output of an agent: lanes have names of their own."""
    return f"{agent.name}_{port}" if port.startswith(("is_", "at_")) else port
