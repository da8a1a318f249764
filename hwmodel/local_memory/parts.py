"""The addresses of a buffer, in one part or in several, whichever takes fewer words.

The idea. Data of different lifetimes in one memory cost words: a few rows that stay for a whole frame stretch every
modulus. So the indices of each line fall into three classes by life (`lines`), and a buffer is either one part, or has
a part for each non-empty pair of classes: the rows that neighbouring blocks share become a line buffer, all other data
a double buffer. A tie is one part.
"""

from __future__ import annotations

from hwmodel.local_memory.addresses import Addresses, Part, placed
from hwmodel.local_memory.forms import least_form
from hwmodel.local_memory.lines import BufferLines


def addresses_of(lines: BufferLines) -> Addresses:
    """The addresses of a buffer."""
    outer, inner = lines.outer, lines.inner
    return Addresses(
        _parts(lines), outer.classes, inner.classes, outer.numbers_by_class, inner.numbers_by_class, lines.free
    )


def size_of(lines: BufferLines) -> int:
    """The number of words that the addresses of a buffer take."""
    return sum(part.form.size for part in _parts(lines)) * lines.free


def _parts(lines: BufferLines) -> tuple[Part, ...]:
    """The parts of a buffer, in the choice that takes fewer words."""
    if not lines.pairs:
        return ()
    whole, by_class = Part(None, least_form(lines)), list(lines.by_class())
    if len(by_class) == 1:
        return (whole,)
    split = placed(tuple(Part(classes, least_form(own)) for classes, own in by_class))
    return (whole,) if whole.form.size <= sum(part.form.size for part in split) else split
