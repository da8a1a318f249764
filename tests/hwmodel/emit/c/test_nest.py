"""Tiled nests in C, compiled and run on local memory full of garbage, against the reference execution."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from c_programs import GCC, QUICK, Stopped, run_c, same
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st
from many_cases import case_count
from shipped import any_input
from strategies_tiles import NestCase, nest_cases
from tiled_execution import as_written, inputs, loaded, outputs, tiled

from arrayol import api
from arrayol.errors import ArrayolError
from arrayol.execute.run import execute
from arrayol.files import shipped_folder
from arrayol.tiling.load_store import traffic
from hwmodel.emit.c.nest import emit_c

SPOILT = "-DGARBAGE=165"

Consts = Mapping[str, int]

# A spec, a component, consts, schedules, statements, tile sizes, dimensions of a strip. The sizes divide, or do not.
CASES: list[tuple[str, str, Consts, list[str], list[int] | None, list[int], int]] = [
    ("polyprod", "polyprod", {"N": 23}, ["N-j, i"], [2], [10], 1),
    ("polyprod", "polyprod", {"N": 19}, ["N-j, i"], [2], [10, 5], 2),
    ("polyprod", "polyprod", {"N": 23}, ["i+j, i"], [2], [7], 1),
    ("polyprod", "polyprod", {"N": 0}, ["N-j, i"], [2], [10], 1),
    ("matmul", "matmul", {"K": 10, "S": 8}, ["i, j, k"], None, [3, 4, 5], 1),
    ("matmul", "matmul", {"K": 10, "S": 8}, ["i, j, k"], None, [4, 4, 5], 2),
    ("matmul", "matmul", {"K": 10, "S": 8}, ["k, i-j, j"], None, [4, 3, 2], 1),
    ("fir", "fir", {"S": 32, "TAPS": 7, "N": 32}, ["n, k"], None, [5], 1),
    ("fir", "fir", {"S": 32, "TAPS": 7, "N": 32}, ["n + k, k"], None, [8, 7], 1),
    ("stencil2d", "stencil2d", {"H": 14, "W": 18}, ["i, j"], [2], [4], 1),
    ("stencil2d", "stencil2d", {"H": 14, "W": 18}, ["i+j, i"], [2], [3, 5], 1),
    ("solve", "solve", {"N": 20}, ["i, 0", "i, j", "i, i"], None, [6], 1),
    ("solve", "solve", {"N": 20}, ["i, 0", "i, j", "i, i"], None, [5, 4], 2),
    ("lpsf", "hflr", {"H": 12, "W": 24}, ["r0, r1"], None, [5, 4], 1),
    ("lpsf", "vfbu", {"H": 16, "W": 12}, ["r1, r0"], None, [2, 5], 1),
    ("sobel", "gradients", {"H": 24, "W": 40}, ["r0, r1"], None, [2], 1),
    ("matmul", "product", {"M": 12, "N": 8, "K": 6, "S": 4}, ["r1, r0"], None, [2, 1], 2),
    ("thumbnail", "hfilter", {"H": 18, "W": 48}, ["r0, r1"], None, [4, 4], 1),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[1]}-{';'.join(case[3])}-{case[5]}")
@pytest.mark.parametrize("simplify", [False, True], ids=["exact", "simplified"])
def test_shipped_nests(
    case: tuple[str, str, Consts, list[str], list[int] | None, list[int], int], simplify: bool
) -> None:
    name, component, consts, schedules, statements, sizes, strip_dims = case
    path = shipped_folder() / f"{name}.aol"
    found = api.transfers(
        path,
        component,
        schedules=schedules,
        statements=statements,
        tile=sizes,
        strip_dims=strip_dims,
        simplify=simplify,
        settings=consts,
    )
    task = found.spec.components[component]
    given_ = {port.name: any_input(port, 1) for port in task.inputs}
    expected = execute(found.spec, component, given_)
    got = run_c(found.c(), task, given_, [*GCC, SPOILT])
    assert all(same(got[port], array) for port, array in expected.items())


@given(nest_cases(), st.integers(0, 9), st.booleans())
@settings(
    max_examples=case_count(25),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    deadline=None,
)
def test_generated_nests(case: NestCase, seed: int, simplify: bool) -> None:
    try:
        nest = tiled(case)
    except ArrayolError:
        assume(False)
    found, spec = traffic(nest, simplify=simplify), loaded(case).spec
    expected = inputs(seed) | outputs()
    as_written(case, expected)
    got = run_c(emit_c(spec, found, "generated"), spec.components["e"], inputs(seed), [*QUICK, SPOILT])
    for name in outputs():
        assert np.array_equal(got[name], expected[name]), name
    event("exact" if all(found.exact.values()) else "approximated")


DELAYS = """
elementary sums(x: i32[2], left: i32[2], above: i32) -> (y: i32[2], last: i32[2], low: i32) {
  y[k] = x[k] + left[k] - 3 * above  for k in 0..2
  last[k] = y[1 - k]                 for k in 0..2
  low = y[0] - left[1]
}
task t(x: i32[7, 20], edge: i32[9]) -> (y: i32[7, 20]) {
  repeat [7, 10] of sums {
    x     <- x at origin [0, 0] paving [1, 0; 0, 2] fitting [0; 1]
    left  <- last delay [0, 1] else edge at origin [0] paving [1, 0] fitting [1]
    above <- low delay [1, -1] else 5
    y     -> y at origin [0, 0] paving [1, 0; 0, 2] fitting [0; 1]
  }
}
"""


@pytest.mark.parametrize(
    ("schedule", "sizes"), [("r0, r0 + r1", [3, 4]), ("r0 + r1, r0", [4, 3]), ("2 * r0 + r1, r0", [5, 2])]
)
def test_delays_that_cross_strips(schedule: str, sizes: list[int], tmp_path: Path) -> None:
    """What a delay carries from strip to strip goes through external memory; its defaults are read where they act."""
    path = tmp_path / "t.aol"
    path.write_text(DELAYS, encoding="utf-8")
    found = api.transfers(path, "t", schedules=[schedule], tile=sizes)
    task = found.spec.components["t"]
    given_ = {port.name: any_input(port, 1) for port in task.inputs}
    got = run_c(found.c(), task, given_, [*GCC, SPOILT])
    assert same(got["y"], execute(found.spec, "t", given_)["y"])


def test_data_decide(tmp_path: Path) -> None:
    """Conditions and subscripts on data: a histogram, and a sum where data say so; a wrong subscript stops."""
    path = tmp_path / "h.aol"
    path.write_text(
        "elementary h(x: u8[30], w: f32[30]) -> (n: i32[8], s: f32) {\n"
        "  n[k] = 0  for k in 0..8\n  s = 0\n"
        "  loop i in 0..30 {\n"
        "    n[x[i]] += 1  where w[i] > 0.25\n    s += w[i]  where x[i] != 3 and w[i] < 1\n  }\n}\n",
        encoding="utf-8",
    )
    found = api.transfers(path, "h", schedules=["i", "i"], statements=[3, 4], tile=[7])
    assert not found.traffic.exact["n"]
    assert not found.traffic.exact["s"]
    task = found.spec.components["h"]
    rng = np.random.default_rng(4)
    data = {"x": rng.integers(0, 8, 30).astype("u1"), "w": rng.normal(size=30).astype("f4")}
    got = run_c(found.c(), task, data, [*GCC, SPOILT])
    assert all(same(got[port], array) for port, array in execute(found.spec, "h", data).items())
    with pytest.raises(Stopped, match="a subscript out of range"):
        run_c(found.c(), task, data | {"x": np.full(30, 8, "u1")}, [*GCC, SPOILT])


def test_names_that_the_programs_give(tmp_path: Path) -> None:
    """Arrays and range variables may be called as the loops and memories of the C are."""
    path = tmp_path / "n.aol"
    path.write_text(
        "elementary S2(e0: i32[9], tile_T: i32[9], waiting: i32) -> (x0: i32[9, 9], local_e0: i32[9]) {\n"
        "  x0[f0, r0] = e0[f0] + tile_T[r0] - waiting  for f0 in 0..9, r0 in 0..9\n"
        "  local_e0[step] = x0[step, 8 - step]  for step in 0..9\n}\n"
        "task kept_e0(now: i32[3, 9], i0: i32[3, 9], p_e0: i32[3]) -> (arg_x0: i32[3, 9, 9], e0_slots: i32[3, 9]) {\n"
        "  repeat [3] of S2 {\n"
        "    e0 <- now at origin [0, 0] paving [1; 0] fitting [0; 1]\n"
        "    tile_T <- i0 at origin [0, 0] paving [1; 0] fitting [0; 1]\n"
        "    waiting <- p_e0 at origin [0] paving [1] fitting []\n"
        "    x0 -> arg_x0 at origin [0, 0, 0] paving [1; 0; 0] fitting [0, 0; 1, 0; 0, 1]\n"
        "    local_e0 -> e0_slots at origin [0, 0] paving [1; 0] fitting [0; 1]\n  }\n}\n",
        encoding="utf-8",
    )
    for name, schedules in (("S2", ["f0, r0", "step + 9, 8 - step"]), ("kept_e0", ["r0"])):
        found = api.transfers(path, name, schedules=schedules, tile=[4] if len(schedules) > 1 else [2])
        task = found.spec.components[name]
        given_ = {port.name: any_input(port, 1) for port in task.inputs}
        got = run_c(found.c(), task, given_, [*GCC, SPOILT])
        assert all(same(got[port], array) for port, array in execute(found.spec, name, given_).items())


TABLES = """\
const K: i16[4] = [3, -1, 4, -32768]
const ORDER: u8[8] = [(5 * k + 2) % 8 for k in 0..8]
const C: c64[2] = [0.5, -0.0]
const FAR: f64[2, 2] = [1e300, -0.0; 0.1, 3]

