"""The design behind AXI4: a top module with the plain ports as one master, and a test bench with a slow memory.

The plain port has neither an answer to a write nor a memory that lets a request wait. Behind AXI4 both are there:
`done` comes when all that was written has been answered.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hwmodel.emit.verilog.agents import ModulePort, bits_of
from hwmodel.emit.verilog.top import Bench, Run
from hwmodel.emit.verilog.wiring import WORDS, Outside, engine_ports, wire

WIDTHS = tuple(8 << shift for shift in range(8))  # of data, in bits, that AXI4 has
ADDRESS = 32  # bits of an address, which counts bytes; 64 where these are too few
BASE = (1 << 16) + 4096  # in the test bench, the end of a page of 4 KB: word 0 lies a few words before it
SLOWER = 40  # times the cycles of the plain port, after which the test bench stops
PREFIX = "m_axi_"

_READ = ("araddr", "arlen", "arvalid", "arready", "rdata", "rresp", "rvalid", "rready")
_WRITE = (
    "awaddr", "awlen", "awvalid", "awready", "wdata", "wstrb", "wlast", "wvalid", "wready", "bresp", "bvalid", "bready",
)  # fmt: skip
_FROM_MEMORY = {
    "arready", "rid", "rdata", "rresp", "rlast", "rvalid", "awready", "wready", "bid", "bresp", "bvalid",
}  # fmt: skip
# What the memory of the test bench does not look at: it takes IDs, sizes and kinds as they are.
_UNSEEN = {f"{PREFIX}a{way}{own}" for way in "rw" for own in ("id", "size", "burst", "cache", "prot")}
_UNSEEN |= {f"{PREFIX}rid", f"{PREFIX}bid"}


def has_axi(outside: Outside) -> bool:
    """Whether AXI4 has a width for the words of the external memory."""
    return outside.word_bits in WIDTHS


def address_bits(outside: Outside) -> int:
    """The bits of an address."""
    return ADDRESS if outside.address_bits + _shift(outside) < ADDRESS else 2 * ADDRESS


def _shift(outside: Outside) -> int:
    return (outside.word_bits // 8).bit_length() - 1


def axi_ports(outside: Outside) -> tuple[ModulePort, ...]:
    """The ports of the master, by the names of AXI4 after a prefix."""
    word, address = outside.word_bits, address_bits(outside)
    bits = {"addr": address, "len": 8, "size": 3, "burst": 2, "cache": 4, "prot": 3, "resp": 2, "data": word}
    bits |= {"strb": word // 8}
    request = ("id", "addr", "len", "size", "burst", "cache", "prot", "valid", "ready")
    names = [f"ar{own}" for own in request] + ["rid", "rdata", "rresp", "rlast", "rvalid", "rready"]
    names += [f"aw{own}" for own in request] + ["wdata", "wstrb", "wlast", "wvalid", "wready"]
    names += ["bid", "bresp", "bvalid", "bready"]
    return tuple(
        ModulePort(
            PREFIX + name, bits.get(name.removeprefix(name[: 1 + name.startswith("a")]), 1), name not in _FROM_MEMORY
        )
        for name in names
    )


def axi_module(name: str, top: str, engines: Sequence[str], outside: Outside) -> str:
    """The top module with its ports as a master of AXI4.

    Word 0 of the external memory lies at the address `base`, a multiple of a word's bytes. `done` is the cycle in which
    all has been written and answered; `fault` says that an answer was an error. Where groups share a port, `taken` says
    that a frame begins with the next cycle.
    """
    own = ["aclk", "aresetn", "start"]
    head = [f"  input wire {port}" for port in own] + ["  output wire busy", "  output wire done"]
    head += ["  output wire taken"] if outside.shared else []
    head += [f"  input wire [{address_bits(outside) - 1}:0] base", "  output wire fault"]
    head += [port.declared() for port in axi_ports(outside)]
    lines = [f"module {name} (", ",\n".join(head), ");", "  wire reset = !aresetn;", *axi_design(top, engines, outside)]
    for number, engine in enumerate(engines):
        lines += master_port(number, engine, engines, outside)
    return "\n".join([*lines, *axi_constants(outside), "endmodule", ""])


def axi_constants(outside: Outside) -> Iterator[str]:
    """The signals of the master that never change."""
    for channel in ("ar", "aw"):
        yield f"  assign {PREFIX}{channel}id = 1'b0;  // one ID: all answers come in order"
        yield f"  assign {PREFIX}{channel}size = {_shift(outside)};  // a whole word in each beat"
        yield f"  assign {PREFIX}{channel}burst = 2'b01;  // INCR"
        yield f"  assign {PREFIX}{channel}cache = 4'b0011;  // normal memory, bufferable"
        yield f"  assign {PREFIX}{channel}prot = 3'b000;"


def axi_design(
    top: str, engines: Sequence[str], outside: Outside, added: str = "", settled: str = "!writing"
) -> Iterator[str]:
    """The design, and its end: a frame is done when the last write has been answered; a period ends when `settled`.

    The signals of its ports are declared and connected; their names have `added` after that of the engine.
    """
    connected = [".clk(aclk)", ".reset(reset)", ".start(start)"]
    if outside.shared:
        connected += [".busy(busy)", ".done(done)", ".taken(taken)", f".settled({settled})"]
    else:
        connected += [".busy(computes)", ".done(computed)"]
    for engine in engines:
        for port, signal in zip(engine_ports(engine, outside), engine_ports(f"{engine}{added}", outside), strict=True):
            yield wire(port.name, port.bits)
            connected.append(f".{port.name}({signal.name})")
    for number in range(len(engines)):
        yield f"  wire writing{number}, fault{number};"
        yield f"  wire [{address_bits(outside) - 1}:0] lowest{number}, highest{number};"
    writing = f"  wire writing = {' || '.join(f'writing{number}' for number in range(len(engines)))};"
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
    yield f"  assign fault = {' || '.join(f'fault{number}' for number in range(len(engines)))};"


def master_port(number: int, engine: str, engines: Sequence[str], outside: Outside) -> Iterator[str]:
    """A plain port as a master of AXI4; of separate ports the first reads and the last writes."""
    bits, writer = address_bits(outside), len(engines) - 1
    parameters = {
        "WIDTH": outside.word_bits, "SHIFT": _shift(outside), "ADDRESS": outside.address_bits, "COUNT": WORDS,
        "AXI": bits, "QUEUE": bits_of(outside.outstanding),
    }  # fmt: skip
    connected = [".clk(aclk)", ".reset(reset)", ".base(base)"]
    connected += [f".{port.name.removeprefix(f'{engine}_')}({port.name})" for port in engine_ports(engine, outside)]
    connected += [f".{own}({own}{number})" for own in ("writing", "lowest", "highest", "fault")]
    connected += [f".others(writing{writer})"]
    connected += [f".others_{own}({own}{writer})" for own in ("lowest", "highest")]
    for names, there in ((_READ, number == 0), (_WRITE, number == writer)):
        for name in names:
            signal = f"{PREFIX}{name}" if there else f"{_none(name, outside)}" if name in _FROM_MEMORY else ""
            connected.append(f".axi_{name}({signal})")
    given = ", ".join(f".{key}({value})" for key, value in parameters.items())
    yield f"  axi_port #({given}) {engine}_axi (\n    {', '.join(connected)}\n  );"


def _none(name: str, outside: Outside) -> str:
    """The constant 0 for an input of a channel that a port does not have."""
    return f"{outside.word_bits if name.endswith('data') else 2 if name.endswith('resp') else 1}'d0"


def axi_bench(name: str, bench: Bench, longest: int, run: Run) -> str:
    """The module `tb_axi`: frames as `tb` runs them, and then what the memory saw.

    That is `violations V reads R`: rules of AXI4 that were broken, and the most reads that were open at once.
    `+seed=N` makes the memory slow in other cycles.
    """
    outside, words = bench.outside, max(2, bench.addresses.words)
    bits, base = address_bits(outside), BASE - min(4, words) * outside.word_bits // 8
    memory = [port.name for port in axi_ports(outside) if port.name not in _UNSEEN]
    slots = f".WIDTH({outside.word_bits}), .SHIFT({_shift(outside)}), .AXI({bits}), .WORDS({words}), .BASE({base})"
    slots += f", .LATENCY({bench.latency})"
    lines = [
        "`timescale 1ns / 1ps",
        "module tb_axi;",
        "  reg clk = 0, reset = 1, start = 0;",
        "  wire busy, done, fault;",
        "  always #5 clk = !clk;",
        "  reg [31:0] seed;  // +seed=N",
        *(wire(port.name, port.bits) for port in axi_ports(outside)),
        f"  assign {PREFIX}rid = {PREFIX}arid, {PREFIX}bid = {PREFIX}awid;",
        *(["  wire taken;"] if bench.periods else []),
        f"  {name} under_test (.aclk(clk), .aresetn(!reset), .start(start), .busy(busy), .done(done),",
        *(["    .taken(taken),"] if bench.periods else []),
        f"    .base({bits}'d{base}), .fault(fault),",
        f"    {', '.join(f'.{port.name}({port.name})' for port in axi_ports(outside))}\n  );",
        f"  axi_memory #({slots}) memory (",
        "    .clk(clk), .reset(reset), .seed(seed),",
        f"    {', '.join(f'.{own.removeprefix(PREFIX)}({own})' for own in memory)}\n  );",
        *run(bench, longest, ['    if (!$value$plusargs("seed=%d", seed)) seed = 1;']),
        '    $display("violations %0d reads %0d", memory.violations + fault, memory.most);',
        "    $finish;",
        "  end",
        "endmodule",
        "",
    ]
    return "\n".join(lines)
