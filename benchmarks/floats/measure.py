"""An operator synthesised, placed and routed for an ECP5 (LFE5U-25F, speed grade 6): its cost and clock.

Operands come from registers that are filled bit by bit, so that no pin is far from what is measured; they are not
counted, the register of the result is.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hwmodel.emit.system.ecp5_device import Ecp5Device
from hwmodel.emit.verilog.datapaths.floats.netlist import Circuit
from hwmodel.synth.ecp5 import Amounts, place, synthesise

SEEDS = (1, 2, 3)  # placements, of which the middle one counts
DEVICE = Ecp5Device("25k", "CABGA381", "6")


@dataclass(frozen=True)
class Measured:
    """`mhz` after routing, the median of `runs`; LUTs are TRELLIS_COMB, DSPs multipliers of 18 x 18."""

    lut: int
    ff: int
    dsp: int
    mhz: float
    runs: tuple[float, ...]


def measure(circuit: Circuit, folder: Path, ask_mhz: float = 0.0) -> Measured:
    """Cost and clock of an operator; nextpnr is asked for the clock that the cuts were made for, or for `ask_mhz`."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "op.v").write_text(circuit.verilog() + _top(circuit))
    synthesise(folder, ["op.v"], "top")
    asked = min(ask_mhz or 1000 / (circuit.period + 1.0), 250.0)
    runs = [place(folder, DEVICE, asked, seed) for seed in SEEDS]
    used = Amounts.of_placed(runs[0].used)
    scanned = sum(value.width for value in circuit.operands) + (circuit.every > 1)
    clocks = [run.mhz or 0.0 for run in runs]
    return Measured(used.lut, used.ff - scanned, used.dsp, sorted(clocks)[len(clocks) // 2], tuple(clocks))


def _top(circuit: Circuit) -> str:
    total = sum(value.width for value in circuit.operands)
    start = ", .start(start)" if circuit.every > 1 else ""
    place, ports = 1, []
    for value in circuit.operands:
        ports.append(f".{value.name}(chain[{place + value.width - 1}:{place}])")
        place += value.width
    fixed = '.GSR("AUTO"), .CEMUX("1"), .CLKMUX("CLK"), .LSRMUX("LSR"), .SRMODE("LSR_OVER_CE"), .REGSET("RESET")'
    pins = ".CLK(clk), .LSR(1'b0), .CE(1'b1)"
    # As cells of the device: written as registers they would be merged with those that delay an operand by a cycle.
    return f"""
module top(input clk, input data, input go, output [{circuit.width - 1}:0] y);
  wire [{total}:0] chain;
  wire start;
  assign chain[0] = data;
  genvar i;
  generate for (i = 0; i < {total}; i = i + 1) begin : operand
    TRELLIS_FF #({fixed}) bit (.DI(chain[i]), .Q(chain[i + 1]), {pins});
  end endgenerate
  TRELLIS_FF #({fixed}) starting (.DI(go), .Q(start), {pins});
  {circuit.name} op(.clk(clk){start}, {", ".join(ports)}, .y(y));
endmodule
"""
