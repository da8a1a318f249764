"""Datapaths in Verilog against the reference execution, in the predicted cycles."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from graph_values import evaluate
from hypothesis import given, settings
from hypothesis import strategies as st
from many_cases import case_count
from strategies_bodies import INTEGER_TYPES, drawn_inputs, elementaries, elementary_of, runnable
from verilog_programs import bench_says, needs_icarus

from arrayol import api
from arrayol.errors import ArrayolError
from arrayol.ir.spec import Elementary
from hwmodel.datapath.derive import Derived, derivation_of
from hwmodel.datapath.graph.build import build_graph, count_nodes
from hwmodel.datapath.technology.technology import load_technology
from hwmodel.emit.verilog.datapaths.datapath import datapath_module, refusals

ROOT = Path(__file__).resolve().parents[4]
SPECS = sorted((ROOT / "specs").glob("*.aol"))
ECP5 = load_technology("ecp5-6")
MANY = 1300  # operations; Icarus takes long for more
LONG = 64  # cycles of an interval

pytestmark = needs_icarus


def derived_of(elementary: Elementary, clock_mhz: float, interval: int = 1) -> Derived:
    return derivation_of(elementary, ECP5, clock_mhz).at(interval)


def is_small(elementary: Elementary) -> bool:
    return elementary.body is not None and count_nodes(elementary) <= MANY


def assert_datapath(elementary: Elementary, clock_mhz: float, interval: int, seed: int) -> None:
    """The module gives what the execution gives, in the cycles that the schedule says."""
    found = runnable(elementary, drawn_inputs(elementary.inputs, 16, seed))
    if found is None:
        return
    derived = derived_of(elementary, clock_mhz, interval)
    assert bench_says(derived, *found) == "0 wrong\n"


def offered(elementary: Elementary, clock_mhz: float) -> list[int]:
    """The intervals worth trying that are small."""
    return [interval for interval in derivation_of(elementary, ECP5, clock_mhz).intervals if interval <= LONG]


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
@pytest.mark.parametrize("clock_mhz", [50, 110])
def test_shipped_bodies(path: Path, clock_mhz: float) -> None:
    for elementary in api.load(path).elementaries.values():
        if is_small(elementary):
            for interval in offered(elementary, clock_mhz):
                assert_datapath(elementary, clock_mhz, interval, 1)


def drawn_interval(data: st.DataObject, elementary: Elementary, clock_mhz: float) -> int:
    worth = offered(elementary, clock_mhz)
    return data.draw(st.one_of(st.sampled_from(worth), st.integers(worth[0], worth[0] + 6)), label="interval")


@given(elementaries(INTEGER_TYPES), st.sampled_from([30, 75, 110, 200]), st.integers(0, 1000), st.data())
@settings(max_examples=case_count(60))
def test_drawn_bodies_of_integers(text: str, clock_mhz: float, seed: int, data: st.DataObject) -> None:
    elementary = elementary_of(text)
    clock_mhz = min(clock_mhz, 90) if "mul" in build_graph(elementary).operators else clock_mhz
    assert_datapath(elementary, clock_mhz, drawn_interval(data, elementary, clock_mhz), seed)


@given(elementaries(), st.sampled_from([25, 60]), st.integers(0, 1000), st.data())
@settings(max_examples=case_count(60))
def test_drawn_bodies(text: str, clock_mhz: float, seed: int, data: st.DataObject) -> None:
    """Of all types, where no operator is refused."""
    elementary = elementary_of(text)
    try:
        interval = drawn_interval(data, elementary, clock_mhz)
        refused = bool(refusals(derived_of(elementary, clock_mhz, interval)))
    except ArrayolError:  # an operator that the technology lacks, or a clock that it does not reach
        refused = True
    if not refused:
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
        ("y[0] = x[i] y[1] = x[(j & 3) + 4] y[2] = x[(i & 1) + 3]", "(x: u8[8], i: u3, j: u3) -> (y: u8[3])"),
        ("y[k] = x[i[k]]  for k in 0..4", "(x: i16[8], i: u3[4]) -> (y: i16[4])"),
        ("y[k] = x[i[k]] + x[2 * k]  for k in 0..4", "(x: i16[40], i: u5[4]) -> (y: i17[4])"),
    ],
)
def test_forms(body: str, ports: str) -> None:
    for clock_mhz in (30, 90):
        for interval in (1, 2, 3, 5, 8):
            assert_datapath(elementary_of(f"elementary e{ports} {{ {body} }}"), clock_mhz, interval, 3)


@pytest.mark.parametrize(
    ("body", "ports"),
    [
        ("d = a - b s = a + b p = a * b q = a / b", "(a: f32, b: f32) -> (d: f32, s: f32, p: f32, q: f32)"),
        ("l = a < b s = a == b n = a != b g = a >= b", "(a: f32, b: f32) -> (l: bool, s: bool, n: bool, g: bool)"),
        ("l = min(a, b) g = max(b, a) m = abs(a) n = -b", "(a: f32, b: f32) -> (l: f32, g: f32, m: f32, n: f32)"),
        ("y[0] = a * 2 y[1] = a / 4 y[2] = a * 3 y[3] = a + 0", "(a: f32) -> (y: f32[4])"),
        ("y = floor(a) z = ceil(a) w = sqrt(a) v = f64(a)", "(a: f32) -> (y: f32, z: f32, w: f32, v: f64)"),
        ("y = f32(a) z = f64(a) w = f32(b) v = f64(b)", "(a: i16, b: u32) -> (y: f32, z: f64, w: f32, v: f64)"),
        ("y = i16(a) z = u8(abs(b)) w = i32(b) v = f32(b)", "(a: f32, b: f64) -> (y: i16, z: u8, w: i32, v: f32)"),
        ("y = x[i] z = a if x[3] < a else -a", "(x: f32[5], i: u3, a: f32) -> (y: f32, z: f32)"),
        (
            "y[i] = abs(x[i]) for i in 0..4 z[i] = n[i] ^ 3 for i in 0..4",
            "(x: f32[4], n: u4[4]) -> (y: f32[4], z: u4[4])",
        ),
        ("y = x[i] z[k] = -x[k] for k in 0..40", "(x: f64[40], i: u6) -> (y: f64, z: f64[40])"),
        ("y = a * b", "(a: c64, b: c64) -> (y: c64)"),
        ("y = exp(a) z = log(abs(a))", "(a: f32) -> (y: f32, z: f32)"),
        ("y += a[i] * b[i] for i in 0..6", "(a: f64[6], b: f64[6]) -> (y: f64)"),
    ],
)
def test_floats(body: str, ports: str) -> None:
    for clock_mhz in (25, 55):
        for interval in (1, 2, 3, 5, 8):
            assert_datapath(elementary_of(f"elementary e{ports} {{ {body} }}"), clock_mhz, interval, 3)


@pytest.mark.parametrize("clock_mhz", [25, 110])
def test_operators_that_are_busy(clock_mhz: float) -> None:
    """Quotients in units of their own, and in one that does both, each of which starts in a slot of its own."""
    elementary = elementary_of("elementary e(a: f64, b: f64) -> (q: f64, r: f64) { q = a / b r = sqrt(abs(a)) / b }")
    least = derivation_of(elementary, ECP5, clock_mhz).intervals[0]
    assert least > 19
    for interval in (least, least + 1, 2 * least, 2 * least + 3):
        assert_datapath(elementary, clock_mhz, interval, 3)


def test_refusals_name_the_operator_and_its_place() -> None:
    """Of each operator once, where the body first asks for it."""
    text = "elementary e(x: f32, z: f64) -> (y: f32, w: f64) {\n  y = tan(x) + tan(2 * x)\n  w = z // 3\n}"
    derivation = derivation_of(elementary_of(text), ECP5, 25)
    with pytest.raises(ArrayolError) as refused:
        datapath_module(derivation.at(derivation.intervals[0]))
    told = [(each.code, each.message, each.span and each.span.place[1]) for each in refused.value.diagnostics]
    assert told == [
        ("not-in-hardware", "'e' cannot be printed: 'tan.f32' has no circuit", 2),
        ("not-in-hardware", "'e' cannot be printed: 'floordiv.f64' has no circuit that is busy for 2,100 cycles", 3),
    ]
