"""A module of the user's own in place of a derived datapath: explored, simulated by a function, an instance."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from verilog_programs import needs_icarus

from arrayol import api
from arrayol.errors import ArrayolError

HERE = Path(__file__).parent / "own"
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "vision:classify": lambda window: np.uint8((int(np.bitwise_xor.reduce(window.ravel())) + int(window[1, 1])) % 256)
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The specification, its platform and the module, to be changed."""
    shutil.copytree(HERE, tmp_path / "own")
    return tmp_path / "own"


def change(path: Path, right: str, wrong: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert right in text
    path.write_text(text.replace(right, wrong), encoding="utf-8")


def opened(folder: Path) -> api.StoredDesign:
    """Its fastest design."""
    explored = api.explore(folder / "camera.aol", folder / "camera.toml", space=api.Space(narrow=True, verify=False))
    api.write_result(explored, folder / "result", report=False)
    return api.open_design(folder / "camera.aol", folder / "result", explored.result.pareto[0].id)


def emitted(folder: Path) -> tuple[str, ...]:
    """What a simulator says that is not as promised, of the emitted design."""
    design = api.emit_verilog(opened(folder), folder / "verilog", functions=FUNCTIONS)
    return api.check_verilog(design, folder / "verilog").mismatches


@needs_icarus
@pytest.mark.parametrize(("latency", "registers"), [(5, "sum2"), (4, "sum1")], ids=["5", "4"])
def test_it_is_an_instance_that_takes_the_cycles_of_the_model(folder: Path, latency: int, registers: str) -> None:
    change(folder / "camera.toml", "latency = 5", f"latency = {latency}")
    change(folder / "classify_core.v", "label = sum2", f"label = {registers}")
    assert emitted(folder) == ()
    group = (folder / "verilog" / "rtl" / "group0_top.v").read_text(encoding="utf-8")
    assert "  classify_core labelled_unit0 (.clk(clk), .slot(labelled_slot), .window(" in group
    assert not (folder / "verilog" / "rtl" / "unit_labelled.v").exists()


def streaming(folder: Path, interface: str) -> api.StoredDesign:
    """Its design that is one stream, whose module stands still while its enable is 0."""
    change(folder / "camera.toml", 'module = "', 'enable = "ce"\nmodule = "')
    change(folder / "classify_core.v", "input wire clk,", "input wire clk,\n  input wire ce,")
    change(folder / "classify_core.v", "always @(posedge clk) begin", "always @(posedge clk) if (ce) begin")
    study = f'styles = ["stream"]\nfusions = [[["labelled", "inverted"]]]\ninterfaces = ["{interface}"]\nchunks = [4]\n'
    (folder / "study.toml").write_text(study, encoding="utf-8")
    space = api.Space(study=folder / "study.toml", hardware=True, verify=False)
    explored = api.explore(folder / "camera.aol", folder / "camera.toml", space=space)
    api.write_result(explored, folder / "result", report=False)
    return api.open_design(folder / "camera.aol", folder / "result", explored.result.pareto[0].id)


@needs_icarus
@pytest.mark.parametrize("interface", ["port", "axis"])
def test_it_streams_with_its_enable(folder: Path, interface: str) -> None:
    design = api.emit_verilog(streaming(folder, interface), folder / "verilog", functions=FUNCTIONS)
    assert api.check_verilog(design, folder / "verilog").mismatches == ()
    group = (folder / "verilog" / "rtl" / "group0_stream.v").read_text(encoding="utf-8")
    assert "  classify_core labelled$unit0 (.clk(clk), .ce(go), .slot(labelled$slot)," in group


@needs_icarus
def test_a_module_that_goes_on_without_its_enable_is_seen(folder: Path) -> None:
    design = api.emit_verilog(streaming(folder, "port"), folder / "verilog", functions=FUNCTIONS)
    change(folder / "verilog" / "rtl" / "classify_core.v", "if (ce) begin", "begin")
    assert any(
        "differ from the execution's" in said for said in api.check_verilog(design, folder / "verilog").mismatches
    )


@needs_icarus
@pytest.mark.parametrize(
    ("right", "wrong"), [("label = sum2", "label = sum1"), ("+ centre", "- centre")], ids=["too early", "another value"]
)
def test_a_module_that_does_another_thing_is_seen(folder: Path, right: str, wrong: str) -> None:
    change(folder / "classify_core.v", right, wrong)
    assert any("differ from the execution's" in said for said in emitted(folder))


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("interval = 2\n", "interval = [2, 3]\n", "'classify' is a module of your own, without one interval"),
        ("latency = 5\n", "latency = 2\n", "the latency of 'classify' is 2, and 3 of it are the local memory's"),
        ('module = "classify_core"', 'module = "classified"', "no file has the module 'classified'"),
        ('module = "classify_core"\nverilog = ["classify_core.v"]\n', "", "'classify' is a Python function"),
        ('module = "', 'enable = "window"\nmodule = "', "the enable of 'classify_core' has the name of another port"),
    ],
    ids=["interval", "latency", "module", "no module", "enable"],
)
def test_what_is_missing_is_said(folder: Path, right: str, wrong: str, message: str) -> None:
    change(folder / "camera.toml", right, wrong)
    with pytest.raises(ArrayolError) as caught:
        emitted(folder)
    assert str(caught.value).startswith(f"error[not-emitted]: {message}")


def test_a_file_may_not_be_called_as_one_of_ours(folder: Path) -> None:
    shutil.copy(folder / "classify_core.v", folder / "bank.v")
    change(folder / "camera.toml", '"classify_core.v"', '"bank.v"')
    with pytest.raises(ArrayolError) as caught:
        emitted(folder)
    assert "a module of your own is in a file 'bank.v', and so is one of arrayol's" in str(caught.value)


def test_files_are_found_from_the_platform_on(folder: Path) -> None:
    change(folder / "camera.toml", '"classify_core.v"', '"cores/none.v"')
    with pytest.raises(ArrayolError) as caught:
        api.load_platform(folder / "camera.toml")
    assert f"{folder}/cores/none.v: error[cannot-read]: No such file or directory" in str(caught.value)


def test_without_leave_no_function_runs(folder: Path, arrayol: Callable[..., Any]) -> None:
    opened(folder)
    command = ("emit", "verilog", "camera.aol", "--result", "result", "--pick", "knee")
    said = arrayol(*command, cwd=folder)
    assert "error[not-emitted]: 'classify' is a Python function, which was not allowed to run: no" in said.stderr
    assert "hint: give --allow-extern, so that its Python function computes what the module should" in said.stderr
    said = arrayol(*command, "--allow-extern", cwd=folder)
    assert said.returncode == 0
    assert "will run vision:classify from " in said.stderr
    said = arrayol("emit", "hls", *command[2:], "--out", "hls", cwd=folder)
    assert "hint: give 'classify' a body in the specification" in said.stderr
