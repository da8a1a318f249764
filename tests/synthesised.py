"""Folders as synthesis leaves them, and programs in the place of yosys and nextpnr, which take minutes."""

from __future__ import annotations

import hashlib
import json
import stat
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from hwmodel.datapath.technology.overhead import FEATURES
from hwmodel.synth.tools import NEXTPNR, YOSYS

DESIGNS = ((2, 128, 4000), (3, 512, 9000), (4, 64, 2500), (5, 1024, 700))  # memories, bits of a word, units
CELLS = {
    "group0.f_unit0.y_LUT4_Z": "LUT4",
    "group0.f_unit0.y_CCU2C_S0": "CCU2C",
    "group0.f_read.pc_TRELLIS_FF_Q": "TRELLIS_FF",
    "group0.x_for_f_x.banks[0].words.words.0.0": "TRELLIS_DPR16X4",
}
NETLIST = {
    "creator": "Yosys 0.70 (git)",
    "modules": {
        "f_top": {
            "attributes": {"top": "1"},
            "ports": {"clk": {"direction": "input", "bits": [2]}, "busy": {"direction": "output", "bits": [3]}},
            "cells": {name: {"type": own, "connections": {}} for name, own in CELLS.items()},
            "netnames": {},
        }
    },
}
REPORT = {
    "utilization": {name: {"used": used} for name, used in (("TRELLIS_COMB", 12), ("TRELLIS_FF", 2))},
    "fmax": {"clk": {"achieved": 123.45, "constraint": 50}},
}
DOCUMENT = {
    "arrayol": "0",
    "format": 2,
    "spec": "f.aol",
    "design": "1:1",
    "top": "f",
    "model": {
        "technology": "ecp5-7",
        "clock_mhz": 50,
        "costs": {"lut": 8, "ff": 0, "dsp": 0},
        "memories": {"lut": 6, "ff": 0, "blocks": 0, "area": 0},
    },
    "groups": [{"agents": [{"name": "f_read", "lanes": {"f_x": []}}]}],
}
PYTHON = sys.executable
PROGRAM = """\
#!{python}
import json, sys
from pathlib import Path
if "--version" in sys.argv:
    print('"nextpnr" (Version nextpnr-0.11.1)')
else:
    Path("asked.log").write_text(json.dumps(sys.argv[1:]))
    {body}
"""


def write_program(folder: Path, name: str, body: str) -> None:
    """Write an executable that answers `--version`, and otherwise notes its arguments and runs `body`."""
    path = folder / name
    path.write_text(PROGRAM.format(python=PYTHON, body=body), encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def install_programs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put programs into `folder`/bin that leave what yosys and nextpnr left of a small design, and have them found."""
    (folder / "bin").mkdir()
    yosys = f"""Path("netlist.json").write_text({json.dumps(json.dumps(NETLIST))}); Path("yosys.log").write_text(
        str(sorted(str(path) for path in Path("rtl").iterdir())))"""
    nextpnr = f"""Path("report.json").write_text({json.dumps(json.dumps(REPORT))})
    Path("nextpnr.log").write_text(" ".join(sys.argv[1:]))
    if "--textcfg" in sys.argv: Path("design.config").write_text("bits")"""
    write_program(folder / "bin", YOSYS, yosys)
    write_program(folder / "bin", NEXTPNR, nextpnr)
    monkeypatch.setattr(sys, "executable", str(folder / "bin" / "python"))


def write_emitted(folder: Path) -> None:
    """Write a folder as an emission of the small design."""
    (folder / "rtl").mkdir(parents=True)
    (folder / "rtl" / "f_top.v").write_text("module f_top; endmodule\n", encoding="utf-8")
    (folder / "design.json").write_text(json.dumps(DOCUMENT), encoding="utf-8")


def write_synthesised(folder: Path, figures: Sequence[int], *, technology: str = "ecp5-6", steering: int = 0) -> None:
    """Write a design that takes 100 LUT for each memory and 2 for each bit of the port, 50 FF for each memory."""
    memories, port, units = figures
    module = b"module f_top; endmodule\n"
    (folder / "rtl").mkdir(parents=True)
    (folder / "rtl" / "f_top.v").write_bytes(module)
    model = {
        "technology": technology,
        "clock_mhz": 100,
        "costs": {"lut": units + steering, "ff": units, "dsp": 0},
        "memories": {},
        "steering": {"lut": steering, "ff": 0},
        "features": {**dict.fromkeys(FEATURES, 0.0), "memory": memories, "port": port},
    }
    document = {"format": 2, "top": "f", "spec": "f.aol", "design": "1:1", "cycles": 10, "groups": [], "model": model}
    (folder / "design.json").write_text(json.dumps(document), encoding="utf-8")
    synthesis = {
        "spec": "f.aol",
        "design": f"1:{memories}",
        "verilog": hashlib.sha256(b"rtl/f_top.v\n" + module).hexdigest()[:16],
        "tools": ["Yosys 0.70"],
        "mhz": None,
        "total": {"lut": units + 100 * memories + 2 * port, "ff": units + 50 * memories},
    }
    (folder / "synthesis").mkdir()
    (folder / "synthesis" / "synthesis.json").write_text(json.dumps(synthesis), encoding="utf-8")
