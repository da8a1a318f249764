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

from arrayol.c_import.model import RANKS

FLOATS = {"f32", "f64"}
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


@dataclass(frozen=True, slots=True)
class Constant:
    """A number of C: its type, in the names of the language, and its value, exact in that type."""

    type: str
    value: int | float

    @property
    def text(self) -> str:
        """The number as the language writes it."""
        return repr(self.value)


def literal(text: str) -> Constant:
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
    return Constant("f32" if suffix else "f64", value)


def _integer(digits: str, suffix: str) -> Constant:
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
        if value <= _limits(kind)[1]:
            return Constant(kind, value)
    raise ArithmeticError(f"{digits[:24]} is no number of up to 64 bits")


def _limits(kind: str) -> tuple[int, int]:
    """The least and the greatest integer of a type."""
    bits = int(kind[1:])
    return (0, 2**bits - 1) if kind[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def nearest_f32(exact: Fraction) -> float:
    """The f32 that is nearest to a number, an even one of two; inf beyond the greatest.

    Not by way of f64: its rounding can end in the middle of two f32.
    """
    with np.errstate(over="ignore"):
        close = np.float32(float(exact))
    if np.isinf(close):
        return math.inf
    around = [close, np.nextafter(close, np.float32(np.inf)), np.nextafter(close, np.float32(-np.inf))]
    finite = [one for one in around if np.isfinite(one)]
    return float(min(finite, key=lambda one: (abs(Fraction(float(one)) - exact), int(one.view(np.uint32)) & 1)))


def converted(constant: Constant, wanted: str) -> Constant:
    """The constant in another type, as a cast of C gives it. Raises ArithmeticError for a float that does not fit."""
    value = constant.value
    if wanted == "f64":
        return Constant(wanted, float(value))
    if wanted == "f32":
        rounded = nearest_f32(Fraction(value))
        if math.isinf(rounded):
            raise ArithmeticError(f"{value} is too large for float")
        return Constant(wanted, math.copysign(rounded, value) if isinstance(value, float) else rounded)
    low, high = _limits(wanted)
    if isinstance(value, float):
        if not low <= int(value) <= high:
            raise ArithmeticError(f"{value} does not fit {wanted}, and C does not say what becomes of it")
        return Constant(wanted, int(value))
    return Constant(wanted, (value - low) % (high - low + 1) + low)


def common_type(left: str, right: str) -> str:
    """The type in which two operands meet: C's usual arithmetic conversions."""
    return RANKS[max(RANKS.index(one) if one in RANKS else 0 for one in (left, right))]


def operation(sign: str, left: Constant, right: Constant) -> Constant:
    """A sum, difference, product, quotient of floats or bit operation of two constants.

    Raises ArithmeticError where C does not define it, or where it leaves the range of its type.
    """
    kind = common_type(left.type, right.type)
    one, other = converted(left, kind).value, converted(right, kind).value
    if kind == "f32":
        with np.errstate(all="ignore"):
            return _finite(kind, float(_OPERATIONS[sign](np.float32(one), np.float32(other))), sign)
    if kind == "f64":
        with np.errstate(all="ignore"):
            return _finite(kind, float(_OPERATIONS[sign](np.float64(one), np.float64(other))), sign)
    return _whole(kind, _OPERATIONS[sign](one, other), f"{one} {sign} {other}")


def negative(constant: Constant) -> Constant:
    """The constant with the other sign, after promotion. Raises ArithmeticError where it overflows."""
    kind = constant.type if constant.type in RANKS else "i32"
    if isinstance(constant.value, float):
        return Constant(kind, -constant.value)
    return _whole(kind, -constant.value, f"-({constant.value})")


def _finite(kind: str, value: float, sign: str) -> Constant:
    if not math.isfinite(value):
        raise ArithmeticError(f"'{sign}' of these constants gives {value}, which the language cannot write")
    return Constant(kind, value)


def _whole(kind: str, value: int, text: str) -> Constant:
    low, high = _limits(kind)
    if kind[0] == "i" and not low <= value <= high:
        raise ArithmeticError(f"{text} overflows {'int' if kind == 'i32' else 'long'}, which C does not define")
    return Constant(kind, (value - low) % (high - low + 1) + low)
