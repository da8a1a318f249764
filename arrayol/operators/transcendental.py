"""The exponential function and the logarithm of f32, as the language defines them (docs/language.md, "Functions").

Real numbers are words in units of a power of two, which the names of widths give. A result is rounded once, from a
value whose error is stated; it is no float exactly but for exp(0) and log(1), so that no rule for ties is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from functools import lru_cache
from itertools import pairwise
from typing import Any

from arrayol.operators.words import Words

_EXPONENT, _FRACTION, _BIAS = 8, 23, 127  # of f32
_HIGHEST = (1 << _EXPONENT) - 1  # the exponent field of infinities and NaN
_INFINITE, _NAN = _HIGHEST << _FRACTION, (_HIGHEST << _FRACTION) | 1 << (_FRACTION - 1)
_INDEX = 6  # bits of the argument that choose a polynomial
_DIGITS = 40  # decimal ones, in which constants are computed


@lru_cache(maxsize=1)
def _ln2() -> Decimal:
    with localcontext(prec=_DIGITS):
        return Decimal(2).ln()


@lru_cache(maxsize=8)
def _coefficients(function: Callable[[Decimal], Decimal], units: tuple[int, ...]) -> Sequence[tuple[int, ...]]:
    """Tables of coefficients, by degree, in units of 2**-u: a polynomial for each of 2**_INDEX parts of [0, 1).

    Each is the one through the function at the nodes of Chebyshev in its part, which errs little more than the best.
    """
    count, degree = 1 << _INDEX, len(units) - 1
    with localcontext(prec=_DIGITS):
        nodes = [(1 + _cosine(2 * place + 1, 4 * (degree + 1))) / 2 / count for place in range(degree + 1)]
        rows = [_through(nodes, [function(Decimal(part) / count + node) for node in nodes]) for part in range(count)]
        return [
            tuple(int((row[power] * (1 << unit)).to_integral_value()) for row in rows)
            for power, unit in enumerate(units)
        ]


def _cosine(turns: int, parts: int) -> Decimal:
    """The cosine of `turns / parts` of a whole turn, by its series."""
    angle = 8 * _arctangent() * turns / parts
    term = total = Decimal(1)
    for place in range(1, 60):
        term = -term * angle * angle / ((2 * place - 1) * (2 * place))
        total += term
    return total


def _arctangent() -> Decimal:
    """A quarter of pi: Machin's 4 atan(1/5) - atan(1/239)."""

    def of_inverse(number: int) -> Decimal:
        return sum(
            ((-1) ** place / Decimal((2 * place + 1) * number ** (2 * place + 1)) for place in range(30)), Decimal(0)
        )

    return 4 * of_inverse(5) - of_inverse(239)


def _through(nodes: Sequence[Decimal], values: Sequence[Decimal]) -> list[Decimal]:
    """The coefficients of the polynomial through some points: Newton's divided differences, expanded."""
    slopes = list(values)
    for level in range(1, len(nodes)):
        for place in reversed(range(level, len(nodes))):
            slopes[place] = (slopes[place] - slopes[place - 1]) / (nodes[place] - nodes[place - level])
    found = [Decimal(0)] * len(nodes)
    for node, slope in reversed(list(zip(nodes, slopes, strict=True))):
        found = [slope - node * found[0], *(low - node * high for low, high in pairwise(found))]
    return found


def _power_of_two(exponent: Decimal) -> Decimal:
    return (exponent * _ln2()).exp()


# Bits after the point.
_SCALE = 35  # of the logarithm of e
_TICK = 32  # of |x| log2(e)
_UNITS = (32, 27, 19, 16)  # of coefficients, by degree
_PLACES = (_TICK, 24, 24)  # of the argument of a polynomial, where the sum of that degree is multiplied by it
_LN2 = 33  # of the logarithm of 2, and of what is added to its multiples


