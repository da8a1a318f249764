"""Frames of the design from NumPy arrays, over its AXI4-Streams; for cocotb 2.

`python cocotb/run.py` runs this in Icarus; `make sim-cocotb` does so too. It needs cocotb and cocotbext-axi.
Write your own arrays in place of `arrays_of_the_folder`.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import cocotb
import numpy as np
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge, with_timeout
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource

FOLDER = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(FOLDER / "sw"))
from frames import LAYOUT, StreamArray  # noqa: E402  the folder is known only now

PERIOD = 1000 / (LAYOUT.clock_mhz or 100)  # of the clock, in ns
LONGEST = 50 * (LAYOUT.cycles + LAYOUT.frame_cycles) + 1000  # cycles of a frame between slow ends


def arrays_of_the_folder(role: str, number: int) -> dict[str, Any]:
    """The arrays of frame `number` that the files of data have, by name."""
    found: dict[str, Any] = {}
    for name, stream in LAYOUT.streams.items():
        if stream.role == role:
            lines = (FOLDER / "data" / f"{stream.port.replace('$', '-')}.hex").read_text(encoding="utf-8").split()
            count = len(stream.places)
            words = [int(line, 16) & ((1 << 8 * stream.word_bytes) - 1) for line in lines]
            found[name] = stream.array(words[number * count : (number + 1) * count])
    return found


class StreamBench:
    """The design between sources and sinks, by the names of their arrays."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        cocotb.start_soon(Clock(dut.aclk, round(PERIOD, 2), unit="ns").start())
        dut.aresetn.value = 0
        self.sources: dict[str, AxiStreamSource] = {}
        self.sinks: dict[str, AxiStreamSink] = {}
        for name, stream in LAYOUT.streams.items():
            side, kind = ("m", AxiStreamSink) if stream.role == "output" else ("s", AxiStreamSource)
            bus = AxiStreamBus.from_prefix(dut, f"{side}_axis_{stream.port}")
            end = kind(bus, dut.aclk, dut.aresetn, reset_active_level=False)
            end.log.setLevel("ERROR")  # it says each line, and what a reset drops
            (self.sinks if stream.role == "output" else self.sources)[name] = end

    async def reset(self, cycles: int = 5) -> None:
        """Hold the design in reset for some cycles; nothing is left to send or to take."""
        self.dut.aresetn.value = 0
        await ClockCycles(self.dut.aclk, cycles)
        for end in (*self.sources.values(), *self.sinks.values()):
            end.clear()
        await FallingEdge(self.dut.aclk)
        self.dut.aresetn.value = 1

    async def set_up(self, arrays: dict[str, Any]) -> None:
        """Send what the design reads once, before all frames."""
        for name, values in arrays.items():
            self.send(LAYOUT.streams[name], values, marked=False)
        for name in arrays:
            await self.sources[name].wait()

    def send(self, stream: StreamArray, values: Any, *, marked: bool = True) -> None:
        """Queue an array of a frame."""
        first = int(marked)
        for line in stream.lines(stream.words(values)):
            data = b"".join(word.to_bytes(stream.word_bytes, "little") for word in line)
            user = [first] * stream.word_bytes + [0] * (len(data) - stream.word_bytes)
            first = 0
            self.sources[stream.name].send_nowait(AxiStreamFrame(tdata=data, tuser=user if marked else None))

    async def take(self, stream: StreamArray) -> Any:
        """The next array of an output; its marks are required where they belong."""
        words: list[int] = []
        while len(words) < len(stream.places):
            taken = self.sinks[stream.name].recv(compact=False)
            line = await with_timeout(taken, round(LONGEST * PERIOD), "ns")
            data, user = bytes(line.tdata), line.tuser
            assert len(data) == stream.line * stream.word_bytes, "TLAST at another place"
            starts = range(0, len(data), stream.word_bytes)
            marks = [int(user[at] if isinstance(user, Sequence) else user) for at in starts]
            assert marks == [int(not words)] + [0] * (stream.line - 1), "TUSER at another place"
            words += [int.from_bytes(data[at : at + stream.word_bytes], "little") for at in starts]
        return stream.array(words)

    async def frames(self, count: int) -> None:
        """Send the first frames of the folder back to back, and require their outputs."""
        await self.set_up(arrays_of_the_folder("once", 0))
        for number in range(count + LAYOUT.frames_behind):
            for name, values in arrays_of_the_folder("input", number).items():
                self.send(LAYOUT.streams[name], values)
        for number in range(count):
            for name, expected in arrays_of_the_folder("output", number).items():
                found = await self.take(LAYOUT.streams[name])
                assert found.tobytes() == expected.tobytes(), f"'{name}' of frame {number} differs from data/"
        assert self.dut.fault.value == 0


def pauses(seed: int) -> Iterator[bool]:
    """Whether an end pauses, cycle by cycle: in about half of them."""
    drawn = random.Random(seed)
    while True:
        yield drawn.random() < 0.5


@cocotb.test()
async def two_frames(dut: Any) -> None:
    """Two frames one after another; then two with pauses on both sides."""
    bench = StreamBench(dut)
    await bench.reset()
    await bench.frames(2)
    for seed, end in enumerate([*bench.sources.values(), *bench.sinks.values()]):
        end.set_pause_generator(pauses(seed))
    await bench.reset()
    await bench.frames(2)


@cocotb.test()
async def reset_in_a_frame(dut: Any) -> None:
    """A reset in the middle of a frame, of a cycle or more: the next frame is as any other."""
    bench = StreamBench(dut)
    await bench.reset()
    for part, cycles in ((0.1, 3), (0.35, 1), (0.6, 2), (0.9, 1)):
        await bench.set_up(arrays_of_the_folder("once", 0))
        for name, values in arrays_of_the_folder("input", 0).items():
            bench.send(LAYOUT.streams[name], np.asarray(values))
        await ClockCycles(dut.aclk, max(1, round(part * LAYOUT.cycles)))
        await bench.reset(cycles)
        await bench.frames(1)
        await bench.reset()
