"""Images of the external memory as text."""

from __future__ import annotations

import numpy as np

_DIGITS = np.frombuffer(b"0123456789abcdef", np.uint8)


def hex_lines(image: bytes, word: int) -> str:
    """One line for each word of `word` bytes, its last byte first; at least two words."""
    # A memory of one word would have no address bit.
    padded = image.ljust(max(2 * word, -(-len(image) // word) * word), b"\0")
    words = np.frombuffer(padded, np.uint8).reshape(-1, word)[:, ::-1]
    lines = np.full((len(words), 2 * word + 1), ord("\n"), np.uint8)
    lines[:, 0:-1:2], lines[:, 1:-1:2] = _DIGITS[words >> 4], _DIGITS[words & 15]
    return str(lines.data, "ascii")