def exp(words: Words[Any], x: Any) -> Any:
    """The exponential function: 2**k 2**f with x log2(e) = k + f, and 2**f by polynomials of degree 3."""
    sign, field = words.bits(x, 31, 31), words.bits(x, 30, _FRACTION)
    fraction = words.bits(x, _FRACTION - 1, 0)
    # |x| log2(e), which is exact to a unit. Below the least normal number the hidden bit is none; there exp is 1.
    with localcontext(prec=_DIGITS):
        log2e = int((Decimal(1 << _SCALE) / _ln2()).to_integral_value())
    scaled = words.product(words.joined(words.constant(1, 1), fraction), words.constant(_SCALE + 1, log2e))
    last = _BIAS + 6  # the exponent field of 64 to 128
    whole = words.bits(scaled, scaled.width - 1, _FRACTION + _SCALE - 6 - _TICK)
    moved = words.moved_right(whole, words.difference(_EXPONENT, words.constant(_EXPONENT, last), field))
    wide = moved.width + 1
    ticks = words.chosen(
        sign,
        words.difference(wide, words.constant(wide, 0), moved),
        words.joined(words.constant(1, 0), moved),
    )
    power = _polynomial(words, words.bits(ticks, _TICK - 1, 0), _power_of_two)
    number, above = _rounded(words, words.bits(ticks, wide - 1, _TICK), power)
    is_large = words.is_below(words.constant(_EXPONENT, last), field)
    is_nan = words.is_below(words.constant(31, _INFINITE), words.bits(x, 30, 0))
    infinite, zero = words.constant(32, _INFINITE), words.constant(32, 0)
    finite = words.chosen(above, infinite, number)
    extreme = words.chosen(sign, zero, infinite)
    return words.chosen(is_nan, words.constant(32, _NAN), words.chosen(is_large, extreme, finite))


def _polynomial(words: Words[Any], x: Any, function: Callable[[Decimal], Decimal]) -> Any:
    """The value of a function at x, 0 to 1, in units of 2**-32, by Horner's rule; all its derivatives are above 0."""
    tables = _coefficients(function, _UNITS)
    index = words.bits(x, x.width - 1, x.width - _INDEX)
    most = max(tables[-1])
    value = words.entry(most.bit_length(), tables[-1], index)
    for power in reversed(range(len(tables) - 1)):
        table, places = tables[power], min(_PLACES[power], x.width)
        part = words.bits(x, x.width - _INDEX - 1, x.width - places)
        product, cut = words.product(value, part), _UNITS[power + 1] + places - _UNITS[power]
        most = max(table) + (most * ((1 << part.width) - 1) >> cut)
        term = words.bits(product, product.width - 1, cut)
        value = words.total(most.bit_length(), words.entry(max(table).bit_length(), table, index), term)
    return value


def _rounded(words: Words[Any], exponent: Any, significand: Any) -> tuple[Any, Any]:
    """The word of 2**exponent times a significand from 1 to 2, and whether it is above all floats."""
    span = exponent.width + 1
    top = words.bits(exponent, exponent.width - 1, exponent.width - 1)
    field = words.total(span, words.joined(top, exponent), words.constant(span, _BIAS))
    below = words.difference(span, field, words.constant(span, 1))  # the hidden bit counts one
    is_subnormal = words.bits(below, span - 1, span - 1)
    depth = words.chosen(is_subnormal, words.difference(span, words.constant(span, 0), below), words.constant(span, 0))
    kept = words.bits(significand, significand.width - 1, significand.width - _FRACTION - 2)
    base = words.chosen(is_subnormal, words.constant(span, 0), below)
    total = _nearest(words, base, words.moved_right(kept, depth))
    above = words.is_below(words.constant(total.width, _INFINITE - 1), total)
    return words.bits(total, 31, 0), above


def _nearest(words: Words[Any], base: Any, kept: Any) -> Any:
    """The word of a significand with one bit too many, whose hidden bit counts one exponent above the field `base`."""
    nearest = words.total(_FRACTION + 2, words.bits(kept, _FRACTION + 1, 1), words.bits(kept, 0, 0))
    return words.total(base.width + _FRACTION, words.joined(base, words.constant(_FRACTION, 0)), nearest)


_TURN = 27  # in 64ths: a significand of 1 + _TURN / 64 or more is halved, so that its logarithm is near 0


def _slope(mirrored: Decimal) -> Decimal:
    """ln(m) / (m - 1) of a significand m = 2 - 2**-23 - `mirrored`, halved from 1 + _TURN / 64 on."""
    significand = 2 - mirrored - Decimal(1) / (1 << _FRACTION)
    if mirrored < 1 - Decimal(_TURN) / (1 << _INDEX):
        significand /= 2
    return significand.ln() / (significand - 1) if significand != 1 else Decimal(1)


