"""Designs that no Verilog is emitted for: what a result says of them, and that `hardware` leaves them out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from frame_state_designs import WINDOW
from hardware_designs import PLATFORM

from arrayol import api
from arrayol.errors import ArrayolError
from dse.results.schema import Result
from dse.search.shown import programs as programs_of_search
from dse.space.study import Study
from hwmodel.emit.schedule import design as schedules
from hwmodel.emit.schedule import memories, program

TWO_TASKS = """\
elementary add(a: u8, w: u8[2]) -> (b: u8) {
  b = a ^ w[0] ^ w[1]
}

task one(x: u8[8], w: u8[2]) -> (y: u8[8]) {
  repeat [8] of add {
    a <- x
    w <- w at origin [0] paving [0] fitting [1]
    b -> y
  }
}

task top(x: u8[*, 8], w: u8[2]) -> (z: u8[*, 8]) {
  repeat [*] of both {
    x <- x at origin [0, 0] paving [1; 0] fitting [0; 1]
    w <- w at origin [0] paving [0] fitting [1]
    z -> z at origin [0, 0] paving [1; 0] fitting [0; 1]
  }
}

task both(x: u8[8], w: u8[2]) -> (z: u8[8]) {
  y = one(x, w)
  z = one(y, w)
}
"""
APART = [[["one_2"], ["one_3"]]]
TOGETHER = [[["one_2", "one_3"]]]


def explored(folder: Path, platform: str = PLATFORM, method: str = "auto", **study: Any) -> Result:
    (folder / "top.aol").write_text(TWO_TASKS, encoding="utf-8")
    (folder / "top.toml").write_text(platform, encoding="utf-8")
    loads = {"array": {"w": {"load": "frame"}}} if study.pop("in_frames", False) else {}
    space = api.Space(study=Study.model_validate({**loads, **study}), verify=False)
    return api.explore(folder / "top.aol", top="top", space=space, method=method).result


def refusals(result: Result) -> set[str | None]:
    return {design.not_emitted for design in result.pareto}


@pytest.mark.parametrize("styles", [["block"], ["stream"]])
def test_what_several_groups_load_once_is_offered(tmp_path: Path, styles: list[str]) -> None:
    for hardware in (False, True):
        result = explored(tmp_path, fusions=APART, styles=styles, together=True, hardware=hardware)
        assert refusals(result) == {None}


def test_without_bursts_by_run_an_axi_stream_is_left(tmp_path: Path) -> None:
    boxes = PLATFORM.replace('burst = "run"\noutstanding = 4', 'burst = "box"')
    refused = refusals(explored(tmp_path, boxes, in_frames=True, fusions=TOGETHER, styles=["block"]))
    assert refused == {"the platform's memory has no bursts by run"}
    study: dict[str, Any] = {"in_frames": True, "fusions": TOGETHER, "hardware": True}
    found = explored(tmp_path, boxes, interfaces=["port", "axis"], **study)
    mappings = [group.mapping for design in found.pareto for group in design.groups]
    assert {own.stream.interface for own in mappings if own is not None and own.stream is not None} == {"axis"}
    assert refusals(found) == {None}
    for refused_study in ({"styles": ["block"], "hardware": True}, study):
        with pytest.raises(ArrayolError, match=r"not-emitted.*no bursts by run"):
            explored(tmp_path, boxes, **refused_study)


@pytest.mark.parametrize(
    ("platform", "study", "message"),
    [
        (PLATFORM.replace('technology = "ecp5-6"\n', "[elementary.add]\ninitiation_interval = 1\n"), {}, "technology"),
        (
            f"{PLATFORM}[elementary.add]\ninterval = 1\nlatency = 1\ncost = {{ lut = 1 }}\n",
            {},
            "'add' is given an interval of 1 and a latency of 1, which no datapath",
        ),
        (
            f"{PLATFORM}[local]\naccess_cycles = 2\n",
            {"layouts": ["linear"]},
            "a bank with a layout is accessed every 2",
        ),
    ],
    ids=["technology", "figures", "layouts"],
)
def test_nothing_is_searched_where_nothing_is_emitted(
    tmp_path: Path, platform: str, study: dict[str, Any], message: str
) -> None:
    with pytest.raises(ArrayolError, match=message):
        explored(tmp_path, platform, hardware=True, **study)


SLIDING = """\
elementary twice(x: u8) -> (y: u8[2]) { y[k] = x  for k in 0..2 }

elementary sum(x: u8[2]) -> (y: u8) { y = u8(x[0] + x[1]) }

task pairs(v: u8[*, 2]) -> (b: u8[*, 2]) {
  repeat [*, 2] of twice {
    x <- v
    y -> b at origin [0, 0] paving [2, 0; 0, 1] fitting [1; 0]
  }
}

task sums(b: u8[*, 2]) -> (o: u8[*, 2]) {
  repeat [*, 2] of sum {
    x <- b at origin [0, 0] paving [1, 0; 0, 1] fitting [1; 0]
    y -> o
  }
}

