"""Loads as a choice of designs: the front of a list is that of all fronts with each of its loads fixed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from conftest import CommandLine
from pydantic import ValidationError

from arrayol import api
from arrayol.errors import ArrayolError, InfeasibleError
from dse.output.folder import load_result
from dse.output.report.document import report_document
from dse.output.report.sources import open_origin
from dse.pareto.fronts import non_dominated
from dse.results.compare import compare, values_of
from dse.results.consistency import require_consistent
from dse.results.designs import Design
from dse.results.schema import Result
from dse.space.study import Study

# Two tasks in a row, each with coefficients of its own: of the first they are given, of the second they are known.
TEXT = """\
const v: i16[3] = [3, 1, 2]
elementary mul(x: i16[3], w: i16[3]) -> (y: i16) {
  a: i32 = 0
  a += i32(x[k]) * w[k]  for k in 0..3
  y = i16(a)
}
elementary known(x: i16[2]) -> (y: i16) {
  a: i32 = 0
  a += i32(x[k]) * v[k]  for k in 0..2
  y = i16(a)
}
task first(x: i16[*, 12], w: i16[12]) -> (y: i16[*, 4]) {
  repeat [*, 4] of mul {
    x <- x at origin [0, 0] paving [1, 0; 0, 3] fitting [0; 1]
    w <- w at origin [0] paving [0, 3] fitting [1]
    y -> y
  }
}
task second(x: i16[*, 4]) -> (y: i16[*, 2]) {
  repeat [*, 2] of known {
    x <- x at origin [0, 0] paving [1, 0; 0, 2] fitting [0; 1]
    y -> y
  }
}
task top(x: i16[*, 12], w: i16[12]) -> (z: i16[*, 2]) {
  y = first(x, w)
  z = second(y)
}
"""
PLATFORM = """\
clock_mhz = 100
technology = "ecp5-6"
[memory]
latency = 5
data_per_word = 2
port = "shared"
[local]
banks = 2
[cost]
rom_bits = { lut = 0.25 }
"""
CHOICES = {"w": ("frame", "once"), "v": ("rom", "once", "frame")}
OBJECTIVES = ("latency_cycles", "internal_memory_bits")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("loads")
    (made / "t.aol").write_text(TEXT, encoding="utf-8")
    (made / "t.toml").write_text(PLATFORM, encoding="utf-8")
    return made


def study(**loads: Any) -> Study:
    arrays = {name: {"load": list(load) if isinstance(load, tuple) else load} for name, load in loads.items()}
    return Study.model_validate({"array": arrays, "units": [1, 2]})


def explored(folder: Path, taken: Study, **asked: Any) -> Result:
    space = api.Space(taken, narrow=True, constraints=asked.pop("constraints", ()), verify=asked.pop("verify", False))
    return api.explore(folder / "t.aol", space=space, **{"objectives": OBJECTIVES, **asked}).result


def points(designs: Iterable[Design], objectives: tuple[str, ...] = OBJECTIVES) -> set[tuple[float, ...]]:
    """Of the designs that no other one beats."""
    values = values_of(tuple(designs), objectives)
    return {tuple(values[row].tolist()) for row in non_dominated(values)}


@pytest.fixture(scope="module")
def together(folder: Path) -> Result:
    return explored(folder, study(**CHOICES), verify=True)


@pytest.fixture(scope="module")
def apart(folder: Path) -> list[tuple[dict[str, str], Result]]:
    fixed = [dict(zip(CHOICES, loads, strict=True)) for loads in product(*CHOICES.values())]
    return [(loads, explored(folder, study(**loads))) for loads in fixed]


@pytest.mark.parametrize("method", ["exact", "exhaustive", "nsga2"])
def test_the_front_of_a_list_is_that_of_all_with_each_load_fixed(
    folder: Path, apart: list[tuple[dict[str, str], Result]], method: str
) -> None:
    found = explored(folder, study(**CHOICES), method=method)
    assert points(found.pareto) == points(design for _, result in apart for design in result.pareto)
    assert len(found.pareto) == len(points(found.pareto))
    assert found.evolution is None
    assert found.exact is (method != "nsga2")


def test_designs_say_their_loads_and_are_what_those_make_them(
    together: Result, apart: list[tuple[dict[str, str], Result]]
) -> None:
    assert {(design.loads["w"], design.loads["v"]) for design in together.pareto} == {("once", "rom"), ("frame", "rom")}
    for design in together.pareto:
        assert design.verified
        (alone,) = (result for loads, result in apart if loads == design.loads)
        (same,) = (one for one in alone.pareto if one.decisions == design.decisions)
        shared = same.objectives.keys()
        assert {name: design.objectives[name] for name in shared} == same.objectives
        assert not any(value for name, value in design.objectives.items() if name not in shared)
        assert same.groups == design.groups
        assert same.resident == design.resident


def test_counts_are_those_of_all_choices(together: Result, apart: list[tuple[dict[str, str], Result]]) -> None:
    for name in ("evaluated", "infeasible", "pruned"):
        assert getattr(together, name) == sum(getattr(result, name) for _, result in apart)
    for name in ("group_designs", "whole_designs"):
        assert getattr(together.space, name) == sum(getattr(result.space, name) for _, result in apart)
    assert together.method_description.endswith("; so under each of 6 choices of loads")


def test_a_figure_of_one_choice_is_one_of_all(folder: Path) -> None:
    found = explored(folder, study(**CHOICES), objectives=("frame_cycles", "setup_cycles"))
    setups = {design.objectives["setup_cycles"] for design in found.pareto}
    assert 0 in setups
    assert len(setups) > 1
    assert all((design.objectives["setup_cycles"] > 0) is ("once" in design.loads.values()) for design in found.pareto)


def test_what_constraints_need_is_told_over_all_choices(folder: Path, together: Result) -> None:
    least = min(design.objectives["internal_memory_bits"] for design in together.pareto)
    with pytest.raises(InfeasibleError) as caught:
        explored(folder, study(**CHOICES), constraints=["internal_memory_bits <= 1"])
    assert f"internal_memory_bits <= 1 is asked, the least is {least:,}" in str(caught.value)


def test_all_fusions_under_all_choices(folder: Path, apart: list[tuple[dict[str, str], Result]]) -> None:
    found = explored(folder, study(**CHOICES), keep_all=True)
    assert {tuple(design.loads.values()) for design in found.stored} == {
        tuple(reversed(loads.values())) for loads, _ in apart
    }


def test_one_load_in_a_list_is_that_load(folder: Path) -> None:
    listed, fixed = explored(folder, study(w=("once",))), explored(folder, study(w="once"))
    assert listed.to_json() == fixed.to_json()
    assert json.loads(fixed.to_json())["space"]["study"]["array"]["w"]["load"] == "once"


def test_every_load_of_a_list_must_fit(folder: Path) -> None:
    with pytest.raises(ArrayolError) as caught:
        explored(folder, study(w=("frame", "rom")))
    (told,) = caught.value.diagnostics
    assert told.code == "study-misfit"
    assert told.message.startswith("'array.w' cannot have load = \"rom\": ")


@pytest.mark.parametrize("load", [[], ["once", "once"], ["never"], "never", 1])
def test_loads_that_are_none(load: object) -> None:
    with pytest.raises(ValidationError):
        Study.model_validate({"array": {"w": {"load": load}}})


def test_loads_that_differ_are_other_decisions(together: Result, apart: list[tuple[dict[str, str], Result]]) -> None:
    frame = next(result for loads, result in apart if loads == {"w": "frame", "v": "frame"})
    found = compare(frame, together)
    assert any("loads are v frame, w frame for the first" in remark for remark in found.remarks)
    assert any("v rom or once or frame, w once or frame for the second" in remark for remark in found.remarks)
    assert all(pair.before.loads == pair.after.loads for pair in found.kept if pair.same)


def test_the_commands_show_loads(arrayol: CommandLine, folder: Path, tmp_path: Path) -> None:
    for name in ("t.aol", "t.toml"):
        shutil.copy(folder / name, tmp_path)
    (tmp_path / "s.toml").write_text(
        'units = [1]\n[array.w]\nload = ["frame", "once"]\n[array.v]\nload = "frame"\n', encoding="utf-8"
    )
    options = ("--study", "s.toml", "--narrow", "--out", "out", "--objectives", "latency_cycles,setup_cycles")
    done = arrayol("explore", "t.aol", *options, "--pick", "setup_cycles <= 100", "--verbose", columns=120)
    assert done.returncode == 0, done.stderr
    assert "all this under each of 2 choices of loads" in done.stderr
    assert "w is loaded as each design chooses" in " ".join(done.stderr.split())
    assert "loads: w once" in done.stdout
    assert "\nloads " in done.stdout
    result = json.loads((tmp_path / "out" / "result.json").read_text(encoding="utf-8"))
    loads = {design["id"]: design["loads"] for design in result["pareto"]}
    assert {choice["w"] for choice in loads.values()} == {"frame", "once"}
    rows = (tmp_path / "out" / "designs.csv").read_text(encoding="utf-8").splitlines()
    assert rows[0].endswith(",loads,splits")
    assert all(row.endswith(f",v frame; w {loads[row.partition(',')[0]]['w']},") for row in rows[1:])
    for name in loads:
        done = arrayol("simulate", "t.aol", "--result", "out", "--design", name, "--in", "x=ramp", "--in", "w=ramp")
        assert done.returncode == 0, done.stderr
        assert ("w is loaded once" in done.stderr) is (loads[name]["w"] == "once")
    assert arrayol("report", "out").returncode == 0
    document = report_document(
        load_result(tmp_path / "out"), tmp_path / "out", open_origin(load_result(tmp_path / "out"), tmp_path / "out")
    )
    assert [design["loads"] for design in document["designs"]] == list(loads.values())
    assert all("timeline" in group for group in document["groups"])


def test_a_load_that_the_study_does_not_give_is_found_out(
    together: Result,
) -> None:
    design = together.pareto[0].model_copy(update={"loads": {"v": "rom", "x": "once"}})
    changed = together.model_copy(update={"pareto": (design, *together.pareto[1:])})
    with pytest.raises(ArrayolError) as caught:
        require_consistent(changed, "result.json")
    assert [told.message for told in caught.value.diagnostics] == [
        f"design {design.id}: its load of 'w' is none, and the study gives once or frame",
        f"design {design.id}: its load of 'x' is once, and the study gives none",
    ]
