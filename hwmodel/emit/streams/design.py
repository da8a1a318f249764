"""All files of a design that is one streaming group behind AXI4-Stream."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hwmodel.emit.images import Text
from hwmodel.emit.schedule.bits import bits_of_values
from hwmodel.emit.schedule.names import plain
from hwmodel.emit.streams.beats import StreamWords
from hwmodel.emit.streams.bench import AxisBench
from hwmodel.emit.streams.group import Beat, GroupModule, beats_of
from hwmodel.emit.streams.hardware import StreamHardware
from hwmodel.emit.streams.sources import Literals, VerilogLiterals
from hwmodel.emit.streams.top import AxisTop
from hwmodel.emit.streams.units import LIBRARY, group_files, library_files
from hwmodel.emit.streams.words import FrameWords, Limbs, limbs_of
from hwmodel.emit.verilog.design import with_own_modules
from hwmodel.stream.model import StreamModel, metrics_of
from hwmodel.streamed import Stream

AXIS_LIBRARY = ("axi_buffer", "axis_in", "axis_out", "axis_setup")
LONGEST = 8  # times the cycles of all frames, after which a test bench stops
Arrays = Mapping[str, NDArray[Any]]


@dataclass(frozen=True)
class StreamDesign:
    """A network that is one streaming group, with the arrays of some frames, all for one frame each, row-major.

    With frames inside, the last ones have no outputs: results of those before come with them. What is set up is that of
    the first frame. `tables` are the arrays that are resident.
    """

    model: StreamModel
    stream: Stream
    tables: Arrays
    frames: Sequence[Arrays]
    literals: Literals = field(default_factory=VerilogLiterals)

    @cached_property
    def hardware(self) -> StreamHardware:
        """The group."""
        contents = {name: self._bits(name, values) for name, values in self.tables.items()}
        return StreamHardware(self.model, self.stream, contents, literals=self.literals)

    @property
    def top(self) -> str:
        """The name of the design."""
        return plain(self.model.accesses.network.name)

    @property
    def cycles(self) -> int:
        """The pulses of a frame, to the end of its last store."""
        return metrics_of(self.model.group, self.hardware.streamed).cycles

    @property
    def frames_behind(self) -> int:
        """How many more frames have to come until the results of a frame are there; 0 where it needs none."""
        return -(-self.cycles // self.hardware.frame) - 1 if self.hardware.keeps_frames else 0

    def files(self) -> dict[str, Text]:
        """All of them, by path; for a `$` in a module's name its file has a `-`."""
        return dict(self._files)

    @cached_property
    def _files(self) -> dict[str, Text]:
        modules = {path.replace("$", "-"): text for path, text in self._modules()}
        return with_own_modules({**modules, **dict(self._bench())}, self.hardware.datapaths)

    @cached_property
    def _group(self) -> GroupModule:
        return GroupModule(self.hardware, "group0_stream", "group0_")

    @property
    def inputs(self) -> list[Beat]:
        """What comes in each pulse."""
        return beats_of(self.hardware, "load")

    @property
    def outputs(self) -> list[Beat]:
        """What goes in each pulse."""
        return beats_of(self.hardware, "store")

    @property
    def ends(self) -> list[Beat]:
        """All AXI4-Streams: of what is set up, of inputs, of outputs."""
        return [*self._set_up, *self.inputs, *self.outputs]

    @cached_property
    def _set_up(self) -> list[Beat]:
        accesses = self.model.accesses
        arrays = accesses.network.arrays
        return [Beat(name, 1, accesses.size(name), arrays[name].type.bits, True) for name in self.hardware.set_up]

    def _modules(self) -> Iterator[tuple[str, str]]:
        assert self.inputs, "their first words begin frames, or it is refused before"
        yield from library_files((*LIBRARY, *AXIS_LIBRARY, *(("binned_memory",) if self.hardware.cleared else ())))
        yield from group_files(self._group)
        starts = {name: firing.start for name, firing in self.hardware.firing.items() if name.startswith("load ")}
        first = [plain(name.removeprefix("load ")) for name, own in starts.items() if own == min(starts.values())]
        top = AxisTop(
            f"{self.top}_axis",
            "group0_stream",
            self.inputs,
            self.outputs,
            self._set_up,
            first,
            self.hardware.keeps_frames,
            self.hardware.cleared,
        )
        comment = f"// '{self.top}' with AXI4-Stream: {self.cycles:,} pulses a frame.\n"
        yield f"rtl/{self.top}_axis.v", comment + top.text()

    @cached_property
    def words(self) -> Mapping[str, FrameWords]:
        """By array the words of its AXI4-Stream, of all frames."""
        words = {beat.array: self._serial(beat) for beat in self._set_up}
        for array, reader in self.readers.items():
            known: dict[int, Limbs] = {}  # frames of the same data are one
            frames = [frame for frame in self.frames if array in frame]
            for frame in frames:
                if id(frame) not in known:
                    known[id(frame)] = reader.of(self._bits(array, frame[array]))
            words[array] = FrameWords(reader.beat.mark_bits + 2, tuple(known[id(frame)] for frame in frames))
        return words

    @cached_property
    def readers(self) -> Mapping[str, StreamWords]:
        """By array, of those that move, which elements pass in which word."""
        found: dict[str, StreamWords] = {}
        for beat in (*self.inputs, *self.outputs):
            name = f"{'load' if beat in self.inputs else 'store'} {beat.array}"
            node, firing = self.model.group.nodes[name], self.hardware.firing[name]
            (touch,) = node.writes or node.reads
            found[beat.array] = StreamWords(
                self.model.accesses, touch, firing, beat, self.hardware.inner_dimensions(name)
            )
        return found

    def _bench(self) -> Iterator[tuple[str, Text]]:
        ends = self.inputs, self.outputs, self._set_up
        compared = len(self.frames) - self.frames_behind
        bench = AxisBench(f"{self.top}_axis", *ends, self.words, compared, self.frames_behind)
        pulses = self.cycles + self.hardware.frame * (len(self.frames) + 1)
        yield "tb/tb.v", bench.text(LONGEST * (pulses + sum(map(len, self.words.values()))) + 1000)
        yield from bench.data()

    def _serial(self, beat: Beat) -> FrameWords:
        bits = self._bits(beat.array, self.frames[0][beat.array])
        last = np.arange(len(bits)) == len(bits) - 1
        return FrameWords(beat.mark_bits + 2, (limbs_of(beat.mark_bits + 2, ((0, bits), (beat.mark_bits, last))),))

    def _bits(self, name: str, values: NDArray[Any]) -> NDArray[Any]:
        kind = self.model.accesses.network.arrays[name].type
        return np.asarray(bits_of_values(values, kind)).reshape(-1)
