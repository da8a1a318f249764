"""Some things out of many, evenly, the first and the last among them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

Item = TypeVar("Item")


def evenly(items: Sequence[Item], count: int) -> list[Item]:
    """At most `count` of the items, at least two, in their order."""
    if len(items) <= count:
        return list(items)
    return [items[round(place * (len(items) - 1) / (count - 1))] for place in range(count)]
