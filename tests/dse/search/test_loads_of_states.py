"""States of delays over frames, inside and outside, as a choice of an exploration."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from frame_state_designs import MOTION, case_of_text
from hardware_designs import PLATFORM
from verilog_programs import needs_icarus

from arrayol import api
from arrayol.errors import ArrayolError
from dse.results.schema import Result
from dse.space.study import Study
from dse.space.study_checks import with_choices_of_states

SMOOTH = """\
elementary mix(x: u8, before: f32) -> (y: f32, far: u8) {
  y = f32(0.75 * before + 0.25 * x)
  far = 255 if abs(x - before) > 40 else 0
}

task smooth(v: u8[*, 4, 8]) -> (a: u8[*, 4, 8]) {
  repeat [*, 4, 8] of mix {
    x <- v
    before <- y delay [1, 0, 0] else 7
    far -> a
  }
}
"""
BOTH = {"smooth.before": {"load": ["once", "frame"]}}


def explored(folder: Path, array: dict[str, Any], **study: Any) -> Result:
    (folder / "smooth.aol").write_text(SMOOTH, encoding="utf-8")
    (folder / "smooth.toml").write_text(PLATFORM, encoding="utf-8")
    space = api.Space(study=Study.model_validate({"array": array, **study}), narrow=True)
    found = api.explore(folder / "smooth.aol", space=space)
    api.write_result(found, folder / "found", report=False)
    return found.result


def loads(result: Result) -> dict[str, set[str]]:
    """By load of the state, the designs of the front that have it."""
    by_load: dict[str, set[str]] = {}
    for design in result.pareto:
        by_load.setdefault(dict(design.array_loads)["smooth.before"], set()).add(design.id)
    return by_load


@needs_icarus
def test_both_are_on_the_front(tmp_path: Path) -> None:
    """Neither dominates: outside takes less memory, inside fewer cycles. Both are simulated and emitted.

    A unit is the same either way, so the result is read back without a warning.
    """
    result = explored(tmp_path, BOTH)
    found = loads(result)
    assert set(found) == {"once", "frame"}
    assert min(result.pareto, key=lambda own: own.objectives["latency_cycles"]).id in found["once"]
    assert min(result.pareto, key=lambda own: own.objectives["internal_memory_elements"]).id in found["frame"]
    assert all(design.verified for design in result.pareto)
    for load in ("once", "frame"):
        opened = api.open_design(tmp_path / "smooth.aol", tmp_path / "found", min(found[load]))
        emitted = api.emit_verilog(opened, tmp_path / load)
        assert api.check_verilog(emitted, tmp_path / load).mismatches == ()


def test_one_of_both_alone(tmp_path: Path) -> None:
    assert set(loads(explored(tmp_path, {"smooth.before": {"load": "frame"}}))) == {"frame"}


@pytest.mark.parametrize(
    ("array", "message"),
    [
        ({"smooth.before": {"load": "rom"}}, "'array.smooth.before' cannot have load = \"rom\": it is the state of"),
        ({"smooth.x": {"load": "frame"}}, "'array' names 'smooth.x', which is no array here"),
    ],
)
def test_what_does_not_fit(tmp_path: Path, array: dict[str, Any], message: str) -> None:
    with pytest.raises(ArrayolError) as refused:
        explored(tmp_path, array)
    assert refused.value.diagnostics[0].message.startswith(message)


def test_few_states_are_tried_without_a_study() -> None:
    network = case_of_text(MOTION).network
    both = {"motion.c": ("once", "frame"), "motion.m": ("once", "frame"), "smooth.before": ("once", "frame")}
    tried = with_choices_of_states(Study(), network)
    assert {name: own.load for name, own in tried.array.items()} == both
    assert len(tried.loads) == 8
    named = Study.model_validate({"array": {"motion.m": {"load": "frame"}}})
    assert with_choices_of_states(named, network).array["motion.m"].load == ("frame",)
    only = Study.model_validate({"interfaces": ["axis"]})
    assert with_choices_of_states(only, network) is only