elementary body(x: i16[8, 11]) -> (y: i32[8, 8]) {
  y[i, j] += K[k] * x[ORDER[i], j + k]  for i in 0..8, j in 0..8, k in 0..4
}
elementary element(x: i16[4], w: i16[2], f: f64, before: c64) -> (y: c64) {
  y = C[1] + before
  y += c64(f32(K[k] * x[k] + w[k % 2]))  for k in 0..4
  y = y + c64(f32(f * FAR[1, 0]) + f32(ORDER[3]))
}
task rows(x: i16[8, 8]) -> (y: c64[8, 2]) {
  repeat [8, 2] of element {
    x      <- x at origin [0, 0] paving [1, 0; 0, 4] fitting [0; 1]
    w      <- K at origin [1] paving [0, 1] fitting [1]
    f      <- FAR at origin [1, 0] paving [0, 0; 0, 1] fitting []
    before <- y delay [0, 1] else C at origin [0] paving [0, 0] fitting []
    y      -> y
  }
}
"""


@pytest.mark.parametrize("name", ["body", "rows"])
def test_const_arrays_are_numbers_that_never_move(name: str, tmp_path: Path) -> None:
    """In the program as tables; in no load, no store and no parameter."""
    path = tmp_path / "t.aol"
    path.write_text(TABLES)
    found = api.transfers(path, name, tile=[3], strip_dims=1)
    task = found.spec.components[name]
    given_ = {port.name: any_input(port, 1) for port in found.spec.given_inputs(task)}
    text = found.c()
    got = run_c(text, task, given_, [*GCC, SPOILT])
    assert all(same(got[port], array) for port, array in execute(found.spec, name, given_).items())
    assert "static const int16_t table_K[4] = {\n  3, -1, 4, -32768\n};" in text
    assert found.traffic.nest.arrays.keys() <= {"x", "y", "y'"}
