"""Values of odd widths and fixed point as exact fractions: computed without bounds, then wrapped to their type."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from arrayol.ir.types import ElementType, ValueType

HALF = Fraction(1, 2)


class Refused(Exception):  # noqa: N818
    """The execution error that docs/execution.md, "Errors while it runs", asks for, by its code."""


@dataclass(frozen=True)
class Exact:
    """A value of a type that NumPy has not."""

    fraction: Fraction
    kind: ElementType

    @property
    def stored(self) -> int:
        return int(self.fraction * 2**self.kind.fraction)

    def __bool__(self) -> bool:
        return self.fraction != 0

    def __int__(self) -> int:
        return math.floor(self.fraction)


def is_exact(kind: ValueType) -> bool:
    return (
        isinstance(kind, ElementType)
        and kind[0] in "iu"
        and kind not in ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")
    )


def from_stored(stored: int, kind: ElementType) -> Exact:
    return Exact(Fraction(int(stored), 2**kind.fraction), kind)


def exactly(value: Any) -> Fraction:
    if isinstance(value, Exact):
        return value.fraction
    return Fraction(float(value)) if isinstance(value, (float, np.floating)) else Fraction(int(value))


def wrapped(value: Fraction, kind: ElementType) -> Any:
    """The floor of a value in the bits after the point, its bits above the width dropped."""
    stored = math.floor(value * 2**kind.fraction) % 2**kind.bits
    if kind[0] == "i" and stored >= 2 ** (kind.bits - 1):
        stored -= 2**kind.bits
    if is_exact(kind):
        return from_stored(stored, kind)
    return np.dtype(f"{kind[0]}{kind.bits // 8}").type(stored)


def ends(kind: ElementType) -> tuple[int, int]:
    """Of the stored integers."""
    return (-(2 ** (kind.bits - 1)), 2 ** (kind.bits - 1) - 1) if kind[0] == "i" else (0, 2**kind.bits - 1)


def converted(value: Any, target: ElementType) -> Any:
    """A conversion from or to such a type."""
    if target == "bool":
        return np.bool_(exactly(value) != 0)
    if target[0] in "fc":
        parts = {"f32": "f4", "f64": "f8", "c64": "c8", "c128": "c16"}
        dtype = np.dtype(parts[target])
        stored = np.array(value.stored, "i8" if value.kind[0] == "i" else "u8").astype(dtype)
        return (stored * dtype.type(2.0**-value.kind.fraction))[()]
    if isinstance(value, (float, np.floating)):
        low, high = ends(target)
        if not math.isfinite(value):
            raise Refused("conversion-out-of-range")
        stored = math.trunc(exactly(value) * 2**target.fraction)
        if not low <= stored <= high:
            raise Refused("conversion-out-of-range")
        return wrapped(Fraction(stored, 2**target.fraction), target)
    if type(value) is int and not ends(target)[0] <= value * 2**target.fraction <= ends(target)[1]:
        raise Refused("constant-does-not-fit")
    return wrapped(exactly(value), target)


_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "//": operator.floordiv, "%": operator.mod,
    "&": operator.and_, "|": operator.or_, "^": operator.xor,
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


def operated(sign: str, operands: list[Any], kind: ValueType) -> Any:
    """An operator of exact values; comparisons give bool, all else is wrapped to the type of the result."""
    if sign in ("<<", ">>"):
        left, amount = operands[0], int(exactly(operands[1]))
        if not 0 <= amount < left.kind.bits:
            raise Refused("shift-out-of-range")
        return wrapped(left.fraction * (2**amount if sign == "<<" else Fraction(1, 2**amount)), left.kind)
    values = [exactly(operand) for operand in operands]
    if len(values) == 1:
        result = -values[0] if sign == "-" else Fraction(~int(values[0]))
    else:
        if sign in ("//", "%") and values[1] == 0:
            raise Refused("division-by-zero")
        whole = [int(value) for value in values] if sign in "&|^" else values
        result = _ARITHMETIC[sign](*whole)
    if isinstance(result, bool):
        return result
    assert isinstance(kind, ElementType)
    return wrapped(Fraction(result), kind)


def applied(name: str, values: list[Any], kind: ElementType) -> Any:
    """abs, min, max, round and sat, where a value or the result is exact."""
    if name == "sat":
        low, high = ends(kind)
        if isinstance(values[0], (float, np.floating)) and not math.isfinite(values[0]):
            if math.isnan(values[0]):
                raise Refused("conversion-out-of-range")
            stored = high if values[0] > 0 else low
        else:
            scaled = exactly(values[0]) * 2**kind.fraction
            is_float = isinstance(values[0], (float, np.floating))
            stored = min(max(math.trunc(scaled) if is_float else math.floor(scaled), low), high)
        return wrapped(Fraction(stored, 2**kind.fraction), kind)
    if name == "round":
        scale = 2 ** int(values[1])
        return wrapped(Fraction(math.floor(exactly(values[0]) * scale + HALF), scale), kind)
    numbers = [exactly(value) for value in values]
    return wrapped(abs(numbers[0]) if name == "abs" else (min if name == "min" else max)(numbers), kind)
