"""Hints: what a misspelt word probably meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def closest(word: str, candidates: Iterable[str]) -> str | None:
    """The candidate most like `word`, if one is alike enough to be a slip of the keyboard."""
    found = get_close_matches(word, sorted(candidates), n=1, cutoff=0.7)
    return found[0] if found else None


def did_you_mean(word: str, candidates: Iterable[str]) -> str | None:
    """A hint for an unknown name, or None where nothing is near."""
    found = closest(word, candidates)
    return f"did you mean '{found}'?" if found else None
