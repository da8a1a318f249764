"""The C library: functions of math.h that the language does not have, written with those that it has."""

from __future__ import annotations

from collections.abc import Sequence

from arrayol.c_import.arithmetic import Arithmetic, RefusalError, constant_of, integer, literal
from arrayol.c_import.constants import CConstant
from arrayol.c_import.model import COperation

_ROUNDINGS = {"round": "round", "rint": "rint", "nearbyint": "rint", "trunc": "trunc"}
_INTEGER_ROUNDINGS = {"lround": "round", "llround": "round", "lrint": "rint", "llrint": "rint"}
COMPOSED = frozenset(
    f"{name}{suffix}" for name in (*_ROUNDINGS, *_INTEGER_ROUNDINGS, "pow", "hypot") for suffix in ("", "f")
)
_MOST_FACTORS = 8


def composed(arithmetic: Arithmetic, name: str, arguments: Sequence[COperation]) -> COperation:
    """A call of one of `COMPOSED`, of as many arguments as C's function takes. Raises RefusalError."""
    kind = "f32" if name.endswith("f") else "f64"
    plain = name.removesuffix("f")
    count = 2 if plain in {"pow", "hypot"} else 1
    if len(arguments) != count:
        raise RefusalError(f"'{name}' takes {count} argument{'s' * (count > 1)}", "hand over as many")
    values = [arithmetic.converted(one, kind) for one in arguments]
    if plain == "pow":
        return _power(arithmetic, *values)
    if plain == "hypot":
        squares = [arithmetic.binary("*", one, one) for one in values]
        return _called(arithmetic, "sqrt", arithmetic.binary("+", *squares))
    if plain in _INTEGER_ROUNDINGS:
        rounded = _rounded(arithmetic, _INTEGER_ROUNDINGS[plain], values[0], signs_zero=False)
        return arithmetic.converted(rounded, "i64")
    return _rounded(arithmetic, _ROUNDINGS[plain], values[0], signs_zero=True)


def _called(arithmetic: Arithmetic, function: str, value: COperation) -> COperation:
    result = arithmetic.call(f"{function}f" if value.type == "f32" else function, [value])
    assert result is not None
    return result


def _rounded(arithmetic: Arithmetic, way: str, value: COperation, *, signs_zero: bool) -> COperation:
    """A float without its fraction: halves away from zero (`round`), to the even one (`rint`), or all towards zero.

    The language rounds halves upwards, so a negative value is rounded as its opposite. No sum here loses a bit.
    `signs_zero`: a zero keeps its sign.
    """
    zero = literal(CConstant(value.type, 0.0))
    below = arithmetic.negative(_size_rounded(arithmetic, way, arithmetic.negative(value)))
    is_negative = arithmetic.binary("<", value, zero)
    result = arithmetic.choice(is_negative, below, _size_rounded(arithmetic, way, value))
    return arithmetic.choice(arithmetic.binary("==", value, zero), value, result) if signs_zero else result


def _size_rounded(arithmetic: Arithmetic, way: str, value: COperation) -> COperation:
    """A float that is not negative, without its fraction."""
    if way == "trunc":
        return _called(arithmetic, "floor", value)
    nearest = COperation("nearest", value.type, (value,))
    if way == "round":
        return nearest
    half = arithmetic.binary("*", nearest, literal(CConstant(value.type, 0.5)))
    is_odd = arithmetic.binary("!=", half, _called(arithmetic, "floor", half))
    distance = arithmetic.binary("-", nearest, value)
    is_tie = arithmetic.binary("==", distance, literal(CConstant(value.type, 0.5)))
    lower = arithmetic.binary("-", nearest, literal(CConstant(value.type, 1.0)))
    return arithmetic.choice(arithmetic.both("and", is_tie, is_odd), lower, nearest)


def _power(arithmetic: Arithmetic, base: COperation, exponent: COperation) -> COperation:
    """A power whose exponent is a number of the text; its last bits may differ."""
    number = constant_of(exponent)
    if number is None:
        hint = "write a number as the exponent, or exp(y * log(x)) for x above 0"
        raise RefusalError("a power with an exponent that varies is not read", hint)
    if number.value == int(number.value) and 0 <= number.value <= _MOST_FACTORS:
        result = arithmetic.converted(integer(1), base.type)
        for place in range(int(number.value)):
            result = arithmetic.binary("*", result, base) if place else base
        return result
    if number.value == 0.5:
        return _called(arithmetic, "sqrt", base)
    power = _called(arithmetic, "exp", arithmetic.binary("*", exponent, _called(arithmetic, "log", base)))
    if number.value < 0:
        return power
    zero = literal(CConstant(base.type, 0.0))  # whose logarithm is no number
    return arithmetic.choice(arithmetic.binary("==", base, zero), zero, power)
