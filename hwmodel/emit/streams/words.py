"""Words of any width side by side, as rows of 32 bits, and as the text of a memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hwmodel.emit.images import LongText

_LIMB = 32
_AT_ONCE = 1 << 16  # words that are made to text together
_DIGITS = np.frombuffer(b"0123456789abcdef", np.uint8)

Limbs = NDArray[np.uint32]


@dataclass(frozen=True, eq=False)
class FrameWords:
    """Words of so many bits, of frames one after another: of each (words, limbs), the lowest bits first."""

    bits: int
    frames: tuple[Limbs, ...]

    def __len__(self) -> int:
        return sum(map(len, self.frames))

    @property
    def text(self) -> LongText:
        """A line of hexadecimal digits for each word, at least two: a memory of one has no address."""
        return LongText(self._lines)

    def _lines(self) -> Iterator[str]:
        for frame in self.frames * (2 if len(self) == 1 else 1):
            for at in range(0, len(frame), _AT_ONCE):
                yield _lines(frame[at : at + _AT_ONCE], -(-self.bits // 4))


def limbs_of(bits: int, fields: Iterable[tuple[int, NDArray[Any]]]) -> Limbs:
    """Words of so many bits from fields: each the place of its lowest bit, and by word its value."""
    limbs: Limbs | None = None
    for low, values in fields:
        if limbs is None:
            limbs = np.zeros((len(values), -(-bits // _LIMB)), np.uint32)
        _add(limbs, low, values)
    assert limbs is not None, "words have fields"
    return limbs


def _add(limbs: Limbs, low: int, values: NDArray[Any]) -> None:
    """Put values into words, from a bit on, where the words have zeros."""
    if values.dtype == object:  # of more than 64 bits
        _add(limbs, low, (values & (1 << 64) - 1).astype(np.uint64))
        _add(limbs, low + 64, (values >> 64).astype(np.uint64))
        return
    for begin in range(0, len(values), _AT_ONCE):
        _add_some(limbs[begin : begin + _AT_ONCE], low, values[begin : begin + _AT_ONCE])


def _add_some(limbs: Limbs, low: int, values: NDArray[Any]) -> None:
    """As `_add`, for as many words as take little memory."""
    limb, shift = divmod(low, _LIMB)
    for half in range(2):
        part = (values.astype(np.uint64) >> np.uint64(_LIMB * half) & np.uint64((1 << _LIMB) - 1)) << np.uint64(shift)
        for more in range(2):
            own = (part >> np.uint64(_LIMB * more)).astype(np.uint32)
            if own.any():
                limbs[:, limb + half + more] |= own


def _lines(limbs: Limbs, digits: int) -> str:
    bytes_ = np.ascontiguousarray(limbs[:, ::-1].astype(">u4")).view(np.uint8)
    lines = np.empty((len(limbs), 2 * bytes_.shape[1] + 1), np.uint8)
    lines[:, 0:-1:2], lines[:, 1:-1:2], lines[:, -1] = _DIGITS[bytes_ >> 4], _DIGITS[bytes_ & 15], ord("\n")
    return np.ascontiguousarray(lines[:, -digits - 1 :]).tobytes().decode("ascii")
