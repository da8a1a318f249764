"""Names, types and numbers of a design in C++."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from arrayol.ir.types import ElementType, Kind
from hwmodel.emit.c.const_arrays import number
from hwmodel.emit.c.helpers import bound, c_type, literal

_COMPLEX = re.compile(r"\b(float|double) complex\b")


class Thing(StrEnum):
    """What a name of the schedule stands for in C++, as the word in front of it: so none is a word of C++."""

    BUFFER = "buffer"
    FIFO = "fifo"
    ROM = "rom"
    TASK = "task"
    PORT = "port"
    FLOW = "flow"
    ASKS = "asks"


@dataclass
class HlsNames:
    """Identifiers of things in a file, each its own."""

    known: dict[tuple[str, str], str] = field(default_factory=dict)

    def of(self, kind: str, name: str) -> str:
        """The identifier of a thing by its name in the schedule, which may have letters that C++ does not take."""
        if (kind, name) not in self.known:
            text = f"{kind}_{re.sub(r'[^A-Za-z0-9_]', '_', name)}"
            while text in self.known.values():
                text += "_"
            self.known[kind, name] = text
        return self.known[kind, name]


def in_cpp(text: str) -> str:
    """A text with the complex numbers of `schedule.hpp` in place of those of C, which C++ does not have."""
    return _COMPLEX.sub(r"complex_number<\1>", text)


def hls_type(kind: ElementType) -> str:
    """The type of an element in a memory or a stream: as many bits as it has."""
    if kind.is_numpys:
        return c_type(kind)
    return f"ap_{'' if kind.is_signed else 'u'}int<{kind.bits}>"


def unsigned_type(limit: int) -> str:
    """The type of numbers below a limit in a table."""
    bits = max(8, 1 << ((limit - 1).bit_length() - 1).bit_length()) if limit > 1 else 8
    return f"uint{bits}_t"


def value_of_bits(bits: int, kind: ElementType) -> str:
    """The bits of an element as a number of C++."""
    if kind.wraps:
        sign = kind.is_signed and bits >> (kind.bits - 1)
        return bound(bits - (1 << kind.bits) if sign else bits, kind)
    if kind.kind is Kind.COMPLEX:
        part, half = ElementType(f"f{kind.bits // 2}"), kind.bits // 2
        real, imaginary = (value_of_bits(own, part) for own in (bits & (1 << half) - 1, bits >> half))
        return f"{c_type(kind)}({real}, {imaginary})"
    if kind.kind is Kind.FLOAT:
        size = kind.bits // 8
        return number(float(np.array([bits], f"<u{size}").view(f"<f{size}")[0]), kind)
    return literal(bits, kind)
