"""A cache of values derived from lines, by their content: buffers, scans and groups of a network share many lines."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, TypeVar

import numpy as np

from arrayol.arrays import IntArray

_MOST_BYTES = 1 << 25  # that are kept
_MOST_WORDS = 1 << 16  # that are known
_WITHOUT = frozenset((int, float, bool, bytes, str, type(None)))  # types of values that hold no arrays

Value = TypeVar("Value")


@dataclass(eq=False)
class LineCache:
    """Values by key; all are dropped when they take too many bytes, and computed again when they are needed.

    Words are small, and are kept longer.
    """

    _kept: dict[Hashable, Any] = field(default_factory=dict, repr=False)
    _bytes: int = 0
    _words: dict[Hashable, int] = field(default_factory=dict, repr=False)

    def values(self, keys: Sequence[Hashable], make: Callable[[Sequence[Hashable]], Sequence[Value]]) -> list[Value]:
        """The values of distinct keys; `make` computes those of the keys that are new."""
        known: dict[Hashable, Value] = {key: self._kept[key] for key in keys if key in self._kept}
        new = [key for key in keys if key not in known]
        if new:
            computed = dict(zip(new, make(new), strict=True))
            if self._bytes > _MOST_BYTES:
                self.clear()
            self._kept |= computed
            self._bytes += bytes_of(list(computed.values()))
            known |= computed
        return [known[key] for key in keys]

    def words(self, keys: Sequence[Hashable], compute: Callable[[IntArray], IntArray]) -> IntArray:
        """Words by key (n,), of pairs of lines or of buffers.

        `compute` gives those that are new, from their positions.
        """
        known = [self._words.get(key, -1) for key in keys]
        new = {key: place for place, (key, words) in enumerate(zip(keys, known, strict=True)) if words < 0}
        if new:
            fresh = dict(zip(new, compute(np.array(list(new.values()))).tolist(), strict=True))
            if len(self._words) > _MOST_WORDS:
                self._words.clear()
            self._words.update(fresh)
            known = [fresh[key] if words < 0 else words for key, words in zip(keys, known, strict=True)]
        return np.array(known, np.int64)

    def clear(self) -> None:
        """Drop all values except words."""
        self._kept.clear()
        self._bytes = 0


def bytes_of(value: object) -> int:
    """The bytes of a value, or of the arrays in it."""
    if type(value) in _WITHOUT:
        return 0
    if isinstance(value, tuple | list):
        return sum([bytes_of(item) for item in value if type(item) not in _WITHOUT])
    size = getattr(value, "nbytes", None)  # asked once: of a dataclass it may take a while
    if size is not None:
        return int(size)
    if isinstance(value, dict):
        return sum(map(bytes_of, value.values()))
    if is_dataclass(value):
        return sum(bytes_of(getattr(value, attribute.name)) for attribute in fields(value))
    return 0
