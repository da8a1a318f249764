"""The Python interface as a notebook uses it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from verilog_programs import needs_icarus

from arrayol import api

LPSF = Path(__file__).parents[1] / "specs" / "lpsf.aol"
SMALL = {"H": 8, "W": 12}
NAMES = """
ArrayolError BuiltMemories BuiltMemory Calibration CheckedDesign Choices ComparedResults Comparison CostReport Design
EmittedDesign Exploration Imported InfeasibleError LayoutDesign LayoutExploration Method Model Picked Picture Platform
Progress Resources Result Simulated Source Space Spec Specification StoredDesign Study Synthesis Technology Transfers
Transformed calibrate check_hls check_verilog compare cost design_steps draw_breakdown draw_layout
draw_layout_exploration draw_schedule draw_timeline emit_designs emit_hls emit_layout emit_verilog explore
explore_layouts import_c json_schema layout load load_platform load_result load_technology local_banks memories
model_of open_design pick progress run show spec_json spec_text study_of_pragmas synthesise transfers transform
transform_design way_to_hardware write_report write_result write_trace write_waveforms
"""


def test_run_takes_and_gives_arrays_by_port() -> None:
    spec = api.load(LPSF, SMALL)
    flat = api.run(spec, {"p0": np.zeros((8, 12), np.float32)})
    assert flat["p4"].dtype == np.float32
    assert not flat["p4"].any()
    row = api.run(spec, {"src": np.ones((8, 12), np.float32)}, top="hflr")["dst"]
    assert np.array_equal(row[0], 1 - np.float32(0.5) ** np.arange(1, 13, dtype=np.float32))


def test_mistakes_are_one_exception() -> None:
    spec = api.load(LPSF, SMALL)
    with pytest.raises(api.ArrayolError, match="missing-input"):
        api.run(spec, {})
    with pytest.raises(api.ArrayolError, match=r"unknown-task.*\n.*did you mean 'hflr'"):
        api.run(spec, {}, top="hflrr")
    with pytest.raises(api.ArrayolError, match="no such file"):
        api.load(LPSF.with_name("lpfs.aol"))


def test_public_names_and_no_others_are_shown() -> None:
    assert api.__all__ == dir(api) == NAMES.split()
    assert all(getattr(api, name) is not None for name in NAMES.split())
    with pytest.raises(AttributeError, match=r"module 'arrayol\.api' has no attribute 'lod'"):
        api.lod  # type: ignore[attr-defined]  # noqa: B018


def test_tools_see_the_names_where_they_come_from() -> None:
    """The imports for type checkers say the same as the table."""
    text = Path(api.__file__).read_text(encoding="utf-8")
    typed = {name: module for module, name in re.findall(r"from ([\w.]+) import (\w+) as \2\n", text)}
    assert typed == api._MODULES  # noqa: SLF001


def test_nothing_is_loaded_before_its_use() -> None:
    script = "import json, sys; from arrayol import api; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    ours = {name for name in json.loads(done.stdout) if name.startswith(("arrayol", "hwmodel", "dse"))}
    assert ours == {"arrayol", "arrayol.api", "arrayol.errors", "arrayol.packages", "arrayol.source"}
    assert not {"numpy", "pydantic", "islpy", "lark", "matplotlib", "rich"} & set(json.loads(done.stdout))


def _run(spec: api.Source, settings: Any) -> Any:
    return api.run(spec, {"p0": np.ones((8, 12), np.float32)}, settings=settings)["p4"].tolist()


def _transfers(spec: api.Source, settings: Any) -> Any:
    return api.transfers(spec, "hflr", settings=settings).report().to_json()


def _explored(spec: api.Source, settings: Any) -> Any:
    found = api.explore(spec, model="published", settings=settings)
    return found.result.to_json()


CALLS: dict[str, Callable[[api.Source, Any], Any]] = {
    "load": api.load,
    "run": _run,
    "transform": lambda spec, settings: api.spec_text(api.transform(spec, ["pave hflr 1,3"], settings=settings).spec),
    "one step": lambda spec, settings: api.spec_text(api.transform(spec, "pave hflr 1,3", settings=settings).spec),
    "explore": _explored,
    "layout": lambda spec, settings: api.layout(spec, "hflr", settings=settings).costs,
    "transfers": _transfers,
    "local_banks": lambda spec, _: api.local_banks(spec),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_paths_texts_and_specifications_are_alike(call: Callable[[api.Source, Any], Any]) -> None:
    expected = call(api.load(LPSF, SMALL), None)
    assert call(LPSF, SMALL) == expected
    assert call(str(LPSF), SMALL) == expected
    assert call(api.load(LPSF), SMALL) == expected


def test_settings_go_on_top_of_those_there() -> None:
    spec = api.load(api.load(LPSF, {"H": 8}), {"W": "2 * 6"})
    assert (dict(spec.settings), spec) == (SMALL, api.load(LPSF, SMALL))


def test_what_steps_made_is_a_specification_too() -> None:
    made = api.transform(LPSF, ["pave hflr 1,3"], settings=SMALL).spec
    assert api.transfers(made, "hflr").traffic.nest is not None
    with pytest.raises(api.ArrayolError) as refusal:
        api.load(made, SMALL)
    assert str(refusal.value) == (
        f"{LPSF}: error[made-by-steps]: steps made this specification: it has no consts\n"
        "  hint: set them where the file is loaded, and take the steps then"
    )


def test_paths_of_folders_and_platforms_are_texts_too(tmp_path: Path) -> None:
    platform = str(LPSF.with_suffix(".toml"))
    found = api.explore(str(LPSF), platform, settings={"H": 20, "W": 40}, space=api.Space(narrow=True, verify=False))
    files = api.write_result(found, str(tmp_path / "out"))
    assert {file.parent for file in files} >= {tmp_path / "out"}
    result = api.load_result(str(tmp_path / "out"))
    assert result == found.result
    page = api.write_report(str(tmp_path / "out"), str(tmp_path / "page.html"))
    assert page.path == tmp_path / "page.html"
    design = found.result.pareto[0].id
    opened = api.open_design(str(LPSF), str(tmp_path / "out"), design)
    assert opened.platform == api.load_platform(platform)
    assert opened == api.open_design(api.load(LPSF), tmp_path / "out", design)
    built = api.memories(opened)
    assert built is not None
    assert (built.technology, built.totals["lut"] > 0) == ("ecp5-6", True)


@needs_icarus
def test_a_design_as_verilog(tmp_path: Path) -> None:
    spec, folder = api.load(LPSF.with_name("pattern.aol"), {"N": 24, "LENGTH": 3, "S": 12}), tmp_path / "explored"
    found = api.explore(spec, space=api.Space(narrow=True, verify=False))
    api.write_result(found, folder)
    opened = api.open_design(spec, folder, found.result.pareto[-1].id)
    emitted = api.emit_verilog(opened, str(tmp_path / "v"))
    assert {path.relative_to(tmp_path / "v").as_posix() for path in (tmp_path / "v").rglob("*") if path.is_file()} == (
        emitted.files.keys()
    )
    checked = api.check_verilog(emitted, str(tmp_path / "v"))
    assert checked.mismatches == ()
    assert [(frame.cycles, frame.wrong) for frame in checked.frames] == 2 * [(emitted.hardware.cycles, 0)]
    assert emitted.hardware.cycles == found.result.pareto[-1].objectives["latency_cycles"]
    wrong = replace(checked, frames=(replace(checked.frames[0], wrong=2), replace(checked.frames[1], cycles=1)))
    assert list(wrong.mismatches) == [
        "2 words of the outputs of frame 0 differ from the execution's",
        f"frame 1 takes 1 cycles, where the model says {checked.cycles:,}",
    ]
    late = replace(checked, setup_cycles=4)
    assert list(late.mismatches) == ["0 cycles go before frame 0, where the model says 4"]
    assert list(replace(checked, frames=()).mismatches) == ["0 frames of 2 ended"]
    with pytest.raises(api.ArrayolError, match="emitted-differs"):
        wrong.require_agreement()


WRONG = {
    "model": (
        {"model": "machin"},
        "explore, model: error[unknown-model]: there is no model 'machin'\n  hint: did you mean 'machine'?",
    ),
    "another model": (
        {"model": "x"},
        "explore, model: error[unknown-model]: there is no model 'x'\n  hint: choose machine or published",
    ),
    "method": (
        {"method": "exhaustiv"},
        "explore, method: error[unknown-method]: there is no method 'exhaustiv'\n  hint: did you mean 'exhaustive'?",
    ),
    "another method": (
        {"method": "x"},
        (
            "explore, method: error[unknown-method]: there is no method 'x'\n"
            "  hint: choose auto, partition, exhaustive, exact, rounds or nsga2"
        ),
    ),
    "objective": (
        {"objectives": ["latency_cycle"]},
        "error[unknown-objective]: there is no objective 'latency_cycle'\n  hint: did you mean 'latency_cycles'?",
    ),
    "objective of the published model": (
        {"objectives": "unit", "model": "published"},
        "error[unknown-objective]: there is no objective 'unit'\n  hint: did you mean 'units'?",
    ),
    "platform": (
        {"platform": "lpsf.tom"},
        "lpsf.tom: error[no-such-file]: no such file",
    ),
}


@pytest.mark.parametrize(("words", "message"), WRONG.values(), ids=WRONG)
def test_a_wrong_name_is_told(
    words: dict[str, Any], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(api.ArrayolError) as refusal:
        api.explore(LPSF, settings=SMALL, **words)
    assert str(refusal.value) == message
