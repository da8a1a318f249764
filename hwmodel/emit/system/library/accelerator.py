"""Drives the design of this folder from NumPy arrays; it needs Python >= 3.10 and NumPy, and no arrayol.

    registers = MMIO(0x43C00000, 0x1000)                # read(offset), write(offset, value): PYNQ's, or your own
    memory = allocate(accelerator.LAYOUT.size, "u1")    # bytes that the design sees from `base` on
    design = Accelerator(registers, memory, memory.device_address)
    outputs = design.run(image=photo, kernel=weights)   # arrays of one frame, by name

Elements of a fixed-point type are the whole numbers that hold them: 1.5 of i8.8 is 384.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

CONTROL, STATUS, INTERRUPT, CYCLES, BASE_LOW, BASE_HIGH = 0x00, 0x04, 0x08, 0x0C, 0x10, 0x14
START, CLEAR_DONE = 1, 2  # bits of CONTROL
BUSY, DONE, FAULT = 1, 2, 4  # bits of STATUS


class Registers(Protocol):
    """The registers of the design, of 32 bits, by the address of their first byte."""

    def read(self, offset: int) -> int: ...
    def write(self, offset: int, value: int) -> Any: ...


class OutsideArray(NamedTuple):
    """An array of one frame: its elements have `bits` bits, `dtype` is their type for NumPy, one in each `slot` bytes.

    It begins at byte `first` of the memory; an input that lies in registers at address `register` of these instead.
    """

    name: str
    type: str
    bits: int
    dtype: str
    shape: tuple[int, ...]
    first: int
    slot: int
    role: str
    once: bool
    register: int | None

    @property
    def nbytes(self) -> int:
        """The bytes that it takes."""
        return self.slot * int(np.prod(self.shape, dtype=int))

    def pack(self, values: Any) -> bytes:
        """Its bytes in the memory. Raises ValueError for another shape, and for values that its type has not."""
        given = np.asarray(values)
        if given.shape != self.shape:
            raise ValueError(f"'{self.name}' has shape {self.shape}, not {given.shape}")
        with np.errstate(all="ignore"):
            elements = given.astype(f"<{self.dtype}" if self.dtype != "?" else "u1")
        if self.dtype[0] in "ui" and not (np.array_equal(elements, given) and self._holds(elements)):
            raise ValueError(f"'{self.name}' has values that {self.type} does not have")
        cells = elements.reshape(-1, 1).view(np.uint8).reshape(elements.size, -1)
        negative = (cells[:, -1:] > 127) & (self.dtype[0] == "i")
        fill = np.where(negative, 255, 0).astype(np.uint8)
        return np.concatenate([cells, *[fill] * (self.slot - cells.shape[1])], axis=1).tobytes()

    def _holds(self, elements: NDArray[Any]) -> bool:
        """Whether whole numbers are within the bits of the type, as of u12 in 16 bits."""
        least, most = 0, (1 << self.bits) - 1
        if self.dtype[0] == "i":
            least, most = -(1 << self.bits - 1), (1 << self.bits - 1) - 1
        return not elements.size or (int(elements.min()) >= least and int(elements.max()) <= most)

    def unpack(self, data: bytes | bytearray | memoryview) -> NDArray[Any]:
        """The array of its bytes."""
        cells = np.frombuffer(bytes(data[: self.nbytes]), np.uint8).reshape(-1, self.slot)
        kind = np.dtype(f"<{self.dtype}" if self.dtype != "?" else "?")
        return np.ascontiguousarray(cells[:, : kind.itemsize]).view(kind).reshape(self.shape)


class FrameLayout(NamedTuple):
    """Where the arrays of a frame lie; `size` are the bytes of the memory."""

    top: str
    size: int
    clock_mhz: float | None
    cycles: int
    arrays: Mapping[str, OutsideArray]

    @staticmethod
    def read(path: Path) -> FrameLayout:
        """The layout of a file."""
        document = json.loads(path.read_text(encoding="utf-8"))
        rows = (OutsideArray(**{**row, "shape": tuple(row["shape"])}) for row in document.pop("arrays"))
        return FrameLayout(**document, arrays={row.name: row for row in rows})

    def named(self, name: str, role: str) -> OutsideArray:
        """An input or output. Raises KeyError for other names."""
        array = self.arrays.get(name)
        if array is None or array.role != role:
            names = ", ".join(f"'{each.name}'" for each in self.arrays.values() if each.role == role)
            raise KeyError(f"'{name}' is no {role} of '{self.top}'; these are: {names}")
        return array


LAYOUT = FrameLayout.read(Path(__file__).with_name("layout.json"))


class Accelerator:
    """The design behind its registers and its memory, whose first byte the design sees at `base`."""

    def __init__(self, registers: Registers, memory: Any, base: int) -> None:
        self.registers = registers
        self.memory = memoryview(memory).cast("B")
        if len(self.memory) < LAYOUT.size:
            raise ValueError(f"the memory has {len(self.memory)} bytes, and the design needs {LAYOUT.size}")
        registers.write(BASE_LOW, base & 0xFFFFFFFF)
        registers.write(BASE_HIGH, base >> 32)

    @property
    def busy(self) -> bool:
        """Whether a frame goes on."""
        return bool(self.registers.read(STATUS) & BUSY)

    def put(self, name: str, values: Any) -> None:
        """Give an input its elements, between frames. One that is read once keeps those of the first frame."""
        array = LAYOUT.named(name, "input")
        data = array.pack(values)
        if self.busy:
            raise RuntimeError("a frame goes on: wait for its end before an input changes")
        if array.register is None:
            self.memory[array.first : array.first + len(data)] = data
            return
        for at in range(0, len(data), 4):
            self.registers.write(array.register + at, int.from_bytes(data[at : at + 4], "little"))

    def get(self, name: str) -> NDArray[Any]:
        """The elements of an output."""
        array = LAYOUT.named(name, "output")
        return array.unpack(self.memory[array.first : array.first + array.nbytes])

    def start(self) -> None:
        """Begin a frame."""
        self.registers.write(CONTROL, START | CLEAR_DONE)

    def wait(self, pause: Callable[[], Any] = lambda: None) -> int:
        """Wait for the end of the frame with a `pause` between looks; return its cycles.

        Raises RuntimeError if the memory answered with an error.
        """
        while not (status := self.registers.read(STATUS)) & DONE:
            pause()
        if status & FAULT:
            raise RuntimeError("the memory answered with an error: are `base` and its size right?")
        return self.registers.read(CYCLES)

    def run(self, **inputs: Any) -> dict[str, NDArray[Any]]:
        """The outputs of a frame. Inputs that are not given are as they were."""
        for name, values in inputs.items():
            self.put(name, values)
        self.start()
        self.wait()
        return {array.name: self.get(array.name) for array in LAYOUT.arrays.values() if array.role == "output"}
