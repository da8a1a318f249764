"""Drives the design of this folder from NumPy arrays; it needs Python >= 3.10 and NumPy, and no arrayol.

    registers = MMIO(0x43C00000, 0x1000)                # read(offset), write(offset, value): PYNQ's, or your own
    memory = allocate(accelerator.LAYOUT.sizes[0], "u1")  # bytes that the design sees from `base` on
    design = Accelerator(registers, memory, memory.device_address)
    outputs = design.run(image=photo, kernel=weights)   # arrays of one frame, by name
    for outputs in design.run_frames({"image": photo} for photo in video):
        ...                                             # frames overlap if groups of the design work at the same time

Elements of a fixed-point type are the whole numbers that hold them: 1.5 of i8.8 is 384. A complex one has its real part
in the low half of its bytes, and the imaginary part in the high half.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

CONTROL, STATUS, INTERRUPT, CYCLES, BASE_LOW, FRAME = 0x00, 0x04, 0x08, 0x0C, 0x10, 0x18
START, CLEAR_DONE = 1, 2  # bits of CONTROL
BUSY, DONE, FAULT, READY = 1, 2, 4, 8  # bits of STATUS
WHILE_DONE, WHILE_READY = 1, 2  # bits of INTERRUPT


class Registers(Protocol):
    """The registers of the design, of 32 bits, by the address of their first byte."""

    def read(self, offset: int) -> int: ...
    def write(self, offset: int, value: int) -> Any: ...


class OutsideArray(NamedTuple):
    """An array of one frame: its elements have `bits` bits, `dtype` is their type for NumPy, one in each `slot` bytes.

    It begins at byte `first` of the memory of its `channel`; an input that lies in registers at address `register` of
    these instead. Frame n has copy n modulo `copies`, each `stride` bytes after the one before; in registers at a
    multiple of 4. Start s takes or makes frame s + `ahead`: if tasks read several frames, that is a later one of
    inputs, or an earlier one of outputs. The design reads an array in later frames `again`: leave it as it is.
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
    copies: int
    stride: int
    channel: int
    ahead: int
    again: bool
    register: int | None

    @property
    def nbytes(self) -> int:
        """The bytes that it takes."""
        return self.slot * int(np.prod(self.shape, dtype=int))

    def first_of(self, frame: int) -> int:
        """The first byte of a frame's copy in the memory."""
        return self.first + frame % self.copies * self.stride

    def register_of(self, frame: int) -> int:
        """The first register of a frame's copy, of an input that lies in registers."""
        assert self.register is not None, "it lies in the memory"
        return self.register + frame % self.copies * -(-self.stride // 4) * 4

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
    """Where the arrays of a frame lie; `sizes` are the bytes of the memory by channel, 0 for one without a port.

    At most `overlap` frames are started before the outputs of the first of them are taken.
    """

    top: str
    sizes: Sequence[int]
    clock_mhz: float | None
    cycles: int
    overlap: int
    arrays: Mapping[str, OutsideArray]

    @staticmethod
    def read(path: Path) -> FrameLayout:
        """The layout of a file."""
        document = json.loads(path.read_text(encoding="utf-8"))
        rows = (OutsideArray(**{**row, "shape": tuple(row["shape"])}) for row in document.pop("arrays"))
        return FrameLayout(**document, arrays={row.name: row for row in rows})

    @property
    def before(self) -> int:
        """The frames of inputs that come before the first start, beside that of the start."""
        return max(array.ahead for array in self.arrays.values())

    def named(self, name: str, role: str) -> OutsideArray:
        """An input or output. Raises KeyError for other names."""
        array = self.arrays.get(name)
        if array is None or array.role != role:
            names = ", ".join(f"'{each.name}'" for each in self.arrays.values() if each.role == role)
            raise KeyError(f"'{name}' is no {role} of '{self.top}'; these are: {names}")
        return array


LAYOUT = FrameLayout.read(Path(__file__).with_name("layout.json"))


class Accelerator:
    """The design behind its registers and its memory, whose first byte the design sees at `base`.

    A design with several channels takes those after the first as `others`: by channel its memory (None for one without
    a port) and the address of its first byte.

    A frame is started while the design is `ready`, and its outputs are taken when it is `done`. Where frames overlap,
    the design waits for the latter before it is done with the next frame. If tasks read several frames, reset the
    design before the first one of a video.
    """

    def __init__(self, registers: Registers, memory: Any, base: int, others: Sequence[tuple[Any, int]] = ()) -> None:
        self.registers = registers
        if len(others) != len(LAYOUT.sizes) - 1:
            raise ValueError(f"the design has {len(LAYOUT.sizes)} channels, and {1 + len(others)} are given")
        memories = [memory, *(own for own, _ in others)]
        self.memories = [self._bytes(own, size) for own, size in zip(memories, LAYOUT.sizes, strict=True)]
        if LAYOUT.overlap > 1 and self._status(BUSY | DONE):
            raise RuntimeError("frames of another program go on: reset the design")
        for channel, address in enumerate([base, *(own for _, own in others)]):
            low = FRAME + 8 * channel if channel else BASE_LOW
            registers.write(low, address & 0xFFFFFFFF)
            registers.write(low + 4, address >> 32)
        self.started = self.taken = registers.read(FRAME) if LAYOUT.overlap > 1 else 0  # frames so far
        self.started -= LAYOUT.before  # the first frames wait for others
        self._given: dict[str, bytes] = {}  # the elements of inputs, also for later frames
        self._written: dict[tuple[str, int], bytes] = {}  # those that each copy of an input has
        self._made: dict[str, list[NDArray[Any]]] = {}  # outputs that wait for others of their frame

    @staticmethod
    def _bytes(memory: Any, size: int) -> memoryview:
        found = memoryview(memory).cast("B") if size else memoryview(b"")
        if len(found) < size:
            raise ValueError(f"the memory has {len(found)} bytes, and the design needs {size}")
        return found

    def _status(self, bits: int) -> bool:
        return bool(self.registers.read(STATUS) & bits)

    @property
    def busy(self) -> bool:
        """Whether a frame goes on."""
        return self._status(BUSY)

    @property
    def ready(self) -> bool:
        """Whether a frame may be started, and its inputs change."""
        return self._status(READY)

    @property
    def done(self) -> bool:
        """Whether a frame is done whose outputs were not taken."""
        return self._status(DONE)

    def put(self, name: str, values: Any) -> None:
        """Give an input its elements, from the next frame on. One that is read once keeps those of the first frame."""
        array = LAYOUT.named(name, "input")
        data = array.pack(values)
        if not self.ready:
            raise RuntimeError("a frame goes on that may still read its inputs: wait until it is `ready`")
        self._given[name] = data
        self._write(array, data)

    def _write(self, array: OutsideArray, data: bytes) -> None:
        """Write an input of the next frame, unless its copy has these elements."""
        frame = self.started + LAYOUT.before
        copy = array.name, frame % array.copies
        if self._written.get(copy) is data:
            return
        self._written[copy] = data
        if array.register is None:
            first = array.first_of(frame)
            self.memories[array.channel][first : first + len(data)] = data
            return
        for at in range(0, len(data), 4):
            value = int.from_bytes(data[at : at + 4], "little")
            self.registers.write(array.register_of(frame) + at, value)

    def get(self, name: str) -> NDArray[Any]:
        """The elements of an output, of the frame that is done."""
        array = LAYOUT.named(name, "output")
        return array.unpack(self.memories[array.channel][array.first_of(self.taken + array.ahead) :])

    def start(self) -> bool:
        """Begin a frame, unless it waits for later ones. Inputs that were not given for it are as they were."""
        for name, data in self._given.items():
            self._write(LAYOUT.arrays[name], data)
        self.started += 1
        if self.started > 0:
            self.registers.write(CONTROL, START if LAYOUT.overlap > 1 else START | CLEAR_DONE)
        return self.started > 0

    def wait(self, pause: Callable[[], Any] = lambda: None) -> int:
        """Wait for the end of a frame with a `pause` between looks; return its cycles.

        Of frames that overlap these are the cycles since the end of the one before. Raises RuntimeError if the memory
        answered with an error.
        """
        while not (status := self.registers.read(STATUS)) & DONE:
            pause()
        if status & FAULT:
            raise RuntimeError("the memory answered with an error: are `base` and its size right?")
        return self.registers.read(CYCLES)

    def take(self) -> dict[str, NDArray[Any]]:
        """The outputs that are made; the design may write others in their place then.

        They are those of the frame that is done; if tasks read several frames, each of frame `taken` + its `ahead`,
        counted before. Those of the first frames may be missing.
        """
        made = (array for array in LAYOUT.arrays.values() if array.role == "output" and self.taken + array.ahead >= 0)
        outputs = {array.name: self.get(array.name) for array in made}
        self.registers.write(CONTROL, CLEAR_DONE)
        self.taken += 1
        return outputs

    def run(self, **inputs: Any) -> dict[str, NDArray[Any]]:
        """The outputs of a frame, nothing if they wait for later ones. Inputs that are not given are as they were."""
        return next(self.run_frames([inputs]), {})

    def run_frames(
        self, frames: Iterable[Mapping[str, Any]], pause: Callable[[], Any] = lambda: None
    ) -> Iterator[dict[str, NDArray[Any]]]:
        """The outputs of frames in their order, given the inputs of each; frames overlap where the design has that.

        If tasks read several frames, the outputs of a frame come when all later ones that they need are there: there
        are fewer of them than frames of inputs.
        """
        flying = 0
        for inputs in frames:
            while flying == LAYOUT.overlap or not self.ready:
                if self.done:
                    self.wait()
                    flying -= 1
                    yield from self._complete()
                pause()
            for name, values in inputs.items():
                self.put(name, values)
            flying += self.start()
        for _ in range(flying):
            self.wait(pause)
            yield from self._complete()

    def _complete(self) -> Iterator[dict[str, NDArray[Any]]]:
        """The outputs of the frame that is done, or of the earlier one that is whole with it."""
        for name, values in self.take().items():
            self._made.setdefault(name, []).append(values)
        if len(self._made) == sum(array.role == "output" for array in LAYOUT.arrays.values()) and all(
            self._made.values()
        ):
            yield {name: values.pop(0) for name, values in self._made.items()}
