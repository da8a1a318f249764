"""A netlist whose ports are between registers, as within a larger design, in place of pins.

Pins lie round the edge of a device, and where nobody says which, placing spreads them and what is beside them. A port
to a memory beside the design has none. So each bit of an input comes from a register of its own, and each of an output
goes to one. What reaches a clock then is all that is between registers, ways from and to the ports among them.
"""

from __future__ import annotations

import json
from typing import Any

from arrayol.errors import error

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
