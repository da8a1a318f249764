"""Constants of C: the types and values of literals, and C's arithmetic on values that are known when it is read.

Integers of unsigned types wrap. What C leaves undefined, such as an int that overflows, is an ArithmeticError whose
text says what is wrong.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

RANKS = ("i32", "u32", "i64", "u64", "f32", "f64", "c64", "c128")  # C's usual conversions go to the later one
COMPLEX = {"c64": "f32", "c128": "f64"}  # with the types of their parts
FLOATS = {"f32", "f64", *COMPLEX}
_INTEGER = re.compile(r"(0x[0-9a-f]+|0b[01]+|0[0-7]*|[1-9][0-9]*)(u|l|ll|ul|ull|lu|llu)?")
_DECIMAL = re.compile(r"(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=e))(?:e[+-]?[0-9]+)?")
_HEXADECIMAL = re.compile(r"0x([0-9a-f]*)\.?([0-9a-f]*)p([+-]?[0-9]+)")
_OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
}
_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
_ESCAPES = {"n": 10, "t": 9, "r": 13, "0": 0, "a": 7, "b": 8, "f": 12, "v": 11, "\\": 92, "'": 39, '"': 34, "?": 63}


@dataclass(frozen=True, slots=True)
class CConstant:
    """A number of C: its type, in the names of the language, and its value, exact in that type."""

    type: str
    value: int | float

    @property
    def text(self) -> str:
        """The number as the language writes it."""
        return repr(self.value)


def literal(text: str) -> CConstant:
    """The constant that a number in C's text is. Raises ArithmeticError where it is none of 64 bits."""
    lower = text.lower()
    found = _INTEGER.fullmatch(lower)
    if found is not None:
        return _integer(found[1], found[2] or "")
    suffix = lower[-1:] if lower[-1:] in {"f", "l"} else ""
    body = lower.removesuffix(suffix)
    if suffix == "l":
        raise ArithmeticError(f"{text[:24]} is a long double, which the language does not have")
    parts = _HEXADECIMAL.fullmatch(body)
    if parts is None and not _DECIMAL.fullmatch(body):
        raise ArithmeticError(f"{text[:24]} is no number of up to 64 bits")
    try:
        value = float.fromhex(body) if parts else float(body)
    except OverflowError:
        value = math.inf
    if suffix and 1e-60 < value < 1e60:  # else it is 0 or too large, whatever its digits are
        exact = (
            Fraction(int(parts[1] + parts[2], 16)) * Fraction(2) ** (int(parts[3]) - 4 * len(parts[2]))
            if parts
            else Fraction(body)
        )
        value = nearest_f32(exact)
    elif suffix:
        value = 0.0 if value < 1 else math.inf
    if math.isinf(value):
        raise ArithmeticError(f"{text[:24]} is too large for its type")
    return CConstant("f32" if suffix else "f64", value)


def character(text: str) -> CConstant:
    """The int that a character is, where char is signed. Raises ArithmeticError for one that is no single byte."""
    found = re.fullmatch(r"'(?:([^'\\])|\\([0-7]{1,3})|\\x([0-9a-fA-F]+)|\\(.))'", text, re.DOTALL)
    if found is None:
        raise ArithmeticError(f"{text[:24]} is no single character")
    plain, octal, hexadecimal, letter = found.groups()
    if plain is not None:
        value = ord(plain)
    elif octal is not None:
        value = int(octal, 8)
    elif hexadecimal is not None:
        value = int(hexadecimal, 16)
    elif letter in _ESCAPES:
        value = _ESCAPES[letter]
    else:
        raise ArithmeticError(f"{text[:24]} is no escape of C")
    if value > 255:
        raise ArithmeticError(f"{text[:24]} is no single byte")
    return CConstant("i32", value - 256 if value > 127 else value)


def _integer(digits: str, suffix: str) -> CConstant:
    """An integer literal in the first type of C's list that holds it."""
    octal = digits.startswith("0") and digits.isdigit() and len(digits) > 1
    value = int(digits, 8) if octal else int(digits, 0)
    kinds = ["i32", "u32", "i64", "u64"]
    if "u" in suffix:
        kinds = ["u32", "u64"]
    elif digits[0] != "0" or digits == "0":
        kinds = ["i32", "i64"]
    if "l" in suffix:
        kinds = [kind for kind in kinds if kind.endswith("64")]
    for kind in kinds:
        if value <= limits(kind)[1]:
            return CConstant(kind, value)
    raise ArithmeticError(f"{digits[:24]} is no number of up to 64 bits")


