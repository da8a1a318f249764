"""What README.md of an emitted folder says of tasks that read several frames, which lie in copies outside."""

from __future__ import annotations

from collections.abc import Iterator

from arrayol.text import counted, listed
from hwmodel.emit.schedule.design import HardwareDesign
from hwmodel.emit.schedule.frames.frame_buffers import FrameBuffers


def first_starts(hardware: HardwareDesign, buffers: FrameBuffers) -> Iterator[str]:
    """The starts after a reset in which not all groups work."""
    cycles = [f"{hardware.cycles_of(number):,}" for number in range(max(buffers.lags))]
    if cycles:
        yield f"- Some groups wait for frames of others: after a reset {counted(len(cycles), 'start')}"
        yield f"  {'takes' if len(cycles) == 1 else 'take'} {listed(cycles)} cycles."


def buffers_part(hardware: HardwareDesign, buffers: FrameBuffers) -> Iterator[str]:
    """The copies of arrays outside, if there are any, and which frames are there at a start."""
    sizes = hardware.addresses.sizes
    rows = (f"`{name}` {number} of {counted(sizes[name], 'word')}" for name, number in buffers.copies.items())
    if not buffers.copies:
        yield "What tasks read of other frames stays in the group; the first frames after a reset see the defaults of"
        yield "delays."
    else:
        yield "Tasks read several frames, or what they made in earlier ones: the last frames lie in copies, one behind"
        yield f"the other. Frame n of an array is in copy n modulo their number: {', '.join(rows)}."
    yield from _states_part(hardware)
    inputs = [f"`{name}`" for name in hardware.network.inputs if buffers.ahead.get(name, 0) > 0]
    if inputs:
        yield f"Start s after a reset, from 0 on, needs frame s + {buffers.before} of {listed(inputs)};"
        yield f"before the first start frames 0 to {buffers.before} are written."
    late = {name: -frames for name, frames in buffers.ahead.items() if frames < 0}
    for name, frames in late.items():
        verb = "takes" if name in hardware.network.inputs else "makes"
        yield f"Start s {verb} frame s - {frames} of `{name}`, so none before start {frames}."
    yield ""


def _states_part(hardware: HardwareDesign) -> Iterator[str]:
    """What is loaded of earlier frames."""
    for name, array in hardware.network.arrays.items():
        if array.earlier is not None:
            frames = counted(array.earlier.frames, "frame")
            yield f"`{name}` is what `{array.earlier.array}` was {frames} before; in the first frames it is not used."
