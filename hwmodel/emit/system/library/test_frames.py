"""Frames of the design from NumPy arrays: registers over AXI4-Lite, the external memory behind AXI4; for cocotb 2.

`python cocotb/run.py` runs this in Icarus; `make sim-cocotb` does so too. It needs cocotb and cocotbext-axi.
Write your own arrays in place of `inputs_of_the_folder`.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Any

import cocotb
import numpy as np
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge, with_timeout
from cocotbext.axi import AxiBus, AxiLiteBus, AxiLiteMaster, AxiRam

FOLDER = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(FOLDER / "sw"))
from accelerator import (  # noqa: E402  the folder is known only now
    BASE_HIGH,
    BASE_LOW,
    BUSY,
    CLEAR_DONE,
    CONTROL,
    CYCLES,
    DONE,
    FAULT,
    INTERRUPT,
    LAYOUT,
    START,
    STATUS,
    OutsideArray,
)

BASE = 0x1000
PERIOD = 1000 / (LAYOUT.clock_mhz or 100)  # of the clock, in ns
LONGEST = 50 * LAYOUT.cycles + 1000  # cycles of a frame behind a slow memory


def image(name: str) -> bytes:
    """The bytes of the external memory, of a file of the folder."""
    lines = (FOLDER / "data" / f"{name}.hex").read_text(encoding="utf-8").split()
    return b"".join(bytes.fromhex(line)[::-1] for line in lines)


def of_frame(name: str, number: int) -> str:
    """The image of a frame, by its number after a reset: one for all where nothing stays from frame to frame."""
    own = f"{name}{number or ''}"
    return own if (FOLDER / "data" / f"{own}.hex").exists() else name


def inputs_of_the_folder(number: int = 0) -> dict[str, Any]:
    """The arrays that data/memory.hex holds, or the image of that frame."""
    return arrays_of(of_frame("memory", number), "input")


def arrays_of(name: str, role: str) -> dict[str, Any]:
    """The arrays of an image of the external memory."""
    data = image(name)
    return {
        array.name: array.unpack(data[array.first : array.first + array.nbytes])
        for array in LAYOUT.arrays.values()
        if array.role == role
    }


class FrameBench:
    """The design, its registers and its memory."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        cocotb.start_soon(Clock(dut.aclk, round(PERIOD, 2), unit="ns").start())
        size = 1 << (BASE + LAYOUT.size + 4096).bit_length()
        reset = {"reset": dut.aresetn, "reset_active_level": False}
        dut.aresetn.value = 0
        self.memory = AxiRam(AxiBus.from_prefix(dut, "m_axi"), dut.aclk, size=size, **reset)
        self.registers = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axi"), dut.aclk, **reset)
        for bus in (self.memory, self.registers):
            for side in (bus.read_if, bus.write_if):
                side.log.setLevel("WARNING")  # it says each burst else

    async def reset(self) -> None:
        """Hold the design and its memory in reset for some cycles."""
        self.dut.aresetn.value = 0
        await ClockCycles(self.dut.aclk, 5)
        await FallingEdge(self.dut.aclk)
        self.dut.aresetn.value = 1
        await ClockCycles(self.dut.aclk, 2)
        await self.registers.write_dword(BASE_LOW, BASE)
        await self.registers.write_dword(BASE_HIGH, 0)

    async def put(self, array: OutsideArray, values: Any) -> None:
        """Give an input its elements."""
        data = array.pack(values)
        if array.register is None:
            self.memory.write(BASE + array.first, data)
        else:
            await self.registers.write(array.register, data)

    async def start(self, inputs: dict[str, Any]) -> None:
        """Begin a frame."""
        for name, values in inputs.items():
            await self.put(LAYOUT.named(name, "input"), values)
        await self.registers.write_dword(CONTROL, START | CLEAR_DONE)

    async def frame(self, inputs: dict[str, Any]) -> dict[str, Any]:
        """The outputs of a frame."""
        await self.registers.write_dword(INTERRUPT, 1)
        await self.start(inputs)
        while self.dut.irq.value != 1:
            await with_timeout(FallingEdge(self.dut.aclk), LONGEST * PERIOD, "ns")
        status = await self.registers.read_dword(STATUS)
        assert status & (BUSY | DONE | FAULT) == DONE
        cocotb.log.info("cycles %d", await self.registers.read_dword(CYCLES))
        outputs = (array for array in LAYOUT.arrays.values() if array.role == "output")
        return {array.name: array.unpack(self.memory.read(BASE + array.first, array.nbytes)) for array in outputs}


def compare(outputs: dict[str, Any], number: int = 0) -> None:
    """Require the outputs of data/expected.hex, or of the image of that frame."""
    image_of_frame = of_frame("expected", number)
    for name, expected in arrays_of(image_of_frame, "output").items():
        assert outputs[name].tobytes() == expected.tobytes(), f"'{name}' differs from data/{image_of_frame}.hex"


def pauses(seed: int) -> Any:
    """Whether a channel of the memory pauses, cycle by cycle: in about half of them."""
    drawn = random.Random(seed)
    while True:
        yield drawn.random() < 0.5


@cocotb.test()
async def two_frames(dut: Any) -> None:
    """Two frames one after another, the second on a memory that pauses at random."""
    bench = FrameBench(dut)
    await bench.reset()
    compare(await bench.frame(inputs_of_the_folder()))
    memory = bench.memory
    channels = [memory.write_if.aw_channel, memory.write_if.w_channel, memory.write_if.b_channel]
    for seed, channel in enumerate([*channels, memory.read_if.ar_channel, memory.read_if.r_channel]):
        channel.set_pause_generator(pauses(seed))
    compare(await bench.frame(inputs_of_the_folder(1)), 1)


@cocotb.test()
async def reset_in_a_frame(dut: Any) -> None:
    """A reset of design and memory in the middle of a frame: the next frame is as any other."""
    bench = FrameBench(dut)
    await bench.reset()
    for part in (0.1, 0.35, 0.6, 0.9):
        await bench.start(inputs_of_the_folder())
        await ClockCycles(dut.aclk, max(1, round(part * LAYOUT.cycles)))
        await bench.reset()
        status = await bench.registers.read_dword(STATUS)
        assert status == 0
        for array in LAYOUT.arrays.values():
            if array.role != "input":
                bench.memory.write(BASE + array.first, bytes(np.zeros(array.nbytes, np.uint8)))
        compare(await bench.frame(inputs_of_the_folder()))