def limits(kind: str) -> tuple[int, int]:
    """The least and the greatest integer of a type."""
    if kind == "bool":
        return 0, 1
    bits = int(kind[1:])
    return (0, 2**bits - 1) if kind[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def nearest_f32(exact: Fraction) -> float:
    """The f32 that is nearest to a number, an even one of two; inf beyond the greatest.

    Not by way of f64: its rounding can end in the middle of two f32.
    """
    with np.errstate(over="ignore"):
        close = np.float32(float(exact))
        around = [close, np.nextafter(close, np.float32(np.inf)), np.nextafter(close, np.float32(-np.inf))]
    if np.isinf(close):
        return math.inf
    finite = [one for one in around if np.isfinite(one)]
    return float(min(finite, key=lambda one: (abs(Fraction(float(one)) - exact), int(one.view(np.uint32)) & 1)))


def converted(constant: CConstant, wanted: str) -> CConstant:
    """The constant in another type, as a cast of C gives it. Raises ArithmeticError for a float that does not fit."""
    value = constant.value
    if wanted == "bool":
        return CConstant(wanted, int(value != 0))
    if wanted == "f64":
        return CConstant(wanted, float(value))
    if wanted == "f32":
        rounded = nearest_f32(Fraction(value))
        if math.isinf(rounded):
            raise ArithmeticError(f"{value} is too large for float")
        return CConstant(wanted, math.copysign(rounded, value) if isinstance(value, float) else rounded)
    low, high = limits(wanted)
    if isinstance(value, float):
        if not low <= int(value) <= high:
            raise ArithmeticError(f"{value} does not fit {wanted}, and C does not say what becomes of it")
        return CConstant(wanted, int(value))
    return CConstant(wanted, (value - low) % (high - low + 1) + low)


def common_type(left: str, right: str) -> str:
    """The type in which two operands meet: C's usual arithmetic conversions."""
    if {left, right} == {"f64", "c64"}:
        return "c128"
    return RANKS[max(RANKS.index(one) if one in RANKS else 0 for one in (left, right))]


def operation(sign: str, left: CConstant, right: CConstant) -> CConstant:
    """The constant that an operator of C makes of two.

    Raises ArithmeticError where C does not define it, or where it leaves the range of its type.
    """
    if sign in {"<<", ">>"}:
        return _shifted(sign, promoted(left), promoted(right))
    kind = common_type(left.type, right.type)
    one, other = converted(left, kind).value, converted(right, kind).value
    if kind in FLOATS and sign not in {"+", "-", "*", "/"}:
        raise ArithmeticError(f"'{sign}' takes integers")
    if sign in {"/", "%"} and kind not in FLOATS:
        if other == 0:
            raise ArithmeticError(f"{one} {sign} 0 is not defined in C")
        quotient = abs(one) // abs(other) * (1 if (one < 0) == (other < 0) else -1)  # towards zero
        return _whole(kind, int(quotient if sign == "/" else one - quotient * other), f"{one} {sign} {other}")
    if kind == "f32":
        with np.errstate(all="ignore"):
            return _finite(kind, float(_OPERATIONS[sign](np.float32(one), np.float32(other))), sign)
    if kind == "f64":
        with np.errstate(all="ignore"):
            return _finite(kind, float(_OPERATIONS[sign](np.float64(one), np.float64(other))), sign)
    return _whole(kind, _OPERATIONS[sign](one, other), f"{one} {sign} {other}")


def _shifted(sign: str, left: CConstant, right: CConstant) -> CConstant:
    """A shift, in the type of its left operand; one of a negative number to the left as gcc has it."""
    if left.type in FLOATS or right.type in FLOATS:
        raise ArithmeticError(f"'{sign}' takes integers")
    low, high = limits(left.type)
    value, count = int(left.value), int(right.value)
    if not 0 <= count < int(left.type[1:]):
        raise ArithmeticError(f"a shift of {left.type} by {count} is not defined in C")
    moved = value << count if sign == "<<" else value >> count
    return CConstant(left.type, (moved - low) % (high - low + 1) + low)


def promoted(constant: CConstant) -> CConstant:
    """The constant after C's promotion of small integers."""
    return constant if constant.type in RANKS else converted(constant, "i32")


def inverted(constant: CConstant) -> CConstant:
    """All bits turned round, after promotion."""
    inner = promoted(constant)
    if inner.type in FLOATS:
        raise ArithmeticError("'~' takes an integer")
    low, high = limits(inner.type)
    return CConstant(inner.type, (~int(inner.value) - low) % (high - low + 1) + low)


def compared(sign: str, left: CConstant, right: CConstant) -> bool:
    """Whether a comparison of two constants holds."""
    kind = common_type(left.type, right.type)
    one, other = converted(left, kind).value, converted(right, kind).value
    return bool(_COMPARISONS[sign](one, other))


def negative(constant: CConstant) -> CConstant:
    """The constant with the other sign, after promotion. Raises ArithmeticError where it overflows."""
    constant = promoted(constant)
    kind = constant.type
    if isinstance(constant.value, float):
        return CConstant(kind, -constant.value)
    return _whole(kind, -constant.value, f"-({constant.value})")


def _finite(kind: str, value: float, sign: str) -> CConstant:
    if not math.isfinite(value):
        raise ArithmeticError(f"'{sign}' of these constants gives {value}, which the language cannot write")
    return CConstant(kind, value)


def _whole(kind: str, value: int, text: str) -> CConstant:
    low, high = limits(kind)
    if kind[0] == "i" and not low <= value <= high:
        raise ArithmeticError(f"{text} overflows {'int' if kind == 'i32' else 'long'}, which C does not define")
    return CConstant(kind, (value - low) % (high - low + 1) + low)
