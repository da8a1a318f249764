"""Names of a specification in C: each has a word in front that says what it stands for, `a_x` for an array x.

So none can be a keyword, a macro or a function of any library, whatever headers are there: those that begin with one of
these words are ours. No word begins another one, so that two names never become one; and what the programs name
themselves (`i0`, `load`, `floor_divide_i32`) begins with none of them. The names of the specification thus need no list
of names to avoid.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum

from arrayol.ir.spec import LOCAL_MARK

_IDENTIFIER = re.compile(r"\b[A-Za-z_]\w*")


class Named(StrEnum):
    """What a name of the specification stands for in C, as the word in front of it."""

    RUN = "run"  # the function on top
    DO = "do"  # the function of a component that is called
    ARRAY = "a"  # a port, or an array between calls
    TABLE = "table"  # a const array
    INDEX = "i"  # a range variable
    VARIABLE = "v"  # a local of a body
    PATTERN = "p"  # what one repetition reads or writes through a port
    KEPT = "kept"  # the values of an output, for the delays that read them
    LOCAL = "local"  # the place of an element of an array in local memory, and the memory itself
    SLOTS = "slots"
    LOCAL_KEPT = "localkept"  # the same of what delays read
    SLOTS_KEPT = "slotskept"
    TILE = "tile"  # a coordinate of a tile
    ARGUMENT = "arg"  # an array of `main`

    def of(self, name: str) -> str:
        """The identifier in C; what tells names apart that are written alike stands before the name."""
        written, _, number = name.partition(LOCAL_MARK)
        return f"{self}{number}_{written}"


def identifiers(lines: Iterable[str]) -> frozenset[str]:
    """All words in lines of C that may be names."""
    return frozenset(word for line in lines for word in _IDENTIFIER.findall(line))
