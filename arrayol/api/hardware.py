"""Designs of results as hardware: Verilog, and what Icarus, yosys and nextpnr say of it; C++, and what g++ says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from numpy.typing import NDArray

from arrayol.execute.extern import Functions
from dse.output.calibration import Calibration, calibrate_folders, write_calibration
from dse.output.hardware import cpp as hardware_cpp
from dse.output.hardware import verilog as hardware_verilog
from dse.output.hardware.emission import EmittedDesign, write_hardware
from dse.output.open_design import StoredDesign
from dse.output.synthesis import Synthesis, SynthesisOptions, synthesise_folder


def emit_verilog(
    opened: StoredDesign,
    folder: Path | str,
    inputs: Mapping[str, NDArray[Any]] | None = None,
    functions: Functions | None = None,
) -> EmittedDesign:
    """Write a design as Verilog-2001 to a folder, with a test bench for one frame.

    `inputs` are arrays by input port, as for `run`; without them the frame is random. `functions` are Python functions
    that may run, by the text after `extern`; modules of your own compute the same. A former emission in `folder` is
    replaced; any other folder must be empty. Returns the emitted design, with its `files`. Raises ArrayolError:
    `not-emitted` for what cannot be emitted yet, `not-hardware` for the folder, `cannot-write`, and those of `run`.

    >>> "rtl/conv3x3_top.v" in api.emit_verilog(design, "verilog").files
    True
    """
    emitted = hardware_verilog.emit_verilog(opened, inputs, functions)
    write_hardware(emitted, Path(folder))
    return emitted


def check_verilog(
    emitted: EmittedDesign, folder: Path | str, vcd: Path | str | None = None
) -> hardware_verilog.CheckedVerilog:
    """Run the test bench of a written design in Icarus Verilog, and compare cycles and outputs.

    `emitted` and `folder` are those of `emit_verilog`. With `vcd`, the waveforms of all signals are written to that
    file. `mismatches` of the result names every difference. Raises ArrayolError: `no-icarus` without its programs,
    `bench-failed` if one of them fails, `cannot-write`.

    >>> api.check_verilog(api.emit_verilog(design, "checked"), "checked").mismatches
    ()
    """
    return hardware_verilog.check_verilog(emitted, Path(folder), None if vcd is None else Path(vcd))


def emit_hls(
    opened: StoredDesign, folder: Path | str, inputs: Mapping[str, NDArray[Any]] | None = None
) -> EmittedDesign:
    """Write a design as C++ for tools of high-level synthesis to a folder, with a program for g++ that runs it.

    Parameters and errors are those of `emit_verilog`; `not-in-hardware` names functions that such tools round in their
    own way.

    >>> "Makefile" in api.emit_hls(design, "hls").files
    True
    """
    emitted = hardware_cpp.emit_hls(opened, inputs)
    write_hardware(emitted, Path(folder))
    return emitted


def check_hls(folder: Path | str) -> hardware_cpp.CheckedHls:
    """Build what `emit_hls` wrote to a folder with g++, with and without sanitizers, run it, and compare the outputs.

    `mismatches` of the result names every difference, and streams that hold too much. Raises ArrayolError:
    `no-compiler` without g++, `build-failed`, `program-failed` if a sanitizer finds an error.

    >>> emitted = api.emit_hls(design, "built")
    >>> api.check_hls("built").mismatches
    ()
    """
    return hardware_cpp.check_hls(Path(folder))


def write_waveforms(
    opened: StoredDesign, file: Path | str, inputs: Mapping[str, NDArray[Any]] | None = None
) -> hardware_verilog.CheckedVerilog:
    """Write the waveforms of all signals of a design in Verilog (VCD), for two frames of `inputs` or random data.

    The emitted Verilog is not kept. Raises ArrayolError as `emit_verilog` and `check_verilog`.

    >>> api.write_waveforms(design, "waves.vcd").mismatches
    ()
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
    """Synthesise what `emit_verilog` wrote to a folder for an ECP5, and place and route it.

    - `size` (`"25k"`, `"um-45k"`, `"85k"`), `package` and `speed` choose the device; without them it is the platform's,
      else the largest, in the package with the most pins, of the speed grade of the technology.
    - `mhz`: the requested clock; without it, that of the platform.
    - `seed`: of the placement. With `places` false, only yosys runs, and the clock is not known.
    - `pins`: connect the ports to pins, and write a file for `ecppack`. Without it they end in registers, as inside a
      larger design.
    - `out`: the folder for netlist, logs and figures; without it `synthesis` in the folder.

    Returns the counted cells (LUT, FF, DSP, memories) and the clock in MHz. It takes minutes. Raises ArrayolError:
    `not-emitted-folder`, `no-synthesis` without the programs, `synthesis-failed`, `not-synthesis`, `cannot-write`.

    >>> api.synthesise("v0", mhz=50).mhz >= 50
    True
    """
    asked = SynthesisOptions(size, package, speed, mhz, seed, places, pins)
    return synthesise_folder(Path(folder), asked, None if out is None else Path(out))


def calibrate(
    folders: Sequence[Path | str], held: Sequence[Path | str] = (), out: Path | str | None = None
) -> Calibration:
    """Fit the cost of control logic (sequencers, routing to banks, port) to designs that were synthesised.

    `folders` are folders of `emit_verilog` that `synthesise` has worked on, at least three; `held` are more of them, to
    test the fit on. With `out`, a technology file is written. Costs are in LUT and FF. Raises ArrayolError:
    `not-synthesised`, `too-few-designs`, `mixed-technologies`, `cannot-write`.

    >>> sorted(api.calibrate(["d0", "d1", "d2"]).coefficients)
    ['ff', 'lut']
    """
    calibration = calibrate_folders([Path(one) for one in folders], [Path(one) for one in held])
    if out is not None:
        write_calibration(calibration, Path(out))
    return calibration
