"""Const arrays of files in C, with what no text of a number writes; and copies of what has parameters."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from c_programs import run_c, same, whole

from arrayol import api

TEXT = """\
const F: f32[4] = "f.npy"
const D: f64[4] = "d.npy"
const Z: c64[4] = "z.npy"

elementary scaled[N, T](x: T[N]) -> (y: T[N], z: c64[N]) {
  y[k] = x[k] * T(F[k]) + T(D[k])  for k in 0..N
  z[k] = Z[k]  for k in 0..N
}

task rows[R, N, T](x: T[R, N]) -> (y: T[R, N], z: c64[R, N]) {
  repeat [R] of scaled[N, T] {
    x <- x
    y -> y
    z -> z
  }
}

task both(a: f32[2, 4], b: f64[3, 4]) -> (c: f32[2, 4], d: f64[3, 4], z: c64[2, 4], w: c64[3, 4]) {
  (c, z) = rows(a)
  (d, w) = rows(b)
}
"""
ODD = [np.nan, np.inf, -np.inf, -0.0]


def test_what_files_hold_and_copies_compute_comes_through(tmp_path: Path) -> None:
    np.save(tmp_path / "f.npy", np.array(ODD, "f4"))
    np.save(tmp_path / "d.npy", np.array([*ODD[1:], 5e-324], "f8"))
    np.save(tmp_path / "z.npy", np.array([complex(np.nan, 1), complex(np.inf, -0.0), complex(-0.0, -np.inf), 1j], "c8"))
    (tmp_path / "t.aol").write_text(TEXT, encoding="utf-8")
    spec = api.load(tmp_path / "t.aol")
    inputs = {"a": np.arange(8, dtype="f4").reshape(2, 4) - 3, "b": np.arange(12, dtype="f8").reshape(3, 4) - 6}
    with np.errstate(all="ignore"):
        expected = api.run(spec, inputs, top="both")
    found = run_c(whole(spec, "both"), spec.components["both"], inputs)
    assert found.keys() == expected.keys()
    for name, array in expected.items():
        assert same(found[name], array), name
