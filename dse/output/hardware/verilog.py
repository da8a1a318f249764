"""A design of a stored result as Verilog, and what a simulator says of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from numpy.typing import NDArray

from arrayol.execute.extern import Functions
from arrayol.text import counted
from dse.output.hardware.emission import MAKEFILE, PAGE, CheckedDesign, EmittedDesign, ScheduledDesign, emit_hardware
from dse.output.hardware.page import Promised, page_of
from dse.output.hardware.stream import EmittedStream, emit_stream
from dse.output.open_design import StoredDesign
from hwmodel.emit.images import Text
from hwmodel.emit.schedule.design import StreamScheduling
from hwmodel.emit.streams.port_schedule import VERILOG_STREAMS
from hwmodel.emit.system.files import SystemFiles
from hwmodel.emit.verilog.coverage import has_axi_streams
from hwmodel.emit.verilog.design import DesignFiles
from hwmodel.emit.verilog.icarus import FrameSeen, run_bench
from hwmodel.emit.verilog.makefile import makefile
from hwmodel.emit.verilog.top import FRAMES


class EmittedVerilog(ScheduledDesign):
    """A design as Verilog."""

    takes_modules: ClassVar[bool] = True
    streams: ClassVar[StreamScheduling | None] = VERILOG_STREAMS

    def _sources(self) -> Mapping[str, Text]:
        files = DesignFiles(self.hardware)
        reached = self.logic, self.mhz, self.slower
        promised = Promised(self.opened, self.hardware, self.data, self.simulated_steps, *reached)
        modules = files.files()
        return {
            **modules,
            **SystemFiles(files, self.opened.platform).texts(modules),
            MAKEFILE: makefile(f"{self.hardware.top}_top", files.axi, files.ip),
            PAGE: page_of(promised, files),
        }


@dataclass(frozen=True)
class CheckedVerilog(CheckedDesign):
    """What a simulator of Verilog saw of an emitted design, frame by frame, beside the cycles that one must take.

    `setup_cycles` go before the first frame, for what is loaded once, and the `first` frames may take fewer cycles.
    Frames of a stream or of groups at the same time overlap: each begins `frame_cycles` after the one before; 0 where
    they do not. Such groups end in the cycles `ends` of a period. So many frames are `promised`.
    """

    form: ClassVar[str] = "Verilog"
    promise: ClassVar[str] = "model"

    frames: tuple[FrameSeen, ...]
    cycles: int
    setup_cycles: int = 0
    frame_cycles: int = 0
    promised: int = FRAMES
    ends: tuple[int, ...] = ()
    first: tuple[int, ...] = ()

    def differences(self) -> Iterator[str]:
        """What is not as promised, in words."""
        if len(self.frames) != self.promised:
            yield f"{counted(len(self.frames), 'frame')} of {self.promised} ended"
        for number, frame in enumerate(self.frames):
            cycles = self.first[number] if number < len(self.first) else self.cycles
            if frame.cycles != cycles:
                yield f"frame {number} takes {frame.cycles:,} cycles, where the model says {cycles:,}"
            before = self.frame_cycles if number else self.setup_cycles
            if frame.before != before:
                yield f"{counted(frame.before, 'cycle')} go before frame {number}, where the model says {before:,}"
            if frame.wrong:
                yield f"{counted(frame.wrong, 'word')} of the outputs of frame {number} differ from the execution's"
            for group, pair in enumerate(zip(frame.ends, self.ends, strict=True) if frame.ends else (), 1):
                if pair[0] != pair[1]:
                    where = f"where the simulated machine says {pair[1]:,}"
                    yield f"group {group} ends after {counted(pair[0], 'cycle')} of a period, {where}"


def check_verilog(emitted: EmittedDesign, folder: Path, waves: Path | None = None) -> CheckedVerilog:
    """Run the test bench of a written folder in Icarus: see `hwmodel.emit.verilog.icarus.run_bench`."""
    seen = run_bench(folder, waves)
    if isinstance(emitted, EmittedStream):
        return CheckedVerilog(seen, emitted.cycles, 0, emitted.stream.hardware.frame, emitted.compared)
    setup = emitted.opened.estimate.setup_cycles
    hardware = emitted.hardware if isinstance(emitted, EmittedVerilog) else None
    promised = 1 + len(hardware.later) if hardware is not None and hardware.later else FRAMES
    if hardware is None or hardware.periods is None:
        first = () if hardware is None else tuple(map(hardware.cycles_of, range(max(hardware.lags))))
        return CheckedVerilog(seen, emitted.cycles, setup, promised=promised, first=first)
    periods = hardware.periods
    return CheckedVerilog(seen, emitted.cycles, setup, periods.cycles, promised, periods.ends)


def emit_verilog(
    opened: StoredDesign, inputs: Mapping[str, NDArray[Any]] | None = None, functions: Functions | None = None
) -> EmittedDesign:
    """A design as Verilog, with a memory port or with AXI4-Streams, as it says.

    Raises ArrayolError as `emit_hardware` and `emit_stream`.
    """
    if any(has_axi_streams(group) for group in opened.design.groups):
        return emit_stream(EmittedStream, opened, inputs, functions)
    return emit_hardware(EmittedVerilog, opened, inputs, functions)
