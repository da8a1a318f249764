"""The functions of the language."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from arrayol.operators import transcendental
from arrayol.operators.record import (
    NUMBERS,
    REAL,
    CForm,
    CHelper,
    CType,
    Domain,
    Gives,
    Interval,
    Notation,
    Number,
    Operands,
    Operator,
)
from arrayol.operators.words import Definition, in_c, on_arrays

_NUMBERS, _REAL = Domain(NUMBERS), Domain(REAL)
_COMPLEX = Domain(frozenset({Operands.COMPLEX}), "it takes a complex number")
_WHOLE = 1 << 53  # from here on each f64 is an integer


def _magnitude_bounds(value: Interval) -> Interval:
    low, high = value
    return (0 if low <= 0 <= high else min(abs(low), abs(high))), max(abs(low), abs(high))


def _absolute(kind: CType) -> Sequence[str]:
    return [f"return ({kind.name})(a < 0 ? 0 - a : a);"]


def _magnitude(kind: CType) -> Sequence[str]:
    f = kind.suffix
    return [f"return sqrt{f}(creal{f}(x) * creal{f}(x) + cimag{f}(x) * cimag{f}(x));"]


def _extreme(name: str, choose: Callable[..., int], ufunc: str, helper: str, sign: str) -> Operator:
    def exact(*values: Number) -> Number:
        chosen = choose(values)
        return float(chosen) if any(isinstance(value, float) for value in values) else chosen

    def lines(kind: CType) -> Sequence[str]:
        nan = " || isnan(a)" if kind.floating else ""
        return [f"return a {sign} b{nan} ? a : b;"]

    return Operator(
        name=name,
        notation=Notation.CALL,
        arguments=(2, None),
        domain=_REAL,
        exact=exact,
        numpy=operator.attrgetter(ufunc),
        selects=True,
        bounds=lambda *values: (choose(low for low, _ in values), choose(high for _, high in values)),
        c=CForm(helper=CHelper(helper, ("a", "b"), lines)),
        isl=lambda *values: f"{name}({', '.join(values)})",
    )


def rounded(value: Number, bits: int) -> Number:
    """A number to so many bits after the point: floor(value * 2**bits + 1/2) / 2**bits, the exact one."""
    if isinstance(value, int) or abs(value) >= _WHOLE:
        return value
    return float(Fraction(math.floor(Fraction(value) * (1 << bits) + Fraction(1, 2)), 1 << bits))


def _of_floats(
    name: str,
    exact: Callable[[float], float],
    *,
    domain: Domain = _NUMBERS,
    by_library: bool = False,
    contiguous: bool = True,
    read_from: tuple[str, ...] = (),
    single: Definition | None = None,
) -> Operator:
    return Operator(
        name=name,
        notation=Notation.CALL,
        domain=domain,
        gives=Gives.FLOAT,
        exact=exact,
        numpy=operator.attrgetter(name) if single is None else _defined(name, single),
        by_library=by_library,
        contiguous=contiguous,
        single=single,
        c=CForm(
            call=name,
            complex_call=f"c{name}",
            read_from=read_from,
            single=CHelper(f"defined_{name}", ("a",), lambda _: in_c(single)) if single is not None else None,
        ),
    )


def _defined(name: str, single: Definition) -> Callable[[Any], Callable[[Any], Any]]:
    """By NumPy's module: a function of arrays that f32 has a definition of."""

    def of_module(numpy: Any) -> Callable[[Any], Any]:
        library, own = getattr(numpy, name), on_arrays(single, numpy)
        return lambda values: own(values) if values.dtype == numpy.float32 else library(values)

    return of_module


def _part(name: str, exact: Callable[[complex], complex], ufunc: str, call: str, gives: Gives) -> Operator:
    return Operator(
        name=name,
        notation=Notation.CALL,
        domain=_COMPLEX,
        gives=gives,
        exact=exact,
        numpy=operator.attrgetter(ufunc),
        c=CForm(complex_call=call),
    )


FUNCTIONS = (
    Operator(
        name="abs",
        notation=Notation.CALL,
        domain=_NUMBERS,
        gives=Gives.MAGNITUDE,
        exact=abs,
        numpy=lambda numpy: numpy.absolute,
        leaves=True,
        bounds=_magnitude_bounds,
        exact_complex=lambda value: math.sqrt(value.real * value.real + value.imag * value.imag),
        numpy_complex=lambda numpy: lambda values: numpy.sqrt(values.real * values.real + values.imag * values.imag),
        c=CForm(
            helper=CHelper("absolute", ("a",), _absolute),
            of_complex=CHelper("magnitude", ("x",), _magnitude, gives_part=True),
            call="fabs",
            same_unsigned=True,
            read_from=("fabs", "fabsf", "abs"),
        ),
        isl=lambda value: f"max({value}, -({value}))",
    ),
    _extreme("min", min, "minimum", "least", "<"),
    _extreme("max", max, "maximum", "greatest", ">"),
    Operator(
        name="round",
        notation=Notation.CALL,
        arguments=(2, 2),
        domain=_REAL,
        gives=Gives.ROUNDED,
        exact=rounded,
        numpy=None,
        c=CForm(),
    ),
    Operator(
        name="sat",
        notation=Notation.CALL,
        arguments=(2, 2),
        domain=_REAL,
        gives=Gives.NAMED,
        exact=lambda value, low, high: min(max(value, low), high),
        numpy=None,
        c=CForm(),
    ),
    _part("real", lambda value: value.real, "real", "creal", Gives.PART),
    _part("imag", lambda value: value.imag, "imag", "cimag", Gives.PART),
    _part("conj", lambda value: value.conjugate(), "conjugate", "conj", Gives.SAME),
    _of_floats("sqrt", math.sqrt, read_from=("sqrt", "sqrtf")),
    _of_floats("exp", math.exp, by_library=True, read_from=("exp",), single=transcendental.exp),
    _of_floats("log", math.log, by_library=True, read_from=("log",), single=transcendental.log),
    _of_floats(
        "floor",
        lambda value: float(math.floor(value)),
        domain=_REAL,
        contiguous=False,
        read_from=("floor", "floorf"),
    ),
    _of_floats(
        "ceil", lambda value: float(math.ceil(value)), domain=_REAL, contiguous=False, read_from=("ceil", "ceilf")
    ),
    _of_floats("sin", math.sin, by_library=True, read_from=("sin",)),
    _of_floats("cos", math.cos, by_library=True, read_from=("cos",)),
    _of_floats("tan", math.tan, by_library=True, read_from=("tan",)),
)
