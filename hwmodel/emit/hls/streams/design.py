"""All files of a design in C++ that is one streaming group with AXI4-Streams."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files

from hwmodel.emit.c.lines import block
from hwmodel.emit.c.names import Named
from hwmodel.emit.hls.names import in_cpp
from hwmodel.emit.hls.streams.axis import AxisText, End
from hwmodel.emit.images import Text
from hwmodel.emit.streams.bench import file_of
from hwmodel.emit.streams.design import StreamDesign

LIBRARY = {
    "src/schedule.hpp": "schedule.hpp",
    "src/stream.hpp": "stream.hpp",
    "shim/ap_int.h": "shim/ap_int.h",
    "shim/ap_axi_sdata.h": "shim/ap_axi_sdata.h",
    "shim/hls_stream.h": "shim/hls_stream.h",
    "tb/frames.hpp": "frames.hpp",
}
CALLS = 2  # of the function by the program, so that what a call leaves behind is seen


@dataclass(frozen=True)
class StreamHlsFiles:
    """The files of a design by path; in its model every task takes one cycle, as tools make pipelines of their own."""

    design: StreamDesign

    @property
    def top(self) -> str:
        """The function on top."""
        return Named.RUN.of(self.design.top)

    @property
    def compared(self) -> int:
        """The frames whose outputs the program compares."""
        arrays = {beat.array for beat in self.design.outputs}
        return sum(arrays <= frame.keys() for frame in self.design.frames)

    def files(self) -> dict[str, Text]:
        """All of them. Raises ArrayolError (`not-in-hardware`, `unproven-stream`)."""
        return dict(self._texts)

    @cached_property
    def _texts(self) -> dict[str, Text]:
        return dict(self._files())

    @cached_property
    def _group(self) -> AxisText:
        return AxisText(self.design.hardware, self.top)

    @property
    def ends(self) -> list[End]:
        """The AXI4-Streams, in the order of the function's parameters."""
        return list(self._group.ends.values())

    def _files(self) -> Iterator[tuple[str, Text]]:
        assert self.design.inputs, "their first words begin frames, or it is refused before"
        for path, name in LIBRARY.items():
            yield path, (files("hwmodel.emit.hls") / "library" / name).read_text(encoding="utf-8")
        yield "src/design.hpp", "\n".join([*self._header(), ""])
        lines = ['#include "design.hpp"', '#include "stream.hpp"', "", "namespace {", ""]
        for part in self._group.bodies():
            lines += [*part, ""] if part else []
        function = self._group.function()
        yield "src/stream.cpp", in_cpp("\n".join([*lines, "}  // namespace", "", *function, ""]))
        yield "tb/main.cpp", "\n".join([*self._program(), ""])
        for end in self.ends:
            yield f"data/{file_of(end.beat)}.hex", self.design.words[end.beat.array].text

    def _header(self) -> Iterator[str]:
        yield "// The AXI4-Streams of the design, and its function."
        yield "#ifndef ARRAYOL_DESIGN_HPP"
        yield "#define ARRAYOL_DESIGN_HPP"
        yield "#include <ap_axi_sdata.h>"
        yield "#include <ap_int.h>"
        yield "#include <hls_stream.h>"
        yield ""
        yield from (f"typedef ap_axiu<{8 * end.beat.word_bytes}, 1, 1, 1> {end.word};" for end in self.ends)
        yield ""
        yield "// Some frames, one right behind the other."
        parameters = [f"hls::stream<{end.word}> &{end.stream}" for end in self.ends]
        yield f"void {self.top}({', '.join([*parameters, 'int frames'])});"
        yield "#endif"

    def _program(self) -> Iterator[str]:
        outputs, frames, inside = self.design.outputs, self.compared, self.design.hardware.keeps_frames
        yield "// Runs frames through the design, and compares what comes out. It prints a line for each frame, and"
        yield "// starts in the folder of data. Exit code 1 where anything is not as it should be."
        yield '#include "design.hpp"'
        yield '#include "frames.hpp"'
        yield ""
        lines = [f"long wrong[{frames}] = {{}};"]
        names = {end.beat.array: f"{end.word}, {8 * end.beat.word_bytes}" for end in self.ends}
        for end in self.ends:
            path, count = f"data/{file_of(end.beat)}.hex", len(self.design.words[end.beat.array])
            lines.append(f'const auto {end.datum} = words_of<{names[end.beat.array]}>("{path}", {count});')
            lines.append(f"static hls::stream<{end.word}> {end.stream};")
        send = {end: f"send({end.stream}, {end.datum});" for end in self.ends if end.beat not in outputs}
        call = [line for end, line in send.items() if not end.beat.serial]
        # Of frames that meet inside the first comes alone, so that what a call leaves behind is seen.
        count = len(self.design.frames)
        for own in (1, count - 1) if inside else (count,):
            call += [line for end, line in send.items() if end.beat.serial]
            call.append(f"{self.top}({', '.join([*(end.stream for end in self.ends), str(own)])});")
        for end in self.ends:
            if end.beat in outputs:
                given = f"{end.stream}, {end.datum}, {frames}, wrong, {str(inside).lower()}"
                call.append(f"compare<{names[end.beat.array]}>({given});")
            elif not inside:
                call.append(f"if (!{end.stream}.empty()) ++wrong[{frames - 1}];")
        lines += call if inside else block(f"for (int call = 0; call < {CALLS}; ++call)", call)
        lines.append("bool right = true;")
        shown = ['std::printf("frame %d wrong %ld\\n", frame, wrong[frame]);', "right = right && !wrong[frame];"]
        lines += block(f"for (int frame = 0; frame < {frames}; ++frame)", shown)
        yield from block("int main()", [*lines, "return right ? 0 : 1;"])
