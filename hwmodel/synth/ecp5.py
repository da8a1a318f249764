"""Verilog for a Lattice ECP5: yosys makes cells of it, nextpnr places them and says which clock they reach."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from arrayol.errors import error
from hwmodel.emit.system.ecp5_device import Ecp5Device
from hwmodel.synth.tools import NEXTPNR, YOSYS, run_tool

# A netlist whose ports are between registers, as within a larger design, in place of pins.
#
# Pins lie round the edge of a device, and where nobody says which, placing spreads them and what is beside them. A port
# to a memory beside the design has none. So each bit of an input comes from a register of its own, and each of an
# output goes to one. What reaches a clock then is all that is between registers, ways from and to the ports among them.


CLOCK = "clk"
_REGISTER = {"CEMUX": "1 ", "CLKMUX": "CLK", "GSR": "DISABLED", "LSRMUX": "LSR", "REGSET": "RESET"}
_SIDES = {"CLK": "input", "DI": "input", "LSR": "input", "Q": "output"}


def with_port_registers(text: str) -> tuple[str, int]:
    """A netlist that yosys wrote with registers for its ports but the clock, and how many these are.

    Raises ArrayolError (`synthesis-failed`) for one without the clock.
    """
    document: Any = json.loads(text)
    top = next(module for module in document["modules"].values() if "top" in module["attributes"])
    if CLOCK not in top["ports"]:
        message = f"the synthesised module has no clock '{CLOCK}'"
        raise error("synthesis-failed", message, hint="emit the design again, and synthesise it as it is")
    clock, fresh = top["ports"][CLOCK]["bits"], _first_free(top)
    data, free, count = fresh, fresh + 1, 0
    for port in (own for name, own in top["ports"].items() if name != CLOCK):
        for bit in (own for own in port["bits"] if isinstance(own, int)):
            inwards = port["direction"] == "input"
            wires = {"DI": [data], "Q": [bit]} if inwards else {"DI": [bit], "Q": [free + count]}
            top["cells"][f"port_register{count}"] = {
                "hide_name": 0,
                "type": "TRELLIS_FF",
                "parameters": _REGISTER,
                "attributes": {},
                "port_directions": _SIDES,
                "connections": {"CLK": clock, "LSR": ["0"], **wires},
            }
            count += 1
    top["ports"] = {CLOCK: top["ports"][CLOCK], "data": {"direction": "input", "bits": [data]}}
    return json.dumps(document), count


def _first_free(top: Any) -> int:
    """A number above those of all nets."""
    nets = (bit for net in top["netnames"].values() for bit in net["bits"])
    wires = (bit for cell in top["cells"].values() for bits in cell["connections"].values() for bit in bits)
    ports = (bit for port in top["ports"].values() for bit in port["bits"])
    return 1 + max((bit for found in (nets, wires, ports) for bit in found if isinstance(bit, int)), default=1)


NETLIST, YOSYS_LOG = "netlist.json", "yosys.log"
PLACED, NEXTPNR_LOG, CONFIG = "report.json", "nextpnr.log", "design.config"
REGISTERED = "registered.json"  # the netlist with its ports between registers
FLIP_FLOP = "TRELLIS_FF"
CARRIES, RAM = 2, 6  # LUTs of a CCU2C, and of a DPR16X4: four hold it, two more write


@dataclass(frozen=True)
class Netlist:
    """What yosys made: the type of each cell by its name, which begins with those of the instances that it is in."""

    cells: Mapping[str, str]
    creator: str

    @cached_property
    def counts(self) -> Counter[str]:
        """How many cells of each type there are."""
        return Counter(self.cells.values())


@dataclass(frozen=True, slots=True)
class PlacedDesign:
    """What nextpnr made: how many of each element of the device are used, and the clock that is reached.

    Registers around the ports are not among what is used.
    """

    used: Mapping[str, int]
    mhz: float | None  # None where nothing is clocked


@dataclass(frozen=True, slots=True)
class Amounts:
    """What cells take of an ECP5. LUTs are of carry chains and distributed memories too."""

    lut: int = 0
    ff: int = 0
    dsp: int = 0
    blocks: int = 0
    ram: int = 0  # cells of 16 x 4 bits, whose LUTs are among the others

    @staticmethod
    def of(counts: Mapping[str, int]) -> Amounts:
        """Amounts of a netlist's cells by type, before packing."""
        get = counts.get
        ram = get("TRELLIS_DPR16X4", 0)
        lut = get("LUT4", 0) + CARRIES * get("CCU2C", 0) + RAM * ram
        return Amounts(lut, get(FLIP_FLOP, 0), get("MULT18X18D", 0), get("DP16KD", 0), ram)

    @staticmethod
    def of_placed(used: Mapping[str, int]) -> Amounts:
        """Amounts of a placed design, from the device's elements that it uses."""
        names = ("TRELLIS_COMB", FLIP_FLOP, "MULT18X18D", "DP16KD", "TRELLIS_RAMW")
        return Amounts(*(used.get(name, 0) for name in names))


