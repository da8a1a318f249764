"""A stored design that is one streaming group, as Verilog with an AXI4-Stream for each input and output."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from arrayol.execute.extern import Functions
from arrayol.execute.run import execute, with_tables
from arrayol.text import counted
from dse.output.hardware.emission import (
    FOUND_IN_STREAMS,
    MAKEFILE,
    PAGE,
    EmittedDesign,
    frame_of,
    outputs_of,
    require_covered,
    simulated_frame,
)
from dse.output.hardware.shorter_stream import by_smaller_frame
from dse.output.open_design import Simulated, StoredDesign
from hwmodel.emit.images import Text
from hwmodel.emit.schedule.own_module import Computing
from hwmodel.emit.streams.design import StreamDesign
from hwmodel.emit.streams.group import Beat
from hwmodel.emit.streams.port_group import chains_of
from hwmodel.emit.system.software import c_name
from hwmodel.emit.system.streams import StreamSystemFiles
from hwmodel.emit.verilog.makefile import stream_makefile
from hwmodel.emit.verilog.top import FRAMES
from hwmodel.simulator.memories.memories import one_frame
from hwmodel.stream.model import StreamModel


@dataclass(frozen=True)
class EmittedStream(EmittedDesign):
    """A design that is one stream, as Verilog."""

    takes_modules: ClassVar[bool] = True

    stream: StreamDesign

    @property
    def compared(self) -> int:
        """The frames whose results the test bench compares."""
        return len(self.stream.frames) - self.stream.frames_behind

    @property
    def proven(self) -> str:
        """In words what was proven before anything was written."""
        if self.simulated_pulses == self.cycles:
            return FOUND_IN_STREAMS
        return f"{FOUND_IN_STREAMS}; in a smaller frame of {self.simulated_pulses:,} cycles, whose lines repeat"

    @property
    def simulated_pulses(self) -> int:
        """The cycles of the frame that was simulated."""
        return self.simulated.simulation.cycles

    @property
    def group_times(self) -> list[tuple[int, int]]:
        """The cycles of a frame, in one step."""
        return [(self.cycles, 1)]

    @property
    def ends(self) -> str:
        """In words what it has in place of the memory port."""
        frame = f"a frame takes {self.cycles:,} cycles, the next one begins {self.stream.hardware.frame:,} after it"
        return f"AXI4-Stream in place of the memory port: {frame}"

    @property
    def cycles(self) -> int:
        """From the first datum that is due to the last one that goes, without stalls."""
        return self.stream.cycles

    def _sources(self) -> Mapping[str, Text]:
        modules = self.stream.files()
        return {
            **modules,
            **StreamSystemFiles(self.stream, self.opened.platform).texts(modules),
            MAKEFILE: stream_makefile(f"{self.stream.top}_axis"),
            PAGE: "\n".join(_page(self)) + "\n",
        }

    @cached_property
    def _schedule(self) -> Mapping[str, Any]:
        return {"cycles": self.cycles, **schedule_of(self.stream)}

    @property
    def _units(self) -> Iterator[tuple[str, Computing]]:
        for task, derived in self.stream.hardware.datapaths.items():
            yield from [(task, derived)] * self.stream.hardware.firing[task].units


def schedule_of(design: StreamDesign) -> dict[str, Any]:
    """When nodes start, what passes the ends, and line buffers, as data."""
    group = design.hardware.streamed
    return {
        "frame_cycles": group.frame,
        "line_cycles": group.line,
        "starts": {name: node.firing.start for name, node in group.nodes.items()},
        "streams": [
            {"array": beat.array, "bits": 8 * beat.word_bytes, "elements": 1 if beat.serial else beat.elements}
            for beat in design.ends
        ],
        "chains": chains_of(design.hardware),
    }


Form = TypeVar("Form", bound=EmittedStream)


def emit_stream(
    form: type[Form],
    opened: StoredDesign,
    inputs: Mapping[str, NDArray[Any]] | None = None,
    functions: Functions | None = None,
) -> Form:
    """A design that is one stream in some form, with AXI4-Stream in place of the memory port.

    Its test bench has two frames of the same data; with frames inside, several of other data. Raises ArrayolError as
    `emit_hardware`.
    """
    require_covered(form, opened, functions)
    (group,) = opened.design.groups
    assert group.stream is not None, "a stream"
    given, data = frame_of(opened, inputs, functions)
    accesses = opened.accesses
    model = StreamModel(accesses, group.tasks, opened.platform)
    simulated, outputs = _simulated(opened, model, given, functions)
    every = with_tables(opened.spec, opened.spec.components[accesses.network.name], given)
    frame = {name: one_frame(accesses, name, every[name]).reshape(-1) for name in accesses.network.inputs}
    tables = {name: values for name, values in frame.items() if not accesses.lies_outside(name)}
    frame |= {name: values.reshape(-1) for name, values in outputs.items()}
    design = StreamDesign(model, group.stream, tables, [frame] * FRAMES)
    if design.hardware.keeps_frames:
        design = replace(design, frames=_frames_that_meet(opened, every, design.frames_behind, functions))
    emitted = form(opened, simulated, data, design)
    assert emitted.files, "all refusals are known before anything is written"
    return emitted


def _frames_that_meet(
    opened: StoredDesign, inputs: Mapping[str, NDArray[Any]], behind: int, functions: Functions | None
) -> list[Mapping[str, NDArray[Any]]]:
    """The frames of a test bench whose data meet, again and again those of the inputs; the last `behind` no outputs."""
    arrays, frames = opened.network.arrays, opened.accesses.frames_to_run + behind
    axes = {name: array.shape.index(None) for name, array in arrays.items() if None in array.shape}

    def picked(name: str, values: NDArray[Any], numbers: Sequence[int]) -> NDArray[Any]:
        return np.take(values, numbers, axes[name], mode="wrap") if name in axes else values

    every = {name: picked(name, values, range(frames)) for name, values in inputs.items()}
    given = {name: own for name, own in every.items() if name not in opened.spec.tables}
    outputs = execute(opened.spec, opened.network.name, given, functions=functions)
    found = list[Mapping[str, NDArray[Any]]]()
    for number in range(frames):
        own = every if number >= frames - behind else every | outputs
        found.append({name: picked(name, values, [number]).reshape(-1) for name, values in own.items()})
    return found


def _simulated(
    opened: StoredDesign, model: StreamModel, given: Mapping[str, NDArray[Any]], functions: Functions | None
) -> tuple[Simulated, Mapping[str, NDArray[Any]]]:
    """The run of the design, of a large frame on a smaller one, and the outputs of the frame."""
    stream = opened.design.groups[0].stream
    assert stream is not None, "a stream"
    small = by_smaller_frame(opened.design, model, stream)
    if small is None:
        simulated = simulated_frame(opened, given, functions)
        return simulated, simulated.simulation.outputs
    return small, outputs_of(opened, given, functions)


def _page(own: EmittedStream) -> Iterator[str]:
    """README.md of the folder."""
    design = own.stream
    yield f"# `{design.top}_axis`: design {own.opened.record.id} in Verilog"
    yield ""
    yield f"Made by `arrayol emit verilog` of the task `{own.opened.top}`, on the platform {own.opened.platform_name}."
    yield "Verilog-2001; no primitives of a vendor. The design is one stream; in place of the memory port of the model"
    yield "it has an AXI4-Stream for each input and output."
    yield ""
    yield from _promises(own)
    yield "## The interface"
    yield ""
    yield "| stream | elements in a word | bits of TDATA | words of a frame |"
    yield "|---|---|---|---|"
    yield from (_stream(own, beat) for beat in design.ends)
    yield ""
    yield "All signals are synchronous to `aclk`; `aresetn` is low at first. The first element of a word is in its"
    yield "lowest bits. TUSER marks the first word of a frame, TLAST the last one of a line. Where an input has a"
    yield "mark at another place, `fault_NAME` and `fault` stay 1 until the reset; data go on. What is read once comes"
    yield "first, an element a word, with TLAST at the last one."
    yield ""
    yield "## In a system"
    yield ""
    yield "- sw/layout.json says which elements pass in which word; sw/frames.py makes words of NumPy arrays, and back."
    yield "- `make sim-cocotb` runs frames and resets between sources and sinks in cocotb, from NumPy arrays."
    yield "- component.xml is IP-XACT (IEEE 1685-2009); vivado/package.tcl makes an IP for block designs."
    yield f"- {c_name(design.top)}.core is a core for FuseSoC: targets sim, lint, vivado, ecp5."
    yield "- vivado/build.tcl and ecp5/Makefile (yosys, nextpnr) place it alone, at the clock of the platform."
    yield ""
    yield "A reset in the middle of a frame gives a clean start. The clock is known only after placing and routing."


def _promises(own: EmittedStream) -> Iterator[str]:
    """What holds of the design, and what was run before it was written."""
    yield "## What is promised"
    yield ""
    frame = own.stream.hardware.frame
    yield f"- A frame takes {own.cycles:,} cycles from its first datum to its last, and the next one may begin"
    yield f"  {frame:,} cycles after it, if no input is late and no output is stopped. A cycle in which one is"
    yield "  adds a cycle and changes nothing else."
    if own.slower is not None:
        yield f"- The clock is estimated at {own.slower}."
    yield "- The outputs are those of `arrayol run`, bit for bit."
    if own.simulated_pulses < own.cycles:
        yield f"- A smaller frame of {own.simulated_pulses:,} cycles, with the same ends of lines and of the frame, was"
        yield "  run on the simulated machine. What this frame repeats between them was compared for several sizes."
    if own.stream.hardware.keeps_frames:
        behind = counted(own.stream.frames_behind, "frame")
        yield "- Frames meet inside, and the first ones after a reset see the defaults of delays. The group stands"
        yield f"  still between frames: the last results of a frame come with the next {behind}."
    runs = counted(own.compared, "frame") if own.stream.hardware.keeps_frames else "two frames"
    yield f"- `make sim` runs {runs} in Icarus Verilog, `make sim-verilator` in Verilator 5; each prints"
    yield f"  `frame N before B cycles {own.cycles} wrong 0`. `+pauses=SEED` lets both sides pause at random."
    yield f"  The frames are {own.data}."
    yield ""


def _stream(own: EmittedStream, beat: Beat) -> str:
    frames = own.compared if beat in own.stream.outputs else len(own.stream.frames)
    words, side = len(own.stream.words[beat.array]) // frames, "m" if beat in own.stream.outputs else "s"
    text = f"{len(own.stream.words[beat.array])}, once" if beat.serial else f"{words:,}"
    name = f"{side}_axis_{beat.name}"
    return f"| `{name}` | {1 if beat.serial else counted(beat.elements, 'element')} | {8 * beat.word_bytes} | {text} |"
