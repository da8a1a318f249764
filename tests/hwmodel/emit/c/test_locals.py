"""Locals of bodies in C: variables of their blocks, bit for bit as the reference executes them, without warnings."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from c_programs import run_c, same, whole
from loading import spec_of

from arrayol import api
from arrayol.execute.run import execute

BLOCKS = """
elementary e(x: i32[3, 4], w: i8[4]) -> (y: i32[3], z: f32[4], u: i32[3, 4], v: c64) {
  loop i in 0..3 { s: i32  s += x[i, k] for k in 0..4  y[i] = s }
  loop i in 0..2 { t: i8 = w[i]       z[i] = f32(2 * t) }
  loop i in 2..4 { t: f32 = f32(w[i]) n: i32[2]  n[0] = 3  z[i] = t / 2 }
  q: i8[4]
  q[k] = w[k] + 1 for k in 0..4 where w[k] > 0
  q[k] = 5        for k in 0..4 where w[k] <= 0
  dead: i16 = 5
  loop i in 0..3, j in 0..4 { t: i32[3]  t[m] = x[m, j] for m in 0..3  u[i, j] = t[i] + q[j] }
  large: i64[70000]
  large[k] += k for k in 0..70000
  large[3] += 1
  a: c64
  a += c64(w[k]) for k in 0..4
  v = a + c64(large[3])
}
"""


def test_each_local_is_a_variable_of_its_block() -> None:
    spec = spec_of(BLOCKS)
    inputs = {"x": np.arange(12, dtype="i4").reshape(3, 4), "w": np.array([1, -2, 3, 4], "i1")}
    text = whole(spec, "e")
    lines = [line.strip() for line in text.splitlines()]
    assert {"int8_t v_t = a_w[i_i];", "float v2_t = (float)a_w[i_i];", "int32_t v3_t[3] = {0};"} <= {*lines}
    assert {"static int64_t v_large[70000];", "memset(v_large, 0, sizeof v_large);"} <= {*lines}
    found = run_c(text, spec.components["e"], inputs)
    expected = execute(spec, "e", inputs)
    assert [name for name, array in expected.items() if not same(found[name], array)] == []


CHAIN = """
elementary blur(w: u8[3, 3]) -> (m: u8) {
  rows: u16[3]
  loop i in 0..3 {
    s: u16 = 0
    s += u16(w[i, j]) * (2 if j == 1 else 1)  for j in 0..3
    rows[i] = s
  }
  a: u16 = rows[0] + 2 * rows[1] + rows[2]
  m = u8(a >> 4)
}
elementary edge(w: u8[1, 3], before: i16) -> (d: i16) {
  t: i16 = i16(w[0, 2]) - i16(w[0, 0])
  d = max(t, -t) + before // 2
}
task smooth(x: u8[4, 6]) -> (y: u8[2, 4]) {
  repeat [2, 4] of blur { w <- x at origin [0, 0] paving [1, 0; 0, 1] fitting [1, 0; 0, 1]  m -> y }
}
task edges(x: u8[2, 4]) -> (y: i16[2, 2]) {
  repeat [2, 2] of edge {
    w <- x at origin [0, 0] paving [1, 0; 0, 1] fitting [1, 0; 0, 1]
    before <- d delay [0, 1] else 0
    d -> y
  }
}
task top(x: u8[4, 6]) -> (y: i16[2, 2]) { s = smooth(x)  y = edges(s) }
"""


def test_explored_designs_end_in_c_and_on_the_simulator(tmp_path: Path) -> None:
    """Fused and paved as the front says: the same array by the reference, by C, and by the simulated machine."""
    path = tmp_path / "chain.aol"
    path.write_text(CHAIN, encoding="utf-8")
    found = api.explore(path)
    inputs = {"x": np.random.default_rng(5).integers(0, 256, (4, 6)).astype("u1")}
    expected = api.run(path, inputs)["y"]
    assert found.steps is not None
    front = found.result.pareto
    for design in (front[0], front[len(front) // 2], front[-1]):
        assert design.verified
        spec = spec_of(found.steps.text_of(design))
        assert any(elementary.locals for elementary in spec.elementaries.values())
        assert same(run_c(whole(spec, "top"), spec.components["top"], inputs)["y"], expected)
