"""A streaming group in C++ with AXI4-Streams: one function, which is a loop over pulses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from arrayol.ir.types import ElementType
from arrayol.text import counted
from hwmodel.emit.c.helpers import c_type
from hwmodel.emit.c.lines import Lines, block
from hwmodel.emit.hls.names import hls_type
from hwmodel.emit.hls.streams.group import Indices, StreamText
from hwmodel.emit.schedule.names import plain
from hwmodel.emit.streams.conditions import Index
from hwmodel.emit.streams.group import Beat, beats_of, loops_of_firing
from hwmodel.emit.streams.names import bits_below
from hwmodel.stream.model import metrics_of
from hwmodel.stream.nodes import Node


@dataclass(frozen=True)
class End:
    """An end of the function: its words and their type, the parameter, and the word of a pulse."""

    beat: Beat
    word: str
    stream: str
    datum: str


@dataclass
class AxisText(StreamText):
    """Writes the function of a group. Its ends have words of type `word_NAME`, with marks of AXI4-Stream."""

    @cached_property
    def ends(self) -> dict[str, End]:
        """All ends by array: what is set up, what comes, what goes."""
        accesses = self.hardware.model.accesses
        arrays = accesses.network.arrays
        set_up = [Beat(own, 1, accesses.size(own), arrays[own].type.bits, True) for own in self.hardware.set_up]
        beats = [*set_up, *beats_of(self.hardware, "load"), *beats_of(self.hardware, "store")]
        return {own.array: End(own, *(self.names.of(kind, own.array) for kind in ("word", "s", "w"))) for own in beats}

    def function(self) -> Lines:
        """The function. Raises ArrayolError (`not-in-hardware`, `unproven-stream`)."""
        pulse, frame = self.pulse(), self.hardware.frame
        parameters = [f"hls::stream<{end.word}> &{end.stream}" for end in self.ends.values()]
        lines = [f"#pragma HLS INTERFACE axis port = {end.stream}" for end in self.ends.values()]
        lines += [f"#pragma HLS INTERFACE s_axilite port = {own}" for own in ("frames", "return")]
        # What frames that lie inside keep stays from call to call; each pulse of a call is then of a frame that comes.
        inside = self.hardware.keeps_frames
        last, kept = (frame, "static ") if inside else (self._length(), "")
        lines += self.kept if inside else [*self.kept, *self.cleared]
        lines += [*(f"{kept}{kind} {name};" for name, kind in self.counters.state.items()), *self._set_up()]
        lines += [f"const int64_t pulses = frames > 0 ? {frame} * int64_t(frames - 1) + {last} : 0;"]
        lines += ["int begun = 0;", f"ap_uint<{bits_below(frame)}> age = 0;  // pulses since a frame may have begun"]
        begins = "const bool begins = age == 0 && begun < frames;"
        ages = [f"age = age == {frame - 1} ? 0 : unsigned(age) + 1;"] if frame > 1 else []
        body = ["#pragma HLS PIPELINE II = 1", begins, "if (begins) ++begun;", *ages, *pulse]
        lines += block("for (int64_t pulse = 0; pulse < pulses; ++pulse)", body)
        tasks = ", ".join(f"'{task}'" for task in self.hardware.streamed.tasks)
        comment = f"// {tasks} as a stream: a frame every {counted(frame, 'pulse')}, each of one iteration"
        return [comment, *block(f"void {self.name}({', '.join([*parameters, 'int frames'])})", lines)]

    def _length(self) -> int:
        """The pulses of a frame: to its last output, and to the last word that comes, which may be of no use."""
        firings = [self.hardware.firing[name] for name in self.hardware.firing if self._is_load(name)]
        loops = [(firing.start, loops_of_firing(firing)[1]) for firing in firings]
        comes = [start + sum(stride * (count - 1) for stride, count in own) + 1 for start, own in loops]
        return max(metrics_of(self.hardware.model.group, self.hardware.streamed).cycles, *comes)

    def _is_load(self, name: str) -> bool:
        return self.hardware.model.group.nodes[name].kind == "load"

    def comes(self, node: Node, fires: str) -> Iterator[str]:
        """Reads a word."""
        end = self.ends[node.writes[0].array]
        yield f"{end.word} {end.datum};"
        yield f"if ({fires}) {end.datum} = {end.stream}.read();"

    def came(self, node: Node, place: int, kind: ElementType) -> str:
        """An element of the word."""
        datum = self.ends[node.writes[0].array].datum
        return f"element_of<{hls_type(kind)}, {place * kind.bits}, {kind.bits}>({datum}.data)"

    def goes(self, node: Node, fires: str, indices: Indices) -> Iterator[str]:
        """Writes a word with its marks."""
        yield from block(f"if ({fires})", self._word(node, indices))

    def _word(self, node: Node, indices: Indices) -> Iterator[str]:
        end = self.ends[node.reads[0].array]
        yield f"{end.word} {end.datum};"
        yield f"{end.datum}.data = 0;"
        yield from self.stored(node, indices)
        last = [f"{own.net} == {own.extent - 1}" for own in self._line_indices(node, indices)]
        first = self.counters.event(self.hardware.firing[node.name].start)
        marks = {"user": first, "last": " && ".join(last) or "1", "keep": "-1", "strb": "-1", "id": "0", "dest": "0"}
        yield from (f"{end.datum}.{name} = {value};" for name, value in marks.items())
        yield f"{end.stream}.write({end.datum});"

    def puts(self, array: str, place: int, value: str) -> str:
        """Puts an element into the word."""
        bits = self.kind_of(array).bits
        return f"put_element<{place * bits}, {bits}>({self.ends[array].datum}.data, {value});"

    def _line_indices(self, node: Node, indices: Indices) -> Iterator[Index]:
        for at in self.hardware.inner_dimensions(node.name):
            if (index := indices[at]) is not None:
                yield index

    def _set_up(self) -> Iterator[str]:
        """Arrays that are read before the first frame, element by element."""
        for array in self.hardware.set_up:
            kind, end, own = self.kind_of(array), self.ends[array], f"setup_{plain(array)}"
            yield f"static {c_type(kind)} {own}[{end.beat.size}];"
            yield f"#pragma HLS ARRAY_PARTITION variable = {own} complete dim = 0"
            value = f"element_of<{hls_type(kind)}, 0, {kind.bits}>({end.stream}.read().data)"
            yield from block(f"for (int at = 0; at < {end.beat.size}; ++at)", [f"{own}[at] = {value};"])
