"""Designs of results as hardware: Verilog with a test bench, and what Icarus says of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from dse.output.hardware import CheckedDesign, EmittedDesign, check_hardware, emit_hardware, write_hardware
from dse.output.open_design import StoredDesign


def emit_verilog(
    opened: StoredDesign, folder: Path | str, inputs: Mapping[str, NDArray[Any]] | None = None
) -> EmittedDesign:
    """Write a design as Verilog to a folder, its test bench for a frame of some inputs, else of random data.

    A former emission there is replaced, any other folder that is not empty is refused. Raises ArrayolError:
    `not-emitted` for what has no hardware, and those of `dse.output.hardware`.
    """
    emitted = emit_hardware(opened, inputs)
    write_hardware(emitted, Path(folder))
    return emitted


def check_verilog(emitted: EmittedDesign, folder: Path | str, vcd: Path | str | None = None) -> CheckedDesign:
    """Run the test bench of what was written to a folder in Icarus, and compare cycles and outputs.

    `mismatches` of what is returned says what is not as promised. With `vcd` a file of waveforms of all signals is
    written. Raises ArrayolError: `no-icarus` without its programs, `bench-failed` where one of them stops,
    `cannot-write`.
    """
    return check_hardware(emitted, Path(folder), None if vcd is None else Path(vcd))
