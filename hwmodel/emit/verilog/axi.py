"""The design behind AXI4: a top module with the plain ports of a channel as a master, and a test bench.

Its memories are slow. Each channel of the external memory has a master, and a `base` where its word 0 lies.

The plain port has neither an answer to a write nor a memory that lets a request wait. Behind AXI4 both are there:
`done` comes when all that was written has been answered.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from hwmodel.emit.verilog.agents import ModulePort, bits_of
from hwmodel.emit.verilog.top import Bench, Run, words_in
from hwmodel.emit.verilog.wiring import WORDS, ChannelPorts, Outside, engine_ports, wire

WIDTHS = tuple(8 << shift for shift in range(8))  # of data, in bits, that AXI4 has
ADDRESS = 32  # bits of an address, which counts bytes; 64 where these are too few
BASE = (1 << 16) + 4096  # in the test bench, the end of a page of 4 KB: word 0 lies a few words before it
SLOWER = 40  # times the cycles of the plain port, after which the test bench stops

_READ = ("araddr", "arlen", "arvalid", "arready", "rdata", "rresp", "rvalid", "rready")
_WRITE = (
    "awaddr", "awlen", "awvalid", "awready", "wdata", "wstrb", "wlast", "wvalid", "wready", "bresp", "bvalid", "bready",
)  # fmt: skip
_FROM_MEMORY = {
    "arready", "rid", "rdata", "rresp", "rlast", "rvalid", "awready", "wready", "bid", "bresp", "bvalid",
}  # fmt: skip
# What the memory of the test bench does not look at: it takes IDs, sizes and kinds as they are.
_UNSEEN = {f"a{way}{own}" for way in "rw" for own in ("id", "size", "burst", "cache", "prot")} | {"rid", "bid"}


def bus_of(channel: ChannelPorts) -> str:
    """The name of a channel's master, which its ports begin with."""
    return f"m_axi{channel.tag}"


def bases_of(channels: Sequence[ChannelPorts]) -> list[str]:
    """By channel the name of the address of its word 0."""
    return [f"base{channel.tag}" for channel in channels]


def has_axi(outside: Outside) -> bool:
    """Whether AXI4 has a width for the words of the external memory."""
    return outside.word_bits in WIDTHS


def address_bits(outside: Outside) -> int:
    """The bits of an address."""
    return ADDRESS if outside.address_bits + _shift(outside) < ADDRESS else 2 * ADDRESS


