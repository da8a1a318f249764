"""LUT, FF and clock of an emitted design on an ECP5: units and memories by the model, all else by its schedule.

The coefficients are fitted to designs that yosys 0.70 made cells of. `benchmarks/drawn_designs.py` says which, and
prints them. They are of the Verilog that arrayol emits, so a change of that asks for a new fit. The numbers of the
clock are those of twelve designs that nextpnr placed (docs/accuracy.md, "The clock of whole designs").
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

COEFFICIENTS: Mapping[str, Mapping[str, float]] = {
    "lut": {
        "agents": 24.96,
        "instructions": 1.681,
        "wraps": 2.216,
        "queued": 4.338,
        "joined": 0.942,
        "rows": 0.8026,
        "waiting": 1.278,
    },
    "ff": {"agents": 5.739, "states": 1.046, "counters": 1.817, "queued": 1.18, "stages": 0.2869},
}


UNITS = 0.97  # of the clock that a unit's chains of operators allow, with the wires of a whole design
STATE_NS = 1.8  # from a state to the operators that take it, or the default, and from these to the state
FETCH_NS, FETCH_BIT_NS = 3.1, 0.47  # from an instruction to the next one, and for each bit of its number


def clock_of_model(model: Mapping[str, Any]) -> float | None:
    """The clock in MHz that a design reaches: that of its slowest unit, with or without a state, or longest program.

    None without a technology of an ECP5, and for a design without programs, as one that is a stream alone.
    """
    units, longest = model.get("units_mhz"), model.get("scheduled", {}).get("longest", 0)
    if not str(model["technology"]).startswith("ecp5") or units is None or longest < 1:
        return None
    clocks = [UNITS * units, 1000 / (FETCH_NS + FETCH_BIT_NS * math.log2(longest))]
    if (with_state := model.get("state_mhz")) is not None:
        clocks.append(1000 / (1000 / with_state + STATE_NS))
    return round(float(min(clocks)), 1)


def logic_of_model(model: Mapping[str, Any]) -> dict[str, float]:
    """LUT and FF of a design from what design.json has under `model`; empty without a technology of an ECP5."""
    if not str(model["technology"]).startswith("ecp5"):
        return {}
    steering = model.get("steering", {})
    own = {cost: model["costs"].get(cost, 0) - steering.get(cost, 0) for cost in COEFFICIENTS}
    return logic_of({**model.get("features", {}), **model.get("scheduled", {})}, own)


def logic_of(features: Mapping[str, float], modelled: Mapping[str, float]) -> dict[str, float]:
    """LUT and FF of a design with the features of its schedule and units; `modelled` are those of units and memories.

    Empty for a design without these features, as one that is a stream alone.
    """
    if not features.get("agents"):
        return {}
    return {
        cost: round(modelled.get(cost, 0) + sum(each * features.get(name, 0) for name, each in own.items()))
        for cost, own in COEFFICIENTS.items()
    }
