"""Tables of a stream's units: a read at a place that data say, of an array that is resident."""

from __future__ import annotations

from collections.abc import Iterator

from hwmodel.emit.schedule.names import plain
from hwmodel.emit.streams.hardware import StreamHardware
from hwmodel.emit.streams.names import node_name, vector
from hwmodel.emit.verilog.wiring import UnitModule
from hwmodel.stream.nodes import Node

_AHEAD = 2  # cycles from an address to its word


def lookup_lines(
    hardware: StreamHardware, node: Node, where: tuple[UnitModule, int], connected: list[str], beside: list[str]
) -> Iterator[str]:
    """A read port for each read of a unit, of a ROM or of registers that are loaded.

    Their ports are `connected` with the unit's, modules of ROMs stand `beside`.
    """
    own_module, unit = where
    for access in own_module.accesses:
        touch = next(one for one in hardware.model.accesses.reads[node.name] if one.port == access.port)
        assert access.wait == _AHEAD, "a technology leaves a table its cycles"
        own = f"{node_name(node.name)}$unit{unit}${access.address.replace('$', '_')}"
        bits = max(1, (hardware.model.accesses.size(touch.array) - 1).bit_length())
        yield f"  wire {vector(access.address_bits)}{own};"
        yield f"  wire {vector(bits)}{own}_in = {own};"
        if touch.array in hardware.contents:
            module = f"{own_module.name}$table_{access.port}"
            text = _module(module, hardware.contents[touch.array].tolist(), (bits, access.element_bits))
            if text not in beside:
                beside.append(text)
            yield f"  wire {vector(access.element_bits)}{own}_data;"
            yield f"  {module} {own}_table (.clk(clk), .go(go), .address({own}_in), .data({own}_data));"
        else:
            yield from _of_registers(f"{plain(touch.array)}$setup", own, (bits, access.element_bits))
        connected += [f".{access.address}({own})", f".{access.data}({access.of_element(f'{own}_data')})"]


def _of_registers(held: str, own: str, sizes: tuple[int, int]) -> Iterator[str]:
    """A read of a table that is in registers while the group streams."""
    address, bits = sizes
    yield f"  reg {vector(address)}{own}_from;"
    yield f"  reg {vector(bits)}{own}_data;"
    yield "  always @(posedge clk)"
    yield "    if (go) begin"
    yield f"      {own}_from <= {own}_in;"
    yield f"      {own}_data <= {held}[{own}_from*{bits} +: {bits}];"
    yield "    end"


def _module(name: str, words: list[int], sizes: tuple[int, int]) -> str:
    """A ROM: a word two cycles after its address."""
    address, bits = sizes
    return "\n".join(
        [
            f"module {name} (",
            "  input wire clk,",
            "  input wire go,",
            f"  input wire {vector(address)}address,",
            f"  output reg {vector(bits)}data",
            ");",
            f"  reg {vector(bits)}words [0:{max(2, len(words)) - 1}];",
            f"  reg {vector(address)}from;",
            "  initial begin",
            *(f"    words[{at}] = {bits}'h{word:x};" for at, word in enumerate(words)),
            "  end",
            "  always @(posedge clk)",
            "    if (go) begin",
            "      from <= address;",
            "      data <= words[from];",
            "    end",
            "endmodule",
            "",
        ]
    )
