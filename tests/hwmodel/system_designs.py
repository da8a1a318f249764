"""A design with inputs in registers, as a folder with all that stands beside its Verilog."""

from __future__ import annotations

import importlib.util
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType

from hardware_designs import PLATFORM, explored, small

from hwmodel.emit.schedule.design import HardwareDesign
from hwmodel.emit.system.files import SystemFiles
from hwmodel.emit.verilog.design import DesignFiles

SPEC = """\
const H = 7
const W = 19

elementary weigh(x: u12[3], k: i16[3], gain: i8.8, enable: bool) -> (y: i32) {
  y += i32(x[i]) * i32(k[i]) for i in 0..3
  y += i32(gain)
  y = 0 where not enable
}

task rows(x: u12[H, W + 2], k: i16[3], gain: i8.8, enable: bool) -> (y: i32[H, W]) {
  repeat [H, W] of weigh {
    x      <- x at origin [0, 0] paving [1, 0; 0, 1] fitting [0; 1]
    k      <- k
    gain   <- gain
    enable <- enable
    y      -> y
  }
}
"""


@cache
def design_on(platform: str = PLATFORM, text: str = SPEC) -> HardwareDesign:
    """The fastest design of a specification, by default that above."""
    found = explored(text, platform)
    return found.hardware(found.front[0])


def separate() -> HardwareDesign:
    """One that reads through one port and writes through another."""
    return design_on(PLATFORM.replace('"shared"', '"separate"'))


def narrow() -> HardwareDesign:
    """One whose words are narrower than a register."""
    return design_on(PLATFORM.replace("word_bits = 64", "word_bits = 16"), SPEC.replace("i32", "i16"))


def texts(design: HardwareDesign) -> dict[str, str]:
    """The files of its folder by path, without Makefile, page and schedule."""
    files = DesignFiles(design)
    modules = files.files()
    return {**modules, **SystemFiles(files, small().testbench.platform).texts(modules)}


def write_folder(design: HardwareDesign, folder: Path) -> Path:
    """The files of a design, written to a folder."""
    for name, text in texts(design).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def driver_of(design: HardwareDesign) -> ModuleType:
    """The driver of its folder, imported."""
    with TemporaryDirectory() as scratch:
        path = write_folder(design, Path(scratch)) / "sw" / "accelerator.py"
        spec = importlib.util.spec_from_file_location("accelerator_under_test", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        try:
            spec.loader.exec_module(module)
        finally:
            del sys.modules[spec.name]
    return module