task top(v: u8[*, 2]) -> (o: u8[*, 2]) {
  b = pairs(v)
  o = sums(b)
}
"""


def test_windows_that_end_inside_of_words_beside_states_outside(tmp_path: Path) -> None:
    """Groups at the same time then keep states inside; with states outside alone there are none."""
    (tmp_path / "top.aol").write_text(WINDOW, encoding="utf-8")
    (tmp_path / "top.toml").write_text(PLATFORM, encoding="utf-8")
    reason = "groups at the same time take several frames of 'v' at once, which end inside of words"

    def found(*, outside: bool = False, **study: Any) -> set[str | None]:
        loads = {"array": {"mixed.before": {"load": "frame"}}} if outside else {}
        common = {"fusions": [[["mixed"], ["copied"]]], "together": True, "styles": ["block"], "units": [1]}
        space = api.Space(study=Study.model_validate({**common, **loads, **study}), verify=False)
        return refusals(api.explore(tmp_path / "top.aol", space=space).result)

    assert found(outside=True) == {reason}
    assert found(hardware=True) == {None}
    with pytest.raises(ArrayolError, match=reason):
        found(outside=True, hardware=True)


@pytest.mark.parametrize("hardware", [False, True])
def test_tasks_out_of_step(tmp_path: Path, hardware: bool) -> None:
    """One makes two frames at a time, the other slides over them: in a frame, they fall out of step."""
    (tmp_path / "top.aol").write_text(SLIDING, encoding="utf-8")
    (tmp_path / "top.toml").write_text(PLATFORM, encoding="utf-8")
    with pytest.raises(ArrayolError) as refused:
        api.explore(tmp_path / "top.aol", space=api.Space(narrow=True, verify=False, hardware=hardware))
    (told,) = refused.value.diagnostics
    assert told.code == "frames-out-of-step"
    assert told.message == "'pairs' goes on by 2 frames of 'b' in a repetition, and 'sums' by 1"
    assert told.hint == "let a repetition of both go on by 2"


def test_designs_whose_programs_are_too_long_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study: dict[str, Any] = {"in_frames": True, "fusions": TOGETHER, "styles": ["block"], "orders": ["0,1"]}
    study |= {"units": [1, 2], "intervals": [1], "blocks": {"one_3": [[1, 1], [1, 3], [1, 8]]}}
    everything = explored(tmp_path, **study)
    assert all(design.programs is None for design in everything.pareto), "they are short"
    most = 8
    for module in (program, schedules):
        monkeypatch.setattr(module, "MOST_INSTRUCTIONS", most)
    bounded = explored(tmp_path, **study)
    assert {design.id: design.objectives for design in bounded.pareto} == {
        design.id: design.objectives for design in everything.pareto
    }
    doubtful = [design.programs for design in bounded.pareto if design.programs is not None]
    assert doubtful
    assert all(programs.instructions > most and not programs.exact for programs in doubtful)
    derived = explored(tmp_path, hardware=True, **study)
    assert 0 < len(derived.pareto) < len(bounded.pareto)
    assert not derived.exact
    assert any("left out: the program of" in remark for remark in derived.remarks)
    for programs in (design.programs for design in derived.pareto):
        assert programs is None or (programs.exact and programs.instructions <= most)
    with monkeypatch.context() as patched:
        patched.setattr(programs_of_search, "ENOUGH", 0)
        doubted = explored(tmp_path, hardware=True, **study)
    assert len(doubted.pareto) == len(bounded.pareto)
    assert any(f"schedules of {len(doubtful)} designs were not derived" in remark for remark in doubted.remarks)
    for module in (program, schedules):
        monkeypatch.setattr(module, "MOST_INSTRUCTIONS", 1)
    assert all("would have" in str(reason) for reason in refusals(explored(tmp_path, hardware=True, **study)))


def test_designs_whose_layouts_need_more_copies_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study: dict[str, Any] = {"in_frames": True, "fusions": TOGETHER, "styles": ["block"], "orders": ["0,1"]}
    study |= {
        "units": [1],
        "intervals": [1, 2],
        "links": ["buffer"],
        "blocks": {"one_3": [[1, 1], [1, 8]]},
        "layouts": ["linear"],
    }
    platform = f"{PLATFORM}[local]\nblock_bits = 64\n"
    platform = f"{PLATFORM}[local]\nblock_bits = 64\n"
    assert len(explored(tmp_path, platform, hardware=True, **study).pareto) == 3
    monkeypatch.setattr(memories, "ports_of_lanes", lambda meet: np.arange(len(meet)))  # a copy for each
    derived = explored(tmp_path, platform, hardware=True, **study)
    assert len(derived.pareto) == 1
    assert any("left out: 'w' has a bank layout of which 2 copies would be read" in own for own in derived.remarks)
