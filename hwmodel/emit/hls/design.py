"""All files of a design in C++: groups, the function on top, shims for g++, and a program that runs frames."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files

from arrayol.ir.spec import Spec
from hwmodel.emit.c.names import Named
from hwmodel.emit.hls.group import GroupText, head_of, pointer_of, pointers_of
from hwmodel.emit.hls.streams.port import StreamGroupText
from hwmodel.emit.images import Text
from hwmodel.emit.schedule.design import HardwareDesign
from hwmodel.emit.verilog.top import image_path
from hwmodel.emit.verilog.wiring import ChannelPorts, channels_of

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
        return max(self.lags) if self.design.periods is not None else 0

    @property
    def lags(self) -> tuple[int, ...]:
        """By group, in how many calls it does nothing yet: its first frame is not there."""
        return self.design.lags if self.design.periods is None else tuple(range(len(self.design.groups)))

    @cached_property
    def channels(self) -> tuple[ChannelPorts, ...]:
        """The channels of the external memory that groups use, each of which has a pointer."""
        return channels_of(self.design.groups, self.design.addresses)

    @property
    def _parameters(self) -> str:
        return ", ".join(f"word *{pointer_of(self.design.addresses, own.number)}" for own in self.channels)

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
            for name, images in (("memory", frame.before), ("expected", frame.after)):
                for channel in self.channels:
                    yield image_path(name, number, channel.tag), images[channel.number].text

    def _header(self) -> Iterator[str]:
        addresses = self.design.addresses
        yield "// The external memory, and the functions of the design."
        yield "#ifndef ARRAYOL_DESIGN_HPP"
        yield "#define ARRAYOL_DESIGN_HPP"
        yield "#include <cstdint>"
        yield ""
        yield f"const int WORD_BYTES = {addresses.word_bytes};"
        yield "struct word {"
        yield "  uint8_t byte[WORD_BYTES];"
        yield "};"
        yield "// Arrays by their first words: " + ", ".join(f"{name} {at}" for name, at in addresses.first.items())
        yield ""
        for number, group in enumerate(self.design.groups):
            yield f"void {head_of(number, pointers_of(group, addresses))};"
        yield f"void {self.top}({self._parameters});"
        yield ""
        yield "// For the program of g++."
        yield f"const int FRAMES = {self.frames};"
        yield f"const bool IS_VIDEO = {str(bool(self.design.later)).lower()};  // frames have data of their own"
        stays = self.design.periods is not None or self.design.buffers is not None
        yield f"const bool STAYS = {str(stays).lower()};  // the memory keeps what it has from call to call"
        yield f"const int BEHIND = {self.behind};  // calls from a frame's inputs to its outputs"
        yield "struct channel {"
        yield "  const char *folder;  // of its images"
        yield "  long words;"
        yield "};"
        folders = (image_path("", 0, own.tag).removesuffix(".hex") for own in self.channels)
        each = (f'{{"{folder}", {own.words}}}' for folder, own in zip(folders, self.channels, strict=True))
        yield f"const channel CHANNELS[] = {{{', '.join(each)}}};"
        yield f"const int CHANNEL_COUNT = {len(self.channels)};"
        yield "struct span {"
        yield "  int frame, channel;  // the channel by its place"
        yield "  long first, words;"
        yield "};"
        later = self.design.later or (self.design.frame,) * (FRAMES - 1)
        frames = (self.design.frame, *later)
        for name, arrays in (("INPUTS", [own.inputs for own in frames]), ("OUTPUTS", [own.outputs for own in frames])):
            spans = (self._span(number, *own) for number, each in enumerate(arrays) for own in each.items())
            yield f"const span {name}[] = {{{', '.join(spans)}}};"
        each_memory = ", ".join(f"memories[{place}]" for place in range(len(self.channels)))
        yield f"inline void run_frame(word *const *memories) {{ {self.top}({each_memory}); }}"
        yield "#endif"

    def _span(self, frame: int, array: str, words: tuple[int, int]) -> str:
        """A frame, the channel of an array by its place, and the first and the number of its words there."""
        place = [own.number for own in self.channels].index(self.design.addresses.channels[array])
        return f"{{{frame}, {place}, {words[0]}, {words[1]}}}"

    def _top(self) -> Iterator[str]:
        loading = [number for number, group in enumerate(self.design.groups) if group.setup]
        yield '#include "design.hpp"'
        yield ""
        if self.behind:
            yield "// A period: each group takes the frame that the group before it took in the call before, from other"
            yield "// copies of arrays. The outputs of a frame are there when the last group has taken it."
        else:
            waits = ", and those whose first frame is not there yet wait" if max(self.lags) else ""
            yield f"// One frame: groups run one after another{waits}."
        yield f"void {self.top}({self._parameters}) {{"
        for own in self.channels:
            pointer = pointer_of(self.design.addresses, own.number)
            yield f"#pragma HLS INTERFACE m_axi port = {pointer} offset = slave bundle = gmem{own.tag}"
        yield "#pragma HLS INTERFACE s_axilite port = return"
        if loading:
            yield "  static bool ready = false;  // what is loaded before the first frame is there"
            yield f"  if (!ready) {' '.join(['{', *(f'{self._call(number, 1)};' for number in loading), '}'])}"
            yield "  ready = true;"
        if max(self.lags):
            yield "  static int begun = 0;  // calls, up to that in which all groups have a frame"
            yield f"  if (begun < {max(self.lags) + 1}) ++begun;"
        for number, (group, lag) in enumerate(zip(self.design.groups, self.lags, strict=True)):
            has_frame = f"if (begun > {lag}) " if lag else ""
            yield f"  {has_frame}{self._call(number, group.steps)};"
        yield "}"

    def _call(self, number: int, steps: int) -> str:
        pointers = pointers_of(self.design.groups[number], self.design.addresses)
        return f"group{number}({', '.join([*pointers, str(steps)])})"
