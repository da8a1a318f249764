"""A design with inputs in registers, as a folder with all that stands beside its Verilog."""

from __future__ import annotations

import importlib.util
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType

import numpy as np
from hardware_designs import PLATFORM, Small, bench_of, explored, small
from port_designs import in_blocks

from arrayol.execute.run import execute
from dse.output.hardware.later_frames import video_of
from hwmodel.design import Design
from hwmodel.emit.schedule.design import Arrays, HardwareDesign, with_frames, with_later_frames
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
MIXED = """\
const H = 4
const W = 9

elementary mix(x: c64[3], taps: c64[3], gain: c64) -> (y: c64) {
  y  = gain
  y += x[k] * conj(taps[k]) for k in 0..3
}

task mixed(x: c64[H, W + 2], taps: c64[3], gain: c64) -> (y: c64[H, W]) {
  repeat [H, W] of mix {
    x    <- x at origin [0, 0] paving [1, 0; 0, 1] fitting [0; 1]
    taps <- taps
    gain <- gain
    y    -> y
  }
}
"""
STAGES = """\
const H = 5
const W = 11

elementary weigh(x: u12[3], k: i16[3], enable: bool) -> (y: i16) {
  y += i16(x[i]) * k[i] for i in 0..3
  y = 0 where not enable
}

elementary shift(y: i16, offset: i16, enable: bool) -> (z: i16) {
  z = y + offset
  z = 0 where not enable
}

task weighed(x: u12[H, W + 2], k: i16[3], enable: bool) -> (y: i16[H, W]) {
  repeat [H, W] of weigh {
    x      <- x at origin [0, 0] paving [1, 0; 0, 1] fitting [0; 1]
    k      <- k
    enable <- enable
    y      -> y
  }
}

task shifted(y: i16[H, W], offset: i16, enable: bool) -> (z: i16[H, W]) {
  repeat [H, W] of shift {
    y      <- y
    offset <- offset
    enable <- enable
    z      -> z
  }
}

task stages(x: u12[H, W + 2], k: i16[3], offset: i16, enable: bool) -> (z: i16[H, W]) {
  y = weighed(x, k, enable)
  z = shifted(y, offset, enable)
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


def complex_elements() -> HardwareDesign:
    """One of complex numbers, in memory and in registers."""
    return design_on(text=MIXED)


def on_channels() -> HardwareDesign:
    """One of three channels, in the last of which are inputs in registers only."""
    return design_on(PLATFORM.replace("latency", "channels = 3\nlatency"))


@cache
def overlapping(platform: str = PLATFORM) -> HardwareDesign:
    """Two groups at the same time, with inputs in registers that both of them read, or the second one alone."""
    bench = bench_of(STAGES, platform)
    assert bench.inputs is not None
    groups = tuple(in_blocks(bench.model, (task,)) for task in bench.accesses.network.processes)
    hardware = Small(bench, ()).hardware(Design(groups, together=True))
    assert hardware.periods is not None
    later = list[tuple[Arrays, Arrays]]()
    for number in range(1, hardware.periods.frames):
        inputs = {name: np.roll(own, number).reshape(own.shape) for name, own in bench.inputs.items()}
        inputs |= {"offset": bench.inputs["offset"] % 100 + number, "enable": np.array(number % 3 != 1)}
        later.append((inputs, execute(bench.spec, bench.accesses.network.name, inputs)))
    return with_later_frames(hardware, bench.spec, bench.accesses, later)


def overlapping_narrow() -> HardwareDesign:
    """One whose copies in registers are narrower than a register, on separate ports."""
    return overlapping(PLATFORM.replace("word_bits = 64", "word_bits = 16").replace('"shared"', '"separate"'))


def overlapping_on_channels() -> HardwareDesign:
    """One of two channels with separate ports: copies of arrays in each of them."""
    return overlapping(PLATFORM.replace("latency", "channels = 2\nlatency").replace('"shared"', '"separate"'))


VIDEO = """\
elementary three(x: u8[3, 2], k: u8[2]) -> (y: u16) { y += u16(x[f, i] * u16(k[i])) for f in 0..3, i in 0..2 }

elementary two(a: u16[2], x: u8, s: u16) -> (y: u16, t: u16) {
  y = u16(a[0] + 3 * a[1] + x + s)
  t = u16(s + a[0])
}

task sums(v: u8[*, 4, 8], k: u8[2]) -> (a: u16[*, 4, 8]) {
  repeat [*, 4, 8] of three {
    x <- v at origin [0, 0, 0] paving [1, 0, 0; 0, 1, 0; 0, 0, 1] fitting [1, 0; 0, 0; 0, 1] else nearest
    k <- k
    y -> a
  }
}

task both(a: u16[*, 4, 8], v: u8[*, 4, 8]) -> (o: u16[*, 4, 8]) {
  repeat [*, 4, 8] of two {
    a <- a at origin [0, 0, 0] paving [1, 0, 0; 0, 1, 0; 0, 0, 1] fitting [1; 0; 0]
    x <- v
    s <- t delay [1, 0, 0] else 5
    y -> o
  }
}

task video(v: u8[*, 4, 8], k: u8[2]) -> (a: u16[*, 4, 8], o: u16[*, 4, 8]) {
  a = sums(v, k)
  o = both(a, v)
}
"""


@cache
def several_frames(platform: str = PLATFORM) -> HardwareDesign:
    """Two groups in turn: one reads three frames of an input, the other one two of what the first one makes."""
    bench = bench_of(VIDEO, platform)
    assert bench.inputs is not None
    groups = tuple(in_blocks(bench.model, (task,)) for task in bench.accesses.network.processes)
    hardware = Small(bench, ()).hardware(Design(groups))
    assert hardware.buffers is not None
    video = video_of(bench.spec, bench.accesses, hardware.buffers, bench.inputs)
    return with_frames(hardware, bench.accesses, *video)


def several_frames_on_channels() -> HardwareDesign:
    """The same on three channels with separate ports: frames of windows in copies in each of them."""
    return several_frames(PLATFORM.replace("latency", "channels = 3\nlatency").replace('"shared"', '"separate"'))


def texts(design: HardwareDesign) -> dict[str, str]:
    """The files of its folder by path, without Makefile, page and schedule."""
    files = DesignFiles(design)
    modules = files.files()
    return {**modules, **SystemFiles(files, small().testbench.platform).texts(modules)}


def write_folder(design: HardwareDesign, folder: Path) -> Path:
    """The files of a design, written to a folder."""
    for name, text in texts(design).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(str(text), encoding="utf-8")
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
