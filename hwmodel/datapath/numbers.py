"""Numbers on wires: kinds and widths, the least number for an interval of values, and signed-digit recoding.

While a graph is built, a number is coded as a small integer: the bits of an unsigned one, 64 + the bits of a signed
one, and two codes for floats.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["unsigned", "signed", "float"]


@dataclass(frozen=True, slots=True)
class Number:
    """The number on a wire. A bool is unsigned with 1 bit; a fixed-point number is its stored integer."""

    kind: Kind
    bits: int

    @property
    def is_float(self) -> bool:
        return self.kind == "float"

    @property
    def is_signed(self) -> bool:
        return self.kind == "signed"


SIGNED = 64  # what the code of a signed number is above its bits
F32, F64 = 129, 130
BOOL = 1

# By code. No number has code 0.
NUMBERS = (
    Number("unsigned", 1),
    *(Number("unsigned", bits) for bits in range(1, 65)),
    *(Number("signed", bits) for bits in range(1, 65)),
    Number("float", 32),
    Number("float", 64),
)


def number_of(low: int, high: int) -> int:
    """The code of the least number that has all integers low..high, which fit into 64 bits."""
    if low >= 0:
        return high.bit_length() or 1
    return SIGNED + 1 + max(high.bit_length() if high > 0 else 0, (~low).bit_length())


def least_number(low: int, high: int) -> Number:
    """The least number that has all integers low..high, with as many bits as that takes."""
    if low >= 0:
        return Number("unsigned", high.bit_length() or 1)
    return Number("signed", 1 + max(high.bit_length() if high > 0 else 0, (~low).bit_length()))


def range_of(code: int) -> tuple[int, int]:
    """The least and the greatest integer of a number."""
    if code > SIGNED:
        half = 1 << (code - SIGNED - 1)
        return -half, half - 1
    return 0, (1 << code) - 1


def wrapped(value: int, code: int) -> int:
    """An integer wrapped into the range of a number."""
    if code > SIGNED:
        half = 1 << (code - SIGNED - 1)
        return ((value + half) & (2 * half - 1)) - half
    return value & ((1 << code) - 1)


def recoded(constant: int) -> list[int]:
    """The canonical signed digits of an integer, the least significant first: no two neighbours are non-zero."""
    digits = []
    while constant:
        digit = 2 - (constant & 3) if constant & 1 else 0
        digits.append(digit)
        constant = (constant - digit) >> 1
    return digits


def common_bits(left: Number, right: Number) -> int:
    """The bits that hold both of two numbers, signed if one of them is: one more if only the narrower one is."""
    if left.is_signed == right.is_signed:
        return max(left.bits, right.bits)
    return max(number.bits + (not number.is_signed) for number in (left, right))
