"""C functions for integers that stand for values of integer and fixed-point types: moving the point, rounding, ends.

A value of a type is kept as its stored integer, value x 2**fraction, in the C type that has its bits, always within its
range. A helper is named as what it does, the type it gives and the type it takes: `saturate_i8_from_i4_12`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from arrayol.ir.types import ElementType, Kind
from hwmodel.emit.c.helpers import bound, c_type, identifier

_DOUBLE = "double"


def helper_between(name: str, target: ElementType, source: ElementType) -> str:
    """The text of a helper that gives one type and takes another."""
    return _TEXTS[name](target, source)


def name_between(name: str, target: ElementType, source: ElementType) -> str:
    """How such a helper is called."""
    return f"{name}_{identifier(target)}_from_{identifier(source)}"


def _function(name: str, target: ElementType, source: ElementType, lines: Sequence[str]) -> str:
    parameter = _DOUBLE if source.kind is Kind.FLOAT else c_type(source)
    body = "".join(f"  {line}\n" for line in lines)
    return f"static inline {c_type(target)} {name_between(name, target, source)}({parameter} a) {{\n{body}}}\n"


def moved(code: str, places: int, *, signed: bool) -> str:
    """An integer in C times 2**places, rounded down, modulo 2**64; `code` binds as an operand of a shift or a cast."""
    if places == 0:
        return code
    if places > 0:
        return f"(uint64_t){code} << {places}" if places < 64 else f"(uint64_t){code} << 63 << 1"
    if -places < 64:
        return f"{code} >> {-places}"
    return f"{code} >> 63" if signed else f"{code} >> 63 >> 1"


def _round(target: ElementType, source: ElementType) -> str:
    places, signed = target.fraction - source.fraction, source.is_signed
    wide = "int64_t" if signed else "uint64_t"
    if places >= 0:
        line = f"return ({c_type(target)})({moved('a', places, signed=signed)});"
        return _function("round", target, source, [line])
    lines = [
        f"{wide} wide = a, whole = {moved('wide', places, signed=signed)};",
        f"return ({c_type(target)})(whole + (({moved('wide', places + 1, signed=signed)}) & 1));",
    ]
    return _function("round", target, source, lines)


def _saturate(target: ElementType, source: ElementType) -> str:
    low, high = target.integer_range
    own = c_type(target)
    if source.kind is Kind.FLOAT:
        lines = [
            f'if (isnan(a)) fail("a number that is none, for {target}");',
            f"double whole = trunc({f'ldexp(a, {target.fraction})' if target.fraction else 'a'});",
            f"if (whole < {float(low)}) return {bound(low, target)};",
            f"if (whole >= {float(high + 1)}) return {bound(high, target)};",
            f"return ({own})whole;",
        ]
        return _function("saturate", target, source, lines)
    places, signed = target.fraction - source.fraction, source.is_signed
    wide = ElementType.I64 if signed else ElementType.U64
    least, most = (low, high) if places <= 0 else (-(-low >> places), high >> places)
    lines = [f"{c_type(wide)} wide = {moved('a', min(places, 0), signed=signed)};"]
    smallest, largest = wide.integer_range
    if least > smallest:
        lines.append(f"if (wide < {bound(least, wide)}) return {bound(low, target)};")
    if most < largest:
        lines.append(f"if (wide > {bound(most, wide)}) return {bound(high, target)};")
    lines.append(f"return ({own})({moved('wide', max(places, 0), signed=signed)});")
    return _function("saturate", target, source, lines)


def _amount(target: ElementType, source: ElementType) -> str:
    """The amount of a shift of `target`; one that is outside becomes the width, which the shift refuses."""
    low = "a < 0 || " if source.is_signed else ""
    own = c_type(target)
    line = f"return ({own})({low}a >= {target.bits} ? {target.bits} : a);"
    return _function("amount", target, source, [line])


_TEXTS: dict[str, Callable[[ElementType, ElementType], str]] = {
    "round": _round,
    "saturate": _saturate,
    "amount": _amount,
}
