"""The operators of arithmetic: + - * / // % and the sign."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from arrayol.operators.record import (
    NUMBERS,
    REAL,
    CForm,
    CHelper,
    CType,
    Domain,
    Fixed,
    Guard,
    Interval,
    Notation,
    Operands,
    Operator,
)

_NO_TRUTH = "convert first, as in u8(b)"
_NO_FIXED = "multiply by a constant, or convert first, as in f64(a) / b"
_SUM, _PRODUCT, _SIGN = 9, 10, 11  # how tightly they bind
_C_PRODUCT, _C_SUM, _C_SIGN = 80, 70, 90


def over_corners(apply: Callable[[int, int], int]) -> Callable[[Interval, Interval], Interval]:
    """The bounds of a function that is monotonic in each operand: its values at their ends."""

    def bounds(left: Interval, right: Interval) -> Interval:
        values = [apply(one, other) for one in left for other in right]
        return min(values), max(values)

    return bounds


# Complex numbers: each real operation is rounded, in the written order. NumPy's own product of arrays may use FMA.
#     (a + bi) (c + di) = (ac - bd) + (ad + bc) i
#     (a + bi) / (c + di) = (ac + bd) / (cc + dd) + ((bc - ad) / (cc + dd)) i


def _product_parts(left: Any, right: Any) -> tuple[Any, Any]:
    a, b, c, d = left.real, left.imag, right.real, right.imag
    return a * c - b * d, a * d + b * c


def _quotient_parts(left: Any, right: Any) -> tuple[Any, Any]:
    a, b, c, d = left.real, left.imag, right.real, right.imag
    norm = c * c + d * d
    return (a * c + b * d) / norm, (b * c - a * d) / norm


def joined(numpy: Any, real: Any, imaginary: Any) -> Any:
    """The complex array of two parts of one shape."""
    result = numpy.empty(numpy.shape(real), numpy.result_type(real, numpy.complex64))
    result.real, result.imag = real, imaginary
    return result


def _of_arrays(parts: Callable[[Any, Any], tuple[Any, Any]]) -> Callable[[Any], Callable[[Any, Any], Any]]:
    return lambda numpy: lambda left, right: joined(numpy, *parts(left, right))


def _of_complex(name: str, real: str, imaginary: str, also: str = "") -> CHelper:
    """A C function of x = a + b i and y = c + d i; `also` declares more."""

    def lines(kind: CType) -> Sequence[str]:
        f, part = kind.suffix, kind.part
        return [
            f"{part} a = creal{f}(x), b = cimag{f}(x), c = creal{f}(y), d = cimag{f}(y){also};",
            f"return join_c{kind.bits}({real}, {imaginary});",
        ]

    return CHelper(name, ("x", "y"), lines)


# Quotients rounded down, of floats by NumPy's own steps.

_NO_ZERO = 'if (b == 0) fail("integer division by zero");'


def _floor_divide(kind: CType) -> Sequence[str]:
    own, f = kind.name, kind.suffix
    if kind.floating:
        return [
            "if (b == 0) return a / b;",
            f"{own} mod = fmod{f}(a, b), div = (a - mod) / b;",
            f"if (mod != 0 && (b < 0) != (mod < 0)) div -= 1.0{f};",
            f"if (div == 0) return copysign{f}(0.0{f}, a / b);",
            f"{own} down = floor{f}(div);",
            f"return div - down > 0.5{f} ? down + 1.0{f} : down;",
        ]
    if not kind.signed:
        return [_NO_ZERO, f"return ({own})(a / b);"]
    return [
        _NO_ZERO,
        f"if (b == -1) return ({own})(0 - a);  /* also of the least a, which wraps */",
        f"return ({own})(a / b - (a % b != 0 && (a % b < 0) != (b < 0)));",
    ]


def _remainder(kind: CType) -> Sequence[str]:
    own, f = kind.name, kind.suffix
    if kind.floating:
        return [
            f"{own} mod = fmod{f}(a, b);",
            "if (b == 0) return mod;",
            f"if (mod == 0) return copysign{f}(0.0{f}, b);",
            "return (b < 0) != (mod < 0) ? mod + b : mod;",
        ]
    if not kind.signed:
        return [_NO_ZERO, f"return ({own})(a % b);"]
    return [
        _NO_ZERO,
        "if (b == -1) return 0;",
        f"return ({own})(a % b != 0 && (a % b < 0) != (b < 0) ? a % b + b : a % b);",
    ]


def _floor_bounds(dividend: Interval, divisor: Interval) -> Interval:
    """A quotient is no larger than its dividend, but for the rounding down; by positive numbers it is monotonic."""
    if divisor[0] > 0:
        return over_corners(operator.floordiv)(dividend, divisor)
    low, high = dividend
    size = max(abs(low), abs(high)) + 1
    return (-size, size) if low < 0 or divisor[0] < 0 else (0, high)


def _remainder_bounds(dividend: Interval, divisor: Interval) -> Interval:
    least, most = divisor
    if dividend[0] >= 0 and dividend[1] < least:
        return dividend
    return min(0, least + 1), max(0, most - 1)


ARITHMETIC = (
    Operator(
        name="-",
        notation=Notation.PREFIX,
        binding=_SIGN,
        domain=Domain(NUMBERS, "'not' negates a condition; i8(b) is a number"),
        exact=operator.neg,
        numpy=lambda numpy: numpy.negative,
        leaves=True,
        bounds=lambda value: (-value[1], -value[0]),
        ring=True,
        c=CForm(sign="-", level=_C_SIGN, modular=True),
        isl=lambda value: f"(-{value})",
    ),
    Operator(
        name="+",
        notation=Notation.INFIX,
        binding=_SUM,
        arguments=(2, 2),
        domain=Domain(NUMBERS, _NO_TRUTH),
        exact=operator.add,
        numpy=lambda numpy: numpy.add,
        leaves=True,
        bounds=over_corners(operator.add),
        ring=True,
        c=CForm(sign="+", level=_C_SUM, modular=True),
        isl=lambda left, right: f"({left} + {right})",
    ),
    Operator(
        name="-",
        notation=Notation.INFIX,
        binding=_SUM,
        arguments=(2, 2),
        domain=Domain(NUMBERS, _NO_TRUTH),
        exact=operator.sub,
        numpy=lambda numpy: numpy.subtract,
        leaves=True,
        bounds=over_corners(operator.sub),
        ring=True,
        c=CForm(sign="-", level=_C_SUM, modular=True),
        isl=lambda left, right: f"({left} - {right})",
    ),
    Operator(
        name="*",
        notation=Notation.INFIX,
        binding=_PRODUCT,
        arguments=(2, 2),
        domain=Domain(NUMBERS, _NO_TRUTH),
        fixed=Fixed.PRODUCT,
        exact=operator.mul,
        numpy=lambda numpy: numpy.multiply,
        leaves=True,
        bounds=over_corners(operator.mul),
        ring=True,
        exact_complex=lambda left, right: complex(*_product_parts(left, right)),
        numpy_complex=_of_arrays(_product_parts),
        c=CForm(
            sign="*",
            level=_C_PRODUCT,
            modular=True,
            of_complex=_of_complex("product", "a * c - b * d", "a * d + b * c"),
        ),
        isl_by_number=lambda value, factor: f"({factor} * {value})",
    ),
    Operator(
        name="/",
        notation=Notation.INFIX,
        binding=_PRODUCT,
        arguments=(2, 2),
        domain=Domain(
            frozenset({Operands.FLOAT, Operands.COMPLEX}),
            _NO_TRUTH,
            {
                Operands.FIXED: _NO_FIXED,
                Operands.INTEGER: "'//' rounds down; for a fraction convert first, as in f32(a) / b",
            },
        ),
        guard=Guard.EXACT,
        exact=operator.truediv,
        numpy=lambda numpy: numpy.true_divide,
        exact_complex=lambda left, right: complex(*_quotient_parts(left, right)),
        numpy_complex=_of_arrays(_quotient_parts),
        c=CForm(
            sign="/",
            level=_C_PRODUCT,
            of_complex=_of_complex(
                "quotient", "(a * c + b * d) / norm", "(b * c - a * d) / norm", ", norm = c * c + d * d"
            ),
        ),
    ),
    Operator(
        name="//",
        notation=Notation.INFIX,
        binding=_PRODUCT,
        arguments=(2, 2),
        domain=Domain(REAL - {Operands.FIXED}, "it works on real numbers", {Operands.FIXED: _NO_FIXED}),
        guard=Guard.DIVISOR,
        exact=operator.floordiv,
        numpy=lambda numpy: numpy.floor_divide,
        leaves=True,
        bounds=_floor_bounds,
        c=CForm(helper=CHelper("floor_divide", ("a", "b"), _floor_divide)),
        isl_by_number=lambda value, by: f"floor(({value})/{by})" if by > 0 else f"floor((-{value})/{-by})",
    ),
    Operator(
        name="%",
        notation=Notation.INFIX,
        binding=_PRODUCT,
        arguments=(2, 2),
        domain=Domain(REAL - {Operands.FIXED}, "it works on real numbers", {Operands.FIXED: _NO_FIXED}),
        guard=Guard.DIVISOR,
        exact=operator.mod,
        numpy=lambda numpy: numpy.remainder,
        bounds=_remainder_bounds,
        c=CForm(helper=CHelper("remainder", ("a", "b"), _remainder)),
        isl_by_number=lambda value, by: f"(({value}) mod {by})" if by > 0 else f"(-((-{value}) mod {-by}))",
    ),
)
