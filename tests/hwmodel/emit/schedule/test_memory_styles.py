"""What banks are made of: by hand, for the kinds of memories of a technology."""

from __future__ import annotations

import pytest

from hwmodel.emit.schedule.memories import Memory, Section
from hwmodel.emit.schedule.memory_styles import Style, styles_of
from hwmodel.platform import ExternalMemory, Platform


def platform(technology: str | None) -> Platform:
    channel = ExternalMemory.model_validate({"latency": 1, "word_bits": 64})
    return Platform(clock_mhz=100, memory=channel, technology=technology)


def memory(depth: int, width: int, *, never_written: bool = False) -> Memory:
    content = (1,) * depth if never_written else None
    return Memory("m", "m", width, (), depth, (Section(0, depth),), content=content)


# On an ECP5 a block counts 300 LUT, and 16 x 4 bits of distributed RAM 6.
@pytest.mark.parametrize(
    ("depth", "width", "style"),
    [
        (1, 32, Style.AS_TOOLS_CHOOSE),  # a register
        (160, 20, Style.BLOCK),  # 50 cells, as dear as a block, which is first
        (160, 16, Style.DISTRIBUTED),  # 40 cells
        (16, 200, Style.DISTRIBUTED),  # wider than a block
        (1024, 18, Style.BLOCK),
    ],
)
@pytest.mark.parametrize("never_written", [False, True])
def test_banks_are_made_of_what_is_cheapest(depth: int, width: int, style: Style, never_written: bool) -> None:
    own = memory(depth, width, never_written=never_written)
    assert styles_of(platform("ecp5-6"), [own]) == {"m": style}


@pytest.mark.parametrize("technology", [None, "asic45"])
def test_tools_choose_without_block_ram(technology: str | None) -> None:
    assert styles_of(platform(technology), [memory(1024, 18)]) == {"m": Style.AS_TOOLS_CHOOSE}
