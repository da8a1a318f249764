"""`#pragma HLS` as a study: what has a counterpart, what has none, and that an exploration takes it."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import CommandLine

from arrayol import api
from arrayol.c_import.import_c import import_source
from arrayol.errors import ArrayolError
from arrayol.source import SourceFile
from dse.space.study import load_study

EDGES = """\
#define H 6
#define W 8
void edges(const unsigned char picture[H][W], unsigned char out[H][W]) {
#pragma HLS dataflow
#pragma HLS array_partition variable=t complete dim=1
  int t[H][W];
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) {
#pragma HLS PIPELINE II = 2
#pragma HLS unroll factor=2
      t[y][x] = picture[y][x] * 3 - picture[y][x == 0 ? 0 : x - 1];
    }
  for (int y = 0; y < H; y++) {
#pragma HLS pipeline
    for (int x = 0; x < W; x++) {
#pragma HLS pipeline
      int s = 0;
      for (int k = -1; k <= 1; k++) {
#pragma HLS unroll
        s += t[y + k < 0 ? 0 : y + k >= H ? H - 1 : y + k][x];
      }
      out[y][x] = s > 255 ? 255 : s < 0 ? 0 : s;
    }
  }
}
"""
STUDY = """\
# The designs that the pragmas of the C describe, for `arrayol explore --study`.

# Line 4, #pragma HLS dataflow: all tasks in one group
fusions = [[["edges_0", "edges_1"]]]

# Line 10, #pragma HLS unroll factor=2: 2 units of each task
units = [2]

# Line 9, #pragma HLS PIPELINE II = 2: 'edges_0' at an interval of 1 cycle, the nearest to 2 that is offered
# Line 16, #pragma HLS pipeline: 'edges_1' at an interval of 1 cycle
intervals = { "edges_0" = [1], "edges_1" = [1] }

# Without a counterpart in a study:
# Line 5, #pragma HLS array_partition variable=t complete dim=1: the banks of a local memory are chosen by explore
# Line 14, #pragma HLS pipeline: dimensions lie within its loop; say at the innermost one how often it starts
# Line 19, #pragma HLS unroll: its loop is no dimension of a task; what stays in a body is unrolled in any case
"""
APART = """\
void f(const int x[8], int y[8], int z[8]) {
#pragma HLS dataflow
  for (int i = 0; i < 8; i++) {
#pragma HLS unroll
    y[i] = x[i] * 3;
  }
  for (int i = 0; i < 4; i++) z[i] = x[i] - 1;
}
"""


def test_the_study_is_taken_and_has_an_effect(arrayol: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "edges.c").write_text(EDGES, encoding="utf-8")
    done = arrayol("import", "edges.c", "--out", "edges.aol", "--study", "edges.study.toml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr.endswith("wrote edges.aol\nwrote edges.study.toml\n")
    assert (tmp_path / "edges.study.toml").read_text(encoding="utf-8") == STUDY
    study = load_study(tmp_path / "edges.study.toml")
    designs = {}
    for name, space in (("all", api.Space(narrow=True, verify=False)), ("asked", api.Space(study, True, verify=False))):
        found = api.explore(tmp_path / "edges.aol", space=space, resources=api.Resources(workers=1)).result.pareto
        designs[name] = {
            (
                tuple(len(group.processors) for group in one.groups),
                tuple((p.units, p.interval) for g in one.groups for p in g.processors),
            )
            for one in found
        }
    assert designs["asked"] == {((2,), ((2, 1), (2, 1)))}
    assert designs["all"] != designs["asked"]


def test_what_cannot_be_one_group_is_said() -> None:
    imported = import_source(SourceFile("f.c", APART))
    text = api.study_of_pragmas(imported)
    assert "units = [8]" in text
    assert "fusions" not in text
    assert "# Line 2, #pragma HLS dataflow: not all tasks can be one group: " in text


def test_without_a_counterpart_there_is_no_study(arrayol: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "f.c").write_text(APART.replace("HLS dataflow", "HLS interface").replace("HLS unroll", "omp"))
    done = arrayol("import", "f.c", "--out", "f.aol", "--study", "f.toml", cwd=tmp_path)
    assert done.returncode == 1
    assert "error[no-study]: no pragma HLS of this function has a counterpart in a study\n  hint: " in done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"f.c"}


def test_of_one_task_nothing_is_grouped() -> None:
    text = APART[: APART.index("  for (int i = 0; i < 4")] + "}\n"
    assert "dataflow: there is one task alone\n" in api.study_of_pragmas(import_source(SourceFile("f.c", text)))
    with pytest.raises(ArrayolError, match="no-study"):
        api.study_of_pragmas(import_source(SourceFile("f.c", text.replace("unroll", "inline"))))
