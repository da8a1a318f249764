"""What banks are made of: by hand, for the kinds of memories of a technology."""

from __future__ import annotations

import pytest

from hwmodel.emit.schedule.memories import Memory, Section
from hwmodel.emit.schedule.memory_styles import Style, styles_of
from hwmodel.platform import Platform
from hwmodel.platform_memories import ExternalMemory


def platform(technology: str | None) -> Platform:
    channel = ExternalMemory.model_validate({"latency": 1, "word_bits": 64})
    return Platform(clock_mhz=100, memory=channel, technology=technology)


def memory(depth: int, width: int, *, never_written: bool = False) -> Memory:
    content = (1,) * depth if never_written else None
    return Memory("m", "m", width, (), depth, (Section(0, depth),), content=content)


# On an ECP5 a block counts 300 LUT, 16 x 4 bits of distributed RAM 6, and 16 bits of a ROM 1.
@pytest.mark.parametrize(
    ("depth", "width", "written", "never_written"),
    [
        (1, 32, Style.AS_TOOLS_CHOOSE, Style.AS_TOOLS_CHOOSE),  # a register
        (160, 20, Style.BLOCK, Style.DISTRIBUTED),  # 50 cells, as dear as a block, which is first; 200 LUT
        (160, 16, Style.DISTRIBUTED, Style.DISTRIBUTED),  # 40 cells
        (16, 200, Style.DISTRIBUTED, Style.DISTRIBUTED),  # wider than a block
        (1024, 18, Style.BLOCK, Style.BLOCK),
    ],
)
def test_banks_are_made_of_what_is_cheapest(depth: int, width: int, written: Style, never_written: Style) -> None:
    for style, is_rom in ((written, False), (never_written, True)):
        assert styles_of(platform("ecp5-6"), [memory(depth, width, never_written=is_rom)]) == {"m": style}


@pytest.mark.parametrize("technology", [None, "asic45"])
def test_tools_choose_without_block_ram(technology: str | None) -> None:
    assert styles_of(platform(technology), [memory(1024, 18)]) == {"m": Style.AS_TOOLS_CHOOSE}
