"""Integer partitions: what paper A (section 4, figure 9) generates the space of fusions from."""

from __future__ import annotations

from collections.abc import Iterator

Sizes = tuple[int, ...]  # group sizes, largest first


def partitions(total: int, parts: int) -> Iterator[Sizes]:
    """The partitions of `total` in exactly `parts` positive integers, largest first: 4 in 2 gives (3, 1), (2, 2)."""
    if 1 <= parts <= total:
        yield from _bounded(total, parts, total)


def _bounded(total: int, parts: int, largest: int) -> Iterator[Sizes]:
    if parts == 1:
        yield (total,)
        return
    # What remains must have at least one for each other part, and no part above `first`.
    for first in range(min(largest, total - parts + 1), -(-total // parts) - 1, -1):
        for rest in _bounded(total - first, parts - 1, first):
            yield (first, *rest)


def without(sizes: Sizes, part: int) -> Sizes:
    """`sizes` with one `part` less."""
    place = sizes.index(part)
    return sizes[:place] + sizes[place + 1 :]
