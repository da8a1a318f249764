"""A test bench of a stream behind AXI4-Stream in plain Verilog: frames one after another, with pauses on both sides.

It prints of each frame `frame N before B cycles C wrong W`: it begins B cycles after the one before, its last datum
leaves the group C cycles later, and W words differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hwmodel.emit.images import Text
from hwmodel.emit.streams.group import Beat
from hwmodel.emit.streams.names import vector
from hwmodel.emit.streams.words import FrameWords

REGISTERS = 1  # between the group and the output
LONGEST_PATH = 512


@dataclass(frozen=True)
class AxisBench:
    """What a test bench is made for: a top module, and by array the words of all frames.

    So many more frames come `behind` those whose results are compared, which come with them.
    """

    top: str
    inputs: Sequence[Beat]
    outputs: Sequence[Beat]
    set_up: Sequence[Beat]
    words: Mapping[str, FrameWords]
    frames: int
    behind: int = 0

    def text(self, longest: int) -> str:
        """The module `tb`; it stops after `longest` cycles."""
        sent = self.frames + self.behind
        lines = ["`timescale 1ns / 1ps", "module tb;", "  reg aclk = 0, aresetn = 0;", "  wire fault;"]
        lines += [
            f"  integer now = 0, seed = 1, pauses = 0, begins = 0, missing = {len(self.outputs) * self.frames};",
            f"  integer frame, begun [0:{sent - 1}], ended [0:{self.frames - 1}], wrong [0:{self.frames - 1}];",
            f"  reg [{8 * LONGEST_PATH}:1] waves;  // +vcd=FILE writes waveforms",
            "  always #5 aclk = !aclk;",
        ]
        connected = [".aclk(aclk)", ".aresetn(aresetn)", ".fault(fault)"]
        body: list[str] = []
        for beat in (*self.set_up, *self.inputs):
            lines += self._source(beat, connected)
            body += self._sends(beat)
        for beat in self.outputs:
            lines += self._sink(beat, connected)
            body += self._takes(beat)
        lines.append(f"  {self.top} under_test (\n    {', '.join(connected)}\n  );")
        return "\n".join([*lines, *self._begin(), *body, *self._end(longest), "endmodule", ""])

    def _source(self, beat: Beat, connected: list[str]) -> Iterator[str]:
        name, count = beat.name, len(self.words[beat.array])
        bits = 8 * beat.word_bytes + 2
        yield f"  reg [{bits - 1}:0] {name}_words [0:{max(2, count) - 1}];  // TUSER, TLAST, TDATA"
        yield f"  reg [{bits - 1}:0] {name}_word = 0;"
        yield f"  reg {name}_tvalid = 0;"
        yield f"  wire {name}_tready, {name}_fault;"
        yield f"  integer {name}_at = 0, {name}_seed, {name}_draw;"
        data = f"{name}_word[{bits - 3}:0]"
        connected += [f".s_axis_{name}_tdata({data})", f".s_axis_{name}_tlast({name}_word[{bits - 2}])"]
        connected += [f".s_axis_{name}_tuser({name}_word[{bits - 1}])"] if not beat.serial else []
        connected += [f".s_axis_{name}_{own}({name}_{own})" for own in ("tvalid", "tready")]
        connected.append(f".fault_{name}({name}_fault)")

    def _sends(self, beat: Beat) -> Iterator[str]:
        name, count = beat.name, len(self.words[beat.array])
        there = " && ".join(f"{own.name}_at == {len(self.words[own.array])}" for own in self.set_up)
        ready = f" && {there}" if there and not beat.serial else ""
        yield "  always @(posedge aclk)"
        yield f"    if (aresetn && (!{name}_tvalid || {name}_tready){ready}) begin"
        yield f"      {name}_draw = $random({name}_seed);"
        yield f"      if ({name}_at < {count} && (pauses == 0 || {name}_draw[8])) begin"
        yield f"        {name}_tvalid <= 1;"
        yield f"        {name}_word <= {name}_words[{name}_at];"
        yield f"        {name}_at = {name}_at + 1;"
        yield f"      end else {name}_tvalid <= 0;"
        yield "    end"

    def _sink(self, beat: Beat, connected: list[str]) -> Iterator[str]:
        name, count = beat.name, len(self.words[beat.array])
        bits = 8 * beat.word_bytes
        yield f"  reg [{bits + 1}:0] {name}_words [0:{max(2, count) - 1}];"
        yield f"  wire {vector(bits)}{name}_tdata;"
        yield f"  wire {name}_tvalid, {name}_tlast, {name}_tuser;"
        yield f"  reg {name}_tready = 0;"
        yield f"  integer {name}_at = 0, {name}_seed, {name}_draw;"
        connected += [f".m_axis_{name}_{own}({name}_{own})" for own in ("tdata", "tvalid", "tready", "tuser", "tlast")]

    def _takes(self, beat: Beat) -> Iterator[str]:
        name, count = beat.name, len(self.words[beat.array])
        each = count // self.frames
        yield "  always @(posedge aclk) if (aresetn) begin"
        there = f" && {name}_at < {count}" if self.behind else ""
        yield f"    if ({name}_tvalid && {name}_tready{there}) begin"
        yield f"      if ({{{name}_tuser, {name}_tlast, {name}_tdata}} !== {name}_words[{name}_at])"
        yield f"        wrong[{name}_at / {each}] = wrong[{name}_at / {each}] + 1;"
        yield f"      if ({name}_at % {each} == {each - 1}) begin"
        yield f"        ended[{name}_at / {each}] = now;"
        yield "        missing = missing - 1;"
        yield "      end"
        yield f"      {name}_at = {name}_at + 1;"
        yield "    end"
        yield f"    {name}_draw = $random({name}_seed);"
        takes = "" if self.behind else f"{name}_at < {count} && "
        yield f"    {name}_tready <= {takes}(pauses == 0 || {name}_draw[8]);"
        yield "  end"

    def _begin(self) -> Iterator[str]:
        yield "  initial begin"
        yield '    if ($value$plusargs("pauses=%d", seed)) pauses = 1;  // the seed of pauses at random'
        yield '    if ($value$plusargs("vcd=%s", waves)) begin'
        yield "      $dumpfile(waves);"
        yield "      $dumpvars(0, tb);"
        yield "    end"
        yield f"    for (frame = 0; frame < {self.frames}; frame = frame + 1) begin"
        yield "      wrong[frame] = 0;"
        yield "      begun[frame] = 0;"
        yield "      ended[frame] = 0;"
        yield "    end"
        for number, beat in enumerate((*self.set_up, *self.inputs, *self.outputs)):
            yield f"    {beat.name}_seed = 100 * seed + {number};"
            yield f'    $readmemh("data/{file_of(beat)}.hex", {beat.name}_words);'
        yield "    repeat (3) @(negedge aclk);"
        yield "    aresetn = 1;"
        yield "  end"

    def _end(self, longest: int) -> Iterator[str]:
        yield "  always @(posedge aclk)"
        yield "    if (aresetn && under_test.begins && under_test.go) begin"
        yield "      begun[begins] = now;"
        yield "      begins = begins + 1;"
        yield "    end"
        yield "  always @(negedge aclk) begin"
        yield "    now = now + 1;"
        yield f"    if (missing == 0 || now > {longest}) begin"
        yield f"      for (frame = 0; frame < {self.frames}; frame = frame + 1)"
        yield '        $display("frame %0d before %0d cycles %0d wrong %0d", frame,'
        yield "          frame == 0 ? 0 : begun[frame] - begun[frame - 1],"
        yield f"          ended[frame] - begun[frame] + 1 - {REGISTERS}, wrong[frame] + fault + (missing != 0));"
        yield "      $finish;"
        yield "    end"
        yield "  end"

    def data(self) -> Iterator[tuple[str, Text]]:
        """The files of words."""
        for beat in (*self.set_up, *self.inputs, *self.outputs):
            yield f"data/{file_of(beat)}.hex", self.words[beat.array].text


def file_of(beat: Beat) -> str:
    """The name of its file of words."""
    return beat.name.replace("$", "-")
