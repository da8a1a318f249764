"""Numbers and names in sentences: the one place that says how counts, large numbers and lists are written."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

_PARTS = re.compile(r"[^_/.-]*[_/.-]+|[^_/.-]+")  # of a name


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun: 1 fusion, 8 fusions, 1,034 designs; `plural` where that is more than an s."""
    return f"{count:,} {noun if count == 1 else plural or f'{noun}s'}"


def figure_text(value: float) -> str:
    """A figure: a whole number in full, another one with a decimal."""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"


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


def wrapped(text: str, width: int) -> str:
    """A text in lines of at most some letters, broken between words, and in longer words where parts of names end."""
    lines = [""]
    for word in text.split():
        pieces = [word] if len(word) <= width else _PARTS.findall(word)
        for place, piece in enumerate(pieces):
            space = " " if not place and lines[-1] else ""
            if lines[-1] and len(lines[-1]) + len(space) + len(piece) > width:
                lines.append(piece)
            else:
                lines[-1] += space + piece
    return "\n".join(lines)


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


def significant(value: float) -> str:
    """A number to three digits, or all of those before its point: 0.0123, 1.19, 38,790."""
    if not value:
        return "0"
    return f"{value:,.{max(0, 2 - math.floor(math.log10(abs(value))))}f}"


def time_text(microseconds: float) -> str:
    """A time in the unit that reads best: 38.8 µs, 11.9 ms, 1.35 s."""
    factor, unit = next(((size, unit) for size, unit in ((1e6, "s"), (1e3, "ms")) if microseconds >= size), (1, "µs"))
    return f"{significant(microseconds / factor)} {unit}"


def bits_text(bits: int) -> str:
    """A size of memory in the unit that reads best: 34 B, 13.4 KiB, 16.7 MiB."""
    octets = bits / 8
    size, unit = next(((size, unit) for size, unit in ((1 << 20, "MiB"), (1 << 10, "KiB")) if octets >= size), (1, "B"))
    return f"{octets:,.4g} B" if size == 1 else f"{significant(octets / size)} {unit}"
