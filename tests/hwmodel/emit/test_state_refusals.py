"""Tables and states that no hardware is emitted for, and why."""

from __future__ import annotations

import pytest
from spec_data import loaded

from arrayol.ir.network import flatten
from hwmodel.accesses import Accesses
from hwmodel.emit.verilog.coverage import Coverage
from hwmodel.platform import Platform

BOARD = {"clock_mhz": 50.0, "technology": "ecp5-6", "memory": {"latency": 3, "word_bits": 32, "burst": "run"}}
LOOK = "elementary look(x: u5, t: u8[32]) -> (y: u8) { y = t[x] }\n"
MIX = "elementary mix(x: u8, p: u8) -> (y: u8) { y = u8(x + p) }\n"
WHOLE = LOOK + "task top(x: u5[6], t: u8[32]) -> (y: u8[6]) { repeat [6] of look { x <- x  t <- t  y -> y } }"
PART = LOOK + "task top(x: u5[6], t: u8[6, 32]) -> (y: u8[6]) { repeat [6] of look { x <- x  t <- t  y -> y } }"
LARGE = PART.replace("u5", "u11").replace("32", "2048")
LARGE_PART = "data say what 'top' reads of a part of 't' of more than 1,024 elements"
BOTH = WHOLE.replace("y = t[x]", "y = u8(t[x] + t[3])")
LINKS = "x <- x  p <- y delay [1, 0] else 0  y -> y"
FRAMES = MIX + f"task top(x: u8[*, 6]) -> (y: u8[*, 6]) {{ repeat [*, 6] of mix {{ {LINKS} }} }}"
WINDOW = (
    "elementary same(x: u8) -> (y: u8) { y = x }\n"
    "elementary less(x: u8[1, 2]) -> (y: u8) { y = u8(x[0, 0] - x[0, 1]) }\n"
    "task copies(v: u8[*, 8]) -> (b: u8[*, 8]) { repeat [*, 8] of same { x <- v  y -> b } }\n"
    "task apart(b: u8[*, 8]) -> (o: u8[*, 8]) { repeat [*, 8] of less {\n"
    "  x <- b at origin [0, 0] paving [1, 0; 0, 1] fitting [0, 1; 0, 0]  y -> o } }\n"
    "task top(v: u8[*, 8]) -> (o: u8[*, 8]) { b = copies(v)  o = apart(b) }"
)
PAIRS = (
    "elementary twice(x: u8) -> (y: u8[2]) { y[k] = x  for k in 0..2 }\n"
    "elementary sum(x: u8[2]) -> (y: u8) { y = u8(x[0] + x[1]) }\n"
    "task pairs(v: u8[*, 6]) -> (b: u8[*, 6]) { repeat [*, 6] of twice {\n"
    "  x <- v  y -> b at origin [0, 0] paving [2, 0; 0, 1] fitting [1; 0] } }\n"
    "task sums(b: u8[*, 6]) -> (o: u8[*, 6]) { repeat [*, 6] of sum {\n"
    "  x <- b at origin [0, 0] paving [2, 0; 0, 1] fitting [1; 0]  y -> o } }\n"
    "task top(v: u8[*, 6]) -> (o: u8[*, 6]) { b = pairs(v)  o = sums(b) }"
)
SLIDING = PAIRS.replace("sum(x: u8[2])", "sum(x: u8[3])")
VERILOG = [
    (WINDOW, None),
    (WINDOW.replace("8]", "6]"), None),
    (
        WINDOW.replace("*, 8]", "8, *]").replace("[0, 1; 0, 0]", "[0, 0; 0, 1]"),
        "the frames of 'b', of which a task reads several, do not lie one after another",
    ),
    (WINDOW.replace("origin [0, 0]", "origin [1, 0]"), None),
    (SLIDING, "a task reads what other frames made, and goes not frame by frame"),
    (PAIRS, None),
    (WHOLE, None),
    (PART, None),
    (LARGE, LARGE_PART),
    (BOTH, None),
    (FRAMES, None),
    (FRAMES.replace("[1, 0]", "[2, 1]"), None),
]
CPP = [
    (WHOLE, None),
    (PART, None),
    (LARGE, LARGE_PART),
    (FRAMES, None),
    (WINDOW, None),
]
CASES = [*((text, True, reason) for text, reason in VERILOG), *((text, False, reason) for text, reason in CPP)]


@pytest.mark.parametrize(("text", "as_verilog", "reason"), CASES)
def test_the_reason_is_named(text: str, as_verilog: bool, reason: str | None) -> None:
    spec = loaded(text)
    platform = Platform.model_validate(BOARD)
    coverage = Coverage(Accesses(flatten(spec, "top"), {}), platform, as_verilog)
    refusal = coverage.why_none or coverage.why_not_over_frames
    assert (refusal and refusal.diagnostics[0].message) == (reason and f"{reason}: no hardware is emitted for that")