def synthesise(folder: Path, sources: Sequence[str], top: str) -> Netlist:
    """The netlist of Verilog in a folder, written there with yosys's log. Raises ArrayolError (`synthesis-failed`)."""
    script = f"read_verilog {' '.join(sources)}; synth_ecp5 -top {top} -json {NETLIST}"
    run_tool([YOSYS, "-q", "-l", YOSYS_LOG, "-p", script], folder)
    return read_netlist((folder / NETLIST).read_text(encoding="utf-8"))


def place(
    folder: Path, device: Ecp5Device, mhz: float, seed: int = 1, config: str | None = None, *, registers: bool = False
) -> PlacedDesign:
    """The netlist of a folder placed and routed, with nextpnr's report and log, and a file for `ecppack`.

    Its ports are pins, or between `registers`. nextpnr is asked for `mhz`, and may fall short of it. Raises
    ArrayolError (`synthesis-failed`).
    """
    where, source, around = device.options, NETLIST, 0
    if registers:
        source = REGISTERED
        text, around = with_port_registers((folder / NETLIST).read_text(encoding="utf-8"))
        (folder / source).write_text(text, encoding="utf-8", newline="\n")
    asked = ["--json", source, "--freq", f"{mhz:g}", "--seed", str(seed), "--timing-allow-fail"]
    written = ["--report", PLACED, "--quiet", "--log", NEXTPNR_LOG, *(("--textcfg", config) if config else ())]
    run_tool([NEXTPNR, *where, *asked, *written], folder)
    return read_placed((folder / PLACED).read_text(encoding="utf-8"), around)


def read_netlist(text: str) -> Netlist:
    """A netlist that yosys wrote, of one module."""
    document: Any = json.loads(text)
    tops = [module for module in document["modules"].values() if "top" in module["attributes"]]
    cells = {name: cell["type"] for name, cell in tops[0]["cells"].items() if not cell["type"].startswith("$")}
    version = re.match(r"Yosys [\d.]+", document["creator"])
    return Netlist(cells, version.group() if version else document["creator"])


def read_placed(text: str, around: int = 0) -> PlacedDesign:
    """A report that nextpnr wrote of a design with so many registers around its ports."""
    report: Any = json.loads(text)
    clocks = [clock["achieved"] for clock in report["fmax"].values()]
    used = {name: element["used"] for name, element in report["utilization"].items() if element["used"]}
    if around:
        used[FLIP_FLOP] -= around
    return PlacedDesign(used, round(min(clocks), 1) if clocks else None)


def nextpnr_version(folder: Path) -> str:
    """Its name and version, as nextpnr says them."""
    found = re.search(r"nextpnr-([\w.]+)", run_tool([NEXTPNR, "--version"], folder).partition("Version")[2])
    return f"nextpnr {found.group(1)}" if found else "nextpnr"
