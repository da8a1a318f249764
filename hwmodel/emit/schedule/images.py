"""Images of the external memory as text."""

from __future__ import annotations


def hex_lines(image: bytes, word: int) -> str:
    """One line for each word of `word` bytes, its last byte first; at least two words."""
    # A memory of one word would have no address bit.
    image = image.ljust(2 * word, b"\0")
    return "".join(f"{image[at : at + word][::-1].hex()}\n" for at in range(0, len(image), word))
