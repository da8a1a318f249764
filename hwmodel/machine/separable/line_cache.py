"""What was computed of lines, by what they hold: buffers, scans and groups of a network have many lines in common."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, TypeVar

_MOST_BYTES = 1 << 25  # that are kept

Value = TypeVar("Value")


@dataclass(eq=False)
class LineCache:
    """Values by key; all are forgotten where they have too many bytes. What is asked for again is made again."""

    _kept: dict[tuple[Hashable, ...], Any] = field(default_factory=dict, repr=False)
    _bytes: int = 0

    def once(self, make: Callable[[], Value], *key: Hashable) -> Value:
        """What `make` returns, made once for each key."""
        if key not in self._kept:
            made = make()
            if self._bytes > _MOST_BYTES:
                self.clear()
            self._kept[key] = made
            self._bytes += bytes_of(made)
        value: Value = self._kept[key]
        return value

    def clear(self) -> None:
        """Forget all."""
        self._kept.clear()
        self._bytes = 0


def bytes_of(value: object) -> int:
    """The bytes of a value, or of the arrays in it."""
    if hasattr(value, "nbytes"):
        return int(value.nbytes)
    if isinstance(value, tuple | list):
        return sum(map(bytes_of, value))
    if isinstance(value, dict):
        return sum(map(bytes_of, value.values()))
    if is_dataclass(value):
        return sum(bytes_of(getattr(value, own.name)) for own in fields(value))
    return 0
