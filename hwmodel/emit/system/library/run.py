"""Runs test_frames.py on the design in Icarus Verilog; it needs cocotb 2 and cocotbext-axi."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from cocotb_tools.check_results import get_results
from cocotb_tools.runner import get_runner

FOLDER = Path(__file__).resolve().parent.parent


def main() -> int:
    """Build and run; 1 if a test failed."""
    top = json.loads((FOLDER / "sw" / "layout.json").read_text(encoding="utf-8"))["top"]
    runner, built = get_runner("icarus"), FOLDER / "build" / "cocotb"
    sources = sorted((FOLDER / "rtl").glob("*.v"))
    runner.build(sources=sources, hdl_toplevel=top, build_dir=built, timescale=("1ns", "1ps"))
    seen = runner.test("test_frames", top, build_dir=built, test_dir=FOLDER / "cocotb")
    _, failed = get_results(seen)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
