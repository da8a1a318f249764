"""What the banks of memories are made of: as the machine model chose, and not as a tool would."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

from hwmodel.cost_model.memories.local_ports import terms_of
from hwmodel.emit.schedule.memories import Memory
from hwmodel.platform import Platform


class Style(IntEnum):
    """What a bank is made of; of one that is never written all but `BLOCK` means logic."""

    AS_TOOLS_CHOOSE = 0
    BLOCK = 1
    DISTRIBUTED = 2


def styles_of(platform: Platform, memories: Iterable[Memory]) -> dict[str, Style]:
    """By name the style of each memory in banks, that of the kind which the model found to be the cheapest.

    Without kinds that are counted in blocks, tools choose.
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
