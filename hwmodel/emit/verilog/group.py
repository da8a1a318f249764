"""A group of tasks as a Verilog module: its steps, agents, memories, units and ports, wired together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from hwmodel.emit.schedule.activity import Agent
from hwmodel.emit.schedule.group import GroupSchedule
from hwmodel.emit.verilog.agents import bits_of, ports_of
from hwmodel.emit.verilog.engines import engine_lines
from hwmodel.emit.verilog.memories import memories
from hwmodel.emit.verilog.tasks import task_lines
from hwmodel.emit.verilog.wiring import Outside, UnitModule, Wiring, engine_ports, wire


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
    return _module(Wiring(schedule, prefix, units, outside, frozenset(signed)), name)


def _module(wiring: Wiring, name: str) -> str:
    setup = wiring.schedule.setup
    engines = [own.name for own in wiring.schedule.engines]
    ports = [port.declared() for engine in engines for port in engine_ports(engine, wiring.outside)]
    inputs = [f"  input wire {own}" for own in ("clk", "reset", *(("load",) if setup else ()), "start")]
    outputs = ["  output reg busy", "  output wire running", "  output wire last"]
    outputs += ["  output wire loaded"] if setup else []
    head = [f"module {name} (", ",\n".join([*inputs, *outputs, *ports]), ");"]
    body = [*_steps(wiring), *_agents(wiring), *memories(wiring)]
    body += [line for task in wiring.schedule.tasks for line in task_lines(wiring, task)]
    body += [line for engine in wiring.schedule.engines for line in engine_lines(wiring, engine)]
    return "\n".join([*head, *body, "endmodule", "", *wiring.beside])


def _steps(wiring: Wiring) -> Iterator[str]:
    """Steps: the next one begins when all agents are through; the first may be that before all frames."""
    setup = wiring.schedule.setup
    steps, first = wiring.schedule.steps + setup, int(setup)
    agents = [agent.name for agent in wiring.schedule.agents]
    yield "  // Steps: the next one begins in the cycle after the last agent is through."
    yield from (f"  wire {name}_active, {name}_fin;" for name in agents)
    yield f"  reg [{bits_of(steps) - 1}:0] step;"
    if setup:
        yield "  reg loading;"
        yield "  assign running = busy || loading;"
        yield "  assign loaded = advance && loading;"
        yield "  always @(posedge clk) loading <= !reset && (load || (loading && !loaded));"
    else:
        yield "  assign running = busy;"
    yield f"  wire advance = running && {' && '.join(f'{name}_fin' for name in agents)};"
    yield f"  assign last = advance && step == {steps - 1};"
    yield "  always @(posedge clk)"
    yield "    if (reset) begin"
    yield "      busy <= 1'b0;"
    yield "      step <= 0;"
    yield "    end else begin"
    yield "      busy <= start || (busy && !last);"
    yield f"      if (advance) step <= last ? {first} : step + 1'b1;"
    yield "    end"


def _agents(wiring: Wiring) -> Iterator[str]:
    going = {task.name: "1'b1" for own in wiring.schedule.tasks for task in (own.reading, own.writing)}
    for engine in wiring.schedule.engines:
        going |= {
            engine.requests.name: f"{engine.name}_requests_go",
            engine.passing.name: f"{engine.name}_passing_go",
            engine.storing.name: f"{engine.name}_room",
        }
        yield from (f"  wire {engine.name}_{own};" for own in ("requests_go", "passing_go", "room"))
    for agent in wiring.schedule.agents:
        yield from _agent(wiring, agent, going[agent.name])


def _agent(wiring: Wiring, agent: Agent, go: str) -> Iterator[str]:
    connected = [f".{own}({own})" for own in ("clk", "reset", "advance")]
    connected += [".run(running)", f".go({go})", f".active({agent.name}_active)", f".fin({agent.name}_fin)"]
    for port in ports_of(agent):
        own = _net(agent, port.name)
        yield wire(own, port.bits)
        connected.append(f".{port.name}({own})")
    yield f"  {wiring.prefix}{agent.name} {agent.name} (\n    {', '.join(connected)}\n  );"


def _net(agent: Agent, port: str) -> str:
    """The net of an output of an agent: lanes have names of their own."""
    return f"{agent.name}_{port}" if port.startswith(("is_", "at_")) else port
