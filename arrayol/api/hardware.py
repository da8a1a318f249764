"""Designs of results as hardware: Verilog, and what Icarus, yosys and nextpnr say of it; C++, and what g++ says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from numpy.typing import NDArray

from dse.output import hardware_hls, hardware_verilog
from dse.output.calibration import Calibration, calibrate_folders, write_calibration
from dse.output.hardware import EmittedDesign, emit_hardware, write_hardware
from dse.output.open_design import StoredDesign
from dse.output.synthesis import Asked, Synthesis, synthesise_folder


def emit_verilog(
    opened: StoredDesign, folder: Path | str, inputs: Mapping[str, NDArray[Any]] | None = None
) -> EmittedDesign:
    """Write a design as Verilog to a folder, its test bench for a frame of some inputs, else of random data.

    A former emission there is replaced, any other folder that is not empty is refused. Raises ArrayolError:
    `not-emitted` for what has no hardware, and those of `dse.output.hardware`.
    """
    emitted = emit_hardware(hardware_verilog.EmittedVerilog, opened, inputs)
    write_hardware(emitted, Path(folder))
    return emitted


def check_verilog(
    emitted: EmittedDesign, folder: Path | str, vcd: Path | str | None = None
) -> hardware_verilog.CheckedVerilog:
    """Run the test bench of what was written to a folder in Icarus, and compare cycles and outputs.

    `mismatches` of what is returned says what is not as promised. With `vcd` a file of waveforms of all signals is
    written. Raises ArrayolError: `no-icarus` without its programs, `bench-failed` where one of them stops,
    `cannot-write`.
    """
    return hardware_verilog.check_verilog(emitted, Path(folder), None if vcd is None else Path(vcd))


def emit_hls(
    opened: StoredDesign, folder: Path | str, inputs: Mapping[str, NDArray[Any]] | None = None
) -> EmittedDesign:
    """Write a design as C++ for tools of high-level synthesis to a folder, with a program for g++ that runs it.

    Folder, data and errors are those of `emit_verilog`; `not-in-hardware` names functions that tools round in ways of
    their own.
    """
    emitted = emit_hardware(hardware_hls.EmittedHls, opened, inputs)
    write_hardware(emitted, Path(folder))
    return emitted


def check_hls(folder: Path | str) -> hardware_hls.CheckedHls:
    """Build what was written to a folder with g++, plain and with sanitizers, run it, and compare the outputs.

    `mismatches` of what is returned says what is not as promised, streams that hold too much among it. Raises
    ArrayolError: `no-compiler` without g++, `build-failed`, `program-failed` where a sanitizer finds something.
    """
    return hardware_hls.check_hls(Path(folder))


def write_waveforms(
    opened: StoredDesign, file: Path | str, inputs: Mapping[str, NDArray[Any]] | None = None
) -> hardware_verilog.CheckedVerilog:
    """Write waveforms of all signals of a design in Verilog, as VCD: two frames on some inputs, else on random data.

    What was emitted for it is not kept. Raises ArrayolError as `emit_verilog` and `check_verilog`.
    """
    with TemporaryDirectory() as folder:
        return check_verilog(emit_verilog(opened, Path(folder) / "design", inputs), Path(folder) / "design", file)


def synthesise(  # noqa: PLR0913  one for each thing that may be asked for
    folder: Path | str,
    *,
    size: str | None = None,
    package: str | None = None,
    speed: str | None = None,
    mhz: float | None = None,
    seed: int = 1,
    places: bool = True,
    pins: bool = False,
    out: Path | str | None = None,
) -> Synthesis:
    """Synthesise what was emitted to a folder for an ECP5, place and route it, and write the reports beside it.

    Without words it is the largest device, in the package with the most pins, of the technology's speed grade, at the
    clock of the platform, its ports between registers as within a larger design; with `pins` they are pins, and
    there is a file for `ecppack`. With `places` false yosys alone runs. Raises ArrayolError as `synthesise_folder`.
    """
    asked = Asked(size, package, speed, mhz, seed, places, pins)
    return synthesise_folder(Path(folder), asked, None if out is None else Path(out))


def calibrate(
    folders: Sequence[Path | str], held: Sequence[Path | str] = (), out: Path | str | None = None
) -> Calibration:
    """Fit what steers units and memories to folders that were emitted and synthesised, and try it on `held` ones.

    With `out` a technology file is written. Raises ArrayolError as `calibrate_folders` and `atomic_file` do.
    """
    calibration = calibrate_folders([Path(one) for one in folders], [Path(one) for one in held])
    if out is not None:
        write_calibration(calibration, Path(out))
    return calibration
