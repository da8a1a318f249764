"""Numbers in sentences."""

from __future__ import annotations


def counted(count: int, noun: str) -> str:
    """A number with its noun: 1 fusion, 8 fusions."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def rounded(count: int) -> str:
    """A count in full, or a large one to three digits."""
    if count < 10**9:
        return f"{count:,}"
    power = len(str(count)) - 1
    return f"{count / 10**power:.2f} x 10^{power}"
