"""Kinds of local memories, by the names that results have: what sums of figures must know of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

KindName = Literal["buffer", "fifo", "state", "once", "rom", "local"]


@dataclass(frozen=True, slots=True)
class MemoryKind:
    """A kind of local memory.

    `is_internal` says whether its data count as internal memory (ROMs have figures of their own), `is_resident` whether
    it holds the same data through all of a frame, so that no other group may have its place, `is_addressed` whether its
    addresses may take more words than are live at once.
    """

    name: KindName
    is_internal: bool = True
    is_resident: bool = False
    is_addressed: bool = False


BUFFER = MemoryKind("buffer", is_addressed=True)  # of an array that is loaded or made
FIFO = MemoryKind("fifo")  # between two tasks that work in the same step
STATE = MemoryKind("state", is_addressed=True)  # of a delay
ONCE = MemoryKind("once", is_resident=True)  # of an array that is loaded before the first frame
ROM = MemoryKind("rom", is_internal=False, is_resident=True)  # of a const array
LOCAL = MemoryKind("local")  # the local variables of a task

KINDS: dict[str, MemoryKind] = {kind.name: kind for kind in (BUFFER, FIFO, STATE, ONCE, ROM, LOCAL)}


def kind_named(name: str) -> MemoryKind:
    """The kind of that name; one that no result of this program has says nothing of itself."""
    return KINDS.get(name, LOCAL)
