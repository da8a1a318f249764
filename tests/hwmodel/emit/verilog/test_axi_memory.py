"""Designs behind AXI4 on a memory that is not ours: cocotbext-axi in cocotb, on Icarus."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from cocotb_tools.runner import get_runner
from find_libpython import find_libpython
from hardware import write_design
from hardware_designs import PLATFORM, SPEC, explored, small, three_units
from many_cases import full_count
from verilog_programs import needs_icarus

from hwmodel.emit.schedule.design import HardwareDesign
from hwmodel.emit.verilog.axi import SLOWER
from hwmodel.emit.verilog.design import DesignFiles

pytestmark = [
    needs_icarus,
    pytest.mark.skipif(find_libpython() is None, reason="a Python without a shared library, which cocotb loads"),
]

PAUSED = 10  # frames with pauses
WITHOUT = [0, 0]  # seeds of frames without


@dataclass(frozen=True)
class AxiFrame:
    """A frame: its cycles up to `done`, words of outputs that differ, and whether all else is as it should be."""

    cycles: int
    wrong: int
    clean: bool


def fastest() -> HardwareDesign:
    return small().hardware(small().front[0])


def separate() -> HardwareDesign:
    """One that reads through one port and writes through another."""
    found = explored(SPEC, PLATFORM.replace('"shared"', '"separate"'))
    return found.hardware(found.front[0])


def frames(hardware: HardwareDesign, folder: Path, seeds: list[int]) -> list[AxiFrame]:
    """What an emitted folder does behind AXI4, frame by frame."""
    size = hardware.addresses.word_bytes
    before, after = (_words(folder / "data" / f"{name}.hex") for name in ("memory", "expected"))
    plan = {"base": 0x11000 - 4 * size, "before": b"".join(before).hex(), "seeds": seeds}
    plan["longest"] = SLOWER * hardware.cycles
    paths = {"AXI_PLAN": folder / "plan.json", "AXI_SEEN": folder / "seen.json"}
    paths["AXI_PLAN"].write_text(json.dumps(plan), encoding="utf-8")
    top = DesignFiles(hardware).axi
    runner, built = get_runner("icarus"), folder / "build"
    logs = {"log_file": folder / "cocotb.log"}
    sources = sorted((folder / "rtl").glob("*.v"))
    runner.build(sources=sources, hdl_toplevel=top, build_dir=built, timescale=("1ns", "1ps"), **logs)
    runner.test("cocotb_axi", top, build_dir=built, extra_env={name: str(path) for name, path in paths.items()}, **logs)
    outputs = [at for first, count in hardware.frame.outputs.values() for at in range(first, first + count)]
    found = []
    for seen in json.loads(paths["AXI_SEEN"].read_text(encoding="utf-8")):
        words = bytes.fromhex(seen["after"])
        wrong = sum(words[at * size : (at + 1) * size] != after[at] for at in outputs)
        found.append(AxiFrame(seen["cycles"], wrong, seen["guards"] and not seen["fault"]))
    return found


def _words(path: Path) -> list[bytes]:
    """Words of a file of data, the first byte lowest."""
    return [bytes.fromhex(line)[::-1] for line in path.read_text(encoding="utf-8").split()]


@pytest.mark.parametrize("design", [fastest, three_units, separate])
def test_frames_under_random_pauses(design: Callable[[], HardwareDesign], tmp_path: Path) -> None:
    hardware = design()
    write_design(hardware, tmp_path)
    seeds = list(range(1, 1 + full_count(PAUSED)))
    seen = frames(hardware, tmp_path, [*WITHOUT, *seeds])
    assert [(one.wrong, one.clean) for one in seen] == [(0, True)] * (len(WITHOUT) + len(seeds))
    one, other, *paused = (one.cycles for one in seen)
    assert one == other < min(paused)
    assert one <= hardware.cycles  # this memory answers sooner than the platform's


def test_a_lost_word_is_seen(tmp_path: Path) -> None:
    write_design(fastest(), tmp_path)
    port = tmp_path / "rtl" / "axi_buffer.v"
    text = port.read_text(encoding="utf-8")
    assert text.count("held == 2 ? second : data") == 1
    port.write_text(text.replace("held == 2 ? second : data", "data"), encoding="utf-8")
    assert any(frame.wrong for frame in frames(fastest(), tmp_path, [1]))
