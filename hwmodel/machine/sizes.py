"""Sizes of local memories in data, bits and memory blocks (docs/machine.md, section 5)."""

from __future__ import annotations

from typing import Literal

from hwmodel.machine.estimate import MemoryUse
from hwmodel.platform import Platform


def memory_use(
    platform: Platform, what: tuple[Literal["buffer", "fifo", "state"], str, int], data: int, banks: int = 1
) -> MemoryUse:
    """A memory of a kind, name and bits of each datum, for so many data in so many banks."""
    kind, name, bits = what
    size = platform.local.block_bits
    blocks = None if size is None else banks * -(-(-(-data // banks) * bits) // size)
    return MemoryUse(kind, name, data, data * bits, banks, blocks)
