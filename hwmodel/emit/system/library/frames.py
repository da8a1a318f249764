"""Words of the AXI4-Streams of this folder from NumPy arrays, and back; it needs Python >= 3.10 and NumPy, no arrayol.

    words = frames.LAYOUT.streams["image"].words(photo)     # whole numbers, in the order in which they are sent
    picture = frames.LAYOUT.streams["edges"].array(seen)    # the array of one frame

Elements of a fixed-point type are the whole numbers that hold them: 1.5 of i8.8 is 384. A complex one has its real part
in the low half of its bits, and the imaginary part in the high half.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class StreamArray(NamedTuple):
    """An array of one frame and the stream that it passes by.

    Elements have `bits` bits and the NumPy type `dtype`. A word has `elements` of them, the first in its lowest bits,
    in `word_bytes` bytes; `line` words are a line, whose last one has TLAST. `role` is input, output, or once: for what
    is sent before all frames. `order` says which elements are sent when: nested loops over the row-major array as
    (extent, step), outermost first, from element `first` on; or all `places`, word by word, -1 for none.
    """

    name: str
    port: str
    type: str
    bits: int
    dtype: str
    shape: tuple[int, ...]
    role: str
    word_bytes: int
    elements: int
    line: int
    order: Mapping[str, Any]

    @property
    def places(self) -> NDArray[np.int64]:
        """The element in each place of each word, -1 for none: words x elements."""
        if "places" in self.order:
            return np.array(self.order["places"], np.int64).reshape(-1, self.elements)
        found = np.array([self.order["first"]], np.int64)
        for extent, step in self.order["loops"]:
            found = (found[:, None] + step * np.arange(extent)).reshape(-1)
        return found.reshape(-1, self.elements)

    def words(self, values: Any) -> list[int]:
        """The words of a frame. Raises ValueError for another shape, and for values that the type has not."""
        given = np.asarray(values)
        if given.shape != self.shape:
            raise ValueError(f"'{self.name}' has shape {self.shape}, not {given.shape}")
        with np.errstate(all="ignore"):
            held = given.astype(self.dtype)
        numbers = self._bits_of(held)
        if self.dtype[0] in "ui" and not np.array_equal(self._held(numbers), given):
            raise ValueError(f"'{self.name}' has values that {self.type} does not have")
        return [
            sum(numbers[place] << (at * self.bits) for at, place in enumerate(row) if place >= 0)
            for row in self.places.tolist()
        ]

    def array(self, words: Sequence[int]) -> NDArray[Any]:
        """The array of a frame's words; elements that are never sent are 0."""
        mask, numbers = (1 << self.bits) - 1, [0] * int(np.prod(self.shape, dtype=int))
        for word, row in zip(words, self.places.tolist(), strict=True):
            for at, place in enumerate(row):
                if place >= 0:
                    numbers[place] = (word >> (at * self.bits)) & mask
        return self._held(numbers)

    def lines(self, words: Sequence[int]) -> Iterator[Sequence[int]]:
        """The words, line by line."""
        return (words[at : at + self.line] for at in range(0, len(words), self.line))

    def _bits_of(self, held: NDArray[Any]) -> list[int]:
        """The bits of elements, row by row."""
        kind, mask = held.dtype.newbyteorder("<"), (1 << self.bits) - 1
        data = held.astype(kind).tobytes()
        cells = (data[at : at + kind.itemsize] for at in range(0, len(data), kind.itemsize))
        return [int.from_bytes(cell, "little") & mask for cell in cells]

    def _held(self, numbers: Sequence[int]) -> NDArray[Any]:
        """Elements of their bits."""
        kind, top = np.dtype(self.dtype), 1 << (self.bits - 1)
        if kind.kind == "i":
            return np.array([(one ^ top) - top for one in numbers], kind).reshape(self.shape)
        data = b"".join(one.to_bytes(kind.itemsize, "little") for one in numbers)
        return np.frombuffer(data, kind.newbyteorder("<")).astype(kind).reshape(self.shape)


class StreamLayout(NamedTuple):
    """The streams of the design, by the name of their array; a frame may begin `frame_cycles` after the one before.

    Its last results come with the next `frames_behind` frames.
    """

    top: str
    clock_mhz: float | None
    cycles: int
    frame_cycles: int
    frames_behind: int
    streams: Mapping[str, StreamArray]

    @staticmethod
    def read(path: Path) -> StreamLayout:
        """The layout of a file."""
        document = json.loads(path.read_text(encoding="utf-8"))
        rows = (StreamArray(**{**row, "shape": tuple(row["shape"])}) for row in document.pop("streams"))
        return StreamLayout(**document, streams={row.name: row for row in rows})


LAYOUT = StreamLayout.read(Path(__file__).with_name("layout.json"))
