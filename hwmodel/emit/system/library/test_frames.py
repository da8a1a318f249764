"""Frames of the design from NumPy arrays: registers over AXI4-Lite, the external memory behind AXI4; for cocotb 2.

`python cocotb/run.py` runs this in Icarus; `make sim-cocotb` does so too. It needs cocotb and cocotbext-axi.
Write your own arrays in place of `inputs_of_the_folder`.
"""

from __future__ import annotations

import itertools
import math
import random
import sys
from pathlib import Path
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge
from cocotbext.axi import AxiBus, AxiLiteBus, AxiLiteMaster, AxiRam

FOLDER = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(FOLDER / "sw"))
from accelerator import (  # noqa: E402  the folder is known only now
    BASE_LOW,
    CLEAR_DONE,
    CONTROL,
    CYCLES,
    DONE,
    FAULT,
    FRAME,
    INTERRUPT,
    LAYOUT,
    READY,
    START,
    STATUS,
    WHILE_DONE,
    WHILE_READY,
    OutsideArray,
)

BASE = 0x1000  # of the first channel; each further one has its own
PERIOD = 1000 / (LAYOUT.clock_mhz or 100)  # of the clock, in ns
LONGEST = 20 * LAYOUT.cycles + 1000  # cycles of a frame behind a slow memory
CHANNELS = [channel for channel, size in enumerate(LAYOUT.sizes) if size]  # those that have a port
OUTPUTS = [array for array in LAYOUT.arrays.values() if array.role == "output"]
# Frames that overlap, from a first copy to a first copy.
AGAIN = math.lcm(*(array.copies for array in LAYOUT.arrays.values())) if LAYOUT.overlap > 1 else 1
FRAMES = max(2, len([*(FOLDER / "data").glob("expected*.hex")]))  # after a reset, of which the folder has images


def base(channel: int) -> int:
    """Where word 0 of a channel lies."""
    return BASE * (1 + channel)


def file_of(name: str, channel: int) -> Path:
    """The file of the image of a channel."""
    return FOLDER / "data" / (f"channel{channel}" if len(LAYOUT.sizes) > 1 else "") / f"{name}.hex"


