"""A buffer in one part or in several, whichever is smaller: its addresses, and how many words they take.

Data of different lives in one memory cost words: a few rows that stay for a whole frame stretch every modulus. So the
indices of each line fall in three classes by life (`lines`), and a buffer is either one part, or each pair of classes
that is not empty is a part of its own: the rows that neighbouring blocks share become a line buffer, the rest a double
buffer. A tie is one part.
"""

from __future__ import annotations

from hwmodel.local_memory.addresses import Addresses, Part, placed
from hwmodel.local_memory.forms import least_form
from hwmodel.local_memory.lines import Lines


def addresses_of(lines: Lines) -> Addresses:
    """The addresses of a buffer."""
    outer, inner = lines.outer, lines.inner
    return Addresses(
        _parts(lines), outer.classes, inner.classes, outer.numbers_by_class, inner.numbers_by_class, lines.free
    )


def size_of(lines: Lines) -> int:
    """How many words the addresses of a buffer take."""
    return sum(part.form.size for part in _parts(lines)) * lines.free


def _parts(lines: Lines) -> tuple[Part, ...]:
    if not lines.pairs:
        return ()
    one, by_class = Part(None, least_form(lines)), list(lines.by_class())
    if len(by_class) == 1:
        return (one,)
    apart = placed(tuple(Part(classes, least_form(own)) for classes, own in by_class))
    return (one,) if one.form.size <= sum(part.form.size for part in apart) else apart
