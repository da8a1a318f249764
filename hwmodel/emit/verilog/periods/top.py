"""The top module of groups that run at the same time: periods, turns at the port, and copies of arrays outside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hwmodel.emit.schedule.design import HardwareDesign, Periods
from hwmodel.emit.schedule.group import GroupSchedule
from hwmodel.emit.schedule.port import AddressMap
from hwmodel.emit.verilog.agents import bits_of
from hwmodel.emit.verilog.copies import CopiedArrays
from hwmodel.emit.verilog.top import with_engine
from hwmodel.emit.verilog.wiring import ASKS, GRANTED, SERVED, Outside, channels_of, engine_ports, wire


def periods_module(name: str, design: HardwareDesign, outside: Outside) -> str:
    """The module of a design with periods.

    A `start` is kept until the frame is `taken`, with the next period. `busy` says that some frame goes on, `done` is
    the last cycle of a frame. A period ends when what was written is `settled` too.
    """
    assert design.periods is not None, "groups in turn have another top module"
    return _Printer(design.groups, design.periods, design.addresses, outside).module(name)


@dataclass(frozen=True)
class _Printer:
    groups: Sequence[GroupSchedule]
    periods: Periods
    addresses: AddressMap
    outside: Outside

    @property
    def engines(self) -> list[str]:
        return [engine for channel in channels_of(self.groups, self.addresses) for engine in channel.engines]

    def module(self, name: str) -> str:
        ports = [port for engine in self.engines for port in engine_ports(engine, self.outside)]
        own = [f"  input wire {port}" for port in ("clk", "reset", "start", "settled")]
        own += [f"  output wire {port}" for port in ("taken", "busy", "done")]
        lines = [f"module {name} (", ",\n".join([*own, *(port.declared() for port in ports)]), ");"]
        lines += [*self._periods(), *self._turns()]
        for number, group in enumerate(self.groups):
            lines += self._group(number, group)
        for engine in self.engines:
            users = with_engine(self.groups, engine)
            for port in (port for port in engine_ports(engine, self.outside) if port.output):
                sent = ((number, self._copied.sent(port.name, number)) for number in users)
                masked = (f"(owner[{number}] ? {own} : {port.bits}'d0)" for number, own in sent)
                lines.append(f"  assign {port.name} = {' | '.join(masked)};")
        return "\n".join([*lines, "endmodule", ""])

    @property
    def _loading(self) -> list[int]:
        """The numbers of the groups that load something before the first frame."""
        return [number for number, group in enumerate(self.groups) if group.setup]

    @property
    def _vector(self) -> str:
        return f"[{len(self.groups) - 1}:0]"

    @property
    def _copied(self) -> CopiedArrays:
        return CopiedArrays(self.addresses, self.outside)

    def _periods(self) -> Iterator[str]:
        """The frames that are wanted, and the periods; what stays on the chip is loaded before the first one."""
        yield "  reg waits;  // a frame that was not taken yet"
        cleared = max(group.cleared for group in self.groups)
        if cleared:
            yield f"  reg [{bits_of(cleared + 1) - 1}:0] clearing;  // cycles until the memories of units are clear"
            yield f"  always @(posedge clk) clearing <= reset ? {cleared} : clearing == 0 ? 0 : clearing - 1'b1;"
        yield f"  wire wanted = {'(start || waits) && clearing == 0' if cleared else 'start || waits'};"
        yield f"  always @(posedge clk) waits <= !reset && {'(start || waits)' if cleared else 'wanted'} && !taken;"
        ready = "wanted"
        if self._loading:
            yield "  reg ready, loads;  // all that stays is there, or is being loaded"
            yield f"  wire {', '.join(f'loaded{number}' for number in self._loading)};"
            yield "  wire load = wanted && !ready && !loads;"
            yield f"  wire comes = loaded{self._loading[0]};"
            yield "  always @(posedge clk) begin"
            yield "    ready <= !reset && (ready || comes);"
            yield "    loads <= !reset && (load || (loads && !comes));"
            yield "  end"
            ready = "wanted && (ready || comes)"
        names = "busies", "running", "lasts", "starts", "works", ASKS, GRANTED, SERVED, "owner"
        yield f"  wire {self._vector} {', '.join(names)};"
        yield "  wire begins;"
        cycles = self.periods.cycles
        yield f"  period #(.GROUPS({len(self.groups)}), .CYCLES({cycles}), .COUNT({bits_of(cycles + 1)})) periods ("
        yield f"    .clk(clk), .reset(reset), .wanted({ready}), .busy(busies), .last(lasts), .settled(settled),"
        yield "    .taken(taken), .begins(begins), .starts(starts), .done(done), .works(works)"
        yield "  );"
        yield "  assign busy = works != 0;"

    def _turns(self) -> Iterator[str]:
        yield f"  port_turns #(.GROUPS({len(self.groups)})) turns ("
        asking = ASKS
        if self._loading[1:]:
            # All take the words that the first of them asks for before the first frame.
            listeners = sum(1 << number for number in self._loading[1:])
            asking = f"ready ? {ASKS} : {ASKS} & ~{len(self.groups)}'d{listeners}"
        yield f"    .clk(clk), .reset(reset), .begins(begins), .asks({asking}), .served({SERVED}),"
        yield f"    .granted({GRANTED}), .owner(owner)"
        yield "  );"

    def _group(self, number: int, group: GroupSchedule) -> Iterator[str]:
        connected = [".clk(clk)", ".reset(reset)", f".start(starts[{number}])", f".busy(busies[{number}])"]
        connected += [f".running(running[{number}])", f".last(lasts[{number}])"]
        connected += [f".{own}({own}[{number}])" for own in (ASKS, SERVED)]
        granted = f"{GRANTED}[{number}]"
        if number in self._loading[1:]:
            granted = f"ready ? {granted} : {GRANTED}[{self._loading[0]}]"
        connected.append(f".{GRANTED}({granted})")
        if group.setup:
            connected += [".load(load)", f".loaded(loaded{number})"]
        for port in (port for engine in group.engines for port in engine_ports(engine.name, self.outside)):
            if port.output:
                yield wire(f"{port.name}{number}", port.bits)
            connected.append(f".{port.name}({port.name}{number if port.output else ''})")
        for declared, connection in self._copied.connected(number, group):
            yield declared
            connected.append(connection)
        yield f"  group{number}_top group{number} (\n    {', '.join(connected)}\n  );"
        yield from self._copied.lines(number, group, f"lasts[{number}]")
