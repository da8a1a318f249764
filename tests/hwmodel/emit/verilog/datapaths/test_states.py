"""Datapaths that keep the state of a chain: against the reference execution, repetition after repetition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from datapath_bench import StateTimes
from hypothesis import given, settings
from hypothesis import strategies as st
from many_cases import case_count
from strategies_bodies import drawn_inputs, elementary_of, reference
from verilog_programs import bench_says, needs_icarus

from arrayol import api
from arrayol.ir.spec import Elementary
from hwmodel.datapath.derive import Derived, derivation_of
from hwmodel.datapath.technology.technology import load_technology
from hwmodel.emit.verilog.datapaths.datapath import datapath_module
from hwmodel.emit.verilog.datapaths.states import Kept

ECP5 = load_technology("ecp5-6")
BODIES = [
    ("s = q + x", "(x: i32, q: i32) -> (s: i32)", {("s", "q")}),
    ("s = (q * 3 + x) >> 2 y = q * x", "(x: i16, q: i16) -> (s: i16, y: i32)", {("s", "q")}),
    ("s[0] = q[1] s[1] = q[0] + x s[2] = 7", "(x: i16, q: i16[3]) -> (s: i16[3])", {("s", "q")}),
    ("s[i] = q[3 - i] * x[i]  for i in 0..4", "(x: u8[4], q: u16[4]) -> (s: u16[4])", {("s", "q")}),
    ("s = q + x * r t = r ^ x", "(x: u8, q: u16, r: u8) -> (s: u16, t: u8)", {("s", "q"), ("t", "r")}),
    ("s = x[0] t = min(q, x[5]) + x[1] * x[2] * x[3]", "(x: i16[6], q: i16) -> (s: i16, t: i64)", {("s", "q")}),
    ("s = 0.5 * q + x * x", "(x: f32, q: f32) -> (s: f32)", {("s", "q")}),
    ("s = x * x t = q * x", "(x: f32, q: f32) -> (s: f32, t: f32)", {("s", "q")}),
]

pytestmark = needs_icarus


def chained(elementary: Elementary, inputs: dict[str, Any], kept: Kept, first: Sequence[bool]) -> dict[str, Any]:
    """What the repetitions make, one after the other; the inputs that are kept get what they read."""
    outputs: list[dict[str, Any]] = []
    for place, begins in enumerate(first):
        if not begins:
            for output, port in kept:
                inputs[port][:, place] = outputs[-1][output][:, 0]
        outputs.append(reference(elementary, {name: values[:, [place]] for name, values in inputs.items()}))
    return {name: np.concatenate([each[name] for each in outputs], axis=1) for name in outputs[0]}


def assert_chains(derived: Derived, elementary: Elementary, kept: Kept, first: list[bool], gaps: list[int]) -> None:
    """Repetitions begin as soon as they may, or some intervals later; the bus has anything where a state is kept."""
    soonest = max(1, *(-(-derived.recurrence[pair] // derived.interval) for pair in kept))
    begins = np.cumsum([1, *(soonest + gap for gap in gaps)])[: len(first)].tolist()
    inputs = drawn_inputs(elementary.inputs, len(first), 1, tame=True)
    given = {name: values.copy() for name, values in inputs.items()}
    outputs = chained(elementary, inputs, kept, first)
    assert bench_says(derived, given, outputs, chains=StateTimes(kept, begins, first)) == "0 wrong\n"


@pytest.mark.parametrize(("body", "ports", "kept"), BODIES)
@given(st.integers(1, 9), st.sampled_from([25, 60]), st.lists(st.tuples(st.booleans(), st.integers(0, 3)), max_size=9))
@settings(max_examples=case_count(8))
def test_states_are_kept(
    body: str, ports: str, kept: set[tuple[str, str]], interval: int, clock_mhz: int, rest: list[tuple[bool, int]]
) -> None:
    elementary = elementary_of(f"elementary e{ports} {{ {body} }}")
    derived = derivation_of(elementary, ECP5, clock_mhz, frozenset(kept)).at(interval)
    first = [True, *(begins for begins, _ in rest), False]
    assert_chains(derived, elementary, frozenset(kept), first, [0, *(gap for _, gap in rest)])


@pytest.mark.parametrize("clock_mhz", [25, 75, 100])
def test_the_filter_of_lpsf(clock_mhz: float) -> None:
    (elementary,) = [each for each in api.load("specs/lpsf.aol").elementaries.values() if each.name == "smooth"]
    pairs = frozenset(derivation_of(elementary, ECP5, clock_mhz).at(1).recurrence)
    derivation = derivation_of(elementary, ECP5, clock_mhz, pairs)
    first, gaps = [True, *[False] * 5, True, False], [0, 1, 0, 0, 2, 0, 0]
    for interval in derivation.intervals:
        assert_chains(derivation.at(interval), elementary, pairs, first, gaps)


def test_a_state_that_comes_too_early_is_wrong() -> None:
    """Where repetitions follow each other faster than the recurrence allows."""
    elementary = elementary_of("elementary e(x: f32, q: f32) -> (s: f32) { s = q * 0.3 + x }")
    kept = frozenset({("s", "q")})
    derived = derivation_of(elementary, ECP5, 60, kept).at(1)
    assert derived.recurrence["s", "q"] > 1
    inputs = drawn_inputs(elementary.inputs, 6, 1, tame=True)
    first = [True, *[False] * 5]
    outputs = chained(elementary, {name: values.copy() for name, values in inputs.items()}, kept, first)
    assert bench_says(derived, inputs, outputs, chains=StateTimes(kept, range(6), first)) != "0 wrong\n"


def test_what_is_no_recurrence_is_refused() -> None:
    elementary = elementary_of("elementary e(x: i32, q: i32) -> (s: i32, t: i32) { s = q + x t = q }")
    derived = derivation_of(elementary, ECP5, 60).at(1)
    for kept in ({("s", "z")}, {("s", "q"), ("t", "q")}):
        with pytest.raises(ValueError, match="frozenset"):
            datapath_module(derived, kept=frozenset(kept))