def _shift(outside: Outside) -> int:
    return (outside.word_bits // 8).bit_length() - 1


def axi_ports(channel: ChannelPorts, outside: Outside) -> tuple[ModulePort, ...]:
    """The ports of a channel's master, by the names of AXI4 after a prefix."""
    word, address = outside.word_bits, address_bits(outside)
    bits = {"addr": address, "len": 8, "size": 3, "burst": 2, "cache": 4, "prot": 3, "resp": 2, "data": word}
    bits |= {"strb": word // 8}
    request = ("id", "addr", "len", "size", "burst", "cache", "prot", "valid", "ready")
    names = [f"ar{own}" for own in request] + ["rid", "rdata", "rresp", "rlast", "rvalid", "rready"]
    names += [f"aw{own}" for own in request] + ["wdata", "wstrb", "wlast", "wvalid", "wready"]
    names += ["bid", "bresp", "bvalid", "bready"]
    return tuple(
        ModulePort(
            f"{bus_of(channel)}_{name}",
            bits.get(name.removeprefix(name[: 1 + name.startswith("a")]), 1),
            name not in _FROM_MEMORY,
        )
        for name in names
    )


def axi_module(name: str, top: str, channels: Sequence[ChannelPorts], outside: Outside) -> str:
    """The top module with its ports as a master of AXI4, or one for each channel.

    Word 0 of the external memory lies at the address `base`, a multiple of a word's bytes. `done` is the cycle in which
    all has been written and answered; `fault` says that an answer was an error. Where groups share a port, `taken` says
    that a frame begins with the next cycle.
    """
    own = ["aclk", "aresetn", "start"]
    head = [f"  input wire {port}" for port in own] + ["  output wire busy", "  output wire done"]
    head += ["  output wire taken"] if outside.shared else []
    head += [f"  input wire [{address_bits(outside) - 1}:0] {base}" for base in bases_of(channels)]
    head.append("  output wire fault")
    head += [port.declared() for channel in channels for port in axi_ports(channel, outside)]
    lines = [f"module {name} (", ",\n".join(head), ");", "  wire reset = !aresetn;"]
    lines += axi_design(top, channels, outside)
    for channel in channels:
        lines += [line for engine in channel.engines for line in master_port(engine, channel, outside)]
    return "\n".join([*lines, *axi_constants(channels, outside), "endmodule", ""])


def axi_constants(channels: Sequence[ChannelPorts], outside: Outside) -> Iterator[str]:
    """The signals of the masters that never change."""
    for request in (f"{bus_of(channel)}_{way}" for channel in channels for way in ("ar", "aw")):
        yield f"  assign {request}id = 1'b0;  // one ID: all answers come in order"
        yield f"  assign {request}size = {_shift(outside)};  // a whole word in each beat"
        yield f"  assign {request}burst = 2'b01;  // INCR"
        yield f"  assign {request}cache = 4'b0011;  // normal memory, bufferable"
        yield f"  assign {request}prot = 3'b000;"


def axi_design(
    top: str,
    channels: Sequence[ChannelPorts],
    outside: Outside,
    signals: Mapping[str, str] | None = None,
    settled: str = "!writing",
) -> Iterator[str]:
    """The design, and its end: a frame is done when the last write has been answered; a period ends when `settled`.

    The signals of its ports are declared and connected; `signals` has by engine what their names begin with, if that is
    not the engine's name.
    """
    connected = [".clk(aclk)", ".reset(reset)", ".start(start)"]
    if outside.shared:
        connected += [".busy(busy)", ".done(done)", ".taken(taken)", f".settled({settled})"]
    else:
        connected += [".busy(computes)", ".done(computed)"]
    engines = [engine for channel in channels for engine in channel.engines]
    for engine in engines:
        own = engine_ports((signals or {}).get(engine, engine), outside)
        for port, signal in zip(engine_ports(engine, outside), own, strict=True):
            yield wire(port.name, port.bits)
            connected.append(f".{port.name}({signal.name})")
    for engine in engines:
        yield f"  wire {engine}_writing, {engine}_fault;"
        yield f"  wire [{address_bits(outside) - 1}:0] {engine}_lowest, {engine}_highest;"
    writing = f"  wire writing = {' || '.join(f'{engine}_writing' for engine in engines)};"
    if outside.shared:
        yield writing
        yield f"  {top} plain (\n    {', '.join(connected)}\n  );"
    else:
        yield "  wire computes, computed;"
        yield f"  {top} plain (\n    {', '.join(connected)}\n  );"
        yield "  reg finishes;  // the frame is computed, and some words are still on their way"
        yield writing
        yield "  assign busy = computes || finishes;"
        yield "  assign done = finishes && !writing;"
        yield "  always @(posedge aclk) finishes <= !reset && (computed || (finishes && writing));"
    yield f"  assign fault = {' || '.join(f'{engine}_fault' for engine in engines)};"


def master_port(engine: str, channel: ChannelPorts, outside: Outside) -> Iterator[str]:
    """A plain port as a master of AXI4; of separate ports the first reads and the last writes."""
    bits, (reader, *_), writer = address_bits(outside), channel.engines, channel.engines[-1]
    parameters = {
        "WIDTH": outside.word_bits, "SHIFT": _shift(outside), "ADDRESS": outside.address_bits, "COUNT": WORDS,
        "AXI": bits, "QUEUE": bits_of(outside.outstanding),
    }  # fmt: skip
    connected = [".clk(aclk)", ".reset(reset)", f".base(base{channel.tag})"]
    connected += [f".{port.name.removeprefix(f'{engine}_')}({port.name})" for port in engine_ports(engine, outside)]
    connected += [f".{own}({engine}_{own})" for own in ("writing", "lowest", "highest", "fault")]
    connected += [f".others({writer}_writing)"]
    connected += [f".others_{own}({writer}_{own})" for own in ("lowest", "highest")]
    for names, there in ((_READ, engine == reader), (_WRITE, engine == writer)):
        for name in names:
            bus = f"{bus_of(channel)}_{name}"
            signal = bus if there else f"{_none(name, outside)}" if name in _FROM_MEMORY else ""
            connected.append(f".axi_{name}({signal})")
    given = ", ".join(f".{key}({value})" for key, value in parameters.items())
    yield f"  axi_port #({given}) {engine}_axi (\n    {', '.join(connected)}\n  );"


def _none(name: str, outside: Outside) -> str:
    """The constant 0 for an input of a channel that a port does not have."""
    return f"{outside.word_bits if name.endswith('data') else 2 if name.endswith('resp') else 1}'d0"


def axi_bench(name: str, bench: Bench, longest: int, run: Run) -> str:
    """The module `tb_axi`: frames as `tb` runs them, and then what the memory saw.

    That is `violations V reads R`: rules of AXI4 that were broken, and the most reads that were open at once at a
    memory. `+seed=N` makes the memories slow in other cycles.
    """
    outside, channels, bits = bench.outside, bench.channels, address_bits(bench.outside)
    ports = [port for channel in channels for port in axi_ports(channel, outside)]
    memories = [f"memory{channel.tag}" for channel in channels]
    lines = [
        "`timescale 1ns / 1ps",
        "module tb_axi;",
        "  reg clk = 0, reset = 1, start = 0;",
        "  wire busy, done, fault;",
        "  always #5 clk = !clk;",
        "  reg [31:0] seed;  // +seed=N",
        *(wire(port.name, port.bits) for port in ports),
        *(f"  assign {own}_rid = {own}_arid, {own}_bid = {own}_awid;" for own in map(bus_of, channels)),
        *(["  wire taken;"] if bench.periods else []),
        f"  {name} under_test (.aclk(clk), .aresetn(!reset), .start(start), .busy(busy), .done(done),",
        *(["    .taken(taken),"] if bench.periods else []),
        *(f"    .base{channel.tag}({bits}'d{_base(channel, outside)})," for channel in channels),
        "    .fault(fault),",
        f"    {', '.join(f'.{port.name}({port.name})' for port in ports)}\n  );",
        *(line for channel in channels for line in _memory(channel, bench)),
        *run(bench, longest, ['    if (!$value$plusargs("seed=%d", seed)) seed = 1;']),
        *(f'    $display("violations %0d reads %0d", {own}.violations + fault, {own}.most);' for own in memories),
        "    $finish;",
        "  end",
        "endmodule",
        "",
    ]
    return "\n".join(lines)


def _base(channel: ChannelPorts, outside: Outside) -> int:
    """The address of the first word of a channel in the test bench."""
    return BASE - min(4, words_in(channel)) * outside.word_bits // 8


def _memory(channel: ChannelPorts, bench: Bench) -> Iterator[str]:
    """A memory of the test bench; those of several channels are slow in different cycles."""
    outside, prefix = bench.outside, f"{bus_of(channel)}_"
    seen = [port.name for port in axi_ports(channel, outside) if port.name.removeprefix(prefix) not in _UNSEEN]
    slots = f".WIDTH({outside.word_bits}), .SHIFT({_shift(outside)}), .AXI({address_bits(outside)})"
    slots += f", .WORDS({words_in(channel)}), .BASE({_base(channel, outside)}), .LATENCY({bench.latency})"
    yield f"  axi_memory #({slots}) memory{channel.tag} ("
    yield f"    .clk(clk), .reset(reset), .seed(seed{f' + {channel.number}' if channel.number else ''}),"
    yield f"    {', '.join(f'.{own.removeprefix(prefix)}({own})' for own in seen)}\n  );"
