"""C functions for what C's operators do otherwise than the language (docs/language.md, "Arithmetic").

A helper is named as what it does and the type it is for, `floor_divide_i32`; its text is made on demand, so that a
program holds those that it uses. Floor division and remainder of floats follow NumPy's own steps.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from arrayol.ir.types import ElementType, Kind, ValueType, Weak
from arrayol.operators.record import CHelper, CType
from arrayol.operators.registry import C_HELPERS

# Element types and numbers as C writes them.

_NAMES = {
    ElementType.BOOL: "bool",
    ElementType.F32: "float",
    ElementType.F64: "double",
    ElementType.C64: "float complex",
    ElementType.C128: "double complex",
}
_WEAK = {Weak.INTEGER: ElementType.I64, Weak.FLOAT: ElementType.F64, Weak.BOOL: ElementType.BOOL}


def c_type(kind: ValueType) -> str:
    """The C type that holds values of a type; constants of no type yet are int64_t, double or bool."""
    target = element_type(kind)
    if target in _NAMES:
        return _NAMES[target]
    return f"{'u' if target.kind is Kind.UNSIGNED else ''}int{target.stored_bits}_t"


def element_type(kind: ValueType) -> ElementType:
    """The element type in which C computes."""
    return _WEAK[kind] if isinstance(kind, Weak) else kind


def identifier(kind: ElementType) -> str:
    """The name of a type as a part of C names."""
    return kind.replace(".", "_")


def literal(value: float, kind: ValueType) -> str:
    """A constant of a type, exact to the last bit."""
    target = element_type(kind)
    if target is ElementType.BOOL:
        return "true" if value else "false"
    if target.wraps:
        return bound(int(value), target)
    if target.kind is Kind.COMPLEX:
        return f"({c_type(target)}){_real(float(value), single=target is ElementType.C64)}"
    return _real(float(value), single=target is ElementType.F32)


def bound(value: int, kind: ElementType) -> str:
    """A stored integer of a type that wraps."""
    low, bits = kind.container.integer_range[0], kind.stored_bits
    if value == low and value < 0 and bits >= 32:
        return f"INT{bits}_MIN"
    if kind.kind is Kind.UNSIGNED and bits >= 32:
        return f"{value}u" if bits == 32 else f"UINT64_C({value})"
    if bits == 64 and not -(1 << 31) < value < 1 << 31:
        return f"INT64_C({value})"
    return str(value)


def _real(value: float, *, single: bool) -> str:
    text = str(np.float32(value)) if single else repr(value)
    if not any(mark in text for mark in ".en"):
        text += ".0"
    return f"{text}f" if single else text


FAIL = """static void fail(const char *what) {
  fprintf(stderr, "%s\\n", what);
  exit(1);
}
"""


def helper(name: str, kind: ElementType) -> str:
    """The text of a helper for an element type."""
    return _of_operator(C_HELPERS[name], kind) if name in C_HELPERS else _TEXTS[name](kind)


def _function(kind: ElementType, name: str, parameters: str, *lines: str, gives: str | None = None) -> str:
    body = "".join(f"  {line}\n" for line in lines)
    return f"static inline {gives or c_type(kind)} {name}_{identifier(kind)}({parameters}) {{\n{body}}}\n"


def _suffix(kind: ElementType) -> str:
    return "f" if kind in (ElementType.F32, ElementType.C64) else ""


def _of_operator(called: CHelper, kind: ElementType) -> str:
    """The helper of an operator or a function (arrayol/operators/)."""
    floating = kind.kind is Kind.FLOAT
    own = CType(c_type(kind), kind.bits, kind.kind is Kind.SIGNED, floating, _suffix(kind))
    parameters = ", ".join(f"{own.name} {name}" for name in called.parameters)
    return _function(kind, called.name, parameters, *called.lines(own), gives=own.part if called.gives_part else None)


def _wrap(kind: ElementType) -> str:
    """Brings an integer into the range of a signed type by whole turns: its bits, with the sign's copied upwards."""
    wide = 32 if kind.stored_bits <= 32 else 64
    spare = wide - kind.bits
    line = f"return ({c_type(kind)})((int{wide}_t)((uint{wide}_t)a << {spare}) >> {spare});"
    return _function(kind, "wrap", f"int{wide}_t a", line)


def _nearest(kind: ElementType) -> str:
    f = _suffix(kind)
    large = f"{2.0 ** (24 if f else 53)}{f}"
    own = c_type(kind)
    return _function(
        kind,
        "nearest",
        f"{own} a, int bits",
        f"{own} scaled = ldexp{f}(a, bits), whole = floor{f}(scaled);",
        f"if (!(fabs{f}(a) < {large})) return a;  /* an integer, infinite, or none */",
        f"return ldexp{f}(whole + (scaled - whole >= 0.5{f} ? 1.0{f} : 0.0{f}), -bits);",
    )


def _join(kind: ElementType) -> str:
    part = c_type(kind).split(maxsplit=1)[0]
    return _function(
        kind,
        "join",
        f"{part} a, {part} b",
        f"{part} parts[2] = {{a, b}};  /* a sum with I would touch signs of zeros and infinities */",
        f"{c_type(kind)} x;",
        "memcpy(&x, parts, sizeof x);",
        "return x;",
    )


def _truncate(source: str) -> Callable[[ElementType], str]:
    def text(kind: ElementType) -> str:
        low, high = kind.integer_range
        f = "f" if source == "float" else ""
        check = f"if (!(whole >= {float(low)}{f} && whole < {float(high + 1)}{f}))"
        least, most = kind.value_range
        fault = f'fail("a value outside {kind}, {least} to {most}");'
        value = f"ldexp(a, {kind.fraction})" if kind.is_fixed else "a"
        name = "truncate_single" if source == "float" else "truncate"
        return _function(
            kind,
            name,
            f"{source} a",
            f"{source} whole = trunc{f}({value});",
            f"{check} {fault}",
            f"return ({c_type(kind)})whole;",
        )

    return text


def _fit(kind: ElementType) -> str:
    low, high = kind.whole_range
    unfit = "a < 0" if kind is ElementType.U64 else f"a < {_bound(low)} || a > {_bound(high)}"
    return _function(
        kind,
        "fit",
        "int64_t a",
        f'if ({unfit}) fail("a number outside {kind}, {low} to {high}");',
        f"return ({c_type(kind)})((uint64_t)a << {kind.fraction});" if kind.fraction else f"return ({c_type(kind)})a;",
    )


def _bound(value: int) -> str:
    return "INT64_MIN" if value == -(1 << 63) else f"INT64_C({value})"


def _at(kind: ElementType) -> str:
    return _function(
        kind,
        "at",
        "int64_t subscript, int64_t length",
        'if (subscript < 0 || subscript >= length) fail("a subscript out of range");',
        "return subscript;",
    )


_TEXTS: dict[str, Callable[[ElementType], str]] = {
    "nearest": _nearest,
    "wrap": _wrap,
    "join": _join,
    "truncate": _truncate("double"),
    "truncate_single": _truncate("float"),
    "fit": _fit,
    "at": _at,
}
