"""A design of a stored result as C++ for tools of high-level synthesis, and what g++ says of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from numpy.typing import NDArray

from arrayol.files import read_json
from arrayol.text import counted
from dse.output.hardware.cpp_stream import EmittedHlsStream
from dse.output.hardware.emission import (
    DOCUMENT,
    MAKEFILE,
    PAGE,
    CheckedDesign,
    EmittedDesign,
    ScheduledDesign,
    emit_hardware,
)
from dse.output.hardware.page import (
    Promised,
    addresses_part,
    costs_part,
    heading,
    memories_part,
    repeated_part,
    units_part,
)
from dse.output.hardware.stream import emit_stream
from dse.output.open_design import StoredDesign
from hwmodel.emit.hls.compiler import BUILDS, RunSeen, run_build
from hwmodel.emit.hls.design import FRAMES, HlsFiles
from hwmodel.emit.hls.makefile import makefile
from hwmodel.emit.hls.streams.schedule import CPP_STREAMS
from hwmodel.emit.images import Text
from hwmodel.emit.schedule.design import StreamScheduling
from hwmodel.emit.schedule.group import GroupSchedule
from hwmodel.emit.schedule.memories import Memory
from hwmodel.emit.verilog.coverage import has_axi_streams

# README.md of an emitted folder of C++: what the design is, what is promised of it, and what is not.


def page_of(own: Promised, top: str) -> str:
    """The page of a design whose function on top has that name."""
    last = "C++17, with the pragmas of Vitis HLS."
    parts = (
        heading(own, top, ("C++", "hls"), last),
        _promises(own),
        _running(own, top),
        units_part(own.hardware),
        memories_part(own, _BANKS, "kind", _kind),
        costs_part(own),
        _not_promised(),
    )
    return "\n".join(line for part in parts for line in part).rstrip("\n") + "\n"


def _promises(own: Promised) -> Iterator[str]:
    cycles, clock = own.hardware.cycles, own.opened.platform.clock_mhz
    time = f", {cycles / clock:,.2f} µs at {clock:g} MHz" if clock else ""
    yield "## What is promised"
    yield ""
    yield "- The outputs are those of `arrayol run`, bit for bit: under g++ on any data, whose sums wrap (-fwrapv)."
    yield "- No address is outside its memory, and nothing is undefined: sanitizers find nothing."
    yield "- A FIFO of the schedule never holds more than the depth that is declared for it. Streams count that in"
    yield "  the cycles of the schedule, also where functions run one after another."
    yield "- The schedule was proven to overwrite no word that is needed, to access no bank twice in a cycle, and to"
    yield "  give each repetition the values that the specification names."
    yield from repeated_part(own)
    if own.hardware.buffers is not None and max(own.hardware.lags):
        yield f"- Some groups wait for frames of others: they do nothing in the first {max(own.hardware.lags)} calls."
    if own.hardware.periods is not None:
        behind = counted(len(own.hardware.groups) - 1, "call")
        yield f"- Each call is a period: it takes the next frame, and gives the outputs of the one {behind} before it."
        yield "  A frame lies in the next copy of each array that has copies. In C++ the groups run one after another."
    yield "- The C++ itself was not run before this page was written. `make csim` runs it, as does"
    yield "  `arrayol emit hls --check`."
    yield ""
    yield f"The same design takes {cycles:,} cycles a frame as Verilog{time}. For this C++ no cycles are promised:"
    yield "a tool of synthesis makes its own schedule."
    yield ""


def _running(own: Promised, top: str) -> Iterator[str]:
    yield "## Running it"
    yield ""
    count = 1 + len(own.hardware.later) if own.hardware.later else FRAMES
    yield f"- `make csim` builds the program with g++ and runs {count} frames, `make csim-sanitize` with sanitizers of"
    yield "  addresses and of undefined behaviour. They print `frame N wrong W`, where W counts wrong output"
    yield "  words, and `fullest` and `depth` of each stream. The exit code is 1 if an output is wrong or a stream"
    yield "  holds more than its depth."
    yield f"- For a tool of synthesis: the files of src, with `{top}` on top, without shim (tools have headers)."
    yield ""
    yield "| file | content |"
    yield "|---|---|"
    frame = "a frame, group after group" if own.hardware.periods is None else "a period: a frame for each group"
    yield f"| src/top.cpp | `{top}`: {frame} |"
    yield "| src/groupN.cpp | a group: bodies, programs of nested loops, a function for each task and port, memories |"
    yield "| src/schedule.hpp, src/design.hpp | the common code of all loops; the external memory |"
    if any(group.streamed is not None for group in own.hardware.groups):
        yield "| src/stream.hpp | line buffers and counters of streaming groups, each of which has one function |"
    yield "| shim/ap_int.h, shim/hls_stream.h | for g++: integers of any width, and streams that count their data |"
    yield "| tb/main.cpp | the program of g++ |"
    yield from addresses_part(own)


_BANKS = "Banks are separate dimensions, which pragmas partition; each bank of a FIFO is a stream."


def _kind(_: GroupSchedule, memory: Memory) -> str:
    if memory.content is not None:
        return "ROM"
    return "streams" if memory.fifo else "registers" if memory.registers else "buffer"


def _not_promised() -> Iterator[str]:
    yield "## What is not promised"
    yield ""
    yield "- Cycles, clock and area: they are those of the tool. Nothing here was synthesised."
    yield "- That a tool reaches the interval of each PIPELINE, runs functions of a step at once (DATAFLOW), or"
    yield "  relies on STABLE: in a step, functions access different words of a memory, which the schedule proves."
    yield "- Long bursts: each word of the external memory is read when its data are needed."


class EmittedHls(ScheduledDesign):
    """A design as C++."""

    streams: ClassVar[StreamScheduling | None] = CPP_STREAMS

    def _sources(self) -> Mapping[str, Text]:
        files = HlsFiles(self.opened.spec, self.hardware)
        promised = Promised(self.opened, self.hardware, self.data, self.simulated_steps)
        return {**files.files(), MAKEFILE: makefile(), PAGE: page_of(promised, files.top)}


@dataclass(frozen=True)
class CheckedHls(CheckedDesign):
    """What the program of an emitted design did, by build; it must run so many `frames`."""

    form: ClassVar[str] = "C++"
    promise: ClassVar[str] = "execution"

    runs: tuple[RunSeen, ...]
    frames: int = FRAMES

    def differences(self) -> Iterator[str]:
        """What is not as promised, in words."""
        for run in self.runs:
            if len(run.wrong) != self.frames:
                yield f"{run.build}, {counted(len(run.wrong), 'frame')} of {self.frames} ended"
            for number, wrong in enumerate(run.wrong):
                if wrong:
                    told = f"{counted(wrong, 'word')} of the outputs of frame {number}"
                    yield f"{run.build}, {told} differ from the execution's"
            for own in run.streams:
                name = f"bank {own.number} of the stream of '{own.array}'"
                if own.fullest > own.depth:
                    held = counted(own.fullest, "element")
                    yield f"{run.build}, {name} holds {held}, and its depth is {own.depth:,}"
                if own.early:
                    yield f"{run.build}, {counted(own.early, 'element')} of {name} are read before they are there"
                if own.left:
                    yield f"{run.build}, {counted(own.left, 'element')} of {name} are never read"


def emit_hls(opened: StoredDesign, inputs: Mapping[str, NDArray[Any]] | None = None) -> EmittedDesign:
    """A design as C++, with a memory port or with AXI4-Streams, as it says.

    Raises ArrayolError as `emit_hardware` and `emit_stream`.
    """
    if any(has_axi_streams(group) for group in opened.design.groups):
        return emit_stream(EmittedHlsStream, opened, inputs)
    return emit_hardware(EmittedHls, opened, inputs)


def check_hls(folder: Path) -> CheckedHls:
    """Build and run what was written to a folder in every way: see `hwmodel.emit.hls.compiler.run_build`."""
    frames = len({path.name for path in (folder / "data").rglob("memory*.hex")})  # of video each has its own
    document = read_json(folder / DOCUMENT)
    promised = document.get("frames", max(FRAMES, frames)) if isinstance(document, dict) else FRAMES
    return CheckedHls(tuple(run_build(folder, build) for build in BUILDS), promised)
