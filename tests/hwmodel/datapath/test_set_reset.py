"""Multiplexers with a constant before a register take no logic."""

from __future__ import annotations

import pytest
from strategies_bodies import elementary_of

from hwmodel.datapath.cost import done_by_registers
from hwmodel.datapath.derive import Derived, derivation_of
from hwmodel.datapath.technology.technology import load_technology


def derived_of(ports: str, body: str, clock_mhz: float) -> Derived:
    return derivation_of(elementary_of(f"elementary e{ports} {{ {body} }}"), load_technology("ecp5-6"), clock_mhz).at(1)


def logic_of(derived: Derived) -> float:
    return sum(float(use.cost.get("lut", 0)) for use in derived.operators if use.name == "mux")


@pytest.mark.parametrize(
    ("clock_mhz", "value", "logic"),
    [
        (150, "u32(a) + b if c else 12345", 0),  # a register behind it: the next sum is in the next cycle
        (40, "u32(a) + b if c else 12345", 17),  # the next sum is in the same cycle
        (150, "(a ^ b) if c else 12345", 16),  # the bits before it are LUTs all the same
        (150, "a if c else b", 16),
    ],
)
def test_a_limit_before_a_sum(clock_mhz: float, value: str, logic: int) -> None:
    ports = "(a: u16, b: u16, c: bool, d: u32) -> (y: u32)"
    derived = derived_of(ports, f"t: u32 = {value} y = (t + d) + (t >> 3)", clock_mhz)
    assert logic_of(derived) == logic
    done = done_by_registers(derived.priced, derived.folded)
    assert bool(done) == (logic == 0)
