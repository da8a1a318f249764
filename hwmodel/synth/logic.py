"""LUT and FF of all of an emitted design on an ECP5: units and memories by the model, all else by its schedule.

The coefficients are fitted to designs that yosys 0.70 made cells of. `benchmarks/drawn_designs.py` says which, and
prints them. They are of the Verilog that arrayol emits, so a change of that asks for a new fit.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

COEFFICIENTS: Mapping[str, Mapping[str, float]] = {
    "lut": {
        "agents": 28.44,
        "instructions": 1.515,
        "wraps": 2.177,
        "queued": 4.002,
        "joined": 0.9248,
        "rows": 0.1689,
        "waiting": 1.324,
    },
    "ff": {"agents": 7.143, "states": 1.023, "counters": 1.893, "queued": 1.022, "stages": 0.2775},
}


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
