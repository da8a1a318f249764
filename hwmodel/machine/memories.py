"""Sizes of local memories in data, bits and memory blocks (docs/machine.md, section 5)."""

from __future__ import annotations

import math
from typing import Literal

from hwmodel.design import GroupDesign
from hwmodel.machine.estimate import MemoryUse
from hwmodel.machine.group import Group
from hwmodel.platform import Platform


def memory_use(
    platform: Platform, kind: Literal["buffer", "fifo", "state"], name: str, data: int, bits: int, banks: int = 1
) -> MemoryUse:
    """A memory of so many data of `bits` bits each, in so many banks."""
    size = platform.local.block_bits
    blocks = None if size is None else banks * -(-(-(-data // banks) * bits) // size)
    return MemoryUse(kind, name, data, data * bits, banks, blocks)


def buffer_banks(group: Group, design: GroupDesign, array: str) -> int:
    """Banks of a buffer: its layout's, else the largest pattern that a task reads from or writes to it."""
    for layout in design.layouts:
        if layout.array == array:
            return layout.banks
    touches = [touch for task in group.tasks for touch in (*group.reads(task, array), *group.writes(task, array))]
    return max(math.prod(touch.pattern) for touch in touches)
