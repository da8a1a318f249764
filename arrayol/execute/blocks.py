"""Arrays worked on part by part, so that what is computed on the way stays small."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from arrayol.execute.batches import Box, cut, whole

_VALUES = 1 << 18


def blocks(shape: tuple[int, ...]) -> Iterator[tuple[Box, tuple[Any, ...]]]:
    """Parts of an array in row-major order, each with the index that gives it as an array, of rank 0 too."""
    for box in cut(whole(shape), _VALUES):
        yield box, (*box.slices(), ...)
