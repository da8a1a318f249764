"""Delays in Verilog: what units keep for themselves, beside a delay that never acts."""

from __future__ import annotations

from pathlib import Path

from hardware_designs import PLATFORM
from verilog_programs import needs_icarus

from arrayol import api

SPEC = """\
elementary e(x: i32, p: i32, q: i32) -> (y: i32, s: i32) {
  s = p * 3 + x
  y = p * q + x
}
task t(x: i32[4, 8]) -> (y: i32[4, 8]) {
  repeat [4, 8] of e {
    x <- x
    p <- s delay [0, 1] else 1
    q <- s delay [4, 0] else 5
    y -> y
  }
}
"""


@needs_icarus
def test_a_port_whose_delay_never_acts_has_its_default(tmp_path: Path) -> None:
    spec = tmp_path / "t.aol"
    spec.write_text(SPEC, encoding="utf-8")
    spec.with_suffix(".toml").write_text(PLATFORM, encoding="utf-8")
    found = api.explore(spec, space=api.Space(narrow=True, verify=False))
    api.write_result(found, tmp_path / "result")
    kept = set()
    for design in found.result.pareto:
        emitted = api.emit_verilog(api.open_design(spec, tmp_path / "result", design.id), tmp_path / "verilog")
        ((task,),) = (group.tasks for group in emitted.hardware.groups)
        kept.add(task.units.kept)
        assert api.check_verilog(emitted, tmp_path / "verilog").mismatches == ()
    assert kept == {(), (("s", "p"),)}  # in memory alone, and in units