def log(words: Words[Any], x: Any) -> Any:
    """The logarithm: x = m 2**e, with m from 0.71 to 1.42, and ln(x) = e ln(2) + (m - 1) (ln(m) / (m - 1)).

    The quotient comes from polynomials of degree 3. Where e is 0, m - 1 is normalised, so that no bit of it is lost.
    """
    one, none = words.constant(1, 1), words.constant(1, 0)
    field = words.bits(x, 30, _FRACTION)
    is_subnormal = words.is_below(field, words.constant(_EXPONENT, 1))
    hidden = words.chosen(is_subnormal, none, one)
    significand, sunk = words.normalised(words.joined(hidden, words.bits(x, _FRACTION - 1, 0)))
    fraction = words.bits(significand, _FRACTION - 1, 0)
    turn = words.constant(_INDEX, _TURN - 1)
    is_halved = words.is_below(turn, words.bits(fraction, _FRACTION - 1, _FRACTION - _INDEX))
    span = _EXPONENT + 1
    biased = words.difference(span, words.total(span, field, is_subnormal), sunk)
    exponent = words.difference(span, words.total(span, biased, is_halved), words.constant(span, _BIAS))
    is_below = words.bits(exponent, _EXPONENT, _EXPONENT)
    negated = words.difference(_EXPONENT, words.constant(_EXPONENT, 0), words.bits(exponent, _EXPONENT - 1, 0))
    size = words.chosen(is_below, negated, words.bits(exponent, _EXPONENT - 1, 0))
    is_near = words.is_below(size, words.constant(_EXPONENT, 1))
    mirrored = words.difference(_FRACTION, words.constant(_FRACTION, (1 << _FRACTION) - 1), fraction)
    slope = _polynomial(words, mirrored, _slope)
    # |m - 1| in units of 2**-24.
    distance = words.chosen(
        is_halved,
        words.difference(_FRACTION + 1, words.constant(_FRACTION + 1, 1 << _FRACTION), fraction),
        words.joined(fraction, none),
    )
    ready, empty = words.normalised(distance)
    product = words.product(words.chosen(is_near, ready, distance), slope)
    wide = _EXPONENT + _LN2 + 1
    part = words.bits(product, product.width - 1, _FRACTION + 1 + _UNITS[0] - _LN2)
    with localcontext(prec=_DIGITS):
        ln2 = int((_ln2() * (1 << _LN2)).to_integral_value())
    multiple = words.product(size, words.constant(_LN2, ln2))
    is_less = words.chosen(is_near, none, words.chosen(is_halved, words.is_below(is_below, one), is_below))
    total = words.chosen(is_less, words.difference(wide, multiple, part), words.total(wide, multiple, part))
    number, zeros = words.normalised(total)
    highest = words.constant(_EXPONENT, _BIAS + wide - 2 - _LN2)
    base = words.difference(_EXPONENT, highest, zeros)
    base = words.chosen(is_near, words.difference(_EXPONENT, base, empty), base)
    magnitude = words.bits(_nearest(words, base, words.bits(number, wide - 1, wide - _FRACTION - 2)), 30, 0)
    sign = words.chosen(is_near, is_halved, is_below)
    return _special_log(words, x, words.joined(sign, magnitude))


def _special_log(words: Words[Any], x: Any, finite: Any) -> Any:
    """The logarithm of x, which is `finite` but for these: NaN, infinity, zeros, numbers below 0, and 1."""
    magnitude = words.bits(x, 30, 0)
    is_zero = words.is_below(magnitude, words.constant(31, 1))
    is_above = words.is_below(words.constant(32, _INFINITE - 1), x)  # infinite, NaN, or below 0
    is_infinite = words.is_below(x, words.constant(32, _INFINITE + 1))
    one = words.constant(32, _BIAS << _FRACTION)
    is_one = words.chosen(
        words.is_below(x, one), words.constant(1, 0), words.is_below(x, words.constant(32, (_BIAS << _FRACTION) + 1))
    )
    result = words.chosen(is_one, words.constant(32, 0), finite)
    extreme = words.chosen(is_infinite, words.constant(32, _INFINITE), words.constant(32, _NAN))
    result = words.chosen(is_above, extreme, result)
    return words.chosen(is_zero, words.constant(32, 1 << 31 | _INFINITE), result)
