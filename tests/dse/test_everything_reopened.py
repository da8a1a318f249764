"""Results that were once refused are opened again, and generated ones (`everything_reopened.py` beside)."""

from __future__ import annotations

from pathlib import Path

import everything_reopened
import pytest
from explored import write_undrawn
from many_cases import full_count

from arrayol import api
from arrayol.files import shipped_folder
from dse.output.folder import load_result
from dse.space.study import Study, narrowed

CASES = 6


def test_what_is_explored_with_any_options_is_opened_again(capsys: pytest.CaptureFixture[str]) -> None:
    told = everything_reopened.run(full_count(CASES))
    with capsys.disabled():
        print(f"\neverything reopened: {told}")  # noqa: T201  which cases these were
    seen = everything_reopened.seen
    assert seen["explored"] > full_count(CASES) // 2
    assert all(seen[what] for what in ("simulated", "emitted as EmittedVerilog", "emitted as EmittedHls", "resumed"))


def test_parts_that_nothing_reads_take_no_place(tmp_path: Path) -> None:
    """'t3' reads one row of 'y2' twice (a border), so that 't2' needs nothing of the second part of 'y1'."""
    spec = tmp_path / "parts.aol"
    spec.write_text(PARTS, encoding="utf-8")
    tasks = ("t1@y1", "t1@y1_2", "t2", "t3")
    study = Study.model_validate({"blocks": {task: [[1, 1, 1]] for task in tasks}, "units": [1], "orders": ["0,1,2"]})
    space = api.Space(narrowed(study), verify=True)
    found = api.explore(spec, space=space, objectives=("internal_memory_elements",))
    assert all(design.verified for design in found.result.pareto)


PARTS = """elementary e1(a0: f64[2, 2]) -> (b0: f64) {
  b0 = 1
  b0 += (1 + k0 * 1 + k1 * 2) * a0[k0, k1]  for k0 in 0..2, k1 in 0..2
}
task t1(x_1: f64[4, 2, 4]) -> (y1_1: f64[2, 2, 2]) {
  repeat [2, 2, 2] of e1 {
    a0 <- x_1 at origin [0, 1, 0] paving [2, 0, 0; 0, -1, 0; 0, 0, 2] fitting [1, 0; 0, 0; 0, 1]
      b0 -> y1_1
  }
}
elementary e2(a0: f64, a1: f64) -> (b0: f64[2]) {
  b0[j0] = 1 + j0 * 2  for j0 in 0..2
  b0[j0] += (1 + j0 * 1) * a0  for j0 in 0..2
  b0[j0] += (3 + j0 * 1) * a1  for j0 in 0..2
}
task t2(z0_2: f64[3, 2, 3], y1_2: f64[2, 4, 2]) -> (y2_2: f64[2, 2, 6]) {
  repeat [2, 2, 3] of e2 {
    a0 <- z0_2 at origin [0, 0, 0] paving [1, 0, 0; 0, 1, 0; 0, 0, 1] fitting []
    a1 <- y1_2 at origin [0, 0, 0] paving [1, 0, 0; 0, 2, 0; 0, 0, 1] fitting [] else nearest
    b0 -> y2_2 at origin [0, 0, 0] paving [1, 0, 0; 0, 1, 0; 0, 0, 2] fitting [0; 0; 1]
  }
}
elementary e3(a0: f64, a1: f64[3]) -> (b0: f64) {
  b0 = 1
  b0 += (1) * a0
  b0 += (1 + k0 * 1) * a1[k0]  for k0 in 0..3
}
task t3(y0_3: f64[3, 2, 3], y2_3: f64[2, 2, 6]) -> (y3_3: f64[2, 2, 2]) {
  repeat [2, 2, 2] of e3 {
    a0 <- y0_3 at origin [1, 0, 0] paving [1, 0, 0; 0, 1, 0; 0, 0, 1] fitting []
    a1 <- y2_3 at origin [0, -1, 0] paving [1, 0, 0; 0, 1, 0; 0, 1, 3] fitting [0; 0; 1] else nearest
    b0 -> y3_3 at origin [0, 0, 0] paving [1, 0, 0; 0, 1, 0; 0, 0, 1] fitting []
  }
}
task top(x: f64[4, 2, 4], y0: f64[3, 2, 3], z0: f64[3, 2, 3]) -> (y3: f64[2, 2, 2]) {
  y1: f64[2, 4, 2]
  y1[.., 0..2, ..] = t1(x)
  y1[.., 2..4, ..] = t1(x)
  y2 = t2(z0, y1)
  y3 = t3(y0, y2)
}
"""
ANTI = """elementary acc(x: i64, up: i64) -> (y: i64) { y = x + up }
task anti(src: i64[4, 6]) -> (dst: i64[4, 6]) {
  repeat [4, 6] of acc {
    x  <- src
    up <- y delay [1, -1] else 7
    y  -> dst
  }
}
"""
ASIC = """clock_mhz = 100
technology = "asic45"
[memory]
latency = 30
word_bits = 128
"""


def test_words_between_live_states_are_no_mistake(tmp_path: Path) -> None:
    spec = tmp_path / "anti.aol"
    spec.write_text(ANTI, encoding="utf-8")
    found = api.explore(spec, space=api.Space(narrow=True, verify=False))
    write_undrawn(found, tmp_path / "out")
    states = [one for design in found.result.pareto for one in design.mappings[0].memories if one.kind == "state"]
    assert any(one.addressed > one.live for one in states)
    assert load_result(tmp_path / "out") == found.result


def test_areas_of_memories_are_in_the_areas_of_designs_to_the_last_digit(tmp_path: Path) -> None:
    spec, platform = tmp_path / "conv3x3.aol", tmp_path / "asic.toml"
    spec.write_bytes((shipped_folder() / "conv3x3.aol").read_bytes())
    platform.write_text(ASIC, encoding="utf-8")
    space = api.Space(narrow=True, verify=False)
    found = api.explore(
        api.load(spec, {"H": 12, "W": 16}), platform, objectives=("area", "latency_cycles"), space=space
    )
    write_undrawn(found, tmp_path / "out")
    assert load_result(tmp_path / "out") == found.result
    for design in found.result.pareto:
        parts = [processor.costs["area"] for processor in design.processors.values() if processor.costs]
        assert round(1000 * (sum(parts) + design.memory_costs["area"])) == 1000 * design.objectives["area"]
    assert any(design.memory_costs["area"] % 1 for design in found.result.pareto)
