"""The top module of groups that run at the same time: periods, turns at the port, and copies of arrays outside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hwmodel.emit.schedule.design import HardwareDesign, Periods
from hwmodel.emit.schedule.group import GroupSchedule
from hwmodel.emit.schedule.port import AddressMap
from hwmodel.emit.verilog.agents import bits_of
from hwmodel.emit.verilog.top import with_engine
from hwmodel.emit.verilog.wiring import ASKS, GRANTED, SERVED, Outside, channels_of, copied_port, engine_ports, wire


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
                masked = (f"(owner[{number}] ? {self._sent(port.name, number)} : {port.bits}'d0)" for number in users)
                lines.append(f"  assign {port.name} = {' | '.join(masked)};")
        return "\n".join([*lines, "endmodule", ""])

    @property
    def _vector(self) -> str:
        return f"[{len(self.groups) - 1}:0]"

    @staticmethod
    def _sent(port: str, number: int) -> str:
        """The net that a group sends to a port; addresses are moved to the copy of its frame."""
        return (
            f"{port}{number}"
            if not port.endswith("_address")
            else f"({port}{number} + {port.removesuffix('_address')}_ahead{number})"
        )

    def _periods(self) -> Iterator[str]:
        """The frames that are wanted, and the periods; what stays on the chip is loaded before the first one."""
        loading = [number for number, group in enumerate(self.groups) if group.setup]
        yield "  reg waits;  // a frame that was not taken yet"
        cleared = max(group.cleared for group in self.groups)
        if cleared:
            yield f"  reg [{bits_of(cleared + 1) - 1}:0] clearing;  // cycles until the memories of units are clear"
            yield f"  always @(posedge clk) clearing <= reset ? {cleared} : clearing == 0 ? 0 : clearing - 1'b1;"
        yield f"  wire wanted = {'(start || waits) && clearing == 0' if cleared else 'start || waits'};"
        yield f"  always @(posedge clk) waits <= !reset && {'(start || waits)' if cleared else 'wanted'} && !taken;"
        ready = "wanted"
        if loading:
            yield "  reg ready, loads;  // all that stays is there, or is being loaded"
            yield f"  wire {', '.join(f'loaded{number}' for number in loading)};"
            yield "  wire load = wanted && !ready && !loads;"
            yield f"  wire comes = loaded{loading[-1]};"
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
        yield f"    .clk(clk), .reset(reset), .begins(begins), .asks({ASKS}), .served({SERVED}),"
        yield f"    .granted({GRANTED}), .owner(owner)"
        yield "  );"

    def _group(self, number: int, group: GroupSchedule) -> Iterator[str]:
        connected = [".clk(clk)", ".reset(reset)", f".start(starts[{number}])", f".busy(busies[{number}])"]
        connected += [f".running(running[{number}])", f".last(lasts[{number}])"]
        connected += [f".{own}({own}[{number}])" for own in (GRANTED, ASKS, SERVED)]
        if group.setup:
            before = [other for other, own in enumerate(self.groups[:number]) if own.setup]
            connected += [f".load({f'loaded{before[-1]}' if before else 'load'})", f".loaded(loaded{number})"]
        for port in (port for engine in group.engines for port in engine_ports(engine.name, self.outside)):
            if port.output:
                yield wire(f"{port.name}{number}", port.bits)
            connected.append(f".{port.name}({port.name}{number if port.output else ''})")
        for port in (copied_port(engine.name, self.outside) for engine in group.engines):
            yield wire(f"{port.name}{number}", port.bits)
            connected.append(f".{port.name}({port.name}{number})")
        yield f"  group{number}_top group{number} (\n    {', '.join(connected)}\n  );"
        yield from self._copies(number, group)

    def _copies(self, number: int, group: GroupSchedule) -> Iterator[str]:
        """By how many words the copies of a group's frame lie ahead of the first ones."""
        arrays = [array for array in _arrays_of(group) if array in self.addresses.copies]
        for copies in sorted({self.addresses.copies[array] for array in arrays}):
            counter = f"frame{number}_of{copies}"
            yield f"  reg [{bits_of(copies) - 1}:0] {counter};  // the frame of group {number}, modulo {copies}"
            yield "  always @(posedge clk)"
            yield f"    if (reset) {counter} <= 0;"
            yield f"    else if (lasts[{number}]) {counter} <= {counter} == {copies - 1} ? 0 : {counter} + 1'b1;"
        for engine in (engine.name for engine in group.engines):
            copied = copied_port(engine, self.outside)
            yield f"  reg [{self.outside.address_bits - 1}:0] {engine}_ahead{number};"
            yield "  always @*"
            yield f"    case ({copied.name}{number})"
            for place, array in enumerate(self.addresses.copies, 1):
                if array in arrays:
                    yield f"      {place}: {engine}_ahead{number} = {self._ahead(number, array)};  // {array}"
            yield f"      default: {engine}_ahead{number} = 0;"
            yield "    endcase"

    def _ahead(self, number: int, array: str) -> str:
        """How far the copy of an array for a group's frame is from the first one."""
        size, copies = self.addresses.sizes[array], self.addresses.copies[array]
        chosen = (f"frame{number}_of{copies} == {copy} ? {copy * size} : " for copy in range(1, copies))
        return f"{''.join(chosen)}0"


def _arrays_of(group: GroupSchedule) -> list[str]:
    """The arrays that a group loads and stores, each once."""
    return list(dict.fromkeys(own.array for engine in group.engines for own in engine.lanes))
