"""Whole fronts of specifications that are not shipped, on Icarus, with every decision that `--hardware` searches."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from verilog_programs import needs_icarus

from arrayol import api
from arrayol.errors import ArrayolError
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
    "levels": ("separate", (), "stream"),
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


@pytest.mark.parametrize("name", ["levels", "tone"])
def test_a_result_says_which_designs_are_emitted(tmp_path: Path, name: str) -> None:
    """Without `--hardware`: those that it says nothing of are emitted, and the others are refused for its reason."""
    spec = Path(shutil.copy(SPECS / f"{name}.aol", tmp_path))
    spec.with_suffix(".toml").write_text(PLATFORM.format(port="shared"), encoding="utf-8")
    study = Study.model_validate({"interfaces": ["port", "axis"], "objectives": ["latency_cycles", "lut"]})
    found = api.explore(spec, space=api.Space(study=study, verify=False))
    api.write_result(found, tmp_path / "result", report=False)
    said = {design.id: design.not_emitted for design in found.result.pareto}
    for design, reason in said.items():
        opened = api.open_design(spec, tmp_path / "result", design)
        if reason is None:
            api.emit_verilog(opened, tmp_path / "verilog")
        else:
            with pytest.raises(ArrayolError) as refused:
                api.emit_verilog(opened, tmp_path / "verilog")
            assert refused.value.diagnostics[0].message.startswith(reason)
    assert None in said.values()
    if name == "levels":
        assert any(said.values()), "some pace suits no unit"
