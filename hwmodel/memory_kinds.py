"""Kinds of local memories, by the names that results have: all that other code asks of a kind.

What a memory of a kind is built of, and its figures, say the classes of `hwmodel/cost_model/tables/memories.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

KindName = Literal["buffer", "fifo", "state", "once", "rom", "local", "chain", "chunk", "bins"]


@dataclass(frozen=True, slots=True)
class LocalMemoryKind:
    """A kind of local memory.

    `is_buffer` says whether it holds an array in words with addresses, which loads fill and stores empty, `is_internal`
    whether its data count as internal memory (ROMs have figures of their own), `is_resident` whether it holds the same
    data through all of a frame, so that no other group may have its place, `is_addressed` whether its addresses may
    take more words than are live at once, `has_subscripts` whether its data have subscripts, which decide their banks.
    `address` says in words where in its bank a datum lies; of buffers a formula does.
    """

    name: KindName
    is_buffer: bool = False
    is_internal: bool = True
    is_resident: bool = False
    is_addressed: bool = False
    has_subscripts: bool = True
    address: str = ""


_BY_SUBSCRIPTS = "the row-major number of its subscripts, divided by the banks"

BUFFER = LocalMemoryKind("buffer", is_buffer=True, is_addressed=True)  # of an array that is loaded or made
FIFO = LocalMemoryKind(  # between two tasks that work in the same step
    "fifo",
    has_subscripts=False,
    address="words are written in turn, round and round, and read in the same order",
)
STATE = LocalMemoryKind(  # of a delay
    "state",
    is_addressed=True,
    has_subscripts=False,
    address="one word for each chain of the delay, in the order of its repetitions",
)
ONCE = LocalMemoryKind(
    "once", is_resident=True, address=_BY_SUBSCRIPTS
)  # of an array that is loaded before the first frame
ROM = LocalMemoryKind("rom", is_internal=False, is_resident=True, address=_BY_SUBSCRIPTS)  # of a const array
CHAIN = LocalMemoryKind(  # line buffers of a streaming group
    "chain", has_subscripts=False, address="data pass from segment to segment, in the order in which they are made"
)
CHUNK = LocalMemoryKind(  # between a streaming group and the external memory
    "chunk", is_addressed=True, has_subscripts=False, address="words are written in turn, and read in the same order"
)
BINS = LocalMemoryKind(  # of a unit, to whose words sums are added at subscripts that data decide
    "bins",
    is_resident=True,
    has_subscripts=False,
    address="the row-major number of its subscripts, in the memory that the repetition has",
)
LOCAL = LocalMemoryKind("local")  # the local variables of a task

KINDS: dict[str, LocalMemoryKind] = {
    kind.name: kind for kind in (BUFFER, FIFO, STATE, ONCE, ROM, CHAIN, CHUNK, BINS, LOCAL)
}


def kind_named(name: str) -> LocalMemoryKind:
    """The kind of that name; one that no result of this program has says nothing of itself."""
    return KINDS.get(name, LOCAL)
