"""Borders in C, whole and tiled, with all warnings, against the reference execution; sets of tiles by symbols."""

from __future__ import annotations

from pathlib import Path

import islpy as isl
import numpy as np
import pytest
from c_programs import GCC, run_c, same, whole
from loading import spec_of

from arrayol import api
from arrayol.execute.run import execute
from arrayol.language.loader import load_source
from arrayol.language.symbolic import symbolic_component
from arrayol.source import SourceFile
from arrayol.tiling.program import program_of

TEXT = """
const N = 5
elementary pass(w: f32[3, 2], v: u8, c: i16[2]) -> (s: f32[3, 2], u: u8, d: i16[2]) {
  s[i, j] = w[i, j]  for i in 0..3, j in 0..2
  u = v
  d[i] = c[i]  for i in 0..2
}
task t(a: f32[4, N], b: u8[3], e: i16[4, 4]) -> (x: f32[6, 3, 3, 2], y: u8[6, 3], z: i16[6, 3, 2]) {
  repeat [6, 3] of pass {
    w <- a at origin [-3, 7] paving [1, 0; 0, -3] fitting [1, 0; 0, 1] else MODE
    v <- b at origin [-2] paving [1, 0] fitting [] else 200
    c <- e at origin [-1, -2] paving [1, 0; 0, 2] fitting [1; 1] else nearest
    s -> x
    u -> y
    d -> z
  }
}
"""
MODES = ["nearest", "reflect", "mirror", "-0.5"]


@pytest.mark.parametrize("mode", MODES)
def test_whole_and_tiled(mode: str, tmp_path: Path) -> None:
    """Bit by bit; local memory of a tile begins as garbage."""
    text = TEXT.replace("MODE", mode)
    spec, rng = spec_of(text), np.random.default_rng(3)
    given = {
        "a": rng.random((4, 5), "f4"),
        "b": rng.integers(0, 255, 3, "u1"),
        "e": rng.integers(-999, 999, (4, 4)).astype("i2"),
    }
    expected = execute(spec, "t", given)
    path = tmp_path / "t.aol"
    path.write_text(text, encoding="utf-8")
    found = api.transfers(path, "t", schedules=["r0, r1"], tile=[2, 2], strip_dims=1)
    for program, command in ((whole(spec, "t"), GCC), (found.c(), [*GCC, "-DGARBAGE=165"])):
        got = run_c(program, spec.components["t"], given, command)
        assert all(same(got[port], array) for port, array in expected.items())


@pytest.mark.parametrize("mode", MODES)
def test_a_symbolic_extent_reads_what_its_values_read(mode: str) -> None:
    """A border acts at N, whatever that is; one that never acts at N's own value, too."""
    text = TEXT.replace("MODE", mode)
    loaded = load_source(SourceFile("t.aol", text))
    symbolic = program_of(symbolic_component(loaded, "t", ("N",)))
    for extent in (5, 6, 9, 12):
        at = isl.Set(f"[p_N] -> {{ : p_N = {extent} }}")
        given = load_source(SourceFile("t.aol", text.replace("N = 5", f"N = {extent}")))
        reads = program_of(symbolic_component(given, "t")).statements[0].reads
        for one, other in zip(symbolic.statements[0].reads, reads, strict=True):
            fixed = one.may.intersect_params(at)
            assert fixed.project_out(isl.dim_type.param, 0, fixed.dim(isl.dim_type.param)).is_equal(other.may)
