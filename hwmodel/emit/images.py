"""The external memory before and after a frame, and long texts: both are made piece by piece, when they are written.

At 2160 x 3840 the text of an image takes many times the memory of its arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

_DIGITS = np.frombuffer(b"0123456789abcdef", np.uint8)
_AT_ONCE = 1 << 20  # bytes that are made to text together


@dataclass(frozen=True, eq=False)
class LongText:
    """A text in `pieces`, which are made anew each time."""

    pieces: Callable[[], Iterator[str]]

    def __str__(self) -> str:
        return "".join(self.pieces())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LongText) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))


Text = str | LongText


def pieces_of(text: Text) -> Iterator[str]:
    """The pieces of a text, one after another."""
    yield from (text,) if isinstance(text, str) else text.pieces()


@dataclass(frozen=True, eq=False)
class PlacedArray:
    """An array in the external memory: its first byte, the bytes that an element takes, and its elements, row-major."""

    first: int
    slot: int
    elements: NDArray[Any]

    def bytes_between(self, begin: int, end: int) -> tuple[int, bytes]:
        """Its bytes among those from `begin` to before `end` of the memory, and the first of them."""
        first = max(0, begin - self.first) // self.slot
        last = max(0, -(-(end - self.first) // self.slot))
        at = self.first + first * self.slot
        stored = _in_slots(self.elements[first:last], self.slot)[max(0, begin - at) : max(0, end - at)]
        return max(begin, at), stored


@dataclass(frozen=True, eq=False)
class MemoryImage:
    """The content of an external memory of `size` bytes in words of `word` bytes: arrays, and zeros beside them."""

    size: int
    word: int
    arrays: tuple[PlacedArray, ...]

    def between(self, begin: int, end: int) -> bytes:
        """The bytes from one on to before another one."""
        image = bytearray(min(end, self.size) - begin)
        for array in self.arrays:
            first, stored = array.bytes_between(begin, min(end, self.size))
            image[first - begin : first - begin + len(stored)] = stored
        return bytes(image)

    def lines(self, first: int = 0, words: int | None = None) -> Iterator[str]:
        """Lines of so many words, all without a number, each word with its last byte first."""
        end = self.size if words is None else (first + words) * self.word
        step = max(1, _AT_ONCE // self.word) * self.word
        for begin in range(first * self.word, end, step):
            yield _lines(self.between(begin, min(begin + step, end)), self.word)

    @property
    def text(self) -> LongText:
        """All lines, two at least: a memory of one word would have no address bit."""
        return LongText(self._all_lines)

    def _all_lines(self) -> Iterator[str]:
        yield from self.lines()
        yield ("00" * self.word + "\n") * max(0, 2 - -(-self.size // self.word))


def _lines(image: bytes, word: int) -> str:
    padded = image.ljust(-(-len(image) // word) * word, b"\0")
    words = np.frombuffer(padded, np.uint8).reshape(-1, word)[:, ::-1]
    lines = np.full((len(words), 2 * word + 1), ord("\n"), np.uint8)
    lines[:, 0:-1:2], lines[:, 1:-1:2] = _DIGITS[words >> 4], _DIGITS[words & 15]
    return str(lines.data, "ascii")


def _in_slots(array: NDArray[Any], slot: int) -> bytes:
    """The bytes of elements, each sign-extended to a slot of `slot` bytes."""
    stored = np.frombuffer(array.tobytes(), np.uint8).reshape(-1, array.itemsize)
    fill = np.where((stored[:, -1:] > 127) & (array.dtype.kind == "i"), 255, 0).astype(np.uint8)
    return np.concatenate([stored, *[fill] * (slot - array.itemsize)], axis=1).tobytes()
