"""Numbers and names in sentences: the one place that says how counts, large numbers and lists are written."""

from __future__ import annotations

import math
from collections.abc import Sequence


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun: 1 fusion, 8 fusions, 1,034 designs; `plural` where that is more than an s."""
    return f"{count:,} {noun if count == 1 else plural or f'{noun}s'}"


def listed(items: Sequence[str], last: str = "and") -> str:
    """Items in a row: a; a and b; a, b and c."""
    return f" {last} ".join([", ".join(items[:-1]), items[-1]]) if len(items) > 1 else "".join(items)


def few(items: Sequence[str], most: int = 6) -> str:
    """The first of them, with dots behind where there are more."""
    return ", ".join([*items[:most], *(["..."] if len(items) > most else [])])


def rounded(count: int) -> str:
    """A count in full, or a large one to three digits."""
    if count < 10**9:
        return f"{count:,}"
    power = math.floor(math.log10(count))  # a number too long to be written out has one too
    power += (count >= 10 ** (power + 1)) - (count < 10**power)
    shown = f"{count / 10**power:.2f}"
    return f"1.00 x 10^{power + 1}" if shown == "10.00" else f"{shown} x 10^{power}"


def clipped(text: str) -> str:
    """A text that somebody wrote, short enough for a message."""
    return text if len(text) <= 40 else f"{text[:37]}..."


def memory_amount(count: int, *, up: bool = False) -> str:
    """An amount of memory as "2.4 GiB", below 1 GiB as "312 MiB", rounded down, or with `up` rounded up.

    So an amount that is more than another one never reads the same, if it is rounded up and the other one down.
    """
    unit, parts, name = (1 << 30, 10, "GiB") if count >= 1 << 30 else (1 << 20, 1, "MiB")
    number = (-(-count * parts // unit) if up else count * parts // unit) / parts
    return f"{number:,.1f} {name}" if parts > 1 else f"{number:,.0f} {name}"
