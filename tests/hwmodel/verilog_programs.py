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
            (folder / name).write_text(text, encoding="utf-8")
        return run_bench(folder)


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
