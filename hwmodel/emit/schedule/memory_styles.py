"""Whether banks of memories are block or distributed RAM: as the machine model chose, and not as a tool would."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

from hwmodel.cost_model.memories.local_ports import terms_of
from hwmodel.emit.schedule.memories import Memory
from hwmodel.platform import Platform


class Style(IntEnum):
    """The RAM that a bank is made of; a bank that is never written is logic unless its style is `BLOCK`."""

    AS_TOOLS_CHOOSE = 0
    BLOCK = 1
    DISTRIBUTED = 2


def styles_of(platform: Platform, memories: Iterable[Memory]) -> dict[str, Style]:
    """The style of each memory by its name: that of the kind which the machine model found to be the cheapest.

    If the platform has no kind of memory that is counted in blocks, tools choose.
    """
    return {memory.name: _style(platform, memory) for memory in memories}


def _style(platform: Platform, memory: Memory) -> Style:
    terms = terms_of(platform)
    if terms is None or not terms.kinds.has_blocks or memory.depth == 1:
        return Style.AS_TOOLS_CHOOSE
    writes = int(memory.content is None)
    built = terms.kinds.bank(memory.depth, memory.width, terms.prices, reads=1, writes=writes)
    if built is None:
        return Style.AS_TOOLS_CHOOSE
    return Style.BLOCK if built.blocks else Style.DISTRIBUTED
