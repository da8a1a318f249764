"""The design behind AXI4 and AXI4-Lite: registers start it, say how it does, and hold its small inputs.

Between the plain port and its master of AXI4, `register_reads` answers reads of inputs that lie in registers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hwmodel.emit.verilog.agents import ModulePort, bits_of
from hwmodel.emit.verilog.axi import address_bits, axi_constants, axi_design, axi_ports, bases_of, master_port
from hwmodel.emit.verilog.layout import REGISTER, OutsideLayout
from hwmodel.emit.verilog.wiring import WORDS, ChannelPorts, Outside, engine_ports, wire

ADDRESS = 12  # bits of an address of a register, which counts bytes
PREFIX = "s_axi_"
_ADDED = "_core"  # after an engine's name: its signals on the side of the design


def control_ports() -> tuple[ModulePort, ...]:
    """The ports of the slave of AXI4-Lite, by its names after a prefix."""
    bits = {"addr": ADDRESS, "data": 32, "strb": 4, "resp": 2}
    outputs = {"awready", "wready", "bresp", "bvalid", "arready", "rdata", "rresp", "rvalid"}
    names: tuple[str, ...] = (
        "awaddr",
        "awvalid",
        "awready",
        "wdata",
        "wstrb",
        "wvalid",
        "wready",
        "bresp",
        "bvalid",
        "bready",
    )
    names += ("araddr", "arvalid", "arready", "rdata", "rresp", "rvalid", "rready")
    return tuple(
        ModulePort(PREFIX + name, next((bits[end] for end in bits if name.endswith(end)), 1), name in outputs)
        for name in names
    )


def ip_module(name: str, top: str, channels: Sequence[ChannelPorts], outside: Outside, layout: OutsideLayout) -> str:
    """The top module with a slave of AXI4-Lite for its registers and masters of AXI4 for its external memory."""
    head = ["  input wire aclk", "  input wire aresetn", "  output wire irq"]
    head += [port.declared() for port in control_ports()]
    head += [port.declared() for channel in channels for port in axi_ports(channel, outside)]
    lines = [f"module {name} (", ",\n".join(head), ");", "  wire reset = !aresetn;"]
    lines += _registers(channels, outside, layout)
    held = [channel for channel in channels if layout.held(channel.number)]
    cores = {engine: f"{engine}{_ADDED}" for channel in held for engine in channel.engines}
    for core in cores.values():
        lines += [wire(port.name, port.bits) for port in engine_ports(core, outside)]
    # A period ends when the outputs of the frame before are taken, so that no later frame can overwrite them.
    lines += axi_design(top, channels, outside, cores, settled="!writing && !unread")
    for channel in channels:
        for engine in channel.engines:
            if channel in held:
                lines += _between(engine, channel, outside, layout)
            lines += master_port(engine, channel, outside)
    return "\n".join([*lines, *axi_constants(channels, outside), "endmodule", ""])


def _registers(channels: Sequence[ChannelPorts], outside: Outside, layout: OutsideLayout) -> Iterator[str]:
    yield f"  wire start, busy, done, fault, unread{', taken' if outside.shared else ''};"
    yield wire("bases", address_bits(outside) * len(layout.sizes))
    for channel, base in zip(channels, bases_of(channels), strict=True):
        yield wire(base, address_bits(outside))
        yield f"  assign {base} = bases[{channel.number * address_bits(outside)} +: {address_bits(outside)}];"
    yield wire("values", 8 * REGISTER * layout.registers)
    frames = layout.frames if outside.shared else 1  # the register of the frame is of those that overlap
    parameters = {
        "VALUES": layout.registers, "BITS": bits_of(layout.registers), "AXI": address_bits(outside),
        "FRAMES": frames, "COUNT": bits_of(frames), "CHANNELS": len(layout.sizes),
    }  # fmt: skip
    given = ", ".join(f".{key}({value})" for key, value in parameters.items())
    connected = [".clk(aclk)", ".reset(reset)"]
    connected += [f".{port.name.removeprefix(PREFIX)}({port.name})" for port in control_ports()]
    connected += [f".{own}({own})" for own in ("start", "busy", "done", "fault", "unread", "irq", "bases", "values")]
    connected.append(".taken(taken)" if outside.shared else ".taken(1'b0)")
    yield f"  control_registers #({given}) registers (\n    {', '.join(connected)}\n  );"


def _between(engine: str, channel: ChannelPorts, outside: Outside, layout: OutsideLayout) -> Iterator[str]:
    """Instance of `register_reads` at a port: some arrays come from registers, all others from the memory."""
    core = f"{engine}{_ADDED}"
    held, first = [], ["0"]
    for begins, words, at in layout.held(channel.number):
        inside = [f"{core}_address >= {begins}"] if begins else []
        inside.append(f"{core}_address < {begins + words}")
        held.append(f"({' && '.join(inside)})")
        first.insert(0, f"{held[-1]} ? {core}_address - {begins} + {at}")
    index = bits_of(layout.register_words)
    yield f"  wire {engine}_held = !{core}_write && ({' || '.join(held)});"
    yield f"  wire [{index - 1}:0] {engine}_first = {' : '.join(first)};"
    parameters = {
        "WIDTH": outside.word_bits, "COUNT": WORDS, "QUEUE": bits_of(outside.outstanding),
        "VALUES": layout.register_words, "INDEX": index,
    }  # fmt: skip
    given = ", ".join(f".{key}({value})" for key, value in parameters.items())
    connected = [".clk(aclk)", ".reset(reset)", f".values(values[{outside.word_bits * layout.register_words - 1}:0])"]
    connected += [f".{own}({core}_{own})" for own in ("request", "words", "rvalid", "rdata", "rready", "wready")]
    connected += [f".wvalid({core}_wvalid)", f".held({engine}_held)", f".first({engine}_first)"]
    own = ("request", "rvalid", "rdata", "rready", "wready")
    connected += [f".port_{name}({engine}_{name})" for name in own]
    yield f"  register_reads #({given}) {engine}_registers (\n    {', '.join(connected)}\n  );"
    for port in ("address", "words", "write", "wvalid", "wdata", "wstrobe"):
        yield f"  assign {engine}_{port} = {core}_{port};"
