"""A design of a stored result as Verilog, and what a simulator says of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from arrayol.text import counted
from dse.output.hardware import MAKEFILE, PAGE, CheckedDesign, EmittedDesign
from dse.output.hardware_page import Promised, page_of
from hwmodel.emit.system.files import SystemFiles
from hwmodel.emit.verilog.design import DesignFiles
from hwmodel.emit.verilog.icarus import FrameSeen, run_bench
from hwmodel.emit.verilog.makefile import makefile
from hwmodel.emit.verilog.top import FRAMES


class EmittedVerilog(EmittedDesign):
    """A design as Verilog."""

    takes_modules: ClassVar[bool] = True

    def _sources(self) -> Mapping[str, str]:
        files = DesignFiles(self.hardware)
        promised = Promised(self.opened, self.hardware, self.data, self.simulated_steps)
        modules = files.files()
        return {
            **modules,
            **SystemFiles(files, self.opened.platform).texts(modules),
            MAKEFILE: makefile(f"{self.hardware.top}_top", files.axi),
            PAGE: page_of(promised, files),
        }


@dataclass(frozen=True)
class CheckedVerilog(CheckedDesign):
    """What a simulator of Verilog saw of an emitted design, frame by frame, beside the cycles that one must take.

    `setup_cycles` go before the first frame, for what is loaded once.
    """

    form: ClassVar[str] = "Verilog"
    promise: ClassVar[str] = "model"

    frames: tuple[FrameSeen, ...]
    cycles: int
    setup_cycles: int = 0

    def differences(self) -> Iterator[str]:
        """What is not as promised, in words."""
        if len(self.frames) != FRAMES:
            yield f"{counted(len(self.frames), 'frame')} of {FRAMES} ended"
        for number, frame in enumerate(self.frames):
            if frame.cycles != self.cycles:
                yield f"frame {number} takes {frame.cycles:,} cycles, where the model says {self.cycles:,}"
            before = 0 if number else self.setup_cycles
            if frame.before != before:
                yield f"{counted(frame.before, 'cycle')} go before frame {number}, where the model says {before:,}"
            if frame.wrong:
                yield f"{counted(frame.wrong, 'word')} of the outputs of frame {number} differ from the execution's"


def check_verilog(emitted: EmittedDesign, folder: Path, waves: Path | None = None) -> CheckedVerilog:
    """Run the test bench of a written folder in Icarus: see `hwmodel.emit.verilog.icarus.run_bench`."""
    estimate = emitted.opened.estimate
    return CheckedVerilog(run_bench(folder, waves), estimate.latency_cycles, estimate.setup_cycles)
