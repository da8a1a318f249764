"""Declarations of nets and registers, and conversions of a number from one width to another.

Every net is an unsigned vector of bits: all that a number needs is written out. Names that are generated here have a
`$`, which no name of a specification has. A net of an adder is kept (`(* keep *)`): as one expression a sum of many
would become one compressor tree, which takes more logic than its adders.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hwmodel.datapath.numbers import Number


@dataclass(frozen=True, slots=True)
class Net:
    """A vector of bits by its name, and the number that it holds."""

    name: str
    number: Number

    @property
    def bits(self) -> int:
        return self.number.bits

    @property
    def sign(self) -> str:
        """The highest bit."""
        return f"{self.name}[{self.bits - 1}]"


@dataclass(slots=True)
class Nets:
    """The lines of a module so far: `declared` nets, `assigned` values, and what is `clocked`.

    Instances of an `enabled` one have its input `go`, and names that say so.
    """

    declared: list[str] = field(default_factory=list)
    assigned: list[str] = field(default_factory=list)
    clocked: list[str] = field(default_factory=list)
    count: int = 0
    enabled: bool = False

    def wire(self, value: str, number: Number, *, keep: bool = False, name: str | None = None) -> Net:
        """Declare a net with a value."""
        net = self._net(name, number)
        attribute = "(* keep *) " if keep else ""
        self.declared.append(f"  {attribute}wire [{net.bits - 1}:0] {net.name};")
        self.assigned.append(f"  assign {net.name} = {value};")
        return net

    def register(self, value: str, number: Number, name: str | None = None, when: str = "") -> Net:
        """Declare a register that takes a value at each edge of the clock, or only if a condition holds."""
        net = self._net(name, number)
        self.declared.append(f"  reg [{net.bits - 1}:0] {net.name};")
        self.clocked.append(f"    {f'if ({when}) ' if when else ''}{net.name} <= {value};")
        return net

    def selected(
        self, index: str, width: int, choices: Mapping[str, Sequence[int]], otherwise: str, number: Number, name: str
    ) -> Net:
        """Declare a net that takes each choice at some values of an index, and another value otherwise.

        The index has `width` bits; `choices` has by value the indices at which the net takes it.
        """
        net = self._net(name, number)
        self.declared.append(f"  reg [{net.bits - 1}:0] {net.name};")
        lines = [
            f"      {', '.join(literal(place, width) for place in places)}: {net.name} = {value};"
            for value, places in choices.items()
            if value != otherwise
        ]
        lines.append(f"      default: {net.name} = {otherwise};")
        self.assigned.append("\n".join(["  always @*", f"    case ({index})", *lines, "    endcase"]))
        return net

    def instance(self, module: str, name: str, ports: Mapping[str, str], number: Number) -> Net:
        """Instantiate a module with a clock and other inputs; returns its output `y`."""
        net = self._net(None, number)
        self.declared.append(f"  wire [{net.bits - 1}:0] {net.name};")
        enable = {"go": "go"} if self.enabled else {}
        module = f"{module}_go" if self.enabled else module
        connected = {"clk": "clk", **enable, **ports, "y": net.name}
        listed = ", ".join(f".{port}({value})" for port, value in connected.items())
        self.assigned.append(f"  {module} {name} ({listed});")
        return net

    def case(self, index: str, choices: list[tuple[int, str]], width: int, number: Number) -> Net:
        """Declare a net that takes one of several values by an index of some bits; the last value also otherwise."""
        net = self._net(None, number)
        self.declared.append(f"  reg [{net.bits - 1}:0] {net.name};")
        lines = [f"      {width}'d{place}: {net.name} = {value};" for place, value in choices[:-1]]
        self.assigned.append(
            "\n".join(
                [
                    "  always @*",
                    f"    case ({index})",
                    *lines,
                    f"      default: {net.name} = {choices[-1][1]};",
                    "    endcase",
                ]
            )
        )
        return net

    def _net(self, name: str | None, number: Number) -> Net:
        self.count += 1
        return Net(name or f"t${self.count}", number)


_WORDS = """
always and assign automatic begin buf bufif0 bufif1 case casex casez cell cmos config deassign default defparam
design disable edge else end endcase endconfig endfunction endgenerate endmodule endprimitive endspecify endtable
endtask event for force forever fork function generate genvar highz0 highz1 if ifnone incdir include initial inout
input instance integer join large liblist library localparam macromodule medium module nand negedge nmos nor
noshowcancelled not notif0 notif1 or output parameter pmos posedge primitive pull0 pull1 pulldown pullup
pulsestyle_onevent pulsestyle_ondetect rcmos real realtime reg release repeat rnmos rpmos rtran rtranif0 rtranif1
scalared showcancelled signed small specify specparam strong0 strong1 supply0 supply1 table task time tran tranif0
tranif1 tri tri0 tri1 triand trior trireg unsigned use vectored wait wand weak0 weak1 while wire wor xnor xor
accept_on alias always_comb always_ff always_latch assert assume before bind bins binsof bit break byte chandle
checker class clocking const constraint context continue cover covergroup coverpoint cross dist do endchecker endclass
endclocking endgroup endinterface endpackage endprogram endproperty endsequence enum eventually expect export extends
extern final first_match foreach forkjoin global iff ignore_bins illegal_bins implements implies import inside int
interconnect interface intersect join_any join_none let local logic longint matches modport nettype new nexttime null
package packed priority program property protected pure rand randc randcase randsequence ref reject_on restrict return
s_always s_eventually s_nexttime s_until s_until_with sequence shortint shortreal soft solve static string strong
struct super sync_accept_on sync_reject_on tagged this throughout timeprecision timeunit type typedef union unique
unique0 until until_with untyped uwire var virtual void wait_order weak wildcard with within
clk go slot valid first
"""
RESERVED = frozenset(_WORDS.split())  # of Verilog, then of SystemVerilog, then ports that all datapaths have


def identifier(name: str) -> str:
    """A name of a specification as a Verilog identifier."""
    return f"{name}$" if name in RESERVED else name


def literal(value: int, bits: int) -> str:
    """An integer as a Verilog literal of some bits."""
    return f"{bits}'h{value & (1 << bits) - 1:x}"


def resized(net: Net, bits: int) -> str:
    """The value of a net in so many bits: its low bits, or extended by its sign."""
    if bits == net.bits:
        return net.name
    if bits < net.bits:
        return f"{net.name}[{bits - 1}:0]"
    more = bits - net.bits
    return f"{{{{{more}{{{net.sign}}}}}, {net.name}}}" if net.number.is_signed else f"{{{more}'d0, {net.name}}}"


def part(net: Net, bits: int, low: int) -> str:
    """The bits from `low` on of the value of a net in so many bits."""
    if bits <= net.bits:
        return f"{net.name}[{bits - 1}:{low}]"
    sign = net.sign if net.number.is_signed else "1'b0"
    if low >= net.bits:  # all that is left is the sign
        return f"{{{bits - low}{{{sign}}}}}"
    return f"{{{{{bits - net.bits}{{{sign}}}}}, {net.name}[{net.bits - 1}:{low}]}}"


def biased(net: Net, bits: int, *, signed: bool) -> str:
    """A number such that comparing without a sign gives the order: with the sign bit inverted."""
    text = resized(net, bits)
    return f"({text} ^ {literal(1 << (bits - 1), bits)})" if signed else text