def image(name: str, channel: int) -> bytes:
    """The bytes of a channel of the external memory, of a file: words, and `@` with the number of the next one."""
    lines = file_of(name, channel).read_text(encoding="utf-8").split()
    word = next((len(line) // 2 for line in lines if not line.startswith("@")), 1)
    data, at = bytearray(LAYOUT.sizes[channel]), 0
    for line in lines:
        if line.startswith("@"):
            at = word * int(line[1:], 16)
        else:
            data[at : at + word] = bytes.fromhex(line)[::-1]
            at += word
    return bytes(data)


def of_frame(name: str, number: int) -> str:
    """The image of a frame, by its number after a reset: one for all where nothing stays from frame to frame."""
    own = f"{name}{number or ''}"
    return own if file_of(own, CHANNELS[0]).exists() else name


def inputs_of_the_folder(number: int = 0) -> dict[tuple[str, int], Any]:
    """The frames of inputs that data/memory.hex holds, or the image of that start."""
    return arrays_of("memory", "input", number)


def arrays_of(name: str, role: str, number: int) -> dict[tuple[str, int], Any]:
    """The frames of arrays in the image of a start, by name and number."""
    data = {channel: image(of_frame(name, number), channel) for channel in CHANNELS}
    found: dict[tuple[str, int], Any] = {}
    for array in (array for array in LAYOUT.arrays.values() if array.role == role):
        last = number + array.ahead
        for frame in range(0 if number == 0 and array.ahead > 0 else max(last, 0), last + 1):
            found[array.name, frame] = array.unpack(data[array.channel][array.first_of(frame) :])
    return found


class FrameBench:
    """The design, its registers and its memory; `started` and `taken` are the frames since the last reset."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        cocotb.start_soon(Clock(dut.aclk, round(PERIOD, 2), unit="ns").start())
        reset = {"reset": dut.aresetn, "reset_active_level": False}
        dut.aresetn.value = 0
        self.memories: dict[int, AxiRam] = {}
        for channel in CHANNELS:
            bus = AxiBus.from_prefix(dut, f"m_axi{channel}" if len(LAYOUT.sizes) > 1 else "m_axi")
            size = 1 << (base(channel) + LAYOUT.sizes[channel] + 4096).bit_length()
            self.memories[channel] = AxiRam(bus, dut.aclk, size=size, **reset)
        self.registers = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axi"), dut.aclk, **reset)
        self.started = self.taken = 0
        for bus in (*self.memories.values(), self.registers):
            for side in (bus.read_if, bus.write_if):
                side.log.setLevel("WARNING")  # it says each burst else

    async def reset(self, cycles: int = 5) -> None:
        """Hold the design and its memory in reset for some cycles."""
        self.started = self.taken = 0
        for channel, memory in self.memories.items():
            memory.write(base(channel), bytes(LAYOUT.sizes[channel]))
        self.dut.aresetn.value = 0
        await ClockCycles(self.dut.aclk, cycles)
        await FallingEdge(self.dut.aclk)
        self.dut.aresetn.value = 1
        await ClockCycles(self.dut.aclk, 2)
        for channel in CHANNELS:
            low = FRAME + 8 * channel if channel else BASE_LOW
            await self.registers.write_dword(low, base(channel))
            await self.registers.write_dword(low + 4, 0)

    def pauses(self) -> None:
        """From now on the channels of the memory pause at random."""
        seeds = itertools.count()
        for writes, reads in ((own.write_if, own.read_if) for own in self.memories.values()):
            for channel in (writes.aw_channel, writes.w_channel, writes.b_channel, reads.ar_channel, reads.r_channel):
                channel.set_pause_generator(at_random(next(seeds)))

    async def put(self, array: OutsideArray, frame: int, values: Any) -> None:
        """Give an input its elements of a frame."""
        data = array.pack(values)
        if array.register is None:
            self.memories[array.channel].write(base(array.channel) + array.first_of(frame), data)
        else:
            await self.registers.write(array.register_of(frame), data)

    async def until(self, bit: int, enable: int) -> int:
        """Wait for a bit of STATUS by its interrupt, whose bit to enable is given; return STATUS."""
        await self.registers.write_dword(INTERRUPT, enable)
        for _ in range(LONGEST):
            if self.dut.irq.value == 1:
                break
            await FallingEdge(self.dut.aclk)
        status = int(await self.registers.read_dword(STATUS))
        assert status & (bit | FAULT) == bit
        return status

    async def start(self, inputs: dict[tuple[str, int], Any]) -> None:
        """Begin a frame as soon as one may be started, and its inputs be written."""
        await self.until(READY, WHILE_READY)
        for (name, frame), values in inputs.items():
            await self.put(LAYOUT.named(name, "input"), frame, values)
        assert int(await self.registers.read_dword(FRAME)) == self.started % AGAIN
        await self.registers.write_dword(CONTROL, START)
        self.started += 1

    async def take(self) -> dict[tuple[str, int], Any]:
        """The outputs of the next start, when it is done, by name and frame. What no task reads again is cleared."""
        await self.until(DONE, WHILE_DONE)
        cocotb.log.info("cycles %d", await self.registers.read_dword(CYCLES))
        outputs: dict[tuple[str, int], Any] = {}
        for array in (array for array in OUTPUTS if self.taken + array.ahead >= 0):
            frame = self.taken + array.ahead
            memory, first = self.memories[array.channel], base(array.channel) + array.first_of(frame)
            outputs[array.name, frame] = array.unpack(memory.read(first, array.nbytes))
            if not array.again:
                memory.write(first, bytes(array.nbytes))
        await self.registers.write_dword(CONTROL, CLEAR_DONE)
        self.taken += 1
        return outputs

    async def frames(self, count: int, late: int = 0) -> None:
        """So many frames of the folder, as many of them at once as the design has; their outputs are compared.

        Outputs are taken so many cycles `late`.
        """
        while self.taken < count:
            if self.started < count and self.started - self.taken < LAYOUT.overlap:
                await self.start(inputs_of_the_folder(self.started))
            else:
                await self.until(DONE, WHILE_DONE)
                await ClockCycles(self.dut.aclk, late + 1)
                compare(await self.take(), self.taken - 1)


def compare(outputs: dict[tuple[str, int], Any], number: int) -> None:
    """Require the outputs of data/expected.hex, or of the image of that frame."""
    for own, expected in arrays_of("expected", "output", number).items():
        assert outputs[own].tobytes() == expected.tobytes(), f"'{own[0]}' of frame {own[1]} differs"


def at_random(seed: int) -> Any:
    """Whether a channel of the memory pauses, cycle by cycle: in about half of them."""
    drawn = random.Random(seed)
    while True:
        yield drawn.random() < 0.5


@cocotb.test()
async def frames(dut: Any) -> None:
    """Frames of the folder, and once more on a memory that pauses at random, with outputs that are taken late."""
    bench = FrameBench(dut)
    await bench.reset()
    await bench.frames(FRAMES)
    bench.pauses()
    await bench.reset()
    await bench.frames(FRAMES, LAYOUT.cycles)


@cocotb.test()
async def reset_in_a_frame(dut: Any) -> None:
    """A reset of design and memory in the middle of a frame, of a cycle or more: the next frame is as any other."""
    bench = FrameBench(dut)
    await bench.reset()
    for part, cycles in ((0.1, 3), (0.35, 1), (0.6, 2), (0.9, 1)):
        await bench.start(inputs_of_the_folder())
        await ClockCycles(dut.aclk, max(1, round(part * LAYOUT.cycles)))
        await bench.reset(cycles)
        assert int(await bench.registers.read_dword(STATUS)) == READY
        await bench.frames(1)
