"""A streaming group behind AXI4-Stream: one for each input and output, and the enable that they share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hwmodel.emit.streams.group import Beat
from hwmodel.emit.streams.names import bits_below, vector


@dataclass(frozen=True)
class AxisTop:
    """The module around a group. `first` are the inputs whose data begin a frame, `set_up` what is read once.

    If it `waits` for each frame, it stands still between frames, so that what it keeps of one meets the next.
    For `cleared` cycles after a reset memories of units are cleared, and no frame begins.
    TDATA is a whole number of bytes, the lowest of which are those of a beat.
    """

    name: str
    group: str
    inputs: Sequence[Beat]
    outputs: Sequence[Beat]
    set_up: Sequence[Beat]
    first: Sequence[str]
    waits: bool = False
    cleared: int = 0

    def text(self) -> str:
        """The module."""
        lines = [f"module {self.name} (", ",\n".join(f"  {port}" for port in self._ports()), ");"]
        return "\n".join([*lines, *self._declared(), *self._ends(), *self._group(), "endmodule", ""])

    def _ports(self) -> Iterator[str]:
        yield "input wire aclk"
        yield "input wire aresetn"
        yield "output wire fault"
        for beat in (*self.set_up, *self.inputs):
            yield f"input wire [{beat.word_bytes * 8 - 1}:0] s_axis_{beat.name}_tdata"
            yield f"input wire s_axis_{beat.name}_tvalid"
            yield f"output wire s_axis_{beat.name}_tready"
            if beat in self.inputs:
                yield f"input wire s_axis_{beat.name}_tuser"
            yield f"input wire s_axis_{beat.name}_tlast"
            yield f"output wire fault_{beat.name}"
        for beat in self.outputs:
            yield f"output wire [{beat.word_bytes * 8 - 1}:0] m_axis_{beat.name}_tdata"
            yield f"output wire m_axis_{beat.name}_tvalid"
            yield f"input wire m_axis_{beat.name}_tready"
            yield f"output wire m_axis_{beat.name}_tuser"
            yield f"output wire m_axis_{beat.name}_tlast"

    def _declared(self) -> Iterator[str]:
        yield "  wire reset = !aresetn;"
        for beat in self.set_up:
            yield f"  wire {beat.name}$valid;"
            yield f"  wire {vector(beat.bits)}{beat.name}$setup;"
        for beat in self.inputs:
            yield f"  wire {', '.join(f'{beat.name}${own}' for own in ('valid', 'due', 'first', 'last'))};"
            yield f"  wire {vector(beat.bits)}{beat.name}$data;"
        for beat in self.outputs:
            yield f"  wire {', '.join(f'{beat.name}${own}' for own in ('ready', 'gives', 'first', 'last'))};"
            yield f"  wire {vector(beat.bits)}{beat.name}$data;"
        yield "  wire may_begin;"
        there = [f"{beat.name}$valid" for beat in self.set_up] + [f"{array}$valid" for array in self.first]
        if self.cleared:
            there.append("clearing == 0")
            bits = bits_below(self.cleared + 1)
            yield f"  reg {vector(bits)}clearing;  // cycles until the memories of units are clear"
            yield f"  always @(posedge aclk) clearing <= reset ? {self.cleared} : clearing == 0 ? 0 : clearing - 1'b1;"
        yield f"  wire begins = {' && '.join(['may_begin', *there])};"
        yield "  // The group stands still where an input has no datum that is due, or an output cannot take one."
        waits = [f"({beat.name}$valid || !{beat.name}$due)" for beat in self.inputs]
        waits += [f"({beat.name}$ready || !{beat.name}$gives)" for beat in self.outputs]
        waits += ["(begins || !may_begin)"] if self.waits else []
        yield f"  wire go = {' && '.join(waits)};"
        faults = [f"fault_{beat.name}" for beat in (*self.set_up, *self.inputs)]
        yield f"  assign fault = {' || '.join(faults)};"

    def _ends(self) -> Iterator[str]:
        for beat in self.set_up:
            elements = beat.bits // beat.element_bits
            sizes = f".WIDTH({beat.element_bits}), .ELEMENTS({elements}), .COUNT({bits_below(elements + 1)})"
            yield f"  axis_setup #({sizes}) {beat.name}$stream ("
            yield f"    .clk(aclk), .reset(reset), {_axis('s', beat, beat.element_bits, marked=False)},"
            yield f"    .valid({beat.name}$valid), .data({beat.name}$setup), .fault(fault_{beat.name})"
            yield "  );"
        for beat in self.inputs:
            yield f"  axis_in #(.WIDTH({beat.bits})) {beat.name}$stream ("
            yield f"    .clk(aclk), .reset(reset), {_axis('s', beat, beat.bits)},"
            marks = f".first({beat.name}$first), .last({beat.name}$last), .fault(fault_{beat.name})"
            yield f"    .valid({beat.name}$valid), .data({beat.name}$data), .take(go && {beat.name}$due), {marks}"
            yield "  );"
        for beat in self.outputs:
            yield f"  axis_out #(.WIDTH({beat.bits})) {beat.name}$stream ("
            yield f"    .clk(aclk), .reset(reset), {_axis('m', beat, beat.bits)},"
            yield f"    .ready({beat.name}$ready), .data({beat.name}$data), .give(go && {beat.name}$gives),"
            yield f"    .first({beat.name}$first), .last({beat.name}$last)"
            yield "  );"
            spare = beat.word_bytes * 8 - beat.bits
            if spare:
                yield f"  assign m_axis_{beat.name}_tdata[{beat.word_bytes * 8 - 1}:{beat.bits}] = {spare}'d0;"

    def _group(self) -> Iterator[str]:
        connected = [f".{own}({own})" for own in ("reset", "go", "may_begin", "begins")]
        connected += [".clear(reset)"] if self.cleared else []
        connected += [f".{beat.name}$setup({beat.name}$setup)" for beat in self.set_up]
        for beats, own in ((self.inputs, "due"), (self.outputs, "gives")):
            for beat in beats:
                connected += [f".{beat.name}${net}({beat.name}${net})" for net in ("data", own, "first", "last")]
        yield f"  {self.group} group (\n    .clk(aclk), {', '.join(connected)}\n  );"


def _axis(side: str, beat: Beat, bits: int, *, marked: bool = True) -> str:
    nets = [f".tdata({side}_axis_{beat.name}_tdata[{bits - 1}:0])"]
    nets += [f".{own}({side}_axis_{beat.name}_{own})" for own in ("tvalid", "tready", "tlast")]
    nets += [f".tuser({side}_axis_{beat.name}_tuser)"] if marked else []
    return ", ".join(nets)
