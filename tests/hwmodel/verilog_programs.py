"""Verilog that the tool writes, run by Icarus."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from datapath_bench import StateTimes, write_test_bench

from hwmodel.datapath.derive import Derived
from hwmodel.emit.schedule.design import HardwareDesign
from hwmodel.emit.verilog.datapaths.datapath import datapath_module, operator_modules
from hwmodel.emit.verilog.design import DesignFiles
from hwmodel.emit.verilog.icarus import FrameSeen, run_bench

needs_icarus = pytest.mark.skipif(shutil.which("iverilog") is None, reason="no iverilog, the simulator of Verilog")


def frames_of(design: HardwareDesign) -> tuple[FrameSeen, ...]:
    """The frames of a design on its test bench."""
    with TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for name, text in DesignFiles(design).files().items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(str(text), encoding="utf-8")
        return run_bench(folder)


def promised_frames(design: HardwareDesign, setup_cycles: int = 0) -> tuple[FrameSeen, ...]:
    """The frames that a test bench of a design should see, with some cycles before the first one.

    Groups at the same time take one in each period, and end in it as on the simulated machine while all have a frame.
    """
    if design.periods is None:
        frames = range(1 + max(1, len(design.later)))
        return tuple(FrameSeen(0 if number else setup_cycles, design.cycles_of(number), 0) for number in frames)
    periods, full = design.periods, len(design.later) + 2 - design.periods.groups
    ends = [periods.ends if number < full else () for number in range(1 + len(design.later))]
    before = [setup_cycles] + [periods.cycles] * len(design.later)
    return tuple(FrameSeen(own, design.cycles, 0, end) for own, end in zip(before, ends, strict=True))


def bench_says(
    derived: Derived,
    inputs: Mapping[str, Any],
    outputs: Mapping[str, Any],
    module: str | None = None,
    chains: StateTimes | None = None,
) -> str:
    """What the test bench of a datapath prints."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        text = datapath_module(derived, kept=chains.kept if chains else frozenset()) if module is None else module
        text = "\n".join([text, *operator_modules(derived).values()])
        (folder / "datapath.v").write_text(text)
        write_test_bench(derived, inputs, outputs, folder, chains=chains)
        built = subprocess.run(
            ["iverilog", "-g2001", "-Wall", "-Wno-timescale", "-o", "bench", "bench.v", "datapath.v"],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert built.returncode == 0, f"{built.stderr}\n{text}"
        done = subprocess.run(["vvp", "bench"], cwd=folder, capture_output=True, text=True, check=True, timeout=60)
    return built.stderr + done.stdout
