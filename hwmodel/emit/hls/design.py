"""All files of a design in C++: groups, the function on top, shims for g++, and a program that runs frames."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files

from arrayol.ir.spec import Spec
from hwmodel.emit.c.names import Named
from hwmodel.emit.hls.group import GroupText
from hwmodel.emit.hls.streams.port import StreamGroupText
from hwmodel.emit.images import Text
from hwmodel.emit.schedule.design import HardwareDesign
from hwmodel.emit.verilog.top import image_path

LIBRARY = {
    "src/schedule.hpp": "schedule.hpp",
    "shim/ap_int.h": "shim/ap_int.h",
    "shim/hls_stream.h": "shim/hls_stream.h",
    "tb/main.cpp": "main.cpp",
}
STREAMS = {"src/stream.hpp": "stream.hpp"}  # of designs in which some group streams
FRAMES = 2  # that the program runs where all have the same data, so that what a frame leaves behind is seen


@dataclass(frozen=True)
class HlsFiles:
    """The files of a design of a specification by path; the same design gives the same bytes."""

    spec: Spec
    design: HardwareDesign

    @property
    def top(self) -> str:
        """The function on top."""
        return Named.RUN.of(self.design.top)

    @property
    def frames(self) -> int:
        """The frames that the program runs."""
        return 1 + len(self.design.later) if self.design.later else FRAMES

    @property
    def behind(self) -> int:
        """The calls after which the outputs of a frame are there, if groups work on different frames."""
        return len(self.design.groups) - 1 if self.design.periods is not None else 0

    def files(self) -> dict[str, Text]:
        """All of them. Raises ArrayolError (`not-emitted`, `unproven-schedule`)."""
        return dict(self._files())

    def _files(self) -> Iterator[tuple[str, Text]]:
        streams = any(group.streamed is not None for group in self.design.groups)
        for path, name in (LIBRARY | (STREAMS if streams else {})).items():
            yield path, (files("hwmodel.emit.hls") / "library" / name).read_text(encoding="utf-8")
        yield "src/design.hpp", "\n".join([*self._header(), ""])
        for number, group in enumerate(self.design.groups):
            form = GroupText if group.streamed is None else StreamGroupText
            text = form(self.spec, self.design.network, group, self.design.addresses, number).text()
            yield f"src/group{number}.cpp", text
        yield "src/top.cpp", "\n".join([*self._top(), ""])
        for number, frame in enumerate((self.design.frame, *self.design.later)):
            (before,), (after,) = frame.before, frame.after
            yield image_path("memory", number, ""), before.text
            yield image_path("expected", number, ""), after.text

    def _header(self) -> Iterator[str]:
        addresses = self.design.addresses
        yield "// The external memory, and the functions of the design."
        yield "#ifndef ARRAYOL_DESIGN_HPP"
        yield "#define ARRAYOL_DESIGN_HPP"
        yield "#include <cstdint>"
        yield ""
        yield f"const int WORD_BYTES = {addresses.word_bytes};"
        yield f"const long WORDS = {addresses.words[0]};"
        yield "struct word {"
        yield "  uint8_t byte[WORD_BYTES];"
        yield "};"
        yield "// Arrays by their first words: " + ", ".join(f"{name} {at}" for name, at in addresses.first.items())
        yield ""
        yield from (f"void group{number}(word *memory, int steps);" for number in range(len(self.design.groups)))
        yield f"void {self.top}(word *memory);"
        yield ""
        yield "// For the program of g++."
        yield f"const int FRAMES = {self.frames};"
        yield f"const bool IS_VIDEO = {str(bool(self.design.later)).lower()};  // frames have data of their own"
        yield f"const int BEHIND = {self.behind};  // calls from a frame's inputs to its outputs"
        yield "struct span {"
        yield "  long first, words;"
        yield "  int copies;  // of which frames take one after another"
        yield "};"
        for name, arrays in (("INPUTS", self.design.frame.inputs), ("OUTPUTS", self.design.frame.outputs)):
            spans = (
                f"{{{addresses.first[own]}, {addresses.sizes[own]}, {addresses.copies.get(own, 1)}}}" for own in arrays
            )
            yield f"const span {name}[] = {{{', '.join(spans)}}};"
        yield f"inline void run_frame(word *memory) {{ {self.top}(memory); }}"
        yield "#endif"

    def _top(self) -> Iterator[str]:
        loading = [number for number, group in enumerate(self.design.groups) if group.setup]
        yield '#include "design.hpp"'
        yield ""
        if self.behind:
            yield "// A period: each group takes the frame that the group before it took in the call before, from other"
            yield "// copies of arrays. The outputs of a frame are there when the last group has taken it."
        else:
            yield "// One frame: groups run one after another."
        yield f"void {self.top}(word *memory) {{"
        yield "#pragma HLS INTERFACE m_axi port = memory offset = slave bundle = gmem"
        yield "#pragma HLS INTERFACE s_axilite port = return"
        if loading:
            yield "  static bool ready = false;  // what is loaded before the first frame is there"
            yield f"  if (!ready) {' '.join(['{', *(f'group{number}(memory, 1);' for number in loading), '}'])}"
            yield "  ready = true;"
        if self.behind:
            yield "  static int begun = 0;  // groups that have a frame"
            yield f"  if (begun < {self.behind + 1}) ++begun;"
        for number, group in enumerate(self.design.groups):
            has_frame = f"if (begun > {number}) " if self.behind and number else ""
            yield f"  {has_frame}group{number}(memory, {group.steps});"
        yield "}"
