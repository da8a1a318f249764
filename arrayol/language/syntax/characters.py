"""Characters that nobody sees, or takes for others: what copied text brings along, each named with its remedy."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator

from arrayol.errors import Diagnostic
from arrayol.source import UNSEEN, SourceFile, Span

# Of a text or comment nothing counts but what makes it look as if it ended there, or stood elsewhere.
_DECEIVING = re.compile("[\v\f\x1c-\x1e\x85\u2028-\u202e\u2066-\u2069]|\r(?!\n)")
_PARTS = re.compile(rf'"[^"\n]*"|#[^\n]*|{UNSEEN.pattern}')

_BREAKS = {
    "\v": "vertical tab",
    "\f": "form feed",
    "\r": "carriage return without line feed",
    "\x85": "next line",
    "\u2028": "line separator",
    "\u2029": "paragraph separator",
}
_PLAIN = {
    "\N{MINUS SIGN}": "-", "\N{EN DASH}": "-", "—": "-", "\N{MULTIPLICATION SIGN}": "*", "·": "*", "÷": "/",
    "≤": "<=", "≥": ">=", "≠": "!=", "→": "->", "←": "<-", "“": '"', "”": '"', "„": '"', "…": "..",
}  # fmt: skip


def named(character: str) -> str:
    """A character by its code point and its name in Unicode."""
    name = _BREAKS.get(character) or unicodedata.name(character, "control character").lower()
    return f"U+{ord(character):04X} ({name})"


def plain_hint(character: str) -> str | None:
    """What to write for a character that is not ASCII; None for one that is."""
    if character.isascii():
        return None
    plain = _PLAIN.get(character) or unicodedata.normalize("NFKC", character)
    if plain.isascii():
        return f"this is {named(character)}; write '{plain}'"
    if character.isalnum():
        return "names are made of the letters A to Z and a to z, digits and '_'"
    return f"this is {named(character)}; leave it out"


def without_unseen(file: SourceFile) -> tuple[SourceFile, list[Diagnostic]]:
    """The file with a blank, or nothing, for each character that has no place in it; and a mistake for each kind."""
    places = list(_places(file.text))
    if not places:
        return file, []
    counts = Counter(file.text[place] for place in places)
    first = {file.text[place]: place for place in reversed(places)}
    diagnostics = [
        Diagnostic("syntax", _message(character, counts[character]), Span(file, place, place + 1), _remedy(character))
        for character, place in first.items()
    ]
    parts, start = [], 0
    for place in places:
        parts += [file.text[start:place], " " if file.text[place].isspace() else ""]
        start = place + 1
    return SourceFile(file.name, "".join([*parts, file.text[start:]])), diagnostics


def _places(text: str) -> Iterator[int]:
    if UNSEEN.search(text) is None:
        return
    for part in _PARTS.finditer(text):
        if part[0][0] in '"#':
            yield from (part.start() + found.start() for found in _DECEIVING.finditer(part[0]))
        else:
            yield part.start()


def _message(character: str, count: int) -> str:
    more = f", here and in {count - 1:,} more {'places' if count > 2 else 'place'}" if count > 1 else ""
    return f"unexpected {named(character)}{more}"


def _remedy(character: str) -> str:
    if character in _BREAKS:
        return "end lines with a line feed, as editors do; white space is blanks, tabs and line ends"
    if character.isspace():
        return "write a blank; text copied from a page often has others"
    return "it cannot be seen; delete it"
