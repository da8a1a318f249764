"""Pipelines in Verilog against their graphs, at the predicted cycle."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies_bodies import INTEGER_TYPES, drawn_inputs, elementaries, elementary_of, runnable
from verilog_programs import bench_says, needs_icarus

from arrayol import api
from arrayol.ir.spec import Elementary
from hwmodel.datapath.derive import Derived, derivation_of
from hwmodel.datapath.graph.build import build_graph
from hwmodel.datapath.graph.count import MAXIMUM_NODES, count_nodes
from hwmodel.datapath.graph.evaluate import evaluate
from hwmodel.datapath.technology.technology import load_technology
from hwmodel.emit.verilog.datapath import datapath_module

ROOT = Path(__file__).resolve().parents[4]
SPECS = sorted((ROOT / "specs").glob("*.aol"))
ECP5 = load_technology("ecp5-6")
MANY = 1300  # operations; Icarus takes long for more
LONG = 64  # cycles of an interval

pytestmark = needs_icarus


def derived_of(elementary: Elementary, clock_mhz: float, interval: int = 1) -> Derived:
    return derivation_of(elementary, ECP5, clock_mhz).at(interval)


def is_of_integers(elementary: Elementary) -> bool:
    if elementary.body is None or count_nodes(elementary) > MAXIMUM_NODES:
        return False
    return not any(number.is_float for number in build_graph(elementary).numbers)


def assert_datapath(elementary: Elementary, clock_mhz: float, interval: int, seed: int) -> None:
    """The module gives what the graph gives, in the cycles that the schedule says."""
    found = runnable(elementary, drawn_inputs(elementary.inputs, 16, seed))
    if found is None:
        return
    inputs, _ = found
    derived = derived_of(elementary, clock_mhz, interval)
    outputs = evaluate(derived.priced.dataflow.graph, inputs)
    assert bench_says(derived, inputs, outputs) == "0 wrong\n"


def offered(elementary: Elementary, clock_mhz: float) -> list[int]:
    """The intervals worth trying that are small."""
    return [interval for interval in derivation_of(elementary, ECP5, clock_mhz).intervals if interval <= LONG]


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
@pytest.mark.parametrize("clock_mhz", [50, 120])
def test_shipped_bodies_of_integers(path: Path, clock_mhz: float) -> None:
    for elementary in api.load(path).elementaries.values():
        if is_of_integers(elementary) and count_nodes(elementary) <= MANY:
            for interval in offered(elementary, clock_mhz):
                assert_datapath(elementary, clock_mhz, interval, 1)


@given(elementaries(INTEGER_TYPES), st.sampled_from([30, 75, 110, 200]), st.integers(0, 1000), st.data())
@settings(max_examples=60)
def test_drawn_bodies(text: str, clock_mhz: float, seed: int, data: st.DataObject) -> None:
    elementary = elementary_of(text)
    if is_of_integers(elementary):
        clock_mhz = min(clock_mhz, 90) if "mul" in build_graph(elementary).operators else clock_mhz
        worth = st.sampled_from(offered(elementary, clock_mhz))
        interval = data.draw(st.one_of(worth, st.integers(1, 7)), label="interval")
        assert_datapath(elementary, clock_mhz, interval, seed)


@pytest.mark.parametrize("interval", [1, 2, 3])
def test_an_output_a_cycle_off_is_wrong(interval: int) -> None:
    """The bench compares in one cycle only."""
    elementary = elementary_of(
        "elementary e(a: u8[3], b: u8[3]) -> (y: u16[3]) { y[i] = u16(a[i]) * b[i] for i in 0..3 }"
    )
    derived = derived_of(elementary, 50, interval)
    inputs = drawn_inputs(elementary.inputs, 16, 1)
    outputs = evaluate(derived.priced.dataflow.graph, inputs)
    assert bench_says(derived, inputs, outputs) == "0 wrong\n"
    shifted = {port: np.roll(values, 1, axis=1) for port, values in outputs.items()}
    assert bench_says(derived, inputs, shifted) != "0 wrong\n"
    late = replace(derived, latency=derived.latency + 1)
    assert bench_says(late, inputs, outputs, datapath_module(derived)) != "0 wrong\n"


@pytest.mark.parametrize(
    ("body", "ports"),
    [
        ("module = table + clk", "(table: u8, clk: u8) -> (module: u8)"),
        ("y = x[i] z = x[5]", "(x: i8[40], i: u6) -> (y: i8, z: i8)"),
        ("y = a // b r = a % b", "(a: i8, b: i8) -> (y: i8, r: i8)"),
        ("y = a // b r = a % b", "(a: u16, b: u8) -> (y: u16, r: u16)"),
        ("y[0] = a * 85 y[1] = a * -3 y[2] = a * -1 y[3] = a * -57", "(a: i8) -> (y: i16[4])"),
        ("y = a // 7 r = a % 7 t = a // -10 s = a % -10", "(a: i16) -> (y: i16, r: i16, t: i16, s: i16)"),
        ("y = a // 1000 r = a % 1000", "(a: u32) -> (y: u32, r: u32)"),
        ("y = abs(a) z = min(a, b) w = max(a, b) l = a < b", "(a: i8, b: i8) -> (y: i8, z: i8, w: i8, l: bool)"),
        ("y = a << s z = a >> s", "(a: i16, s: i4) -> (y: i16, z: i16)"),
        ("y = sat(i1.11, round(a * b, 11))", "(a: i1.15, b: i1.11) -> (y: i1.11)"),
        ("y = 5 z = a", "(a: i16) -> (y: u8, z: i16)"),
    ],
)
def test_forms(body: str, ports: str) -> None:
    for clock_mhz in (30, 90):
        for interval in (1, 2, 3, 5, 8):
            assert_datapath(elementary_of(f"elementary e{ports} {{ {body} }}"), clock_mhz, interval, 3)


def test_floats_are_refused() -> None:
    floats = elementary_of("elementary e(x: f32) -> (y: f32) { y = x + 1 }")
    with pytest.raises(ValueError, match="e"):
        datapath_module(derivation_of(floats, ECP5, 25).at(1))
