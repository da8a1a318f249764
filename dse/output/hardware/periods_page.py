"""What README.md of an emitted folder says of groups that run at the same time."""

from __future__ import annotations

from collections.abc import Iterator

from arrayol.text import counted
from hwmodel.emit.schedule.design import HardwareDesign, Periods
from hwmodel.emit.verilog.layout import OutsideLayout
from hwmodel.emit.verilog.top import image_path
from hwmodel.emit.verilog.wiring import ChannelPorts

SIGNALS: list[tuple[object, ...]] = [
    ("start", "in", 1, "for a cycle: begin a frame; it is kept until the frame is `taken`"),
    ("settled", "in", 1, "all that was written can be read; 1 for the memory described here"),
    ("taken", "out", 1, "a frame begins with the next cycle: its inputs have to be there"),
    ("busy", "out", 1, "some frame is being computed"),
    ("done", "out", 1, "the last cycle of a frame"),
]
CYCLES = "of the last frame, since the end of the one before or, if that had ended, since it was taken"


def frame_register(layout: OutsideLayout) -> str:
    """What the register with the number of a frame holds."""
    return f"the number of the frame that is taken next, modulo {layout.frames}"


def started_by_software(layout: OutsideLayout) -> Iterator[str]:
    """How software starts frames that overlap, and takes their outputs."""
    yield "It is ready while no start waits for its frame to be taken: write the inputs of the next frame then, into"
    yield "the copies of its number, and start it. When a frame is done, read its outputs and clear done: no period"
    yield "ends before, so that no later frame overwrites them. Software that is in time loses no cycle; at most"
    yield f"{layout.overlap} frames are started before the outputs of the first of them are taken."
    yield ""


def period_promised(periods: Periods, time: str) -> Iterator[str]:
    """The cycles of a frame, and from frame to frame; `time` are the former in seconds."""
    groups, cycles = periods.groups, periods.groups * periods.cycles
    yield f"- Its {groups} groups run at the same time, each on another frame, in periods of {periods.cycles:,} cycles."
    yield f"  A frame takes {groups} periods, {cycles:,} cycles{time}: from the cycle after it is"
    yield "  `taken` up to and including `done`. Frames that are started in time follow each other every period. The"
    yield "  machine model and the simulated machine say the same, and the test bench counts it again. This holds for"
    yield "  the external memory described below."


def frames_promised() -> Iterator[str]:
    """How frames follow each other."""
    yield "- A frame may be started as soon as the one before is `taken`; without a start its place stays empty."


def frames_run(hardware: HardwareDesign, periods: Periods) -> Iterator[str]:
    """What a test bench runs."""
    yield f"- `make sim` runs {1 + len(hardware.later)} frames that overlap in Icarus Verilog, `make sim-verilator` in"
    yield f"  Verilator 5. Each prints `frame N before B cycles {hardware.cycles} wrong 0`: B is the number of set-up"
    yield "  cycles before the first frame, and of the others how much later than the one before they began:"
    yield f"  {periods.cycles}. 'wrong' counts wrong output words, when the frame is done and of the frame before once"
    yield "  more. After `ends` come the cycles of the period in which the groups ended, while all have a frame."


def images(hardware: HardwareDesign, data: str, channel: ChannelPorts) -> Iterator[str]:
    """The data of the frames in a channel, as rows of the table of files; `data` says what the first is made of."""
    for number in range(1 + len(hardware.later)):
        own = data if number == 0 else "other data of the same range"
        memory, expected = (image_path(name, number, channel.tag) for name in ("memory", "expected"))
        yield f"| {memory} | the inputs of frame {number} where they lie outside: {own} |"
        yield f"| {expected} | its outputs, where they lie after it |"


def copies_part(hardware: HardwareDesign, periods: Periods) -> Iterator[str]:
    """The copies of arrays outside, and when they are free."""
    sizes = hardware.addresses.sizes
    rows = (
        f"`{name}` {counted(number, 'copy', 'copies')} of {counted(sizes[name], 'word')}"
        for name, number in periods.copies.items()
    )
    yield "Frames are counted from 0 after a reset, and frame n of an array is in copy n modulo their number:"
    yield f"{', '.join(rows)}."
    yield "Frame n + 1 of an input may be written once frame n is `taken`. An output stays for a period after `done`."
    yield ""
