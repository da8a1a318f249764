"""Projects of other tools: FuseSoC builds and runs, ipyxact and Tcl read."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from ipyxact.ipyxact import Component
from system_designs import design_on, on_channels, overlapping, texts, write_folder
from verilog_programs import needs_icarus

from hwmodel.emit.schedule.design import HardwareDesign
from hwmodel.emit.system.ip_xact import NAMESPACE
from hwmodel.emit.system.projects import Project, ecp5_makefile, fusesoc_core, vivado_script
from hwmodel.emit.verilog.layout import layout_of


def fusesoc(folder: Path, where: Path, *options: str) -> str:
    """What FuseSoC prints, with the emitted folder as its library."""
    command = [sys.executable, "-m", "fusesoc.main", "--cores-root", folder, "run", *options, "arrayol:design:rows"]
    done = subprocess.run(command, cwd=where, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_folder(design_on(), tmp_path_factory.mktemp("design"))


@needs_icarus
def test_fusesoc_simulates(folder: Path, tmp_path: Path) -> None:
    cycles = design_on().cycles
    said = fusesoc(folder, tmp_path, "--target=sim")
    assert f"frame 0 before 0 cycles {cycles} wrong 0\nframe 1 before 0 cycles {cycles} wrong 0\n" in said
    said = fusesoc(folder, tmp_path, "--target=sim_axi")
    assert re.findall(r"wrong (\d+)", said) == ["0", "0"]
    assert "violations 0" in said


@pytest.mark.skipif(shutil.which("verilator") is None, reason="no verilator")
def test_fusesoc_lints(folder: Path, tmp_path: Path) -> None:
    assert "%Warning" not in fusesoc(folder, tmp_path, "--target=lint")


def test_fusesoc_sets_up_synthesis(folder: Path, tmp_path: Path) -> None:
    fusesoc(folder, tmp_path, "--setup", "--target=vivado")
    script = next(tmp_path.glob("build/*/vivado/*.tcl")).parent
    said = "".join(path.read_text(encoding="utf-8") for path in script.glob("*.tcl"))
    assert "rows_ip.v" in said
    assert "clock.xdc" in said
    assert "xc7z020clg400-1" in said
    fusesoc(folder, tmp_path, "--setup", "--target=ecp5")
    edam = next(tmp_path.glob("build/*/ecp5/*.eda.yml")).read_text(encoding="utf-8")
    assert "--out-of-context" in edam
    assert "clock.lpf" in edam


@pytest.mark.parametrize("design", [design_on, on_channels])
def test_ipyxact_reads_ports_registers_and_files(design: Callable[[], HardwareDesign], tmp_path: Path) -> None:
    folder, component = write_folder(design(), tmp_path), Component()
    component.load(str(folder / "component.xml"))
    head = (folder / "rtl" / "rows_ip.v").read_text(encoding="utf-8").partition(");")[0]
    declared = re.findall(r"(input|output) wire (?:\[(\d+):0\] )?(\w+)", head)
    space = {"": NAMESPACE}
    lefts = {  # ipyxact 0.3.2 has no ranges of ports in this form
        port.findtext("name", "", space): port.findtext("wire/vector/left", "", space)
        for port in ET.parse(folder / "component.xml").iterfind("model/ports/port", space)
    }
    ports = {(port.wire.direction, lefts[port.name], port.name) for port in component.model.ports.port}
    assert ports == {(side.removesuffix("put"), left, name) for side, left, name in declared}
    mapped = {each.physicalPort.name for bus in component.busInterfaces.busInterface for each in bus.portMaps.portMap}
    assert mapped == {name for _, _, name in declared}
    (block,) = component.memoryMaps.memoryMap[0].addressBlock
    offsets = {register.name: register.addressOffset for register in block.register}
    layout = json.loads((folder / "sw" / "layout.json").read_text(encoding="utf-8"))
    registers = {row["name"]: row["register"] for row in layout["arrays"]}
    assert [offsets[name] for name in ("CONTROL", "STATUS", "CYCLES", "BASE_LOW")] == [0, 4, 12, 16]
    assert {name: offsets[f"{name}_0"] for name in ("k", "gain", "enable")} == {
        name: registers[name] for name in ("k", "gain", "enable")
    }
    assert sum(name.endswith("_LOW") for name in offsets) == len(layout["sizes"])
    tree, named = ET.parse(folder / "component.xml"), f"{{{NAMESPACE}}}addressSpaceRef"
    spaces = [own.get(named) for own in tree.iterfind("busInterfaces/busInterface/master/addressSpaceRef", space)]
    assert spaces == [own.findtext("name", "", space) for own in tree.iterfind("addressSpaces/addressSpace", space)]
    assert len(set(spaces)) == len(layout["sizes"])
    listed = {file.name for group in component.fileSets.fileSet for file in group.file}
    assert listed == {name for name in texts(design()) if name.startswith(("rtl/", "tb/"))}


def test_each_copy_of_an_input_has_registers() -> None:
    space, design = {"": NAMESPACE}, overlapping()
    rows = ET.fromstring(texts(design)["component.xml"]).iterfind(".//register", space)
    offsets = {row.findtext("name", "", space): row.findtext("addressOffset", "", space) for row in rows}
    registered = {array.name: array for array in layout_of(design).registered}
    for name, copies in (("k", 2), ("offset", 3), ("enable", 3)):
        array = registered[name]
        assert array.register is not None
        at = [array.register + copy * array.register_stride for copy in range(copies)]
        assert [offsets[f"{name}_copy{copy}_0"] for copy in range(copies)] == [f"'h{own:X}" for own in at]
    assert len(set(offsets.values())) == len(offsets)


def test_tcl_runs_the_scripts_for_vivado(folder: Path) -> None:
    """Every command of Vivado is a procedure that notes its words."""
    tkinter = pytest.importorskip("tkinter", reason="no Tcl beside this Python")
    known = {
        "vivado/build.tcl": {
            "create_project", "read_verilog", "read_xdc", "synth_design", "opt_design", "place_design", "route_design",
            "report_utilization", "report_timing_summary", "write_checkpoint",
        },
        "vivado/package.tcl": {
            "create_project", "add_files", "set_property", "current_fileset", "ipx::package_project",
            "ipx::current_core", "ipx::associate_bus_interfaces", "ipx::create_xgui_files", "ipx::update_checksums",
            "ipx::save_core",
        },
    }  # fmt: skip
    for path, commands in known.items():
        tcl = tkinter.Tcl()
        tcl.eval("set seen {}; set argc 0; set argv {}; namespace eval ipx {}")
        for command in commands:
            tcl.eval(f"proc {command} args {{ lappend ::seen [concat {command} $args] }}")
        tcl.eval(f"source {{{folder / path}}}")
        seen = tcl.splitlist(tcl.eval("set seen"))
        assert {line.split()[0] for line in seen} == commands
        if path == "vivado/build.tcl":
            read = {Path(line.split()[1]) for line in seen if line.startswith("read_verilog")}
            assert read == set((folder / "rtl").glob("*.v"))


@pytest.mark.parametrize(
    ("device", "part", "options"),
    [
        (None, "xc7z020clg400-1", "--85k --package CABGA756 --speed 6"),
        ("LFE5U-12F", "xc7z020clg400-1", "--12k --package CABGA381 --speed 6"),
        ("LFE5U-25F", "xc7z020clg400-1", "--25k --package CABGA381 --speed 6"),
        ("LFE5UM5G-45F", "xc7z020clg400-1", "--um5g-45k --package CABGA554 --speed 6"),
        ("xc7k325t", "xc7k325tffg900-2", "--85k --package CABGA756 --speed 6"),
    ],
)
def test_the_device_of_the_platform_is_that_of_the_scripts(device: str | None, part: str, options: str) -> None:
    project = Project("n", "n_ip", "aclk", 50.0, device, "ecp5-6", ["rtl/n_ip.v"], [], [], [])
    assert f"{{{part}}}" in vivado_script(project)
    assert f"DEVICE ?= {options}\n" in ecp5_makefile(project)
    assert f"part: {part}" in fusesoc_core(project, [])
