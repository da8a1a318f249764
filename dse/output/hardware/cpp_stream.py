"""A stored design that is one streaming group, as C++ with an AXI4-Stream for each input and output."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

from arrayol.text import counted
from dse.output.hardware.emission import MAKEFILE, PAGE
from dse.output.hardware.stream import EmittedStream, schedule_of
from hwmodel.emit.hls.makefile import makefile
from hwmodel.emit.hls.streams.axis import End
from hwmodel.emit.hls.streams.design import StreamHlsFiles
from hwmodel.emit.hls.streams.group import REGISTERS, CppLiterals
from hwmodel.emit.images import Text
from hwmodel.emit.streams.design import StreamDesign
from hwmodel.stream.model import StreamModel


class EmittedHlsStream(EmittedStream):
    """A design that is one stream, as C++."""

    takes_modules: ClassVar[bool] = False

    @cached_property
    def untimed(self) -> StreamDesign:
        """A stream with tasks that take one pulse each, as a tool makes pipelines of its own."""
        model = self.stream.model
        return replace(self.stream, model=StreamModel(model.accesses, model.tasks), literals=CppLiterals())

    @property
    def ends(self) -> str:
        """In words what it has in place of the memory port."""
        cycles, frame = self.untimed.cycles, self.untimed.hardware.frame
        ends = "AXI4-Stream in place of the memory port"
        return f"{ends}: a frame takes {cycles:,} pulses, the next one begins {frame:,} after it"

    def _sources(self) -> Mapping[str, Text]:
        files = StreamHlsFiles(self.untimed)
        return {**files.files(), MAKEFILE: makefile(), PAGE: _page(self, files)}

    @cached_property
    def _schedule(self) -> Mapping[str, Any]:
        own = {"cycles": self.cycles, "pulses": self.untimed.cycles, "frames": StreamHlsFiles(self.untimed).compared}
        return {**own, **schedule_of(self.untimed)}


def _page(own: EmittedHlsStream, files: StreamHlsFiles) -> str:
    """README.md of the folder."""
    design, frames = own.untimed, f"{counted(len(own.untimed.frames), 'frame')} in a call, twice"
    if design.hardware.keeps_frames:
        frames = f"{counted(files.compared, 'frame')} in two calls"
    return f"""\
# `{files.top}`: design {own.opened.record.id} in C++

Made by `arrayol emit hls` of the task `{own.opened.top}`, on the platform {own.opened.platform_name}.
C++17, with the pragmas of Vitis HLS. The design is one stream; in place of the memory port of the model it has an
AXI4-Stream for each input and output.

## What is promised

- The outputs are those of `arrayol run`, bit for bit: under g++ on any data, whose sums wrap (-fwrapv).
- No address is outside its memory, and nothing is undefined: sanitizers find nothing.
- Each repetition finds its data at the position of a line buffer that it takes them from.
- The C++ itself was not run before this page was written. `make csim` runs it, as does `arrayol emit hls --check`.

## How it works

`{files.top}` is one loop, whose iteration is a pulse: PIPELINE with II = 1. A frame begins every
{design.hardware.frame:,} pulses, and takes {design.cycles:,} from its first datum to its last; a call takes any
number of frames. Where an input has no datum or an output takes none, the
loop waits. In a pulse a task takes its operands and computes; its results are there in the next one. So line buffers do
not count the latency of a datapath: they are those of tasks that take a cycle, and a tool's pipeline has registers
besides.{_inside(design)}

| line buffer | words |
|---|---|
| `window` | up to {REGISTERS}, in registers |
| `ring` | in a memory, which is read and written at one place |
| `queue` | data that wait until they are needed |

## The interface

| stream | elements in a word | bits of TDATA | words of a frame |
|---|---|---|---|
{"".join(f"{_row(files, end)}{chr(10)}" for end in files.ends)}
The first element of a word is in its lowest bits. On outputs TUSER marks the first word of a frame, TLAST the last one
of a line; marks on inputs are not looked at.

## Running it

- `make csim` builds the program with g++ and runs {frames}; `make csim-sanitize` does it with
  sanitizers of addresses and of undefined behaviour. They print `frame N wrong W`, where W counts wrong words of
  outputs. The exit code is 1 if there are any. The frames are {own.data}.
- For a tool of synthesis: the files of src, with `{files.top}` on top, without shim (tools have headers).

## What is not promised

- Cycles, clock and area: they are those of the tool. Nothing here was synthesised. The same design takes
  {own.cycles:,} cycles a frame as Verilog.
- That a tool reaches the interval of 1. Where a repetition needs the result of the one before, the body has to fit in
  the pulses between them. Units of a longer interval are not shared here; a tool may do that.
"""


def _row(files: StreamHlsFiles, end: End) -> str:
    """A stream in the table of the interface."""
    design, count = files.design, len(files.design.words[end.beat.array])
    frames = files.compared if end.beat in design.outputs else len(design.frames)
    words = f"{count:,}, before the frames of each call" if end.beat.serial else f"{count // frames:,}"
    return f"| `{end.stream}` | {1 if end.beat.serial else end.beat.elements} | {8 * end.beat.word_bytes} | {words} |"


def _inside(design: StreamDesign) -> str:
    """What frames that meet inside mean for a call."""
    if not design.hardware.keeps_frames:
        return ""
    return " Frames meet those of calls before:\nthe last results of a frame come with later frames."
