"""Whole fronts of specifications that are not shipped, on Icarus, with every decision that `--hardware` searches."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from verilog_programs import needs_icarus

from arrayol import api
from dse.results.designs import MappingRecord
from dse.space.study import Study

SPECS = Path(__file__).parents[1] / "fronts"
PLATFORM = """\
clock_mhz = 100
technology = "ecp5-6"

[memory]
latency = 9
word_bits = 64
port = "{port}"
burst = "run"
outstanding = 2
"""
# By specification the port, the inputs that may have a single buffer, and a decision that some design of its front has.
FRONTS = {
    "sharpen": ("shared", ("x",), "fifos"),
    "band": ("separate", ("x",), "stream"),
    "product": ("shared", ("a", "v"), "fifos"),
    "envelope": ("shared", ("x",), "single_buffers"),
    "tone": ("separate", ("x",), "stream"),
    "planes": ("shared", ("c",), "single_buffers"),
}


@needs_icarus
@pytest.mark.parametrize("name", FRONTS)
def test_every_design_of_a_front(tmp_path: Path, name: str) -> None:
    port, inputs, decision = FRONTS[name]
    spec = Path(shutil.copy(SPECS / f"{name}.aol", tmp_path))
    spec.with_suffix(".toml").write_text(PLATFORM.format(port=port), encoding="utf-8")
    buffers = {array: {"buffers": ["double", "single"]} for array in inputs}
    study = Study.model_validate({"hardware": True, "recompute": [False, True], "array": buffers})
    found = api.explore(spec, space=api.Space(study=study, verify=False))
    api.write_result(found, tmp_path / "result", report=False)
    mappings: list[MappingRecord] = []
    for design in found.result.pareto:
        assert design.not_emitted is None
        folder = tmp_path / "verilog"
        emitted = api.emit_verilog(api.open_design(spec, tmp_path / "result", design.id), folder)
        assert api.check_verilog(emitted, folder).mismatches == (), design.id
        mappings += design.mappings
    assert any(getattr(mapping, decision) for mapping in mappings)
