"""Words that a local memory takes of what is loaded and gives of what is stored (docs/machine.md, section 4).

What both the model and the simulated machine go by: how many data a word has, and of which axes. Where a platform has
no kinds of local memories nothing is known of these, and they keep pace with any port.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arrayol.ir.divisors import divisors
from hwmodel.platform import Platform


@dataclass(frozen=True, slots=True)
class LocalWord:
    """Up to `width` data that follow each other in a row of `row` data."""

    width: int
    row: int


def local_word(platform: Platform, size: int, shape: Sequence[int], *, write: bool) -> LocalWord | None:
    """The local word of an array of elements of `size` bytes, where they are loaded, or (`write`) stored.

    A row is the last axis, or the last axes together that hold a word. None without kinds of local memories.
    """
    if platform.prices is None or not platform.prices.memory_kinds:
        return None
    width, row = local_width(platform, size, write=write), 1
    for extent in reversed(shape):
        row *= extent
        if row >= width:
            break
    return LocalWord(width, row)


def local_width(platform: Platform, size: int, *, write: bool) -> int:
    """Its data: a divisor of those of a word, up to `write_width` where they are loaded, `read_width` where stored."""
    (memory,), local = platform.channels, platform.local
    whole = memory.data_per_word or max(1, (memory.word_bits or 1) // (8 * size))
    asked = local.read_width if write else local.write_width
    return max(width for width in divisors(whole) if width <= (asked or whole))
