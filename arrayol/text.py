"""Numbers and names in sentences: the one place that says how counts, large numbers and lists are written."""

from __future__ import annotations

from collections.abc import Sequence


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun: 1 fusion, 8 fusions, 1,034 designs; `plural` where that is more than an s."""
    return f"{count:,} {noun if count == 1 else plural or f'{noun}s'}"


def listed(items: Sequence[str], last: str = "and") -> str:
    """Items in a row: a; a and b; a, b and c."""
    return f" {last} ".join([", ".join(items[:-1]), items[-1]]) if len(items) > 1 else "".join(items)


def rounded(count: int) -> str:
    """A count in full, or a large one to three digits."""
    if count < 10**9:
        return f"{count:,}"
    power = len(str(count)) - 1
    return f"{count / 10**power:.2f} x 10^{power}"
