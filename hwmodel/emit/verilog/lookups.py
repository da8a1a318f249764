"""Reads at subscripts of data: tables beside the units of a task, with a port for each read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hwmodel.emit.schedule.group import TaskAgents
from hwmodel.emit.schedule.memories import Memory
from hwmodel.emit.schedule.memory_styles import Style
from hwmodel.emit.schedule.units import ReadPort
from hwmodel.emit.verilog.access import AccessPorts
from hwmodel.emit.verilog.agents import address_bits, code_bits, codes
from hwmodel.emit.verilog.memories import content_text, copy_of
from hwmodel.emit.verilog.wiring import GroupWiring, lanes_wire, wire


def data_reads(wiring: GroupWiring, task: TaskAgents, port: str) -> list[tuple[int, AccessPorts]]:
    """The reads of an input at subscripts of data, each with the number of its unit."""
    own = [access for access in wiring.units[task.units.task].accesses if access.port == port]
    return [(unit, access) for unit in range(task.units.units) for access in own]


def lookups(wiring: GroupWiring, task: TaskAgents, port: ReadPort) -> Iterator[str]:
    """The tables of an input: ROMs with two ports, a port for each read; or, if it is written, a copy for each read."""
    memory, asked = port.lookup, data_reads(wiring, task, port.port)
    assert memory is not None, "a port with a lookup"
    for unit, access in asked:
        yield wire(access_net(task, unit, access.address), access.address_bits)
        yield wire(access_net(task, unit, access.data), memory.width)
    if memory.content is not None:
        yield from _roms(wiring, task, memory, asked)
        return
    if port.base:
        reader = task.reading.name
        yield f"  reg [{address_bits(memory) - 1}:0] {port.base};  // of the table of this step"
        yield f"  always @(posedge clk) if ({reader}_active) {port.base} <= {reader}_is_{port.base};"
    for unit, access in asked:
        net, data = access_net(task, unit, access.address), access_net(task, unit, access.data)
        yield from _written_table(wiring, port, (net, access.address_bits), data)


def _written_table(wiring: GroupWiring, port: ReadPort, asks: tuple[str, int], data: str) -> Iterator[str]:
    """A copy for one read, whose element is a net of some bits: the low ones name the bank, if banks are in turn."""
    memory, (net, width) = port.lookup, asks
    assert memory is not None, "a port with a lookup"
    low = (memory.banks - 1).bit_length() if not port.words else 0
    bits = low + address_bits(memory) if not port.words else max(1, (port.size - 1).bit_length())
    yield from _widened(net, width, bits)
    bank, address = f"{net}_wide[{max(0, low - 1)}:0]" if low else "1'b0", f"{net}_wide[{bits - 1}:{low}]"
    if port.words:
        banks = [codes(memory)[word // memory.depth] for word in port.words]
        places = {
            "bank": (banks, code_bits(memory)),
            "address": ([w % memory.depth for w in port.words], address_bits(memory)),
        }
        for what, (numbers, size) in places.items():
            yield f"  localparam [{size * len(numbers) - 1}:0] {net}_{what}s = {content_text(numbers, size)};"
        bank, address = (f"{net}_{what}s[{net}_wide*{size} +: {size}]" for what, (_, size) in places.items())
    yield lanes_wire(f"{net}_at", address_bits(memory))
    yield f"  assign {net}_at = {address}{f' + {port.base}' if port.base else ''};"
    at = {"valid": "1'b1", "bank": bank, "address": f"{net}_at", "data": data}
    yield from copy_of(wiring, memory, (f"{memory.name}_for_{net}", 1), at, wiring.schedule.writers[memory.name])


def _roms(
    wiring: GroupWiring, task: TaskAgents, memory: Memory, asked: Sequence[tuple[int, AccessPorts]]
) -> Iterator[str]:
    """A ROM for each two reads."""
    bits = address_bits(memory)
    own_module = f"{wiring.prefix}lookup_{memory.name}"
    wiring.beside.append(_lookup_module(own_module, memory, bits, wiring.schedule.styles[memory.name]))
    for first in range(0, len(asked), 2):
        pair = asked[first : first + 2]
        ports = [access_net(task, unit, access.address) for unit, access in pair]
        data = [access_net(task, unit, access.data) for unit, access in pair]
        wide = [f"{own}_wide" for own in ports]
        for own, (_, access) in zip(ports, pair, strict=True):
            yield from _widened(own, access.address_bits, bits)
        yield f"  {own_module} #(.PORTS({len(pair)})) {memory.name}_{first // 2} ("
        yield f"    .clk(clk), .address({{{', '.join(reversed(wide))}}}), .data({{{', '.join(reversed(data))}}})"
        yield "  );"


def _widened(net: str, width: int, bits: int) -> Iterator[str]:
    """A net of some width as `NET_wide`, of so many bits."""
    yield lanes_wire(f"{net}_wide", bits)
    short = bits - width
    value = f"{{{short}'d0, {net}}}" if short > 0 else f"{net}[{bits - 1}:0]" if width > 1 else net
    yield f"  assign {net}_wide = {value};"


def access_net(task: TaskAgents, unit: int, name: str) -> str:
    """The net of a port of a unit's datapath for a read at a subscript of data."""
    return f"{task.units.name}_unit{unit}_{name.replace('$', '_')}"


def _lookup_module(name: str, memory: Memory, bits: int, style: Style) -> str:
    """A ROM that is read at subscripts of data: through each port a word, two cycles after its address."""
    assert memory.content is not None, "a ROM"
    width = memory.width
    words = [f"    words[{at}] = {width}'h{word:x};" for at, word in enumerate(memory.content)]
    return "\n".join(
        [
            f"module {name} #(parameter PORTS = 1) (",
            "  input wire clk,",
            f"  input wire [PORTS*{bits}-1:0] address,",
            f"  output reg [PORTS*{width}-1:0] data",
            ");",
            f'  (* rom_style = "{"block" if style == Style.BLOCK else "logic"}" *)',
            f"  reg [{width - 1}:0] words [0:{memory.depth - 1}];",
            f"  reg [PORTS*{bits}-1:0] from;",
            "  integer port;",
            "  initial begin",
            *words,
            "  end",
            "  always @(posedge clk) begin",
            "    from <= address;",
            "    for (port = 0; port < PORTS; port = port + 1)",
            f"      data[port*{width} +: {width}] <= words[from[port*{bits} +: {bits}]];",
            "  end",
            "endmodule",
            "",
        ]
    )
